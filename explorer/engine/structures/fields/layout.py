"""From a weight vector to the scores of stacked fields, and from what labellings count back to feature
vectors.

    w = [ unary block, F x columns, feature-major ;  pair block, G x slots ]
    unary[u, s] = x_u . W[:, s]  where every node has its own row (graphs), columns = states
                = x . W[:, u] if s = 1 else 0
                    where the nodes of an example share one row (multi-label), columns = labels
    pair[e, a, b] = sum_g mark[e, g] P[g, slot[a, b]],   0 where slot is -1

`slot` ties pairwise weights: full, symmetric, or only both-on. An edge has real marks, or names one of G
tables. Both directions are linear, each other's adjoint. Cost: one matrix product, and one look per edge and
pair of states.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse as sp

from explorer.engine.rows import slim
from explorer.engine.structures.fields.fields import flatten, is_relaxed, unflatten
from explorer.engine.vectors import Array, Ints, Vector

FULL, SYMMETRIC, NONE = "full", "symmetric", "none"


def slots(states: int, tie: str) -> Ints:
    """Which pairwise weight each pair of states uses: K x K numbers, -1 for none."""
    if tie == NONE:
        return np.full((states, states), -1, dtype=np.int64)
    if tie == FULL:
        return np.arange(states * states, dtype=np.int64).reshape(states, states)
    out = np.empty((states, states), dtype=np.int64)
    a, b = np.triu_indices(states)
    out[a, b] = out[b, a] = np.arange(len(a))
    return out


@dataclass(frozen=True)
class FieldLayout:
    """Stacked rows, edges and how weights are shared among them; `marks` is None where edges only name a
    table.
    """

    rows: Any
    shared_row: bool
    states: int
    nodes: Ints
    ends: Ints
    edges: Ints
    table: Ints
    marks: Array | None
    tables: int
    slot: Ints

    @property
    def columns(self) -> int:
        """Scores made of each row."""
        return int(self.nodes[1] - self.nodes[0]) if self.shared_row else self.states

    @property
    def split(self) -> int:
        """Where in w the pairwise weights begin."""
        return int(self.rows.shape[1]) * self.columns

    @property
    def per_table(self) -> int:
        """Pairwise weights of one table."""
        return int(self.slot.max()) + 1

    @property
    def dim(self) -> int:
        """Entries of w."""
        return self.split + self.tables * self.per_table

    @cached_property
    def free(self) -> Any:
        """Where a pair of states has a weight."""
        return self.slot >= 0

    def part(self, lo: int, hi: int) -> "FieldLayout":
        """Examples lo .. hi alone."""
        a, b, c, d = self.nodes[lo], self.nodes[hi], self.edges[lo], self.edges[hi]
        rows = self.rows[lo:hi] if self.shared_row else self.rows[a:b]
        table = self.table[c:d] if self.marks is None else np.arange(d - c, dtype=np.int64)
        marks = None if self.marks is None else self.marks[c:d]
        nodes, edges = self.nodes[lo : hi + 1] - a, self.edges[lo : hi + 1] - c
        return FieldLayout(
            rows,
            self.shared_row,
            self.states,
            nodes,
            self.ends[c:d],
            edges,
            table,
            marks,
            self.tables,
            self.slot,
        )

    def scores(self, w: Array) -> tuple[Array, Array]:
        """unary (N, K) and pair (tables or edges, K, K) at w."""
        found = np.ascontiguousarray(self.rows @ w[: self.split].reshape(-1, self.columns))
        if self.shared_row:
            unary = np.zeros((len(self.nodes) and int(self.nodes[-1]), 2))
            unary[:, 1] = found.ravel()
        else:
            unary = found
        P = np.zeros((self.tables, self.states, self.states))
        if self.per_table:
            P[:, self.free] = w[self.split :].reshape(self.tables, self.per_table)[:, self.slot[self.free]]
        if self.marks is None:
            return unary, P
        return unary, np.ascontiguousarray(np.tensordot(self.marks, P, axes=1))

    def gather(self, node: Array, pair: Array) -> Vector:
        """The feature vector of node coefficients (N, K) and pair coefficients (tables or edges, K, K)."""
        weight = node[:, 1].reshape(-1, self.columns) if self.shared_row else node
        block = np.asarray(self.rows.T @ weight)
        out = np.zeros(self.dim)
        out[: self.split] = block.ravel()
        if self.per_table:
            summed = pair if self.marks is None else np.tensordot(self.marks.T, pair, axes=1)
            tail = out[self.split :].reshape(self.tables, self.per_table)
            for k in range(self.per_table):
                tail[:, k] = summed[:, self.slot == k].sum(axis=1)
        return slim(out) if sp.issparse(self.rows) else out


def as_halves(label: Any, part: FieldLayout) -> Ints:
    """A labelling of a binary field as twice its shares: of state 1 of every node, of (1, 1) of every
    edge.
    """
    m = int(part.nodes[-1])
    if is_relaxed(label):
        node, edge = unflatten(np.asarray(label), m, 2)
        return np.rint(2.0 * np.concatenate([node[:, 1], edge[:, 1, 1]])).astype(np.int64)
    y = np.asarray(label, dtype=np.int64)
    return np.concatenate([2 * y, 2 * y[part.ends[:, 0]] * y[part.ends[:, 1]]])


def from_halves(numbers: Ints, part: FieldLayout) -> Any:
    """The labelling of a binary field that `as_halves` wrote: states where all shares are whole, else flat
    shares.
    """
    m = int(part.nodes[-1])
    if not np.any(numbers[:m] & 1):
        return numbers[:m] // 2
    y, both = 0.5 * numbers[:m], 0.5 * numbers[m:]
    a, b = y[part.ends[:, 0]], y[part.ends[:, 1]]
    edge = np.stack([1.0 - a - b + both, b - both, a - both, both], axis=1).reshape(-1, 2, 2)
    return flatten(np.stack([1.0 - y, y], axis=1), edge)
