"""Imitation and SEARN: regression by hand, roll-outs to be looked at, what they lose on noisy chains."""

import numpy as np
import pytest

from explorer.baselines.searn import LITTLE, Searn, as_weights, chain_with_beam, imitate, regress, state_row
from explorer.engine.contracts import Dataset
from explorer.studies import LearningToSearch
from explorer.studies.support.study import HELD


def noisy(n: int, seed: int, length: int = 8) -> Dataset:
    """Sticky chains of three states, seen through much noise."""
    rng = np.random.default_rng(seed)
    labels = []
    for _ in range(n):
        y = [int(rng.integers(3))]
        while len(y) < length:
            y.append(y[-1] if rng.random() < 0.75 else int(rng.integers(3)))
        labels.append(np.array(y))
    seen = (np.eye(3)[y] + 0.8 * rng.normal(size=(length, 3)) for y in labels)
    return Dataset("noisy", [np.column_stack([x, np.ones(length)]) for x in seen], labels)


def test_the_regression_is_the_least_squares_solution() -> None:
    rng = np.random.default_rng(0)
    rows, costs = rng.normal(size=(30, 4)), rng.normal(size=(30, 2))
    tall = np.vstack([rows, np.sqrt(0.5) * np.eye(4)])
    known = np.linalg.lstsq(tall, np.vstack([costs, np.zeros((4, 2))]), rcond=None)[0]
    assert regress(rows, costs, 0.5) == pytest.approx(known)


def test_greedy_decoding_of_the_weights_is_the_policy() -> None:
    data = noisy(5, 1)
    table = imitate(data, 3)
    problem = chain_with_beam(data, 3)
    for x in data.inputs:
        before, path = 3, []
        for row in x:
            before = int(np.argmin(state_row(row, before, 3) @ table))
            path.append(before)
        assert problem.predict(as_weights(table, 3), x).tolist() == path


@pytest.mark.spec("C23", "F63")
def test_roll_outs_tell_the_loss_of_every_action_and_the_true_policy_fades() -> None:
    data = noisy(6, 2)
    rounds = list(Searn().rounds(data, 3))
    weights = [found.true_weight for found in rounds]
    assert weights == pytest.approx([0.7 ** (k + 1) for k in range(len(weights))])
    assert weights[-1] < LITTLE <= weights[-2]
    first = rounds[0].rollouts
    assert len(first) == sum(map(len, data.labels))
    for found in first:  # at first the truth completes, so an action costs only its own mistake
        truth = data.labels[found.example][found.position]
        assert found.losses.tolist() == [float(a != truth) for a in range(3)]
        assert found.before == (data.labels[found.example][found.position - 1] if found.position else 3)
    later = rounds[-1].rollouts
    assert max(found.losses.max() for found in later) > 1.0, "now a wrong tag may lead to more"


@pytest.mark.spec("C23", "F63")
def test_over_five_draws_searn_loses_no_more_than_imitation_and_a_classifier_of_single_positions() -> None:
    study = LearningToSearch(n_test=60)
    rows = list(study.rows())
    assert len(rows) == study.total == 25
    assert [finding.verdict for finding in study.findings(rows)] == [HELD, HELD]
    assert all(found.number("weight") < LITTLE for found in rows if found["way"] == "SEARN")
    assert list(study.rows_after(22)) == rows[22:]


@pytest.mark.spec("C23")
def test_a_wider_beam_never_scores_less_than_greedy_decoding_here() -> None:
    data = noisy(10, 3)
    w = as_weights(imitate(data, 3), 3)
    scores = {}
    for width in (1, 4):
        problem = chain_with_beam(data, 3, width)
        scores[width] = [problem.trellis(w, x).scores(problem.predict(w, x))[0] for x in data.inputs]
    assert np.all(np.array(scores[4]) >= np.array(scores[1]) - 1e-12)
