"""Piecewise linear emissions: each feature is scored by a curve that is straight between nodes.

    f(x) = v_1 below s_1,  v_P above s_P,  in between linear:  f(x) = sum_p v_p c_p(x)
    on [s_p, s_{p+1}]:  c_p(x) = (s_{p+1} - x) / (s_{p+1} - s_p),  c_{p+1}(x) = (x - s_p) / (s_{p+1} - s_p)

Iglesias 2013, equations 4.1 and 4.2, with the hat function at the end nodes, too. The shares c_p(x), which
sum to 1, are the features: as counts they make a hidden Markov model's log-densities, as features of a
structural SVM the curves of a hidden Markov SVM (Raetsch and Sonnenburg 2006). Nodes lie at quantiles of what
was observed, so that all P + 1 intervals hold equally many observations.

`smooth` adds  smooth * sum_p (v_{p+1} - v_p)^2  for every curve to half the squared length of w: with
I + 2 smooth D'D = L L' the regulariser is 1/2 |L'v|^2, so rows are multiplied by the inverse of L and
everything else stays as it is. Cost: two numbers a feature and position, with `smooth` one for every node.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from scipy import linalg
from scipy.sparse import block_diag, csr_array

from explorer.engine.refusals import Refused
from explorer.engine.vectors import Array, Ints

MOST_NODES = 1000


@dataclass(frozen=True, eq=False)
class Pieces:
    """The nodes of every feature, in rising order; a feature with few different values has fewer of them."""

    nodes: tuple[Array, ...]
    smooth: float = 0.0

    kind = "pieces"

    @classmethod
    def fit(cls, rows: Any, count: int, smooth: float = 0.0) -> Self:
        """Nodes at the quantiles of the columns of these rows."""
        if not 1 <= count <= MOST_NODES:
            raise Refused(f"{count} nodes make no curve; choose 1 to {MOST_NODES}")
        return cls(tuple(quantile_nodes(column, count) for column in np.asarray(dense_rows(rows)).T), smooth)

    @cached_property
    def starts(self) -> Ints:
        """Feature f has columns starts[f] .. starts[f + 1]."""
        return np.cumsum([0, *map(len, self.nodes)])

    def shares(self, rows: Any) -> Any:
        """c(x) of every row: all features' shares side by side."""
        x = np.asarray(dense_rows(rows), dtype=float)
        if x.shape[1] != len(self.nodes):
            raise Refused(f"a row has {x.shape[1]} numbers; these curves are for {len(self.nodes)}")
        columns, values = zip(*(self._of_feature(f, x[:, f]) for f in range(x.shape[1])), strict=True)
        index, value = np.concatenate(columns, axis=1), np.concatenate(values, axis=1)
        ends = np.arange(0, index.size + 1, index.shape[1], dtype=np.int32)
        shape = (len(x), int(self.starts[-1]))
        found = csr_array((value.ravel(), index.ravel().astype(np.int32), ends), shape=shape)
        found.sum_duplicates()
        found.eliminate_zeros()
        return found

    def _of_feature(self, f: int, x: Array) -> tuple[Ints, Array]:
        """For every value the two columns that share it, and how much each has."""
        s = self.nodes[f]
        above = np.searchsorted(s, x, side="right")
        left, right = np.maximum(above - 1, 0), np.minimum(above, len(s) - 1)
        wide = s[right] - s[left]
        share = np.where(wide > 0.0, (x - s[left]) / np.where(wide > 0.0, wide, 1.0), 0.0)
        return self.starts[f] + np.stack([left, right], axis=1), np.stack([1.0 - share, share], axis=1)

    @cached_property
    def factor(self) -> Any:
        """L for all curves of a state, blocks along the diagonal."""
        return csr_array(block_diag([_factor(len(s), self.smooth) for s in self.nodes]))

    @cached_property
    def _inverse(self) -> Any:
        """The transposed inverse of L."""
        blocks = (_factor(len(s), self.smooth) for s in self.nodes)
        return csr_array(
            block_diag([linalg.solve_triangular(L, np.eye(len(L)), lower=True).T for L in blocks])
        )

    def rows(self, rows: Any) -> Any:
        """The features of every row."""
        shares = self.shares(rows)
        return csr_array(shares @ self._inverse) if self.smooth else shares

    def curves(self, emissions: Array) -> Array:
        """The values v at the nodes that a matrix of weights (columns x states) stands for."""
        return np.asarray(self._inverse @ emissions) if self.smooth else emissions

    def weights(self, curves: Array) -> Array:
        """The weights that make these values at the nodes."""
        return np.asarray(self.factor.T @ curves) if self.smooth else curves

    def value(self, f: int, values: Array, x: Any) -> Array:
        """The curve of feature f with these values at its nodes."""
        return np.interp(np.asarray(x, dtype=float), self.nodes[f], values)

    def slopes(self, states: int, dim: int, state: int, rising: bool) -> list[Array]:
        """Vectors a with a . w >= 0 exactly where all curves of a state rise, or fall, from node to node."""
        found = []
        for begin, s in zip(self.starts, self.nodes, strict=False):
            for p in range(begin, begin + len(s) - 1):
                step = np.zeros((int(self.starts[-1]), 1))
                step[p + 1], step[p] = (1.0, -1.0) if rising else (-1.0, 1.0)
                part = np.asarray(self._inverse.T @ step) if self.smooth else step
                a = np.zeros(dim)
                a[: len(part) * states].reshape(-1, states)[:, state] = part[:, 0]
                found.append(a)
        return found

    def names(self, observed: Sequence[str]) -> tuple[str, ...]:
        """A name for every column."""
        return tuple(
            f"{name} at {s:.3g}" for name, own in zip(observed, self.nodes, strict=True) for s in own
        )


def quantile_nodes(values: Array, count: int) -> Array:
    """This many nodes between the sorted values, with equally many of them, within one, in each interval;
    equal values cannot be told apart, so there may be fewer.
    """
    x = np.sort(values)
    at = np.rint(np.arange(1, count + 1) * len(x) / (count + 1)).astype(int)
    at = np.unique(np.clip(at, 1, max(1, len(x) - 1)))
    return np.unique((x[at - 1] + x[np.minimum(at, len(x) - 1)]) / 2.0)


def dense_rows(rows: Any) -> Any:
    """Rows as an array; curves need every number."""
    return rows.toarray() if hasattr(rows, "toarray") else rows


def _factor(count: int, smooth: float) -> Array:
    """The Cholesky factor of I + 2 smooth D'D, where D takes differences of neighbours."""
    D = np.diff(np.eye(count), axis=0)
    return np.asarray(np.linalg.cholesky(np.eye(count) + 2.0 * smooth * (D.T @ D)), dtype=np.float64)
