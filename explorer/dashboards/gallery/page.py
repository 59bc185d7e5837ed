"""The gallery: problems ready to look at, each with a picture of its data and a small one of its bounds
closing.

The runs behind the curves are trained once and kept on disk: by a process of its own, so that no page waits
for them. The curve of a run that is not there yet pulses and comes by itself; so do pictures for which a page
would have to wait longer than `PATIENCE`, because their problems are yet to be made.
"""

import atexit
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from functools import lru_cache
from html import escape
from typing import Any

import numpy as np
import panel as pn
import param

from explorer.dashboards.address import asked_theme
from explorer.dashboards.gallery.presets import GROUPS, PRESETS, Preset
from explorer.dashboards.gallery.wall import CardWall
from explorer.dashboards.shell import Shell
from explorer.dashboards.studio.link import query
from explorer.engine.learners import by_name
from explorer.engine.runs.trace import Trace
from explorer.session.problem_cache import problem_of
from explorer.session.shared_runs import on_shelf, ready_run, shared_run
from explorer.views.kit.drawing.curve import curve
from explorer.views.kit.drawing.theme import LIGHT, THEMES, Theme
from explorer.views.kit.thumbnail import thumbnail
from explorer.wording import percent

BEAT = 700
"""Milliseconds between two looks for runs that have been finished."""

PATIENCE = 0.25
"""Seconds that a page spends on pictures before it is shown."""

INTRO = (
    "<h1>Which wrong answer is the most tempting?</h1><p>A machine that predicts whole objects learns by "
    "asking this again and again: it finds the wrong answer that it likes best, and learns to like the right "
    "one more. Choose a problem; each opens already trained, and Play shows how it got there.</p>"
)
PROSE = """
h1 { margin: 0; font-size: var(--type-title, 28px); line-height: 1.2; font-weight: 600; }
p { margin: 8px 0 0; font-size: var(--type-text, 16px); line-height: 1.5; max-width: var(--line, 66ch); }
"""


@lru_cache(maxsize=1)
def train_all() -> threading.Thread:
    """Begin to fetch every preset's run; asking again changes nothing."""
    thread = threading.Thread(target=fetch_all, name="explorer-gallery", daemon=True)
    thread.start()
    return thread


def fetch_all() -> None:
    """Have pictures ready; have a niced process train the runs that are not on the shelf; take each when it
    is there.
    """
    for preset in PRESETS:
        picture_of(preset, LIGHT)
    missing = [preset for preset in PRESETS if not on_shelf(preset.recipe)]
    command = [sys.executable, "-m", "explorer", "warmup", "--runs"]
    trainer = (
        subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) if missing else None
    )
    if trainer is not None:
        atexit.register(trainer.terminate)
    for preset in PRESETS:
        while not on_shelf(preset.recipe) and trainer is not None and trainer.poll() is None:
            time.sleep(BEAT / 2000)
        shared_run(preset.recipe)


def make_all() -> None:
    """Train every preset's run and leave it on the shelf; what the process of `fetch_all` does."""
    for preset in PRESETS:
        shared_run(preset.recipe)


@lru_cache(maxsize=4 * len(PRESETS))
def picture_of(preset: Preset, theme: Theme) -> str:
    """The picture of a preset's data, made once for each theme; empty where there is none to be had."""
    return thumbnail(problem_of(preset.recipe)[0], theme, preset.turn)


def pictures(theme: Theme, known: Mapping[Preset, str]) -> dict[Preset, str]:
    """The pictures that are known, and as many more as there is patience for: one at least."""
    found, ends = dict(known), time.monotonic() + PATIENCE
    for preset in (preset for preset in PRESETS if preset not in known):
        found[preset] = picture_of(preset, theme)
        if time.monotonic() > ends:
            break
    return found


