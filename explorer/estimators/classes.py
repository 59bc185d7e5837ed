"""One class for every row: the multi-class support vector machine of Crammer and Singer, with any cost
matrix.

    predict(x) = argmax_k (x W)_k,      slack = max_k ( cost(y, k) + (x W)_k - (x W)_y )

The problem is `structures.classes.Multiclass`. Cost of a pass: one matrix product.
"""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from explorer.engine.contracts import Dataset
from explorer.engine.losses import CostMatrix, ZeroOne
from explorer.engine.refusals import Refused
from explorer.engine.structures.classes.multiclass import Multiclass
from explorer.engine.vectors import Array
from explorer.estimators.fitting import AUTO, fit_weights, pricing_of
from explorer.estimators.frames import join_tables, table
from explorer.estimators.inputs import feature_names, with_constant
from explorer.estimators.models import arrays_of, labels_from, labels_tree, save_model
from explorer.estimators.weighted import with_weights


class StructuredClassifier(ClassifierMixin, BaseEstimator):
    """One class among K for every row of a matrix, dense or sparse.

    Parameters
    ----------
    C : price of the mean slack, not of each slack: for the C of other programs give `C_per_example`.
    C_per_example : price of each example's slack, C divided by the number of examples; instead of C.
    cost_matrix : what it costs to answer the class of the column in place of that of the row, in the order of
        `classes_`; None: every mistake costs 1.
    fit_intercept : add a constant feature 1, whose weight is regularised like the others. Off, as everywhere
        in the
        explorer: features are taken as they are.
    scaling, penalty : "margin" or "slack", "linear" or "squared"; see the objective in the README.
    learner : "auto" (the sequential dual method, in compiled passes), or a name that `explorer tasks
        --learners` lists.
    learner_settings : settings of that learner by name.
    tol, max_iter, max_seconds : stop at this relative gap, after this many passes, or after this many
        seconds (0: any).
    warm_start : a fit to the same data goes on from the last one, also with another C or cost matrix.
    random_state : seed of the learner's random choices.
    n_jobs : threads; None or -1: one for each core. Results do not depend on it.

    Attributes
    ----------
    classes_, weights_ (F x K, flat), coef_ (K x F), intercept_, certificate_, trace_, n_iter_
    """

    def __init__(
        self,
        C: float = 1.0,
        *,
        C_per_example: float | None = None,
        cost_matrix: Any = None,
        fit_intercept: bool = False,
        scaling: str = "margin",
        penalty: str = "linear",
        learner: str = AUTO,
        learner_settings: Mapping[str, Any] | None = None,
        tol: float = 1e-3,
        max_iter: int = 1000,
        max_seconds: float = 0.0,
        warm_start: bool = False,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.C_per_example = C_per_example
        self.cost_matrix = cost_matrix
        self.fit_intercept = fit_intercept
        self.scaling = scaling
        self.penalty = penalty
        self.learner = learner
        self.learner_settings = learner_settings
        self.tol = tol
        self.max_iter = max_iter
        self.max_seconds = max_seconds
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def problem(self, X: Any, y: Any) -> Multiclass:
        """The engine's problem for these data, to train or explore by other means; sets `classes_`."""
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        K = len(self.classes_)
        if K < 2:
            raise Refused(
                f"there is only one class, {self.classes_[0]!r}; give examples of at least two classes"
            )
        delta = ZeroOne() if self.cost_matrix is None else CostMatrix(self.cost_matrix)
        data = Dataset("points", self._rows(X), codes, {"states": tuple(map(str, self.classes_))})
        return Multiclass(data, K, delta, pricing_of(self))

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows and their classes; an example's weight multiplies its slack."""
        fit_weights(self, *with_weights(self.problem(X, y), sample_weight))
        return self

    def _rows(self, X: Any) -> Any:
        """The rows as the problem has them."""
        return with_constant(X) if self.fit_intercept else X

    def _scores(self, X: Any) -> Array:
        check_is_fitted(self, "weights_")
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        return np.asarray(self._rows(X) @ self.weights_.reshape(-1, len(self.classes_)))

    def decision_function(self, X: Any) -> Array:
        """The score of every class; of two classes, how much more the second scores."""
        scores = self._scores(X)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> Any:
        """The class of every row."""
        scores = self._scores(X)
        return self.classes_[np.argmax(scores, axis=1)]

    def predict_k_best(self, X: Any, k: int) -> Any:
        """The k classes of every row with the largest scores, best first."""
        scores = self._scores(X)
        return self.classes_[np.argsort(-scores, axis=1, kind="stable")[:, :k]]

    def predict_marginals(self, X: Any) -> Array:
        """exp(score) of every class, divided by their sum. These are probabilities as learned by
        learner="crf"; other learners do not fit them.
        """
        scores = self._scores(X)
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    @property
    def coef_(self) -> Array:
        """One row of weights for each class."""
        return self.weights_.reshape(-1, len(self.classes_)).T[:, : self.n_features_in_]

    @property
    def intercept_(self) -> Array:
        """The weight of the constant feature for each class; 0 without one."""
        K = len(self.classes_)
        return np.array(self.weights_[-K:]) if self.fit_intercept else np.zeros(K)

    def weights_frame(self) -> Any:
        """A pandas frame with one row for each feature and class: kind, feature, label, weight."""
        check_is_fitted(self, "weights_")
        return join_tables([table("feature", feature_names(self), self.classes_, self.weights_)])

    def save(self, path: Any) -> None:
        """Write the fitted model to a file that `explorer.estimators.load` reads; no training data go
        along."""
        save_model(self, path)

    def _model(self) -> dict[str, Any]:
        """What a model file holds beside the parameters."""
        return {
            "weights": self.weights_,
            "classes": labels_tree(self.classes_),
            "features": self.n_features_in_,
            "names": [str(name) for name in getattr(self, "feature_names_in_", [])],
        }

    def _restore(self, model: Mapping[str, Any]) -> None:
        self.classes_ = labels_from(model["classes"])
        width = int(model["features"])
        (self.weights_,) = arrays_of(
            model, weights=((width + bool(self.fit_intercept)) * len(self.classes_),)
        )
        self.n_features_in_ = width
        if model["names"]:
            self.feature_names_in_ = np.array(model["names"], dtype=object)


__all__ = ["StructuredClassifier"]
