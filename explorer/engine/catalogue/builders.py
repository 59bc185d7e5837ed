"""How data become problems: one builder for each kind of problem, and the losses and oracles that it may be
given.
"""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np

from explorer.engine.catalogue.losses import AnyLoss
from explorer.engine.catalogue.oracle_names import oracle_named
from explorer.engine.contracts import Dataset, Problem
from explorer.engine.losses import CostMatrix, Hamming, ZeroOne
from explorer.engine.pricing import Pricing
from explorer.engine.structures.chains.problem import Chain
from explorer.engine.structures.classes.binary import Binary
from explorer.engine.structures.classes.multiclass import Multiclass
from explorer.engine.structures.clusterings.link_oracles import LINK_ORACLES
from explorer.engine.structures.clusterings.losses import Mitre, Normalised, Pairwise
from explorer.engine.structures.clusterings.oracles import CLUSTER_ORACLES
from explorer.engine.structures.clusterings.problem import Clustering, Model
from explorer.engine.structures.clusterings.question import Question
from explorer.engine.structures.clusterings.single_link import SingleLink
from explorer.engine.structures.fields.graph_map import GraphMap
from explorer.engine.structures.fields.label_map import LabelMap, all_pairs, tree_pairs
from explorer.engine.structures.fields.layout import FULL, NONE, SYMMETRIC
from explorer.engine.structures.fields.oracles import FIELD_ORACLES
from explorer.engine.structures.fields.problem import FieldLabelling, FieldMap
from explorer.engine.structures.trees.edge_hashes import EdgeHash
from explorer.engine.structures.trees.input_kernels import AnyInputKernel, BagOfWords, Constant, Subsequences
from explorer.engine.structures.trees.oracles import TREE_ORACLES
from explorer.engine.structures.trees.problem import DependencyTrees


class Choices(Protocol):
    """What a builder reads of a recipe."""

    @property
    def data(self) -> Mapping[str, Any]: ...
    @property
    def pricing(self) -> Pricing: ...
    @property
    def oracle(self) -> str: ...
    @property
    def predictor(self) -> str: ...


Builder = Callable[[Dataset, AnyLoss, Choices], Problem]


def binary(dataset: Dataset, loss: AnyLoss, recipe: Choices) -> Problem:
    return Binary(dataset, bias="regularised", delta=loss, pricing=recipe.pricing)


def multiclass(dataset: Dataset, loss: AnyLoss, recipe: Choices) -> Problem:
    return Multiclass(dataset, len(dataset.meta["states"]), delta=loss, pricing=recipe.pricing)


def chain(dataset: Dataset, loss: AnyLoss, recipe: Choices) -> Problem:
    return Chain(
        dataset,
        len(dataset.meta["states"]),
        delta=loss,
        pricing=recipe.pricing,
        separator=oracle_named(recipe.oracle),
        predictor=oracle_named(recipe.predictor),
    )


def _labelling(dataset: Dataset, map: FieldMap, loss: AnyLoss, recipe: Choices, name: str) -> Problem:
    oracles = (oracle_named(recipe.oracle), oracle_named(recipe.predictor))
    return FieldLabelling(dataset, map, loss, recipe.pricing, *oracles, name)


def graph(dataset: Dataset, loss: AnyLoss, recipe: Choices) -> Problem:
    asked = recipe.data.get("pairwise", "shared")
    tie = asked if asked in (SYMMETRIC, NONE) else FULL
    return _labelling(dataset, GraphMap(len(dataset.meta["states"]), tie), loss, recipe, "graph labelling")


def multilabel(dataset: Dataset, loss: AnyLoss, recipe: Choices) -> Problem:
    labels = np.asarray(dataset.labels)
    pairs = {"full": all_pairs(labels.shape[1]), "tree": tree_pairs(labels), "none": ()}[recipe.data["edges"]]
    return _labelling(dataset, LabelMap(labels.shape[1], pairs), loss, recipe, "multi-label")


def _led(title: str, titles: tuple[str, ...]) -> tuple[str, ...]:
    return (title, *(other for other in titles if other != title))


