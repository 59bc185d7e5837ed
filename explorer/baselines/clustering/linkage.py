"""Dendrograms: agglomerative clustering of a similarity by single, complete or average link.

    merge the two clusters with the largest link;  link(c, d) = max, min or mean of K_ij over i in c, j in d

The hierarchies that Finley 2009, section 1.1, sets flat partitions against. `merges` is the table of all m -
1 merges: two cluster numbers (m + t for the cluster made by merge t), and the link at which they merged,
largest first. Cutting single link at 0 gives the partition of the Kruskal forest. Cost: m^2 (scipy).
"""

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np

from explorer.baselines.clustering._arrays import clusters, renumber, similarity
from explorer.baselines.clustering._links import components
from explorer.engine.knobs import knob, settings
from explorer.engine.refusals import Refused
from explorer.engine.vectors import Array, Ints


@dataclass(frozen=True, slots=True, eq=False)
class Dendrogram:
    """All merges of m items: clusters a and b of every merge, and the link at which they merged."""

    merges: Ints
    links: Array

    def into(self, k: int) -> Ints:
        """The partition into k clusters."""
        m = len(self.links) + 1
        return self._after(m - clusters(k, m))

    def above(self, threshold: float = 0.0) -> Ints:
        """The partition of all merges whose link is at least the threshold."""
        return self._after(int(np.sum(self.links >= threshold)))

    def _after(self, count: int) -> Ints:
        m = len(self.links) + 1
        made = np.arange(m, m + count, dtype=np.int64)
        pairs = np.concatenate([np.stack([made, self.merges[:count, side]], axis=1) for side in (0, 1)])
        return renumber(components(m + count, pairs)[:m])


@final
@settings
class Linkage:
    """Agglomerative clustering."""

    title: ClassVar[str] = "linkage"
    help: ClassVar[str] = "Merges the two closest clusters again and again, and keeps the whole tree."
    kind: ClassVar[str] = "clustering"
    paper: ClassVar[str] = "Finley 2009, 1.1"

    link: str = knob("average", "How close two clusters are.", choices=("single", "complete", "average"))

    def cluster(self, K: Any) -> Dendrogram:
        """The tree of all merges."""
        from scipy.cluster.hierarchy import linkage  # slow to import

        values = similarity(K)
        if len(values) < 2:
            raise Refused("there is one item; give at least two to merge")
        upper = values[np.triu_indices(len(values), 1)]
        # scipy wants distances that are not negative; a shift leaves all three orders of merges as they are.
        top = float(upper.max())
        method: Any = self.link
        table = linkage(top - upper, method=method)
        return Dendrogram(table[:, :2].astype(np.int64), top - table[:, 2])
