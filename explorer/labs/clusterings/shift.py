"""What a number s on the diagonal of K changes: every k-means value moves by k s.

    trace(Y' (K + s I) Y) = trace(Y' K Y) + k s     for every clustering into k clusters

so the best clusterings stay the best, and clusterers that follow the value answer the same; batch k-means
follows distances, which do change. Finley 2009, section 4.2. Cost: two calls of each k-means clusterer.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.engine.structures.clusterings.question import Question
from explorer.labs.clusterings.comparison import MEANS, clusterers, reply_of
from explorer.labs.clusterings.instance import ClusterCase
from explorer.labs.compare import Reply

LARGEST_SHIFT = 20.0


@dataclass(frozen=True, slots=True, eq=False)
class ShiftRow:
    """One k-means clusterer without and with s on the diagonal; `refused` says why there is no answer."""

    title: str
    before: float
    after: float
    same: bool
    refused: str = ""


def shift_rows(case: ClusterCase, s: float, settings: dict[str, Any]) -> list[ShiftRow]:
    """Every k-means clusterer asked for a prediction under K and under K + s I."""
    k = case.choice.groups
    first, second = Question(case.K, k), Question(case.K + s * np.eye(case.m), k)
    rows = []
    for kind in clusterers(MEANS):
        oracle = settings.get(kind.title) or kind()
        a, b = reply_of(oracle, first), reply_of(oracle, second)
        rows.append(ShiftRow(kind.title, a.value, b.value, _same(a, b), a.refused or b.refused))
    return rows


def _same(a: Reply, b: Reply) -> bool:
    """Whether two answers are the same clustering, or the same relaxed co-membership."""
    if a.labels is not None and b.labels is not None:
        return bool(np.array_equal(a.labels, b.labels))
    return a.shares is not None and b.shares is not None and bool(np.allclose(a.shares, b.shares, atol=1e-6))
