"""The curve of a run, small: the objective above its lower bound, the gap between them shaded."""

from typing import Any

import numpy as np

from explorer.engine.runs.trace import Trace
from explorer.views.kit.drawing.theme import Theme
from explorer.wording import quantity

WIDTH, HEIGHT = 260, 90
FEW = 12
"""A run of so few steps has a dot at each."""

SPAN = 10.0
"""Curves are cut off where they are this many times above or below the end."""


def curve(trace: Trace, theme: Theme) -> str:
    """Primal above dual, the gap between them shaded, as a small SVG drawing."""
    primal, dual = np.fmin.accumulate(trace.column("primal")), np.fmax.accumulate(trace.column("dual"))
    end = np.nanmin(primal)
    low, high = np.log10(end / SPAN), np.log10(min(np.nanmax(primal), SPAN * end) * 1.05)
    upper, lower = (points(values, low, high) for values in (primal, dual))
    band = f"<polygon points='{' '.join(upper + lower[::-1])}' fill='{theme.neutral}' fill-opacity='0.15'/>"
    return (
        f"<svg viewBox='0 0 {WIDTH} {HEIGHT}' preserveAspectRatio='none' role='img' aria-label='Objective "
        "and lower bound "
        f"over {quantity(len(trace), 'step')}'>{band if lower else ''}{line(upper, theme.primal, 'none')}"
        f"{line(lower, theme.dual, '6 4')}</svg>"
    )


def points(values: Any, low: float, high: float) -> list[str]:
    """Where a curve's known values lie in the drawing, on a logarithmic scale cut off at both ends."""
    known = np.flatnonzero(np.isfinite(values))
    x = known / max(1, len(values) - 1) * (WIDTH - 12) + 6
    height = (np.log10(np.maximum(values[known], 10**low)) - low) / (high - low)
    y = HEIGHT - 6 - np.clip(height, 0, 1) * (HEIGHT - 12)
    return [f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True)]


def line(at: list[str], colour: str, dash: str) -> str:
    """A curve through these points, with dots when they are few."""
    round_ = (
        f"<path d='M{' M'.join(f'{point} h0' for point in at)}' fill='none' stroke='{colour}' "
        "stroke-width='8' "
    )
    dots = (
        f"{round_}stroke-linecap='round' vector-effect='non-scaling-stroke'/>" if 0 < len(at) <= FEW else ""
    )
    return (
        f"<polyline points='{' '.join(at)}' fill='none' stroke='{colour}' stroke-width='2.5' "
        f"stroke-dasharray='{dash}' "
        f"vector-effect='non-scaling-stroke'/>{dots}"
    )


__all__ = ["curve"]
