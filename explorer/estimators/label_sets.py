"""Any subset of labels for every row, with weights for pairs of labels that occur together.

    score(x, y) = sum_u y_u (w_u . x) + sum_(u,v) w_uv y_u y_v,      y in {0, 1}^l

The problem is `structures.fields` with a `LabelMap` (Finley 2009, chapter 5). Without edges it is one
classifier for
each label. Training relaxes the choice of labels by roof duality unless another oracle is named:
"exhaustive" is exact,
for up to about twelve labels. Cost of a pass: one matrix product, then the oracle for every row.
"""

from collections.abc import Mapping, Sequence, Set
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from explorer.engine.catalogue.fields import EDGES, LABEL_SETS, LabelSetModel, label_sets
from explorer.engine.catalogue.task import Parts
from explorer.engine.contracts import Dataset
from explorer.engine.refusals import Refused
from explorer.engine.rows import is_sparse
from explorer.engine.structures.fields.fields import Fields
from explorer.engine.structures.fields.label_map import LabelMap
from explorer.engine.structures.fields.problem import FieldLabelling, as_fields
from explorer.engine.vectors import Array, Ints
from explorer.estimators.fields import alone_scores, decode, field_oracle
from explorer.estimators.fitting import AUTO, fit_weights, pricing_of
from explorer.estimators.frames import join_tables, table
from explorer.estimators.inputs import feature_names, with_constant
from explorer.estimators.models import arrays_of, labels_from, labels_tree, save_model
from explorer.estimators.vocabularies import codes_of, label_codes
from explorer.estimators.weighted import with_weights

ROOF = "roof duality"
SETS, MATRIX, VECTOR = "sets", "matrix", "vector"
"""The forms in which labels are given."""


