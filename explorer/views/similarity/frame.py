"""The learned similarity of one example's items as plain arrays, with the clusterings that are made of it.

    K_ij = <w, psi_ij>, scaled as the clusterer sees it;
        pair (i, j): its parts are w_f psi_ijf on the same scale

K is shown in the order of the predicted, the true or the most tempting clustering; a relaxed clustering shows
its shares of pairs (or Y Y') instead. Pairs of positive similarity that are split, and of negative similarity
that are joined, are what a correlation clusterer has to pay. Cost: K, one call of the predictor, one of the
training oracle where its clustering is asked for (all remembered by who asks), and a few looks at each pair.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.engine.refusals import Refused
from explorer.engine.runs.trace import Trace
from explorer.engine.structures.clusterings.item_sets import ItemSet
from explorer.engine.structures.clusterings.problem import Clustering
from explorer.engine.structures.clusterings.single_link import SingleLink
from explorer.engine.vectors import Array, Ints, dot
from explorer.views.kit.drawing.thinning import dense
from explorer.views.kit.memory import Memory
from explorer.views.kit.words.label_words import partition
from explorer.views.similarity.order import Clustered, Order, order_of, read_clustering

AnyClustering = Clustering | SingleLink

ORDERS = ("predicted", "truth", "most tempting")
"""The clusterings that the matrix can be ordered by."""

REMEMBERED = 200_000_000
"""Bytes of similarities that a view remembers."""


@dataclass(frozen=True, slots=True, eq=False)
class PredictedClustering:
    """K and the clusterer's answer at one w, with the loss of the answer."""

    K: Array
    guess: Clustered
    loss: float


@dataclass(frozen=True, slots=True, eq=False)
class ViolatedClustering:
    """What the training oracle finds at one w."""

    found: Clustered
    loss: float
    violation: float


@dataclass(frozen=True, slots=True, eq=False)
class SimilarityFrame:
    """One example: its similarity, its clusterings, and the order in which they are shown."""

    step: int | None
    name: str
    example: int
    examples: int
    problem: AnyClustering
    items: ItemSet
    w: Array
    K: Array
    truth: Ints
    guess: Clustered
    loss: float
    rival: ViolatedClustering | None
    by: str
    shown: Clustered
    order: Order
    split: int
    joined: int

    def __len__(self) -> int:
        return len(self.truth)

    @property
    def matrix(self) -> Array:
        """What is drawn: the similarity, or the shares of a relaxed clustering."""
        return self.K if self.shown.shares is None else self.shown.shares

    @property
    def true_count(self) -> int:
        """How many clusters are true."""
        return int(self.truth.max()) + 1


def frame(
    problem: AnyClustering,
    trace: Trace,
    at: int,
    example: int = 0,
    name: str = "Example",
    *,
    by: str = ORDERS[0],
    phase: int = 0,
    memory: Memory | None = None,
) -> SimilarityFrame:
    """The similarity of an example at step `at`, or at w = 0; while a step looks for cuts, what it finds."""
    i = min(max(0, example), problem.n - 1)
    moment = trace.at(min(at, len(trace) - 1)) if len(trace) else None
    w, w_at = (np.zeros(problem.dim), -1) if moment is None else (moment.w, moment.w_at)
    known = Memory(1) if memory is None else memory.of(problem, trace)
    solved = known.get((w_at, i), lambda: predict_clusters(problem, w, i))
    by = ORDERS[2] if phase and by == ORDERS[0] else by
    rival = known.get((w_at, i, "rival"), lambda: most_violated(problem, w, i)) if by == ORDERS[2] else None
    truth = partition(problem.dataset.labels[i])
    shown = rival.found if rival else Clustered(truth) if by == ORDERS[1] else solved.guess
    split, joined = count_disagreeing(solved.K, shown.labels)
    return SimilarityFrame(
        step=None if moment is None else moment.at,
        name=name,
        example=i,
        examples=problem.n,
        problem=problem,
        items=problem.dataset.inputs[i],
        w=w,
        K=solved.K,
        truth=truth,
        guess=solved.guess,
        loss=solved.loss,
        rival=rival,
        by=by,
        shown=shown,
        order=order_of(shown.labels, truth),
        split=split,
        joined=joined,
    )


def nbytes(made: Any) -> int:
    """What a remembered answer weighs."""
    parts = (made.K, made.guess.shares) if isinstance(made, PredictedClustering) else (made.found.shares,)
    return sum(0 if part is None else part.nbytes for part in parts)


def predict_clusters(problem: AnyClustering, w: Array, i: int) -> PredictedClustering:
    """One call of the predictor."""
    x = problem.dataset.inputs[i]
    with _named("predictor", problem):
        label = problem.predict(w, x)
    return PredictedClustering(
        problem.similarity(w, x), read_clustering(label, x.m, problem.model), _loss(problem, i, label)
    )


