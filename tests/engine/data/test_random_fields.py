"""Random fields for studies of inference: form, shape, signs and the two named instances."""

from itertools import product

import networkx as nx
import numpy as np
import pytest

from explorer.engine.data.random_fields import (
    frustrated_triangle,
    patch_truth,
    patches,
    random_field,
    random_fields,
)
from explorer.engine.refusals import Refused
from explorer.engine.structures.fields.fields import boolean_form, flatten


def test_two_free_states_score_only_what_is_on() -> None:
    fields = random_fields(3, 10)
    a, b, constant = boolean_form(fields)
    assert (len(fields), fields.states, len(fields.pair)) == (3, 2, 3 * 45)
    assert np.array_equal(fields.unary, np.stack([np.zeros(30), a], axis=1))
    assert np.array_equal(fields.pair[:, 1, 1], b)
    assert np.count_nonzero(fields.pair.reshape(-1, 4)[:, :3]) == 0
    assert np.array_equal(constant, np.zeros(3))
    assert np.array_equal(fields.scores(np.zeros(30, dtype=np.int64)), np.zeros(3)), (
        "nothing on scores nothing"
    )


@pytest.mark.parametrize(("kind", "deviation"), [("uniform", 1 / np.sqrt(3)), ("normal", 1.0)])
def test_scores_have_the_distribution_that_is_asked_for(kind: str, deviation: float) -> None:
    a, b, _ = boolean_form(random_fields(400, 10, kind=kind, seed=1))
    for drawn in (a, b):
        assert drawn.mean() == pytest.approx(0.0, abs=4 * deviation / np.sqrt(len(drawn)))
        assert drawn.std() == pytest.approx(deviation, abs=0.03)
    if kind == "uniform":
        assert max(np.abs(a).max(), np.abs(b).max()) <= 1.0
        assert np.abs(b).max() > 0.99


@pytest.mark.parametrize(
    ("edges", "same"),
    [
        ("complete", nx.complete_graph(12)),
        ("grid", nx.grid_2d_graph(3, 4)),
        ("cycle", nx.cycle_graph(12)),
    ],
)
def test_the_edges_have_the_shape_that_is_asked_for(edges: str, same: nx.Graph) -> None:
    field = random_field(12, edges=edges)
    assert nx.is_isomorphic(nx.Graph(field.ends.tolist()), same)


def test_every_tree_is_a_tree_and_another_one() -> None:
    fields = random_fields(20, 9, states=3, edges="tree")
    assert all(nx.is_tree(nx.Graph(field.ends.tolist())) for field in fields)
    assert len({field.ends.tobytes() for field in fields}) > 15
    assert len(random_field(1, edges="tree").ends) == 0


def test_attraction_is_the_share_of_attracting_edges() -> None:
    for share in (0.0, 0.3, 1.0):
        _, b, _ = boolean_form(random_fields(100, 10, attraction=share))
        assert np.mean(b > 0) == pytest.approx(share, abs=0.03)
        assert np.abs(b).mean() == pytest.approx(0.5, abs=0.02)


def test_potts_couplings_reward_or_punish_agreement_alone() -> None:
    field = random_fields(5, 8, states=4, coupling=0.7, attraction=0.5, edges="cycle", seed=2)
    plus = field.pair[:, 0, 0] > 0
    assert 0 < plus.sum() < 40
    assert np.array_equal(field.pair, np.where(plus, 0.7, -0.7)[:, None, None] * np.eye(4))
    assert (random_field(8, states=4, coupling=0.7).pair[:, 0, 0] == 0.7).all()


def test_more_free_states_have_full_tables() -> None:
    field = random_field(6, states=3)
    assert field.pair.shape == (15, 3, 3)
    assert np.count_nonzero(field.pair) == 135
    assert np.count_nonzero(field.unary) == 18


def test_the_seed_decides_everything() -> None:
    first, again, other = (random_field(7, seed=seed) for seed in (3, 3, 4))
    assert np.array_equal(first.pair, again.pair)
    assert np.array_equal(first.unary, again.unary)
    assert not np.array_equal(first.unary, other.unary)


def test_patches_are_constant_squares_seen_through_unit_noise() -> None:
    truth = patch_truth(np.random.default_rng(5), 20, 17, 4)
    assert truth.shape == (20, 17)
    for row, column in product(range(0, 20, 8), range(0, 17, 8)):
        assert len(np.unique(truth[row : row + 8, column : column + 8])) == 1
    field = patches(20, 17, 4, seed=5)
    noise = field.unary - np.eye(4)[truth.ravel()]
    assert noise.mean() == pytest.approx(0.0, abs=0.1)
    assert noise.std() == pytest.approx(1.0, abs=0.05)
    assert np.array_equal(field.pair, 0.6 * np.eye(4)[None])
    assert len(field.ends) == 19 * 17 + 20 * 16


def test_the_frustrated_triangle_always_disappoints_one_edge_unless_nodes_may_be_split() -> None:
    field = frustrated_triangle()
    scores = [field.scores(np.array(y))[0] for y in product((0, 1), repeat=3)]
    assert max(scores) == -1.0
    assert min(scores) == -3.0
    half = flatten(np.full((3, 2), 0.5), np.tile([[0.0, 0.5], [0.5, 0.0]], (3, 1, 1)))
    assert field.relaxed_score(0, half) == 0.0


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (lambda: random_field(7, edges="grid"), "m is 7; a grid has rows times columns cells, choose 6 or 8"),
        (lambda: random_field(2, edges="cycle"), "a cycle needs at least 3 nodes"),
        (lambda: random_field(3, edges="star"), "edges is 'star'; choose one of complete, grid, cycle, tree"),
        (lambda: random_field(3, kind="cauchy"), "kind is 'cauchy'; choose one of uniform, normal"),
        (lambda: random_field(0), "1 fields of 0 nodes with 2 states are none"),
        (lambda: random_field(3, attraction=1.5), "attraction is 1.5; it is a share of the edges"),
        (
            lambda: random_field(3, states=3, attraction=0.5),
            "neither attract nor repel; give a coupling, or two states",
        ),
        (lambda: random_field(3, coupling=-1.0), "coupling is -1.0; choose 0 or more"),
        (lambda: patches(0, 4, 2), "0 rows, 4 columns and 2 states make no field"),
    ],
)
def test_impossible_fields_are_refused(made: object, said: str) -> None:
    with pytest.raises(Refused, match=said):
        made()  # type: ignore[operator]
