"""What a contrast method hands back: a learned metric, or a clustering with the way it took.

    d(x, z)^2 = (x - z)' A (x - z),    transform(x) = L' x with A = L L',
        so d is Euclidean after the transform

Cost of a transform: one eigendecomposition of A, F^3.
"""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from explorer.baselines.clustering._arrays import index_pairs, nodes, renumber
from explorer.engine.refusals import Refused
from explorer.engine.vectors import Array, Ints


def _none() -> Array:
    return np.zeros(0)


@dataclass(frozen=True, slots=True, eq=False)
class Metric:
    """A positive semidefinite A, the objective after every iteration, and lower bounds on its optimum where
    known.
    """

    A: Array
    trace: Array
    lower: Array = field(default_factory=_none)
    W: Array = field(default_factory=_none)

    @property
    def gap(self) -> float:
        """Last objective minus the best lower bound: a certificate; infinite when the method knows no
        bound.
        """
        return float(self.trace[-1] - self.lower.max()) if len(self.lower) else float("inf")

    def factor(self) -> Array:
        """L with A = L L'."""
        values, vectors = np.linalg.eigh(self.A)
        return vectors * np.sqrt(np.maximum(values, 0.0))

    def transform(self, X: Any) -> Array:
        """Items in coordinates where the metric is Euclidean."""
        return np.asarray(nodes(X) @ self.factor())

    def distance(self, x: Any, z: Any) -> float:
        """d(x, z), not squared."""
        gap = np.asarray(x, dtype=np.float64) - np.asarray(z, dtype=np.float64)
        return math.sqrt(max(float(gap @ self.A @ gap), 0.0))


@dataclass(frozen=True, slots=True, eq=False)
class ClusteringOutcome:
    """A partition, the objective after every iteration, and a centre per cluster number; empty clusters come
    last.
    """

    partition: Ints
    centres: Array
    trace: Array
    metric: Array = field(default_factory=_none)
    broken: int = 0


def by_first_appearance(
    labels: Ints, centres: Array, trace: list[float], metric: Array | None = None, broken: int = 0
) -> ClusteringOutcome:
    """A method's own numbers turned into numbers by first appearance: of items, centres and, if one each,
    metrics.
    """
    seen, first = np.unique(labels, return_index=True)
    unseen = np.setdiff1d(np.arange(len(centres)), seen)
    order = np.concatenate([seen[np.argsort(first)], unseen]).astype(np.int64)
    metrics = _none() if metric is None else metric[order] if metric.ndim == 3 else metric
    return ClusteringOutcome(renumber(labels), centres[order], np.array(trace), metrics, broken)


def positive_part(A: Array) -> Array:
    """The nearest positive semidefinite matrix: negative eigenvalues become 0."""
    values, vectors = np.linalg.eigh((A + A.T) / 2.0)
    kept = (vectors * np.maximum(values, 0.0)) @ vectors.T
    return (kept + kept.T) / 2.0


def squared_distances(X: Array, A: Array) -> Array:
    """(x_i - x_j)' A (x_i - x_j) of all pairs of items, never negative."""
    G = X @ A @ X.T
    own = np.diag(G)
    return np.asarray(np.maximum(own[:, None] + own[None, :] - 2.0 * G, 0.0))


def differences(X: Array, pairs: Any, what: str) -> Array:
    """x_i - x_j of every pair, at least one; or Refused."""
    rows = index_pairs(pairs, len(X), what)
    if len(rows) == 0:
        raise Refused(f"there are no {what}; give at least one")
    return np.asarray(X[rows[:, 0]] - X[rows[:, 1]])


def check_disjoint(similar: Any, dissimilar: Any, m: int) -> None:
    """Refuse a pair that is called both similar and dissimilar."""
    a, b = index_pairs(similar, m, "similar pairs"), index_pairs(dissimilar, m, "dissimilar pairs")
    both = sorted(set(map(tuple, a.tolist())) & set(map(tuple, b.tolist())))
    if both:
        raise Refused(f"the pair {both[0]} is called both similar and dissimilar; drop one of the two")
