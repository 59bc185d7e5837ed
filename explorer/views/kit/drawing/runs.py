"""Runs of equal numbers: how long labellings are drawn in few pieces."""

import numpy as np

from explorer.engine.vectors import Ints


def runs_of(row: Ints) -> list[tuple[int, int, int]]:
    """Value, beginning and length of every run of equal numbers."""
    begins = np.flatnonzero(np.append(True, row[1:] != row[:-1]))
    return list(
        zip(row[begins].tolist(), begins.tolist(), np.diff(np.append(begins, len(row))).tolist(), strict=True)
    )
