"""COP-k-means: k-means that never breaks a must-link or a cannot-link.

    for each group of must-linked items: the nearest centre whose cluster holds no group it must not join
    then centres become means; until nothing moves

Wagstaff, Cardie, Rogers and Schroedl (ICML 2001); Finley 2009, section 1.6. Groups of the closure move as
one, which is what the must-links ask for. An order of groups can run into a dead end although a clustering
exists, so several orders are tried: the given one first, then groups with many cannot-links first, then
random ones. The objective may rise, since the nearest centre may be forbidden; the best sweep is kept. Cost
of a sweep: m k F, and the groups' cannot-links.
"""

from collections.abc import Iterator
from typing import Any, ClassVar, final

import numpy as np

from explorer.baselines.clustering._arrays import clusters, nodes
from explorer.baselines.clustering._links import Links, closure
from explorer.baselines.clustering._lloyd import means, starts, to_centres
from explorer.baselines.clustering._outcome import ClusteringOutcome, by_first_appearance
from explorer.engine.knobs import knob, settings
from explorer.engine.refusals import Refused
from explorer.engine.vectors import Array, Ints


@final
@settings
class COP:
    """k-means under hard links."""

    title: ClassVar[str] = "COP-k-means"
    help: ClassVar[str] = "Puts every item into the nearest cluster that breaks no must-link or cannot-link."
    kind: ClassVar[str] = "links"
    paper: ClassVar[str] = "Wagstaff, Cardie, Rogers and Schroedl 2001"

    orders: int = knob(
        20, "Orders of the items that are tried before giving up.", low=1, high=10**4, log=True
    )
    sweeps: int = knob(100, "Most sweeps.", low=1, high=10**5, log=True)

    def cluster(
        self, X: Any, k: int, rng: np.random.Generator, must: Any = (), cannot: Any = ()
    ) -> ClusteringOutcome:
        """k clusters that break no link, or Refused with the item that found no place."""
        rows = nodes(X)
        clusters(k, len(rows))
        links = closure(len(rows), must, cannot)
        apart, centres = links.apart(), starts(rows, links, k, rng)
        order, labels = self._first(rows, centres, links, apart, rng)
        seen: list[tuple[float, Ints, Array]] = []
        for _ in range(self.sweeps):
            centres = means(rows, labels, centres)
            seen.append((float(((rows - centres[labels]) ** 2).sum()), labels, centres))
            placed, _ = _placed(_costs(rows, centres, links), apart, order)
            # A dead end with new centres: what was found before still keeps every link.
            if placed is None or np.array_equal(placed[links.group], labels):
                break
            labels = placed[links.group]
        trace = [value for value, _, _ in seen]
        _, labels, centres = seen[int(np.argmin(trace))]
        return by_first_appearance(labels, centres, trace, broken=links.broken_pairs(labels))

    def _first(
        self, X: Array, centres: Array, links: Links, apart: Array, rng: np.random.Generator
    ) -> tuple[Ints, Ints]:
        """An order of groups that finds a place for all of them, and the labels it gives."""
        costs = _costs(X, centres, links)
        stuck = 0
        for order in self._orders(apart, rng):
            placed, at = _placed(costs, apart, order)
            if placed is not None:
                return order, placed[links.group]
            stuck = int(np.flatnonzero(links.group == at)[0])
        raise Refused(
            f"item {stuck} found no place: each of the {len(centres)} clusters holds an item it has a "
            "cannot-link with, "
            f"in all {self.orders} orders tried; raise k or drop a cannot-link of item {stuck}"
        )

    def _orders(self, apart: Array, rng: np.random.Generator) -> Iterator[Ints]:
        yield np.arange(len(apart), dtype=np.int64)
        crowded = np.argsort(-apart.sum(axis=1), kind="stable").astype(np.int64)
        for turn in range(self.orders - 1):
            yield crowded if turn == 0 else rng.permutation(len(apart)).astype(np.int64)


def _costs(X: Array, centres: Array, links: Links) -> Array:
    """(groups, k): what each group adds to the objective in each cluster."""
    costs = np.zeros((int(links.group.max()) + 1, len(centres)))
    np.add.at(costs, links.group, to_centres(X, centres))
    return costs


def _placed(costs: Array, apart: Array, order: Ints) -> tuple[Ints | None, int]:
    """The cluster of every group, or None and the group that found no place."""
    placed = np.full(len(costs), -1, dtype=np.int64)
    for g in order.tolist():
        taken = placed[apart[g] > 0.0]
        free = costs[g].copy()
        free[taken[taken >= 0]] = np.inf
        if not np.isfinite(free).any():
            return None, g
        placed[g] = int(np.argmin(free))
    return placed, -1
