"""One example of a classification, large: its image or its place among the others, or its class by name."""

from typing import Any

import numpy as np

from explorer.engine.structures.classes.binary import Binary
from explorer.engine.structures.classes.multiclass import Multiclass
from explorer.views.kit.depiction import depiction_of
from explorer.views.kit.drawing.portrait import PAGE, named_box, plain_words, svg
from explorer.views.kit.drawing.state_colours import fills
from explorer.views.kit.drawing.svg import grey, lines, markers
from explorer.views.kit.drawing.thinning import dense, evenly
from explorer.wording import quantity

SIDE, EDGE = 240.0, 14.0


def class_portrait(problem: Multiclass | Binary, example: int, label: Any = None) -> str:
    """What is given of the example, or a class of it by name."""
    names = depiction_of(problem).states(problem)
    if label is not None:
        name = names[int(label)] if len(names) else str(label)
        wrong = int(label) != int(problem.dataset.labels[example])
        wide = max(120.0, 13.0 * len(name) + 30)
        return svg(named_box(2, 2, wide - 4, 36, name, wrong), wide, 40, name)
    meta, x = problem.dataset.meta, dense(problem.dataset.inputs)
    if "image_shape" in meta:
        image = x[example, : int(np.prod(meta["image_shape"]))].reshape(meta["image_shape"])
        return svg(grey(image, PAGE, 0, 0, SIDE, SIDE), SIDE, SIDE, "the image")
    used = x[:, np.ptp(x, axis=0) > 0.0]
    if not 1 <= used.shape[1] <= 2:
        given = quantity(x.shape[1], "feature")
        return plain_words(given, given)
    return among_others(np.column_stack([used, np.zeros(len(x))])[:, :2], example, problem, names)


def among_others(place: Any, example: int, problem: Any, names: Any) -> str:
    """All points in the colours of their classes, and a ring around the example."""
    low, span = place.min(axis=0), np.maximum(np.ptp(place, axis=0), 1e-9)
    at = EDGE + (place - low) / span * (SIDE - 2 * EDGE)
    at[:, 1] = SIDE - at[:, 1]
    few = np.union1d(evenly(len(at), 200), [example])
    axis = (
        lines(np.array([[0, SIDE / 2], [SIDE, SIDE / 2]]), [(0, 1)], PAGE) if not np.ptp(place[:, 1]) else ""
    )
    if axis:
        at[:, 1] = SIDE / 2
    ring = f"<circle cx='{at[example, 0]:.1f}' cy='{at[example, 1]:.1f}' r='12' fill='none' "
    ring += "stroke='var(--text)' stroke-width='3'/>"
    shown = markers(at[few], np.asarray(problem.dataset.labels)[few], fills(names, PAGE), 6, PAGE)
    return svg(axis + shown + ring, SIDE, SIDE, f"point {example} among {len(few)}")


__all__ = ["class_portrait"]
