"""k-means that starts from labelled items: seeded, and constrained when the labelled items may not move.

    minimise  sum_i |x_i - mu_{l_i}|^2,   mu_h started as the mean of the seeds of h

Basu, Banerjee and Mooney, "Semi-supervised clustering by seeding" (ICML 2002); Finley 2009, section 1.6. The
objective never rises. In seeded k-means a wrong seed can be outvoted, in constrained k-means (`keep`) it
stays. Cost: m k F per sweep.
"""

from typing import Any, ClassVar, final

import numpy as np

from explorer.baselines.clustering._arrays import nodes
from explorer.baselines.clustering._lloyd import lloyd, means
from explorer.baselines.clustering._outcome import ClusteringOutcome, by_first_appearance
from explorer.engine.knobs import knob, settings
from explorer.engine.refusals import Refused
from explorer.engine.vectors import Ints


@final
@settings
class Seeded:
    """k-means from the means of labelled items."""

    title: ClassVar[str] = "seeded k-means"
    help: ClassVar[str] = (
        "Starts k-means from the means of some labelled items, which may have to keep their label."
    )
    kind: ClassVar[str] = "links"
    paper: ClassVar[str] = "Basu, Banerjee and Mooney 2002"

    keep: bool = knob(False, "Labelled items stay in their cluster (constrained k-means).")
    sweeps: int = knob(300, "Most sweeps.", low=1, high=10**5, log=True)

    def cluster(self, X: Any, seeds: Any) -> ClusteringOutcome:
        """Clusters of all items; seeds[i] is the cluster of a labelled item, -1 for the others."""
        rows = nodes(X)
        known = checked_seeds(seeds, len(rows))
        here = known >= 0
        k = int(known.max()) + 1
        centres = means(rows[here], known[here], np.zeros((k, rows.shape[1])))
        held = known if self.keep else np.full(len(rows), -1, dtype=np.int64)
        labels, centres, trace = lloyd(rows, centres, held, self.sweeps)
        return by_first_appearance(labels, centres, trace)


def checked_seeds(seeds: Any, m: int) -> Ints:
    """One cluster number or -1 per item, every cluster up to the largest with a seed; or Refused."""
    known = np.asarray(seeds)
    if known.shape != (m,) or known.dtype.kind not in "iu":
        raise Refused(
            f"the seeds have shape {known.shape} but there are {m} items; give one number per item, -1: none"
        )
    present = set(known.tolist()) - {-1}
    if not present or min(present) < 0:
        raise Refused(
            "no item has a seed, or one is below -1; give at least one item of every cluster its number"
        )
    missing = sorted(set(range(max(present) + 1)) - present)
    if missing:
        raise Refused(
            f"cluster {missing[0]} has no seed; label one of its items, or number the clusters without gaps"
        )
    return known.astype(np.int64)
