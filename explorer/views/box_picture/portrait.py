"""A picture with a box, large: dark cells where the commonest words of the true box are."""

from typing import Any

import numpy as np

from explorer.engine.structures.boxes.problem import BoxDetection
from explorer.views.box_picture.frame import box_text
from explorer.views.box_picture.thumbnail import telling_cells
from explorer.views.kit.drawing.portrait import PAGE, RIGHT, svg
from explorer.views.kit.drawing.svg import cells

SIDE = 320.0


def box_portrait(problem: BoxDetection, example: int, label: Any = None) -> str:
    """The picture, or with a label its box; a wrong one also has the true box around the animal."""
    shades = telling_cells(problem, example)
    step = SIDE / max(shades.shape)
    high, wide = (size * step for size in shades.shape)
    out = cells(shades, [(PAGE.grid, 1.0), (PAGE.muted, 0.8)], 0, 0, wide, high)
    if label is None:
        return svg(out, wide, high, "the picture")
    truth = problem.dataset.labels[example]
    wrong = not np.array_equal(label, truth)
    if wrong:
        out += outline(truth, step, f"{RIGHT} stroke-width='2' stroke-opacity='.6'")
        out += outline(label, step, "stroke='var(--rival)' stroke-dasharray='8 4' stroke-width='5'")
    else:
        out += outline(truth, step, f"{RIGHT} stroke-width='5'")
    return svg(out, wide, high, box_text(label))


def outline(box: Any, step: float, look: str) -> str:
    """A box around its cells."""
    x0, y0, x1, y1 = (float(side) * step for side in box)
    return (
        f"<rect x='{x0:.1f}' y='{y0:.1f}' width='{x1 - x0:.1f}' height='{y1 - y0:.1f}' fill='none' {look}/>"
    )


__all__ = ["box_portrait"]
