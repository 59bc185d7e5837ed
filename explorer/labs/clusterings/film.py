"""One step of a clusterer: a clustering, shares of the pairs, the items that move, and triangles."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from explorer.engine.structures.clusterings.partitions import canonical, clusters, pair_vector
from explorer.engine.structures.clusterings.question import Question
from explorer.engine.vectors import Array, Ints
from explorer.labs.clusterings.instance import ClusterCase
from explorer.labs.film import NONE, SURE, Film, Request

NO_TRIANGLES: Ints = np.zeros((0, 3), dtype=np.int64)

MOST_SINGLE = 9
"""More clusters of one item than this are not listed."""

ClusterRequest = Request[ClusterCase, Question]


@dataclass(frozen=True, slots=True, eq=False)
class ClusterStep:
    """One moment; `shares` (m, m) are shares of pairs or a relaxed co-membership, called `called`."""

    says: str
    labels: Ints
    value: float
    shares: Array | None = None
    called: str = ""
    changed: Ints = field(default_factory=lambda: NONE)
    triangles: Ints = field(default_factory=lambda: NO_TRIANGLES)


ClusterFilm = Film[ClusterStep]


def fractional_pairs(shares: Array | None) -> int:
    """How many pairs are neither together nor apart."""
    e = pair_vector(shares) if shares is not None else np.zeros(0)
    return int(np.sum((e > SURE) & (e < 1.0 - SURE)))


def block_words(members: Sequence[int] | Ints, names: Sequence[str]) -> str:
    """A cluster in words: abcd."""
    parts = [names[int(i)] for i in members]
    return "".join(parts) if all(len(part) == 1 for part in parts) else "{" + ", ".join(parts) + "}"


def cluster_words(labels: Any, names: Sequence[str]) -> str:
    """A clustering in words: abcd / efg / hi; many single items are only counted."""
    parts = clusters(canonical(labels))
    single = sum(len(members) == 1 for members in parts)
    shown = [members for members in parts if len(members) > 1 or single <= MOST_SINGLE]
    counted = [f"{single} single items"] if single > MOST_SINGLE else []
    return " / ".join([block_words(members, names) for members in shown] + counted)


def plus(value: float) -> str:
    """What is added, as part of a sum: "+ 3" or "− 3"."""
    return f"{'−' if value < 0 else '+'} {abs(value):.4g}"
