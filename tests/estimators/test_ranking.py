"""The k best answers are those that listing all of them gives."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from explorer.engine.refusals import Refused
from explorer.engine.structures.trees.heads import all_trees
from explorer.estimators.graphs import GraphLabeller
from explorer.estimators.ranking import k_best
from explorer.estimators.trees import DependencyParser
from tests.estimators.samples import trees


def test_answers_are_ranked_as_a_full_list_of_random_tables_is() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        places, values = int(rng.integers(1, 5)), int(rng.integers(1, 4))
        scores = rng.normal(size=(places, values))

        def solve(allowed: Any, scores: Any = scores) -> tuple[Any, float]:
            best = np.where(allowed, scores, -np.inf).argmax(axis=1)
            return best, float(scores[np.arange(len(best)), best].sum())

        found = k_best(solve, places, values, 30)
        listed = [sum(scores[t, v] for t, v in enumerate(ys)) for ys in product(range(values), repeat=places)]
        assert [score for _, score in found] == pytest.approx(sorted(listed, reverse=True)[:30])
        assert len({tuple(answer) for answer, _ in found}) == min(30, len(listed))


def test_the_best_trees_are_those_of_a_list_of_all_trees() -> None:
    X, Y = trees()
    fitted = DependencyParser(C=10.0, kernel="none").fit(X, Y)
    for found, table in zip(fitted.predict_k_best(X, 6), fitted.decision_function(X), strict=True):
        words = np.arange(table.shape[1])
        listed = sorted((float(table[tree, words].sum()) for tree in all_trees(len(words))), reverse=True)
        assert [score for _, score in found] == pytest.approx(listed[:6])
        for heads, score in found:
            assert float(table[heads, words].sum()) == pytest.approx(score)
        assert len({tuple(heads) for heads, _ in found}) == min(6, len(listed))


def test_no_tree_is_left_when_all_were_given() -> None:
    X, Y = trees()
    fitted = DependencyParser(kernel="none").fit(X, Y)
    short = [x[:2] for x in X]
    assert all(len(found) == 3 for found in fitted.predict_k_best(short, 50))


@pytest.mark.parametrize("predictor", ["tree max-product", "exhaustive"])
def test_the_best_labellings_of_a_graph_are_those_of_a_list_of_all(predictor: str) -> None:
    rng = np.random.default_rng(1)
    edges = np.array([[0, 1], [1, 2], [1, 3]])
    X = [(rng.normal(size=(4, 2)), edges) for _ in range(5)]
    y = [np.array(["a", "b", "c"])[rng.integers(0, 3, size=4)] for _ in X]
    fitted = GraphLabeller(C=10.0, predictor=predictor).fit(X, y)
    W, P = fitted.weights_[:6].reshape(2, 3), fitted.weights_[6:].reshape(3, 3)
    for found, (nodes, _) in zip(fitted.predict_k_best(X, 7), X, strict=True):
        listed = {
            ys: sum((nodes @ W)[u, s] for u, s in enumerate(ys)) + sum(P[ys[a], ys[b]] for a, b in edges)
            for ys in product(range(3), repeat=4)
        }
        assert [score for _, score in found] == pytest.approx(sorted(listed.values(), reverse=True)[:7])
        for labels, score in found:
            assert listed[tuple(np.searchsorted(fitted.classes_, labels))] == pytest.approx(score)


def test_a_k_that_is_no_number_of_answers_is_refused() -> None:
    X, Y = trees()
    with pytest.raises(Refused, match="k is 0"):
        DependencyParser(kernel="none").fit(X, Y).predict_k_best(X, 0)