def outcome(preset: Preset, trace: Trace | None) -> str:
    """How the run ended, in one sentence: what is proved, and at which step, counted as the studio does."""
    if trace is None:
        return "Training in the background."
    primal, dual, last = np.nanmin(trace.column("primal")), trace.column("dual"), len(trace) - 1
    learner = by_name(preset.recipe.learner).title
    if np.all(np.isnan(dual)):
        return f"{learner}: step {last}, no lower bound."
    gap = max(0.0, 1 - np.nanmax(dual) / primal)
    near = "to the optimum" if gap <= 1e-6 else f"to within {percent(gap)}"
    return f"{'Proved' if trace.certified(last) else 'Unproved: seems'} {near} at step {last}. {learner}."


WAIT = "<div class='wait'></div>"


def card(preset: Preset, trace: Trace | None, theme: Theme, data: str | None = None) -> str:
    """One preset as a link to the studio; without a picture of its data, the curve is in its place."""
    where = query(preset.recipe, {"view": preset.view, "theme": theme.name})
    run = curve(trace, theme) if trace is not None else WAIT
    below = "" if data == "" else f"<div class='curve'>{run}</div>"
    above = WAIT if data is None else data or run
    return (
        f"<a class='card' href='studio?{escape(where)}' target='_self'><h3>{escape(preset.title)}</h3>"
        f"<div class='picture'>{above}</div><p class='words'>{escape(preset.words)}</p>{below}"
        f"<p class='outcome'>{escape(outcome(preset, trace))}</p></a>"
    )


class Gallery(pn.viewable.Viewer):
    """All presets; cards fill as their problems are made and their runs are finished."""

    theme = param.Parameter(LIGHT)

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.filled = (-1, -1)
        self.pictures: dict[Preset, str] = {}
        self.wall = CardWall()
        self.param.watch(lambda *_: self.wear(), "theme")
        self.draw()

    @property
    def full(self) -> bool:
        """Whether nothing is waited for."""
        return self.filled == (len(PRESETS), len(PRESETS))

    def wear(self) -> None:
        """Draw everything again in a new theme."""
        self.pictures = {}
        self.draw()

    def draw(self) -> None:
        """Draw all cards in the current theme, with the pictures and runs that are there."""
        theme = self.theme
        traces = [ready_run(preset.recipe) for preset in PRESETS]
        self.pictures = pictures(theme, self.pictures)
        self.filled = (len(self.pictures), sum(trace is not None for trace in traces))
        names = ("text", "panel", "grid", "muted", "background")
        colours = {name: getattr(theme, name) for name in names} | {"link": theme.dual}
        self.wall.styles = {f"--{name}": value for name, value in colours.items()}
        self.wall.groups = [
            {
                "title": title,
                "about": about,
                "cards": [
                    card(preset, trace, theme, self.pictures.get(preset))
                    for preset, trace in zip(PRESETS, traces, strict=True)
                    if preset.group == group
                ],
            }
            for group, (title, about) in GROUPS.items()
        ]

    def look(self) -> None:
        """Draw again when more runs are there, or pictures are yet to be made."""
        runs = sum(ready_run(preset.recipe) is not None for preset in PRESETS)
        if len(self.pictures) < len(PRESETS) or runs > self.filled[1]:
            self.draw()

    def close(self) -> None:
        """Nothing is listened to."""

    def __panel__(self) -> Any:
        return self.wall


def build() -> Shell:
    """The page with all presets."""
    train_all()
    gallery = Gallery(theme=THEMES.get(asked_theme(), LIGHT))
    intro = pn.pane.HTML(INTRO, stylesheets=[PROSE], sizing_mode="stretch_width", margin=(12, 16))
    shell = Shell("gallery", sidebar=[], main=[intro, gallery])
    shell.wear(asked_theme())
    shell.adopt(gallery)
    if not gallery.full:
        shell.closing.append(pn.state.add_periodic_callback(gallery.look, period=BEAT).stop)
    return shell


__all__ = ["Gallery", "build", "card", "curve", "train_all"]
