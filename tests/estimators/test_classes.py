"""The classifier against scikit-learn's own solver and against the bare engine."""

import numpy as np
import pytest
from scipy import sparse as sp
from sklearn.svm import LinearSVC

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.contracts import Dataset
from explorer.engine.learners import SequentialDual
from explorer.engine.refusals import Refused
from explorer.engine.runs.streams import train
from explorer.engine.structures.classes.multiclass import Multiclass
from explorer.estimators.classes import StructuredClassifier
from tests.estimators.samples import points


def objective(W: np.ndarray, X: np.ndarray, codes: np.ndarray, C: float) -> float:
    """1/2 |W|^2 + C times the mean slack, written out."""
    scores = X @ W.T
    right = scores[np.arange(len(X)), codes]
    slack = np.max(scores + (np.arange(scores.shape[1]) != codes[:, None]), axis=1) - right
    return 0.5 * float(np.sum(W**2)) + C * float(np.mean(slack))


def test_the_weights_are_those_of_scikit_learns_crammer_singer_machine() -> None:
    X, y = points()
    ours = StructuredClassifier(C_per_example=0.5, tol=1e-8).fit(X, y)
    theirs = LinearSVC(C=0.5, multi_class="crammer_singer", fit_intercept=False, tol=1e-10, max_iter=100_000)
    theirs.fit(X, y)
    assert list(ours.classes_) == list(theirs.classes_)
    assert ours.coef_ == pytest.approx(theirs.coef_, abs=1e-3)
    codes = np.searchsorted(ours.classes_, y)
    assert ours.certificate_.primal == pytest.approx(objective(theirs.coef_, X, codes, 15.0), rel=1e-6)


def test_sparse_rows_give_the_same_machine_as_dense_ones() -> None:
    X, y = points()
    X = np.where(np.abs(X) > 0.5, X, 0.0)
    for learner in ("n-slack", "sequential-dual", "one-slack", "crf"):
        dense = StructuredClassifier(learner=learner, tol=1e-4).fit(X, y)
        stored = StructuredClassifier(learner=learner, tol=1e-4).fit(sp.csr_matrix(X), y)
        assert stored.weights_ == pytest.approx(dense.weights_, abs=1e-6), learner
        assert list(stored.predict(sp.csr_array(X))) == list(dense.predict(X))


def test_the_result_is_that_of_the_bare_engine_bit_for_bit() -> None:
    X, y = points()
    codes = np.unique(y, return_inverse=True)[1]
    events = list(train(Multiclass(Dataset("points", X, codes), 3), SequentialDual(C=2.0)))
    last = [event for event in events if hasattr(event, "w")][-1]
    fitted = StructuredClassifier(C=2.0, learner="sequential-dual").fit(X, y)
    assert np.array_equal(fitted.weights_, last.w)


def test_the_result_is_that_of_the_recipe_of_the_same_data() -> None:
    recipe = Recipe("circle")
    problem, _ = recipe.problem()
    events = list(train(problem, recipe.make_learner(), rule=recipe.make_rule()))
    last = [event for event in events if hasattr(event, "w")][-1]
    data = problem.dataset
    fitted = StructuredClassifier(C=10.0, learner_settings={"eps": 1e-3}).fit(data.inputs, data.labels)
    assert np.array_equal(fitted.weights_, last.w)


def test_a_dear_confusion_is_avoided() -> None:
    # One dog and two cats that look the same. With d = score(dog) - score(cat) the slacks under slack
    # scaling are 1 - d and twice 1 + d, so d < 0: cat; where a dog taken for a cat costs 50, 50 (1 - d) wins.
    X, y = np.ones((3, 1)), ["dog", "cat", "cat"]
    cheap = StructuredClassifier(C=100.0, scaling="slack").fit(X, y)
    dear = StructuredClassifier(C=100.0, scaling="slack", cost_matrix=[[0, 1], [50, 0]]).fit(X, y)
    assert list(cheap.classes_) == ["cat", "dog"]
    assert cheap.predict(X[:1])[0] == "cat"
    assert dear.predict(X[:1])[0] == "dog"
    with pytest.raises(Refused, match="3 states but the problem has 2"):
        StructuredClassifier(cost_matrix=[[0, 1, 1], [1, 0, 1], [1, 1, 0]]).fit(X, y)


def test_an_intercept_is_a_constant_feature() -> None:
    X, y = points()
    own = StructuredClassifier(fit_intercept=True).fit(X, y)
    given = StructuredClassifier().fit(np.hstack([X, np.ones((30, 1))]), y)
    assert np.array_equal(own.weights_, given.weights_)
    assert np.array_equal(own.intercept_, given.coef_[:, -1])
    assert own.decision_function(X) == pytest.approx(X @ own.coef_.T + own.intercept_)


def test_k_best_and_shares_follow_the_scores() -> None:
    X, y = points()
    fitted = StructuredClassifier(learner="crf").fit(X, y)
    scores = fitted.decision_function(X)
    best = fitted.predict_k_best(X, 2)
    assert list(best[:, 0]) == list(fitted.predict(X))
    order = np.argsort(-scores, axis=1)
    assert np.array_equal(best[:, 1], fitted.classes_[order[:, 1]])
    shares = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    assert fitted.predict_marginals(X) == pytest.approx(shares)


def test_the_frame_of_weights_names_features_and_classes() -> None:
    X, y = points()
    fitted = StructuredClassifier().fit(X, y)
    frame = fitted.weights_frame()
    found = frame[(frame.feature == "x2") & (frame.label == "green")].weight.item()
    assert found == fitted.coef_[list(fitted.classes_).index("green"), 2]
    assert len(frame) == 12


def test_bad_data_are_refused_in_a_sentence() -> None:
    X, y = points()
    with pytest.raises(ValueError, match="NaN"):
        StructuredClassifier().fit(np.full((30, 4), np.nan), y)
    with pytest.raises(Refused, match="only one class"):
        StructuredClassifier().fit(X, ["a"] * 30)
    with pytest.raises(ValueError, match="4 features"):
        StructuredClassifier().fit(X, y).predict(X[:, :3])
