"""A labelled graph in one small picture: noisy and true cells of a grid, or nodes and edges.

Of sets of labels the features and labels of a few examples are shown, filled where a label is on.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from explorer.engine.structures.fields.problem import FieldLabelling
from explorer.engine.vectors import Array, Ints
from explorer.views.kit.depiction import Thumbnail
from explorer.views.kit.drawing.state_colours import fills, marks
from explorer.views.kit.drawing.svg import (
    EDGE,
    MOST,
    SIDE,
    WIDTH,
    arrow,
    cells,
    fit_places,
    grey,
    legend,
    lines,
    mark,
    markers,
)
from explorer.views.kit.drawing.theme import Theme
from explorer.views.kit.drawing.thinning import dense, evenly
from explorer.views.kit.words.label_words import state_names
from explorer.views.labelling.places import nodes_of
from explorer.wording import quantity


def field_thumbnail(problem: FieldLabelling, theme: Theme, turn: int) -> Thumbnail:
    """A grid, label sets, or a graph whose nodes are markers."""
    kind, shape, names, place = nodes_of(problem, turn)
    states, x, y = (
        state_names(problem.dataset, problem.states),
        problem.dataset.inputs[turn],
        np.asarray(problem.dataset.labels[turn]),
    )
    if kind == "labels":
        return label_sets(problem, names, theme)
    if shape is not None:
        said = f"A grid of {shape[0]} by {shape[1]} noisy cells, and which of {', '.join(states)} each is"
        return said, grid(x.nodes, y, shape, problem.dataset.meta, states, theme)
    at, few, colours = fit_places(place, equal=False), np.arange(min(len(y), 150)), fills(states, theme)
    nodes = markers(at[few], y[few], colours, 6.5 if len(y) <= 20 else 5, theme)
    said = (
        f"A graph of {quantity(len(y), 'node')} and {quantity(len(x.edges), 'edge')}, each node "
        f"{' or '.join(states)}"
    )
    return said, lines(at, x.edges[:200].tolist(), theme) + nodes + legend(states, colours, theme)


def grid(
    nodes: Array, y: Ints, shape: tuple[int, int], meta: Any, states: Sequence[str], theme: Theme
) -> str:
    """Noisy cells, coloured by their strongest feature or in shades of the first, and the true cells."""
    part = np.ix_(*(evenly(size, MOST) for size in shape))
    truth, paint = y.reshape(shape)[part], [(colour, 1.0) for colour in fills(states, theme)]
    first, second = (WIDTH / 2 - SIDE - 13, EDGE, SIDE, SIDE), (WIDTH / 2 + 13, EDGE, SIDE, SIDE)
    if tuple(meta.get("feature_names", ())) == tuple(states):
        seen = cells(np.argmax(nodes, axis=1).reshape(shape)[part], paint, *first)
    else:
        seen = grey((nodes[:, 0] - nodes[:, 0].min()).reshape(shape)[part], theme, *first)
    named = ""
    for k, letter in enumerate(marks(states)):
        spots = np.argwhere(truth == k)
        if len(spots):
            middle = spots[np.argmin(np.sum((spots - spots.mean(axis=0)) ** 2, axis=1))]
            r, c = (middle + 0.5) * SIDE / truth.shape
            named += mark(second[0] + c, EDGE + r, letter, paint[k][0])
    return seen + arrow(WIDTH / 2, theme) + cells(truth, paint, *second) + named


def label_sets(problem: FieldLabelling, names: Sequence[str], theme: Theme) -> Thumbnail:
    """Features of a few examples at the left, labels at the right: a disc where one is on, else a ring."""
    y = np.asarray(problem.dataset.labels)[:7, :12]
    x = dense(problem.dataset.inputs[: len(y)])
    starts = np.unique(np.arange(MOST) * x.shape[1] // MOST)
    seen = np.add.reduceat(x, starts, axis=1) / np.diff(np.append(starts, x.shape[1]))
    pitch = SIDE / len(y)
    step = min(pitch, 104 / y.shape[1])
    striped = np.insert(np.repeat(seen, 3, axis=0), np.arange(3, 3 * len(y), 3), 0.0, axis=0)
    out = grey(striped, theme, EDGE, EDGE, 112, SIDE) + arrow(133, theme)
    for (i, u), on in np.ndenumerate(y):
        look = (
            f"fill='{theme.accent}' stroke='{theme.accent}'"
            if on
            else f"fill='none' stroke='{theme.neutral}'"
        )
        at = f"cx='{148 + (u + 0.5) * step:.1f}' cy='{EDGE + (i + 0.5) * pitch:.1f}'"
        out += f"<circle {at} r='{0.36 * step:.1f}' {look}/>"
    return (
        f"Features of {quantity(len(y), 'example')}, and which of {quantity(len(names), 'label')} are on",
        out,
    )
