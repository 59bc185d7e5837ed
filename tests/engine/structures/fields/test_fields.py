"""Fields: their scores by hand and by enumeration, raised by a loss, relaxed, rounded and reduced."""

from itertools import product

import numpy as np
import pytest

from explorer.engine.losses import CostMatrix, Hamming
from explorer.engine.refusals import Refused
from explorer.engine.structures.fields.fields import (
    Fields,
    boolean_form,
    flatten,
    hard,
    is_relaxed,
    round_label,
    unflatten,
)
from explorer.engine.vectors import Array, Ints


def by_hand() -> Fields:
    """A path of three nodes, then a single node; the edges share one table, used forwards and backwards."""
    return Fields(
        unary=np.array([[0.0, 1.0], [2.0, 0.0], [0.0, 0.5], [3.0, -1.0]]),
        nodes=np.array([0, 3, 4]),
        ends=np.array([[0, 1], [2, 1]]),
        edges=np.array([0, 2, 2]),
        table=np.array([0, 0]),
        pair=np.array([[[10.0, 20.0], [30.0, 40.0]]]),
    )


def random_fields(rng: np.random.Generator, sizes: tuple[int, ...] = (4, 1, 5), states: int = 3) -> Fields:
    """Random scores on random edges, some tables shared."""
    ends = [np.array([p for p in product(range(m), repeat=2) if p[0] < p[1]]).reshape(-1, 2) for m in sizes]
    kept = [pairs[rng.random(len(pairs)) < 0.6].astype(np.int64) for pairs in ends]
    total = sum(map(len, kept))
    return Fields(
        unary=rng.normal(size=(sum(sizes), states)),
        nodes=np.cumsum([0, *sizes]),
        ends=np.concatenate(kept),
        edges=np.cumsum([0, *map(len, kept)]),
        table=rng.integers(0, 4, total),
        pair=rng.normal(size=(4, states, states)),
    )


def score(field: Fields, y: Ints) -> float:
    """The definition, node by node and edge by edge, of one field alone."""
    total = sum(field.unary[u, s] for u, s in enumerate(y))
    return float(
        total + sum(field.pair[t, y[a], y[b]] for (a, b), t in zip(field.ends, field.table, strict=True))
    )


def shares_of(field: Fields, y: Ints) -> Array:
    """A hard labelling written as shares."""
    node, edge = np.eye(field.states)[y], np.zeros((len(field.ends), field.states, field.states))
    for e, (a, b) in enumerate(field.ends):
        edge[e, y[a], y[b]] = 1.0
    return flatten(node, edge)


def test_scores_are_those_of_a_hand_calculation() -> None:
    fields = by_hand()
    # 1 + 2 + 0.5 and pair(1, 0) = 30 for both edges, the second read from node 2 to node 1; then 3 alone.
    assert fields.scores(np.array([1, 0, 1, 0])).tolist() == [63.5, 3.0]
    # 0 + 0 + 0 and pair(0, 1) = 20 twice; then -1.
    assert fields.scores(np.array([0, 1, 0, 1])).tolist() == [40.0, -1.0]


def test_scores_of_a_batch_are_those_of_its_fields() -> None:
    rng = np.random.default_rng(0)
    fields = random_fields(rng)
    labels = rng.integers(0, 3, len(fields.unary))
    parts = np.split(labels, fields.nodes[1:-1])
    assert fields.scores(labels) == pytest.approx(
        [score(f, y) for f, y in zip(fields, parts, strict=True)], abs=1e-12
    )
    assert [len(f.unary) for f in fields] == [4, 1, 5]
    assert fields.one(2).scores(parts[2])[0] == pytest.approx(fields.scores(labels)[2])


@pytest.mark.parametrize(
    "loss", [Hamming(), Hamming(normalised=True, times=100.0), CostMatrix(((0, 1, 4), (2, 0, 3), (1, 1, 0)))]
)
def test_raised_scores_are_scores_plus_loss(loss: Hamming | CostMatrix) -> None:
    rng = np.random.default_rng(1)
    fields = random_fields(rng)
    truth, labels = rng.integers(0, 3, (2, len(fields.unary)))
    lost = [
        loss.value(y, other)
        for y, other in zip(
            np.split(truth, fields.nodes[1:-1]), np.split(labels, fields.nodes[1:-1]), strict=True
        )
    ]
    raised = fields.with_loss(truth, loss)
    assert raised.scores(labels) == pytest.approx(fields.scores(labels) + lost, abs=1e-9)
    assert raised.scores(truth) == pytest.approx(fields.scores(truth), abs=1e-9)


