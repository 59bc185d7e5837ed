"""The textbook picture of the bundle method: a curve with a kink, bounded from below by its tangents.

    J(w) = R(w) + lambda w^2,   R(w) = log(1 + exp(-2 w)) + 0.1 |w - 2|

Iteration i minimises lambda w^2 plus the largest of the tangents found so far: J-_i, its minimum, is below J*
and never falls; J+_i, the best J so far, is above J* and never rises (Pfahler 2015, section 2.2.2, Algorithm
1, figure 2.3). The learner is the one of the catalogue; it has C = 1 / (2 lambda) on the risk. J* beside it
comes from a search along the line that knows neither tangents nor subgradients. Cost: a call of the function
and a small quadratic program in each iteration.
"""

from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from typing import ClassVar, final

import numpy as np
from scipy.optimize import minimize_scalar

from explorer.engine.knobs import knob, settings
from explorer.engine.learners import Bundle
from explorer.engine.objective import from_lambda
from explorer.engine.structures.classes.convex_risk import ConvexRisk, bent_log_loss
from explorer.studies.support.rows import judge, row
from explorer.studies.support.study import Column, Finding, Plot, Pulse, Row, quiet

ROUNDING = 1e-9


@final
@settings
class BundleCurve:
    """Tangents below a curve, iteration by iteration."""

    name: ClassVar[str] = "bundle-curve"
    title: ClassVar[str] = "A curve from below"
    source: ClassVar[str] = "Pfahler 2015, section 2.2.2"
    about: ClassVar[str] = (
        "The bundle method minimises a convex curve of which it knows the value and one tangent at every "
        "place that it visits. The largest of all tangents lies below the curve, so its minimum is a lower "
        "bound that rises to the best value."
    )
    beside: ClassVar[str] = "published"
    columns: ClassVar[tuple[Column, ...]] = (
        Column("iteration", "iteration", key=True, form="d"),
        Column("w", "w", form=".6f"),
        Column("lower", "lower bound", form=".6f"),
        Column("upper", "best so far", form=".6f"),
        Column("gap", "gap", form=".2e"),
        Column("optimum", "by search along the line", form=".6f"),
    )
    plot: ClassVar[Plot] = Plot("lines", "iteration", ("upper", "lower", "optimum"))

    lam: float = knob(0.1, "Lambda, the factor on the square of w.", low=1e-3, high=10.0, log=True)
    iterations: int = knob(10, "Iterations at most.", low=1, high=100)
    seed: int = knob(0, "Nothing is drawn here; every study has one.", low=0, high=9999)

    @classmethod
    def quick(cls) -> "BundleCurve":
        return cls()

    @property
    def total(self) -> int:
        return self.iterations

    @property
    def published(self) -> tuple[Row, ...]:
        """The source draws the curve and prints no numbers."""
        return ()

    def rows(self, pulse: Pulse = quiet) -> Iterator[Row]:
        """Both bounds after each iteration."""
        C, optimum = from_lambda(self.lam), self.search()
        learner = Bundle(C=C, eps=1e-13, qp_tolerance=1e-13)
        steps = learner.steps(ConvexRisk(), np.random.default_rng(self.seed))
        for i, step in enumerate(islice(steps, self.iterations)):
            pulse(f"iteration {i}")
            lower, upper = step.bounds.dual / C, step.detail["best"] / C
            yield row(iteration=i, w=step.w[0], lower=lower, upper=upper, gap=upper - lower, optimum=optimum)

    def search(self) -> float:
        """The smallest value, by a bounded search along the line."""
        found = minimize_scalar(
            lambda w: bent_log_loss(np.array([w]))[0] + self.lam * w * w,
            bounds=(-5.0, 5.0),
            method="bounded",
            options={"xatol": 1e-12},
        )
        return float(found.fun)

    def table(self, rows: Sequence[Row]) -> tuple[Row, ...]:
        """All iterations."""
        return tuple(rows)

    def findings(self, rows: Sequence[Row]) -> tuple[Finding, ...]:
        """What the source says of both bounds."""
        lower, upper = ([found.number(name) for found in rows] for name in ("lower", "upper"))
        best = [found.number("optimum") for found in rows]
        between = all(
            a <= b + ROUNDING and b <= c + ROUNDING for a, b, c in zip(lower, best, upper, strict=True)
        )
        rises = all(b >= a - ROUNDING for a, b in pairwise(lower))
        falls = all(b <= a + ROUNDING for a, b in pairwise(upper))
        last = f"{lower[-1]:.6f} and {upper[-1]:.6f} after {len(rows)} iterations" if rows else ""
        return (
            judge(
                "The lower bound never falls, the upper bound never rises.",
                (*lower, *upper),
                rises and falls,
                last,
            ),
            judge(
                "The smallest value is between them at every iteration.",
                (*lower, *upper, *best),
                between,
                f"{last}; {best[-1]:.6f} by search" if best else "",
            ),
        )
