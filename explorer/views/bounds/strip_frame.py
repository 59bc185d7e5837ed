"""The two bounds as a film strip: how far they have closed, from the first step to the last.

Heights are shares of the strip, on a logarithmic scale cut off SPAN times above and below the best value; a
run without positive values is drawn on a linear one. Steps after `until` are not told.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.engine.runs.trace import Trace
from explorer.engine.vectors import Array
from explorer.views.bounds.frame import frame
from explorer.views.kit.drawing.thinning import evenly
from explorer.views.kit.drawing.timeline import changes

SPAN = 10.0
MOST_POINTS = 240


@dataclass(frozen=True, slots=True, eq=False)
class StripFrame:
    """Steps and the heights of the value, of the best so far and of the lower bound there."""

    steps: Array
    value: Array
    best: Array
    lower: Array
    marks: tuple[tuple[int, str], ...]


def strip(trace: Trace, until: int) -> StripFrame:
    """The run up to step `until`."""
    shown = frame(trace, until, until=until)
    keep = evenly(len(shown.step), MOST_POINTS)
    lower = np.fmax.accumulate(shown.dual[keep]) if len(keep) else shown.dual[keep]
    scale = heights(shown.best[np.isfinite(shown.best)], shown.primal[np.isfinite(shown.primal)])
    marks = tuple((at, text) for at, text in changes(trace) if at <= until)
    return StripFrame(
        shown.step[keep], scale(shown.primal[keep]), scale(shown.best[keep]), scale(lower), marks
    )


def heights(best: Array, values: Array) -> Any:
    """How high in the strip a value lies, as a function of the value; of all runs the end is below half."""
    end, top = (float(part.max(initial=0.0)) for part in (best[-1:], values))
    if end <= 0.0:
        return lambda value: np.clip(0.1 + 0.85 * value / (top or 1.0), 0.0, 1.0)
    low = np.log10(end / SPAN)
    high = np.log10(min(top, SPAN * end) * 1.15)

    def height(value: Array) -> Array:
        with np.errstate(invalid="ignore"):
            logs = np.log10(np.where(value > 0.0, value, np.where(np.isnan(value), np.nan, end / SPAN)))
        return np.clip((logs - low) / (high - low), 0.02, 1.0)

    return height


__all__ = ["StripFrame", "strip"]
