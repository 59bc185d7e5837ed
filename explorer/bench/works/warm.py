"""Warm starts: 626 words trained to a proved gap of 0.1%, then C doubled and halved; warm against cold, to
the same gap.

Cold is a new run at the new C; warm goes on from the keyframe, by recombining the labellings seen so far (not
in the last contestant, which re-uses the cuts alone). Bar: ten times fewer oracle calls.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from explorer.bench import ours
from explorer.bench.work import Clock, Outcome, Record, Verdict, Work, without_score
from explorer.bench.works import ocr
from explorer.engine.learners import SequentialDual
from explorer.engine.objective import from_sum

GOAL, FEWER = 0.001, 10.0
MOVES = {"up": 2.0, "down": 0.5}
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
                facts[f"{name}_fewer"] = facts[f"{name}_cold_calls"] / facts[f"{name}_warm_calls"]
        return Outcome(whole, facts=facts)

    return run


def judge(summary: Mapping[str, Record]) -> list[Verdict]:
    """Fewer calls in both directions."""
    row = summary.get(DEFAULT, {"facts": {}})
    found = {way: row["facts"].get(f"{way}_fewer") for way in MOVES}
    return [
        Verdict(f"C {way} by two: {FEWER:g} times fewer oracle calls", f"{fewer:.1f} times", fewer >= FEWER)
        for way, fewer in found.items()
        if fewer is not None
    ]


WORK = Work(
    "warm",
    "oracle calls and seconds after C moved by 2, warm against cold, 626 handwritten words",
    lambda folder: ocr.load(folder, (0,)),
    {
        DEFAULT: train_and_move(),
        "cuts alone": train_and_move(seen_passes=0, cached_passes=50, keep=1000),
    },
    without_score,
    judge,
    repeats=3,
)
