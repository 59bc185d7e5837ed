"""The MITRE (MUC, model-theoretic) loss of two clusterings: 100 (1 - F) of the links that they have in
common.

    R(y, z) = sum_{c in y} (|c| - clusters of z that touch c) / sum_{c in y} (|c| - 1),   P = R(z, y),
        F = 2 R P / (R + P)

With I pairs of a true and another cluster that share items, R = (m - I) / (m - |y|) and P = (m - I) / (m -
|z|), hence F = 2 (m - I) / (2 m - |y| - |z|), and F = 1 where both consist of single items. Finley 2009,
section 3.3.2 (which prints F itself for the loss). No sum over pairs, so nothing folds it in. Cost: one
contingency table.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np

from explorer.engine.structures.clusterings.partitions import contingency


@final
@dataclass(frozen=True, slots=True)
class Mitre:
    """100 per cent minus the F-score of the links that hold clusters together."""

    title: ClassVar[str] = "MITRE"
    help: ClassVar[str] = "100 minus the F-score, in per cent, of the links that hold the clusters together."
    undecomposed: ClassVar[str] = "MITRE counts links between clusters, which no sum over pairs can."

    def value(self, truth: Any, label: Any) -> float:
        """100 (1 - F), from 0 to 100."""
        shared = contingency(truth, label)
        most = 2 * len(truth) - sum(shared.shape)
        common = len(truth) - int(np.count_nonzero(shared))
        return 100.0 * (1.0 - 2.0 * common / most) if most else 0.0

    def details(self, truth: Any, label: Any) -> str:
        """R and P; 1 where there is nothing to be found, all items being single."""
        shared, m = contingency(truth, label), len(truth)
        common = m - int(np.count_nonzero(shared))
        recall, precision = (common / (m - count) if m > count else 1.0 for count in shared.shape)
        return f"R {recall:.4g}, P {precision:.4g}"
