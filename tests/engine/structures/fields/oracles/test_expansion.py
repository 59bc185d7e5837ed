"""Alpha-expansion against enumeration of its moves and of all labellings."""

from itertools import product

import numpy as np
import pytest

from explorer.engine.refusals import Refused
from explorer.engine.structures.fields.fields import Fields
from explorer.engine.structures.fields.oracles.expansion import Expansion, expand
from tests.engine.structures.fields.oracles.sample_fields import (
    Ints,
    Part,
    definition,
    graph_edges,
    grid_edges,
    mixed,
    optimum,
    own_labels,
    stacked,
)


def potts(seed: int, states: int, n: int = 40, most: int = 7) -> Fields:
    """Normal unaries; every edge scores some positive number where its ends are equal."""
    rng, parts = np.random.default_rng(seed), []
    for _ in range(n):
        m = int(rng.integers(1, most + 1))
        ends = np.array(graph_edges(rng, m, rng.choice([0.3, 1.0])), np.int64).reshape(-1, 2)
        pair = rng.uniform(0, 1.5, len(ends))[:, None, None] * np.eye(states)
        parts.append(Part(rng.normal(size=(m, states)), ends, pair))
    return stacked(parts)


def every_expansion(y: Ints, states: int) -> Ints:
    """All labellings in which each node keeps its state or takes one and the same other state."""
    takes = np.array(list(product((False, True), repeat=len(y))))
    return np.concatenate([np.where(takes, s, y) for s in range(states)])


@pytest.mark.parametrize("states", [2, 3, 4])
def test_for_potts_scores_no_expansion_betters_the_answer(states: int) -> None:
    fields = potts(states, states)
    for field, y in zip(fields, own_labels(fields, Expansion().solve(fields).labels), strict=True):
        assert definition(field, every_expansion(y, states)).max() <= definition(field, y[None])[0] + 1e-9


def test_for_potts_scores_the_energy_is_at_most_twice_the_least() -> None:
    # Boykov, Veksler and Zabih, theorem 6.1; energy: what unaries and edges stay below their own largest
    # scores.
    fields = potts(5, 4, n=80)
    found, best = fields.scores(Expansion().solve(fields).labels), optimum(fields)
    for i, field in enumerate(fields):
        most = field.unary.max(axis=1).sum() + field.pair[field.table].max(axis=(1, 2)).sum()
        assert most - found[i] <= 2 * (most - best[i]) + 1e-9


def test_two_states_that_attract_are_solved() -> None:
    fields = potts(6, 2, n=80)
    assert fields.scores(Expansion().solve(fields).labels) == pytest.approx(optimum(fields), abs=1e-9)


@pytest.mark.parametrize("states", [1, 2, 3, 4])
@pytest.mark.parametrize("ties", [False, True])
def test_any_field_may_be_given_and_the_score_never_falls_below_the_start(states: int, ties: bool) -> None:
    fields = mixed(np.random.default_rng(states), states, n=60, ties=ties)
    found = Expansion().solve(fields)
    scores = fields.scores(found.labels)
    assert np.all(scores >= fields.scores(fields.unary.argmax(axis=1)) - 1e-9)
    assert np.all(scores <= optimum(fields) + 1e-9)
    assert np.all(np.isinf(found.bound))


def test_it_betters_what_no_single_node_can() -> None:
    # Two nodes that each slightly prefer 0 and would gain much by being 1 together.
    pair = np.zeros((1, 2, 2))
    pair[0, 1, 1] = 1.0
    field = stacked([Part(np.array([[0.1, 0.0], [0.1, 0.0]]), np.array([[0, 1]]), pair)])
    assert Expansion().solve(field).labels.tolist() == [1, 1]


@pytest.mark.parametrize("states", [2, 3, 5])
def test_moves_played_one_by_one_lead_to_the_answer(states: int) -> None:
    rng = np.random.default_rng(states)
    ends = np.array(grid_edges(6, 6))
    field = stacked(
        [Part(rng.normal(size=(36, states)), ends, np.repeat(0.6 * np.eye(states)[None], len(ends), 0))]
    )
    y, score = field.unary.argmax(axis=1), None
    for k, move in enumerate(expand(field)):
        assert move.state == k % states
        before = float(field.scores(y)[0])
        assert np.all(y[move.changed] != move.state)
        y[move.changed] = move.state
        score = float(field.scores(y)[0])
        assert move.score == pytest.approx(score, abs=1e-9)
        assert score > before or len(move.changed) == 0
    assert y.tolist() == Expansion().solve(field).labels.tolist()
    assert all(len(move.changed) == 0 for move in expand(field)[1 - states :])


def test_a_cap_on_sweeps_is_kept() -> None:
    fields = potts(7, 4, n=30)
    assert max(len(expand(field, sweeps=1)) for field in fields) == 4
    assert any(len(expand(field)) > 4 for field in fields)
    with pytest.raises(Refused, match="sweeps is 0"):
        Expansion(sweeps=0)


def test_scores_of_any_scale_are_moved_alike() -> None:
    fields = potts(8, 3)
    small = Fields(
        1e-9 * fields.unary, fields.nodes, fields.ends, fields.edges, fields.table, 1e-9 * fields.pair
    )
    assert np.array_equal(Expansion().solve(fields).labels, Expansion().solve(small).labels)


def test_a_batch_answers_as_single_fields_do() -> None:
    fields = mixed(np.random.default_rng(9), 3, n=90)
    alone = [Expansion().solve(field).labels for field in fields]
    assert np.array_equal(Expansion().solve(fields).labels, np.concatenate(alone))
