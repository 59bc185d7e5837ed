"""The oracle of known quality against the sorted enumeration."""

from dataclasses import replace

import numpy as np
import pytest

from explorer.engine.contracts import Dataset
from explorer.engine.events import Step
from explorer.engine.learners import OneSlack
from explorer.engine.losses import Hamming
from explorer.engine.refusals import Refused
from explorer.engine.runs.streams import Until, train
from explorer.engine.structures.fields.fields import Fields
from explorer.engine.structures.fields.label_map import LabelMap, all_pairs
from explorer.engine.structures.fields.oracles.exhaustive import Exhaustive
from explorer.engine.structures.fields.oracles.known_approximation import KnownApproximation
from explorer.engine.structures.fields.problem import FieldLabelling
from tests.engine.structures.fields.oracles.sample_fields import (
    Part,
    complete,
    every,
    mixed,
    own_labels,
    stacked,
)


def sharing(fields: Fields, edges: int) -> Fields:
    """The same fields, all with the pairwise scores of the first."""
    return replace(fields, table=np.tile(np.arange(edges), len(fields)), pair=fields.pair[:edges].copy())


@pytest.mark.spec("D13")
@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9, 0.99])
def test_no_labelling_lies_between_the_answer_and_rho_times_the_optimum(rho: float) -> None:
    truth = np.random.default_rng(1).integers(0, 2, 60 * 7)
    plain = complete(60, 7)
    for fields in (plain, sharing(plain, 21), plain.with_loss(truth, Hamming(normalised=True, times=100.0))):
        found = KnownApproximation(rho).solve(fields)
        for i, field in enumerate(fields):
            scores = every(field)[1]
            allowed = scores[scores <= rho * scores.max() + 1e-12]
            own = fields.scores(found.labels)[i]
            assert own == pytest.approx(allowed.max() if len(allowed) else scores.min(), abs=1e-9)
            assert found.bound[i] == pytest.approx(scores.max(), abs=1e-9)


@pytest.mark.spec("D13")
@pytest.mark.parametrize("ties", [False, True])
def test_rho_1_is_exhaustive_search_tie_for_tie(ties: bool) -> None:
    for states in (1, 2, 3):
        fields = mixed(np.random.default_rng(states), states, ties=ties)
        ours, exact = KnownApproximation(1.0).solve(fields), Exhaustive().solve(fields)
        assert np.array_equal(ours.labels, exact.labels)
        assert np.array_equal(ours.bound, exact.bound)


@pytest.mark.spec("D13")
def test_training_with_rho_1_is_exact_training_bit_for_bit() -> None:
    rng = np.random.default_rng(0)
    data = Dataset("subsets", rng.normal(size=(12, 3)), rng.integers(0, 2, (12, 4)))
    exact = FieldLabelling(data, LabelMap(4, all_pairs(4)), Hamming(normalised=True))
    runs = []
    for problem in (exact, replace(exact, separator=KnownApproximation(1.0))):  # type: ignore[arg-type]
        events = train(
            problem, OneSlack(C=10.0, eps=1e-6), rule=Until(relative_gap=0.0, steps=8), look_every=0.0
        )
        runs.append(np.stack([event.w for event in events if isinstance(event, Step)]))
    assert len(runs[0]) > 3
    assert np.array_equal(*runs)


def test_where_the_optimum_is_not_positive_the_answer_is_the_optimum() -> None:
    none = np.zeros((0, 2), int), np.zeros((0, 2, 2))
    below = stacked(
        [Part(np.array([[-1.0, -3.0], [-2.0, -5.0]]), *none), Part(np.array([[0.0, -1.0]]), *none)]
    )
    assert KnownApproximation(0.5).solve(below).labels.tolist() == [0, 0, 0]


def test_where_all_labellings_are_worth_more_than_the_limit_the_answer_is_the_worst_one() -> None:
    none = np.zeros((0, 2), int), np.zeros((0, 2, 2))
    field = stacked([Part(np.array([[10.0, 9.0], [10.0, 9.5]]), *none)])
    assert KnownApproximation(0.5).solve(field).labels.tolist() == [1, 1]


def test_equal_scores_go_to_the_labelling_that_comes_first_read_from_the_last_node() -> None:
    none = np.zeros((0, 2), int), np.zeros((0, 2, 2))
    field = stacked([Part(np.array([[0.0, 1.0], [0.0, 1.0], [0.0, 1.0]]), *none)])
    assert KnownApproximation(0.7).solve(field).labels.tolist() == [1, 1, 0]


def test_more_labellings_than_can_be_listed_are_refused() -> None:
    many = stacked([Part(np.zeros((2000, 3)), np.zeros((0, 2), int), np.zeros((0, 3, 3)))])
    reason = KnownApproximation().refuses(many)
    assert reason is not None
    assert "3^2000 labellings" in reason
    with pytest.raises(Refused, match="0 to 1"):
        KnownApproximation(1.5)


def test_a_batch_is_answered_as_its_fields_one_by_one() -> None:
    fields = sharing(complete(200, 8, seed=4), 28)
    alone = [KnownApproximation().solve(field).labels for field in fields]
    assert [y.tolist() for y in own_labels(fields, KnownApproximation().solve(fields).labels)] == [
        y.tolist() for y in alone
    ]
