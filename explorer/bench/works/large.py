"""A large tagger: 10,000 made-up sentences, 300,000 features, 20 tags, to a proved gap of 1%. Bar: within 2
GB.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from explorer.bench import ours, referee
from explorer.bench.work import Outcome, Record, Verdict, Work
from explorer.engine.contracts import Dataset
from explorer.engine.data.words import sparse_tagging
from explorer.engine.learners import SequentialDual
from explorer.engine.objective import from_sum
from explorer.engine.structures.chains.problem import Chain

SENTENCES, VOCABULARY, TAGS, LENGTH = 10_000, 150_000, 20, (10, 30)
C_SUM = 0.1
OURS, MOST = "sequential dual, 1%", 2048.0


class LargeText(NamedTuple):
    """Training and test sentences."""

    train: Dataset
    test: Dataset


def load(folder: Path | None) -> LargeText:
    """Made up: nothing is read."""
    return LargeText(*sparse_tagging(SENTENCES, 500, VOCABULARY, TAGS, LENGTH))


def few(text: LargeText) -> LargeText:
    """The first sentences."""
    train = text.train
    return text._replace(train=Dataset(train.name, train.inputs[:20], train.labels[:20], train.meta))


def build(text: LargeText) -> Chain:
    """Our problem."""
    return Chain(text.train, TAGS)


def score(text: LargeText, outcome: Outcome) -> Record:
    """Objective and share of wrong tags."""
    w = outcome.weights
    answers = referee.chain_predictions(text.test.inputs, w, TAGS, True)
    primal = referee.chain_objective(text.train.inputs, text.train.labels, w, TAGS, True, C_SUM)
    return {"primal": primal, "test_error": referee.error(text.test.labels, answers)}


def judge(summary: Mapping[str, Record]) -> list[Verdict]:
    """Memory, loading included."""
    found = summary.get(OURS, {}).get("memory")
    if found is None:
        return []
    return [Verdict(f"at most {MOST:.0f} MB", f"{found:.0f} MB", found <= MOST)]


WORK = Work(
    "large",
    "10,000 sentences, 300,000 features, 20 tags, to a gap of 1%, within 2 GB",
    load,
    {OURS: ours.contestant(build, few, lambda n: SequentialDual(from_sum(C_SUM, n)), 0.01)},
    score,
    judge,
    repeats=2,
)
