"""Exhaustive search against the referee's own enumeration."""

from dataclasses import replace

import numpy as np
import pytest

from explorer.engine.losses import Hamming
from explorer.engine.structures.fields.oracles.exhaustive import (
    Exhaustive,
    all_scores,
    every_score,
    rank_labellings,
    score_each,
    top_labellings,
)
from tests.engine.structures.fields.oracles.sample_fields import (
    complete,
    definition,
    every,
    mixed,
    optimum,
    own_labels,
    scored,
    stacked,
)


@pytest.mark.parametrize("states", [1, 2, 3, 4])
def test_it_finds_the_best_labelling_the_first_of_equals_read_from_the_last_node(states: int) -> None:
    for ties in (False, True):
        fields = mixed(np.random.default_rng(states), states, ties=ties)
        found = Exhaustive().solve(fields)
        assert np.allclose(found.bound, optimum(fields), atol=1e-9)
        for field, y in zip(fields, own_labels(fields, found.labels), strict=True):
            rows, scores = every(field)
            assert y.tolist() == rows[scores.argmax()].tolist()


def test_fields_that_share_edges_and_tables_get_the_same_scores_to_the_last_bit_as_alone() -> None:
    plain = complete(300, 10, seed=1)
    fields = replace(plain, table=np.tile(np.arange(45), 300), pair=plain.pair[:45].copy())
    parts = list(all_scores(fields))
    assert len(parts) > 1
    assert [lo for lo, *_ in parts[1:]] == [hi for _, hi, *_ in parts[:-1]]
    scores = np.concatenate([found for *_, found in parts])
    for i in (0, 150, 299):
        assert np.array_equal(scores[i], score_each(fields.one(i), parts[0][2]))
        assert np.array_equal(scores[i], next(all_scores(fields.one(i)))[3][0])
        assert np.allclose(np.sort(scores[i]), np.sort(every(fields.one(i))[1]), atol=1e-12)


def test_fields_of_one_size_with_other_edges_or_tables_are_not_taken_for_alike() -> None:
    rng = np.random.default_rng(2)
    other_edges = stacked([scored(rng, 3, ends, 2) for ends in ([(0, 1)], [(1, 2)], [(1, 0)])])
    one = replace(other_edges, table=np.zeros(3, dtype=np.int64))
    other_tables = stacked([scored(rng, 3, [(0, 2)], 2) for _ in range(3)])
    for fields in (one, other_tables):
        assert np.allclose(Exhaustive().solve(fields).bound, optimum(fields), atol=1e-12)


@pytest.mark.spec("D5")
def test_the_best_labelling_of_raised_scores_is_the_best_of_score_and_loss_on_1000_problems() -> None:
    fields, delta = complete(1000, 8), Hamming(normalised=True, times=100.0)
    truth = np.random.default_rng(1).integers(0, 2, (1000, 8))
    found = Exhaustive().solve(fields.with_loss(truth.ravel(), delta))
    labels = own_labels(fields, found.labels)
    for i, field in enumerate(fields):
        rows, scores = every(field)
        total = scores + 100.0 / 8 * np.count_nonzero(rows != truth[i], axis=1)
        assert field.scores(labels[i])[0] + delta.value(truth[i], labels[i]) == pytest.approx(
            total.max(), abs=1e-9
        )
        assert found.bound[i] == pytest.approx(total.max(), abs=1e-9)


@pytest.mark.parametrize("states", [1, 2, 3])
def test_all_scores_of_a_field_are_ranked_as_their_definition_orders_them(states: int) -> None:
    for field in mixed(np.random.default_rng(7), states, 12, most=5):
        rows, scores = every(field)
        assert every_score(field) == pytest.approx(scores)
        ranks = rank_labellings(field)
        assert ranks is not None
        assert ranks.scores == pytest.approx(np.sort(scores)[::-1])
        best = rows[scores > scores.max() - 1e-9]
        assert {tuple(y) for y in ranks.best.tolist()} == {tuple(y) for y in best.tolist()}
        few = top_labellings(field, 5)
        assert definition(field, few) == pytest.approx(np.sort(scores)[::-1][:5])
    assert rank_labellings(complete(1, 18).one(0)) is None, "2^18 labellings are too many"


def test_its_effort_is_the_pairwise_scores_that_it_adds_up() -> None:
    effort = Exhaustive().effort(complete(2, 17))
    assert effort.size == 17_825_792, "136 edges of 2^17 labellings"
    assert effort.size > effort.quick
    assert "17,825,792" in effort.because
