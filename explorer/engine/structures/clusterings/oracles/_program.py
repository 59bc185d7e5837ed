"""The linear program of correlation clustering, solved again and again while rows are added (HiGHS, dual
simplex).

    max  sum_{i < j} K_ij e_ij,   low <= e <= high (0 and 1 at first),   rows . e <= 1

Scores are divided by the largest, so that tolerances mean the same at every scale. Every solution starts from
the basis of the one before. The dual gives the bound: for any multipliers y >= 0 of the rows, sum y +
sum_pairs max(0, K - rows' y) is at least the optimum, whatever the solver's tolerance. Rows are triangles and
stars, see `kernels.cluster_triangles`.
"""

from typing import Any, NamedTuple

import numpy as np

from explorer.engine.halting import halt
from explorer.engine.refusals import OracleFault, Refused
from explorer.engine.structures.clusterings.kernels.triangles import broken_stars, broken_triangles, choose
from explorer.engine.structures.clusterings.partitions import canonical, pair_matrix, pair_vector
from explorer.engine.vectors import Array, Ints

NEAR = 1e-6
"""Rows broken by less are taken as kept, and shares so near to 0 or 1 for it."""

ROWS = 60_000
"""Triangles added at a time, spread over the pairs: all that are broken at 60 items, where one solution is
then enough (0.2 s without structure, 0.7 s with six for each pair); some at 150, where all would be
300,000."""

LEAST = 6
"""Triangles added at a time that a pair may be in, however many pairs there are: one row often mends many."""

STARS = 200
"""Stars added at a time."""


class ProgramRows(NamedTuple):
    """Rows to be added: where each starts, its pairs, and their signs; `triangles` are the triples they say,
    if they do.
    """

    start: Ints
    pairs: Ints
    signs: Array
    triangles: Ints


def highs() -> Any:
    """The library of the linear programs. It is loaded by the first of them only, because it does not load
    beside another that brings its own HiGHS along.
    """
    try:
        import highspy
    except ImportError as fault:
        raise Refused(
            f"HiGHS does not load here ({fault}); a process that has imported OR-tools has another version "
            "of it: use this clusterer in a process of its own, or greedy merges"
        ) from fault
    return highspy


