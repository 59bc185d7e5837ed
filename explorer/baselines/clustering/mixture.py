"""Soft clustering by a mixture of Gaussians: every item belongs to every cluster with a share.

    share of item i in cluster h  =  pi_h N(x_i; mu_h, Sigma_h) / sum over g of the same

Dempster, Laird and Rubin (1977); what Finley 2009, section 1.1, sets hard partitions against. The partition
gives each item to its largest share. Cost: m k F^2 per pass of EM (scikit-learn).
"""

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np

from explorer.baselines.clustering._arrays import clusters, nodes, renumber
from explorer.engine.knobs import knob, settings
from explorer.engine.refusals import Refused
from explorer.engine.vectors import Array, Ints


@dataclass(frozen=True, slots=True, eq=False)
class SoftClustering:
    """Shares (m, k) that sum to 1 for every item, the centres, and the mean log-likelihood."""

    shares: Array
    centres: Array
    likelihood: float

    @property
    def partition(self) -> Ints:
        """Every item in the cluster of its largest share."""
        return renumber(np.argmax(self.shares, axis=1))


@final
@settings
class Mixture:
    """Gaussians fitted by expectation-maximisation."""

    title: ClassVar[str] = "Gaussian mixture"
    help: ClassVar[str] = "Gives every item a share in every cluster, instead of one cluster."
    kind: ClassVar[str] = "clustering"
    paper: ClassVar[str] = "Dempster, Laird and Rubin 1977"

    covariance: str = knob(
        "spherical", "Shape of the clusters.", choices=("spherical", "diag", "tied", "full")
    )
    restarts: int = knob(5, "Starts; the likeliest is kept.", low=1, high=1000)

    def cluster(self, X: Any, k: int, rng: np.random.Generator) -> SoftClustering:
        """The likeliest mixture of several starts."""
        from sklearn.mixture import GaussianMixture  # scikit-learn takes a second to import

        rows = nodes(X)
        different = len(np.unique(rows, axis=0))
        if clusters(k, len(rows)) > different or len(rows) < 2:
            raise Refused(f"k is {k} but only {different} items differ from each other; choose a smaller k")
        seed = int(rng.integers(2**31))
        model = GaussianMixture(
            k, covariance_type=self.covariance, n_init=self.restarts, max_iter=1000, random_state=seed
        )
        shares = model.fit(rows).predict_proba(rows)
        return SoftClustering(shares, model.means_, float(model.lower_bound_))
