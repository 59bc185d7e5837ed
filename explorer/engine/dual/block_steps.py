"""Steps of the dual within one example's own cuts.

    max  sum_q b_q alpha_q - 1/2 |w|^2     alpha >= 0,  sum_q alpha_q <= cap,   w = rest + sum_q alpha_q a_q

With g_q = b_q - w . a_q (the violation of cut q, and 0 for the truth, which holds the unused mass) and the
example's Gram matrix, every step is closed form. *Pairwise*: mass from the least to the most violated cut, a
step of sequential minimal optimisation. *Toward*: a Frank-Wolfe step to the most violated corner. *Away*:
that, or away from the worst corner, whichever rises faster. No step lowers the dual. Cost of a step: O(m) for
m cuts (*toward*, *away*: O(m^2)).

These are the steps of compiled visits. The same steps stand in plain Python beside their papers, in
`learners/sequential_dual.py` and `learners/frank_wolfe.py`; both give the same bits, so sums here are added
in order.
"""

import numpy as np

from explorer.engine.compiled import compiled
from explorer.engine.vectors import Array
from explorer.engine.visits import Plan

PAIRWISE, TOWARD, AWAY = 0, 1, 2
ROUNDING = 1e-14
"""Mass below this share of the cap is what rounding left over, not mass."""


@compiled
def settle(plan: Plan, m: int, g: Array, gram: Array, alpha: Array, moved: Array) -> None:
    """Take the plan's steps on m cuts: changes alpha, keeps g up to date, and writes what alpha gained to
    `moved`.
    """
    moved[:m] = 0.0
    for _ in range(plan.steps):
        free = plan.cap - np.sum(alpha[:m])
        high, low = -1, -1
        most, least = 0.0, np.inf
        if free > ROUNDING * plan.cap:
            least = 0.0
        for q in range(m):
            if g[q] > most:
                most, high = g[q], q
            if alpha[q] > 0.0 and g[q] < least:
                least, low = g[q], q
        if plan.rule == PAIRWISE:
            rose = _pair(high, low, most - least, free, m, g, gram, alpha, moved)
        else:
            rose = _corner(plan, high, low, most, least, m, g, gram, alpha, moved)
        if not rose:
            return


@compiled
def _pair(
    high: int, low: int, pull: float, free: float, m: int, g: Array, gram: Array, alpha: Array, moved: Array
) -> bool:
    """Move mass from `low` to `high` (-1 is the truth) as far as the dual rises."""
    if pull <= 0.0:
        return False
    bend = 0.0
    if high >= 0:
        bend += gram[high, high]
    if low >= 0:
        bend += gram[low, low]
    if high >= 0 and low >= 0:
        bend -= 2.0 * gram[high, low]
    there = alpha[low] if low >= 0 else free
    t = there
    if bend > 0.0 and pull / bend < there:
        t = pull / bend
    if t <= 0.0:
        return False
    for q in range(m):
        if high >= 0:
            g[q] -= t * gram[q, high]
        if low >= 0:
            g[q] += t * gram[q, low]
    if high >= 0:
        alpha[high] += t
        moved[high] += t
    if low >= 0:
        alpha[low] = 0.0 if t == there else alpha[low] - t
        moved[low] -= t
    return True


@compiled
def _corner(
    plan: Plan,
    high: int,
    low: int,
    most: float,
    least: float,
    m: int,
    g: Array,
    gram: Array,
    alpha: Array,
    moved: Array,
) -> bool:
    """Go towards the corner `high`, or away from the corner `low`, as far as the dual rises."""
    here = 0.0
    for q in range(m):
        here += alpha[q] * g[q]
    corner, toward, gain, longest = high, 1.0, plan.cap * most - here, 1.0
    if plan.rule == AWAY and here - plan.cap * least > gain:
        mass = alpha[low] if low >= 0 else plan.cap - np.sum(alpha[:m])
        if mass < plan.cap:
            corner, toward, gain, longest = low, -1.0, here - plan.cap * least, mass / (plan.cap - mass)
    if gain <= 0.0:
        return False
    # The way, as a change of each alpha at full length, and its product with every cut.
    way, product = np.empty(m), np.zeros(m)
    for q in range(m):
        way[q] = toward * ((plan.cap if q == corner else 0.0) - alpha[q])
    bend = 0.0
    for p in range(m):
        for q in range(m):
            product[p] += gram[p, q] * way[q]
        bend += way[p] * product[p]
    t = longest
    if bend > 0.0 and gain / bend < longest:
        t = gain / bend
    for q in range(m):
        emptied = t == longest and q != corner if toward > 0.0 else t == longest and q == corner
        after = 0.0 if emptied else max(0.0, alpha[q] + t * way[q])
        moved[q] += after - alpha[q]
        alpha[q] = after
        g[q] -= t * product[q]
    return t > 0.0


@compiled
def free_mass(cap: float, alpha: Array) -> float:
    """What alpha leaves to the truth, or 0 where that is rounding."""
    free = cap - np.sum(alpha)
    return float(free) if free > ROUNDING * cap else 0.0


@compiled
def inner(x: Array, y: Array) -> float:
    """x . y, added in order."""
    total = 0.0
    for q in range(len(x)):
        total += x[q] * y[q]
    return float(total)