class ClusterProgram:
    """The program of one similarity; it remembers its rows and its basis."""

    def __init__(self, K: Array) -> None:
        self.m, scores = len(K), pair_vector(K)
        self.scale = float(np.max(np.abs(scores), initial=0.0)) or 1.0
        self.scores = scores / self.scale
        self.number = pair_matrix(np.arange(len(scores), dtype=float), self.m).astype(np.int64)
        self.shares = (self.scores > 0.0).astype(float)  # the optimum without rows
        self.rows = 0
        self._api = highs()
        self._highs: Any = self._api.Highs()
        n = len(scores)
        for name, value in (
            ("output_flag", False),
            ("threads", 1),
            ("presolve", "off"),
            ("solver", "simplex"),
        ):
            self._highs.setOptionValue(name, value)
        self._highs.addVars(n, np.zeros(n), np.ones(n))
        self._highs.changeColsCost(n, np.arange(n, dtype=np.int32), -self.scores)

    @property
    def value(self) -> float:
        """The value of the shares, in the units of K."""
        return self.scale * float(self.scores @ self.shares)

    @property
    def whole(self) -> bool:
        """Whether all shares are 0 or 1, and so a clustering once no triangle is broken."""
        return bool(np.all(np.minimum(self.shares, 1.0 - self.shares) < NEAR))

    def matrix(self) -> Array:
        """The shares as a matrix, 1 on its diagonal."""
        return pair_matrix(self.shares, self.m, 1.0)

    def triangles(self) -> ProgramRows:
        """The triangles broken the most, spread over the pairs."""
        triples, excess = broken_triangles(self.matrix(), NEAR)
        most = max(LEAST, 3 * ROWS // max(len(self.scores), 1))
        found = triples[choose(triples, np.argsort(-excess, kind="stable"), self.m, most)]
        i, j, k = found.T
        pairs = np.stack([self.number[i, j], self.number[i, k], self.number[j, k]], axis=1)
        return ProgramRows(
            3 * np.arange(len(found)), pairs.ravel(), np.tile([1.0, 1.0, -1.0], len(found)), found
        )

    def stars(self) -> ProgramRows:
        """Stars broken the most."""
        found, excess = broken_stars(self.matrix(), 1e-3)
        found = np.unique(found[np.argsort(-excess, kind="stable")[: 4 * STARS]], axis=0)[:STARS]
        pairs, signs, start = list[Ints](), list[Array](), [0]
        for row in found:
            T = row[2 : row[1] + 2]
            a, b = np.triu_indices(len(T), 1)
            pairs += [self.number[row[0], T], self.number[T[a], T[b]]]
            signs += [np.ones(len(T)), -np.ones(len(a))]
            start.append(start[-1] + len(T) + len(a))
        none = np.empty((0, 3), dtype=np.int64)
        if not len(found):
            return ProgramRows(none[:, 0], none[:, 0], np.empty(0), none)
        return ProgramRows(np.array(start[:-1]), np.concatenate(pairs), np.concatenate(signs), none)

    def add(self, rows: ProgramRows) -> None:
        """Keep these rows from now on."""
        count = len(rows.start)
        least, most = np.full(count, -self._api.kHighsInf), np.ones(count)
        start, pairs = rows.start.astype(np.int32), rows.pairs.astype(np.int32)
        self._highs.addRows(count, least, most, len(pairs), start, pairs, rows.signs)
        self.rows += count

    def limit(self, low: Array, high: Array) -> None:
        """Keep the shares within these limits."""
        n = len(self.scores)
        self._highs.changeColsBounds(n, np.arange(n, dtype=np.int32), low, high)

    def solve(self) -> bool:
        """Find the best shares; False where no shares are within limits and rows."""
        halt()
        before = self.value
        self._highs.run()
        status = self._highs.getModelStatus()
        if status == self._api.HighsModelStatus.kInfeasible:
            return False
        if status != self._api.HighsModelStatus.kOptimal:
            raise OracleFault(f"the linear program of {self.m} items was not solved: {status}")
        self.shares = np.clip(np.array(self._highs.getSolution().col_value), 0.0, 1.0)
        if (
            self.value < before - 1e-9 * self.scale
        ):  # only after progress, so that no row comes and goes for ever
            self._drop()
        return True

    def _drop(self) -> None:
        """Forget the rows that are far from being broken."""
        solution, basic = self._highs.getSolution(), self._api.HighsBasisStatus.kBasic
        loose = np.array(solution.row_value) < 0.9
        idle = np.array([status == basic for status in self._highs.getBasis().row_status], dtype=bool)
        gone = np.flatnonzero(loose & idle).astype(np.int32)
        if len(gone):
            self._highs.deleteRows(len(gone), gone)

    def bound(self) -> float:
        """A number that no shares within the rows exceed, from the last solution's multipliers; limits must
        be 0 and 1.
        """
        if not self.rows:
            return self.scale * float(np.sum(np.maximum(self.scores, 0.0)))
        solution = self._highs.getSolution()
        y, d = -np.array(solution.row_dual), -np.array(solution.col_dual)
        size = float(
            self.m**2
        )  # no left side is below minus this; multipliers have the wrong sign by a tolerance only
        total = np.sum(np.where(y >= 0.0, y, -size * y)) + np.sum(np.maximum(d, 0.0))
        return self.scale * float(total + 1e-13 * len(d))


def clustering(shares: Array, m: int) -> Ints:
    """The partition that whole shares say."""
    return canonical(np.argmax(pair_matrix(shares, m, 1.0) > 0.5, axis=1))
