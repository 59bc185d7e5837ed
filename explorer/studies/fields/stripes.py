"""Striped pictures with and without pairwise weights, at growing noise.

    unary Bayes accuracy   integral phi(z) Phi(z + 1 / sigma)^2 dz: the best that a cell alone can do

Iglesias 2013, section 4.3, Figures 4.6 and 4.7: 20 pictures of 12 x 12 cells in three colours, tested on the
pictures that trained it. The source shows two pictures and does not say how much noise they have. The
reference beside our numbers is a run of stochastic subgradient descent with his settings (step 0.01, 100
steps, linear programs), which at large noise stays below what the same model can reach. Here 1-slack cutting
planes train; other pictures are 20 more. At noise 2 few cells have a colour that is more likely than not, and
the hinge of three classes is then least at w = 0: the unary model learns nothing, although the Bayes rule
beats chance. Cost: seconds.
"""

import math
from collections.abc import Iterator, Sequence
from typing import ClassVar, final

import numpy as np
from scipy.special import ndtr

from explorer.engine.catalogue.oracle_names import oracle_named
from explorer.engine.contracts import Dataset
from explorer.engine.data import stripes as pictures
from explorer.engine.knobs import knob, settings
from explorer.engine.structures.fields.graph_map import GraphMap
from explorer.engine.structures.fields.layout import NONE, SYMMETRIC
from explorer.engine.structures.fields.problem import FieldLabelling
from explorer.engine.vectors import Array
from explorer.studies.support.fitting import cutting_planes, final_step
from explorer.studies.support.rows import judge, row, value
from explorer.studies.support.study import Column, Finding, Plot, Pulse, Row, at_place, quiet

SIGMAS = (0.1, 0.3, 0.5, 0.7, 1.0, 1.25, 1.5, 2.0)
UNARY, PAIRWISE = "unary", "unary and pairwise"
REFERENCE = {
    0.1: (100.00, 100.00, 20),
    0.5: (86.46, 99.76, 16),
    0.7: (74.58, 98.30, 8),
    1.0: (61.28, 92.78, 1),
    1.25: (55.10, 88.96, 1),
    1.5: (48.40, 74.72, 0),
    2.0: (37.19, 63.96, 0),
}
"""Accuracy without and with pairwise weights in per cent, and pictures of 20 without a wrong cell."""

NOTHING = "w = 0 is best: ties decide"
ORACLES = ("alpha-expansion", "combine", "belief propagation", "ICM", "greedy", "fast relaxation")


