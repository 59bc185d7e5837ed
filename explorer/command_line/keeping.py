"""Where a run is kept: tried before training, saved now and then, and never lost because a disk is full.

A save that fails while the run goes on is told once and tried again; one that fails at the end goes to
another folder. An oracle of the user's own that fails in any way costs the run nothing either.
"""

import contextlib
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from explorer.command_line.choices import Chosen
from explorer.engine.refusals import Refused
from explorer.engine.runs import saved
from explorer.engine.runs.codec import Encoder

AUTOSAVE = 30.0


class Keeper:
    """Saves a run, when there is a place to save it to."""

    def __init__(self, out: str | None, run: Chosen, say: Callable[[str], None]) -> None:
        self.out, self.run, self.say = out, run, say
        self.last, self.failed, self.without = time.monotonic(), False, ""

    def now_and_then(self) -> None:
        """Save if the last time was long ago; if that fails, training goes on."""
        if not self.out or time.monotonic() - self.last < AUTOSAVE:
            return
        self.last = time.monotonic()
        try:
            self._write(self.out)
        except Refused as reason:
            if not self.failed:
                self.say(f"The run goes on, but it is not saved yet: {reason}")
            self.failed = True

    def at_the_end(self) -> None:
        """Save, in another folder if it must be."""
        if not self.out:
            return
        try:
            self._write(self.out)
        except Refused as reason:
            elsewhere = next(self._elsewhere(self.out), None)
            if elsewhere is None:
                raise
            self.say(f"{reason}")
            self.say(f"The run is saved to {elsewhere} instead.")
            return
        size = f"{Path(self.out).stat().st_size / 1e6:.2f} MB"
        kept = f", without a model: {self.without}" if self.without else ", run and model"
        self.say(f"saved to {self.out} ({size}{kept})")

    def _write(self, place: str | Path) -> None:
        saved.save(place, self.run.recipe.plain(), self.run.trace, self._model())

    def _model(self) -> Callable[[Encoder], saved.Extra] | None:
        """The model goes along, where the run has one."""
        from explorer.estimators.models import in_run
        from explorer.estimators.trained import estimator_of

        try:
            return partial(in_run, estimator_of(self.run.recipe, self.run.problem, self.run.trace))
        except Refused as reason:
            self.without = str(reason)
            return None

    def _elsewhere(self, out: str) -> Iterator[Path]:
        """The other folders to which the run could be written, and has been."""
        for folder in (Path.cwd(), Path(tempfile.gettempdir())):
            place = folder / f"run-{time.strftime('%Y%m%d-%H%M%S')}.zip"
            if folder != Path(out).absolute().parent and not place.exists():
                with contextlib.suppress(Refused):
                    self._write(place)
                    yield place


def check_place(out: str | None) -> None:
    """Refuse before the work what could not be written after it."""
    if not out:
        return
    folder = Path(out).absolute().parent
    if not folder.is_dir():
        raise Refused(f"there is no folder {folder} to save to; make it first")
    if Path(out).is_dir():
        raise Refused(f"{out} is a folder; give the name of a file to save to")
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise Refused(f"nothing can be written to {folder} ({why}); choose another place") from None


__all__ = ["Keeper", "check_place"]
