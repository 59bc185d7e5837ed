"""A thousand models that know nothing: some look good by chance, unless somebody else measures.

Every classifier labels n examples by tossing a coin, so its true error is 1/2. The one with the smallest
error over K folds is far below that, the further the more there are to choose from. In nested validation the
choice is made without an outer fold, which then measures: its mean is near 1/2 again. Iglesias 2013, section
2.3, says so in words; the smallest of m errors of n tosses lies about sqrt(log(m) / 2 n) below 1/2. Cost: m n
tosses.
"""

import math
from collections.abc import Iterator, Sequence
from typing import ClassVar, final

import numpy as np

from explorer.engine.catalogue.validation import folds_of
from explorer.engine.knobs import knob, settings
from explorer.studies.support.rows import judge, row
from explorer.studies.support.study import Column, Finding, Plot, Pulse, Row, quiet

COUNTS = (1, 3, 10, 30, 100, 300, 1000)


@final
@settings
class SelectionBias:
    """The best of many random classifiers, and what nested validation says of it."""

    name: ClassVar[str] = "selection-bias"
    title: ClassVar[str] = "The best of a thousand coins"
    source: ClassVar[str] = "Iglesias 2013, section 2.3 (in words)"
    about: ClassVar[str] = (
        "Classifiers that toss coins are compared by cross-validation. The best looks better the more "
        "there are; nested validation, where the measuring fold has no say in the choice, is not misled."
    )
    beside: ClassVar[str] = "published"
    columns: ClassVar[tuple[Column, ...]] = (
        Column("classifiers", "classifiers", key=True, form="d"),
        Column("best", "error of the best by validation, %", form=".2f"),
        Column("nested", "nested error, %", form=".2f"),
        Column("expected", "expected of the best, %", form=".2f"),
        Column("spread", "standard error of the nested one", form=".2f"),
    )
    plot: ClassVar[Plot] = Plot("lines", "classifiers", ("best", "nested", "expected"), log=("x",))

    n: int = knob(100, "Examples.", low=10, high=10_000)
    folds: int = knob(5, "Folds, inner and outer ones.", low=2, high=100)
    draws: int = knob(50, "Repetitions that are averaged.", low=1, high=1000)
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    @classmethod
    def quick(cls) -> "SelectionBias":
        return cls(draws=10)

    @property
    def total(self) -> int:
        return len(COUNTS)

    @property
    def published(self) -> tuple[Row, ...]:
        """Said in words only."""
        return ()

    def rows(self, pulse: Pulse = quiet) -> Iterator[Row]:
        """From one classifier to a thousand."""
        for count in COUNTS:
            pulse(f"{count} classifiers")
            found = np.array([self._draw(count, draw) for draw in range(self.draws)])
            spread = float(found[:, 1].std(ddof=1) / math.sqrt(self.draws)) if self.draws > 1 else None
            expected = 50.0 - 100.0 * math.sqrt(math.log(count) / (2.0 * self.n))
            best, nested = found.mean(axis=0)
            yield row(classifiers=count, best=best, nested=nested, expected=expected, spread=spread)

    def _draw(self, count: int, draw: int) -> tuple[float, float]:
        """The error of the best by validation, and the nested error, in per cent."""
        rng = np.random.default_rng((self.seed, count, draw))
        wrong = rng.integers(0, 2, (count, self.n)) != rng.integers(0, 2, self.n)
        outer = folds_of(self.n, self.folds, self.seed)
        best = float(errors_of_folds(wrong, np.arange(self.n), self.folds, self.seed).min())
        measured = []
        for held in outer:
            rest = np.setdiff1d(np.arange(self.n), held)
            chosen = int(np.argmin(errors_of_folds(wrong, rest, self.folds, self.seed)))
            measured.append(wrong[chosen, held].mean())
        return 100.0 * best, 100.0 * float(np.mean(measured))

    def table(self, rows: Sequence[Row]) -> tuple[Row, ...]:
        """All rows."""
        return tuple(rows)

    def findings(self, rows: Sequence[Row]) -> tuple[Finding, ...]:
        """The bias, and that it is gone."""
        best, nested, spread = (
            [found.number(name) for found in rows] for name in ("best", "nested", "spread")
        )
        known = best[-1:] if len(rows) == self.total else []
        return (
            judge(
                "The best of a thousand by cross-validation is better than nested validation says.",
                known,
                bool(known) and best[-1] < nested[-1],
                f"{best[-1] if best else 0.0:.2f} % against {nested[-1] if nested else 0.0:.2f} %",
            ),
            judge(
                "Nested validation finds one half, within three standard errors.",
                known,
                all(abs(x - 50.0) <= 3.0 * s + 1e-9 for x, s in zip(nested, spread, strict=True)),
                ", ".join(f"{x:.1f}" for x in nested) + " %",
            ),
        )


def errors_of_folds(wrong: np.ndarray, at: np.ndarray, folds: int, seed: int) -> np.ndarray:
    """Every classifier's mean error over the folds of some examples."""
    parts = folds_of(len(at), folds, seed + 1)
    return np.asarray(np.mean([wrong[:, at[part]].mean(axis=1) for part in parts], axis=0))
