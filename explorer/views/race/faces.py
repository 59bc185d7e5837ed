"""What each learner would answer at one moment of a race, on the same example, and who leads there.

At moment m of the clock a learner stands at its last step with clock <= m; its answer is predict(w, x) with
that step's weights. Cost: one prediction for each learner.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.engine.contracts import Problem
from explorer.engine.learners import by_name
from explorer.engine.refusals import Refused
from explorer.engine.runs.trace import Trace
from explorer.wording import number

WHY = {
    "frank-wolfe": "it corrects w after every single example",
    "sequential-dual": "it corrects w after every single example and keeps the cuts that it has found",
    "one-slack": "each of its cuts speaks for all examples at once",
    "n-slack": "it keeps a cut of its own for every example and solves for all of them together",
    "bundle": "each of its planes speaks for all examples at once",
    "subgradient": "it takes one step for every pass",
    "sgd": "it takes a step after every example, without waiting for a pass",
    "perceptron": "it moves only when it is wrong, which costs nothing else",
    "mira": "it moves just far enough for each example",
    "sampled-cuts": "it looks at a few examples instead of all for each cut",
}
"""What makes a learner quick, in half a sentence."""


@dataclass(frozen=True, slots=True, eq=False)
class Face:
    """One learner at one moment: its step, its answer and what that costs; step -1 before its first."""

    name: str
    step: int
    label: Any
    loss: float
    objective: float

    @property
    def right(self) -> bool:
        """Whether nothing is wrong with the answer."""
        return self.step >= 0 and self.loss == 0.0


def end_of(traces: Mapping[str, Trace], clock: str) -> float:
    """The last moment of a race."""
    return max((float(trace.column(clock)[-1]) for trace in traces.values() if len(trace)), default=0.0)


def step_at(trace: Trace, clock: str, moment: float) -> int:
    """The last step up to a moment; -1 where there is none yet."""
    return (
        int(np.searchsorted(trace.column(clock), moment * (1 + 1e-9), side="right")) - 1 if len(trace) else -1
    )


def face(problem: Problem, name: str, trace: Trace, step: int, example: int) -> Face:
    """A learner's answer on an example at a step."""
    if step < 0:
        return Face(name, -1, None, np.nan, np.nan)
    try:
        label = problem.predict(trace.at(step).w, problem.dataset.inputs[example])
    except Refused:
        return Face(name, -1, None, np.nan, np.nan)
    best = float(np.nanmin(trace.column("primal")[: step + 1], initial=np.inf))
    return Face(name, step, label, float(problem.loss(example, label)), best)


def faces(
    problem: Problem, traces: Mapping[str, Trace], clock: str, moment: float, example: int
) -> list[Face]:
    """Every learner's answer at a moment."""
    return [
        face(problem, name, trace, step_at(trace, clock, moment), example) for name, trace in traces.items()
    ]


def telling_example(problem: Problem, traces: Mapping[str, Trace], clock: str, most: int = 12) -> int:
    """Of the first examples the one on which the learners differ most a little after the start."""
    moment = 0.1 * end_of(traces, clock)
    spreads = [
        np.nanmax(losses) - np.nanmin(losses) if np.isfinite(losses).sum() > 1 else 0.0
        for losses in (
            np.array([one.loss for one in faces(problem, traces, clock, moment, i)])
            for i in range(min(problem.n, most))
        )
    ]
    return int(np.argmax(spreads)) if spreads else 0


def leader_words(met: list[Face]) -> str:
    """Who leads at this moment and why, in one sentence."""
    known = [one for one in met if np.isfinite(one.objective)]
    if len(known) < 2:
        return "Nobody leads yet."
    first, second = sorted(known, key=lambda one: one.objective)[:2]
    title, other = by_name(first.name).title, by_name(second.name).title
    if second.objective - first.objective <= 0.005 * abs(first.objective):
        return f"{title} and {other} are level, at {number(first.objective)}."
    why = f": {WHY[first.name]}" if first.name in WHY else ""
    return f"{title} leads with {number(first.objective)} before {number(second.objective)}{why}."


__all__ = ["Face", "end_of", "faces", "leader_words", "step_at", "telling_example"]
