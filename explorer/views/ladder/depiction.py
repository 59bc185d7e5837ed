"""How classes are shown: by name; weights form a column per class, or the normal of one hyperplane."""

import numpy as np

from explorer.engine.structures.classes.binary import Binary
from explorer.engine.structures.classes.multiclass import Multiclass
from explorer.views.kit.depiction import Depiction
from explorer.views.kit.drawing.thinning import dense
from explorer.views.kit.words.label_words import shorten, state_names
from explorer.views.kit.words.weight_names import WeightGroup, feature_names
from explorer.views.ladder.portrait import class_portrait
from explorer.views.ladder.thumbnail import class_thumbnail
from explorer.wording import quantity

FEW = 4
"""Features that are written out."""


def class_input(problem: Multiclass | Binary, example: int) -> str:
    """A few features as numbers, an image by its size, and of other inputs how many features there are."""
    shape = problem.dataset.meta.get("image_shape")
    row = np.ravel(dense(problem.dataset.inputs[example : example + 1]))
    if shape is not None:
        return f"image of {shape[0]} by {shape[1]} pixels"
    return (
        shorten(" ".join(f"{value:.3g}" for value in row))
        if len(row) <= FEW
        else quantity(len(row), "feature")
    )


def multiclass_weights(problem: Multiclass) -> tuple[WeightGroup, ...]:
    """Every feature for every class."""
    rows, names = problem.dim // problem.classes, MULTICLASS.states(problem)
    named = feature_names(problem.dataset, rows)
    return (WeightGroup("classes", 0, rows, problem.classes, "{row} for {col}", named, names.__getitem__),)


def binary_weights(problem: Binary) -> tuple[WeightGroup, ...]:
    """The normal of the hyperplane, after its bias where there is one."""
    named = feature_names(problem.dataset, problem.dim, problem.bias != "none")
    return (WeightGroup("weights", 0, problem.dim, 1, "{row}", named, str),)


MULTICLASS = Depiction(
    part=lambda problem: "label",
    verb="says",
    states=lambda problem: state_names(problem.dataset, problem.classes),
    input_text=class_input,
    weights=multiclass_weights,
    thumbnail=class_thumbnail,
    portrait=class_portrait,
)
BINARY = Depiction(
    part=lambda problem: "label",
    verb="says",
    states=lambda problem: state_names(problem.dataset, 2),
    input_text=class_input,
    weights=binary_weights,
    thumbnail=class_thumbnail,
    portrait=class_portrait,
)

__all__ = ["BINARY", "MULTICLASS"]
