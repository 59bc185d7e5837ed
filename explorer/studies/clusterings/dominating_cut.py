"""One cut that keeps the slack high: slack and weight against C, from the quadratic program and from the
closed form.

    N items, two together in the truth; the wrong answer has all apart:
    MITRE loss 100, Psi differs by psi_12 / N^2
    w = beta psi_12, the optimum with this cut alone, at each C, under margin and under slack scaling

Finley 2009, section 6.3; `dominating` has the closed form. The cut is made by the real problem: its features,
its loss and its pricing, from features that are drawn at random with |psi_12|^2 as asked; nothing of the
closed form enters our rows. Under margin scaling the slack stays near the loss until C is very large, and as
long as it does hardly another cut is worth adding; slack scaling needs a C that is smaller by loss^2. Cost:
none to speak of.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar, cast, final

import numpy as np

from explorer.engine.contracts import Dataset
from explorer.engine.dual.working_set import WorkingSet
from explorer.engine.knobs import knob, settings
from explorer.engine.objective import cut_of, plane_of
from explorer.engine.pricing import Pricing, Scaling
from explorer.engine.refusals import Refused
from explorer.engine.structures.clusterings.item_sets import item_set
from explorer.engine.structures.clusterings.losses import Mitre
from explorer.engine.structures.clusterings.oracles import GreedyMerges
from explorer.engine.structures.clusterings.partitions import pair_count
from explorer.engine.structures.clusterings.problem import Clustering
from explorer.engine.theory.dominating_cut import Dominating
from explorer.engine.vectors import Array
from explorer.studies.support.rows import judge, row, where
from explorer.studies.support.study import Column, Finding, Plot, Pulse, Row, quiet

SCALINGS = ("margin", "slack")
IN_A_DECADE = (1.0, 2.5, 5.0)
FEATURES = 4
NO_SLACK = 1e-7
"""Below this share of the loss a slack is none."""

AGREES = 1e-4


@final
@settings
class DominatingCut:
    """Slack and weight against C."""

    name: ClassVar[str] = "dominating-cut"
    title: ClassVar[str] = "One cut that dominates all others"
    source: ClassVar[str] = "Finley 2009, section 6.3"
    about: ClassVar[str] = (
        "A clustering that is almost the truth has the largest MITRE loss, and a single cut asks for "
        "weights that only a huge C "
        "pays for. The optimum with this cut alone is shown under margin and slack scaling, beside the "
        "closed form."
    )
    beside: ClassVar[str] = "closed form"
    columns: ClassVar[tuple[Column, ...]] = (
        Column("scaling", "scaling", key=True),
        Column("C", "C", key=True, form=",g"),
        Column("slack", "slack", form=".4f"),
        Column("beta", "beta", form=".4g"),
        Column("loss", "loss of the cut", form="g"),
    )
    plot: ClassVar[Plot] = Plot("lines", "C", ("slack",), series="scaling", log=("x",))

    items: int = knob(10, "Items, of which two belong together.", low=3, high=100)
    squared_norm: float = knob(
        4.0, "|psi|^2 of the pair that belongs together.", low=1e-3, high=1e3, log=True
    )
    least: float = knob(0.01, "The smallest C.", low=1e-9, high=1e12, log=True)
    most: float = knob(1e6, "The largest C.", low=1e-9, high=1e12, log=True)
    seed: int = knob(0, "Which random features.", low=0, high=9999)

    def __post_init__(self) -> None:
        if self.most <= self.least:
            raise Refused(
                f"the largest C, {self.most:g}, is not above the smallest, {self.least:g}; raise it"
            )

    @classmethod
    def quick(cls) -> "DominatingCut":
        return cls()

    @property
    def prices(self) -> tuple[float, ...]:
        """1, 2.5 and 5 in every decade."""
        low, high = np.floor(np.log10(self.least)), np.ceil(np.log10(self.most))
        every = (
            float(f"{part:g}e{decade:.0f}") for decade in np.arange(low, high + 1.0) for part in IN_A_DECADE
        )
        return tuple(C for C in every if self.least <= C <= self.most)

    @property
    def total(self) -> int:
        return len(SCALINGS) * len(self.prices)

    @property
    def published(self) -> tuple[Row, ...]:
        """The closed form at the same prices."""
        form = Dominating(self.items, self.squared_norm)
        return tuple(
            row(
                scaling=scaling, C=C, slack=form.slack(C, scaling), beta=form.beta(C, scaling), loss=form.loss
            )
            for scaling in cast("tuple[Scaling, ...]", SCALINGS)
            for C in self.prices
        )

    def rows(self, pulse: Pulse = quiet) -> Iterator[Row]:
        """Scaling by scaling, C by C."""
        for scaling in SCALINGS:
            problem = self.problem(cast("Scaling", scaling))
            for C in self.prices:
                pulse(f"{scaling} scaling, C = {C:g}")
                yield self._solved(problem, C)

    def problem(self, scaling: Scaling) -> Clustering:
        """One set of items, of which the first two belong together."""
        rng = np.random.default_rng(self.seed)
        psi = rng.normal(size=(pair_count(self.items), FEATURES))
        psi[0] *= np.sqrt(self.squared_norm) / np.linalg.norm(psi[0])
        truth = np.r_[0, np.arange(self.items - 1)]
        data = Dataset("dominating cut", (item_set(self.items, pairs=psi),), (truth,))
        greedy = GreedyMerges()
        return Clustering(data, delta=Mitre(), pricing=Pricing(scaling), separator=greedy, predictor=greedy)

    def _solved(self, problem: Clustering, C: float) -> Row:
        """The optimum with the one cut; beta is the part of w along psi_12."""
        cut = cut_of(problem, 0, np.arange(self.items))
        working = WorkingSet(problem.dim)
        working.add(plane_of(problem, cut))
        solution = working.solve(problem, C, 1, 1e-12)
        psi: Array = problem.dataset.inputs[0].pairs[0]
        beta = float(working.w() @ psi) / float(psi @ psi)
        return row(
            scaling=problem.pricing.scaling, C=C, slack=float(solution.slack[0]), beta=beta, loss=cut.loss
        )

    def table(self, rows: Sequence[Row]) -> tuple[Row, ...]:
        """All rows."""
        return tuple(rows)

    def findings(self, rows: Sequence[Row]) -> tuple[Finding, ...]:
        """Where the slack ends, how far the two scalings are apart, and whether program and formula agree."""
        first = {scaling: no_slack_from(where(rows, scaling=scaling)) for scaling in SCALINGS}
        form = Dominating(self.items, self.squared_norm)
        ends = (
            _ends(scaling, first[scaling], form.no_slack_from(cast("Scaling", scaling)))
            for scaling in SCALINGS
        )
        return (*ends, _ratio(first["margin"], first["slack"], form.loss), self._agreement(rows))

    def _agreement(self, rows: Sequence[Row]) -> Finding:
        twins = {(found["scaling"], found["C"]): found for found in self.published}
        both = [
            (found, twins[found["scaling"], found["C"]])
            for found in rows
            if (found["scaling"], found["C"]) in twins
        ]
        apart = [
            abs(mine.number(name) - form.number(name)) / max(form.number(scale), 1e-300)
            for mine, form in both
            for name, scale in (("slack", "loss"), ("beta", "beta"))
        ]
        worst = max(apart, default=float("nan"))
        return judge(
            f"Slack and beta of the quadratic program agree with the closed form to {AGREES:g}.",
            (worst,),
            worst <= AGREES,
            f"largest relative difference {worst:.1e} in {len(both)} programs",
        )


def no_slack_from(rows: Sequence[Row]) -> float:
    """Where the slack, linear in C while there is some, reaches 0: by the last row that has slack and one
    after it.
    """
    left = [found for found in rows if found.number("slack") > NO_SLACK * found.number("loss")]
    done = [found for found in rows if found not in left]
    if not left or not done:
        return float("nan")
    last = max(left, key=lambda found: found.number("C"))
    paid = 1.0 - last.number("slack") / last.number("loss")
    return last.number("C") / paid if paid > 0.0 else float("nan")


def _ends(scaling: str, first: float, expected: float) -> Finding:
    return judge(
        f"Under {scaling} scaling there is no slack from C = {expected:,.6g} on.",
        (first,),
        abs(first - expected) <= AGREES * expected,
        f"the slack of the quadratic program ends at C = {first:,.6g}",
    )


def _ratio(margin: float, slack: float, loss: float) -> Finding:
    return judge(
        f"Slack scaling needs a C that is {loss**2:,.0f} times smaller.",
        (margin, slack),
        abs(margin / slack / loss**2 - 1.0) <= AGREES,
        f"{margin / slack:,.6g} times",
    )
