"""What estimators do to the matrices they are given."""

from typing import Any

import numpy as np
from scipy import sparse as sp

from explorer.engine.rows import is_sparse
from explorer.engine.vectors import Array


def with_constant(X: Any) -> Any:
    """The same rows with a last feature 1, dense or sparse."""
    ones = np.ones((X.shape[0], 1))
    return sp.hstack([sp.csr_array(X), sp.csr_array(ones)]).tocsr() if is_sparse(X) else np.hstack([X, ones])


def is_empty(X: Any) -> bool:
    """Whether there are no examples."""
    return bool(X.shape[0] == 0) if hasattr(X, "shape") else len(X) == 0


def feature_names(estimator: Any) -> list[Any]:
    """What the columns of a fitted estimator's matrix are called, and the constant one where there is one."""
    unnamed = known_names(estimator, "features", estimator.n_features_in_)
    names = list(getattr(estimator, "feature_names_in_", unnamed))
    return names + (["constant"] if estimator.fit_intercept else [])


def known_names(estimator: Any, what: str, count: int, prefix: str = "x") -> list[str]:
    """What the file that a model was trained on calls its features; numbers where it has no names."""
    reading = getattr(estimator, "reading_", None) or {}
    names = reading.get(what)
    if isinstance(names, list) and len(names) == count:
        return [str(name) for name in names]
    first = reading.get("first")
    return [f"{prefix}{f}" if first is None else str(f + first) for f in range(count)]


def shares_of(scores: Array) -> Array:
    """exp(score) divided by its sum along the last axis."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


__all__ = ["feature_names", "is_empty", "known_names", "shares_of", "with_constant"]
