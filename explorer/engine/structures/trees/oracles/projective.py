"""Eisner: the best projective tree. Trees with crossing edges are not searched; see `kernels.projective`."""

from dataclasses import dataclass
from typing import ClassVar, final

from explorer.engine.contracts import Loss
from explorer.engine.pricing import Pricing
from explorer.engine.structures.trees.kernels.projective import best_projective
from explorer.engine.structures.trees.oracles._tables import Tables, decode_all, unfoldable
from explorer.engine.vectors import Ints


@final
@dataclass(frozen=True, slots=True)
class Projective:
    """The best projective tree by Eisner's dynamic program."""

    title: ClassVar[str] = "Eisner"
    help: ClassVar[str] = "The best tree without crossing edges; it may miss a better one with some."
    kind: ClassVar[str] = "under"

    def refuses(self, longest: int, loss: Loss, pricing: Pricing) -> str | None:
        """A loss that is no price for each wrong head."""
        return unfoldable(loss, pricing)

    def best(self, tables: Tables) -> Ints:
        """The best projective tree of every sentence, below each other."""
        return decode_all(best_projective, tables)

    def most_violated(self, tables: Tables, truth: Ints, loss: Loss, pricing: Pricing) -> Ints:
        """The projective tree of every sentence with the largest H."""
        return self.best(tables.with_loss(truth, loss))
