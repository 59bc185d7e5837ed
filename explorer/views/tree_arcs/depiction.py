"""How dependency trees are shown: heads of words, sentences as text, weights by the edges they score."""

from explorer.engine.structures.trees.dual_problem import KernelTrees
from explorer.engine.structures.trees.problem import DependencyTrees
from explorer.views.kit.depiction import Depiction
from explorer.views.kit.words.label_words import shorten
from explorer.views.kit.words.weight_names import WeightGroup
from explorer.views.tree_arcs.portrait import tree_portrait
from explorer.views.tree_arcs.thumbnail import tree_thumbnail


def sentence_text(problem: DependencyTrees | KernelTrees, example: int) -> str:
    """The words."""
    return shorten(" ".join(problem.dataset.inputs[example].words))


def edge_weights(problem: DependencyTrees) -> tuple[WeightGroup, ...]:
    """One weight for each kind of edge."""
    return (WeightGroup("weights", 0, problem.dim, 1, "{row}", problem.feature_names.__getitem__, str),)


KERNEL_TREES = Depiction(
    part=lambda problem: "word",
    input_text=sentence_text,
    thumbnail=tree_thumbnail,
    portrait=tree_portrait,
)
"""Weights of the dual form belong to a sentence and an edge of it each: they have numbers."""

TREES = Depiction(
    part=lambda problem: "word",
    input_text=sentence_text,
    weights=edge_weights,
    thumbnail=tree_thumbnail,
    portrait=tree_portrait,
)

__all__ = ["KERNEL_TREES", "TREES"]
