"""Any subset of labels for every row, with weights for pairs of labels that occur together.

    score(x, y) = sum_u y_u (w_u . x) + sum_(u,v) w_uv y_u y_v,      y in {0, 1}^l

The problem is `structures.fields` with a `LabelMap` (Finley 2009, chapter 5). Without edges it is one
classifier for each label. Training relaxes the choice of labels by roof duality unless another oracle is
named: "exhaustive" is exact, for up to about twelve labels. Cost of a pass: one matrix product, then the
oracle for every row. Subsets can be ranked and summed over by listing them, for at most twelve labels.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import chain, product
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from explorer.engine.catalogue.fields import EDGES, LABEL_SETS, LabelSetModel, label_sets
from explorer.engine.catalogue.task import Parts
from explorer.engine.contracts import Dataset, Learner, Problem
from explorer.engine.learners import FEW, NSlack
from explorer.engine.refusals import Refused
from explorer.engine.rows import is_sparse
from explorer.engine.structures.fields.fields import Fields
from explorer.engine.structures.fields.label_map import LabelMap
from explorer.engine.structures.fields.problem import FieldLabelling, as_fields
from explorer.engine.vectors import Array, Ints
from explorer.estimators.fields import alone_scores, decode, field_oracle
from explorer.estimators.fitting import pricing_of
from explorer.estimators.forms.label_subsets import (
    are_sets,
    check_two_values,
    column_names,
    indicator,
    is_on,
    label_matrix,
)
from explorer.estimators.frames import table
from explorer.estimators.inputs import feature_names, shares_of, with_constant
from explorer.estimators.models import arrays_of, labels_from, labels_tree, names_of
from explorer.estimators.structured import StructuredEstimator
from explorer.estimators.vocabularies import label_codes

ROOF = "roof duality"
SETS, MATRIX, VECTOR = "sets", "matrix", "vector"
"""The forms in which labels are given."""

NARROW = 1000
"""Weights up to which the quadratic programs over the cuts of all rows are small."""

MOST_LISTED = 12
"""Labels whose subsets are listed."""


@dataclass(eq=False, repr=False, kw_only=True)
class LabelSetClassifier(ClassifierMixin, StructuredEstimator):
    """Any subset of labels for every row of a matrix, dense or sparse, or of a pandas frame.

    y is a matrix with one column for each label (0 and 1, or any two values, of which the larger means "on"),
    a vector where there is one label only, or a list of sets of labels; predictions have the same form.

    Parameters
    ----------
    {prices}
    loss : "hamming" (wrong labels), "hamming-normalised", "hamming-percent" or "f-score".
    edges : which pairs of labels have weights: "full" (all), "tree" (a spanning tree of largest mutual
        information) or "none".
    oracle, predictor : who finds the most violated labels in training and the best ones afterwards; see
        `explorer tasks`.
    fit_intercept : add a constant feature 1, whose weights are regularised like the others. Off, as
        everywhere in the explorer: features are taken as they are.
    {shared}

    Attributes
    ----------
    classes_ (the values that mean off and on; a list of them where columns have different ones), labels_ (the
    names of the columns), pairs_, weights_, certificate_, trace_, n_iter_
    """

    loss: str = "hamming"
    edges: str = "full"
    oracle: str = ROOF
    predictor: str = ROOF
    fit_intercept: bool = False

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.multi_label = True
        tags.target_tags.multi_output = True
        return tags

    def _problem_for(self, X: Any, y: Any, classes: Any = None, keep: bool = False) -> FieldLabelling:
        if y is None:
            raise Refused("requires y to be passed, but the target y is None")
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=not keep)
        if self.loss not in LABEL_SETS or self.edges not in EDGES:
            known = ", ".join(LABEL_SETS), ", ".join(EDGES)
            raise Refused(
                f"loss is {self.loss!r} and edges is {self.edges!r}; choose of {known[0]}, and of {known[1]}"
            )
        if not keep:
            self._take_names(y, X.shape[0], classes)
        names = {"states": ("off", "on"), "labels": tuple(map(str, self.labels_))}
        data = Dataset("label sets", self._rows(X), self._numbers(y, X.shape[0]), names)
        oracles = field_oracle(self.oracle), field_oracle(self.predictor)
        parts = Parts(LABEL_SETS[self.loss], pricing_of(self), *oracles, LabelSetModel(self.edges))
        found = label_sets(data, parts)
        assert isinstance(found.map, LabelMap)
        if not keep:
            self.pairs_: tuple[tuple[int, int], ...] = found.map.pairs
            return found
        return replace(found, map=LabelMap(len(self.labels_), self.pairs_))

    def _suited(self, problem: Problem) -> type[Learner]:
        """Of few rows one that ends at the optimum: a weighted row is then as good as a repeated one."""
        return NSlack if problem.n <= FEW and problem.dim <= NARROW else super()._suited(problem)

    def _take_names(self, y: Any, n: int, classes: Any) -> None:
        """Set `classes_`, `labels_` and `form_`."""
        self.form_ = SETS if are_sets(y) else MATRIX if is_sparse(y) or np.asarray(y).ndim != 1 else VECTOR
        if self.form_ == SETS:
            self.labels_ = label_codes(chain.from_iterable(y) if classes is None else classes)[0]
            self.classes_: Any = np.array([0, 1])
            return
        columns = label_matrix(y, n)
        self.labels_ = np.array(column_names(y, columns.shape[1]))
        check_classification_targets(y)
        values = [np.unique(column if classes is None else classes) for column in columns.T]
        check_two_values(values)
        alike = all(np.array_equal(own, values[0]) for own in values)
        self.classes_ = values[0] if alike else values

    def _numbers(self, y: Any, n: int) -> Ints:
        """0 or 1 for every row and label."""
        if self.form_ == SETS:
            if len(y) != n:
                raise Refused(f"there are {n} rows and {len(y)} sets of labels; give one set for each row")
            return indicator(y, {name: u for u, name in enumerate(self.labels_.tolist())})
        columns = label_matrix(y, n)
        if columns.shape[1] != len(self.labels_):
            raise Refused(
                f"y has {columns.shape[1]} columns and {len(self.labels_)} labels are known; give as many"
            )
        pairs = zip(columns.T, self._values(), strict=True)
        return np.stack([is_on(column, values) for column, values in pairs], axis=1).astype(np.int64)

    def _values(self) -> list[Any]:
        """The values of every label."""
        return self.classes_ if isinstance(self.classes_, list) else [self.classes_] * len(self.labels_)

    def _rows(self, X: Any) -> Any:
        """The rows as the problem has them."""
        return with_constant(X) if self.fit_intercept else X

    def _fields(self, X: Any) -> Fields:
        check_is_fitted(self, "weights_")
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        return as_fields(LabelMap(len(self.labels_), self.pairs_).layout(self._rows(X)), self.weights_)

    def _chosen(self, X: Any) -> tuple[Fields, Ints]:
        fields = self._fields(X)
        return fields, decode(fields, field_oracle(self.predictor))

    def predict(self, X: Any) -> Any:
        """The labels of every row, in the form in which they were given."""
        return self._in_form(self._chosen(X)[1].reshape(-1, len(self.labels_)))

    def _in_form(self, on: Ints) -> Any:
        """Rows of 0 and 1 in the form in which labels were given."""
        if self.form_ == SETS:
            names = self.labels_.tolist()
            return [{names[u] for u in np.flatnonzero(row)} for row in on]
        values = [v[np.minimum(row, len(v) - 1)] for v, row in zip(self._values(), on.T, strict=True)]
        return values[0] if self.form_ == VECTOR else np.stack(values, axis=1)

    def decision_function(self, X: Any) -> Array:
        """For every row and label, how much the score would change if this label alone were switched off:
        above 0 for labels that are on where the predictor is exact.
        """
        fields, labels = self._chosen(X)
        alone = alone_scores(fields, labels)
        gain = np.asarray(alone[:, 1] - alone[:, 0])
        return gain if self.form_ == VECTOR else gain.reshape(-1, len(self.labels_))

    def _ranked(self, X: Any) -> tuple[Array, Array]:
        """All subsets as rows of 0 and 1, and for every row of X the score of each of them."""
        count, fields = len(self.labels_), self._fields(X)
        if count > MOST_LISTED:
            raise Refused(
                f"there are {count} labels, and all subsets of more than {MOST_LISTED} are too many to list; "
                "ask for `decision_function`, or learn fewer labels"
            )
        subsets = np.array(list(product((0.0, 1.0), repeat=count)))
        gain = (fields.unary[:, 1] - fields.unary[:, 0]).reshape(-1, count)
        weights = self.weights_[len(self.weights_) - len(self.pairs_) :]
        pairs = sum(
            (w * subsets[:, u] * subsets[:, v] for (u, v), w in zip(self.pairs_, weights, strict=True))
        )
        return subsets, gain @ subsets.T + pairs

    def predict_k_best(self, X: Any, k: int) -> list[list[tuple[Any, float]]]:
        """For every row the k best choices of labels, each in the form in which labels are given, with how
        much more it scores than no label at all; best first.
        """
        check_is_fitted(self, "weights_")
        subsets, scores = self._ranked(X)
        best = np.argsort(-scores, axis=1, kind="stable")[:, :k]
        named = self._in_form(subsets.astype(np.int64))
        return [
            [(named[s], float(row[s])) for s in own] for own, row in zip(best.tolist(), scores, strict=True)
        ]

    def predict_marginals(self, X: Any) -> Array:
        """The share of each label in p(y) = exp(score(y)) / Z, for every row. learner="crf" fits these; other
        learners do not.
        """
        check_is_fitted(self, "weights_")
        subsets, scores = self._ranked(X)
        return shares_of(scores) @ subsets

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of rows whose labels are all right."""
        guess = self.predict(X)
        if self.form_ == SETS:
            right = [set(a) == b for a, b in zip(y, guess, strict=True)]
        else:
            right = np.all(label_matrix(y, len(guess)) == guess.reshape(len(guess), -1), axis=1)
        return float(np.average(right, weights=sample_weight))

    def weight_tables(self) -> list[dict[str, Any]]:
        """All weights: kind (feature, pair), feature (or other label), label, weight."""
        check_is_fitted(self, "weights_")
        names = feature_names(self)
        split = len(names) * len(self.labels_)
        parts = [table("feature", names, self.labels_, self.weights_[:split])]
        for (u, v), weight in zip(self.pairs_, self.weights_[split:], strict=True):
            parts.append(table("pair", [self.labels_[u]], [self.labels_[v]], weight))
        return parts

    def _model(self) -> dict[str, Any]:
        """What a model file holds beside the parameters."""
        return {
            "weights": self.weights_,
            "labels": labels_tree(self.labels_),
            "classes": [labels_tree(values) for values in self._values()],
            "form": self.form_,
            "pairs": np.array(self.pairs_, dtype=np.int64).reshape(-1, 2),
            "features": self.n_features_in_,
            "names": [str(name) for name in getattr(self, "feature_names_in_", [])],
        }

    def _restore(self, model: Mapping[str, Any]) -> None:
        self.labels_, values = labels_from(model["labels"]), [labels_from(v) for v in model["classes"]]
        count, width, pairs = len(self.labels_), int(model["features"]), model["pairs"]
        inside = pairs.dtype == np.int64 and pairs.ndim == 2 and pairs.shape[1] == 2
        if not inside or len(values) != count or (pairs.size and not 0 <= pairs.min() <= pairs.max() < count):
            raise Refused("this model has labels that do not fit its pairs of labels; open a saved model")
        self.pairs_ = tuple((int(u), int(v)) for u, v in pairs)
        size = (width + bool(self.fit_intercept)) * count + len(self.pairs_)
        (self.weights_,) = arrays_of(model, weights=(size,))
        self.n_features_in_, self.form_ = width, str(model["form"])
        alike = all(np.array_equal(own, values[0]) for own in values)
        self.classes_ = values[0] if alike else values
        if names := names_of(model, width):
            self.feature_names_in_ = np.array(names, dtype=object)


__all__ = ["LabelSetClassifier"]
