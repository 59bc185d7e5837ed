"""Margin scaling and slack scaling on the same wrong answers of one example.

    margin scaling asks for  w . psi >= Delta              violation  Delta - w . psi
    slack scaling asks for   w . psi >= 1 - xi / Delta     violation  Delta (1 - w . psi)

so that margin scaling goes on about an answer of large loss although it is far behind, and slack scaling lets
it rest once it is behind by 1 (Tsochantaridis et al. 2005, section 2.2). The answers are those that the run
has met for this example, and the one that its oracle finds now. Cost: two feature maps for each.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.engine.contracts import Problem
from explorer.engine.events import EVERY_EXAMPLE
from explorer.engine.objective import cut_of, label_key, lift
from explorer.engine.runs.kept_cuts import pairs_of
from explorer.engine.runs.trace import Trace
from explorer.engine.vectors import Array, Ints, dot
from explorer.views.kit.depiction import depiction_of
from explorer.views.kit.drawing.thinning import evenly

MOST = 100
"""Answers that are looked at; of more the newest."""

ROUNDING = 1e-9
"""Share of the largest loss below which a violation is none."""

STEPS = 200
"""Steps whose cuts are looked through."""


@dataclass(frozen=True, slots=True, eq=False)
class ScalingsFrame:
    """The wrong answers, as text, with loss and margin; `by_margin` and `by_slack` are the most violated ones
    under each scaling, -1 where none is violated.
    """

    at: int
    example: int
    examples: int
    texts: tuple[str, ...]
    loss: Array
    margin: Array
    found: Ints
    by_margin: int
    by_slack: int

    @property
    def margin_violation(self) -> Array:
        """What margin scaling asks of the slack, before it is cut off at 0."""
        return self.loss - self.margin

    @property
    def slack_violation(self) -> Array:
        """The same of slack scaling."""
        return self.loss * (1.0 - self.margin)


def answers_met(trace: Trace, at: int, example: int) -> Iterator[tuple[int, Any]]:
    """The labellings of an example in the cuts of the steps up to `at`, each with its step, newest first."""
    steps = sorted((step for step in list(trace.cuts.kept) if step <= at), reverse=True)
    for step in (steps[j] for j in evenly(len(steps), STEPS)) if steps else ():
        for cut in trace.cuts.kept.get(step, ()):
            if cut.i == example and cut.label is not None:
                yield step, cut.label
            elif cut.i == EVERY_EXAMPLE and cut.label is not None:
                yield from ((step, label) for i, label in pairs_of(trace, step, cut) if i == example)


def most(violation: Array, loss: Array) -> int:
    """The place of the largest violation; the first among equals, -1 where none is above rounding."""
    least = ROUNDING * float(np.max(loss, initial=0.0))
    return int(np.argmax(violation)) if len(violation) and np.max(violation) > least else -1


def frame(problem: Problem, trace: Trace, at: int, example: int) -> ScalingsFrame | None:
    """The wrong answers of an example at the weights of step `at`; None before there are any weights."""
    if not len(trace) or not 0 <= example < problem.n:
        return None
    w, found = trace.at(at).w, dict[Any, tuple[int, Any]]()
    for step, label in ((at, problem.oracle(w, example).label), *answers_met(trace, at, example)):
        if len(found) < MOST:
            found.setdefault(label_key(label), (step, label))
    cuts = [(step, cut_of(problem, example, label)) for step, label in found.values()]
    wrong = [(step, cut) for step, cut in cuts if cut.loss > 0.0]
    write, pull = depiction_of(problem).mistake, lift(problem, w)
    loss = np.array([cut.loss for _, cut in wrong], dtype=float)
    margin = np.array([dot(pull, cut.psi) for _, cut in wrong], dtype=float)
    return ScalingsFrame(
        at,
        example,
        problem.n,
        tuple(write(problem, example, cut.label) for _, cut in wrong),
        loss,
        margin,
        np.array([step for step, _ in wrong], dtype=np.int64),
        most(loss - margin, loss),
        most(loss * (1.0 - margin), loss),
    )
