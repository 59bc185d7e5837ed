"""Backward, closest-first linking: every item links to the nearest earlier one that is similar enough.

    antecedent(j) = the largest i < j with K_ij > threshold,  if there is one
    clusters      = connected components of the links

Soon, Ng and Lim (2001); Finley 2009, section 1.3.2. The order of the items matters, and a link is never
reconsidered: what is not similar to its antecedent's cluster comes along all the same. Cost: m^2 / 2 looks at
K.
"""

from typing import Any, ClassVar, final

import numpy as np

from explorer.baselines.clustering._arrays import similarity
from explorer.baselines.clustering._links import components
from explorer.engine.knobs import knob, settings
from explorer.engine.vectors import Ints


@final
@settings
class BackwardLinking:
    """Each item to the closest earlier one that is similar."""

    title: ClassVar[str] = "backward linking"
    help: ClassVar[str] = (
        "Links every item to the nearest earlier one that is similar; clusters are what hangs together."
    )
    kind: ClassVar[str] = "clustering"
    paper: ClassVar[str] = "Soon, Ng and Lim 2001"

    threshold: float = knob(0.0, "A pair is linked when its similarity is above this.")

    def antecedents(self, K: Any) -> Ints:
        """The item that each item links to, -1 for none; items are in reading order."""
        values = similarity(K)
        similar = [np.flatnonzero(values[:j, j] > self.threshold) for j in range(len(values))]
        return np.array([int(i[-1]) if len(i) else -1 for i in similar], dtype=np.int64)

    def cluster(self, K: Any) -> Ints:
        """The partition into connected components of the links."""
        back = self.antecedents(K)
        linked = np.flatnonzero(back >= 0)
        return components(len(back), np.stack([back[linked], linked], axis=1))
