"""HMRF-k-means: directions clustered under priced links, with feature weights learned by gradient steps.

    c(x, z) = 1 - x' A z / (|x|_A |z|_A),   A = diag(a),  a > 0,   |x|_A^2 = x' A x
    J = sum_i c(x_i, mu_{l_i}) + price * sum over broken must-links of c(x_i, x_j)
      + price * sum over broken cannot-links of (2 - c(x_i, x_j)) + sum_l ( a_l^2 / (2 s^2) - log a_l )

Basu, Bilenko and Mooney (KDD 2004): the posterior energy of a hidden Markov random field over labels, with
the cosine distortion and a Rayleigh prior on the weights. 2 is the largest value of c. In turns: iterated
conditional modes for the labels, mu_h = sum of x_i / |x_i|_A over its items (the exact minimiser), and one
gradient step in log a, halved until J falls. J never rises. Cost of a turn: m k F, the links, and m F for the
gradient.
"""

from typing import Any, ClassVar, final

import numpy as np

from explorer.baselines.clustering._arrays import clusters, nodes
from explorer.baselines.clustering._links import Links, closure
from explorer.baselines.clustering._lloyd import starts
from explorer.baselines.clustering._outcome import ClusteringOutcome, by_first_appearance
from explorer.engine.knobs import knob, settings
from explorer.engine.refusals import Refused
from explorer.engine.vectors import Array, Ints


@final
@settings
class HMRF:
    """Clusters of directions under priced links, with learned feature weights."""

    title: ClassVar[str] = "HMRF-k-means"
    help: ClassVar[str] = (
        "Clusters directions under links that may be broken at a price, and learns feature weights."
    )
    kind: ClassVar[str] = "links"
    paper: ClassVar[str] = "Basu, Bilenko and Mooney 2004"

    price: float = knob(1.0, "Price of a broken link.", low=0.0, high=1e6, log=True)
    spread: float = knob(
        1.0, "Scale s of the Rayleigh prior on feature weights.", low=1e-3, high=1e3, log=True
    )
    learn: bool = knob(True, "Learn the feature weights; otherwise they stay at the prior's mode.")
    restarts: int = knob(5, "Starts; the lowest objective is kept.", low=1, high=1000)
    turns: int = knob(100, "Most turns per start.", low=1, high=10**5, log=True)

    def cluster(
        self, X: Any, k: int, rng: np.random.Generator, must: Any = (), cannot: Any = ()
    ) -> ClusteringOutcome:
        """Clusters and feature weights; the objective never rises from turn to turn."""
        rows = nodes(X)
        clusters(k, len(rows))
        empty = np.flatnonzero(~rows.any(axis=1))
        if len(empty):
            raise Refused(f"item {empty[0]} is all zeros and has no direction; leave it out")
        links = closure(len(rows), must, cannot)
        runs = [self._run(rows, links, k, rng) for _ in range(self.restarts)]
        return min(runs, key=lambda run: float(run.trace[-1]))

    def _run(self, rows: Array, links: Links, k: int, rng: np.random.Generator) -> ClusteringOutcome:
        a = np.full(rows.shape[1], self.spread)
        unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        centres = starts(unit, links, k, rng)
        labels = np.argmin(cosines(rows, centres, a), axis=1).astype(np.int64)
        trace = [self.objective(rows, links, labels, centres, a)[0]]
        for _ in range(self.turns):
            before = labels
            labels = self._modes(rows, links, labels, centres, a, rng)
            centres = _centres(rows, labels, centres, a)
            a = self._weights(rows, links, labels, centres, a) if self.learn else a
            trace.append(self.objective(rows, links, labels, centres, a)[0])
            if np.array_equal(labels, before) and trace[-2] - trace[-1] <= 1e-6 * max(1.0, abs(trace[-1])):
                break
        return by_first_appearance(labels, centres, trace, np.diag(a), links.broken_pairs(labels))

    def objective(
        self, X: Array, links: Links, labels: Ints, centres: Array, a: Array
    ) -> tuple[float, Array]:
        """J and its gradient with respect to the feature weights a."""
        split = links.must[labels[links.must[:, 0]] != labels[links.must[:, 1]]]
        joined = links.cannot[labels[links.cannot[:, 0]] == labels[links.cannot[:, 1]]]
        near, near_slope = _cosine(X, centres[labels], a)
        must, must_slope = _cosine(X[split[:, 0]], X[split[:, 1]], a)
        cannot, cannot_slope = _cosine(X[joined[:, 0]], X[joined[:, 1]], a)
        value = near + self.price * (must + 2.0 * len(joined) - cannot)
        value += float(np.sum(a**2)) / (2.0 * self.spread**2) - float(np.log(a).sum())
        slope = near_slope + self.price * (must_slope - cannot_slope) + a / self.spread**2 - 1.0 / a
        return value, slope

    def _modes(
        self, X: Array, links: Links, labels: Ints, centres: Array, a: Array, rng: np.random.Generator
    ) -> Ints:
        """One sweep in random order; every item takes its best cluster given all others, or stays."""
        labels, between = labels.copy(), cosines(X, X, a)
        base = cosines(X, centres, a)
        must, cannot = np.zeros_like(between), np.zeros_like(between)
        must[links.must[:, 0], links.must[:, 1]] = 1.0
        cannot[links.cannot[:, 0], links.cannot[:, 1]] = 1.0
        # A friend elsewhere costs c, a foe in the same cluster 2 - c: both as a price of being in a cluster.
        split, joined = (must + must.T) * between, (cannot + cannot.T) * (2.0 - between)
        for i in rng.permutation(len(X)).tolist():
            there = np.bincount(labels, weights=joined[i] - split[i], minlength=len(centres))
            cost = base[i] + self.price * there
            best = int(np.argmin(cost))
            labels[i] = best if cost[best] < cost[labels[i]] else labels[i]
        return labels

    def _weights(self, X: Array, links: Links, labels: Ints, centres: Array, a: Array) -> Array:
        """One gradient step in log a, halved until J falls; a itself when none does."""
        value, slope = self.objective(X, links, labels, centres, a)
        step = 1.0 / max(float(np.abs(slope * a).max()), 1.0)
        for _ in range(40):
            trial = a * np.exp(-step * slope * a)
            if self.objective(X, links, labels, centres, trial)[0] < value:
                return trial
            step *= 0.5
        return a