@final
@settings
class StripesStudy:
    """Accuracy against noise."""

    name: ClassVar[str] = "stripes"
    title: ClassVar[str] = "What neighbours are worth"
    source: ClassVar[str] = "Iglesias 2013, section 4.3, Figures 4.6 and 4.7"
    about: ClassVar[str] = (
        "Noisy pictures of three stripes are labelled cell by cell, with and without weights for pairs of "
        "neighbours. "
        "Alone a cell cannot beat the Bayes rate; with its neighbours the stripes come out almost without a "
        "fault."
    )
    beside: ClassVar[str] = "reference run"
    columns: ClassVar[tuple[Column, ...]] = (
        Column("sigma", "noise", key=True, form="g"),
        Column("model", "weights", key=True),
        Column("accuracy", "accuracy, %", form=".2f"),
        Column("test_accuracy", "on other pictures, %", form=".2f"),
        Column("perfect", "perfect pictures", form="d"),
        Column("bayes", "unary Bayes, %", form=".2f"),
        Column("remark", "remark"),
    )
    plot: ClassVar[Plot] = Plot("lines", "sigma", ("accuracy",), series="model")

    n: int = knob(20, "Pictures to train on, and as many others to test on.", low=1, high=500)
    oracle: str = knob("alpha-expansion", "The oracle of the pairwise model.", choices=ORACLES)
    C: float = knob(10.0, "Price of the mean slack.", low=1e-6, log=True)
    eps: float = knob(0.1, "Tolerance of training, on losses from 0 to 144.", low=1e-6, high=10.0, log=True)
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    @classmethod
    def quick(cls) -> "StripesStudy":
        return cls(n=6, eps=1.0)

    @property
    def total(self) -> int:
        return 2 * len(SIGMAS)

    @property
    def published(self) -> tuple[Row, ...]:
        """The reference run."""
        return tuple(
            row(sigma=sigma, model=model, accuracy=accuracy, perfect=perfect if model == PAIRWISE else None)
            for sigma, (alone, together, perfect) in REFERENCE.items()
            for model, accuracy in ((UNARY, alone), (PAIRWISE, together))
        )

    def rows(self, pulse: Pulse = quiet) -> Iterator[Row]:
        """From little noise to much."""
        for sigma in SIGMAS:
            train, test = pictures.stripes(self.n, self.n, sigma, self.seed)
            for model in (UNARY, PAIRWISE):
                yield self._row(sigma, model, train, test, at_place(pulse, f"noise {sigma:g}, {model}"))

    def _row(self, sigma: float, model: str, train: Dataset, test: Dataset, pulse: Pulse) -> Row:
        """Train one model and count its mistakes."""
        oracle = oracle_named("independent" if model == UNARY else self.oracle)
        tie = NONE if model == UNARY else SYMMETRIC
        problem = FieldLabelling(train, GraphMap(3, tie), separator=oracle, predictor=oracle)
        last = final_step(cutting_planes(problem, self.C, self.eps, pulse=pulse))
        wrong, other = (mistakes(part, last.w) for part in (problem, problem.on(test)))
        cells = len(problem.truth) / problem.n
        return row(
            sigma=sigma,
            model=model,
            accuracy=100.0 * (1.0 - float(np.mean(wrong)) / cells),
            test_accuracy=100.0 * (1.0 - float(np.mean(other)) / cells),
            perfect=int(np.count_nonzero(wrong == 0)),
            bayes=100.0 * unary_bayes(sigma),
            remark=NOTHING if float(np.max(np.abs(last.w))) < 1e-6 else None,
        )

    def table(self, rows: Sequence[Row]) -> tuple[Row, ...]:
        """All rows."""
        return tuple(rows)

    def findings(self, rows: Sequence[Row]) -> tuple[Finding, ...]:
        """What the two pictures show, and what bounds the unary model."""
        seen = {(s, m): value(rows, "accuracy", sigma=s, model=m) for s in SIGMAS for m in (UNARY, PAIRWISE)}
        other = [value(rows, "test_accuracy", sigma=s, model=UNARY) for s in SIGMAS]
        above = [x - 100.0 * unary_bayes(s) for s, x in zip(SIGMAS, other, strict=True)]
        noisy = [s for s in SIGMAS if s >= 0.5]
        spread = 300.0 / math.sqrt(144 * self.n) / 2.0
        return (
            *(self._picture(seen, sigma, name) for sigma, name in ((0.5, "low"), (0.7, "high"))),
            judge(
                "Pairwise weights help at every noise from 0.5 on.",
                [seen[s, m] for s in noisy for m in (UNARY, PAIRWISE)],
                all(seen[s, PAIRWISE] > seen[s, UNARY] for s in noisy),
                ", ".join(f"{s:g}: {seen[s, PAIRWISE] - seen[s, UNARY]:+.1f}" for s in noisy) + " points",
            ),
            judge(
                "On other pictures no unary model beats the Bayes rate of a cell, but for chance (three "
                "standard errors).",
                above,
                max(above) <= spread,
                f"at most {max(above):+.2f} points above it",
            ),
        )

    def _picture(self, seen: dict[tuple[float, str], float], sigma: float, name: str) -> Finding:
        alone, together = seen[sigma, UNARY], seen[sigma, PAIRWISE]
        return judge(
            f"At {name} noise ({sigma:g}) pairwise weights leave almost no wrong cell (the source: none), "
            "unary ones many.",
            (alone, together),
            together >= (99.0 if sigma <= 0.5 else 97.0) and alone < 90.0,
            f"{together:.2f} % against {alone:.2f} %",
        )


def mistakes(problem: FieldLabelling, w: Array) -> Array:
    """Wrong cells of every picture."""
    return problem.losses(problem.predictions(w))


def unary_bayes(sigma: float) -> float:
    """How often the largest of three noisy features is that of the true colour: integral phi(z) Phi(z + 1 /
    sigma)^2 dz.
    """
    z, weight = np.polynomial.hermite_e.hermegauss(120)
    return float(weight @ ndtr(z + 1.0 / sigma) ** 2) / math.sqrt(2.0 * math.pi)
