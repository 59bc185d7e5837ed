"""Both programs on a hook module, recorded call by call, and the call that is being looked at.

A stage of the tutorial runs on its first lines. A user's module runs as far as a few seconds go, on the
file that was named with it on the command line.
"""

import atexit
import contextlib
import io
import shutil
import tempfile
import time
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import param

from explorer.engine.hooks.calls import HookCall
from explorer.engine.hooks.classifying import classify
from explorer.engine.hooks.flow import light_boxes
from explorer.engine.hooks.learning import LearnerProgram
from explorer.engine.hooks.module import load_hooks, tutorial_folder
from explorer.engine.hooks.objects import Sparm

FEW = 12
"""Examples of the tutorial's film."""

SECONDS = 3.0
MOST_CALLS = 600
STAGES = {
    "1: no more than is needed": "binary1.py",
    "2: says more": "binary2.py",
    "3: constraints of its own": "binary3.py",
    "4: kernels": "binary4.py",
}


class HookFilm:
    """Calls in their order, the box of each, and what the module printed."""

    def __init__(self, calls: Sequence[HookCall], defined: Sequence[str], printed: str) -> None:
        self.calls, self.defined = tuple(calls), frozenset(defined)
        self.boxes, self.printed = tuple(light_boxes(calls)), printed

    def __len__(self) -> int:
        return len(self.calls)


@lru_cache(maxsize=8)
def film_of(path: Path, data: str) -> HookFilm:
    """Learn and classify with the hooks of a file, and keep what was called."""
    hooks, out = load_hooks(path), io.StringIO()
    ends = time.monotonic() + SECONDS
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(out):
        model = str(Path(folder) / "model")
        program = LearnerProgram(hooks, Sparm(c=10.0), 1, 4, lambda: time.monotonic() > ends)
        program.run(data, model)
        classify(hooks, data, model)
    return HookFilm(shorten(hooks.log.calls), tuple(hooks.functions), out.getvalue()[:2000])


def shorten(calls: Sequence[HookCall]) -> list[HookCall]:
    """At most as many calls of each program as a film has time for: the first ones and the last."""
    found: list[HookCall] = []
    for program in ("learn", "classify"):
        mine = [call for call in calls if call.program == program]
        half = MOST_CALLS // 4
        found += mine if len(mine) <= 2 * half else [*mine[:half], *mine[-half:]]
    return found


@lru_cache(maxsize=1)
def few_examples() -> str:
    """A file with the first lines of the tutorial's examples."""
    lines = (tutorial_folder() / "train.dat").read_text(encoding="utf-8").splitlines(keepends=True)
    home = tempfile.mkdtemp(prefix="explorer-hooks-")
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    place = Path(home) / "few.dat"
    place.write_text("".join(lines[: FEW + 1]), encoding="utf-8")
    return str(place)


class HookLab(param.Parameterized):
    """Whose hooks are shown, and at which call."""

    stage: Any = param.Selector(
        objects=list(STAGES), default=next(iter(STAGES)), doc="Whose hooks are called."
    )
    step = param.Integer(0, bounds=(0, None), doc="The call that is looked at.")
    tick = param.Integer(0, doc="Grows when there is another film.")

    def __init__(self, opened: Sequence[tuple[str, Path, str]] = (), **params: Any) -> None:
        super().__init__(**params)
        folder = tutorial_folder()
        self.places = {name: (folder / file, few_examples()) for name, file in STAGES.items()}
        self.places |= {name: (path, data) for name, path, data in opened}
        self.param.stage.objects = list(self.places)
        if opened:
            self.stage = opened[0][0]
        self.film = film_of(*self.places[self.stage])
        self.param.watch(lambda _: self.change(), "stage")

    def change(self) -> None:
        """Another module: its film from the beginning."""
        self.film = film_of(*self.places[self.stage])
        self.param.update(step=0, tick=self.tick + 1)

    def look_at_step(self, step: int) -> None:
        """Go to a call."""
        self.step = min(max(step, 0), len(self.film) - 1)


__all__ = ["STAGES", "HookFilm", "HookLab", "film_of"]
