"""Subsets of labels in the forms in which people have them: sets of names, or a matrix with one column for
each label.
"""

from collections.abc import Mapping, Sequence, Set
from typing import Any

import numpy as np

from explorer.engine.refusals import Refused
from explorer.engine.rows import is_sparse
from explorer.engine.vectors import Ints
from explorer.estimators.vocabularies import codes_of


def are_sets(y: Any) -> bool:
    """Whether labels come as sets, not as a matrix."""
    if hasattr(y, "shape") and len(y.shape) == 2:
        return False
    if not hasattr(y, "__len__") or len(y) == 0:
        return False
    return any(isinstance(labels, Set) for labels in y) or _ragged(y)


def _ragged(y: Any) -> bool:
    """Lists and tuples of texts, or of different lengths."""
    if not all(isinstance(labels, Sequence) and not isinstance(labels, str) for labels in y):
        return False
    return len({len(labels) for labels in y}) > 1 or any(
        isinstance(label, str) for labels in y for label in labels
    )


def indicator(y: Any, known: Mapping[Any, int]) -> Ints:
    out = np.zeros((len(y), len(known)), dtype=np.int64)
    for i, labels in enumerate(y):
        out[i, codes_of(list(labels), known, f"example {i}")] = 1
    return out


def label_matrix(y: Any, n: int) -> Any:
    """One column for each label; refused where it is none."""
    found = y.toarray() if is_sparse(y) else np.asarray(y)
    found = found.reshape(-1, 1) if found.ndim == 1 else found
    if found.ndim != 2 or len(found) != n:
        raise Refused(f"y has inconsistent shape {found.shape}; give {n} rows with one column for each label")
    if found.dtype.kind in "fc" and not np.isfinite(found).all():
        raise Refused("y holds a NaN or infinity; a label is on or off")
    return found


def check_two_values(values: Sequence[Any]) -> None:
    """Refuse labels with more than two values."""
    for u, own in enumerate(values):
        if len(own) > 2:
            raise Refused(
                f"Only binary classification is supported. The type of the target is multiclass: label {u} "
                f"has {len(own)} values; for more than two classes use StructuredClassifier"
            )


def column_names(y: Any, count: int) -> list[str]:
    columns = getattr(y, "columns", None)
    return [str(name) for name in columns] if columns is not None else [str(u) for u in range(count)]


def is_on(column: Any, values: Any) -> Any:
    """Whether a column holds the larger of its two values; of a single value, whether that is not 0."""
    return column == values[1] if len(values) == 2 else np.full(len(column), bool(values[0]))


__all__ = ["are_sets", "check_two_values", "column_names", "indicator", "is_on", "label_matrix"]
