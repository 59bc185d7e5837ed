"""The best projective tree of every stacked sentence: Eisner 1996.

    open[s, t, right]    best half of a tree over s .. t with the edge s -> t       (left: t -> s)
    shut[s, t, right]    best half over s .. t headed by s, t its last descendant   (left: headed by t)

    open[s, t] = S[edge] + max_r  shut[s, r, right] + shut[r + 1, t, left]
    shut[s, t, right] = max_{r > s} open[s, r, right] + shut[r, t, right],    left likewise

Node 0 is the root; it may have several children. Of equal splits the first is taken. Pfahler 2015, section
6.1.2. Cost: O(m^3).
"""

import numpy as np

from explorer.engine.compiled import compiled
from explorer.engine.vectors import Array, Ints

LEFT, RIGHT = 0, 1


@compiled
def best_projective(scores: Array, cells: Ints, places: Ints, lo: int, hi: int, heads: Ints) -> None:
    """The best projective tree of sentences lo .. hi - 1; scores as in `kernels.arborescence`."""
    for i in range(lo, hi):
        m = places[i + 1] - places[i]
        projective_tree(scores[cells[i] : cells[i + 1]], m, heads[places[i] : places[i + 1]])


@compiled
def projective_tree(scores: Array, m: int, heads: Ints) -> None:
    """The best projective tree of one sentence, written to `heads`."""
    n = m + 1
    opened, shut = np.zeros((n, n, 2)), np.zeros((n, n, 2))
    open_at, shut_at = np.zeros((n, n), dtype=np.int64), np.zeros((n, n, 2), dtype=np.int64)
    for width in range(1, n):
        for s in range(n - width):
            t = s + width
            best = -np.inf
            for r in range(s, t):
                found = shut[s, r, RIGHT] + shut[r + 1, t, LEFT]
                if found > best:
                    best, open_at[s, t] = found, r
            opened[s, t, RIGHT] = best + scores[s * m + t - 1]
            opened[s, t, LEFT] = (
                best + scores[t * m + s - 1] if s > 0 else -np.inf
            )  # nothing is the root's head
            shut[s, t, LEFT] = shut[s, t, RIGHT] = -np.inf
            for r in range(s, t):
                found = shut[s, r, LEFT] + opened[r, t, LEFT]
                if found > shut[s, t, LEFT]:
                    shut[s, t, LEFT], shut_at[s, t, LEFT] = found, r
                found = opened[s, r + 1, RIGHT] + shut[r + 1, t, RIGHT]
                if found > shut[s, t, RIGHT]:
                    shut[s, t, RIGHT], shut_at[s, t, RIGHT] = found, r + 1
    read_heads(open_at, shut_at, n, heads)


@compiled
def read_heads(open_at: Ints, shut_at: Ints, n: int, heads: Ints) -> None:
    """The edges of the best whole: halves still to be opened wait on a stack of (s, t, direction, open)."""
    stack = np.empty((4 * n, 4), dtype=np.int64)
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3] = 0, n - 1, RIGHT, 0
    top = 1
    while top > 0:
        top -= 1
        s, t, side, is_open = stack[top]
        if s == t:
            continue
        if is_open:
            if side == RIGHT:
                heads[t - 1] = s
            else:
                heads[s - 1] = t
            r = open_at[s, t]
            top = push(stack, top, s, r, RIGHT, 0)
            top = push(stack, top, r + 1, t, LEFT, 0)
        elif side == RIGHT:
            r = shut_at[s, t, RIGHT]
            top = push(stack, top, s, r, RIGHT, 1)
            top = push(stack, top, r, t, RIGHT, 0)
        else:
            r = shut_at[s, t, LEFT]
            top = push(stack, top, s, r, LEFT, 0)
            top = push(stack, top, r, t, LEFT, 1)


@compiled
def push(stack: Ints, top: int, s: int, t: int, side: int, is_open: int) -> int:
    """One more half on the stack; returns its new height."""
    stack[top, 0], stack[top, 1], stack[top, 2], stack[top, 3] = s, t, side, is_open
    return top + 1
