"""The current step in a plain sentence, in its formulas, and what its bounds prove.

Every figure is read from the trace. It follows the session's phase: after "Find most tempting", "Add cut" and
"Solve again" it tells what has just happened on the way to the next step, at rest the whole step and its
bounds.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.engine.contracts import Problem
from explorer.engine.runs.promises import promise
from explorer.engine.runs.trace import Trace
from explorer.engine.theory.bounds import Extent
from explorer.session.state import PHASES
from explorer.views.inspector.more_numbers import Group, groups
from explorer.views.inspector.step_formulas import Facts, Line, are_known, facts, tidy
from explorer.views.inspector.step_words import title_of, words_of
from explorer.wording import as_sentence, number


@dataclass(frozen=True, slots=True, eq=False)
class InspectorFrame:
    """What is said about one step."""

    at: int
    learner: str
    phase: str
    sentence: str
    lines: tuple[Line, ...]
    verdict: str
    meaning: str
    promise: str
    moved: str
    more: tuple[Group, ...]


def frame(
    problem: Problem, trace: Trace, at: int, phase: int = 0, known: Extent | None = None, more: bool = False
) -> InspectorFrame | None:
    """What is to be said about step `at`, `phase` phases on the way to the next; None if untrained.

    `known` is what theorems ask of the problem; `more` asks for the numbers that are folded away.
    """
    if not len(trace):
        return None
    f = facts(problem, trace, min(at, len(trace) - 1))
    told, lines = words_of(f).tell(f, phase)
    proof, meaning = verdict(f)
    ago = PHASES[phase - 1]  # a phase of 0 is the end of the last one
    most = promise(problem, trace, f.at, known)
    text = "" if most is None else most.sentence
    folded = groups(f, known, most) if more else ()
    return InspectorFrame(
        f.at, title_of(f), ago, told, tuple(lines), proof, meaning, text, why_bounds_moved(f), folded
    )


def sentence(shown: InspectorFrame | None) -> str:
    """The step in one plain sentence."""
    if shown is None:
        return "Nothing trained yet: press play, or find the first most tempting labellings step by step."
    phase = "" if shown.phase == PHASES[-1] else f", {shown.phase.lower()}"
    return f"Step {shown.at}{phase}: {shown.sentence}"


def table(shown: InspectorFrame | None) -> dict[str, Any]:
    """The numbers in the formulas."""
    lines = () if shown is None else (*shown.lines, *(line for group in shown.more for line in group.lines))
    return {"quantity": [line.name for line in lines], "value": [line.value for line in lines]}


DOUBTED = {
    "under": "It may miss the most tempting labelling, so the true objective can lie above the primal shown.",
    "under, untold": "It looks for the labelling that scores most, so the true objective can lie above the "
    "primal shown; the dual is a lower bound all the same.",
    "over": "Fractional labellings count too, so these bound the relaxed problem: its optimum is at or above "
    "the exact one.",
    "over, untold": "It looks for the fractional labelling that scores most: the dual bounds the relaxed "
    "problem from below, and the primal proves nothing about either problem.",
    "unclaimed": "Nobody says that it finds the most tempting labelling: if it misses one, the true "
    "objective lies above the primal shown. Claim it with exact=True, and the run is watched for proof to "
    "the contrary.",
}
"""What the bounds of an oracle that is not exact prove."""


# what the bounds prove -------------------------------------------------------------------------------------


def verdict(f: Facts) -> tuple[str, str]:
    """Whether the gap is a certificate, and what that means."""
    J, dual = f.get("primal"), f.get("dual")
    if f.trace.disproof:
        return "not a certificate: the oracle is proved not to be exact", as_sentence(f.trace.disproof)
    if not f.started.exact:
        return f"not a certificate: {f.started.doubt.partition(':')[0]}", DOUBTED.get(
            f.started.oracle, DOUBTED["under"]
        )
    if not are_known(dual):
        return "no certificate", "No lower bound is known here: how much better the best w is stays open."
    if not are_known(J):
        return "no certificate at this step", "The objective of this w was not computed: no upper bound."
    if not f.trace.certified(f.at):
        return "not a certificate", "The primal of this step is not from a full pass of an exact oracle."
    most = (
        f"no w has an objective below {tidy(dual)}, so this one is at most {number(J - dual)} above the best"
    )
    exact = (
        "The oracle is exact" if f.started.measures_slack else f"The {f.started.objective} is summed exactly"
    )
    return "certificate", f"{exact}: {most}."


def why_bounds_moved(f: Facts) -> str:
    """Why the bounds are where they are, compared with the step before."""
    before = f.other(f.at - 1)
    if before is None:
        return "This is the first step: there is nothing to compare with."
    if before.started is not f.started:
        return "The settings changed before this step: the bounds before it belong to another problem."
    return (
        " ".join(filter(None, (dual_moved(before, f), primal_moved(before, f)))) or "No bound is known here."
    )


def dual_moved(before: Facts, f: Facts) -> str:
    """How the lower bound moved, and why."""
    old, new = before.get("dual"), f.get("dual")
    if not are_known(old, new):
        return ""
    if abs(new - old) <= 1e-12 * max(1.0, abs(new)):
        return "The dual did not move."
    if new < old:
        return f"The dual fell by {number(old - new)}: this learner does not promise that it rises."
    return f"The dual rose by {number(new - old)}, from {tidy(old)} to {tidy(new)}: {words_of(f).dual_rises}."


def primal_moved(before: Facts, f: Facts) -> str:
    """How the upper bound moved, and what that says."""
    old, new = before.get("primal"), f.get("primal")
    if not are_known(old, new, float(f.setting("C"))):
        return ""
    if new == old:
        return "The primal did not move."
    if new < old:
        return f"The primal fell by {number(old - new)} to {tidy(new)}."
    best = float(np.nanmin(f.trace.column("primal")[: f.at + 1]))
    why = words_of(f).primal_rises
    return f"The primal rose by {number(new - old)} to {tidy(new)}: {why}. The best so far is {tidy(best)}."
