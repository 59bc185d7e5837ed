"""What the k-means family shares: distances to centres, means, starts from must-link groups, and Lloyd's
alternation.

    assign   l_i = argmin_h |x_i - mu_h|^2,  ties to the smaller h
    means    mu_h = mean of the items with l_i = h;  an empty cluster keeps its centre

Neither half raises sum_i |x_i - mu_{l_i}|^2. Cost of a sweep: m k F.
"""

import numpy as np

from explorer.baselines.clustering._links import Links
from explorer.engine.vectors import Array, Ints


def to_centres(X: Array, centres: Array) -> Array:
    """(m, k): squared distances of all items to all centres."""
    return np.asarray(((X[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2))


def means(X: Array, labels: Ints, centres: Array) -> Array:
    """The mean of every cluster; an empty one keeps the centre it had."""
    counts = np.bincount(labels, minlength=len(centres))
    sums = np.zeros_like(centres)
    np.add.at(sums, labels, X)
    return np.where(counts[:, None] > 0, sums / np.maximum(counts, 1)[:, None], centres)


def lloyd(X: Array, centres: Array, held: Ints, sweeps: int) -> tuple[Ints, Array, list[float]]:
    """Alternate until no item moves; items with held[i] >= 0 stay in that cluster."""
    labels = np.full(len(X), -1, dtype=np.int64)
    trace: list[float] = []
    for _ in range(sweeps):
        nearest = np.where(held >= 0, held, np.argmin(to_centres(X, centres), axis=1))
        if np.array_equal(nearest, labels):
            break
        labels = nearest.astype(np.int64)
        centres = means(X, labels, centres)
        trace.append(float(((X - centres[labels]) ** 2).sum()))
    return labels, centres, trace


def starts(X: Array, links: Links, k: int, rng: np.random.Generator) -> Array:
    """k centres, means of must-link groups: the largest group first, then the far and large ones."""
    sizes = np.bincount(links.group).astype(np.float64)
    centroids = means(X, links.group, np.zeros((len(sizes), X.shape[1])))
    largest = np.flatnonzero(sizes == sizes.max())
    chosen = [int(rng.choice(largest))]
    while len(chosen) < min(k, len(sizes)):
        reach = to_centres(centroids, centroids[chosen]).min(axis=1) * sizes
        reach[chosen] = -1.0
        chosen.append(int(np.argmax(reach)))
    if len(chosen) == k:
        return centroids[chosen]
    # Fewer groups than clusters: single items fill up.
    return np.concatenate([centroids[chosen], X[rng.choice(len(X), k - len(chosen), replace=False)]])
