"""How the height of a drawn sequence is shared: observations, strips of states, margin of the truth."""

import numpy as np

GAP, BETWEEN = 5.0, 4.0
"""Pixels between bands, and between strips."""

Bands = dict[str, tuple[float, float]]


def bands(high: float, font: float, wants: float, roles: list[str]) -> Bands:
    """Bottom and top of each band in pixels.

    Observations get what they want as long as the margin keeps a fifth of all. What is left over makes the
    strips higher, then the margin; a sequence without prediction has no margin.
    """
    margin, count = len(roles) > 1, len(roles)
    strip = float(np.clip(0.11 * high, font + 4, 2.4 * font))
    free = high - 3 * GAP - count * (strip + BETWEEN)
    seen = max(12.0, min(wants, free - max(24.0, 0.22 * high)) if margin else free)
    strip += float(np.clip((free - seen - 0.25 * high) / count, 0.0, max(1.6 * font, 0.09 * high)))
    top = high - GAP
    out = {"observed": (top - seen, top)}
    top -= seen + GAP
    for role in roles:
        out[role] = (top - strip, top)
        top -= strip + BETWEEN
    return out | ({"margin": (GAP, max(top - GAP, 2 * GAP))} if margin else {})
