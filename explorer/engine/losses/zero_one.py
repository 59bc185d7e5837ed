"""The zero-one loss: Delta(y, y') = 1 if y differs from y' anywhere, else 0.

It cannot tell one wrong position from all wrong (Iglesias 2013, sections 2.1 and 3.1), and over a sequence it
is no sum of positions; it is a function of the number of wrong ones, which a counting oracle can maximise.
Cost: one comparison.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np


@final
@dataclass(frozen=True, slots=True)
class ZeroOne:
    """1 for every labelling but the truth; labels may be numbers, strings, arrays or tuples of these."""

    title: ClassVar[str] = "Zero-one"
    help: ClassVar[str] = "1 when anything at all is wrong, however much."

    def value(self, truth: Any, label: Any) -> float:
        """0 if both labellings are equal in every part, else 1."""
        return 0.0 if _same(truth, label) else 1.0

    def of_count(self, wrong: int, length: int) -> float:
        """1 as soon as one of `length` positions is wrong."""
        return 1.0 if wrong > 0 else 0.0


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.array_equal(a, b)
    if isinstance(a, tuple | list) and isinstance(b, tuple | list):
        return len(a) == len(b) and all(_same(x, y) for x, y in zip(a, b, strict=True))
    return bool(a == b)
