"""Loopy max-product belief propagation on fields, in the log domain, all messages at once.

    cavity_{u\\v}[s] = unary[u, s] + sum over neighbours t != v of m_{t->u}[s]
    m_{u->v}[s']    = max_s (cavity_{u\\v}[s] + pair[s, s'])  -  the same at s' = 0
    belief[u, s]    = unary[u, s] + sum over neighbours t of m_{t->u}[s],         y_u = argmax_s belief[u, s]

Messages are 0 at first, and 0 at state 0 always; with two states that leaves the scalar form of Finley 2009,
section 5.3.1: m = max(0, c + b) - max(0, c). With damping d a message becomes (1 - d) new + d old. It has
converged when no message is further than `tolerance` from what it would become. Exact on forests after as
many sweeps as the longest path has edges, where the best labelling is unique; on other graphs nothing is
promised. Row 2 e of the messages goes from ends[e, 0] to ends[e, 1], row 2 e + 1 back. Ties go to the smaller
state. Cost O(e K^2) for a sweep.
"""

import numpy as np

from explorer.engine.compiled import compiled
from explorer.engine.incidence import first_best
from explorer.engine.vectors import Array, Ints


@compiled
def gather_beliefs(unary: Array, ends: Ints, messages: Array, beliefs: Array) -> None:
    """beliefs = unary + all messages that arrive."""
    beliefs[:] = unary
    for e in range(len(ends)):
        a, b = ends[e, 0], ends[e, 1]
        for s in range(unary.shape[1]):
            beliefs[b, s] += messages[2 * e, s]
            beliefs[a, s] += messages[2 * e + 1, s]


@compiled
def _send(cavity: Array, scores: Array, forward: bool, damping: float, message: Array) -> float:
    """Replace a message; returns how far its largest entry was from what it is to become."""
    change, base = 0.0, 0.0
    for t in range(len(message)):
        best = -np.inf
        for s in range(len(cavity)):
            best = max(best, cavity[s] + (scores[s, t] if forward else scores[t, s]))
        if t == 0:
            base = best
        new = best - base
        change = max(change, abs(new - message[t]))
        message[t] = (1.0 - damping) * new + damping * message[t]
    return change


@compiled
def _send_two(c0: float, c1: float, p00: float, p01: float, p10: float, p11: float) -> float:
    """The message of a cavity of two states, at state 1."""
    return max(c0 + p01, c1 + p11) - max(c0 + p00, c1 + p10)


@compiled
def _sweep_two(
    ends: Ints, table: Ints, pair: Array, damping: float, messages: Array, beliefs: Array
) -> float:
    """`_sweep_any` for two states, number for number: without inner loops it takes an eighth of the time."""
    change, keep = 0.0, 1.0 - damping
    for e in range(len(ends)):
        a, b, t = ends[e, 0], ends[e, 1], table[e]
        p00, p01, p10, p11 = pair[t, 0, 0], pair[t, 0, 1], pair[t, 1, 0], pair[t, 1, 1]
        ahead, back = messages[2 * e, 1], messages[2 * e + 1, 1]
        to_b = _send_two(beliefs[a, 0], beliefs[a, 1] - back, p00, p01, p10, p11)
        to_a = _send_two(beliefs[b, 0], beliefs[b, 1] - ahead, p00, p10, p01, p11)
        change = max(change, abs(to_b - ahead), abs(to_a - back))
        messages[2 * e, 1] = keep * to_b + damping * ahead
        messages[2 * e + 1, 1] = keep * to_a + damping * back
    return change


@compiled
def _sweep_any(
    ends: Ints, table: Ints, pair: Array, damping: float, messages: Array, beliefs: Array
) -> float:
    """Send every message once, for any number of states."""
    states, change = beliefs.shape[1], 0.0
    ahead, back = np.empty(states), np.empty(states)
    for e in range(len(ends)):
        a, b, scores = ends[e, 0], ends[e, 1], pair[table[e]]
        for s in range(states):
            ahead[s] = beliefs[a, s] - messages[2 * e + 1, s]
            back[s] = beliefs[b, s] - messages[2 * e, s]
        change = max(change, _send(ahead, scores, True, damping, messages[2 * e]))
        change = max(change, _send(back, scores, False, damping, messages[2 * e + 1]))
    return change


@compiled
def sweep(
    unary: Array, ends: Ints, table: Ints, pair: Array, damping: float, messages: Array, beliefs: Array
) -> float:
    """Send every message of one field once and gather the new beliefs; returns the largest change.

    `beliefs` are those of the messages given. A new message needs, besides them, only the old one of its
    reverse: so both are replaced in place.
    """
    if unary.shape[1] == 2:
        change = _sweep_two(ends, table, pair, damping, messages, beliefs)
    else:
        change = _sweep_any(ends, table, pair, damping, messages, beliefs)
    gather_beliefs(unary, ends, messages, beliefs)
    return change


@compiled
def propagate_one(
    unary: Array,
    ends: Ints,
    table: Ints,
    pair: Array,
    sweeps: int,
    damping: float,
    tolerance: float,
    labels: Ints,
) -> tuple[int, float]:
    """Decode one field; returns the sweeps made and the largest change of the last one."""
    messages, beliefs = np.zeros((2 * len(ends), unary.shape[1])), unary.copy()
    made, change = 0, np.inf
    while made < sweeps and change > tolerance:
        change = sweep(unary, ends, table, pair, damping, messages, beliefs)
        made += 1
    for u in range(len(unary)):
        labels[u] = first_best(beliefs[u])
    return made, change


@compiled
def propagate_all(
    unary: Array,
    nodes: Ints,
    ends: Ints,
    edges: Ints,
    table: Ints,
    pair: Array,
    lo: int,
    hi: int,
    sweeps: int,
    damping: float,
    tolerance: float,
    labels: Ints,
    made: Ints,
    change: Array,
) -> None:
    """Decode the stacked fields lo .. hi - 1: labels, the sweeps made and the largest change of the last
    one.
    """
    for i in range(lo, hi):
        a, b, c, d = nodes[i], nodes[i + 1], edges[i], edges[i + 1]
        field = (unary[a:b], ends[c:d], table[c:d], pair)
        made[i], change[i] = propagate_one(*field, sweeps, damping, tolerance, labels[a:b])
