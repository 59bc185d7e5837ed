"""Clusters from the spectral relaxation: iterative k-means on the co-membership Y Y' of the eigenvectors Y.

    Y = spectral(K),   then maximise trace(Z' (Y Y') Z) over clusterings Z into k clusters

Finley 2009, section 4.3.3 ("Discrete"), after Bach & Jordan. Where Y is a clustering, Y Y' is its
co-membership and the clusters are found again. The eigenvalues' bound holds for it too. Cost: one
eigenproblem, then sweeps over the items.
"""

from typing import ClassVar, final

from explorer.engine.knobs import knob, settings
from explorer.engine.structures.clusterings.oracles._kernel_question import refused_free, refused_loss
from explorer.engine.structures.clusterings.oracles.iterative import Iterative
from explorer.engine.structures.clusterings.oracles.spectral import Spectral
from explorer.engine.structures.clusterings.question import Answer, Question


@final
@settings
class Discrete:
    """The eigenvectors, made into clusters."""

    title: ClassVar[str] = "discrete spectral"
    help: ClassVar[str] = (
        "Finds the k best eigenvectors, then the clusters nearest to them by moving single items."
    )
    kind: ClassVar[str] = "under"

    restarts: int = knob(1, "Random starts, of which the best end is kept.", low=1, high=1000)
    seed: int = knob(0, "Which random starts are drawn.", low=0, high=9999)

    def refuses(self, question: Question) -> str | None:
        """No number of clusters, or a loss that does not fold."""
        return refused_free(question, self.title) or refused_loss(question, self.title, "iterative k-means")

    def solve(self, question: Question) -> Answer:
        """A clustering near to the eigenvectors, and their bound."""
        relaxed, bound = Spectral().solve(question)
        Y = relaxed.reshape(question.m, -1)
        found = Iterative(self.restarts, self.seed).solve(Question(Y @ Y.T, question.groups))
        return Answer(found.label, bound)
