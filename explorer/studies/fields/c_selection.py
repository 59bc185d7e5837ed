"""The curve of the cross validation that chooses C: mean loss on held-out folds against the price of the
slack.

Finley 2009, section 5.5.1; see `selection.py`. Small C underfits; on sets that can be separated large C does
no harm.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar, final

from explorer.engine.knobs import knob, settings
from explorer.studies.support import tables
from explorer.studies.support.rows import judge, row, value
from explorer.studies.support.selection import Validated, cross_validate, curve
from explorer.studies.support.sets import SETS, SYNTH1, examples, problem_of
from explorer.studies.support.study import Column, Finding, Plot, Pulse, Row, quiet

ORACLES = ("greedy", "belief propagation", "combine", "exhaustive", "roof duality")


@final
@settings
class CSelection:
    """Cross validation over 14 prices."""

    name: ClassVar[str] = "c-selection"
    title: ClassVar[str] = "Which price for the slack?"
    source: ClassVar[str] = "Finley 2009, section 5.5.1"
    about: ClassVar[str] = (
        "For every fold and each of 14 values of C, a model is trained on the other folds and tested on "
        "that one. "
        "The C with the smallest mean loss is what the grid of oracles uses when it is asked to select."
    )
    beside: ClassVar[str] = "published"
    columns: ClassVar[tuple[Column, ...]] = (
        Column("C", "C", key=True, form="g"),
        Column("fold", "fold", key=True),
        Column("loss", "held-out loss, %", form=".2f"),
        Column("error", "standard error", form=".2f"),
        Column("rounds", "rounds", form=",d"),
        Column("chosen", "chosen"),
    )
    plot: ClassVar[Plot] = Plot("lines", "C", ("loss",), log=("x",), of="table")

    data: str = knob(SYNTH1, "Which set.", choices=SETS)
    oracle: str = knob("exhaustive", "The oracle of training, and of testing on the fold.", choices=ORACLES)
    share: float = knob(1.0, "Share of the source's examples.", low=0.01, high=1.0)
    folds: int = knob(10, "Folds.", low=2, high=100)
    eps: float = knob(0.1, "Tolerance of training, on losses from 0 to 100.", low=1e-6, high=10.0, log=True)
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    @classmethod
    def quick(cls) -> "CSelection":
        return cls(share=0.06, folds=2, eps=1.0)

    @property
    def total(self) -> int:
        return len(tables.PRICES) * self.folds

    @property
    def published(self) -> tuple[Row, ...]:
        """The chosen values were not printed."""
        return ()

    def rows(self, pulse: Pulse = quiet) -> Iterator[Row]:
        """Fold by fold, C from the smallest to the largest."""
        train, _ = examples(self.data, self.share, self.seed)
        problem = problem_of(train, self.oracle, self.oracle)
        for found in cross_validate(problem, tables.PRICES, self.folds, self.eps, self.seed, pulse):
            yield row(C=found.C, fold=found.fold, loss=found.loss, rounds=found.rounds)

    def table(self, rows: Sequence[Row]) -> tuple[Row, ...]:
        """The curve, with the chosen price marked."""
        points = curve([Validated(0, found.number("C"), found.number("loss"), 0) for found in rows])
        best = min(points, key=lambda point: (point.loss, point.C), default=None)
        return tuple(
            row(C=p.C, loss=p.loss, error=p.error, chosen="chosen" if p is best else None) for p in points
        )

    def findings(self, rows: Sequence[Row]) -> tuple[Finding, ...]:
        """Whether choosing matters."""
        table = self.table(rows) if len(rows) == self.total else ()
        best = value(table, "loss", chosen="chosen")
        price, worst = (
            value(table, "C", chosen="chosen"),
            max((found.number("loss") for found in table), default=0.0),
        )
        error = value(table, "error", chosen="chosen")
        return (
            judge(
                "C matters: the best price is better than the worst by more than two standard errors.",
                (best, error),
                worst - best > 2.0 * error,
                f"{best:.2f} ± {error:.2f} % at C = {price:g}, {worst:.2f} % at the worst",
            ),
        )
