"""The normalised loss of two clusterings: Delta = 100 (1 - (1 / k) |Y' Z|_F^2), with k true clusters.

    |Y' Z|_F^2 = sum over true clusters c and others d of |c and d|^2 / (|c| |d|)

Finley 2009, equation 4.16. It weighs clusters, not items, and treats numberings alike; all items in one
cluster cost 100 (k - 1) / k. It is 100 + trace(Z' M Z) with M = -(100 / k) Y Y', so k-means and its spectral
relaxation fold it into the similarity (the source prints 1 / k there). It says little where the number of
clusters differs: single items have loss 0. Cost: one contingency table.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np

from explorer.engine.structures.clusterings.partitions import contingency, indicator
from explorer.engine.vectors import Array, Ints


@final
@dataclass(frozen=True, slots=True)
class Normalised:
    """How far the subspaces of two clusterings are apart, in per cent."""

    title: ClassVar[str] = "normalised"
    help: ClassVar[str] = (
        "Per cent of each cluster, weighed by its size, that is not found again; for a known number of "
        "clusters."
    )

    def value(self, truth: Any, label: Any) -> float:
        """100 (1 - |Y' Z|^2 / k)."""
        shared = contingency(truth, label).astype(float)
        sizes = np.outer(shared.sum(axis=1), np.maximum(shared.sum(axis=0), 1.0))
        kept = float(np.sum(shared**2 / sizes)) / len(shared)
        return 100.0 * (1.0 - kept) if kept < 1.0 - 1e-12 else 0.0  # rounding must not make a loss negative

    def details(self, truth: Any, label: Any) -> str:
        """How many clusters there are on both sides."""
        true, other = contingency(truth, label).shape
        return f"{true} true clusters, {other} here"

    def fold(self, truth: Ints, groups: int | None) -> tuple[float, Array] | None:
        """The loss as a k-means score."""
        if groups is None:
            return None
        Y = indicator(truth)
        return 100.0, -(100.0 / Y.shape[1]) * (Y @ Y.T)
