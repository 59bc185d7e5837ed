"""The clusterer: its three models, every form of items, and what it predicts by hand."""

from typing import Any

import numpy as np
import pytest

from explorer.engine.refusals import Refused
from explorer.engine.structures.clusterings.link_forests import partition_of
from explorer.estimators.clusterings import MODELS, ItemClusterer
from explorer.estimators.metrics import adjusted_rand
from tests.estimators.samples import item_groups

X, Y = item_groups()


@pytest.mark.parametrize("model", MODELS)
def test_clusters_that_lie_apart_are_found(model: str) -> None:
    fitted = ItemClusterer(C=100.0, model=model, n_clusters=2).fit(X, Y)
    assert fitted.score(X, Y) == 1.0
    assert [list(labels) for labels in fitted.predict(X)] == [[0, 0, 0, 1, 1, 1]] * 4


@pytest.mark.parametrize("model", MODELS)
def test_predictions_are_those_of_the_engines_own_problem(model: str) -> None:
    fitted = ItemClusterer(C=1.0, model=model, n_clusters=2).fit(X, Y)
    problem: Any = fitted.problem(X, Y)
    engines = problem.predictions(fitted.weights_)
    parts = [partition_of(found) for found in engines] if model == "single link" else engines
    assert adjusted_rand(parts, fitted.predict(X)) == 1.0


def test_pair_features_as_arrays_and_as_a_function_are_the_same() -> None:
    def alike(a: Any, b: Any) -> list[float]:
        return [1.0, -abs(a[0] - b[0])]

    tables = [np.array([[alike(a, b) for b in x] for a in x]) for x in X]
    arrays = ItemClusterer(C=10.0).fit(tables, Y)
    function = ItemClusterer(C=10.0, pair_features=alike).fit([list(x) for x in X], Y)
    flat = ItemClusterer(C=10.0).fit([{"pairs": t[np.triu_indices(6, 1)]} for t in tables], Y)
    assert np.array_equal(arrays.weights_, function.weights_)
    assert np.array_equal(arrays.weights_, flat.weights_)
    K = arrays.decision_function(tables)[0]
    assert K[0, 4] == pytest.approx(float(np.dot(arrays.weights_, alike(X[0][0], X[0][4]))))
    assert K[2, 2] == 0.0


def test_the_frame_names_every_kind_of_weight() -> None:
    data = [{"items": x, "relations": [[(0, 1)]]} for x in X]
    frame = ItemClusterer().fit(data, Y).weights_frame()
    assert frame.groupby("kind").size().to_dict() == {"items": 2, "relation 1": 3}


def test_bad_data_are_refused_in_a_sentence() -> None:
    for data, labels, words in (
        ([], [], "no sets"),
        (X, Y[:1], "4 sets of items and 1"),
        (X, [[0]] * 4, "6 items and 1 labels"),
        ([{"things": 1}], [[0]], "items"),
        ([np.full((2, 1), np.nan)], [[0, 0]], "finite"),
    ):
        with pytest.raises(Refused, match=words):
            ItemClusterer().fit(data, labels)
    for wrong, words in (
        ({"model": "magic"}, "choose one"),
        ({"loss": "magic"}, "takes one of"),
        ({"oracle": "magic"}, "oracle"),
    ):
        with pytest.raises(Refused, match=words):
            ItemClusterer(**wrong).fit(X, Y)
    with pytest.raises(Refused, match="n_clusters"):
        ItemClusterer(model="k-means").fit(X, Y).predict(X)
    with pytest.raises(Refused, match="trained on"):
        ItemClusterer().fit(X, Y).predict([np.ones((3, 5))])


def test_an_objective_below_its_bound_is_said_to_be_so() -> None:
    rng = np.random.default_rng(5)
    sets = [rng.normal(size=(8, 3)) for _ in range(4)]
    fitted = ItemClusterer(C=10.0, model="single link").fit(sets, [items[:, 0] > 0 for items in sets])
    proved = fitted.certificate_
    assert proved.primal < proved.dual, "this oracle misses links here; choose data where it does"
    assert "is below what an exact oracle would make a lower bound" in proved.words
    assert "within" not in proved.words
