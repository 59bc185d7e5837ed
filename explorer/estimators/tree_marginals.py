"""How likely every edge of a dependency tree is, when a tree's weight is the product of its edges' weights.

    A_hd = exp(score of h -> d),     L_dd = sum_h A_hd,   L_hd = -A_hd,     Z = sum over trees = det L
    P(0 -> d) = A_0d (L^-1)_dd,      P(h -> d) = A_hd [ (L^-1)_dd - (L^-1)_dh ]

The matrix-tree theorem of Tutte; Koo, Globerson, Carreras and Collins 2007, with any number of words at the
root. A word has one head, so its column may be scaled, and is, to be at most 1. Cost: O(m^3).
"""

import numpy as np

from explorer.engine.vectors import Array


def edge_marginals(scores: Array) -> Array:
    """Probabilities of all edges from their scores: row h, column d - 1 is the edge from h to d."""
    m = scores.shape[1]
    weights = np.exp(scores - scores.max(axis=0))
    words = np.arange(m)
    weights[words + 1, words] = 0.0  # no word is its own head
    laplacian = -weights[1:]
    laplacian[words, words] = weights.sum(axis=0)
    inverse = np.linalg.inv(laplacian)
    found = weights * np.diag(inverse)
    found[1:] -= weights[1:] * inverse.T
    return np.asarray(found)


__all__ = ["edge_marginals"]
