"""Must-links and cannot-links, closed: groups of items that belong together, and groups that must stay apart.

    a ~ b, b ~ c   =>  a ~ c                 (must-links: groups are connected components)
    a ~ b, b !~ c  =>  a !~ c                (cannot-links: between whole groups)

Basu, Davidson and Wagstaff, "Constrained Clustering" (2008), chapter 1. A cannot-link inside a group
contradicts the must-links and is refused by name. Cost: one look at every link, then every pair that follows
from them.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.baselines.clustering._arrays import index_pairs, renumber
from explorer.engine.refusals import Refused
from explorer.engine.vectors import Array, Ints


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """Closed links among m items: `group[i]` is the must-link group of item i, `must` and `cannot` are all
    pairs.
    """

    group: Ints
    must: Ints
    cannot: Ints

    def apart(self) -> Array:
        """(g, g) with 1.0 where two groups have a cannot-link."""
        size = int(self.group.max()) + 1
        out = np.zeros((size, size))
        a, b = self.group[self.cannot[:, 0]], self.group[self.cannot[:, 1]]
        out[a, b] = out[b, a] = 1.0
        return out

    def broken_pairs(self, labels: Ints) -> int:
        """How many pairs of the closure a clustering breaks."""
        split = labels[self.must[:, 0]] != labels[self.must[:, 1]]
        joined = labels[self.cannot[:, 0]] == labels[self.cannot[:, 1]]
        return int(split.sum() + joined.sum())


def closure(m: int, must: Any = (), cannot: Any = ()) -> Links:
    """All links that follow from the given ones; a contradiction is refused with the pair that shows it."""
    together, apart = index_pairs(must, m, "must-links"), index_pairs(cannot, m, "cannot-links")
    group = components(m, together)
    for a, b in apart.tolist():
        if group[a] == group[b]:
            raise Refused(
                f"items {a} and {b} have a cannot-link, but must-links put them into one cluster; drop one "
                "of these links"
            )
    members = [np.flatnonzero(group == g) for g in range(int(group.max()) + 1)]
    within = [_upper(inside) for inside in members if len(inside) > 1]
    groups = {
        tuple(sorted(pair))
        for pair in zip(group[apart[:, 0]].tolist(), group[apart[:, 1]].tolist(), strict=True)
    }
    between = [_cross(members[a], members[b]) for a, b in sorted(groups)]
    return Links(group, _stacked(within), _stacked(between))


def components(m: int, links: Ints) -> Ints:
    """Connected components of m items under the links, numbered by first appearance."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(links)), (links[:, 0], links[:, 1])), shape=(m, m))
    return renumber(connected_components(graph, directed=False)[1])


def _upper(members: Ints) -> Ints:
    i, j = np.triu_indices(len(members), 1)
    return np.stack([members[i], members[j]], axis=1)


def _cross(a: Ints, b: Ints) -> Ints:
    rows = np.stack([np.repeat(a, len(b)), np.tile(b, len(a))], axis=1)
    return np.sort(rows, axis=1)


def _stacked(parts: list[Ints]) -> Ints:
    return np.concatenate(parts) if parts else np.zeros((0, 2), dtype=np.int64)
