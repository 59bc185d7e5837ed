"""A toy that exact prediction separates and greedy prediction does not."""

from itertools import product

import numpy as np
import pytest

from explorer.engine.theory.approximation import risks
from explorer.engine.theory.bounds import separator
from explorer.studies import Separability
from explorer.studies.fields.separability import BY_HAND, LEARNED_EXACTLY, SEARCHED, SEPARATING, toy
from explorer.studies.support.rows import value
from explorer.studies.support.study import HELD


@pytest.mark.spec("D31")
def test_the_toy_is_separable_but_not_for_greedy_search() -> None:
    problem = toy("exhaustive", "greedy")
    w = np.array(SEPARATING)
    for i in range(2):
        truth = problem.dataset.labels[i]
        others = [y for y in problem.labellings(i) if not np.array_equal(y, truth)]
        best = max(float(w @ problem.features(i, y)) for y in others)
        assert float(w @ problem.features(i, truth)) > best
    assert separator(problem) is not None
    greedy, exact = risks(problem, w)
    assert (greedy, exact) == (50.0, 0.0)


@pytest.mark.spec("D31")
def test_no_weights_on_a_grid_let_greedy_search_label_both_examples() -> None:
    problem = toy("exhaustive", "greedy")
    found = {risks(problem, np.array(w))[0] for w in product(np.linspace(-3.0, 3.0, 9), repeat=3)}
    assert min(found) == 25.0


@pytest.mark.spec("D31")
def test_the_study_shows_both_risks() -> None:
    study = Separability.quick()
    rows = list(study.rows())
    assert len(rows) == 4
    assert value(rows, "exact_risk", weights=BY_HAND) == 0.0
    assert value(rows, "exact_risk", weights=LEARNED_EXACTLY) == 0.0
    assert value(rows, "greedy_risk", weights=SEARCHED) == 25.0
    assert all(finding.verdict == HELD for finding in study.findings(rows))
