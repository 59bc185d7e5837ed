"""A picture with its box, small: dark cells where the commonest words of the box are."""

import numpy as np

from explorer.engine.structures.boxes.problem import BoxDetection
from explorer.engine.vectors import Ints
from explorer.views.kit.depiction import Thumbnail
from explorer.views.kit.drawing.svg import EDGE, SIDE, WIDTH, cells
from explorer.views.kit.drawing.theme import Theme

COMMON = 4
"""Words of the box that are drawn dark."""


def telling_cells(problem: BoxDetection, example: int) -> Ints:
    """1 where a cell holds one of the words that are more common inside the true box than outside, else 0."""
    x, (x0, y0, x1, y1) = problem.dataset.inputs[example], problem.dataset.labels[example].tolist()
    within = np.bincount(x[y0:y1, x0:x1].ravel(), minlength=problem.words) / ((x1 - x0) * (y1 - y0))
    everywhere = np.bincount(x.ravel(), minlength=problem.words) / x.size
    common = np.argsort(everywhere - within, kind="stable")[:COMMON]
    return np.isin(x, common).astype(int)


def box_thumbnail(problem: BoxDetection, theme: Theme, turn: int) -> Thumbnail:
    """The cells whose words are more common inside the box than outside, and the box around them."""
    shades, (x0, y0, x1, y1) = telling_cells(problem, turn), problem.dataset.labels[turn].tolist()
    rows, columns = shades.shape
    wide, high = SIDE * columns / max(rows, columns), SIDE * rows / max(rows, columns)
    left, step = (WIDTH - wide) / 2, wide / columns
    out = cells(shades, [(theme.grid, 1.0), (theme.muted, 0.8)], left, EDGE, wide, high)
    out += (
        f"<rect x='{left + x0 * step:.1f}' y='{EDGE + y0 * step:.1f}' width='{(x1 - x0) * step:.1f}' "
        f"height='{(y1 - y0) * step:.1f}' fill='none' stroke='{theme.truth}' stroke-width='3'/>"
    )
    return f"A picture of {rows} by {columns} cells with a box around the animal", out