def correlation(dataset: Dataset, loss: AnyLoss, recipe: Choices) -> Problem:
    """Correlation clustering."""
    return _clustering("correlation", dataset, loss, recipe)


def k_means(dataset: Dataset, loss: AnyLoss, recipe: Choices) -> Problem:
    """Supervised k-means and spectral clustering."""
    return _clustering("k-means", dataset, loss, recipe)


def single_link(dataset: Dataset, loss: AnyLoss, recipe: Choices) -> Problem:
    """Single-link clustering with fixed links of the truths; prediction is single link whatever the recipe
    says.
    """
    return SingleLink(dataset, loss, recipe.pricing, oracle_named(recipe.oracle))


def _clustering(model: Model, dataset: Dataset, loss: AnyLoss, recipe: Choices) -> Problem:
    return Clustering(
        dataset,
        model,
        loss,
        recipe.pricing,
        oracle_named(recipe.oracle),
        oracle_named(recipe.predictor),
        normalise=recipe.data.get("normalise", True),
        diagonal=recipe.data.get("diagonal", False),
        loss_asked=recipe.data.get("loss_in_oracle", True),
        nonnegative=recipe.data.get("weights") == "non-negative",
    )


SENTENCE_KERNELS: Mapping[str, AnyInputKernel] = {
    "bag of words": BagOfWords(),
    "polynomial": BagOfWords(2),
    "subsequences": Subsequences(),
    "none": Constant(),
}


def dependency(dataset: Dataset, loss: AnyLoss, recipe: Choices) -> Problem:
    """Dependency trees with a joint kernel of sentences and trees, its features written out."""
    own = EdgeHash(recipe.data["layer"], recipe.data["distance"])
    return DependencyTrees(
        dataset,
        (own, EdgeHash("words", "none")) if recipe.data["word_pairs"] else (own,),
        SENTENCE_KERNELS[recipe.data["kernel"]],
        loss,
        recipe.pricing,
        oracle_named(recipe.oracle),
        oracle_named(recipe.predictor),
        recipe.data["buckets"],
    )


ZERO_ONE: Mapping[str, AnyLoss] = {"zero-one": ZeroOne()}
ANIMAL_COSTS = CostMatrix(((0, 1, 100, 1), (1, 0, 1, 1), (1, 1, 0, 1), (1, 1, 1, 0)))
SEQUENCE: Mapping[str, AnyLoss] = {
    "hamming": Hamming(),
    "hamming-normalised": Hamming(normalised=True),
    "zero-one": ZeroOne(),
}
DECODERS = ("Viterbi", "enumeration")
NODES: Mapping[str, AnyLoss] = {"hamming": Hamming(), "hamming-normalised": Hamming(normalised=True)}
PER_CENT: Mapping[str, AnyLoss] = {"hamming-percent": Hamming(normalised=True, times=100.0), **NODES}
HEADS: Mapping[str, AnyLoss] = {"attachment-error": Hamming(normalised=True), "wrong-heads": Hamming()}
PARSERS = tuple(oracle.title for oracle in TREE_ORACLES)
FIELD_TITLES = tuple(oracle.title for oracle in FIELD_ORACLES)


def first(title: str) -> tuple[str, ...]:
    """All field oracles, with this one first: the one to begin with."""
    return _led(title, FIELD_TITLES)


FREE_LOSSES: Mapping[str, AnyLoss] = {"pairwise": Pairwise(), "mitre": Mitre()}
LINKED = tuple(oracle.title for oracle in LINK_ORACLES)
KNOWN_LOSSES: Mapping[str, AnyLoss] = {"normalised": Normalised(), "pairwise": Pairwise()}


def clusterers(groups: int | None, title: str) -> tuple[str, ...]:
    """The clusterers that take a known number of clusters, or (None) choose it themselves, with this one
    first.
    """
    two = Question(np.zeros((2, 2)), groups)
    return _led(title, tuple(oracle.title for oracle in CLUSTER_ORACLES if oracle().refuses(two) is None))
