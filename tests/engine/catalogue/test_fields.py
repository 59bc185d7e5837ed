"""Losses of label sets: which oracles they take, and that the F-score's worst labelling is enumeration's."""

from itertools import product

import numpy as np
import pytest

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.refusals import Refused
from explorer.engine.structures.fields.problem import FieldLabelling
from explorer.engine.vectors import dense

SMALL = {"n": 5, "n_test": 2}


def f_score(truth: np.ndarray, label: np.ndarray) -> float:
    """1 - 2 tp / (2 tp + fp + fn), straight from its definition."""
    right, missed, extra = (
        int(np.sum(part)) for part in ((truth & label), (truth & (1 - label)), ((1 - truth) & label))
    )
    return 1.0 - 2.0 * right / (2 * right + missed + extra) if right + missed + extra else 0.0


@pytest.mark.parametrize("scaling", ["margin", "slack"])
def test_the_most_violated_label_set_under_the_f_score_is_that_of_enumeration(scaling: str) -> None:
    problem, test = Recipe("synth1", SMALL, loss="f-score", scaling=scaling).problem()
    assert isinstance(problem, FieldLabelling)
    rng = np.random.default_rng(0)
    every = [np.array(y) for y in product((0, 1), repeat=6)]
    for w in 0.3 * rng.normal(size=(4, problem.dim)):
        for i, truth in enumerate(np.asarray(problem.dataset.labels)):
            own = dense(problem.features(i, truth)) @ w
            losses = np.array([f_score(truth, y) for y in every])
            scores = np.array([dense(problem.features(i, y)) @ w for y in every])
            asked = losses + scores - own if scaling == "margin" else losses * (1.0 + scores - own)
            cut = problem.oracle(w, i)
            assert cut.loss == pytest.approx(f_score(truth, np.asarray(cut.label)))
            found = (
                cut.loss - dense(cut.psi) @ w
                if scaling == "margin"
                else cut.loss * (1.0 - dense(cut.psi) @ w)
            )
            assert found == pytest.approx(asked.max(), abs=1e-9)
    assert test is not None


@pytest.mark.parametrize("oracle", ["greedy", "roof duality", "belief propagation", "fast relaxation"])
def test_an_oracle_that_adds_losses_up_refuses_the_f_score_with_a_sentence(oracle: str) -> None:
    with pytest.raises(Refused, match="choose Hamming, margin and linear, or the exhaustive oracle"):
        Recipe("synth1", SMALL, loss="f-score", oracle=oracle).problem()
