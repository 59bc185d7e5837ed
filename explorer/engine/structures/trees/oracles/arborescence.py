"""Chu-Liu/Edmonds: the best of all trees, projective or not, by contracting circles. Exact; see
`kernels.arborescence`.
"""

from dataclasses import dataclass
from typing import ClassVar, final

from explorer.engine.contracts import Loss
from explorer.engine.pricing import Pricing
from explorer.engine.structures.trees.kernels.arborescence import best_arborescences
from explorer.engine.structures.trees.oracles._tables import Tables, decode_all, unfoldable
from explorer.engine.vectors import Ints


@final
@dataclass(frozen=True, slots=True)
class Arborescence:
    """The best tree by Chu-Liu/Edmonds."""

    title: ClassVar[str] = "Chu-Liu/Edmonds"
    help: ClassVar[str] = "Exact: the best of all trees, by contracting circles of best heads."
    kind: ClassVar[str] = "exact"

    def refuses(self, longest: int, loss: Loss, pricing: Pricing) -> str | None:
        """A loss that is no price for each wrong head."""
        return unfoldable(loss, pricing)

    def best(self, tables: Tables) -> Ints:
        """The best tree of every sentence, below each other."""
        return decode_all(best_arborescences, tables)

    def most_violated(self, tables: Tables, truth: Ints, loss: Loss, pricing: Pricing) -> Ints:
        """The tree of every sentence with the largest H."""
        return self.best(tables.with_loss(truth, loss))
