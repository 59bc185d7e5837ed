"""The overlap loss of two boxes: Delta(A, B) = 1 - |A intersect B| / |A union B|, areas counted in cells.

A box (x0, y0, x1, y1) covers the cells x0 <= x < x1, y0 <= y < y1, so two 2 x 2 boxes that share one cell
lose 1 - 1/7. From the object-detection example of the lecture "Structured Learning". Cost: constant.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, final

from explorer.engine.refusals import Refused


@final
@dataclass(frozen=True, slots=True)
class IoU:
    """1 minus the intersection over the union of two boxes."""

    title: ClassVar[str] = "Box overlap (IoU)"
    help: ClassVar[str] = "1 minus the shared area of two boxes over the area they cover together."
    undecomposed: ClassVar[str] = (
        "The overlap is a ratio of areas and no sum over cells, so it cannot be added to their scores: "
        "let the oracle go through the boxes, all of them or by branch and bound."
    )

    def value(self, truth: Any, label: Any) -> float:
        """0 for the same box, 1 for boxes that share no cell."""
        ax0, ay0, ax1, ay1 = _corners(truth)
        bx0, by0, bx1, by1 = _corners(label)
        shared = max(0.0, min(ax1, bx1) - max(ax0, bx0)) * max(0.0, min(ay1, by1) - max(ay0, by0))
        covered = (ax1 - ax0) * (ay1 - ay0) + (bx1 - bx0) * (by1 - by0) - shared
        return 1.0 - shared / covered


def _corners(box: Any) -> tuple[float, float, float, float]:
    corners = tuple(float(c) for c in box)
    if len(corners) != 4 or not (corners[0] < corners[2] and corners[1] < corners[3]):
        raise Refused(
            f"the box {corners} covers no cell; write it as (x0, y0, x1, y1) with x0 < x1 and y0 < y1"
        )
    return corners
