"""The step in one plain sentence: what the machine answers, which wrong answer tempts it most, what is
proved.

    Step 8: the machine reads 3147, 1 of 4 wrong; the most tempting wrong answer is 3141;
      proved to within 0.5%.

Answers are told part by part where they are short, else by how much of them is wrong. Cost: one prediction
and one oracle call.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.engine.contracts import Problem
from explorer.engine.runs.trace import Trace
from explorer.engine.structures.fields.fields import is_relaxed
from explorer.session.state import PHASES
from explorer.views.inspector.step_formulas import facts
from explorer.views.inspector.step_words import words_of
from explorer.views.kit.depiction import depiction_of, plain_label
from explorer.wording import quantity

MOST_PARTS, MOST_LETTERS = 14, 30
"""A longer answer is told by how much of it is wrong."""


@dataclass(frozen=True, slots=True, eq=False)
class ToldAnswer:
    """A labelling of one example: its parts where they can be told, which are wrong, and that in words."""

    parts: tuple[str, ...]
    wrong: tuple[bool, ...]
    words: str

    @property
    def right(self) -> bool:
        """Whether it is the truth."""
        return not any(self.wrong)


@dataclass(frozen=True, slots=True, eq=False)
class CaptionFrame:
    """What is said about one example at one step; without `guess` nothing is trained."""

    step: int
    example: str
    verb: str
    guess: ToldAnswer | None
    rival: ToldAnswer | None
    proof: str
    happening: str = ""


EXACT = 5e-6
"""A relative gap below which a percentage says nothing."""


def frame(
    problem: Problem, trace: Trace, at: int, example: int, phase: int = 0, name: str = "Example"
) -> CaptionFrame:
    """The caption of an example of `problem` at step `at`, `phase` phases on the way to the next one."""
    i, verb = min(max(0, example), problem.n - 1), depiction_of(problem).verb
    who = f"{name} {i}"
    if not len(trace):
        return CaptionFrame(0, who, verb, None, None, "")
    at = min(at, len(trace) - 1)
    w = trace.at(at).w
    guess = answer(problem, i, problem.predict(w, problem.dataset.inputs[i]))
    rival = answer(problem, i, problem.oracle(w, i).label)
    happening = ""
    if phase:
        f = facts(problem, trace, at)
        happening = f"{PHASES[phase - 1]}: {words_of(f).tell(f, phase)[0]}"
    return CaptionFrame(at, who, verb, guess, rival, proof(trace, at), happening)


def answer(problem: Problem, i: int, label: Any) -> ToldAnswer:
    """A labelling of example i beside the truth: part by part, whole, or only by how much of it is wrong."""
    truth, shown = problem.dataset.labels[i], depiction_of(problem)
    if shown.difference is not None:
        words = shown.difference(label, truth)
        off = (not words.startswith("0 "),)
    elif np.ndim(label) == 1 and not is_relaxed(label) and np.shape(label) == np.shape(truth):
        off = tuple((np.asarray(label) != np.asarray(truth)).tolist())
        all_of = quantity(len(off), shown.part(problem))
        words = f"{sum(off)} of {all_of} wrong" if any(off) else f"all {all_of} right"
    else:
        off = (not np.array_equal(label, truth),)
        words = "which is wrong" if off[0] else "which is right"
    states = shown.states(problem)
    if shown.label_text is plain_label and states and np.ndim(label) == 1 and len(off) > 1:
        parts = tuple(states[y] for y in label) if len(off) <= MOST_PARTS else ()
        return ToldAnswer(parts, off if parts else (any(off),), words)
    text = shown.label_text(problem, label, i)
    told = (text,) if len(off) <= MOST_PARTS and len(text) <= MOST_LETTERS and not text.endswith("…") else ()
    return ToldAnswer(told, (any(off),), words)


def proof(trace: Trace, at: int) -> str:
    """How far from the best this step is proved to be at most."""
    primal, dual = (float(trace.at(at).figures.get(name, np.nan)) for name in ("primal", "dual"))
    if np.isnan(dual):
        return "nothing is proved: this learner has no lower bound"
    if np.isnan(primal):
        return "nothing is proved at this step: its objective was not computed"
    share = max(0.0, (primal - dual) / abs(primal)) if primal else 0.0
    if share >= 1.0:
        return "nothing is proved yet"
    within = f"within {percent(share)} of the best possible" if share > EXACT else "the best possible"
    return f"proved to be {within}" if not trace.doubt(at) else f"{within}, if its oracle errs nowhere"


def percent(share: float) -> str:
    """A share in as few digits as tell it."""
    if share >= 0.1:
        return f"{100 * min(share, 1.0):.0f}%"
    return f"{100 * share:.1f}%" if share >= 0.001 else "0.1%" if share > 1e-9 else "0%"


def plain(told: ToldAnswer) -> str:
    """An answer as text."""
    return ("" if all(len(part) == 1 for part in told.parts) else " ").join(told.parts)


def sentence(shown: CaptionFrame) -> str:
    """The caption without colours."""
    if shown.guess is None:
        return "Nothing is trained yet. Press Play, and watch which wrong answer tempts the machine most."
    if shown.happening:
        return f"On the way to step {shown.step + 1}. {shown.happening}"
    text = plain(shown.guess)
    says = f"{shown.verb} {text}, {shown.guess.words}" if text else f"gets {shown.guess.words}"
    return f"Step {shown.step}: the machine {says}; {tempting(shown)}; {shown.proof}."


def tempting(shown: CaptionFrame) -> str:
    """The most tempting wrong answer in words."""
    if shown.rival is None or shown.rival.right:
        return "no wrong answer is tempting any more"
    text = plain(shown.rival)
    return (
        f"the most tempting wrong answer is {text}"
        if text
        else f"the most tempting answer has {shown.rival.words}"
    )


__all__ = ["CaptionFrame", "ToldAnswer", "frame", "plain", "sentence"]
