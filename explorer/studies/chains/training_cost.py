"""What weak regularisation costs: rounds of the cutting plane until the gap is small.

Iglesias 2013, section 4.2, Table 4.4: seconds of a cross-validation run (80 block sequences without
distortion) at six regularisations, from 106 to 674. Seconds of that machine and this one cannot be compared,
rounds of cutting planes can with each other: each adds the most violated labelling of every sequence and
solves the quadratic program again. With weak regularisation more of them are needed. Cost: minutes.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import ClassVar, final

from explorer.engine.knobs import knob, settings
from explorer.engine.learners import NSlack
from explorer.studies.support.block_models import REGS, SECONDS, curves_of, draw
from explorer.studies.support.rows import judge, row
from explorer.studies.support.sequence_fits import fit_chain, margin, price_of_reg
from explorer.studies.support.study import Column, Finding, Plot, Pulse, Row, at_place, quiet


@final
@settings
class TrainingCost:
    """Rounds and seconds against regularisation."""

    name: ClassVar[str] = "training-cost"
    title: ClassVar[str] = "What weak regularisation costs"
    source: ClassVar[str] = "Iglesias 2013, section 4.2, Table 4.4"
    about: ClassVar[str] = (
        "Hidden Markov SVMs of block sequences are trained to the same relative gap at growing freedom. "
        "Rounds of cutting planes are counted, and passes of the sequential dual method."
    )
    beside: ClassVar[str] = "published"
    columns: ClassVar[tuple[Column, ...]] = (
        Column("reg", "regularisation", key=True, form="g"),
        Column("rounds", "rounds of cutting planes", form="d"),
        Column("gap", "relative gap", form=".2g"),
        Column("seconds", "seconds", form=".2f"),
        Column("passes", "passes of the sequential dual method", form=".0f"),
    )
    plot: ClassVar[Plot] = Plot("lines", "reg", ("rounds", "passes"), log=("x", "y"))

    n: int = knob(80, "Training sequences.", low=2, high=1000)
    length: int = knob(250, "Positions of each sequence.", low=20, high=1000)
    weakest: float = knob(5.0, "The weakest regularisation that is tried.", low=0.005, high=500.0, log=True)
    gap: float = knob(0.02, "Relative gap of training.", low=1e-6, high=0.5, log=True)
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    @classmethod
    def quick(cls) -> "TrainingCost":
        return cls(n=6, length=40, gap=0.1)

    @property
    def regs(self) -> tuple[float, ...]:
        """From strong to weak."""
        return tuple(reg for reg in REGS if reg >= self.weakest)

    @property
    def total(self) -> int:
        return len(self.regs)

    @property
    def published(self) -> tuple[Row, ...]:
        """Table 4.4."""
        return tuple(row(reg=reg, seconds=seconds) for reg, seconds in SECONDS.items())

    def rows(self, pulse: Pulse = quiet) -> Iterator[Row]:
        """From strong regularisation to weak."""
        return self.rows_after(0, pulse)

    def rows_after(self, count: int, pulse: Pulse = quiet) -> Iterator[Row]:
        """The rows but for the first `count`."""
        train, test = draw(self.n, self.length, 0.0, self.seed)
        problem, _ = curves_of(train, test)
        for reg in self.regs[count:]:
            C, said = price_of_reg(reg, problem.n), at_place(pulse, f"reg {reg:g}")
            planes = fit_chain(problem, NSlack(C=C, eps=0.0), self.gap, said)
            dual = fit_chain(problem, margin(C), self.gap, said)
            yield row(
                reg=reg,
                rounds=round(planes.passes),
                gap=planes.gap,
                seconds=planes.seconds,
                passes=dual.passes,
            )

    def table(self, rows: Sequence[Row]) -> tuple[Row, ...]:
        """All rows."""
        return tuple(rows)

    def findings(self, rows: Sequence[Row]) -> tuple[Finding, ...]:
        """The order of the table."""
        rounds = [found.number("rounds") for found in rows]
        return (
            judge(
                "The weaker the regularisation, the more rounds.",
                rounds if len(rows) == self.total else [],
                all(a < b for a, b in pairwise(rounds)),
                ", ".join(f"{x:.0f}" for x in rounds),
            ),
        )
