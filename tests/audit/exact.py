"""The optimum of a tiny structured problem in rational numbers: no rounding, nothing of the engine.

    max_alpha  b . alpha - 1/2 alpha' G alpha - 1/2 sum_g ridge_g S_g^2,   S_g = sum_{j in g} alpha_j
    s.t.       alpha >= 0,   S_g <= c_g (linear penalty),   sum_j alpha_j d_j = 0 (a free bias)

over every labelling of every example. Its optimality conditions are the linear complementarity problem
v = M z + q, v >= 0, z >= 0, v . z = 0 with M = [[G, E'], [-E, 0]] and q = (-b, c), solved by Lemke's method
(1965) with the lexicographic rule, in whole numbers that are divided without remainder (Edmonds 1967). A ray
at the end means that hard constraints contradict each other. Cost: pivots x rows^2 products of long integers.
"""

from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np

Numbers = list[Fraction]


class Inseparable(Exception):
    """No w satisfies every hard constraint."""


def rational(values: Any) -> Any:
    """Floats as the fractions that they are."""
    return np.vectorize(Fraction, otypes=[object])(np.asarray(values, dtype=float))


def optimum(
    a: Any, b: Any, example: Any, price: float | None, squared: bool = False, free: Any = None
) -> Fraction:
    """The least of 1/2 |w|^2 + price * sum_i cost(xi_i); rows say xi_example >= b - w . a (- bias * free).

    `price` None stands for slacks that are not allowed at all, `example` -1 for a row that never has one.
    """
    rows, sizes, owner = rational(a), list(rational(b)), np.asarray(example)
    groups = [np.flatnonzero(owner == g) for g in sorted(set(owner.tolist()) - {-1})]
    G = rows @ rows.T
    bounds: list[tuple[Any, Fraction]] = []
    if price is not None and squared:
        for members in groups:
            G[np.ix_(members, members)] += 1 / Fraction(price)
    elif price is not None:
        bounds += [
            (np.isin(np.arange(len(sizes)), members) * Fraction(1), Fraction(price)) for members in groups
        ]
    if free is not None:
        line = rational(free)
        bounds += [(line, Fraction(0)), (-line, Fraction(0))]
    z = lemke(*conditions(G, sizes, bounds))
    pays = sum((z[len(sizes) + g] * limit for g, (_, limit) in enumerate(bounds)), Fraction(0))
    return (sum((s * x for s, x in zip(sizes, z, strict=False)), Fraction(0)) + pays) / 2


def conditions(G: Any, b: Numbers, bounds: list[tuple[Any, Fraction]]) -> tuple[Any, Any]:
    """M and q, every row cleared of its denominators."""
    m, g = len(b), len(bounds)
    M = np.full((m + g, m + g), Fraction(0), dtype=object)
    M[:m, :m] = G
    for k, (line, _) in enumerate(bounds):
        M[:m, m + k] = line
        M[m + k, :m] = -line
    q = np.array([-s for s in b] + [limit for _, limit in bounds], dtype=object)
    for r in range(m + g):
        whole = lcm(*(x.denominator for x in (*M[r], q[r])))
        M[r], q[r] = M[r] * whole, q[r] * whole
    return np.vectorize(int, otypes=[object])(M), np.vectorize(int, otypes=[object])(q)


def lemke(M: Any, q: Any) -> Numbers:
    """z >= 0 with M z + q >= 0 and no product of partners, or Inseparable."""
    n = len(q)
    if all(x >= 0 for x in q):
        return [Fraction(0)] * n
    # Columns: slacks v, variables z, the artificial one, the right-hand side.
    eye = np.array([[int(i == j) for j in range(n)] for i in range(n)], dtype=object)
    T = np.hstack([eye, -M, np.full((n, 1), -1, dtype=object), q[:, None]])
    basis, divisor, entering = list(range(n)), 1, 2 * n
    row = least(T, [(i, 1) for i in range(n)], n)
    while True:
        T, divisor = pivoted(T, row, entering, divisor)
        left, basis[row] = basis[row], entering
        if left == 2 * n:
            break
        entering = left + n if left < n else left - n
        risers = [(i, T[i, entering]) for i in range(n) if T[i, entering] > 0]
        if not risers:
            raise Inseparable
        row = least(T, risers, n)
        # The artificial variable leaves as soon as it may: then the problem is solved.
        out = [i for i, _ in risers if basis[i] == 2 * n]
        if out and T[out[0], -1] * T[row, entering] == T[row, -1] * T[out[0], entering]:
            row = out[0]
    z = [Fraction(0)] * n
    for i, j in enumerate(basis):
        if n <= j < 2 * n:
            z[j - n] = Fraction(int(T[i, -1]), int(divisor))
    return z


def least(T: Any, rows: list[tuple[int, Any]], n: int) -> int:
    """The row with the lexicographically least (right-hand side, slack columns) / its factor."""
    best, by = rows[0]
    for i, factor in rows[1:]:
        for column in (-1, *range(n)):
            difference = T[i, column] * by - T[best, column] * factor
            if difference != 0:
                if difference < 0:
                    best, by = i, factor
                break
    return best


def pivoted(T: Any, row: int, column: int, divisor: int) -> tuple[Any, Any]:
    """One exchange, in whole numbers over a common divisor."""
    p, line = T[row, column], T[row].copy()
    T = (T * p - np.outer(T[:, column], line)) // divisor
    T[row] = line
    return (-T, -p) if p < 0 else (T, p)
