"""Warm starts: 626 words trained to a proved gap of 0.1%, then C moved by 1.1 and by 2; warm against cold, to
the same gap.

Cold is a new run at the new C; warm goes on from the keyframe, with its cuts and masses. The last contestant
recombines the labellings seen so far instead, which spares calls of the oracle. Bars, in processor seconds:
never slower than cold, a third of it after a move by 1.1, half of it after one by 2.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from explorer.bench import ours
from explorer.bench.work import Clock, Outcome, Record, Verdict, Work, without_score
from explorer.bench.works import ocr
from explorer.engine.learners import SequentialDual
from explorer.engine.objective import from_sum

GOAL = 0.001
MOVES = {"x2": 2.0, "x0.5": 0.5, "x1.1": 1.1, "x0.91": 1 / 1.1}
BARS = {"x2": 1 / 2, "x0.5": 1 / 2, "x1.1": 1 / 3, "x0.91": 1 / 3}
DEFAULT = "default"


def train_and_move(**settings: Any) -> Callable[[ocr.LetterWords], Outcome]:
    """Train with these settings, then at both other C, warm and cold."""

    def run(words: ocr.LetterWords) -> Outcome:
        problem = ocr.build(words)
        learner = SequentialDual(from_sum(ocr.C_SUM, problem.n), **settings)
        facts: Record = {}
        with Clock() as whole:
            first, _ = ours.train_to(problem, learner, GOAL)
            for name, factor in MOVES.items():
                other = replace(learner, C=factor * learner.C)
                for kind, state in (("cold", None), ("warm", first.state)):
                    before = first.oracle_calls if state else 0
                    with Clock() as clock:
                        step, _ = ours.train_to(problem, other, GOAL, state=state)
                    facts[f"{name}_{kind}_calls"] = step.oracle_calls - before
                    facts[f"{name}_{kind}_cpu"] = clock.cpu
                facts[f"{name}_share"] = facts[f"{name}_warm_cpu"] / facts[f"{name}_cold_cpu"]
        return Outcome(whole, facts=facts)

    return run


def judge(summary: Mapping[str, Record]) -> list[Verdict]:
    """Warm against cold after every move."""
    facts = summary.get(DEFAULT, {"facts": {}})["facts"]
    found = {way: facts[f"{way}_share"] for way in MOVES if facts.get(f"{way}_share") is not None}
    if not found:
        return []
    worst = max(found.values())
    return [
        *(
            Verdict(
                f"C {way}: at most {BARS[way]:.2f} of a cold run's time", f"{share:.2f}", share <= BARS[way]
            )
            for way, share in found.items()
        ),
        Verdict("never slower than cold", f"at most {worst:.2f} of its time", worst <= 1.0),
    ]


WORK = Work(
    "warm",
    "oracle calls and seconds after C moved by 1.1 and 2, warm against cold, 626 handwritten words",
    lambda folder: ocr.load(folder, (0,)),
    {
        DEFAULT: train_and_move(),
        "labellings recombined": train_and_move(seen_passes=50),
    },
    without_score,
    judge,
    repeats=3,
)
