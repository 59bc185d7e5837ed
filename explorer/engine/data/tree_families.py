"""Families of treebanks, each a record of knobs whose `make` gives training and test sentences.

The last knobs of each are about the problem, not the data: how two sentences are compared (the input kernel),
and which edges of their trees count as the same (the hash functions).
"""

from typing import Any

from explorer.engine.contracts import Dataset
from explorer.engine.data import register
from explorer.engine.data.readers import treebank
from explorer.engine.knobs import knob, settings
from explorer.engine.structures.trees.edge_hashes import DISTANCES
from explorer.engine.structures.trees.sentences import LAYERS

Pair = tuple[Dataset, Dataset | None]

INPUT_KERNELS = ("bag of words", "polynomial", "subsequences", "none")
"""How two sentences are compared."""


def _kernel() -> Any:
    return knob("bag of words", "How alike two sentences are: the input kernel.", choices=INPUT_KERNELS)


def _layer() -> Any:
    return knob("tags", "What is compared of an edge's head and dependent.", choices=LAYERS)


def _distance(default: str) -> Any:
    return knob(default, "What is compared of an edge's direction and length.", choices=DISTANCES)


def _word_pairs() -> Any:
    return knob(False, "Compare the words of head and dependent too: a second hash function.")


def _buckets() -> Any:
    return knob(
        0, "Hash edges into this many buckets; 0 keeps all kinds of edges apart.", low=0, high=1_000_000
    )


@settings
class RegisterTrees:
    """Dependency trees in two registers that differ in two heads; only the vocabulary tells which register it
    is.
    """

    n: int = knob(100, "Training sentences.", low=2, high=5000)
    n_test: int = knob(100, "Test sentences.", low=1, high=5000)
    kernel: str = _kernel()
    layer: str = _layer()
    distance: str = _distance("bucketed")
    word_pairs: bool = _word_pairs()
    buckets: int = _buckets()
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    def make(self) -> Pair:
        """Training and test sentences of the same draw."""
        return register.register_treebank(self.n, self.n_test, self.seed)


@settings
class MicroTrees:
    """Four German sentences of three or four words, small enough to list all their 282 trees."""

    kernel: str = _kernel()
    layer: str = _layer()
    distance: str = _distance("direction")
    word_pairs: bool = _word_pairs()
    buckets: int = _buckets()

    def make(self) -> Pair:
        """The four sentences; there is nothing to test on."""
        return treebank.micro_treebank(), None


AnyTrees = RegisterTrees | MicroTrees
