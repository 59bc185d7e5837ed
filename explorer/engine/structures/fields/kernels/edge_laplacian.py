"""One edge's part of the interior-point equations: the Laplacian of a bipartite graph, inverted without
cancellation.

    L = [[ diag(D 1), -D ], [ -D', diag(D' 1) ]],
        D[s, t] > 0 the conductance between state s of one end and t of the other

L is singular along the vector of ones; one vertex, the `ground`, a state of the second end, is held at 0.
Near an optimum the conductances differ by twenty orders of magnitude, and vertices fall into groups that are
hardly joined. So every number here is a sum of terms of one sign: the diagonal is never stored, but added up
from the off-diagonal (Grassmann, Taksar and Heyman 1985), and currents between two vertices are handed on as
such. Cost: K^3.
"""

from typing import NamedTuple

import numpy as np

from explorer.engine.compiled import compiled
from explorer.engine.vectors import Array


class Eliminated(NamedTuple):
    """All edges' Laplacians, eliminated: state s of edge e's first end hands share[e, s, t] of what enters it
    to t.

    State t of the second end hands lower[e, i, t] to i, which is later or the ground. `pivot` (e, K) and the
    diagonals of `lower` are the conductances that they were divided by. `work` (4, K, K) is scratch memory.
    """

    pivot: Array
    share: Array
    lower: Array
    work: Array


@compiled
def elimination_memory(size: int, K: int) -> Eliminated:
    """Memory for this many edges."""
    share = np.empty((size, K, K))
    return Eliminated(np.empty((size, K)), share, np.empty((size, K, K)), np.empty((4, K, K)))


# Functions here take whole arrays and the number of the edge: a view of one edge's rows costs more than the
# work on them.


@compiled
def eliminate(edges: Eliminated, e: int, ground: int, x: Array, z: Array, at: int) -> None:
    """Eliminate edge e, whose conductances x / z begin at entry `at` of the flat vectors x and z."""
    pivot, share, lower, weight = edges.pivot, edges.share, edges.lower, edges.work
    K = pivot.shape[1]
    # weight[0] will be the conductances among the second end's states.
    for t in range(K):
        for i in range(K):
            weight[0, t, i] = 0.0
            lower[e, t, i] = 0.0
    # Eliminate the first end: a state with conductances d_t hands d_t / sum d of what enters it
    # to t, and leaves d_t d_i / sum d between t and i.
    for s in range(K):
        total = 0.0
        for t in range(K):
            share[e, s, t] = x[at + s * K + t] / z[at + s * K + t]
            total += share[e, s, t]
        for t in range(K):
            for i in range(K):
                weight[0, t, i] += share[e, s, t] * share[e, s, i] / total
        for t in range(K):
            share[e, s, t] /= total
        pivot[e, s] = total
    for t in range(K):
        # The ground stays: it is held at 0.
        if t == ground:
            continue
        # Eliminate t of the second end in the same way, towards later states and the ground.
        total = 0.0
        for i in range(K):
            if i > t or i == ground:
                total += weight[0, t, i]
        lower[e, t, t] = total
        for i in range(K):
            if i > t or i == ground:
                lower[e, i, t] = weight[0, t, i] / total
        for i in range(K):
            for j in range(K):
                if i != j and (i > t or i == ground) and (j > t or j == ground):
                    weight[0, i, j] += lower[e, i, t] * weight[0, t, j]


@compiled
def invert(edges: Eliminated, e: int, ground: int) -> None:
    """The grounded inverse of edge e, to `work`: rows and columns of the first end (0), of both ends (1), of
    the second (2).
    """
    pivot, share, lower, work = edges.pivot, edges.share, edges.lower, edges.work
    K = pivot.shape[1]
    # Second end, column by column: substitute forwards, divide by the pivot, and backwards.
    for c in range(K):
        for t in range(K):
            work[2, t, c] = 1.0 if t == c and c != ground else 0.0
        for t in range(c, K):
            for i in range(t + 1, K):
                if t != ground and i != ground:
                    work[2, i, c] += lower[e, i, t] * work[2, t, c]
        for t in range(K - 1, -1, -1):
            if t != ground:
                work[2, t, c] /= lower[e, t, t]
                for i in range(t + 1, K):
                    if i != ground:
                        work[2, t, c] += lower[e, i, t] * work[2, i, c]
    # First and second end: a state's potential is the mean of those it is joined to.
    for s in range(K):
        for t in range(K):
            total = 0.0
            for i in range(K):
                total += share[e, s, i] * work[2, i, t]
            work[1, s, t] = total
    # First end: likewise, and a current of its own through its pivot.
    for s in range(K):
        for r in range(K):
            total = 1.0 / pivot[e, s] if r == s else 0.0
            for t in range(K):
                total += work[1, s, t] * share[e, r, t]
            work[0, s, r] = total


@compiled
def potentials(edges: Eliminated, e: int, ground: int, p: Array) -> None:
    """Rows 2 e and 2 e + 1 of p: the potentials of the first end, and the negative ones of the second, for
    edge e's currents.

    work[0, s, t] goes from t to s; work[1, 0, s] enters at s of the first end, work[1, 1, t] leaves at t of
    the second. By substitution, so that the errors of the two rows cancel in their sums.
    """
    pivot, share, lower, work = edges.pivot, edges.share, edges.lower, edges.work
    K = pivot.shape[1]
    a, b = 2 * e, 2 * e + 1
    # Currents that leave at the second end.
    for t in range(K):
        p[b, t] = -work[1, 1, t]
        for i in range(K):
            work[2, t, i] = 0.0
    # Eliminate the first end: what enters a state goes on to the second end, in shares.
    for s in range(K):
        total = work[1, 0, s]
        for t in range(K):
            total += work[0, s, t]
            p[b, t] += share[e, s, t] * work[1, 0, s]
            for i in range(K):
                if i != t:
                    work[2, t, i] += work[0, s, t] * share[e, s, i]
        p[a, s] = total / pivot[e, s]
    # Eliminating t, what entered it goes to the others; a current between t and i becomes one between each
    # other and i.
    for t in range(K):
        if t == ground:
            continue
        for i in range(t + 1, K):
            if i != ground:
                p[b, i] += lower[e, i, t] * p[b, t]
        for i in range(K):
            if i > t or i == ground:
                net = work[2, t, i] - work[2, i, t]
                p[b, t] -= net
                for j in range(K):
                    if j != i and (j > t or j == ground):
                        work[2, j, i] += net * lower[e, j, t]
    # Substitute backwards: the second end from its last state on, then the first end.
    for t in range(K - 1, -1, -1):
        p[b, t] = 0.0 if t == ground else p[b, t] / lower[e, t, t]
        for i in range(t + 1, K):
            if t != ground and i != ground:
                p[b, t] += lower[e, i, t] * p[b, i]
    for s in range(K):
        for t in range(K):
            p[a, s] += share[e, s, t] * p[b, t]
    for t in range(K):
        p[b, t] = -p[b, t]
