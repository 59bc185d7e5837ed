"""A picture with its box, small: dark cells where the commonest words of the box are."""

import numpy as np

from explorer.engine.structures.boxes.problem import BoxDetection
from explorer.views.kit.depiction import Thumbnail
from explorer.views.kit.drawing.svg import EDGE, SIDE, WIDTH, cells
from explorer.views.kit.drawing.theme import Theme

COMMON = 4
"""Words of the box that are drawn dark."""


def box_thumbnail(problem: BoxDetection, theme: Theme, turn: int) -> Thumbnail:
    """The cells whose words are more common inside the box than outside, and the box around them."""
    x, (x0, y0, x1, y1) = problem.dataset.inputs[turn], problem.dataset.labels[turn].tolist()
    within = np.bincount(x[y0:y1, x0:x1].ravel(), minlength=problem.words) / ((x1 - x0) * (y1 - y0))
    everywhere = np.bincount(x.ravel(), minlength=problem.words) / x.size
    common = np.argsort(everywhere - within, kind="stable")[:COMMON]
    rows, columns = x.shape
    wide, high = SIDE * columns / max(rows, columns), SIDE * rows / max(rows, columns)
    left, step = (WIDTH - wide) / 2, wide / columns
    shades = np.isin(x, common).astype(int)
    out = cells(shades, [(theme.grid, 1.0), (theme.muted, 0.8)], left, EDGE, wide, high)
    out += (
        f"<rect x='{left + x0 * step:.1f}' y='{EDGE + y0 * step:.1f}' width='{(x1 - x0) * step:.1f}' "
        f"height='{(y1 - y0) * step:.1f}' fill='none' stroke='{theme.truth}' stroke-width='3'/>"
    )
    return f"A picture of {rows} by {columns} cells with a box around the animal", out
