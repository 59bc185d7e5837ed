"""Whole passes over points with one label among K: at every visit all classes take part, not only those met
before.

    max  sum_k (cost_k - s_y + s_k) m_k - 1/2 |x|^2 (sum_k m_k^2 + (sum_k m_k)^2)      k != y,  m >= 0,
        sum m <= cap

is the dual within one example when its masses change by m: cuts differ from the truth by one row in two
columns, so their products are |x|^2, twice that with themselves. The steps are pairs of classes (see
`block_steps`), as in Keerthi et al. 2008, "A sequential dual method for large scale multi-class linear SVMs".
A class takes a slot of the cache when it first gets mass. Passes over the cached cuts alone would cost as
much as exact ones and are empty. Cost of a visit: O(entries K).
"""

import numpy as np

from explorer.engine.compiled import compiled
from explorer.engine.dual.block_steps import ROUNDING
from explorer.engine.dual.slots import forget, join_cut, own, room
from explorer.engine.structures.chains.kernels.cuts import Corpus
from explorer.engine.vectors import Array, Ints
from explorer.engine.visits import Cache, Log, Plan


@compiled
def visit_classes(
    corpus: Corpus, norms: Array, order: Ints, w: Array, cache: Cache, plan: Plan, log: Log, born: int
) -> int:
    """Visit the points in this order, moving w; returns how many cuts were found."""
    K = corpus.cost.shape[0]
    W = w.reshape((len(w) // K, K))
    g, mass, moved = np.empty(K), np.empty(K), np.empty(K)
    found = 0
    # Every class takes part in every visit, so a pass without the oracle has nothing to add.
    if not plan.exact:
        cache.gaps[:] = 0.0
        return 0
    for i in order:
        y = corpus.truth[i]
        # The oracle: all classes' violations at the newest w, and the worst.
        violations(corpus, i, y, W, g)
        worst = np.argmax(g)
        cache.worst[i] = g[worst]
        # A point that no class violates and that holds no cut stays as it is.
        if g[worst] <= 0.0 and cache.held[i] == 0:
            cache.gaps[i] = 0.0
            continue
        # Masses by class: -1 where a class has no slot, the truth holds the rest.
        mass[:] = -1.0
        mass[y] = 0.0
        mine = own(cache, i)
        for q in range(cache.held[i]):
            mass[mine.labels[q, 0]] = mine.alpha[q]
        # The block's gap at this w, before anything moves: cap * worst - sum of alpha g.
        cache.gaps[i] = plan.cap * g[worst]
        for q in range(cache.held[i]):
            cache.gaps[i] -= mine.alpha[q] * g[mine.labels[q, 0]]
        # The worst class takes a slot. Cuts differ from the truth by one row in two columns, so
        # their products are |x|^2, twice that with themselves.
        if mass[worst] < 0.0 and room(cache, i):
            mine = own(cache, i)
            q = join_cut(cache, i, mine, corpus.cost[y, worst], born + found)
            mine.labels[q, 0] = worst
            log.owner[found], log.size[found], log.labels[found] = i, corpus.cost[y, worst], worst
            for r in range(q + 1):
                product = 2.0 * norms[i] if r == q else norms[i]
                mine.gram[q, r] = product
                mine.gram[r, q] = product
            found += 1
            mass[worst] = 0.0
        # Steps of the dual between the classes with a slot; back to the cache; w with them.
        settle_classes(plan, y, norms[i], g, mass, moved)
        for q in range(cache.held[i]):
            mine.alpha[q] = mass[mine.labels[q, 0]]
        add_rows(corpus, i, moved, W)
        forget(cache, i, mine, plan.keep)
    return found


@compiled
def violations(corpus: Corpus, i: int, y: int, W: Array, g: Array) -> None:
    """g_k = cost_k - s_y + s_k for every class; 0 for the truth."""
    K = len(g)
    g[:] = 0.0
    for at in range(corpus.start[i], corpus.start[i + 1]):
        x, f = corpus.value[at], corpus.column[at]
        for k in range(K):
            g[k] += x * W[f, k]
    truth = g[y]
    for k in range(K):
        g[k] += corpus.cost[y, k] - truth


@compiled
def settle_classes(plan: Plan, y: int, norm: float, g: Array, mass: Array, moved: Array) -> None:
    """Pairwise steps among the classes with a place (mass >= 0), the truth holding what is free; keeps g up
    to date.
    """
    K = len(g)
    moved[:] = 0.0
    # What no class holds is the truth's, unless it is only rounding.
    free = plan.cap
    for k in range(K):
        free -= max(mass[k], 0.0)
    mass[y] = free if free > ROUNDING * plan.cap else 0.0
    for _ in range(plan.steps):
        # The most violated class with a slot takes from the least violated one with mass.
        high, low = y, -1
        for k in range(K):
            if mass[k] >= 0.0 and g[k] > g[high]:
                high = k
            if mass[k] > 0.0 and (low < 0 or g[k] < g[low]):
                low = k
        pull = g[high] - g[low]
        if pull <= 0.0 or norm <= 0.0:
            break
        # The line search: |a_high - a_low|^2 = 2 |x|^2, for the truth too.
        t = min(mass[low], pull / (2.0 * norm))
        mass[low] = 0.0 if t == mass[low] else mass[low] - t
        mass[high] += t
        moved[high] += t
        moved[low] -= t
        # The row is added to the column of `low` and taken from that of `high`.
        g[high] -= t * norm
        g[low] += t * norm
    # Violations are relative to the truth, whose column moved as well.
    g -= g[y]


@compiled
def add_rows(corpus: Corpus, i: int, moved: Array, W: Array) -> None:
    """w -= sum_k moved_k x e_k': what the truth's column gains is what its free mass lost."""
    if np.any(moved):
        for at in range(corpus.start[i], corpus.start[i + 1]):
            x, f = corpus.value[at], corpus.column[at]
            for k in range(len(moved)):
                W[f, k] -= x * moved[k]
