"""Cross-validation of the hidden Markov SVM on block sequences: regularisation by distortion.

Iglesias 2013, section 4.2, Table 4.3 and Figures 4.3 and 4.4: five folds of 20 sequences, six
regularisations, five shares of flipped signs. The thesis' `reg` stands before |w|^2 / 2, so it is n / C here;
its toolbox adds monotony and a little smoothness, which are left out, and draws its data with limits that it
does not state. The sequential dual method trains from strong to weak regularisation, each run beginning where
the one before it ended. Cost: a minute or two for each distortion.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import ClassVar, final

import numpy as np

from explorer.engine.catalogue.validation import folds_of
from explorer.engine.knobs import knob, settings
from explorer.studies.support.block_models import (
    DISTORTIONS,
    HM_SVM,
    ML_HMM,
    REGS,
    VALIDATED,
    draw,
    part_scores,
)
from explorer.studies.support.row_blocks import rows_from
from explorer.studies.support.rows import judge, row, series, value, where
from explorer.studies.support.sequence_fits import parts_of
from explorer.studies.support.study import Column, Finding, Plot, Pulse, Row, at_place, quiet


@final
@settings
class BlockValidation:
    """Accuracy of five folds, over regularisation and distortion."""

    name: ClassVar[str] = "block-validation"
    title: ClassVar[str] = "Choosing the regularisation"
    source: ClassVar[str] = "Iglesias 2013, section 4.2, Table 4.3, Figures 4.3 and 4.4"
    about: ClassVar[str] = (
        "Block sequences are labelled by a hidden Markov SVM with piecewise linear curves, at six "
        "regularisations and growing distortion; five folds tell which one to take. A counted hidden Markov "
        "model stands beside it."
    )
    beside: ClassVar[str] = "published"
    columns: ClassVar[tuple[Column, ...]] = (
        Column("distortion", "distortion", key=True, form="g"),
        Column("model", "model", key=True),
        Column("reg", "regularisation", key=True, form="g"),
        Column("fold", "fold", form="d"),
        Column("accuracy", "accuracy, %", form=".2f"),
        Column("error", "standard error", form=".2f"),
        Column("positives", "predicted positive", form="d"),
        Column("negative", "all negative, %", form=".2f"),
        Column("gap", "relative gap", form=".2g"),
        Column("chosen", "chosen"),
    )
    plot: ClassVar[Plot] = Plot("heat", "distortion", ("accuracy",), series="reg", of="table")

    n: int = knob(100, "Training sequences.", low=4, high=1000)
    length: int = knob(250, "Positions of each sequence.", low=20, high=1000)
    folds: int = knob(5, "Folds.", low=2, high=100)
    gap: float = knob(0.05, "Relative gap of training.", low=1e-6, high=0.5, log=True)
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    @classmethod
    def quick(cls) -> "BlockValidation":
        return cls(n=6, length=40, folds=2, gap=0.5)

    @property
    def size(self) -> int:
        """Rows of a fold: the counted model, and the SVM at every regularisation."""
        return 1 + len(REGS)

    @property
    def total(self) -> int:
        return len(DISTORTIONS) * self.folds * self.size

    @property
    def published(self) -> tuple[Row, ...]:
        """Table 4.3."""
        return tuple(
            row(distortion=p, model=HM_SVM, reg=reg, accuracy=accuracy)
            for reg, line in VALIDATED.items()
            for p, accuracy in zip(DISTORTIONS, line, strict=True)
        )

    def rows(self, pulse: Pulse = quiet) -> Iterator[Row]:
        """Distortion by distortion, fold by fold."""
        return self.rows_after(0, pulse)

    def rows_after(self, count: int, pulse: Pulse = quiet) -> Iterator[Row]:
        """The rows but for the first `count`."""
        places = [(p, fold) for p in DISTORTIONS for fold in range(self.folds)]
        blocks = [lambda p=p, fold=fold: self._fold(p, fold, pulse) for p, fold in places]
        return rows_from(blocks, self.size, count)

    def _fold(self, p: float, fold: int, pulse: Pulse) -> Iterator[Row]:
        """All models trained without one fold, and measured on it."""
        data, _ = draw(self.n, self.length, p, self.seed)
        held = folds_of(len(data), self.folds, 0)[fold]
        rest, out = (parts_of(data, at) for at in (np.setdiff1d(np.arange(len(data)), held), held))
        negative = 100.0 * float(np.mean(np.concatenate(out.labels) == 0))
        where_ = at_place(pulse, f"distortion {p:g}")
        for score in part_scores(rest, out, REGS, self.gap, where_, f"fold {fold + 1}"):
            yield row(
                distortion=p,
                model=score.model,
                reg=score.reg or None,
                fold=fold + 1,
                accuracy=score.accuracy,
                positives=score.positives,
                negative=negative,
                gap=score.gap or None,
            )

    def table(self, rows: Sequence[Row]) -> tuple[Row, ...]:
        """Means over the folds, with the chosen regularisation of every distortion marked."""
        out = []
        for p in series(rows, "distortion"):
            own = where(rows, distortion=p)
            means = {reg: self._mean(own, model=HM_SVM, reg=reg) for reg in series(own, "reg")}
            best = max(means, key=lambda reg: means[reg], default=None)
            whole = len(own) == self.folds * self.size
            for reg in (*means, None):
                cells = where(own, model=HM_SVM, reg=reg) if reg else where(own, model=ML_HMM)
                values = np.array([found.number("accuracy") for found in cells])
                error = float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else None
                out.append(
                    row(
                        distortion=p,
                        model=HM_SVM if reg else ML_HMM,
                        reg=reg,
                        accuracy=float(values.mean()) if len(values) else None,
                        error=error,
                        positives=sum(int(found.number("positives")) for found in cells),
                        negative=float(np.mean([found.number("negative") for found in cells])),
                        chosen="chosen" if whole and reg == best else None,
                    )
                )
        return tuple(out)

    def _mean(self, rows: Sequence[Row], **cells: str | float) -> float:
        found = where(rows, **cells)
        return float(np.mean([one.number("accuracy") for one in found])) if found else float("nan")

    def findings(self, rows: Sequence[Row]) -> tuple[Finding, ...]:
        """What the table shows."""
        table = self.table(rows) if len(rows) == self.total else ()
        seen = {
            (reg, p): value(table, "accuracy", reg=reg, distortion=p) for reg in REGS for p in DISTORTIONS
        }
        falls = [seen[reg, a] - seen[reg, b] for reg in REGS for a, b in pairwise(DISTORTIONS)]
        strong = [seen[5.0, p] - seen[500.0, p] for p in DISTORTIONS]
        none = value(table, "positives", reg=500.0, distortion=0.4)
        base = value(table, "negative", reg=500.0, distortion=0.4)
        return (
            judge(
                "Accuracy falls as distortion grows, at every regularisation.",
                falls,
                min(falls) > 0.0,
                f"smallest fall {min(falls):.2f} points",
            ),
            judge(
                "The strongest regularisation (500) is never better than 5.",
                strong,
                min(strong) >= 0.0,
                f"5 is ahead by {min(strong):.2f} to {max(strong):.2f} points",
            ),
            judge(
                "At 500 and a distortion of 40 % nothing is predicted positive, as in the thesis' log.",
                (none,),
                none == 0,
                f"{none:.0f} positive; accuracy {seen[500.0, 0.4]:.2f} %, all negative {base:.2f} %",
            ),
        )
