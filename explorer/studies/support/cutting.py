"""1-slack cutting planes to the letter: every answer of the oracle is taken as it comes.

    repeat: (w, xi) = optimum over the planes so far;  yh_i = oracle's answer at w;  a = mean_i psi_i,
        b = mean_i Delta_i
    until   b - w . a <= xi + eps

Finley 2009, Algorithm 2 (Joachims, Finley and Yu 2009, Algorithm 3). `learners.OneSlack` puts the truth in
the place of an answer that is worse than it; the published algorithm does not, and with a poor oracle that
decides what it ends at: bad answers of some examples cancel the violations of others, and it declares victory
early. With an exact oracle both are the same. Planes do not depend on C, so a set of them can be handed on to
the next C. Cost of a round: one pass of the oracle over stacked fields, two sums, and a small quadratic
program.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from explorer.engine.contracts import Decomposes
from explorer.engine.dual.working_set import WorkingSet
from explorer.engine.events import EVERY_EXAMPLE
from explorer.engine.objective import Plane
from explorer.engine.refusals import Refused
from explorer.engine.structures.fields.fields import Solved, unflattened
from explorer.engine.structures.fields.kernels.scores import add_pairs
from explorer.engine.structures.fields.problem import FieldLabelling
from explorer.engine.vectors import Array, Vector, dot, scaled
from explorer.studies.support.study import Pulse, quiet

QP_TOLERANCE = 1e-10
IDLE = 50
"""A plane without mass in this many solves is dropped."""

AT_ONCE = 2000
"""Examples whose fields are made at the same time."""


@dataclass(frozen=True, slots=True, eq=False)
class Round:
    """One round: w and slack xi solve the program over the planes so far, whose value is `low`; `violation`
    is the oracle's word on how much more slack there should be, b - w . a; `last` where that is not above xi
    + eps."""

    k: int
    w: Array
    xi: float
    violation: float
    low: float
    last: bool


@dataclass
class Answers:
    """Asks the training oracle of a field problem, all examples at once, and adds up what it says."""

    problem: FieldLabelling
    delta: Decomposes = field(init=False)

    def __post_init__(self) -> None:
        if not isinstance(self.problem.delta, Decomposes):
            raise Refused("these studies need a loss that is a sum over nodes; choose Hamming")
        self.delta = self.problem.delta

    @cached_property
    def _cost(self) -> Array:
        """What each state costs at each node, of all examples."""
        per_node = self.delta.costs(self.problem.states)[self.problem.truth]
        sizes = np.diff(self.problem.layout.nodes)
        return per_node / np.repeat(sizes, sizes)[:, None] if self.delta.normalised else per_node

    @cached_property
    def _truths(self) -> tuple[Array, Array]:
        whole = Solved(self.problem.truth, np.zeros(0), {})
        return self._counts(0, self.problem.n, whole)

    def plane(self, w: Array) -> Plane:
        """The mean of all examples' most violated cuts at w, as the oracle gives them."""
        n = self.problem.n
        node, pair = (part.copy() for part in self._truths)
        loss = 0.0
        for lo in range(0, n, AT_ONCE):
            hi = min(lo + AT_ONCE, n)
            mine, joint = self._counts(lo, hi, self._solved(w, lo, hi))
            own = slice(self.problem.layout.nodes[lo], self.problem.layout.nodes[hi])
            loss += float(np.sum(self._cost[own] * mine))
            node[own] -= mine
            pair[self._pairs(lo, hi)] -= joint
        psi: Vector = self.problem.layout.gathered(node, pair)
        return Plane(scaled(1.0 / n, psi), loss / n, EVERY_EXAMPLE, None)

    def _solved(self, w: Array, lo: int, hi: int) -> Solved:
        layout, oracle = self.problem.layout, self.problem.separator
        truth = self.problem.truth[layout.nodes[lo] : layout.nodes[hi]]
        raised = self.problem.fields(w, lo, hi).raised(truth, self.delta)
        if reason := oracle.refuses(raised):
            raise Refused(reason)
        return oracle.solve(raised)

    def _pairs(self, lo: int, hi: int) -> slice:
        """Where the pair counts of examples lo .. hi lie: shared tables, or an own row for each edge."""
        layout = self.problem.layout
        return slice(None) if layout.marks is None else slice(int(layout.edges[lo]), int(layout.edges[hi]))

    def _counts(self, lo: int, hi: int, found: Solved) -> tuple[Array, Array]:
        """Node shares (N, K) and pair shares (tables or edges, K, K) of one answer for each of the examples
        lo .. hi.
        """
        part, K = self.problem.layout.part(lo, hi), self.problem.states
        node = np.zeros((int(part.nodes[-1]), K))
        pair = np.zeros((part.tables if part.marks is None else len(part.ends), K, K))
        weight = np.ones(hi - lo)
        weight[list(found.fractions)] = 0.0
        node[np.arange(len(node)), found.labels] = np.repeat(weight, np.diff(part.nodes))
        add_pairs(part.nodes, part.ends, part.edges, part.table, found.labels, weight, pair)
        for i, shares in found.fractions.items():
            a, b = part.nodes[i], part.nodes[i + 1]
            node[a:b], joint = unflattened(shares, int(b - a), K)
            np.add.at(pair, part.table[part.edges[i] : part.edges[i + 1]], joint)
        return node, pair


def rounds(
    problem: FieldLabelling,
    C: float,
    eps: float,
    most: int = 100_000,
    planes: WorkingSet | None = None,
    pulse: Pulse = quiet,
) -> Iterator[Round]:
    """The algorithm, round by round, for at most this many; `planes` is gone on from and added to."""
    working = WorkingSet(problem.dim) if planes is None else planes
    answers = Answers(problem)
    for k in range(most):
        solution = working.solve(problem, C, 1, QP_TOLERANCE)
        working.prune(IDLE)
        w, xi = working.w(), float(solution.slack[0])
        plane = answers.plane(w)
        violation = plane.b - dot(w, plane.a)
        done = violation <= xi + max(eps, solution.resolution / C)
        yield Round(k, w, xi, violation, solution.dual, done or k == most - 1)
        if done:
            return
        pulse(f"round {k + 1}, violation {violation:.3g}, slack {xi:.3g}")
        working.add(plane)
