"""A problem of a user's own: four points on a line."""

import numpy as np

from explorer import Dataset, Listed

data = Dataset("line", inputs=[-2.0, -1.0, 1.0, 2.0], labels=[-1, -1, 1, 1])
line = Listed(
    data,
    psi=lambda x, y: np.array([y * x / 2, y / 2]),
    delta=lambda y, guess: float(y != guess),
    outputs=lambda x: (-1, 1),
    dim=2,
)
