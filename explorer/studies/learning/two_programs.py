"""One optimum, two programs: slacks held down by constraints, and hinges without any constraint.

    constrained    min over w, xi of 1/2 |w|^2 + C/n sum_i xi_i
                   such that  w . psi_i(y) >= Delta_i(y) - xi_i  for all i and y
    unconstrained  min over w     of 1/2 |w|^2 + C/n sum_i max_y (Delta_i(y) - w . psi_i(y))

At a fixed w the least xi_i that satisfies its constraints is the hinge of example i (which is at least 0, at
the truth), so both have one optimum, and there every slack is its hinge: Iglesias 2013, equation 3.12, and
the lecture "Structured Learning". Both are given whole, with all labellings written out, to an outside solver
(cvxpy and Clarabel), and the second one also to the bundle method, which knows hinges and their slopes only.
Cost: some CPU seconds.
"""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, NamedTuple, final

import numpy as np

from explorer.engine.data.readers.treebank import micro_treebank
from explorer.engine.data.toys import circle, overlapping
from explorer.engine.knobs import knob, settings
from explorer.engine.learners import Bundle
from explorer.engine.objective import cut_of
from explorer.engine.structures.classes.binary import Binary
from explorer.engine.structures.classes.multiclass import Multiclass
from explorer.engine.structures.trees.edge_hashes import EdgeHash
from explorer.engine.structures.trees.problem import DependencyTrees
from explorer.engine.vectors import Array, dense
from explorer.studies.support.rows import judge, row, series, where
from explorer.studies.support.study import Column, Finding, Plot, Pulse, Row, quiet

CIRCLE, CLOUDS, SENTENCES = "circle toy", "two clouds", "four German sentences"
SHARE = {CIRCLE: 1.0, CLOUDS: 1.0, SENTENCES: 0.01}
"""What of C each problem pays: the sentences would lose every slack at the price of the points."""

NEAR = 1e-4
"""How near both sides are asked to be: relative for optima, absolute for slacks."""

PRECISE = {"tol_gap_abs": 1e-12, "tol_gap_rel": 1e-12, "tol_feas": 1e-12}


class Side(NamedTuple):
    """Where a program ends: its optimum, and what it says of every example."""

    optimum: float
    of_examples: Array


@final
@settings
class TwoPrograms:
    """Slack and hinge of every example."""

    name: ClassVar[str] = "two-programs"
    title: ClassVar[str] = "With constraints or without?"
    source: ClassVar[str] = "Iglesias 2013, equation 3.12"
    about: ClassVar[str] = (
        "Training as a quadratic program with a slack for every example and a constraint for every "
        "labelling, and as the minimum of hinges without constraints. "
        "Both have one optimum, where every slack is its example's hinge."
    )
    beside: ClassVar[str] = "published"
    columns: ClassVar[tuple[Column, ...]] = (
        Column("problem", "problem", key=True),
        Column("example", "example", key=True, form="d"),
        Column("C", "C", form="g"),
        Column("labellings", "labellings", form=",d"),
        Column("slack", "slack, with constraints", form=".6f"),
        Column("hinge", "hinge, without", form=".6f"),
        Column("bundle", "hinge, by the bundle method", form=".6f"),
        Column("J_slack", "optimum with constraints", form=".7g"),
        Column("J_hinge", "without", form=".7g"),
        Column("J_bundle", "by the bundle method", form=".7g"),
    )
    plot: ClassVar[Plot] = Plot("lines", "slack", ("hinge",), series="problem")

    C: float = knob(
        10.0, "Price of the mean slack; the sentences pay a hundredth.", low=1e-3, high=1e4, log=True
    )
    per_class: int = knob(6, "Points in each of the two clouds.", low=1, high=50)
    seed: int = knob(0, "Which random draw of the clouds.", low=0, high=9999)

    @classmethod
    def quick(cls) -> "TwoPrograms":
        return cls()

    @property
    def total(self) -> int:
        return 12 + 2 * self.per_class + 4

    @property
    def published(self) -> tuple[Row, ...]:
        """An equivalence, without numbers."""
        return ()

    def problems(self) -> dict[str, Any]:
        """Two that are drawn in books, and one with up to 125 trees for each sentence."""
        return {
            CIRCLE: Multiclass(circle(), 3),
            CLOUDS: Binary(overlapping(self.per_class, self.seed)[0], "regularised"),
            SENTENCES: DependencyTrees(micro_treebank(), (EdgeHash("tags", "direction"),)),
        }

    def rows(self, pulse: Pulse = quiet) -> Iterator[Row]:
        """Problem by problem, one row for each example."""
        for name, problem in self.problems().items():
            pulse(f"{name}: writing every labelling out")
            cuts, sides, C = written_out(problem), [], SHARE[name] * self.C
            for solve in (with_constraints, without_constraints):
                pulse(f"{name}: {solve.__name__.replace('_', ' ')}")
                sides.append(solve(cuts, problem.dim, C))
            yield from self._rows(name, C, cuts, *sides, self._bundle(problem, C, cuts, name, pulse))

    def _bundle(
        self, problem: Any, C: float, cuts: "Sequence[LabellingCuts]", name: str, pulse: Pulse
    ) -> Side:
        for step in Bundle(C=C, eps=1e-8).steps(problem, np.random.default_rng(self.seed)):
            pulse(f"{name}: bundle method, step {step.k}")
            last = step
        return Side(last.bounds.primal, hinges(cuts, last.w))

    def _rows(self, name: str, C: float, cuts: "Sequence[LabellingCuts]", *sides: Side) -> Iterator[Row]:
        names = ("slack", "hinge", "bundle")
        optima = {f"J_{key}": side.optimum for key, side in zip(names, sides, strict=True)}
        for i, own in enumerate(cuts):
            values = {key: side.of_examples[i] for key, side in zip(names, sides, strict=True)}
            yield row(problem=name, example=i, C=C, labellings=len(own.loss), **values, **optima)

    def table(self, rows: Sequence[Row]) -> tuple[Row, ...]:
        """All rows."""
        return tuple(rows)

    def findings(self, rows: Sequence[Row]) -> tuple[Finding, ...]:
        """One optimum, slack by slack, and found without the outside solver."""
        return (
            _optima(rows, "J_hinge", "Both programs have one optimum."),
            _slacks(rows, "hinge", "There every slack is its example's hinge."),
            _optima(rows, "J_bundle", "A method that follows hinges only ends at the same optimum."),
        )


