"""A metric by one eigenproblem: directions in which linked items agree, after De Bie, Momma and Cristianini.

    maximise  w' S_12 w  subject to  w' S_11 w = 1:   S_12 w = lambda S_11 w
    S_12 = sum over similar pairs (x_i x_j' + x_j x_i') / 2,
        S_11 = sum over similar pairs (x_i x_i' + x_j x_j') / 2
    A = sum over directions with lambda > 0 of lambda w w',
        lambda = the correlation of the two ends of a pair

"Efficiently learning the metric with side-information" (ALT 2003): canonical correlation of the two ends of
similar pairs, with items centred. (x_i - x_j)' W W' (x_i - x_j), W = the directions times sqrt(lambda), in
the words of Finley 2009, section 1.6. Needs similar pairs only. Cost: F^3.
"""

from typing import Any, ClassVar, final

import numpy as np

from explorer.baselines.clustering._arrays import index_pairs, nodes
from explorer.baselines.clustering._outcome import Metric
from explorer.engine.knobs import knob, settings
from explorer.engine.refusals import Refused


@final
@settings
class EigenMetric:
    """Directions in which similar pairs correlate."""

    title: ClassVar[str] = "eigen metric"
    help: ClassVar[str] = "Keeps the directions in which the two items of similar pairs correlate."
    kind: ClassVar[str] = "metric"
    paper: ClassVar[str] = "De Bie, Momma and Cristianini 2003"

    ridge: float = knob(
        1e-6, "Added to the scatter of linked items, relative to its mean.", low=0.0, high=1.0, log=True
    )
    directions: int = knob(0, "Most directions to keep; 0: all that correlate.", low=0, high=10**6)

    def fit(self, X: Any, similar: Any) -> Metric:
        """The metric; `W` holds the kept correlations, the trace their sum."""
        from scipy.linalg import LinAlgError, eigh  # slow to import

        rows = nodes(X)
        pairs = index_pairs(similar, len(rows), "similar pairs")
        if len(pairs) == 0:
            raise Refused("there are no similar pairs; give at least one")
        rows = rows - rows.mean(axis=0)
        one, two = rows[pairs[:, 0]], rows[pairs[:, 1]]
        across, own = 0.5 * (one.T @ two + two.T @ one), 0.5 * (one.T @ one + two.T @ two)
        own = own + self.ridge * np.trace(own) / len(own) * np.eye(len(own))
        try:
            values, vectors = eigh(across, own)
        except LinAlgError as error:
            raise Refused(
                "linked items do not differ in some direction; link more items, or raise the ridge"
            ) from error
        kept = np.flatnonzero(values > 1e-12)[::-1]
        kept = kept[: self.directions] if self.directions else kept
        if len(kept) == 0:
            raise Refused(
                "similar pairs correlate in no direction; check that they are similar, not dissimilar"
            )
        W = vectors[:, kept] * np.sqrt(values[kept])
        return Metric(W @ W.T, np.array([float(values[kept].sum())]), W=values[kept])
