"""Every token takes its best head, whether or not that makes a tree.

All choices of heads are searched exactly, and all trees are among them: the answer scores at least as much as
the best tree, so this oracle relaxes the problem. An answer whose heads run in a circle is no tree
(`parses.cycle` finds it). Pfahler 2015, section 6.3.4. Cost: O(m^2) a sentence.
"""

from dataclasses import dataclass
from typing import ClassVar, final

from explorer.engine.contracts import Loss
from explorer.engine.pricing import Pricing
from explorer.engine.structures.trees.kernels.arborescence import best_heads
from explorer.engine.structures.trees.oracles._tables import Tables, decode_all, unfoldable
from explorer.engine.vectors import Ints


@final
@dataclass(frozen=True, slots=True)
class GreedyHeads:
    """The best head of every token by itself."""

    title: ClassVar[str] = "greedy heads"
    help: ClassVar[str] = (
        "Relaxed: every token takes its best head, which may make circles instead of a tree."
    )
    kind: ClassVar[str] = "over"

    def refuses(self, longest: int, loss: Loss, pricing: Pricing) -> str | None:
        """A loss that is no price for each wrong head."""
        return unfoldable(loss, pricing)

    def best(self, tables: Tables) -> Ints:
        """The best heads of every sentence, below each other."""
        return decode_all(best_heads, tables)

    def most_violated(self, tables: Tables, truth: Ints, loss: Loss, pricing: Pricing) -> Ints:
        """The heads of every sentence with the largest H."""
        return self.best(tables.with_loss(truth, loss))
