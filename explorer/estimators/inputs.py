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
    names = list(getattr(estimator, "feature_names_in_", [f"x{f}" for f in range(estimator.n_features_in_)]))
    return names + (["constant"] if estimator.fit_intercept else [])


def shares_of(scores: Array) -> Array:
    """exp(score) divided by its sum along the last axis."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


__all__ = ["feature_names", "is_empty", "shares_of", "with_constant"]