class LabelSetClassifier(ClassifierMixin, BaseEstimator):
    """Any subset of labels for every row of a matrix, dense or sparse.

    y is a matrix with one column for each label (0 and 1, or any two values, of which the larger means
    "on"), a
    vector where there is one label only, or a list of sets of labels; predictions have the same form.

    Parameters
    ----------
    C : price of the mean slack, not of each slack: for the C of other programs give `C_per_example`.
    C_per_example : price of each example's slack, C divided by the number of examples; instead of C.
    loss : "hamming" (wrong labels), "hamming-normalised", "hamming-percent" or "f-score".
    edges : which pairs of labels have weights: "full" (all), "tree" (a spanning tree of largest mutual
        information)
        or "none".
    oracle, predictor : who finds the most violated labels in training and the best ones afterwards; see
        `explorer tasks`.
    fit_intercept : add a constant feature 1, whose weights are regularised like the others. Off, as
        everywhere in the
        explorer: features are taken as they are.
    scaling, penalty : "margin" or "slack", "linear" or "squared"; see the objective in the README.
    learner : "auto" (chosen by what the problem offers), or a name that `explorer tasks --learners` lists.
    learner_settings : settings of that learner by name.
    tol, max_iter, max_seconds : stop at this relative gap, after this many passes, or after this many
        seconds (0: any).
    warm_start : a fit to the same data goes on from the last one, also with another C or loss.
    random_state : seed of the learner's random choices.
    n_jobs : threads; None or -1: one for each core. Results do not depend on it.

    Attributes
    ----------
    classes_ (the values that mean off and on; a list of them where columns have different ones), labels_
    (the names
    of the columns), pairs_, weights_, certificate_, trace_, n_iter_
    """

    def __init__(
        self,
        C: float = 1.0,
        *,
        C_per_example: float | None = None,
        loss: str = "hamming",
        edges: str = "full",
        oracle: str = ROOF,
        predictor: str = ROOF,
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
        self.loss = loss
        self.edges = edges
        self.oracle = oracle
        self.predictor = predictor
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
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.multi_label = True
        tags.target_tags.multi_output = True
        return tags

    def problem(self, X: Any, y: Any) -> FieldLabelling:
        """The engine's problem for these data, to train or explore by other means; sets `classes_`."""
        if y is None:
            raise Refused("requires y to be passed, but the target y is None")
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64)
        if self.loss not in LABEL_SETS or self.edges not in EDGES:
            known = ", ".join(LABEL_SETS), ", ".join(EDGES)
            raise Refused(
                f"loss is {self.loss!r} and edges is {self.edges!r}; choose of {known[0]}, and of {known[1]}"
            )
        on = self._numbers(y, X.shape[0])
        data = Dataset(
            "label sets",
            self._rows(X),
            on,
            {"states": ("off", "on"), "labels": tuple(map(str, self.labels_))},
        )
        oracles = field_oracle(self.oracle), field_oracle(self.predictor)
        found = label_sets(
            data, Parts(LABEL_SETS[self.loss], pricing_of(self), *oracles, LabelSetModel(self.edges))
        )
        assert isinstance(found.map, LabelMap)
        self.pairs_ = found.map.pairs
        return found

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows and their labels; an example's weight multiplies its slack."""
        fit_weights(self, *with_weights(self.problem(X, y), sample_weight))
        return self

    def _numbers(self, y: Any, n: int) -> Ints:
        """0 or 1 for every row and label; sets `classes_`, `labels_` and `form_`."""
        self.form_ = SETS if _are_sets(y) else MATRIX if is_sparse(y) or np.asarray(y).ndim != 1 else VECTOR
        if self.form_ == SETS:
            if len(y) != n:
                raise Refused(f"there are {n} rows and {len(y)} sets of labels; give one set for each row")
            self.labels_, known = label_codes(label for labels in y for label in labels)
            self.classes_: Any = np.array([0, 1])
            return _indicator(y, known)
        columns = _matrix(y, n)
        self.labels_ = np.array(_column_names(y, columns.shape[1]))
        values = [np.unique(column) for column in columns.T]
        check_two_values(y, values)
        alike = all(np.array_equal(own, values[0]) for own in values)
        self.classes_ = values[0] if alike else values
        return np.stack([_is_on(c, v) for c, v in zip(columns.T, values, strict=True)], axis=1).astype(
            np.int64
        )

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
        on = self._chosen(X)[1].reshape(-1, len(self.labels_))
        if self.form_ == SETS:
            names = self.labels_.tolist()
            return [{names[u] for u in np.flatnonzero(row)} for row in on]
        values = [v[np.minimum(row, len(v) - 1)] for v, row in zip(self._values(), on.T, strict=True)]
        return values[0] if self.form_ == VECTOR else np.stack(values, axis=1)

    def decision_function(self, X: Any) -> Array:
        """For every row and label, how much the score would change if this label alone were switched off:
        above 0 for
        labels that are on where the predictor is exact.
        """
        fields, labels = self._chosen(X)
        alone = alone_scores(fields, labels)
        gain = np.asarray(alone[:, 1] - alone[:, 0])
        return gain if self.form_ == VECTOR else gain.reshape(-1, len(self.labels_))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of rows whose labels are all right."""
        guess = self.predict(X)
        if self.form_ == SETS:
            right = [set(a) == b for a, b in zip(y, guess, strict=True)]
        else:
            right = np.all(_matrix(y, len(guess)) == guess.reshape(len(guess), -1), axis=1)
        return float(np.average(right, weights=sample_weight))

    def weights_frame(self) -> Any:
        """A pandas frame of all weights: kind (feature, pair), feature (or the other label), label,
        weight."""
        check_is_fitted(self, "weights_")
        names = feature_names(self)
        split = len(names) * len(self.labels_)
        parts = [table("feature", names, self.labels_, self.weights_[:split])]
        for (u, v), weight in zip(self.pairs_, self.weights_[split:], strict=True):
            parts.append(table("pair", [self.labels_[u]], [self.labels_[v]], weight))
        return join_tables(parts)

    def save(self, path: Any) -> None:
        """Write the fitted model to a file that `explorer.estimators.load` reads; no training data go
        along."""
        save_model(self, path)

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
        if model["names"]:
            self.feature_names_in_ = np.array(model["names"], dtype=object)


def _are_sets(y: Any) -> bool:
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


def _indicator(y: Any, known: Mapping[Any, int]) -> Ints:
    out = np.zeros((len(y), len(known)), dtype=np.int64)
    for i, labels in enumerate(y):
        out[i, codes_of(list(labels), known, f"example {i}")] = 1
    return out


def _matrix(y: Any, n: int) -> Any:
    """One column for each label; refused where it is none."""
    found = y.toarray() if is_sparse(y) else np.asarray(y)
    found = found.reshape(-1, 1) if found.ndim == 1 else found
    if found.ndim != 2 or len(found) != n:
        raise Refused(f"y has inconsistent shape {found.shape}; give {n} rows with one column for each label")
    if found.dtype.kind in "fc" and not np.isfinite(found).all():
        raise Refused("y holds a NaN or infinity; a label is on or off")
    return found


def check_two_values(y: Any, values: Sequence[Any]) -> None:
    """Refuse numbers that are no labels, and labels with more than two values."""
    check_classification_targets(y)
    for u, own in enumerate(values):
        if len(own) > 2:
            raise Refused(
                f"Only binary classification is supported. The type of the target is multiclass: label {u} "
                "has "
                f"{len(own)} values; for more than two classes use StructuredClassifier"
            )


def _column_names(y: Any, count: int) -> list[str]:
    columns = getattr(y, "columns", None)
    return [str(name) for name in columns] if columns is not None else [str(u) for u in range(count)]


def _is_on(column: Any, values: Any) -> Any:
    """Whether a column holds the larger of its two values; of a single value, whether that is not 0."""
    return column == values[1] if len(values) == 2 else np.full(len(column), bool(values[0]))


__all__ = ["LabelSetClassifier"]
