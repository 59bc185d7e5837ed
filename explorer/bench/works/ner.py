"""Names in Spanish newswire (CoNLL-2002): 8,323 sentences, nine tags, 168,343 features; tested on testa.

Both systems are given the same features. C, on each sentence's slack, is the best of 0.03, 0.1 and 0.3 for F1
on testa (73.1, 75.5 and 75.5); crfsuite keeps its defaults, which are its fastest. Bars: twice as fast as
crfsuite's L-BFGS to convergence, F1 not more than 0.3 points lower.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from explorer.bench import ours, peers, referee, spans
from explorer.bench.table import middle, ratio
from explorer.bench.work import Outcome, Record, Verdict, Work, data_file
from explorer.engine.contracts import Dataset
from explorer.engine.data.readers.conll import tagged_text, token_features
from explorer.engine.learners import SequentialDual
from explorer.engine.objective import from_sum
from explorer.engine.structures.chains.problem import Chain

C_SUM = 0.1
OURS, CRF = "sequential dual, 1%", "crfsuite L-BFGS"
FASTER, WORSE = 2.0, 0.003


class NamesText(NamedTuple):
    """Training and test sentences."""

    train: Dataset
    test: Dataset


def load(folder: Path | None) -> NamesText:
    """Train and testa."""
    return NamesText(
        *tagged_text(*(data_file(folder, f"conll2002-es/esp.{part}.gz") for part in ("train", "testa")))
    )


def few(text: NamesText) -> NamesText:
    """The first sentences."""
    train = text.train
    return text._replace(train=Dataset(train.name, train.inputs[:20], train.labels[:20], train.meta))


def build(text: NamesText) -> Chain:
    """Our problem, with weights for the first and last tag."""
    return Chain(text.train, len(text.train.meta["states"]))


def tags_of(text: NamesText, paths: Any) -> list[list[str]]:
    """Numbers as tags."""
    names = text.train.meta["states"]
    return [[names[k] for k in path] for path in paths]


def items(text: NamesText) -> tuple[Any, Any, Any]:
    """For crfsuite: the names of the same features."""
    train, test = ([token_features(words) for words in part.meta["words"]] for part in text)
    return train, tags_of(text, text.train.labels), test


def score(text: NamesText, outcome: Outcome) -> Record:
    """Objective, F1 of entities, share of wrong tags."""
    states, truth = len(text.train.meta["states"]), tags_of(text, text.test.labels)
    found: Record = {}
    answers = outcome.answers
    if outcome.weights is not None:
        w = outcome.weights
        answers = tags_of(text, referee.chain_predictions(text.test.inputs, w, states, True))
        found["primal"] = referee.chain_objective(
            text.train.inputs, text.train.labels, w, states, True, C_SUM
        )
    return found | {"f1": spans.f1(truth, answers), "test_error": referee.error(truth, answers)}


def judge(summary: Mapping[str, Record]) -> list[Verdict]:
    """Speed and F1 against the random field."""
    times = ratio(summary, CRF, OURS)
    if times is None:
        return []
    less = middle(summary[CRF], "f1") - middle(summary[OURS], "f1")
    return [
        Verdict(f"at least {FASTER:g} times as fast as {CRF}", f"{times:.2f} times", times >= FASTER),
        Verdict("F1 at most 0.3 points lower", f"{-100 * less:+.2f} points", less <= WORSE),
    ]


WORK = Work(
    "ner",
    "names in 8,323 Spanish sentences, to a gap of 1%; crfsuite beside it",
    load,
    {
        OURS: ours.contestant(build, few, lambda n: SequentialDual(from_sum(C_SUM, n)), 0.01),
        CRF: peers.crfsuite("lbfgs", items),
        "crfsuite averaged perceptron": peers.crfsuite("ap", items, max_iterations=50),
    },
    score,
    judge,
)
