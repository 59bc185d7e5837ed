"""Several clusterers on one similarity; see `labs/compare.py`. Two questions are asked of the same K:

    correlation   any number of clusters, value = sum of K over pairs that are together (or H, with the loss)
    k-means       k clusters, value = trace(Y' K Y) (or H)

Their values cannot be compared with each other. Clusterers that never answer one of the two are not listed
under it; those that refuse this K or this loss are, with their reason. Cost: that of the clusterers.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from explorer.engine.pricing import Pricing, Scaling
from explorer.engine.structures.clusterings.losses import CLUSTER_LOSSES
from explorer.engine.structures.clusterings.oracles import CLUSTER_ORACLES
from explorer.engine.structures.clusterings.partitions import canonical, is_relaxed, pair_matrix
from explorer.engine.structures.clusterings.question import Answer, ClusterOracle, Question
from explorer.engine.vectors import Array, Ints
from explorer.labs.clusterings.instance import ClusterCase
from explorer.labs.compare import OracleComparison, Reply, ask, compare
from explorer.labs.film import SURE

CORRELATION, MEANS = "correlation", "k-means"
FAMILIES = {CORRELATION: "Correlation clustering", MEANS: "k-means"}

ROUNDING = 2e-7
"""Relative difference of two values that counts as none: linear programs are solved to this."""


def question_of(case: ClusterCase, family: str) -> Question:
    """What is asked of a case."""
    choice = case.choice
    groups = choice.groups if family == MEANS else None
    if choice.asks == "predict":
        return Question(case.K, groups)
    loss = next(kind for kind in CLUSTER_LOSSES if kind.title == choice.loss)
    return Question(case.K, groups, case.truth, loss(), Pricing(cast("Scaling", choice.scaling)))


def clusterers(family: str) -> list[type[ClusterOracle]]:
    """Those that answer this kind of question at all."""
    small = Question(np.array([[0.0, 1.0], [1.0, 0.0]]), 1 if family == MEANS else None)
    return [kind for kind in CLUSTER_ORACLES if not kind().refuses(small)]


def reply_of(oracle: Any, question: Question, patient: bool = False) -> Reply:
    """What a clusterer says; a proof that was cut short makes an exact one "under"."""
    found = ask(oracle, question, read_answer, oracle.kind, patient)
    if found.kind == "exact" and found.bound > found.value + slack_of(question, found.value):
        return replace(found, kind="under", short=found.bound - found.value)
    return found


def read_answer(question: Question, answer: Answer) -> dict[str, Any]:
    """The parts of a reply."""
    labels, shares = labels_and_shares(answer.label, question)
    parts = {"labels": labels, "shares": shares, "value": question.value(answer.label), "bound": answer.bound}
    if labels is not None:
        parts["score"] = question.value(labels)
    return parts | ({"loss": question.loss(answer.label)} if question.asks_loss else {})


def labels_and_shares(label: Any, question: Question) -> tuple[Ints | None, Array | None]:
    """Hard labels, if the answer is a clustering, and the (m, m) shares of a relaxed one."""
    if not is_relaxed(label):
        return canonical(label), None
    if question.groups is None:
        shares = pair_matrix(np.asarray(label), question.m, diagonal=1.0)
        return whole_clustering(shares), shares
    Y = np.asarray(label).reshape(question.m, -1)
    return None, Y @ Y.T


def whole_clustering(shares: Array) -> Ints | None:
    """The clustering that shares of pairs are, if none is fractional."""
    e = np.round(shares)
    return canonical(np.argmax(e > 0.5, axis=1)) if np.abs(shares - e).max() <= SURE else None


def slack_of(question: Question, value: float) -> float:
    """What counts as no difference beside the largest entry that is clustered, or beside the value."""
    _, K = question.fold() or (0.0, question.K)
    return ROUNDING * max(1.0, float(np.abs(K).max(initial=0.0)), abs(value))


def compare_clusterings(question: Question, replies: Sequence[Reply]) -> OracleComparison[Question]:
    """The replies to one question against each other."""
    what = "H" if question.asks_loss else "score"
    return compare(question, replies, lambda top: slack_of(question, top), what=what)
