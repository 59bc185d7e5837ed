"""Alpha-beta swap against enumeration of its moves and of all labellings."""

from itertools import combinations, product

import numpy as np
import pytest

from explorer.engine.refusals import Refused
from explorer.engine.structures.fields.fields import Fields
from explorer.engine.structures.fields.oracles.swap import Swap, swaps
from tests.engine.structures.fields.oracles.sample_fields import (
    Ints,
    Part,
    definition,
    graph_edges,
    mixed,
    optimum,
    own_labels,
    stacked,
)


def attracting(seed: int, states: int, n: int = 40, most: int = 7) -> Fields:
    """Edges score more for equal states than for different ones, by amounts that obey no triangle
    inequality.
    """
    rng, parts = np.random.default_rng(seed), []
    for _ in range(n):
        m = int(rng.integers(1, most + 1))
        ends = np.array(graph_edges(rng, m, rng.choice([0.3, 1.0])), np.int64).reshape(-1, 2)
        pair = -rng.uniform(0, 2, (len(ends), states, states)) * (1.0 - np.eye(states))
        parts.append(Part(rng.normal(size=(m, states)), ends, pair))
    return stacked(parts)


def every_swap(y: Ints, states: int) -> Ints:
    """All labellings in which the nodes of two states are divided anew between them."""
    rows = [y[None]]
    for s, t in combinations(range(states), 2):
        own = np.flatnonzero((y == s) | (y == t))
        new = np.repeat(y[None], 2 ** len(own), axis=0)
        new[:, own] = np.array(list(product((s, t), repeat=len(own)))).reshape(len(new), len(own))
        rows.append(new)
    return np.concatenate(rows)


@pytest.mark.parametrize("states", [2, 3, 4])
def test_where_equal_states_score_most_no_swap_betters_the_answer(states: int) -> None:
    fields = attracting(states, states)
    for field, y in zip(fields, own_labels(fields, Swap().solve(fields).labels), strict=True):
        assert definition(field, every_swap(y, states)).max() <= definition(field, y[None])[0] + 1e-9


def test_two_states_that_attract_are_solved() -> None:
    fields = attracting(6, 2, n=80)
    assert fields.scores(Swap().solve(fields).labels) == pytest.approx(optimum(fields), abs=1e-9)


@pytest.mark.parametrize("states", [1, 2, 3, 4])
@pytest.mark.parametrize("ties", [False, True])
def test_any_field_may_be_given_and_the_score_never_falls_below_the_start(states: int, ties: bool) -> None:
    fields = mixed(np.random.default_rng(states), states, n=60, ties=ties)
    found = Swap().solve(fields)
    scores = fields.scores(found.labels)
    assert np.all(scores >= fields.scores(fields.unary.argmax(axis=1)) - 1e-9)
    assert np.all(scores <= optimum(fields) + 1e-9)
    assert np.all(np.isinf(found.bound))


def test_a_state_that_no_node_starts_in_may_still_be_taken() -> None:
    # State 2 is nobody's favourite; both nodes gain by taking it together.
    pair = np.zeros((1, 3, 3))
    pair[0, 2, 2] = 2.0
    field = stacked([Part(np.array([[1.0, 0.0, 0.5], [1.0, 0.0, 0.5]]), np.array([[0, 1]]), pair)])
    assert Swap().solve(field).labels.tolist() == [2, 2]


def test_a_sweep_takes_every_pair_of_states_once() -> None:
    assert swaps(4).tolist() == [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]
    assert swaps(1).shape == (0, 2)


def test_a_batch_answers_as_single_fields_do() -> None:
    fields = mixed(np.random.default_rng(9), 3, n=90)
    alone = [Swap().solve(field).labels for field in fields]
    assert np.array_equal(Swap().solve(fields).labels, np.concatenate(alone))


def test_a_cap_on_sweeps_must_leave_one() -> None:
    with pytest.raises(Refused, match="sweeps is 0"):
        Swap(sweeps=0)
