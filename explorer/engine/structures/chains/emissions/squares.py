"""Emissions as they are observed, and with squares: all that Gaussian log-densities are made of.

    log N(x; m, v) = -1/2 sum_f [log(2 pi v_f) + m_f^2 / v_f] + sum_f (m_f / v_f) x_f - sum_f x_f^2 / (2 v_f)

is linear in the row [1, x, x^2], and linear in [x] but for a constant where all states share the variances.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.engine.structures.chains.emissions.pieces import dense_rows


@dataclass(frozen=True, eq=False)
class Raw:
    """The rows themselves."""

    kind = "raw"

    def rows(self, rows: Any) -> Any:
        """The same."""
        return rows

    def names(self, observed: Sequence[str]) -> tuple[str, ...]:
        """The same."""
        return tuple(observed)


@dataclass(frozen=True, eq=False)
class Squares:
    """A one, the numbers, and their squares."""

    kind = "squares"

    def rows(self, rows: Any) -> Any:
        """[1, x, x^2] for every row."""
        x = np.asarray(dense_rows(rows), dtype=float)
        return np.hstack([np.ones((len(x), 1)), x, x * x])

    def names(self, observed: Sequence[str]) -> tuple[str, ...]:
        """A name for every column."""
        return ("1", *observed, *(f"{name}²" for name in observed))
