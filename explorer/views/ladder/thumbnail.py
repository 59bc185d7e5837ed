"""Classes in one small picture: one marker for each point, or an image of each class."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from explorer.engine.structures.classes.binary import Binary
from explorer.engine.structures.classes.multiclass import Multiclass
from explorer.engine.vectors import Array, Ints
from explorer.views.kit.depiction import Thumbnail, depiction_of
from explorer.views.kit.drawing.state_colours import fills
from explorer.views.kit.drawing.svg import EDGE, fit_places, grey, legend, lines, markers, text
from explorer.views.kit.drawing.theme import Theme
from explorer.views.kit.drawing.thinning import dense, evenly
from explorer.wording import quantity


def class_thumbnail(problem: Multiclass | Binary, theme: Theme, turn: int) -> Thumbnail:
    """Points in the plane or on a line; images of every class; nothing for other features."""
    meta, names = problem.dataset.meta, depiction_of(problem).states(problem)
    x, y, colours = dense(problem.dataset.inputs), np.asarray(problem.dataset.labels), fills(names, theme)
    if "image_shape" in meta:
        return f"An image of each class: {', '.join(names[:10])}", images(x, y, names, meta, theme)
    used = x[:, np.ptp(x, axis=0) > 0.0]
    if not 1 <= used.shape[1] <= 2:
        return "", ""
    few = evenly(len(x), 200)
    at = fit_places(np.column_stack([used, np.zeros(len(x))])[:, :2])[few]
    axis = lines(np.array([[EDGE, 60], [172, 60]]), [(0, 1)], theme) if used.shape[1] == 1 else ""
    shown = axis + markers(
        at, y[few], colours, 6 if len(few) <= 12 else 4.4 if len(few) <= 60 else 3.4, theme
    )
    said = f"{quantity(len(few), 'point')} of the classes {', '.join(names)}"
    return said, shown + legend(names, colours, theme, dearest_mistake(problem, names))


def dearest_mistake(problem: Multiclass | Binary, names: Sequence[str]) -> list[str]:
    """The one mistake that costs more than all others, if there is one."""
    costs = np.array([[problem.delta.value(a, b) for b in range(len(names))] for a in range(len(names))])
    truth, guess = np.unravel_index(int(np.argmax(costs)), costs.shape)
    alone = np.count_nonzero(costs == costs.max()) == 1 and costs.max() > 0
    return [f"{names[truth]} as {names[guess]}", f"costs {costs.max():g}"] if alone else []


def images(x: Array, y: Ints, names: Sequence[str], meta: Any, theme: Theme) -> str:
    """The first image of each of at most ten classes in two rows, with its name."""
    out = ""
    for n, k in enumerate(np.unique(y)[:10].tolist()):
        left, top = EDGE + 49 * (n % 5), EDGE + 7 + 54 * (n // 5)
        image = x[np.argmax(y == k), : np.prod(meta["image_shape"])].reshape(meta["image_shape"])
        out += grey(image, theme, left, top, 36, 36) + text(left + 41, top + 30, names[k])
    return out
