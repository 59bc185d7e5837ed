"""Which pairs a pairwise learner sees: all, those of a canopy, or those that follow a chain of mentions.

    all       m (m - 1) / 2 pairs
    canopy    pairs whose a-priori similarity lies in [lo, hi]: alpha m / 2 pairs, alpha = mean neighbours in
              the interval
    chain     for item j, the closest earlier item i of its cluster that is no pronoun is a positive pair (i,
              j), and every item of another cluster between i and j a negative pair; an item without such an i
              gives no pair

Finley 2009, section 1.3: canopies of McCallum, Nigam and Ungar (2000); chains of Soon, Ng and Lim (2001),
pronouns after Ng and Cardie (2002). A selector returns rows of psi, sorted. A singleton or the first item of
a cluster is never the second element of a chain pair: that is the chain's blind spot. Cost: one look at every
pair.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np

from explorer.baselines.clustering._arrays import partition, similarity
from explorer.engine.knobs import knob, settings
from explorer.engine.refusals import Refused
from explorer.engine.vectors import Array, Ints


@final
@dataclass(frozen=True, slots=True)
class AllPairs:
    """Every pair of the item set."""

    title: ClassVar[str] = "all pairs"
    help: ClassVar[str] = "Takes every pair of the item set."
    kind: ClassVar[str] = "selection"
    paper: ClassVar[str] = "Finley 2009, 1.3"

    def rows(self, y: Any, prior: Array | None = None, pronouns: Any = None) -> Ints:
        """All rows of psi."""
        m = len(partition(y))
        return np.arange(m * (m - 1) // 2, dtype=np.int64)


@final
@settings
class Canopy:
    """Pairs whose a-priori similarity lies in an interval."""

    title: ClassVar[str] = "canopy"
    help: ClassVar[str] = (
        "Takes pairs whose a-priori similarity lies in an interval, neither clear nor hopeless."
    )
    kind: ClassVar[str] = "selection"
    paper: ClassVar[str] = "McCallum, Nigam and Ungar 2000"

    lo: float = knob(0.0, "Smallest a-priori similarity that is taken.")
    hi: float = knob(1.0, "Largest a-priori similarity that is taken.")

    def __post_init__(self) -> None:
        if self.lo > self.hi:
            raise Refused(f"lo is {self.lo:g}, above hi, {self.hi:g}; swap the two")

    def rows(self, y: Any, prior: Array | None = None, pronouns: Any = None) -> Ints:
        """Rows of psi whose a-priori similarity lies in [lo, hi]."""
        m = len(partition(y))
        values = self._prior(prior, m)[np.triu_indices(m, 1)]
        return np.flatnonzero((values >= self.lo) & (values <= self.hi)).astype(np.int64)

    def neighbours(self, prior: Array) -> float:
        """alpha: how many other items lie in an item's interval, on average."""
        values = similarity(prior, "the a-priori similarity")
        inside = (values >= self.lo) & (values <= self.hi)
        np.fill_diagonal(inside, False)
        return float(inside.sum(axis=1).mean())

    def _prior(self, prior: Array | None, m: int) -> Array:
        if prior is None:
            raise Refused(
                "a canopy needs an a-priori similarity; give `prior`, an (m, m) array, or take all pairs"
            )
        values = similarity(prior, "the a-priori similarity")
        if len(values) != m:
            raise Refused(
                f"the a-priori similarity has {len(values)} rows but there are {m} items; give one row per "
                "item"
            )
        return values


@final
@dataclass(frozen=True, slots=True)
class ChainPairs:
    """Pairs along the chains of ordered mentions."""

    title: ClassVar[str] = "mention chain"
    help: ClassVar[str] = (
        "Takes each item with the closest earlier one of its cluster, and with those between them."
    )
    kind: ClassVar[str] = "selection"
    paper: ClassVar[str] = "Soon, Ng and Lim 2001"

    def rows(self, y: Any, prior: Array | None = None, pronouns: Any = None) -> Ints:
        """Rows of psi of the chain pairs; a pronoun is no antecedent."""
        labels = partition(y)
        m = len(labels)
        chosen = [row_of(i, j, m) for i, j in self.pairs(labels, pronouns)]
        return np.array(sorted(chosen), dtype=np.int64)

    def pairs(self, y: Any, pronouns: Any = None) -> list[tuple[int, int]]:
        """The chain pairs (i, j), i < j: for every j its positive pair first, then the negative ones."""
        labels = partition(y)
        marked = _flags(pronouns, len(labels))
        found: list[tuple[int, int]] = []
        for j in range(len(labels)):
            earlier = np.flatnonzero((labels[:j] == labels[j]) & ~marked[:j])
            if len(earlier):
                i = int(earlier[-1])
                found.append((i, j))
                found.extend((t, j) for t in range(i + 1, j) if labels[t] != labels[j])
        return found


def row_of(i: int, j: int, m: int) -> int:
    """The row of psi that holds the pair i < j of m items."""
    return i * m - i * (i + 1) // 2 + j - i - 1


def _flags(pronouns: Any, m: int) -> Any:
    marked = np.zeros(m, dtype=bool) if pronouns is None else np.asarray(pronouns)
    if marked.shape != (m,) or marked.dtype.kind not in "biu":
        raise Refused(
            f"the pronoun flags have shape {marked.shape} but there are {m} items; give one flag per item"
        )
    return marked.astype(bool)
