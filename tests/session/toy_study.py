"""A study without any mathematics: row k is k and its square, and every row takes as many pulses as it is
told to.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from explorer.engine.knobs import knob
from explorer.studies.support.rows import judge, row
from explorer.studies.support.study import Column, Finding, Plot, Pulse, Row, quiet


@dataclass(frozen=True, slots=True)
class Squares:
    """The squares of 0, 1, 2, ..."""

    name: ClassVar[str] = "squares"
    title: ClassVar[str] = "How large is a square?"
    source: ClassVar[str] = "Euclid, book II"
    about: ClassVar[str] = "Numbers are multiplied by themselves. They grow."
    beside: ClassVar[str] = "published"
    columns: ClassVar[tuple[Column, ...]] = (
        Column("k", "number", key=True),
        Column("square", "square", form="d"),
        Column("parity", "parity"),
    )
    plot: ClassVar[Plot] = Plot("lines", "k", ("square",), series="parity")

    count: int = knob(5, "How many numbers.", low=1, high=1_000_000)
    pulses: int = knob(0, "Pulses within a row, a millisecond each.", low=0)
    breaks: int = knob(-1, "The row that cannot be computed.", low=-1)

    @classmethod
    def quick(cls) -> "Squares":
        return cls(count=2)

    @property
    def total(self) -> int:
        return self.count

    @property
    def published(self) -> tuple[Row, ...]:
        """A printed table with a misprint in its last line."""
        return (
            row(k=1, square=1, parity="odd"),
            row(k=2, square=4, parity="even"),
            row(k=9, square=18, parity="odd"),
        )

    def rows(self, pulse: Pulse = quiet) -> Iterator[Row]:
        for k in range(self.count):
            for j in range(self.pulses):
                time.sleep(0.001)
                pulse(f"number {k}, pulse {j}")
            yield row(k=k, square=1 // 0 if k == self.breaks else k * k, parity="odd" if k % 2 else "even")

    def table(self, rows: Sequence[Row]) -> tuple[Row, ...]:
        return tuple(rows)

    def findings(self, rows: Sequence[Row]) -> tuple[Finding, ...]:
        squares: list[Any] = [found["square"] for found in rows]
        grow = judge("Squares grow.", squares, squares == sorted(squares), f"{len(squares)} squares")
        small = judge(
            "No square is above 3.",
            squares,
            max(squares, default=0) <= 3,
            f"at most {max(squares, default=0)}",
        )
        return grow, small