def most_violated(problem: AnyClustering, w: Array, i: int) -> ViolatedClustering:
    """One call of the training oracle."""
    with _named("separator", problem):
        cut = problem.oracle(w, i)
    worth = problem.pricing.violation(dot(w, cut.psi), cut.loss)
    return ViolatedClustering(
        read_clustering(cut.label, problem.dataset.inputs[i].m, problem.model), cut.loss, float(worth)
    )


def _loss(problem: AnyClustering, i: int, label: Any) -> float:
    """The loss; NaN where it has none for relaxed clusterings."""
    try:
        return float(problem.loss(i, label))
    except TypeError:
        return float("nan")


@contextmanager
def _named(role: str, problem: AnyClustering) -> Iterator[None]:
    """A refusal says whose it is."""
    try:
        yield
    except Refused as reason:
        what, who = (
            ("predictor", problem.predictor_title)
            if role == "predictor"
            else ("training oracle", problem.separator.title)
        )
        raise Refused(f"The {what}, {who}, refuses this example: {reason}.") from reason


def count_disagreeing(K: Array, labels: Ints) -> tuple[int, int]:
    """How many pairs of positive similarity are split, and how many of negative similarity are joined."""
    same = labels[:, None] == labels[None, :]
    split, joined = np.count_nonzero((K > 0.0) & ~same), np.count_nonzero((K < 0.0) & same)
    return int(split) // 2, int(joined - np.count_nonzero(np.diag(K) < 0.0)) // 2


# beside the matrix ------------------------------------------------------------------------------------------


def with_loss(shown: SimilarityFrame) -> tuple[Array, Array] | None:
    """The matrix that the training oracle sees, K + M, and M; None where the loss does not fold into it."""
    problem = shown.problem
    if problem.model == "single link":
        return None
    found = problem.question(shown.w, shown.example).fold()
    return None if found is None else (found[1], found[1] - shown.K)


def earlier(shown: SimilarityFrame, trace: Trace) -> tuple[int, Array] | None:
    """The first kept step that had any weights, and its similarity; None before there is one."""
    for step in sorted(trace.weights.kept):
        w = trace.weights.kept[step]
        if np.any(w):
            return step, shown.problem.similarity(w, shown.items)
    return None


def agreement(shown: SimilarityFrame) -> Ints:
    """How many items each true cluster (rows) shares with each shown one (columns, as in the matrix)."""
    out = np.zeros((shown.true_count, shown.shown.count), dtype=np.int64)
    np.add.at(out, (shown.truth, shown.order.rank[shown.shown.labels]), 1)
    return out


# one pair, one item -----------------------------------------------------------------------------------------


def pair_row(m: int, i: int, j: int) -> int:
    """The row of pair (i, j) among all pairs."""
    a, b = min(i, j), max(i, j)
    return a * m - a * (a + 1) // 2 + b - a - 1


def psi(items: ItemSet, i: int, j: int) -> Array:
    """The features of one pair."""
    own, _, given = items.widths
    parts = []
    product = np.zeros(0)
    if own:
        first, second = dense(items.nodes[[i, j]])
        product = first * second
        parts.append(product)
    for relation in items.relations:
        holds = np.any((relation[:, 0] == min(i, j)) & (relation[:, 1] == max(i, j)))
        parts.append(np.append(product, 1.0) * float(holds))
    if given:
        parts.append(np.ravel(dense(items.pairs[[pair_row(items.m, i, j)]])))
    return np.concatenate(parts)


def contributions(shown: SimilarityFrame, i: int, j: int, count: int = 3) -> list[tuple[int, float]]:
    """The features that say most about a pair, and what each adds to its similarity."""
    if i == j:
        return []
    parts = shown.w * psi(shown.items, i, j)
    whole = float(parts.sum())
    scale = shown.K[i, j] / whole if abs(whole) > 1e-12 * (1.0 + np.abs(parts).sum()) else 1.0
    largest = np.argsort(-np.abs(parts), kind="stable")[:count]
    return [(int(f), float(scale * parts[f])) for f in largest if parts[f]]


def neighbours(shown: SimilarityFrame, item: int) -> Ints:
    """The other items, the most similar first."""
    order = np.argsort(-shown.K[item], kind="stable")
    return order[order != item]


def means(shown: SimilarityFrame) -> tuple[Array, ...]:
    """Every item's mean similarity to its own cluster and to all other items; NaN where there are none."""
    labels, K = shown.shown.labels, shown.K - np.diag(np.diag(shown.K))
    member = np.zeros((len(shown), shown.shown.count))
    member[np.arange(len(shown)), labels] = 1.0
    inside, size = np.sum((K @ member) * member, axis=1), member.sum(axis=0)[labels]
    outside = K.sum(axis=1) - inside
    return tuple(
        np.where(count > 0.0, part / np.maximum(count, 1.0), np.nan)
        for part, count in ((inside, size - 1.0), (outside, len(shown) - size))
    )
