"""The window of a picture with the largest H, by going through all of them or by branch and bound.

A window (x0, y0, x1, y1) covers the cells x0 <= x < x1, y0 <= y < y1; its score is the sum of its cells, four
entries of the integral table S with S[y, x] = sum of the cells above and left of (x, y).

    H(y) = r - m  or, under slack scaling,  r (1 - m),    m = score(truth) - score(y),  r = loss or its root

Branch and bound (Lampert, Blaschko and Hofmann 2008) keeps sets of windows, an interval for each side, and
splits the most promising one. All windows of a set lie between its smallest A and its largest B, so

    score <= positive cells of B + negative cells of A,        loss <= 1 - |A and truth| / |B or truth|

With no loss and a score of 0 for the truth, H is the score: that is prediction. Cost: O(rows^2 columns^2) for
all windows; for branch and bound as many sets as are looked at, each in constant time and once in a heap.
"""

import numpy as np

from explorer.engine.compiled import compiled
from explorer.engine.vectors import Array, Ints

NO_LOSS, OVERLAP, ZERO_ONE_LOSS = 0, 1, 2
"""Codes of losses."""


@compiled
def integral(cells: Array) -> Array:
    """S: one row and one column more than there are cells."""
    rows, columns = cells.shape
    S = np.zeros((rows + 1, columns + 1))
    for y in range(rows):
        line = 0.0
        for x in range(columns):
            line += cells[y, x]
            S[y + 1, x + 1] = S[y, x + 1] + line
    return S


@compiled
def inside(S: Array, x0: int, y0: int, x1: int, y1: int) -> float:
    """The sum of a window's cells; 0 where it has none."""
    if x0 >= x1 or y0 >= y1:
        return 0.0
    return S[y1, x1] - S[y0, x1] - S[y1, x0] + S[y0, x0]


@compiled
def shared_cells(truth: Ints, x0: int, y0: int, x1: int, y1: int) -> int:
    """How many cells a window has in common with the truth."""
    wide = min(x1, truth[2]) - max(x0, truth[0])
    high = min(y1, truth[3]) - max(y0, truth[1])
    return wide * high if wide > 0 and high > 0 else 0


@compiled
def area(x0: int, y0: int, x1: int, y1: int) -> int:
    """The cells of a window."""
    return (x1 - x0) * (y1 - y0) if x0 < x1 and y0 < y1 else 0


@compiled
def loss_of(truth: Ints, code: int, x0: int, y0: int, x1: int, y1: int) -> float:
    """The loss of one window."""
    if code == 0:
        return 0.0
    if code == 2:
        same = x0 == truth[0] and y0 == truth[1] and x1 == truth[2] and y1 == truth[3]
        return 0.0 if same else 1.0
    common = shared_cells(truth, x0, y0, x1, y1)
    return 1.0 - common / (area(x0, y0, x1, y1) + area(truth[0], truth[1], truth[2], truth[3]) - common)


@compiled
def violation(score: float, own: float, loss: float, scaled: bool, root: bool) -> float:
    """H of a window with this score and loss; `own` is the score of the truth."""
    r = np.sqrt(loss) if root else loss
    return r * (1.0 - own + score) if scaled else r - own + score


@compiled
def best_of_all(
    cells: Array, truth: Ints, code: int, scaled: bool, root: bool
) -> tuple[int, int, int, int, float, int]:
    """The window with the largest H, that H, and how many windows there are; the first of equal ones."""
    rows, columns = cells.shape
    S = integral(cells)
    own = inside(S, truth[0], truth[1], truth[2], truth[3]) if code else 0.0
    best, a, b, c, d, seen = -np.inf, 0, 0, 1, 1, 0
    for y0 in range(rows):
        for y1 in range(y0 + 1, rows + 1):
            for x0 in range(columns):
                for x1 in range(x0 + 1, columns + 1):
                    seen += 1
                    loss = loss_of(truth, code, x0, y0, x1, y1)
                    value = violation(inside(S, x0, y0, x1, y1), own, loss, scaled, root)
                    if value > best:
                        best, a, b, c, d = value, x0, y0, x1, y1
    return a, b, c, d, best, seen


