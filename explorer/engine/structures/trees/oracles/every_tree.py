"""All trees in turn: exact for every loss and pricing, for short sentences. The referee of the other tree
oracles.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, final

import numpy as np

from explorer.engine.checks import read_only
from explorer.engine.contracts import Loss
from explorer.engine.pricing import Pricing
from explorer.engine.structures.trees.heads import MOST_TOKENS, all_trees
from explorer.engine.structures.trees.oracles._tables import Tables, one_by_one
from explorer.engine.vectors import Array, Ints


@final
@dataclass(frozen=True, slots=True)
class EveryTree:
    """Every tree in turn."""

    title: ClassVar[str] = "every tree"
    help: ClassVar[str] = "Tries every tree: exact for any loss, only for short sentences."
    kind: ClassVar[str] = "exact"

    def refuses(self, longest: int, loss: Loss, pricing: Pricing) -> str | None:
        """Sentences with too many trees to list."""
        if longest <= MOST_TOKENS:
            return None
        return (
            f"A sentence has {longest} tokens, and all trees are listed of {MOST_TOKENS} at most: "
            "choose Chu-Liu/Edmonds, or shorter sentences"
        )

    def best(self, tables: Tables) -> Ints:
        """The best tree of every sentence, below each other; of equal ones the first."""
        return one_by_one(lambda table: _first(table, _scored(table)), tables)

    def most_violated(self, tables: Tables, truth: Ints, loss: Loss, pricing: Pricing) -> Ints:
        """The tree of every sentence with the largest H."""
        own = np.split(truth, tables.places[1:-1])
        return np.concatenate([_worst(tables.one(i), y, loss, pricing) for i, y in enumerate(own)])


@lru_cache(maxsize=8)
def trees_over(n: int) -> Ints:
    """Every tree over n tokens, one row each."""
    return read_only(np.array(list(all_trees(n)), dtype=np.int64))


def _scored(table: Array) -> Array:
    n = table.shape[1]
    return np.asarray(table[trees_over(n), np.arange(n)].sum(axis=1))


def _first(table: Array, values: Array) -> Ints:
    return np.asarray(trees_over(table.shape[1])[int(np.argmax(values))])


def _worst(table: Array, truth: Ints, loss: Loss, pricing: Pricing) -> Ints:
    losses = np.array([loss.value(truth, y) for y in trees_over(table.shape[1])])
    own = float(table[truth, np.arange(len(truth))].sum())
    return _first(table, pricing.violations(own - _scored(table), losses))
