"""Generative and discriminative models on block sequences, as distortion grows.

Iglesias 2013, section 4.2, Table 4.5: the hidden Markov SVM at the regularisation that cross-validation
chose, and the counted hidden Markov model, on 100 test sequences. A conditional random field, whose price is
chosen in the same way, and an averaged perceptron stand beside them. Choices are made on training data alone
(two of the thesis' five are not the best of its own folds); all models have the same rows. The thesis'
counted model is 5 points lower at no distortion than ours, for a reason that is not known: node placement,
draw and regulariser differ. Cost: a few minutes for each distortion.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar, final

import numpy as np

from explorer.engine.catalogue.validation import folds_of
from explorer.engine.contracts import Dataset
from explorer.engine.knobs import knob, settings
from explorer.studies.support.block_models import (
    DISTORTIONS,
    HM_SVM,
    ML_HMM,
    NEVER_SEEN,
    REGS,
    TESTED,
    curves_of,
    draw,
)
from explorer.studies.support.row_blocks import rows_from
from explorer.studies.support.rows import judge, row, value, where
from explorer.studies.support.sequence_fits import (
    field,
    fit_chain,
    margin,
    parts_of,
    perceptron,
    price_of_reg,
    right_share,
)
from explorer.studies.support.study import Column, Finding, Plot, Pulse, Row, at_place, quiet

CRF_NAME, PERCEPTRON = "CRF", "averaged perceptron"
MODELS = (ML_HMM, HM_SVM, CRF_NAME, PERCEPTRON)
TRAINED = {HM_SVM: margin, CRF_NAME: field}
LIMITS = dict(zip(DISTORTIONS, (2.0, 2.0, 2.0, 4.0, 4.0), strict=True))
"""Points by which our accuracy may differ from the printed one."""


@final
@settings
class BlockTest:
    """Accuracy on test sequences against distortion."""

    name: ClassVar[str] = "generative-and-discriminative"
    title: ClassVar[str] = "Generative against discriminative"
    source: ClassVar[str] = "Iglesias 2013, section 4.2, Table 4.5"
    about: ClassVar[str] = (
        "Four models of the same block sequences: a hidden Markov model that is counted, and three that are "
        "trained to label. Regularisations are chosen by cross-validation on the training data."
    )
    beside: ClassVar[str] = "published"
    columns: ClassVar[tuple[Column, ...]] = (
        Column("distortion", "distortion", key=True, form="g"),
        Column("model", "model", key=True),
        Column("draw", "draw", form="d"),
        Column("accuracy", "test accuracy, %", form=".2f"),
        Column("reg", "chosen regularisation", form="g"),
        Column("validated", "accuracy of the folds, %", form=".2f"),
        Column("gap", "relative gap", form=".2g"),
    )
    plot: ClassVar[Plot] = Plot("lines", "distortion", ("accuracy",), series="model", of="table")

    n: int = knob(100, "Training sequences, and as many for testing.", low=4, high=1000)
    length: int = knob(250, "Positions of each sequence.", low=20, high=1000)
    folds: int = knob(5, "Folds of the choice.", low=2, high=100)
    draws: int = knob(1, "Random draws of the data.", low=1, high=20)
    gap: float = knob(0.05, "Relative gap of training.", low=1e-6, high=0.5, log=True)
    seed: int = knob(0, "Which random draw comes first.", low=0, high=9999)

    @classmethod
    def quick(cls) -> "BlockTest":
        return cls(n=6, length=40, folds=2, gap=0.5)

    @property
    def total(self) -> int:
        return len(DISTORTIONS) * self.draws * len(MODELS)

    @property
    def published(self) -> tuple[Row, ...]:
        """Table 4.5."""
        return tuple(
            row(distortion=p, model=model, accuracy=accuracy)
            for model, line in TESTED.items()
            for p, accuracy in zip(DISTORTIONS, line, strict=True)
        )

    def rows(self, pulse: Pulse = quiet) -> Iterator[Row]:
        """Distortion by distortion, draw by draw."""
        return self.rows_after(0, pulse)

    def rows_after(self, count: int, pulse: Pulse = quiet) -> Iterator[Row]:
        """The rows but for the first `count`."""
        places = [(p, at) for p in DISTORTIONS for at in range(self.draws)]
        blocks = [lambda p=p, at=at: self._draw(p, at, pulse) for p, at in places]
        return rows_from(blocks, len(MODELS), count)

    def _draw(self, p: float, at: int, pulse: Pulse) -> Iterator[Row]:
        """All models on one draw."""
        train, test = draw(self.n, self.length, p, self.seed + at)
        problem, outside = curves_of(train, test)
        cells = {"distortion": p, "draw": self.seed + at}
        for model in MODELS:
            said = at_place(pulse, f"distortion {p:g}, {model}")
            if model == ML_HMM:
                w = problem.generative_weights(False, NEVER_SEEN)
                yield row(**cells, model=model, accuracy=right_share(outside, w))
            elif model == PERCEPTRON:
                w = fit_chain(problem, perceptron(20), 0.0, said).w
                yield row(**cells, model=model, accuracy=right_share(outside, w))
            else:
                reg, validated = self._choice(train, model, said)
                found = fit_chain(problem, TRAINED[model](price_of_reg(reg, problem.n)), self.gap, said)
                yield row(
                    **cells,
                    model=model,
                    accuracy=right_share(outside, found.w),
                    reg=reg,
                    validated=validated,
                    gap=found.gap,
                )

    def _choice(self, train: Dataset, model: str, pulse: Pulse) -> tuple[float, float]:
        """The regularisation of the best mean accuracy over the folds, the strongest of equal ones."""
        found: dict[float, list[float]] = {reg: [] for reg in REGS}
        for fold, held in enumerate(folds_of(len(train), self.folds, 0)):
            rest = np.setdiff1d(np.arange(len(train)), held)
            problem, outside = curves_of(parts_of(train, rest), parts_of(train, held))
            state = None
            for reg in REGS:
                said = at_place(pulse, f"fold {fold + 1}, reg {reg:g}")
                learner = TRAINED[model](price_of_reg(reg, problem.n))
                fitted = fit_chain(problem, learner, self.gap, said, state)
                found[reg].append(right_share(outside, fitted.w))
                state = fitted.state
        means = {reg: float(np.mean(values)) for reg, values in found.items()}
        best = max(means, key=lambda reg: means[reg])
        return best, means[best]

    def table(self, rows: Sequence[Row]) -> tuple[Row, ...]:
        """Means over the draws."""
        out = []
        for p in DISTORTIONS:
            for model in MODELS:
                values = [found.number("accuracy") for found in where(rows, distortion=p, model=model)]
                if values:
                    out.append(row(distortion=p, model=model, accuracy=float(np.mean(values))))
        return tuple(out)

    def findings(self, rows: Sequence[Row]) -> tuple[Finding, ...]:
        """Table 4.5, and what it is read for."""
        table = self.table(rows)
        ours = [value(table, "accuracy", distortion=p, model=HM_SVM) for p in DISTORTIONS]
        counted = [value(table, "accuracy", distortion=p, model=ML_HMM) for p in DISTORTIONS]
        off = [x - printed for x, printed in zip(ours, TESTED[HM_SVM], strict=True)]
        ahead = [a - b for a, b in zip(ours, counted, strict=True)]
        return (
            judge(
                "The hidden Markov SVM is within 2 points of the printed accuracy up to 20 % distortion, "
                "within 4 beyond.",
                off,
                all(abs(x) <= LIMITS[p] for x, p in zip(off, DISTORTIONS, strict=True)),
                "off by " + ", ".join(f"{x:+.2f}" for x in off),
            ),
            judge(
                "It beats the counted model at every distortion.",
                ahead,
                min(ahead) > 0.0,
                "ahead by " + ", ".join(f"{x:+.2f}" for x in ahead),
            ),
            judge(
                "It beats the counted model where signs are flipped most, at 40 %.",
                ahead[-1:],
                ahead[-1] > 0.0,
                f"ahead by {ahead[-1]:+.2f}",
            ),
        )
