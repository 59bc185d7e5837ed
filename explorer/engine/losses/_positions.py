"""Two labellings side by side, one entry per position; a single label counts as one position."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from explorer.engine.refusals import Refused


def flat_pair(truth: Any, label: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Both labellings as flat arrays of equal length; a string is a sequence of letters."""
    a, b = _array(truth), _array(label)
    if a.shape != b.shape:
        raise Refused(
            f"the labellings have shapes {a.shape} and {b.shape}; compare two labellings of the same example"
        )
    return a.ravel(), b.ravel()


def _array(label: Any) -> NDArray[Any]:
    return np.asarray(list(label) if isinstance(label, str) else label)
