"""Without any training: the sum of all pair features as similarity, and classical k-means on the items.

    K_ij = sum_l psi_ij,l
        ("None" of Finley 2009, table 4.3: every weight is 1)
    minimise  sum over clusters sum_i |x_i - mean|^2       (Lloyd, from several k-means++ starts)

Where every pair has the same number of active features, as in Synth, uniform weights make K constant and all
partitions tie. Cost: one look at psi; m k F per sweep of k-means.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np

from explorer.baselines.clustering._arrays import clusters, nodes, pair_features, square
from explorer.baselines.clustering._outcome import ClusteringOutcome, by_first_appearance
from explorer.engine.knobs import knob, settings
from explorer.engine.refusals import Refused
from explorer.engine.vectors import Array


@final
@dataclass(frozen=True, slots=True)
class Uniform:
    """All weights 1."""

    title: ClassVar[str] = "no training"
    help: ClassVar[str] = "Gives every pair feature the weight 1."
    kind: ClassVar[str] = "similarity"
    paper: ClassVar[str] = "Finley 2009, table 4.3"

    def similarity(self, psi: Any) -> Array:
        """K of one item set."""
        return square(np.asarray(pair_features(psi).sum(axis=1)).reshape(-1))


@final
@settings
class KMeans:
    """Classical k-means."""

    title: ClassVar[str] = "k-means"
    help: ClassVar[str] = "Clusters the items themselves around k means, without any training."
    kind: ClassVar[str] = "clustering"
    paper: ClassVar[str] = "Lloyd 1982"

    restarts: int = knob(10, "Starts; the lowest objective is kept.", low=1, high=1000)
    sweeps: int = knob(300, "Most sweeps per start.", low=1, high=10**5, log=True)

    def cluster(self, X: Any, k: int, rng: np.random.Generator) -> ClusteringOutcome:
        """The best of several starts; its centres are in the order of the partition's cluster numbers."""
        from sklearn.cluster import KMeans as Lloyd  # scikit-learn takes a second to import

        rows = nodes(X)
        different = len(np.unique(rows, axis=0))
        if clusters(k, len(rows)) > different:
            raise Refused(
                f"k is {k} but only {different} items differ from each other; choose k up to {different}"
            )
        seed = int(rng.integers(2**31))
        found = Lloyd(n_clusters=k, n_init=self.restarts, max_iter=self.sweeps, random_state=seed).fit(rows)
        return by_first_appearance(found.labels_, found.cluster_centers_, [float(found.inertia_)])
