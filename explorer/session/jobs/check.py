"""A step checked by an independent solver, as a job that a worker can take turns on.

The solver is one long call into compiled code, which lets other threads run and cannot be interrupted. It
works on a thread of its own, and a turn ends when the slice is over, whatever the solver does. A cancelled
check ends at its next pulse; a solve under way is left alone to its end, which its size and time limit bound.
"""

import queue
import threading
from dataclasses import dataclass
from typing import Any

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.events import Stopped
from explorer.engine.halting import Cancelled
from explorer.engine.runs.referee.claim import Claim
from explorer.engine.runs.referee.code import code, size
from explorer.engine.runs.referee.compare import Comparison, Declined, Doing, compare
from explorer.engine.runs.referee.conditions import Conditions
from explorer.session.jobs.parcel import sentence_of
from explorer.session.problem_cache import problem_of

MOST_NUMBERS = 40_000
"""Programs with more numbers than this are not shown as code on a page."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A comparison as it travels to a page: the program as code, or why it is not shown."""

    over: str
    ours: Conditions
    theirs: Conditions
    agrees: bool
    sentence: str
    code: str
    no_code: str


def comparison_of(found: Comparison, title: str) -> Compared:
    """What a page shows of a comparison."""
    numbers = size(found.program)
    text, why = "", ""
    if numbers <= MOST_NUMBERS:
        text = code(found.program, f"{title}: the program over {found.over}")
    else:
        why = (
            f"The program over {found.over} has {numbers:,} numbers; save the run, and "
            "`explorer check run.zip --code program.py` writes it."
        )
    return Compared(found.over, found.ours, found.theirs, found.agrees, found.sentence, text, why)


class CheckJob:
    """A check in progress, for one session."""

    def __init__(self, recipe: Recipe, claim: Claim) -> None:
        self.cancelled = False
        self._doing = Doing("starting")
        self._said: queue.SimpleQueue[Any] = queue.SimpleQueue()
        args = (recipe, claim)
        threading.Thread(target=self._run, args=args, name="explorer-check", daemon=True).start()

    def pull(self, seconds: float, most: int) -> list[Any]:
        """What was said within about `seconds`, or once more what is being done."""
        try:
            out = [self._said.get(timeout=seconds)]
        except queue.Empty:
            return [self._doing]
        while not self._said.empty():
            out.append(self._said.get())
        self._doing = next((said for said in reversed(out) if isinstance(said, Doing)), self._doing)
        return out

    def end(self) -> None:
        """Let go of the check; it notices at its next pulse."""
        self.cancelled = True

    # on the check's own thread ------------------------------------------------------------------------------

    def _run(self, recipe: Recipe, claim: Claim) -> None:
        try:
            problem = problem_of(recipe)[0]
            title = f"Step {claim.at} of {recipe.task}"
            for said in compare(problem, claim, self._pulse):
                self._pulse()
                self._said.put(comparison_of(said, title) if isinstance(said, Comparison) else said)
            ended = Stopped("finished", "", claim.at)
        except Cancelled:
            ended = Stopped("cancelled", "cancelled", claim.at)
        except Exception as fault:  # noqa: BLE001  # whatever breaks here must not take other people's jobs along
            ended = Stopped("failed", sentence_of(fault), claim.at)
        self._said.put(ended)

    def _pulse(self) -> None:
        if self.cancelled:
            raise Cancelled


__all__ = ["CheckJob", "Compared", "Declined", "Doing"]