class LabellingCuts(NamedTuple):
    """All labellings of one example: their feature differences in rows, and their losses."""

    psi: Array
    loss: Array


def written_out(problem: Any) -> list[LabellingCuts]:
    """Every labelling of every example, the truth among them."""
    out = []
    for i in range(problem.n):
        cuts = [cut_of(problem, i, y) for y in problem.labellings(i)]
        out.append(
            LabellingCuts(np.array([dense(cut.psi) for cut in cuts]), np.array([cut.loss for cut in cuts]))
        )
    return out


def hinges(cuts: Sequence[LabellingCuts], w: Array) -> Array:
    """max_y Delta_i(y) - w . psi_i(y) of every example."""
    return np.array([float(np.max(own.loss - own.psi @ w)) for own in cuts])


def with_constraints(cuts: Sequence[LabellingCuts], dim: int, C: float) -> Side:
    """The quadratic program in w and xi, one constraint for every labelling."""
    import cvxpy  # slow to import, and only this study needs it

    cp: Any = cvxpy
    w, xi = cp.Variable(dim), cp.Variable(len(cuts))
    rules = [own.psi @ w >= own.loss - xi[i] for i, own in enumerate(cuts)]
    program = cp.Problem(cp.Minimize(cp.sum_squares(w) / 2 + C / len(cuts) * cp.sum(xi)), rules)
    program.solve(solver=cp.CLARABEL, **PRECISE)
    return Side(float(program.value), np.asarray(xi.value, dtype=float))


def without_constraints(cuts: Sequence[LabellingCuts], dim: int, C: float) -> Side:
    """The minimum over w alone of maxima of affine functions."""
    import cvxpy

    cp: Any = cvxpy
    w = cp.Variable(dim)
    risk = sum(cp.max(own.loss - own.psi @ w) for own in cuts)
    program = cp.Problem(cp.Minimize(cp.sum_squares(w) / 2 + C / len(cuts) * risk))
    program.solve(solver=cp.CLARABEL, **PRECISE)
    return Side(float(program.value), hinges(cuts, np.asarray(w.value, dtype=float)))


def _optima(rows: Sequence[Row], other: str, claim: str) -> Finding:
    pairs = [
        (name, where(rows, problem=name)[0].number("J_slack"), where(rows, problem=name)[0].number(other))
        for name in series(rows, "problem")
    ]
    return judge(
        claim,
        [value for _, *both in pairs for value in both],
        all(abs(a - b) <= NEAR * abs(a) for _, a, b in pairs),
        "; ".join(f"{name} {a:.7g} and {b:.7g}" for name, a, b in pairs),
    )


def _slacks(rows: Sequence[Row], other: str, claim: str) -> Finding:
    apart = [abs(found.number("slack") - found.number(other)) for found in rows]
    return judge(
        claim,
        apart,
        max(apart, default=0.0) <= NEAR,
        f"{len(apart)} examples, apart by {max(apart, default=0.0):.1e} at most",
    )
