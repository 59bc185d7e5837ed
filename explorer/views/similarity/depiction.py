"""How clusterings are shown: items of each cluster, pairs unlike the truth, weights of pairs of items."""

from typing import Any

from explorer.engine.structures.clusterings.problem import Clustering
from explorer.engine.structures.clusterings.single_link import SingleLink
from explorer.views.kit.depiction import Depiction
from explorer.views.kit.words.label_words import cluster_text, pairs_apart, shorten
from explorer.views.kit.words.weight_names import WeightGroup, names_by_number
from explorer.views.similarity.portrait import cluster_portrait
from explorer.views.similarity.thumbnail import cluster_thumbnail
from explorer.wording import quantity

AnyClustering = Clustering | SingleLink


def clustering_text(problem: AnyClustering, label: Any, example: int | None = None) -> str:
    """The items of each cluster, by name where the example is known and its items have names."""
    return cluster_text(label, () if example is None else problem.dataset.inputs[example].names)


def clustering_input(problem: AnyClustering, example: int) -> str:
    """How many items there are, and what they are called."""
    x = problem.dataset.inputs[example]
    return shorten(quantity(x.m, "item") + (f": {' '.join(x.names)}" if x.names else ""))


def clustering_mistake(problem: AnyClustering, example: int, label: Any) -> str:
    """A wrong clustering, and how many pairs it treats unlike the truth."""
    text, truth = clustering_text(problem, label, example), problem.dataset.labels[example]
    return f"{text} ({pairs_apart(label, truth)})".replace(") (", ": ")


def clustering_weights(problem: AnyClustering) -> tuple[WeightGroup, ...]:
    """Weights of pairs of items, under the names that the data gives to all of them, else by number."""
    several = len(problem.groups) > 1
    return tuple(_group(problem, name, where, several) for name, where in problem.groups.items())


def _group(problem: AnyClustering, name: str, where: slice, several: bool) -> WeightGroup:
    named, size = problem.dataset.meta.get("features", ()), where.stop - where.start
    if len(named) == problem.dim:
        return WeightGroup(name, where.start, size, 1, "{row}", lambda r: str(named[where.start + r]), str)
    words = f"{{row}} ({name})" if several else "{row}"
    return WeightGroup(name, where.start, size, 1, words, names_by_number("feature"), str)


CLUSTERINGS = Depiction(
    part=lambda problem: "item",
    verb="groups",
    label_text=clustering_text,
    input_text=clustering_input,
    mistake=clustering_mistake,
    difference=pairs_apart,
    weights=clustering_weights,
    weighs_pairs=True,
    thumbnail=cluster_thumbnail,
    portrait=cluster_portrait,
)

__all__ = ["CLUSTERINGS"]
