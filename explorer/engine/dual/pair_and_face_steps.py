"""The working-set dual, on a Gram matrix:

    max_alpha  b . alpha - 1/2 alpha' G alpha - 1/2 sum_g ridge_g (sum_{j in g} alpha_j)^2
    s.t.       alpha >= 0,  sum_{j in g} alpha_j <= cap_g

Planes j belong to groups g (an example, or the single slack of the 1-slack form). A linear slack penalty of
weight c is cap_g = c, ridge_g = 0; a squared one is cap_g = inf, ridge_g = 1 / c. With gradient_j = b_j - (G
alpha)_j - ridge_g S_g the distance to the optimum is a sum of non-negative terms, one per group (`gap`), free
of cancellation.

Two methods that hand over to each other: `pair_steps` moves mass between the two planes of one group that
promise most (second-order choice, after Fan, Chen and Lin 2005), O(k) a step, any size; `active_set` solves
exactly on the planes in use and adds one violator at a time, O(f^3) a step for f planes in use, a handful of
steps from a warm start. A group's unused mass acts as one more plane with a = 0, b = 0.
"""

import numpy as np
from numpy.typing import NDArray

from explorer.engine.compiled import compiled

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

REACHED, BLOCKED, UNBOUNDED = 0, 1, 2


@compiled
def group_totals(group: Ints, groups: int, alpha: Array) -> Array:
    """S_g = sum of alpha_j over the planes of group g."""
    used = np.zeros(groups)
    for j in range(len(alpha)):
        used[group[j]] += alpha[j]
    return used


@compiled
def gradient(G: Array, b: Array, group: Ints, ridge: Array, alpha: Array, out: Array) -> None:
    """out_j = b_j - (G alpha)_j - ridge_g S_g."""
    k = len(alpha)
    used = group_totals(group, len(ridge), alpha)
    out[:] = b
    for p in range(k):
        if alpha[p] != 0.0:
            for j in range(k):
                out[j] -= G[p, j] * alpha[p]
    for j in range(k):
        out[j] -= ridge[group[j]] * used[group[j]]


@compiled
def mass_unit(G: Array, b: Array) -> float:
    """The size that one alpha would have alone: max |b| / max G_jj."""
    top = 0.0
    bend = 0.0
    for j in range(len(b)):
        top = max(top, abs(b[j]))
        bend = max(bend, G[j, j])
    return top / bend if bend > 0.0 else 1.0


@compiled
def gap(group: Ints, cap: Array, ridge: Array, alpha: Array, grad: Array, unit: float) -> float:
    """primal - dual of the restricted problem at alpha; a slack that has no price counts as if it cost its
    mass.
    """
    m = len(cap)
    used = group_totals(group, m, alpha)
    top = np.zeros(m)
    pull = np.sum(alpha * grad)
    for j in range(len(alpha)):
        g = group[j]
        top[g] = max(top[g], grad[j] + ridge[g] * used[g])
    distance = -pull
    for g in range(m):
        if ridge[g] > 0.0:
            distance += 0.5 * (top[g] - ridge[g] * used[g]) ** 2 / ridge[g] + used[g] * (
                top[g] - ridge[g] * used[g]
            )
        elif cap[g] < np.inf:
            distance += cap[g] * top[g]
        else:
            distance += (used[g] + unit) * top[g]
    return distance


@compiled
def worst_pair(
    G: Array, group: Ints, cap: Array, ridge: Array, alpha: Array, used: Array, grad: Array
) -> tuple[int, int, float]:
    """The pair (q gains, p gives; -1 is the unused mass) of the most violating group, and the violation."""
    k = len(alpha)
    m = len(cap)
    high = np.zeros(m)
    low = np.full(m, np.inf)
    taker = np.full(m, -1)
    for g in range(m):
        if used[g] < cap[g]:
            low[g] = 0.0
    for j in range(k):
        g = group[j]
        if grad[j] > high[g]:
            high[g] = grad[j]
            taker[g] = j
        if alpha[j] > 0.0 and grad[j] < low[g]:
            low[g] = grad[j]
    best = 0
    worst = -np.inf
    for g in range(m):
        if low[g] < np.inf and high[g] - low[g] > worst:
            worst = high[g] - low[g]
            best = g
    q = taker[best]
    own = G[q, q] if q >= 0 else 0.0
    giver = -2
    promise = 0.0
    if q >= 0 and used[best] < cap[best] and high[best] > 0.0:
        giver = -1
        promise = high[best] ** 2 / max(own + ridge[best], 1e-300)
    for p in range(k):
        if group[p] == best and alpha[p] > 0.0 and p != q:
            rise = high[best] - grad[p]
            cross = G[q, p] if q >= 0 else 0.0
            bend = own + G[p, p] - 2.0 * cross + (ridge[best] if q < 0 else 0.0)
            # Where the curvature is not exact zero in exact arithmetic it may be slightly negative here.
            value = rise * rise / max(bend, 1e-300)
            if rise > 0.0 and (giver == -2 or value > promise):
                promise = value
                giver = p
    return q, giver, worst


