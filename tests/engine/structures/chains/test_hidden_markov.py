"""Hidden Markov models: densities against scipy, counts by hand, the same answers as weights of a chain."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import norm

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.contracts import Dataset
from explorer.engine.learners import HiddenMarkovModel
from explorer.engine.refusals import Refused
from explorer.engine.runs.streams import train
from explorer.engine.structures.chains.counting import count_model, count_transitions, true_model
from explorer.engine.structures.chains.emissions import Pieces, Raw
from explorer.engine.structures.chains.hidden_markov import (
    GaussianEmissions,
    HiddenMarkov,
    SymbolEmissions,
    weights_of,
)
from tests import brute


def test_the_textbook_model_answers_as_in_the_textbook() -> None:
    B = np.array([[0.1, 0.4, 0.5], [0.6, 0.3, 0.1]])
    A, q = np.array([[0.7, 0.3], [0.4, 0.6]]), np.array([0.6, 0.4])
    model = HiddenMarkov(q, A, SymbolEmissions(np.log(B.T)))
    x = np.eye(3)
    assert model.predict(x).tolist() == [1, 0, 0]
    assert np.exp(model.joint(x, np.array([1, 0, 0]))) == pytest.approx(0.01344)
    total = sum(np.exp(model.joint(x, y)) for y in brute.all_paths(3, 2))
    assert total == pytest.approx(0.033612)


def test_gaussian_scores_are_log_densities() -> None:
    rng = np.random.default_rng(0)
    means, variances, x = rng.normal(size=(3, 2)), rng.uniform(0.2, 2.0, (3, 2)), rng.normal(size=(9, 2))
    known = norm.logpdf(x[:, None, :], means, np.sqrt(variances)).sum(axis=2)
    assert GaussianEmissions(means, variances).scores(x) == pytest.approx(known)


@pytest.mark.spec("A29")
def test_transitions_are_counted_and_their_rows_sum_to_one() -> None:
    labels = [np.array([0, 0, 1, 0]), np.array([1, 1, 0])]
    assert count_transitions(labels, 2, 0.0) == pytest.approx(np.array([[0.5, 0.5], [2 / 3, 1 / 3]]))
    assert count_transitions(labels, 2, 1.0) == pytest.approx(np.array([[0.5, 0.5], [0.6, 0.4]]))
    unseen = count_transitions(labels, 3, 0.0)
    assert unseen.sum(axis=1) == pytest.approx(np.ones(3))


@pytest.mark.spec("A29")
def test_every_counted_distribution_sums_to_one() -> None:
    problem, _ = Recipe("blocks", model={"emissions": "pieces", "nodes": 6}).problem()
    model = count_model(problem.rows, problem.dataset.labels, 2, problem.emissions, 0.5)
    assert model.start.sum() == pytest.approx(1.0)
    assert model.transitions.sum(axis=1) == pytest.approx(np.ones(2))
    for a, b in pairwise(problem.emissions.starts):
        assert np.exp(model.emissions.curves[a:b]).sum(axis=0) == pytest.approx(np.ones(2))


def test_shares_of_nodes_are_counted_by_hand() -> None:
    pieces = Pieces((np.array([0.0, 1.0]),))
    x = np.array([[0.25], [0.75], [5.0], [-1.0]])
    model = count_model(pieces.rows(x), [np.array([0, 0, 1, 1])], 2, pieces, 0.0)
    assert np.exp(model.emissions.curves) == pytest.approx(np.array([[0.5, 0.5], [0.5, 0.5]]))
    model = count_model(pieces.rows(x[:3]), [np.array([0, 0, 1])], 2, pieces, 0.0)
    assert model.emissions.curves[:, 1] == pytest.approx([np.log(1e-100), 0.0])


def test_counted_gaussians_have_the_means_and_variances_of_their_states() -> None:
    problem, _ = Recipe("gaussian-hmm", model={"emissions": "squares"}).problem()
    model = count_model(problem.rows, problem.dataset.labels, 2, problem.emissions, 1.0)
    x, y = np.vstack(problem.dataset.meta["observed"]), problem.truth
    for k in (0, 1):
        assert model.emissions.means[k] == pytest.approx(x[y == k].mean(axis=0))
        assert model.emissions.variances[k] == pytest.approx(x[y == k].var(axis=0))


CASES = {
    "squares": ("gaussian-hmm", {"emissions": "squares"}),
    "pieces": ("blocks", {"emissions": "pieces"}),
    "smooth pieces": ("blocks", {"emissions": "pieces", "smooth": 2.0}),
    "pieces without ends": ("blocks", {"emissions": "pieces", "ends": "none"}),
    "shared variances": ("blocks", {}),
    "symbols": ("tagging", {}),
}


@pytest.mark.spec("A30")
@pytest.mark.parametrize("name", CASES)
def test_as_weights_of_a_chain_the_model_answers_the_same_on_a_hundred_sequences(name: str) -> None:
    task, model = CASES[name]
    data = {"n": 100, "n_test": 1} | ({} if task == "tagging" else {"length": 30})
    problem, _ = Recipe(task, data=data, model=model).problem()
    counted = count_model(problem.rows, problem.dataset.labels, problem.states, problem.emissions, 1.0)
    w = problem.generative_weights(False, 1.0)
    inputs = problem.dataset.inputs
    seen = problem.dataset.meta.get("observed", inputs)
    for x, rows, y in zip(inputs, seen, problem.dataset.labels, strict=True):
        path = problem.predict(w, x)
        assert np.array_equal(path, counted.predict(rows, problem.ends))
        ahead = [
            t.scores(path)[0] - t.scores(y)[0]
            for t in (problem.trellis(w, x), counted.trellis(rows, problem.ends))
        ]
        assert ahead[0] == pytest.approx(ahead[1], abs=1e-8)


@pytest.mark.spec("A30")
def test_the_true_model_as_weights_answers_as_the_model_itself() -> None:
    problem, _ = Recipe("gaussian-hmm", model={"emissions": "squares"}).problem()
    truth = true_model(problem.dataset.meta)
    w = weights_of(truth, "squares", True)
    for x, seen in zip(problem.dataset.inputs, problem.dataset.meta["observed"], strict=True):
        assert np.array_equal(problem.predict(w, x), truth.predict(seen))


def test_the_learner_counts_in_one_step_and_says_that_there_is_no_more() -> None:
    problem, _ = Recipe("blocks", model={"emissions": "pieces"}).problem()
    *events, last = train(problem, HiddenMarkovModel())
    assert last.reason == "counted"
    steps = [event for event in events if type(event).__name__ == "Step"]
    assert len(steps) == 1
    assert np.array_equal(steps[0].w, problem.generative_weights(False, 1.0))


def test_what_cannot_be_counted_is_refused_in_a_sentence() -> None:
    true = HiddenMarkovModel(parameters="true")
    assert "Nobody knows" in str(true.refuses(Recipe("blocks").problem()[0]))
    assert "emissions=squares" in str(true.refuses(Recipe("gaussian-hmm").problem()[0]))
    bare = Recipe("blocks", model={"ends": "none"}).problem()[0]
    assert "first state" in str(HiddenMarkovModel().refuses(bare))
    with pytest.raises(Refused, match="squares"):
        weights_of(true_model(Recipe("gaussian-hmm").problem()[0].dataset.meta), "raw", True)


def test_a_state_that_never_occurs_has_the_density_of_all_rows() -> None:
    data = Dataset("two of three", (np.array([[-1.0], [1.0]]),), (np.array([0, 1]),))
    model = count_model(np.vstack(data.inputs), data.labels, 3, Raw(), 1.0)
    assert model.emissions.means[2] == pytest.approx([0.0])