def cosines(X: Array, Z: Array, a: Array) -> Array:
    """c(x, z) of all rows of X and Z; a centre of length 0 is at distance 1 from everything."""
    left, right = X * np.sqrt(a), Z * np.sqrt(a)
    lengths = np.linalg.norm(left, axis=1)[:, None] * np.linalg.norm(right, axis=1)[None, :]
    return np.asarray(1.0 - (left @ right.T) / np.maximum(lengths, 1e-300))


def _cosine(X: Array, Z: Array, a: Array) -> tuple[float, Array]:
    """The sum of c over matching rows, and its gradient with respect to a."""
    inner, xx, zz = (X * Z) @ a, (X**2) @ a, (Z**2) @ a
    scale = np.maximum(np.sqrt(xx * zz), 1e-300)
    cos = inner / scale
    pull = cos / np.maximum(xx, 1e-300), cos / np.maximum(zz, 1e-300)
    slope = 0.5 * (pull[0] @ X**2 + pull[1] @ Z**2) - (1.0 / scale) @ (X * Z)
    return float(np.sum(1.0 - cos)), np.asarray(slope)


def _centres(X: Array, labels: Ints, centres: Array, a: Array) -> Array:
    """mu_h, the sum of x / |x|_A over its items; an empty cluster keeps its centre."""
    unit = X / np.sqrt((X**2) @ a)[:, None]
    sums = np.zeros_like(centres)
    np.add.at(sums, labels, unit)
    return np.where(sums.any(axis=1, keepdims=True), sums, centres)