@compiled
def pair_steps(
    G: Array,
    b: Array,
    group: Ints,
    cap: Array,
    ridge: Array,
    alpha: Array,
    grad: Array,
    goal: float,
    most: int,
) -> int:
    """Take up to `most` pair steps in place, until the restricted gap is at most `goal`; returns how many."""
    k = len(alpha)
    used = group_totals(group, len(cap), alpha)
    unit = mass_unit(G, b)
    for step in range(most):
        if step % 64 == 0 and gap(group, cap, ridge, alpha, grad, unit) <= goal:
            return step
        q, p, worst = worst_pair(G, group, cap, ridge, alpha, used, grad)
        if p == -2 or worst <= 0.0:
            return step
        g = group[q] if q >= 0 else group[p]
        rise = (grad[q] if q >= 0 else 0.0) - (grad[p] if p >= 0 else 0.0)
        bend = (G[q, q] if q >= 0 else 0.0) + (G[p, p] if p >= 0 else 0.0)
        bend += -2.0 * G[q, p] if q >= 0 and p >= 0 else ridge[g]
        room = alpha[p] if p >= 0 else cap[g] - used[g]
        move = room
        if bend > 0.0 and rise / bend < room:
            move = rise / bend
        if not move < np.inf or move <= 0.0:
            return step
        if q >= 0:
            alpha[q] += move
        if p >= 0:
            alpha[p] = 0.0 if move == room else alpha[p] - move
        if q < 0 or p < 0:
            used[g] += move if q >= 0 else -move
            if used[g] < 0.0:
                used[g] = 0.0
        for j in range(k):
            change = 0.0
            if q >= 0:
                change += G[q, j]
            if p >= 0:
                change -= G[p, j]
            if group[j] == g and (q < 0 or p < 0):
                change += ridge[g] if q >= 0 else -ridge[g]
            grad[j] -= move * change
    return most


@compiled
def face_direction(
    G: Array, group: Ints, ridge: Array, grad: Array, free: Ints, tight: NDArray[np.bool_], damp: float
) -> Array:
    """The ascent direction to the maximiser on the face of the free planes; full groups keep their total."""
    f = len(free)
    rows = np.full(len(tight), -1)
    full = 0
    for a in range(f):
        g = group[free[a]]
        if tight[g] and rows[g] < 0:
            rows[g] = f + full
            full += 1
    K = np.zeros((f + full, f + full))
    rhs = np.zeros(f + full)
    for a in range(f):
        j = free[a]
        for c in range(f):
            K[a, c] = G[j, free[c]]
            if group[j] == group[free[c]]:
                K[a, c] += ridge[group[j]]
        K[a, a] += damp if ridge[group[j]] == 0.0 else 1e-13 * (G[j, j] + ridge[group[j]])
        rhs[a] = grad[j]
        r = rows[group[j]]
        if r >= 0:
            K[a, r] = 1.0
            K[r, a] = 1.0
    d = np.linalg.solve(K, rhs)[:f].astype(np.float64)
    # On a nearly singular face d is huge and the solve keeps the totals only to its own rounding: restore
    # them.
    flow = group_totals(group[free], len(tight), d)
    members = group_totals(group[free], len(tight), np.ones(f))
    for a in range(f):
        g = group[free[a]]
        if tight[g]:
            d[a] -= flow[g] / members[g]
    return d


