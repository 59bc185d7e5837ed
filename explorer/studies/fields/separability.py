"""A problem that can be separated, but not by greedy search: what "separable" means depends on the algorithm.

    one feature, two labels, one pairwise weight:   f(x, y) = w_1 x y_1 + w_2 x y_2 + b y_1 y_2
    x = 1    is labelled (off, off)
    x = 1/2  is labelled (on, on)

w = (-2, -2, 3) scores both truths above all other labellings: at x = 1 they are worth 0 against -2, -2 and
-1, at x = 1/2 1 against 0, -1 and -1. Greedy search starts with both labels off. To leave x = 1 at its truth
it needs w_1, w_2 <= 0; then at x = 1/2 no first step gains anything either, and it ends at (off, off):
whatever the weights, greedy search makes a mistake. *Separable*, but not *algorithmically separable* (Finley
2009, section 5.3.3, after Kulesza and Pereira 2008). At its best greedy search has one label wrong in one of
the two examples: 25 %. Cost: none to speak of.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar, final

import numpy as np

from explorer.engine.contracts import Dataset
from explorer.engine.knobs import knob, settings
from explorer.engine.structures.fields.problem import FieldLabelling
from explorer.engine.theory.approximation import risks
from explorer.engine.vectors import Array
from explorer.studies.support.fitting import cutting_planes, final_step
from explorer.studies.support.rows import judge, row, value
from explorer.studies.support.sets import problem_of
from explorer.studies.support.study import Column, Finding, Plot, Pulse, Row, quiet

SEPARATING = (-2.0, -2.0, 3.0)
BY_HAND, SEARCHED, LEARNED, LEARNED_EXACTLY = (
    "by hand",
    "best of many",
    "learned with greedy",
    "learned exactly",
)


@final
@settings
class Separability:
    """Two risks of the same weights."""

    name: ClassVar[str] = "separability"
    title: ClassVar[str] = "Separable, but not for this algorithm"
    source: ClassVar[str] = "Finley 2009, section 5.3.3"
    about: ClassVar[str] = (
        "Two examples with two labels that exact prediction separates and greedy prediction never gets both "
        "right. "
        "Weights by hand, the best for greedy among many random ones, and learned ones, each with both risks."
    )
    beside: ClassVar[str] = "published"
    columns: ClassVar[tuple[Column, ...]] = (
        Column("weights", "weights", key=True),
        Column("exact_risk", "risk, exact prediction", form=".0f"),
        Column("greedy_risk", "risk, greedy prediction", form=".0f"),
        Column("w1", "w1", form=".3g"),
        Column("w2", "w2", form=".3g"),
        Column("b", "b", form=".3g"),
    )
    plot: ClassVar[Plot] = Plot("bars", "weights", ("exact_risk", "greedy_risk"))

    tries: int = knob(
        2000, "Random directions among which greedy search's best is looked for.", low=1, high=1_000_000
    )
    C: float = knob(1e4, "Price of the mean slack in learning.", low=1e-6, log=True)
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    @classmethod
    def quick(cls) -> "Separability":
        return cls(tries=300)

    @property
    def total(self) -> int:
        return 4

    @property
    def published(self) -> tuple[Row, ...]:
        """The source tells it in words."""
        return ()

    def rows(self, pulse: Pulse = quiet) -> Iterator[Row]:
        """By hand, searched, learned."""
        problem = toy("greedy", "greedy")
        yield both_risks(BY_HAND, problem, np.array(SEPARATING))
        directions = np.random.default_rng(self.seed).normal(size=(self.tries, problem.dim))
        yield both_risks(SEARCHED, problem, min(directions, key=lambda w: risks(problem, w)[0]))
        for name, oracle in ((LEARNED, "greedy"), (LEARNED_EXACTLY, "exhaustive")):
            last = final_step(cutting_planes(toy(oracle, "greedy"), self.C, 1e-3, pulse=pulse))
            yield both_risks(name, problem, last.w)

    def table(self, rows: Sequence[Row]) -> tuple[Row, ...]:
        """All rows."""
        return tuple(rows)

    def findings(self, rows: Sequence[Row]) -> tuple[Finding, ...]:
        """Separable, not algorithmically separable, and what learning makes of it."""
        exact, greedy = (value(rows, name, weights=BY_HAND) for name in ("exact_risk", "greedy_risk"))
        best = value(rows, "greedy_risk", weights=SEARCHED)
        learned = value(rows, "exact_risk", weights=LEARNED_EXACTLY)
        return (
            judge(
                "The toy is separable.", (exact,), exact == 0.0, f"risk {exact:g} % under exact prediction"
            ),
            judge(
                "It is not algorithmically separable by greedy search.",
                (greedy, best),
                min(greedy, best) > 0.0,
                f"at best {min(greedy, best):g} % among {self.tries} random directions; the module shows why",
            ),
            judge(
                "Exact training finds separating weights.",
                (learned,),
                learned == 0.0,
                f"risk {learned:g} % after learning",
            ),
        )


def toy(oracle: str, predictor: str) -> FieldLabelling:
    """The two examples."""
    data = Dataset("separable, not for greedy", np.array([[1.0], [0.5]]), np.array([[0, 0], [1, 1]]))
    return problem_of(data, oracle, predictor)


def both_risks(name: str, problem: FieldLabelling, w: Array) -> Row:
    """Both risks of some weights."""
    greedy, exact = risks(problem, w)
    return row(weights=name, exact_risk=exact, greedy_risk=greedy, w1=w[0], w2=w[1], b=w[2])
