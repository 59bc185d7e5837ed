"""The served app: its pages, its workers, its limits.

Loopback by default; session ids are signed with a secret made at start; training runs in niced worker
processes; a page that nobody reads is dropped after a minute. Everything that outlives a callback lives here,
in the package.
"""

import atexit
import gc
import secrets
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import panel as pn

from explorer.dashboards.clusters import page as clustering_lab
from explorer.dashboards.compiling import COMPILING
from explorer.dashboards.data import page as data_page
from explorer.dashboards.data.asking import with_file
from explorer.dashboards.gallery import page as gallery
from explorer.dashboards.lab import page as lab
from explorer.dashboards.learn.handlers import patterns
from explorer.dashboards.past_runs import PastRun, open_run
from explorer.dashboards.race import page as race
from explorer.dashboards.server.delivery import GzipTransform
from explorer.dashboards.server.departures import silence_departures
from explorer.dashboards.serving import page_function
from explorer.dashboards.shell import CSS
from explorer.dashboards.studies import page as studies
from explorer.dashboards.studio import page as studio
from explorer.dashboards.studio.link import FIRST
from explorer.dashboards.workshop import page as workshop
from explorer.engine.catalogue.tasks import Task, name_alone, task_of
from explorer.engine.refusals import Refused
from explorer.session.pool import Pool
from explorer.session.problem_cache import forget_data
from explorer.session.race import first_race
from explorer.session.runner import Runner
from explorer.session.shared_runs import shared_run
from explorer.session.uploads.store import Uploads

TITLE = "Structured prediction explorer"
RUN = ".zip"
LEISURE = 4.0
"""Seconds that the first page has before others are made ready."""


@lru_cache(maxsize=1)
def runner() -> Runner:
    """The worker processes of this server, started once."""
    pool = Pool()
    pool.start()
    return pool


@lru_cache(maxsize=1)
def uploads() -> Uploads:
    """The files of this server's visitors; gone when the server ends."""

    def forget(stamps: list[str]) -> None:
        forget_data(stamps)
        pool = runner()
        if isinstance(pool, Pool):
            pool.everywhere(forget_data, stamps)

    store = Uploads(forget=forget)
    atexit.register(store.close)
    return store


def pages(opened: Sequence[Task] = (), runs: Sequence[PastRun] = ()) -> dict[str, Callable[[], Any]]:
    """Every page by its address; `opened` are the tasks that this server has besides the catalogue's, `runs`
    the saved runs that a studio shows.
    """

    def asking(name: str, build: Callable[[Sequence[Task]], Any]) -> Callable[[], Any]:
        return page_function(lambda: with_file(name, build, runner(), uploads(), opened))

    first = asking("studio", lambda known: studio.build(runner(), known, runs))
    return {
        "studio": first,
        "race": asking("race", lambda known: race.build(runner(), known)),
        "data": page_function(lambda: data_page.build(runner(), uploads())),
        "gallery": page_function(gallery.build),
        "lab": page_function(lab.build),
        "clusters": page_function(clustering_lab.build),
        "studies": page_function(lambda: studies.build(runner())),
        "workshop": page_function(lambda: workshop.build(opened)),
    }


def prepare() -> None:
    """Load what every page needs, and have the first run ready before the first visitor; the other pages
    follow.
    """
    silence_departures()
    if CSS not in pn.config.raw_css:
        pn.extension(raw_css=[CSS])
    shared_run(FIRST)
    COMPILING.announce()
    soon()
    gc.collect()
    gc.freeze()  # nobody's visit has to look through what stays for ever


@lru_cache(maxsize=1)
def soon() -> threading.Timer:
    """Have the other pages ready when the first one has had the machine for itself; asking again changes
    nothing.
    """
    timer = threading.Timer(LEISURE, get_others_ready)
    timer.daemon = True
    timer.start()
    return timer


def get_others_ready() -> None:
    """Begin what the other pages show first, once nothing compiles; opening a page begins it earlier."""
    COMPILING.finish()
    gallery.train_all()
    lab.get_ready()
    clustering_lab.get_ready()
    first_race(runner())
    studies.get_ready(runner())


def open_files(files: Iterable[str]) -> tuple[tuple[Task, ...], tuple[PastRun, ...]]:
    """The tasks of these files and saved runs, called by their names alone: in which folder they are is not
    told; and the runs.
    """
    named, opened = list(files), dict[str, Task]()
    for file in (name for name in named if not name.endswith(RUN)):
        task = task_of(file, called=name_alone(file))
        if task.name in opened:
            raise Refused(f"two files are called {task.name}; rename one of them")
        opened[task.name] = task
    runs = tuple(open_run(Path(name), opened.values()) for name in named if name.endswith(RUN))
    for run in runs:
        if run.recipe.task.source is not None:
            opened.setdefault(run.recipe.task.name, run.recipe.task)
    return tuple(opened.values()), runs


def serve(
    port: int = 5006,
    address: str = "127.0.0.1",
    show: bool = False,
    files: Iterable[str] = (),
    **options: Any,
) -> Any:
    """Serve all pages until stopped; returns the server when `start=False` or `threaded=True` is given.

    `files` are data files and names in Python files that visitors may train on, and saved runs that they may
    look at and go on from; they open no others.
    """
    opened, runs = open_files(files)
    sys.setswitchinterval(0.001)  # a page waits less for the thread that trains the gallery's presets
    prepare()
    defaults = {
        "title": TITLE,
        "unused_session_lifetime_milliseconds": 60_000,
        "check_unused_sessions_milliseconds": 10_000,
        "websocket_max_message_size": 20 << 20,
        "sign_sessions": True,
        "generate_session_ids": True,
        "secret_key": secrets.token_bytes(32),
        "extra_patterns": patterns(with_story=not (opened or runs)),
        "use_index": False,
        "transforms": [GzipTransform],
        "websocket_compression_level": 1,
    }
    return pn.serve(pages(opened, runs), port=port, address=address, show=show, **(defaults | options))
