"""Places for what comes without any."""

import numpy as np

from explorer.engine.vectors import Array


def circle(m: int) -> Array:
    """m places on the unit circle, the first one on top, then clockwise."""
    angle = 2.0 * np.pi * np.arange(m) / max(m, 1)
    return np.stack([np.sin(angle), np.cos(angle)], axis=1)


__all__ = ["circle"]
