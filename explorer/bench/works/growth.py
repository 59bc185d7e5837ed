"""How the time to a proved gap of 1% grows with words (1 to 10 times 626), and on made-up chains with length,
states, features.

Each axis runs in one process, smallest size first; figures are processor seconds and the slope of their
logarithm against that of the size. C on each example's slack stays the same, so C on the mean grows with n.
Bar: with n, a slope of at most 1.15.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from explorer.bench import ours
from explorer.bench.work import Clock, Missing, Outcome, Record, Verdict, Work, without_score
from explorer.bench.works import ocr
from explorer.engine.contracts import Dataset
from explorer.engine.learners import SequentialDual
from explorer.engine.objective import from_sum
from explorer.engine.structures.chains.problem import Chain

STEEPEST = 1.15
GOAL, C_SUM = 0.01, 0.1
USUAL = {"n": 200, "length": 20, "states": 10, "features": 50}
APART = 1.0
"""How far the states' mean rows lie apart, in units of the noise."""


def made_up(n: int, length: int, states: int, features: int) -> Chain:
    """Chains of a random Markov model with noisy rows of squared length about 1."""
    rng = np.random.default_rng(0)
    moves, means = (
        rng.dirichlet(np.full(states, 0.3), size=states),
        APART * rng.normal(size=(states, features)),
    )
    labels, inputs = np.zeros((n, length), np.int64), rng.normal(size=(n, length, features))
    labels[:, 0] = rng.integers(0, states, n)
    for t in range(1, length):
        drawn = rng.uniform(size=(n, 1)) > np.cumsum(moves[labels[:, t - 1]], axis=1)
        labels[:, t] = np.minimum(drawn.sum(axis=1), states - 1)
    # Noise grows with the number of features so that more of them do not make the task easier.
    inputs = (means[labels] + 0.5 * math.sqrt(features) * inputs) / features
    return Chain(Dataset("made up", list(inputs), list(labels)), states)


def words(data: ocr.LetterWords | None, size: int) -> Chain:
    """The first `size` words of all folds."""
    if data is None:
        raise Missing("set EXPLORER_DATA to the folder that holds letters.npz")
    inputs, labels = data.inputs + data.test_inputs, data.labels + data.test_labels
    return ocr.build(ocr.LetterWords(inputs[:size], labels[:size], [], []))


def slope(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """The exponent p of the best fit seconds = c * size^p."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def axis(build: Callable[[Any, int], Chain], sizes: Sequence[int]) -> Callable[[Any], Outcome]:
    """Train at every size."""

    def run(data: Any) -> Outcome:
        ours.train_to(build(data, sizes[0]), SequentialDual(1.0), 0.5)
        seconds, passes = [], []
        with Clock() as whole:
            for size in sizes:
                problem = build(data, size)
                with Clock() as clock:
                    step, _ = ours.train_to(problem, SequentialDual(from_sum(C_SUM, problem.n)), GOAL)
                seconds.append(clock.cpu)
                passes.append(step.oracle_calls / problem.n)
        facts = {"sizes": list(sizes), "seconds": [round(s, 3) for s in seconds], "passes": passes}
        return Outcome(whole, facts=facts | {"slope": slope(sizes, seconds)})

    return run


def along(name: str) -> Callable[[Any, int], Chain]:
    """Made-up chains that differ in one thing alone."""
    return lambda data, size: made_up(**USUAL | {name: size})


def load(folder: Path | None) -> ocr.LetterWords | None:
    """The words, where they are."""
    try:
        return ocr.load(folder, (0,))
    except Missing:
        return None


def judge(summary: Mapping[str, Record]) -> list[Verdict]:
    """The slope against n."""
    found = summary.get("words", {}).get("facts", {}).get("slope")
    if found is None:
        return []
    return [Verdict(f"with n, a slope of at most {STEEPEST}", f"{found:.2f}", found <= STEEPEST)]


WORK = Work(
    "growth",
    "processor seconds to a gap of 1% against size",
    load,
    {
        "words": axis(words, (626, 1252, 2504, 4382, 6260)),
        "length": axis(along("length"), (10, 20, 40, 80, 160)),
        "states": axis(along("states"), (5, 10, 20, 40)),
        "features": axis(along("features"), (25, 50, 100, 200, 400)),
    },
    without_score,
    judge,
    repeats=2,
)
