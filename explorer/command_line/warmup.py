"""`explorer warmup`: compile every kernel once, so that nobody waits.

Small runs (see small_runs) ask for the kernels; numba keeps on disk what it compiled. Every core compiles a
part of its own. The first page needs few kernels: the server compiles those before it opens (`--first`), and
has the others compiled by a process in the background (`--background`), which gives way to everything else
and ends with its server.
"""

import gc
import os
import threading
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from explorer.command_line.small_runs import FIRST, OTHERS
from explorer.engine.compiled import remember
from explorer.engine.threads import workers

NICE = 15
RARELY = 50_000
"""New objects between two searches for garbage: the compiler makes millions, and nearly all of them stay."""


def options(command: ArgumentParser) -> None:
    """Which kernels and where, or the gallery's runs."""
    which = command.add_mutually_exclusive_group()
    which.add_argument("--first", action="store_true", help="only what the first page needs")
    which.add_argument(
        "--background", action="store_true", help="the rest, when the machine has nothing else to do"
    )
    which.add_argument(
        "--runs", action="store_true", help="instead, train the gallery's runs and keep them on disk"
    )


def run(args: Namespace, say: Callable[[str], None]) -> int:
    """Compile, or train the gallery's runs."""
    if args.runs:
        # Loaded here: it needs the extra [app], compiling does not.
        from explorer.dashboards.gallery.page import make_all

        stay_behind()
        make_all()
    elif args.background:
        stay_behind()
        compile_others(say)
    else:
        began = time.perf_counter()
        compile_first() if args.first else compile_all()
        what = "the first page's" if args.first else "all"
        say(f"{what} kernels are compiled: {time.perf_counter() - began:.1f} s")
    return 0


def compile_first() -> None:
    """Compile what the first page needs, on all cores."""
    on_all_cores(FIRST)
    remember("first")


def compile_all() -> None:
    """Compile everything, on all cores."""
    on_all_cores([*FIRST, *OTHERS])
    remember("first")
    remember("all")


def compile_others(say: Callable[[str], None]) -> None:
    """Compile here what the first page does not need, and say before each part how far this is."""
    for k, part in enumerate(OTHERS):
        say(f"{part} ({k + 1} of {len(OTHERS)})")
        compile_part(part)
    remember("all")


def on_all_cores(parts: Iterable[str]) -> None:
    """Compile parts, each in a process of its own; an error in one of them is raised here."""
    with ProcessPoolExecutor(workers(), get_context("spawn"), initializer=leave_with_parent) as pool:
        list(pool.map(compile_part, parts))


def compile_part(part: str) -> None:
    """Compile what the small runs of a part ask for."""
    gc.freeze()
    gc.set_threshold(RARELY)
    (FIRST | OTHERS)[part]()


def stay_behind() -> None:
    """Give way to everything else, and end with the process that started this one."""
    os.nice(NICE)
    leave_with_parent()


def leave_with_parent() -> None:
    """End this process when the one that started it is gone, however that ended."""
    threading.Thread(target=_leave_with, args=(os.getppid(),), daemon=True).start()


def _leave_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(0)
