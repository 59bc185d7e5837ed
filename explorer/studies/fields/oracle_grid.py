"""Which oracle to train with, and which to predict with: test losses of every combination.

    rows     the oracle of training: greedy, belief propagation, combine, exhaustive, relaxed; and no edges at
             all
    columns  the oracle of prediction, for one and the same model

Finley 2009, Tables 5.1 to 5.4 and section 5.5. The relaxed oracle is roof duality, whose answers are those of
the linear program ("LProg" there); a label that it leaves undecided counts half. Standard errors are sd /
sqrt(n) over examples, beside the formula that the printed ones follow. Synth2 gets a constant feature that
the printed model does not have: without it a linear score cannot compare the number of set features with a
threshold. C is fixed for each set, or chosen by cross validation (`select`). After training with belief
propagation on Synth1 some test examples have two best labellings of equal score (38 of 5,045, and 37 of 252
on a twentieth of the examples), so that the last bits of w, which no two ways of adding up share, decide
them: that row may differ by a point from machine to machine while its weights agree to 14 digits. Yeast,
Reuters and Mediamill are quoted, and run where their files are. Cost: one training for each oracle and set,
then one pass over the test examples for each predictor.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar, final

import numpy as np

from explorer.engine.contracts import Dataset
from explorer.engine.knobs import knob, settings
from explorer.studies.support import tables
from explorer.studies.support.fitting import FASTER, LEARNERS, Fitted, fit
from explorer.studies.support.grid_findings import floor, found_in
from explorer.studies.support.rows import row
from explorer.studies.support.selection import best_price, cross_validate
from explorer.studies.support.sets import (
    FIXED_C,
    SETS,
    SYNTH2,
    default_loss,
    examples,
    losses_of,
    predicting,
    printed_error,
    problem_of,
    sets_here,
    standard_error,
)
from explorer.studies.support.study import Column, Finding, Plot, Pulse, Row, at_place, quiet

ALL, EDGELESS, DEFAULT = "all", "no edges", "default"
RELAXATIONS = ("roof duality", "fast relaxation", "linear program")


@final
@settings
class OracleGrid:
    """Oracle of training by oracle of prediction."""

    name: ClassVar[str] = "oracle-grid"
    title: ClassVar[str] = "Which oracle to train with?"
    source: ClassVar[str] = "Finley 2009, Tables 5.1 to 5.4"
    about: ClassVar[str] = (
        "A model is trained with each oracle and tested under each predictor, on multi-label sets whose "
        "labels all depend on "
        "each other. Models trained with a relaxed oracle do well under every predictor, others not under a "
        "relaxed one; sets whose files are not in the data folder, as a rule Yeast, Reuters and Mediamill, "
        "are not run, and their printed figures stand alone."
    )
    beside: ClassVar[str] = "published"
    columns: ClassVar[tuple[Column, ...]] = (
        Column("data", "data", key=True),
        Column("oracle", "trained with", key=True),
        Column("predictor", "predicted with", key=True),
        Column("loss", "test loss", form=".2f"),
        Column("error", "s.e.", form=".2f"),
        Column("printed_error", "s.e. as printed", form=".2f"),
        Column("undecided", "undecided", form=".2f"),
        Column("train_loss", "training loss", form=".2f"),
        Column("C", "C", form="g"),
        Column("passes", "passes", form=",.0f"),
        Column("seconds", "seconds", form=".1f"),
    )
    plot: ClassVar[Plot] = Plot("heat", "predictor", ("loss",), series="oracle", panel="data")

    data: str = knob(ALL, "Which set; all: those that are here.", choices=(ALL, *SETS))
    share: float = knob(1.0, "Share of the source's examples.", low=0.01, high=1.0)
    relaxed: str = knob("roof duality", "The relaxed oracle.", choices=RELAXATIONS)
    eps: float = knob(0.1, "Tolerance of training, on losses from 0 to 100.", low=1e-6, high=10.0, log=True)
    constant: bool = knob(True, "Give Synth2 a feature that is always 1.")
    select: bool = knob(False, "Choose C by cross validation for every set and oracle; takes long.")
    folds: int = knob(10, "Folds of the cross validation.", low=2, high=100)
    learner: str = knob(
        FASTER, "Who trains: the faster one for each oracle, or always the same.", choices=LEARNERS
    )
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    @classmethod
    def quick(cls) -> "OracleGrid":
        return cls(data="synth1", share=0.05)

    @property
    def sets(self) -> tuple[str, ...]:
        """The sets that this study runs on."""
        return sets_here() if self.data == ALL else (self.data,)

    @property
    def total(self) -> int:
        return len(self.sets) * (len(tables.METHODS) ** 2 + 2)

    @property
    def published(self) -> tuple[Row, ...]:
        """Tables 5.1 to 5.4; when all sets are asked for, also of those that are not here."""
        quoted = SETS if self.data == ALL else self.sets
        return tuple(found for name in quoted for found in printed_figures(name))

    def rows(self, pulse: Pulse = quiet) -> Iterator[Row]:
        """Set by set, oracle by oracle."""
        for name in self.sets:
            train, test = examples(name, self.share, self.seed, self.constant)
            yield row(data=name, oracle=DEFAULT, predictor=DEFAULT, loss=default_loss(train, test))
            for oracle in (EDGELESS, *tables.METHODS):
                yield from self._trained(name, oracle, train, test, pulse)

    def _trained(self, name: str, oracle: str, train: Dataset, test: Dataset, pulse: Pulse) -> Iterator[Row]:
        """Train one model and test it under every predictor."""
        alone = oracle == EDGELESS
        used = "independent" if alone else self._title(oracle)
        problem = problem_of(train, used, "independent" if alone else "exhaustive", edges=not alone)
        noted = at_place(pulse, f"{name}, {oracle}")
        C = self._price(name, used, train, not alone, noted)
        model = fit(problem, C, self.eps, self.learner, self.seed, noted)
        told = {"C": C, "train_loss": float(np.mean(losses_of(problem, model.w)[0]))} | _cost(model)
        for predictor in (EDGELESS,) if alone else tables.METHODS:
            noted(f"predicting with {predictor}")
            title = "independent" if alone else self._title(predictor)
            losses, undecided = losses_of(predicting(problem, test, title), model.w)
            loss = float(np.mean(losses))
            yield row(
                data=name,
                oracle=oracle,
                predictor=predictor,
                loss=loss,
                error=standard_error(losses),
                printed_error=printed_error(loss, len(test)),
                undecided=undecided,
                **told,
            )

    def _title(self, method: str) -> str:
        return self.relaxed if method == tables.RELAXED else method

    def _price(self, name: str, oracle: str, train: Dataset, edges: bool, pulse: Pulse) -> float:
        """C for this set and oracle."""
        if not self.select:
            return FIXED_C[name]
        problem = problem_of(train, oracle, oracle, edges)
        return best_price(
            list(cross_validate(problem, tables.PRICES, self.folds, self.eps, self.seed, pulse))
        )

    def table(self, rows: Sequence[Row]) -> tuple[Row, ...]:
        """All rows."""
        return tuple(rows)

    def findings(self, rows: Sequence[Row]) -> tuple[Finding, ...]:
        """The source's findings (a), (b), (d) and (e) on each set, and the floor of Synth2 as printed."""
        found = tuple(finding for name in self.sets for finding in found_in(rows, name))
        return found if self.constant or SYNTH2 not in self.sets else (*found, floor(rows))


def printed_figures(name: str) -> tuple[Row, ...]:
    """What the source printed about one set."""
    n = tables.TEST_SIZE[name]
    cells = [
        row(
            data=name,
            oracle=oracle,
            predictor=predictor,
            loss=loss,
            printed_error=printed_error(loss, n),
            undecided=tables.AMBIGUOUS[name][i] if predictor == tables.RELAXED else None,
        )
        for i, (oracle, losses) in enumerate(zip(tables.METHODS, tables.GRID[name], strict=True))
        for predictor, loss in zip(tables.METHODS, losses, strict=True)
    ]
    base = tables.BASELINE[name]
    alone = row(
        data=name, oracle=EDGELESS, predictor=EDGELESS, loss=base, printed_error=printed_error(base, n)
    )
    return (row(data=name, oracle=DEFAULT, predictor=DEFAULT, loss=tables.DEFAULT[name]), alone, *cells)


def _cost(model: Fitted) -> dict[str, float]:
    return {"passes": model.passes, "seconds": model.seconds}
