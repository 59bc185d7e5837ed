"""The multi-label classifier against enumeration, against the engine, and in every form of labels."""

from itertools import product

import numpy as np
import pytest
from scipy import sparse as sp

from explorer.engine.refusals import Refused
from explorer.estimators.label_sets import LabelSetClassifier
from tests.estimators.samples import label_rows

X, Y = label_rows()


def test_an_exact_predictor_finds_what_enumeration_finds() -> None:
    fitted = LabelSetClassifier(C=10.0, oracle="exhaustive", predictor="exhaustive").fit(X, Y)
    assert fitted.certificate_.exact
    weight = {(k, f, u): w for k, f, u, w in fitted.weights_frame().itertuples(index=False)}
    guess, gains = fitted.predict(X), fitted.decision_function(X)
    for x, y, gain in zip(X, guess, gains, strict=True):
        scores = {}
        for labels in product((0, 1), repeat=3):
            on = [u for u in range(3) if labels[u]]
            total = sum(weight["feature", f"x{f}", str(u)] * x[f] for u in on for f in range(4))
            scores[labels] = total + sum(weight["pair", str(u), str(v)] for u in on for v in on if u < v)
        best = max(scores, key=scores.__getitem__)
        assert tuple(y) == best
        for u in range(3):
            flipped = tuple(1 - v if k == u else v for k, v in enumerate(best))
            assert gain[u] == pytest.approx((scores[best] - scores[flipped]) * (1 if best[u] else -1))


def test_the_result_is_that_of_the_engines_own_problem() -> None:
    fitted = LabelSetClassifier(C=10.0, edges="tree").fit(X, Y)
    problem = fitted.problem(X, Y)
    assert len(problem.map.pairs) == 2
    rounded = np.array([np.asarray(labels) for labels in problem.predictions(fitted.weights_)])
    assert np.array_equal(fitted.predict(X), rounded)


def test_sets_sparse_matrices_and_other_values_are_the_same_labels() -> None:
    fitted = LabelSetClassifier(C=10.0).fit(X, Y)
    guess = fitted.predict(X)
    sets = [{name for name, on in zip("abc", row, strict=True) if on} for row in Y]
    named = LabelSetClassifier(C=10.0).fit(X, sets)
    assert np.array_equal(named.weights_, fitted.weights_)
    assert named.predict(X) == [{n for n, on in zip("abc", row, strict=True) if on} for row in guess]
    assert named.score(X, sets) == fitted.score(X, Y)
    words = LabelSetClassifier(C=10.0).fit(sp.csr_array(X), np.where(Y == 1, "yes", "no"))
    assert words.weights_ == pytest.approx(fitted.weights_, abs=1e-6)
    assert np.array_equal(words.predict(X), np.where(guess == 1, "yes", "no"))
    assert np.array_equal(LabelSetClassifier(C=10.0).fit(X, sp.csr_array(Y)).predict(X), guess)


def test_without_edges_labels_are_learned_apart() -> None:
    apart = LabelSetClassifier(C=10.0, edges="none", tol=1e-7).fit(X, Y)
    alone = LabelSetClassifier(C=10.0, edges="none", tol=1e-7).fit(X, Y[:, :1])
    assert apart.weights_.reshape(4, 3)[:, 0] == pytest.approx(alone.weights_, abs=1e-3)


def test_bad_labels_are_refused_in_a_sentence() -> None:
    for labels, words in (
        (Y + np.arange(30)[:, None] % 3, "binary"),
        (Y[:10], "30 rows"),
        ([{"a"}] * 3, "30 rows and 3 sets"),
    ):
        with pytest.raises(Refused, match=words):
            LabelSetClassifier().fit(X, labels)
    with pytest.raises(Refused, match="choose of"):
        LabelSetClassifier(loss="magic").fit(X, Y)
    with pytest.raises(Refused, match="oracle"):
        LabelSetClassifier(oracle="magic").fit(X, Y)


def test_k_best_and_marginals_are_those_of_enumeration() -> None:
    fitted = LabelSetClassifier(C=10.0).fit(X, Y)
    weight = {(k, f, u): w for k, f, u, w in fitted.weights_frame().itertuples(index=False)}
    best, shares = fitted.predict_k_best(X, 3), fitted.predict_marginals(X)
    for x, ranked, share in zip(X, best, shares, strict=True):
        scores = {}
        for labels in product((0, 1), repeat=3):
            on = [u for u in range(3) if labels[u]]
            total = sum(weight["feature", f"x{f}", str(u)] * x[f] for u in on for f in range(4))
            scores[labels] = total + sum(weight["pair", str(u), str(v)] for u in on for v in on if u < v)
        order = sorted(scores, key=scores.__getitem__, reverse=True)[:3]
        assert [tuple(labels) for labels, _ in ranked] == order
        assert [score for _, score in ranked] == pytest.approx([scores[labels] for labels in order])
        total = sum(np.exp(score) for score in scores.values())
        for u in range(3):
            having = sum(np.exp(score) for labels, score in scores.items() if labels[u])
            assert share[u] == pytest.approx(having / total)


def test_subsets_of_names_are_ranked_as_sets_and_too_many_are_refused() -> None:
    named = [{"abc"[u] for u in np.flatnonzero(row)} for row in Y]
    ranked = LabelSetClassifier(C=10.0).fit(X, named).predict_k_best(X[:1], 8)[0]
    assert len({frozenset(labels) for labels, _ in ranked}) == 8
    wide = LabelSetClassifier(edges="none").fit(X, np.tile(Y, 5))
    with pytest.raises(Refused, match="too many"):
        wide.predict_marginals(X)