@compiled
def bound_of(
    plus: Array, minus: Array, truth: Ints, code: int, scaled: bool, root: bool, own: float, sides: Ints
) -> float:
    """What no window of a set exceeds; its very H for a single window.

    `sides` are the limits of x0, y0, x1, y1, two for each.
    """
    # The largest window takes the outermost sides, the smallest the innermost; it may have no cells.
    X0, Y0, X1, Y1 = sides[0], sides[2], sides[5], sides[7]
    x0, y0, x1, y1 = sides[1], sides[3], sides[4], sides[6]
    score = inside(plus, X0, Y0, X1, Y1) + inside(minus, x0, y0, x1, y1)
    if x0 == X0 and y0 == Y0 and x1 == X1 and y1 == Y1:
        return violation(score, own, loss_of(truth, code, x0, y0, x1, y1), scaled, root)
    loss = 1.0 if code else 0.0
    if code == 1:
        least = shared_cells(truth, x0, y0, x1, y1)
        covered = area(X0, Y0, X1, Y1) + area(truth[0], truth[1], truth[2], truth[3])
        loss = 1.0 - least / (covered - shared_cells(truth, X0, Y0, X1, Y1))
    value = violation(score, own, loss, scaled, root)
    return max(0.0, value) if scaled else value


@compiled
def push(keys: Array, held: Ints, size: int, key: float, sides: Ints) -> None:
    """Add a set to the heap, whose first entry has the largest bound."""
    at = size
    while at > 0 and keys[(at - 1) // 2] < key:
        keys[at] = keys[(at - 1) // 2]
        held[at] = held[(at - 1) // 2]
        at = (at - 1) // 2
    keys[at] = key
    held[at] = sides


@compiled
def pop(keys: Array, held: Ints, size: int) -> None:
    """Take the first entry out of a heap with so many; those that are left are in order again."""
    key, sides = keys[size - 1], held[size - 1].copy()
    at = 0
    while 2 * at + 1 < size - 1:
        child = 2 * at + 1
        if child + 1 < size - 1 and keys[child + 1] > keys[child]:
            child += 1
        if keys[child] <= key:
            break
        keys[at] = keys[child]
        held[at] = held[child]
        at = child
    keys[at] = key
    held[at] = sides


@compiled
def branch_and_bound(
    cells: Array, truth: Ints, code: int, scaled: bool, root: bool
) -> tuple[int, int, int, int, float, int]:
    """A window with the largest H, that H, and how many sets of windows were looked at."""
    rows, columns = cells.shape
    plus, minus = integral(np.maximum(cells, 0.0)), integral(np.minimum(cells, 0.0))
    own = 0.0
    if code:
        own = inside(plus, truth[0], truth[1], truth[2], truth[3])
        own += inside(minus, truth[0], truth[1], truth[2], truth[3])
    keys, held = np.empty(256), np.empty((256, 8), dtype=np.int64)
    sides = np.array([0, columns - 1, 0, rows - 1, 1, columns, 1, rows])
    push(keys, held, 0, bound_of(plus, minus, truth, code, scaled, root, own, sides), sides)
    size, seen = 1, 1
    while True:
        # The most promising set: if it is one window, nothing that is left can be better.
        key, sides = keys[0], held[0].copy()
        pop(keys, held, size)
        size -= 1
        widest = 0
        for side in range(1, 4):
            if sides[2 * side + 1] - sides[2 * side] > sides[2 * widest + 1] - sides[2 * widest]:
                widest = side
        low, high = sides[2 * widest], sides[2 * widest + 1]
        if low == high:
            return sides[0], sides[2], sides[4], sides[6], key, seen
        # Halve its widest side; a half in which no window has a cell is dropped.
        for half in range(2):
            part = sides.copy()
            if half == 0:
                part[2 * widest + 1] = (low + high) // 2
            else:
                part[2 * widest] = (low + high) // 2 + 1
            if part[0] >= part[5] or part[2] >= part[7]:
                continue
            if size == len(keys):
                more_keys, more_held = np.empty(2 * size), np.empty((2 * size, 8), dtype=np.int64)
                more_keys[:size] = keys
                more_held[:size] = held
                keys, held = more_keys, more_held
            push(keys, held, size, bound_of(plus, minus, truth, code, scaled, root, own, part), part)
            size += 1
            seen += 1
