"""Constrained k-means in a kernel: links are added to the similarity, and k-means runs on what comes out.

    maximise  sum over clusters S(c) / |c|,   S(c) = sum_{i, j in c} Q_ij,   Q = K + price (must - cannot)

Kulis, Basu, Dhillon and Mooney, "Semi-supervised graph clustering" (ICML 2005). must and cannot are 1 on
linked pairs of the closure, once in each triangle. Only K is needed, with its diagonal, no vectors. Q need
not be positive semidefinite: items move one at a time, by the exact gain

    (S(b) + 2 s_i(b) + Q_ii) / (|b| + 1) - S(b) / |b| + (S(a) - 2 s_i(a) - Q_ii) / (|a| - 1) - S(a) / |a|

of moving i from a to b, s_i(c) = sum of Q_ij over j in c other than i, so the objective never falls and a
shift of the diagonal changes nothing. (Batch k-means needs such a shift, and the more links it has to honour
the less it then moves.) Rewards are shared by a cluster's items: a very high price prefers tiny clusters of
linked items, and may break other links for them. No cluster is emptied. Starts put whole must-link groups
into clusters. Cost: m^3 for each start, then m k per sweep and m per move.
"""

from typing import Any, ClassVar, final

import numpy as np

from explorer.baselines.clustering._arrays import clusters, renumber, similarity
from explorer.baselines.clustering._links import Links, closure
from explorer.baselines.clustering._lloyd import starts, to_centres
from explorer.baselines.clustering._outcome import ClusteringOutcome
from explorer.engine.knobs import knob, settings
from explorer.engine.vectors import Array, Ints


@final
@settings
class KernelLinks:
    """Kernel k-means with rewards for must-links and penalties for cannot-links."""

    title: ClassVar[str] = "kernel k-means with links"
    help: ClassVar[str] = "Adds rewards and penalties for links to a similarity, and clusters it by k-means."
    kind: ClassVar[str] = "links"
    paper: ClassVar[str] = "Kulis, Basu, Dhillon and Mooney 2005"

    price: float = knob(
        1.0, "Reward of a kept must-link, penalty of a broken cannot-link.", low=0.0, high=1e9, log=True
    )
    restarts: int = knob(10, "Starts; the largest objective is kept.", low=1, high=1000)
    sweeps: int = knob(300, "Most sweeps per start.", low=1, high=10**5, log=True)

    def cluster(
        self, K: Any, k: int, rng: np.random.Generator, must: Any = (), cannot: Any = ()
    ) -> ClusteringOutcome:
        """k clusters of a similarity; the trace is the objective, which never falls. There are no centres."""
        values = similarity(K)
        clusters(k, len(values))
        links = closure(len(values), must, cannot)
        Q = self.reward(values, links)
        runs = [self._climb(Q, _start(values, links, k, rng), k) for _ in range(self.restarts)]
        labels, trace = max(runs, key=lambda run: run[1][-1])
        return ClusteringOutcome(
            renumber(labels), np.zeros((k, 0)), np.array(trace), broken=links.broken_pairs(labels)
        )

    def reward(self, K: Array, links: Links) -> Array:
        """Q."""
        Q = K.copy()
        for pairs, sign in ((links.must, 1.0), (links.cannot, -1.0)):
            Q[pairs[:, 0], pairs[:, 1]] += sign * self.price
            Q[pairs[:, 1], pairs[:, 0]] += sign * self.price
        return Q

    def _climb(self, Q: Array, labels: Ints, k: int) -> tuple[Ints, list[float]]:
        """Sweeps of single moves until none gains; ties stay."""
        member = np.eye(k)[labels]
        near = Q @ member
        sums, sizes = np.sum(member * near, axis=0), member.sum(axis=0)
        trace = [float(np.sum(sums / sizes))]
        for _ in range(self.sweeps):
            moved = False
            for i in range(len(Q)):
                a, b = int(labels[i]), _best_move(near[i], sums, sizes, Q[i, i], int(labels[i]))
                if a != b:
                    sums[a] += Q[i, i] - 2.0 * near[i, a]
                    sums[b] += Q[i, i] + 2.0 * near[i, b]
                    sizes[a], sizes[b] = sizes[a] - 1.0, sizes[b] + 1.0
                    near[:, a] -= Q[:, i]
                    near[:, b] += Q[:, i]
                    labels[i], moved = b, True
            trace.append(float(np.sum(sums / sizes)))
            if not moved:
                break
        return labels, trace


def _best_move(near: Array, sums: Array, sizes: Array, own: float, a: int) -> int:
    """The cluster that gains most for an item of a; a itself if none gains or a would be empty."""
    if sizes[a] == 1.0:
        return a
    gains = (sums + 2.0 * near + own) / (sizes + 1.0) - sums / sizes
    # near[a] counts the item itself.
    gains += (sums[a] - 2.0 * near[a] + own) / (sizes[a] - 1.0) - sums[a] / sizes[a]
    gains[a] = 1e-12 * (1.0 + float(np.abs(sums / sizes).sum()))
    return int(np.argmax(gains))


def _start(K: Array, links: Links, k: int, rng: np.random.Generator) -> Ints:
    """Groups at the nearest of k far-apart group means, in a space whose inner products are K shifted; none
    empty.
    """
    values, vectors = np.linalg.eigh(K)
    points = vectors * np.sqrt(values - min(float(values[0]), 0.0))
    costs = np.zeros((int(links.group.max()) + 1, k))
    np.add.at(costs, links.group, to_centres(points, starts(points, links, k, rng)))
    labels = np.argmin(costs, axis=1)[links.group].astype(np.int64)
    for c in range(k):
        if not np.any(labels == c):
            large = np.flatnonzero(np.bincount(labels, minlength=k)[labels] > 1)
            labels[large[-1]] = c
    return labels
