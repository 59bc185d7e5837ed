"""One class for every row: the multi-class support vector machine of Crammer and Singer, with any cost
matrix.

    predict(x) = argmax_k (x W)_k,      slack = max_k ( cost(y, k) + (x W)_k - (x W)_y )

The problem is `structures.classes.Multiclass`. Cost of a pass: one matrix product.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from explorer.engine.contracts import Dataset
from explorer.engine.losses import CostMatrix, ZeroOne
from explorer.engine.refusals import Refused
from explorer.engine.structures.classes.multiclass import Multiclass
from explorer.engine.vectors import Array
from explorer.estimators.fitting import pricing_of
from explorer.estimators.frames import table
from explorer.estimators.inputs import feature_names, shares_of, with_constant
from explorer.estimators.models import arrays_of, labels_from, labels_tree, names_of
from explorer.estimators.structured import StructuredEstimator
from explorer.estimators.vocabularies import codes_of


@dataclass(eq=False, repr=False, kw_only=True)
class StructuredClassifier(ClassifierMixin, StructuredEstimator):
    """One class among K for every row of a matrix, dense or sparse, or of a pandas frame.

    Parameters
    ----------
    {prices}
    cost_matrix : what it costs to answer the class of the column in place of that of the row, in the order of
        `classes_`; None: every mistake costs 1.
    fit_intercept : add a constant feature 1, whose weight is regularised like the others. Off, as everywhere
        in the explorer: features are taken as they are.
    {shared}

    Attributes
    ----------
    classes_, weights_ (F x K, flat), coef_ (K x F), intercept_, certificate_, trace_, n_iter_
    """

    cost_matrix: Any = None
    fit_intercept: bool = False

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _problem_for(self, X: Any, y: Any, classes: Any = None, keep: bool = False) -> Multiclass:
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64, reset=not keep)
        check_classification_targets(y)
        if not keep:
            self.classes_ = np.unique(y if classes is None else classes)
        K, known = len(self.classes_), {name: k for k, name in enumerate(self.classes_.tolist())}
        if K < 2:
            raise Refused(
                f"there is only one class, {str(self.classes_[0])!r}; give examples of at least two classes"
            )
        delta = ZeroOne() if self.cost_matrix is None else CostMatrix(self.cost_matrix)
        codes = codes_of(y, known, "the training data")
        data = Dataset("points", self._rows(X), codes, {"states": tuple(map(str, self.classes_))})
        return Multiclass(data, K, delta, pricing_of(self))

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
        return shares_of(self._scores(X))

    @property
    def coef_(self) -> Array:
        """One row of weights for each class."""
        return self.weights_.reshape(-1, len(self.classes_)).T[:, : self.n_features_in_]

    @property
    def intercept_(self) -> Array:
        """The weight of the constant feature for each class; 0 without one."""
        K = len(self.classes_)
        return np.array(self.weights_[-K:]) if self.fit_intercept else np.zeros(K)

    def weight_tables(self) -> list[dict[str, Any]]:
        """One row for each feature and class: kind, feature, label, weight."""
        check_is_fitted(self, "weights_")
        return [table("feature", feature_names(self), self.classes_, self.weights_)]

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
        if names := names_of(model, width):
            self.feature_names_in_ = np.array(names, dtype=object)


__all__ = ["StructuredClassifier"]
