"""Two clusterings held against each other, the size of the output space, and what a shifted diagonal changes.

    pairwise      100 W / T, W of T pairs treated differently; Rand index = 1 - W / T
    MITRE         R, P of the links that hold clusters together, 100 (1 - 2 R P / (R + P))
    normalised    100 (1 - |Y' Z|^2 / k)
    shift         trace(Y' (K + s I) Y) = trace(Y' K Y) + k s for every clustering into k clusters

Finley 2009, sections 3.3 and 4.2 to 4.4. Cost: a contingency table; two calls of each k-means clusterer for
the shift.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.engine.structures.clusterings.losses import Mitre, Normalised, Pairwise
from explorer.engine.structures.clusterings.partitions import (
    bell,
    canonical,
    contingency,
    pair_count,
    stirling,
)
from explorer.engine.structures.clusterings.question import Question
from explorer.engine.vectors import Ints
from explorer.labs.clusterings.comparison import MEANS, Answer, asked, offered
from explorer.labs.clusterings.instance import Instance


@dataclass(frozen=True, slots=True)
class Measures:
    """How two clusterings differ; losses in per cent."""

    pairs: int
    wrong: int
    pairwise: float
    rand: float
    recall: float
    precision: float
    mitre: float
    normalised: float
    true_clusters: int
    other_clusters: int


def measures(truth: Ints, labels: Ints) -> Measures:
    """All measures of a clustering against the truth."""
    shared = contingency(truth, labels)
    m, T = len(truth), pair_count(len(truth))
    links = m - int(np.count_nonzero(shared))
    pairwise = Pairwise().value(truth, labels)
    wrong = round(pairwise * T / 100.0)
    return Measures(
        pairs=T,
        wrong=wrong,
        pairwise=pairwise,
        rand=1.0 - pairwise / 100.0,
        recall=_ratio(links, m - shared.shape[0]),
        precision=_ratio(links, m - shared.shape[1]),
        mitre=Mitre().value(truth, labels),
        normalised=Normalised().value(truth, labels),
        true_clusters=shared.shape[0],
        other_clusters=shared.shape[1],
    )


def _ratio(found: int, of: int) -> float:
    """1 where there is nothing to be found: all items single."""
    return found / of if of else 1.0


def outputs(m: int, k: int) -> tuple[int, int]:
    """How many partitions m items have, and how many of them have k clusters."""
    return bell(m), stirling(m, k)


@dataclass(frozen=True, slots=True, eq=False)
class Shifted:
    """One k-means clusterer without and with s on the diagonal; `refused` says why there is no answer."""

    title: str
    kind: str
    before: float
    after: float
    same: bool
    refused: str = ""


def shifted(case: Instance, s: float, settings: dict[str, Any]) -> list[Shifted]:
    """Every k-means clusterer asked for a prediction under K and under K + s I."""
    k = case.choice.groups
    first, second = Question(case.K, k), Question(case.K + s * np.eye(case.m), k)
    rows = []
    for kind in offered(MEANS):
        oracle = settings.get(kind.title) or kind()
        a, b = asked(first, MEANS, oracle), asked(second, MEANS, oracle)
        rows.append(Shifted(kind.title, kind.kind, a.value, b.value, _same(a, b), a.refused or b.refused))
    return rows


def _same(a: Answer, b: Answer) -> bool:
    """Whether two answers are the same clustering, or the same relaxed co-membership."""
    if a.labels is not None and b.labels is not None:
        return bool(np.array_equal(canonical(a.labels), canonical(b.labels)))
    return a.shares is not None and b.shares is not None and bool(np.allclose(a.shares, b.shares, atol=1e-6))
