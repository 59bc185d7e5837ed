"""The local-polytope relaxation as a linear program, for an outside solver (HiGHS): the plain form, and the
referee.

    max  sum_u unary_u . x_u + sum_e <pair_e, x_e>,   x >= 0
    s.t. sum_s x_u[s] = 1,   sum_t x_e[s, t] = x_a[s],   sum_s x_e[s, t] = x_b[t]         e = (a, b)

Degree thesis, 3.26 to 3.30 (3.28 in both directions); with two states it is the program LProg of Finley 2009,
section 5.3.2, whose vertices have shares 0, 1/2 and 1. m K + e K^2 variables and m + 2 e K equalities. The
dual simplex method ends at a vertex. Cost: one program for each field, 10 to 1000 times that of the fast
relaxation, which has the same optimum.
"""

from typing import Any, ClassVar, NamedTuple, final

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array

from explorer.engine.contracts import Effort
from explorer.engine.halting import halt
from explorer.engine.knobs import knob, settings
from explorer.engine.refusals import OracleFault, Refused
from explorer.engine.structures.fields.fields import Fields, Solved, flatten
from explorer.engine.structures.fields.kernels.relaxed_shares import fit
from explorer.engine.structures.fields.oracles.graph_cut import refused_numbers
from explorer.engine.vectors import Array, Ints

NEAR = 1e-6
"""Shares so near to 0, 1/2 or 1 are taken for it."""


class FieldProgram(NamedTuple):
    """max scores . x subject to rows x = right, x >= 0; x holds the node shares, then the edge shares."""

    scores: Array
    rows: Any
    right: Array

    @property
    def variables(self) -> int:
        """m K + e K^2."""
        return len(self.scores)

    @property
    def equalities(self) -> int:
        """m + 2 e K."""
        return len(self.right)


class Vertex(NamedTuple):
    """An optimum: its value, and shares of nodes (m, K) and edges (e, K, K)."""

    value: float
    node: Array
    edge: Array


@final
@settings
class LinearProgram:
    """One linear program for each field."""

    title: ClassVar[str] = "linear program"
    help: ClassVar[str] = (
        "Lets states be mixed, and gives the whole program to a simplex solver: slow, and the plainest "
        "relaxation."
    )
    kind: ClassVar[str] = "over"

    round: bool = knob(False, "Answer with the states of the largest shares instead of the shares.")

    @property
    def rounds(self) -> bool:
        """Whether its answers are hard, and so no longer bound anything."""
        return self.round

    def refuses(self, fields: Fields) -> str | None:
        """Scores that are not finite."""
        return refused_numbers(fields)

    def effort(self, fields: Fields) -> Effort:
        """The shares that it mixes."""
        size = fields.unary.size + len(fields.ends) * fields.states**2
        return Effort(
            size, f"this field has {size:,} shares; its time grows faster than their number", 1600, 25_000
        )

    def solve(self, fields: Fields) -> Solved:
        """The best relaxed labelling of every field, or the states of its largest shares; the optimum is the
        bound.
        """
        reason = self.refuses(fields)
        if reason:
            raise Refused(reason)
        labels: list[Ints] = []
        bound, fractions = np.empty(len(fields)), {}
        for i, field in enumerate(fields):
            halt()
            bound[i], node, edge = self.vertex(field)
            labels.append(np.argmax(node, axis=1).astype(np.int64))
            if not self.round and np.any(node.max(axis=1) < 1.0):
                fractions[i] = flatten(node, edge)
        return Solved(np.concatenate(labels), bound, fractions)

    def vertex(self, field: Fields) -> Vertex:
        """The optimum of one field, its shares exactly feasible."""
        m, K = field.unary.shape
        one = self.program(field)
        found = linprog(-one.scores, A_eq=one.rows, b_eq=one.right, bounds=(0, None), method="highs-ds")
        if found.x is None:
            raise OracleFault(f"the linear program of a field with {m} nodes was not solved: {found.message}")
        node, edge = found.x[: m * K].reshape(m, K).copy(), found.x[m * K :].reshape(-1, K, K).copy()
        fit(field.ends, np.ones(m, np.bool_), NEAR, node, edge)
        return Vertex(float(one.scores @ flatten(node, edge)), node, edge)

    def program(self, field: Fields) -> FieldProgram:
        """The program of one field."""
        (m, K), e = field.unary.shape, len(field.ends)
        joint = m * K + np.arange(e * K * K).reshape(e, K, K)
        firsts = m + 2 * K * np.arange(e)[:, None] + np.arange(K)
        lasts = firsts + K
        own = field.ends[:, :, None] * K + np.arange(K)
        entries = (
            (np.arange(m * K) // K, np.arange(m * K), 1.0),
            (np.repeat(firsts, K), joint, 1.0),
            (np.repeat(lasts, K), joint.transpose(0, 2, 1), 1.0),
            (firsts, own[:, 0], -1.0),
            (lasts, own[:, 1], -1.0),
        )
        rows, columns = (np.concatenate([np.ravel(entry[k]) for entry in entries]) for k in (0, 1))
        values = np.concatenate([np.full(np.size(column), sign) for _, column, sign in entries])
        matrix = csr_array((values, (rows, columns)), shape=(m + 2 * e * K, m * K + e * K * K))
        right = np.concatenate([np.ones(m), np.zeros(2 * e * K)])
        return FieldProgram(flatten(field.unary, field.pair[field.table]), matrix, right)