def test_a_hard_labelling_written_as_shares_has_the_same_score() -> None:
    rng = np.random.default_rng(2)
    fields = random_fields(rng)
    for i, field in enumerate(fields):
        y = rng.integers(0, 3, len(field.unary))
        assert fields.relaxed_score(i, shares_of(field, y)) == pytest.approx(score(field, y), abs=1e-12)


def test_the_score_of_shares_is_linear() -> None:
    rng = np.random.default_rng(3)
    field = random_fields(rng).one(2)
    first, second = (rng.integers(0, 3, len(field.unary)) for _ in range(2))
    mixed = 0.3 * shares_of(field, first) + 0.7 * shares_of(field, second)
    assert field.relaxed_score(0, mixed) == pytest.approx(
        0.3 * score(field, first) + 0.7 * score(field, second)
    )


def test_shares_lie_flat_nodes_first() -> None:
    node, edge = np.array([[0.25, 0.75], [1.0, 0.0]]), np.arange(4.0).reshape(1, 2, 2)
    flat = flatten(node, edge)
    assert flat.tolist() == [0.25, 0.75, 1, 0, 0, 1, 2, 3]
    back = unflatten(flat, 2, 2)
    assert np.array_equal(back[0], node)
    assert np.array_equal(back[1], edge)


def test_rounding_takes_the_largest_share_and_the_smaller_state_of_equals() -> None:
    shares = flatten(np.array([[0.2, 0.8], [0.5, 0.5], [0.6, 0.4]]), np.zeros((0, 2, 2)))
    assert round_label(shares, 3, 2).tolist() == [1, 0, 0]
    assert round_label([1, 1, 0], 3, 2).tolist() == [1, 1, 0]
    assert round_label(np.array([1, 0], dtype=np.uint8), 2, 2).dtype == np.int64


def test_only_floats_are_shares() -> None:
    assert is_relaxed(np.array([0.5, 0.5]))
    assert not is_relaxed(np.array([0, 1]))
    assert not is_relaxed([1, 0])


def test_a_hard_answer_without_bounds_claims_none() -> None:
    fields = by_hand()
    answer = hard(fields, np.zeros(4, dtype=np.int64))
    assert np.isinf(answer.bound).all()
    assert answer.fractions == {}
    assert hard(fields, answer.labels, np.array([1.0, 2.0])).bound.tolist() == [1.0, 2.0]


@pytest.mark.spec("D4")
def test_a_general_field_is_a_reduced_one_plus_a_constant_on_every_labelling() -> None:
    rng = np.random.default_rng(4)
    fields = random_fields(rng, sizes=(6, 1, 5, 3), states=2)
    a, b, constant = boolean_form(fields)
    for i, field in enumerate(fields):
        nodes, edges = slice(*fields.nodes[i : i + 2]), slice(*fields.edges[i : i + 2])
        for y in map(np.array, product((0, 1), repeat=len(field.unary))):
            both = y[field.ends[:, 0]] * y[field.ends[:, 1]]
            assert constant[i] + a[nodes] @ y + b[edges] @ both == pytest.approx(score(field, y), abs=1e-9)


def test_a_field_in_reduced_form_is_its_own_reduction() -> None:
    unary, pair = np.array([[0.0, 0.4], [0.0, -0.7]]), np.array([[[0.0, 0.0], [0.0, -1.5]]])
    ends = np.array([[0, 1]])
    field = Fields(unary, np.array([0, 2]), ends, np.array([0, 1]), np.array([0]), pair)
    a, b, constant = boolean_form(field)
    assert (a.tolist(), b.tolist(), constant.tolist()) == ([0.4, -0.7], [-1.5], [0.0])


def test_more_than_two_states_do_not_reduce() -> None:
    with pytest.raises(Refused, match="the fields have 3 states; only two states reduce"):
        boolean_form(random_fields(np.random.default_rng(5)))
