"""Where the time of the fastest learner goes, on 626 words to a gap of 0.1%.

"run": the parts of a whole run, by timing the methods that it calls. "pass": one exact pass over the words in
the state that the run ended in, taken apart by leaving things out - scores alone, scores and cached cuts, and
so on. Milliseconds of processor time, the least of several tries.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from explorer.bench import ours
from explorer.bench.work import Clock, Outcome, Record, Work, without_score
from explorer.bench.works import ocr
from explorer.engine.dual.block_steps import PAIRWISE
from explorer.engine.dual.blocks import DualBlocks, blocks_of
from explorer.engine.learners import SequentialDual
from explorer.engine.learners.sequential_dual import STEPS
from explorer.engine.objective import from_sum
from explorer.engine.structures.chains.kernels.visits import score_rows, worst_of_chains
from explorer.engine.visits import Plan

GOAL, TRIES, NEVER = 0.001, 7, 10**9
PARTS = ("visit", "visit_cached", "slacks", "planes", "snapshot", "order")


def run_parts(words: ocr.LetterWords) -> Outcome:
    """Processor seconds of each method of the run's state; cached passes are taken out of the visits."""
    ours.train_to(ocr.build(ocr.few(words)), SequentialDual(1.0), 0.5)
    spent = dict.fromkeys(PARTS, 0.0)
    kept = {name: getattr(DualBlocks, name) for name in PARTS}
    try:
        for name in PARTS:
            setattr(DualBlocks, name, add_up_seconds(kept[name], name, spent))
        with Clock() as clock:
            problem = ocr.build(words)
            built = clock.now
            ours.train_to(problem, SequentialDual(from_sum(ocr.C_SUM, problem.n)), GOAL)
    finally:
        for name in PARTS:
            setattr(DualBlocks, name, kept[name])
    spent["visit"] -= spent["visit_cached"]
    spent |= {"build": built, "rest": clock.cpu - built - sum(spent.values())}
    return Outcome(clock, facts={name: round(1000.0 * s, 1) for name, s in spent.items()})


def add_up_seconds(method: Callable[..., Any], name: str, spent: dict[str, float]) -> Callable[..., Any]:
    """The same method, its seconds added up."""

    def asked(*args: Any, **named: Any) -> Any:
        began = time.process_time()
        try:
            return method(*args, **named)
        finally:
            spent[name] += time.process_time() - began

    return asked


def pass_parts(words: ocr.LetterWords) -> Outcome:
    """One exact pass taken apart."""
    problem = ocr.build(words)
    C = from_sum(ocr.C_SUM, problem.n)
    step, _ = ours.train_to(problem, SequentialDual(C), GOAL)
    order, corpus, F = np.arange(problem.n), problem.corpus, problem.n_features
    W, unary, out = (
        step.w[: F * ocr.LETTERS].reshape(F, -1).copy(),
        np.empty((len(problem.truth), ocr.LETTERS)),
        np.empty(problem.n),
    )

    def visit(exact: bool, moves: int) -> float:
        def once() -> Callable[[], object]:
            blocks = blocks_of(problem, C, STEPS, step.state)
            return lambda: blocks.visit(order, Plan(exact, blocks.share, PAIRWISE, moves, NEVER))

        return least(once)

    facts = {
        "scores": least(lambda: lambda: score_rows(corpus, 0, len(problem.truth), W, unary)),
        "scores as a matrix product": least(lambda: lambda: problem.rows @ W),
        "scores, forward Viterbi": least(
            lambda: lambda: worst_of_chains(corpus, 0, problem.n, step.w, F, out)
        ),
        "scores, cached cuts": visit(False, 0),
        "scores, cached cuts, steps, update": visit(False, 5),
        "scores, cached cuts, Viterbi, new cuts": visit(True, 0),
        "all": visit(True, 5),
    }
    held = step.state["count"]
    found: Record = {"cuts held per word": float(held.mean()), "most cuts held": int(held.max())}
    with Clock() as clock:
        pass
    return Outcome(clock, facts=found | {name: round(1000.0 * s, 2) for name, s in facts.items()})


def least(make: Callable[[], Callable[[], object]]) -> float:
    """The least processor seconds of several calls, each on what `make` made for it."""
    found = []
    for _ in range(TRIES):
        call = make()
        began = time.process_time()
        call()
        found.append(time.process_time() - began)
    return min(found)


WORK = Work(
    "profile",
    "milliseconds of the sequential dual method on 626 handwritten words, part by part",
    lambda folder: ocr.load(folder, (0,)),
    {"run": run_parts, "pass": pass_parts},
    without_score,
    repeats=1,
)