@compiled
def face_step(
    G: Array,
    group: Ints,
    cap: Array,
    ridge: Array,
    alpha: Array,
    grad: Array,
    in_use: NDArray[np.bool_],
    damp: float,
) -> int:
    """Go to the maximiser on the face of the planes in use, or to the first bound on the way, in place."""
    m = len(cap)
    free = np.flatnonzero(in_use)
    if len(free) == 0:
        return REACHED
    used = group_totals(group, m, alpha)
    tight = used >= cap * (1.0 - 1e-12)
    d = face_direction(G, group, ridge, grad, free, tight, damp)
    flow = group_totals(group[free], m, d)
    rise = np.sum(grad[free] * d)
    if rise <= 0.0:
        return REACHED
    bend = np.sum(ridge * flow * flow)
    for a in range(len(free)):
        for c in range(len(free)):
            bend += d[a] * G[free[a], free[c]] * d[c]
    # Without damping bend = rise. Far below it, d lies in the null space, along which the dual is a straight
    # line that
    # ends at a bound, unless mass flows into a group that has none.
    t = rise / bend if bend > 1e-6 * rise else np.inf
    endless = False
    for g in range(m):
        if flow[g] > 0.0 and ridge[g] > 0.0 and bend > 0.0:
            t = rise / bend
        endless = endless or (flow[g] > 0.0 and ridge[g] == 0.0 and not cap[g] < np.inf)
    block = -1
    filled = False
    for a in range(len(free)):
        if d[a] < 0.0 and -alpha[free[a]] / d[a] <= t:
            t = -alpha[free[a]] / d[a]
            block = free[a]
    for g in range(m):
        if not tight[g] and flow[g] > 0.0 and (cap[g] - used[g]) / flow[g] < t:
            t = (cap[g] - used[g]) / flow[g]
            block = -1
            filled = True
    if not t < np.inf:
        return UNBOUNDED if endless else REACHED
    for a in range(len(free)):
        alpha[free[a]] = max(0.0, alpha[free[a]] + t * d[a])
    used = group_totals(group, m, alpha)
    for a in range(len(free)):
        g = group[free[a]]
        if used[g] > cap[g]:
            alpha[free[a]] *= cap[g] / used[g]
    if block >= 0:
        alpha[block] = 0.0
        in_use[block] = False
    return BLOCKED if block >= 0 or filled else REACHED


@compiled
def release(
    G: Array,
    b: Array,
    group: Ints,
    cap: Array,
    ridge: Array,
    alpha: Array,
    grad: Array,
    in_use: NDArray[np.bool_],
) -> bool:
    """Bring the most violating unused plane into use; where all violators are in use, take one pair step
    instead.

    The pair step is what opens a full group whose mass wants to leave, and tells apart planes that are the
    same up to rounding.
    """
    q, p, worst = worst_pair(G, group, cap, ridge, alpha, group_totals(group, len(cap), alpha), grad)
    if p == -2 or worst <= 0.0:
        return False
    if q >= 0 and not in_use[q]:
        in_use[q] = True
        return True
    before = alpha.copy()
    pair_steps(G, b, group, cap, ridge, alpha, grad, -1.0, 1)
    for j in range(len(alpha)):
        in_use[j] = alpha[j] > 0.0
    return bool(np.any(before != alpha))


@compiled
def active_set(
    G: Array,
    b: Array,
    group: Ints,
    cap: Array,
    ridge: Array,
    alpha: Array,
    grad: Array,
    goal: float,
    most: int,
) -> int:
    """Up to `most` exact steps in place, until the gap is at most `goal`; leaves `grad` at the final alpha.

    Returns REACHED, BLOCKED (stopped short) or UNBOUNDED (hard constraints that no w meets).
    """
    scale = 0.0
    for j in range(len(alpha)):
        scale = max(scale, G[j, j])
    damp = 1e-13 * scale if scale > 0.0 else 1.0
    unit = mass_unit(G, b)
    in_use = alpha > 0.0
    on_face = False
    for _ in range(most):
        gradient(G, b, group, ridge, alpha, grad)
        if gap(group, cap, ridge, alpha, grad, unit) <= goal:
            return REACHED
        if on_face:
            if not release(G, b, group, cap, ridge, alpha, grad, in_use):
                return BLOCKED
            on_face = False
        else:
            outcome = face_step(G, group, cap, ridge, alpha, grad, in_use, damp)
            if outcome == UNBOUNDED:
                return UNBOUNDED
            on_face = outcome == REACHED
    gradient(G, b, group, ridge, alpha, grad)
    return BLOCKED
