"""The pairwise loss of two clusterings: Delta_P = 100 W / T, where W of the T = m (m - 1) / 2 pairs are
treated differently.

The complement of the Rand index; Finley 2009, equation 3.12. Linear in the pairs that are together,

    Delta_P(y, e) = (100 / T) sum_{i < j} (t_ij + (1 - 2 t_ij) e_ij),
        t_ij = 1 if the truth has i and j together,

so correlation clustering folds it into the similarity. Cost: one look at each pair of clusters that share
items.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np

from explorer.engine.structures.clusterings.partitions import contingency, pair_count
from explorer.engine.vectors import Array, Ints


@final
@dataclass(frozen=True, slots=True)
class Pairwise:
    """The per cent of pairs that two clusterings treat differently."""

    title: ClassVar[str] = "pairwise"
    help: ClassVar[str] = "Per cent of the pairs that are together in one clustering and apart in the other."

    def value(self, truth: Any, label: Any) -> float:
        """Pairs together in one only, in per cent of all pairs; 0 for a single item."""
        shared = contingency(truth, label)
        both, first, second = (_pairs(sizes) for sizes in (shared, shared.sum(axis=1), shared.sum(axis=0)))
        return 100.0 * (first + second - 2.0 * both) / max(pair_count(len(truth)), 1)

    def details(self, truth: Any, label: Any) -> str:
        """W and T, and the Rand index 1 - W / T."""
        T, percent = pair_count(len(truth)), self.value(truth, label)
        return f"{round(percent * T / 100.0)} of {T} pairs differ, Rand index {1.0 - percent / 100.0:.4g}"

    def fold(self, truth: Ints, groups: int | None) -> tuple[float, Array] | None:
        """The loss as a correlation score: +100 / T for pairs that are apart in the truth, -100 / T for the
        others.
        """
        if groups is not None:
            return None
        same = truth[:, None] == truth[None, :]
        each = 100.0 / max(pair_count(len(truth)), 1)
        matrix = np.where(same, -each, each)
        np.fill_diagonal(matrix, 0.0)
        return each * (np.count_nonzero(same) - len(truth)) / 2.0, matrix


def _pairs(sizes: Ints) -> float:
    """The pairs inside groups of these sizes."""
    return float(np.sum(sizes * (sizes - 1)) / 2)
