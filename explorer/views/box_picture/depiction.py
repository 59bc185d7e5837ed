"""How boxes are shown: by their sides; one weight for each visual word."""

from typing import Any

from explorer.engine.structures.boxes.problem import BoxDetection
from explorer.views.box_picture.frame import box_text
from explorer.views.box_picture.portrait import box_portrait
from explorer.views.box_picture.thumbnail import box_thumbnail
from explorer.views.kit.depiction import Depiction
from explorer.views.kit.words.weight_names import WeightGroup, feature_names


def label_text(problem: BoxDetection, label: Any, example: int | None = None) -> str:
    """The sides of a box."""
    return box_text(label)


def mistake(problem: BoxDetection, example: int, label: Any) -> str:
    """A wrong box, and the true one."""
    return f"{box_text(label)} for {box_text(problem.dataset.labels[example])}"


def difference(label: Any, truth: Any) -> str:
    """How many sides are wrong."""
    return f"{sum(int(a) != int(b) for a, b in zip(label, truth, strict=True))} of 4 sides wrong"


def picture_size(problem: BoxDetection, example: int) -> str:
    """Rows and columns."""
    rows, columns = problem.dataset.inputs[example].shape
    return f"picture of {rows} by {columns} cells"


def word_weights(problem: BoxDetection) -> tuple[WeightGroup, ...]:
    """One weight for each word."""
    named = feature_names(problem.dataset, problem.words)
    return (WeightGroup("words", 0, problem.words, 1, "{row}", named, str),)


BOXES = Depiction(
    part=lambda problem: "side",
    verb="finds",
    label_text=label_text,
    input_text=picture_size,
    mistake=mistake,
    difference=difference,
    weights=word_weights,
    thumbnail=box_thumbnail,
    portrait=box_portrait,
)

__all__ = ["BOXES"]
