"""How problems of one structure are shown: labels in words, names of weights, a small picture, views.

Views ask `depiction_of(problem)` instead of the problem's class. The table that joins structures to
depictions is `explorer.views.depictions`; it is read when `explorer.views` is imported, hence before any
view. A problem that has no row there, such as a user's own, is shown plainly: labels as they print, weights
by number, no picture.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.engine.contracts import Problem
from explorer.views.kit.drawing.portrait import plain_words
from explorer.views.kit.drawing.theme import Theme
from explorer.views.kit.words.label_words import shorten, state_text
from explorer.views.kit.words.weight_names import PairCells, WeightGroup, names_by_number

Thumbnail = tuple[str, str]
"""What a small picture shows, in words, and its parts as SVG; both empty where there is none."""


def plain_states(problem: Problem) -> tuple[str, ...]:
    """The names that the data give to states or classes."""
    return tuple(str(name) for name in problem.dataset.meta.get("states", ()))


def plain_label(problem: Problem, label: Any, example: int | None = None) -> str:
    """A labelling in the names of its states, else as it prints."""
    return state_text(label, depiction_of(problem).states(problem))


def plain_input(problem: Problem, example: int) -> str:
    """An input as it prints."""
    return shorten(" ".join(str(problem.dataset.inputs[example]).split()))


def plain_mistake(problem: Problem, example: int, label: Any) -> str:
    """A wrong labelling with how many parts are wrong, or beside the truth if parts cannot be compared."""
    write, truth = depiction_of(problem).label_text, problem.dataset.labels[example]
    text = write(problem, label, example)
    if np.ndim(label) != 1 or np.shape(truth) != np.shape(label):
        return f"{text} for {write(problem, truth, example)}"
    return f"{text} ({np.count_nonzero(np.asarray(label) != np.asarray(truth))} of {len(truth)} wrong)"


def plain_weights(problem: Problem) -> tuple[WeightGroup, ...]:
    """All weights in one column, by number."""
    return (WeightGroup("weights", 0, problem.dim, 1, "{row}", names_by_number("weight"), str),)


def plain_portrait(problem: Problem, example: int, label: Any = None) -> str:
    """The input or a label as it prints."""
    shown = depiction_of(problem)
    words = shown.input_text(problem, example) if label is None else shown.label_text(problem, label, example)
    return plain_words(words, words)


def no_thumbnail(problem: Problem, theme: Theme, example: int) -> Thumbnail:
    """No picture."""
    return "", ""


@dataclass(frozen=True, slots=True)
class Depiction:
    """How problems of one structure are shown; what a structure leaves out is shown plainly.

    `part` is what the pieces of a label are called; `verb` is what a machine does that gives one; `mistake`
    is a wrong labelling with how it differs from the truth; `pair_cells` lays pairwise weights out as
    squares. `views` are the views made for this structure, the picture of one example first. `difference`
    tells how a label differs from the truth where its entries cannot be compared one by one; it begins with
    0 where it does not. `weighs_pairs`: weights are of pairs of items, so that a classifier of pairs can
    stand beside them. `portrait` is a large SVG of one example, or with a label of that answer beside the
    truth.
    """

    part: Callable[[Any], str] = lambda problem: "part"
    verb: str = "answers"
    states: Callable[[Any], tuple[str, ...]] = plain_states
    label_text: Callable[..., str] = plain_label
    input_text: Callable[[Any, int], str] = plain_input
    mistake: Callable[[Any, int, Any], str] = plain_mistake
    difference: Callable[[Any, Any], str] | None = None
    weights: Callable[[Any], tuple[WeightGroup, ...]] = plain_weights
    pair_cells: Callable[[Any], PairCells | None] = lambda problem: None
    weighs_pairs: bool = False
    thumbnail: Callable[[Any, Theme, int], Thumbnail] = no_thumbnail
    portrait: Callable[..., str] = plain_portrait
    views: tuple[type, ...] = ()


_rows: dict[type, Depiction] = {object: Depiction()}


def register(rows: Mapping[type, Depiction]) -> None:
    """Show problems of these classes as the rows say; `object` stands for all others."""
    _rows.update(rows)


def depiction_of(problem: Problem) -> Depiction:
    """The row of a problem's class, or of the nearest class that it is derived from."""
    return next(_rows[kind] for kind in type(problem).__mro__ if kind in _rows)
