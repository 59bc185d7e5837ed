"""The linear program against enumeration, all half-integral points, and hand calculation."""

from itertools import product

import numpy as np
import pytest

from explorer.engine.refusals import Refused
from explorer.engine.structures.fields.fields import Fields, Solved, unflatten
from explorer.engine.structures.fields.oracles.graph_cut import GraphCut
from explorer.engine.structures.fields.oracles.linear_program import LinearProgram
from tests.engine.structures.fields.kernels.one_field import infeasible
from tests.engine.structures.fields.oracles.sample_fields import (
    Array,
    Part,
    complete,
    every,
    grid_edges,
    mixed,
    optimum,
    own_labels,
    scored,
    stacked,
    tree_edges,
)


def on_shares(fields: Fields, found: Solved) -> list[Array]:
    """The share of state 1 of every node of binary fields."""
    parts = [y.astype(float) for y in own_labels(fields, found.labels)]
    for i, shares in found.fractions.items():
        parts[i] = unflatten(shares, len(parts[i]), 2)[0][:, 1]
    return parts


def best_half_integral(field: Fields) -> float:
    """The best of all 3^l points of sum a_u y_u + sum b_uv y_uv, where y_uv is the best that y_u and y_v
    allow.
    """
    y = np.array(list(product((0.0, 0.5, 1.0), repeat=len(field.unary))))
    total = y @ field.unary[:, 1]
    for (u, v), b in zip(field.ends, field.pair[field.table, 1, 1], strict=True):
        joint = np.minimum(y[:, u], y[:, v]) if b >= 0.0 else np.maximum(0.0, y[:, u] + y[:, v] - 1.0)
        total += b * joint
    return float(total.max())


@pytest.mark.spec("D9")
def test_of_400_binary_problems_all_are_half_integral_and_none_is_below_the_best_labelling() -> None:
    fields = complete(400, 7)
    found, best = LinearProgram().solve(fields), optimum(fields)
    assert np.all(found.bound >= best - 1e-9)
    for share in on_shares(fields, found):
        assert np.all(np.isin(share, (0.0, 0.5, 1.0)))
    assert 0 < len(found.fractions) < 400


@pytest.mark.spec("D9")
@pytest.mark.parametrize("labels", [4, 6, 8])
def test_the_optimum_is_the_best_of_all_half_integral_points(labels: int) -> None:
    fields = complete(25, labels, seed=labels)
    expected = [best_half_integral(field) for field in fields]
    assert LinearProgram().solve(fields).bound == pytest.approx(expected, abs=1e-6)


@pytest.mark.spec("A39")
def test_a_grid_of_12_by_12_with_three_states_has_2808_variables_and_1728_equalities() -> None:
    grid = stacked([scored(np.random.default_rng(0), 144, grid_edges(12, 12), 3)])
    program = LinearProgram().program(grid)
    assert (program.variables, program.equalities) == (2808, 1728)
    assert program.rows.shape == (1728, 2808)
    assert program.rows.nnz == 144 * 3 + 264 * (2 * 9 + 2 * 3)


@pytest.mark.spec("A39")
def test_on_random_trees_it_is_whole_and_the_best_labelling() -> None:
    rng = np.random.default_rng(1)
    fields = stacked([scored(rng, m, tree_edges(rng, m, 0.9), 3) for m in (1, 2, 3, 5, 6, 7, 7, 7)])
    found = LinearProgram().solve(fields)
    assert not found.fractions
    assert fields.scores(found.labels) == pytest.approx(optimum(fields), abs=1e-9)
    assert found.bound == pytest.approx(optimum(fields), abs=1e-9)


@pytest.mark.spec("A39")
def test_a_frustrated_triangle_costs_nothing_at_all_halves_and_one_when_whole() -> None:
    ends = np.array([(0, 1), (1, 2), (2, 0)])
    triangle = stacked([Part(np.zeros((3, 2)), ends, -np.tile(np.eye(2), (3, 1, 1)))])
    value, node, edge = LinearProgram().vertex(triangle)
    assert -value == pytest.approx(0.0, abs=1e-12)
    assert np.all(node == 0.5)
    assert edge.tolist() == [[[0.0, 0.5], [0.5, 0.0]]] * 3
    assert -optimum(triangle)[0] == 1.0
    assert (
        -triangle.scores(LinearProgram(round=True).solve(triangle).labels)[0] == 3.0
    )  # all halves round to state 0


@pytest.mark.spec("A40")
def test_submodular_binary_grids_are_whole_and_as_good_as_enumeration_and_graph_cut() -> None:
    rng = np.random.default_rng(2)
    parts = []
    for _ in range(20):
        part = scored(rng, 16, grid_edges(4, 4), 2)
        pull = part.pair[:, 0, 0] + part.pair[:, 1, 1] - part.pair[:, 0, 1] - part.pair[:, 1, 0]
        part.pair[:, 0, 1] -= np.maximum(-pull, 0.0)
        parts.append(part)
    fields = stacked(parts)
    found, best = LinearProgram().solve(fields), optimum(fields)
    assert not found.fractions
    assert fields.scores(found.labels) == pytest.approx(best, abs=1e-6)
    assert found.bound == pytest.approx(best, abs=1e-6)
    assert fields.scores(GraphCut().solve(fields).labels) == pytest.approx(best, abs=1e-6)


@pytest.mark.parametrize("states", [1, 2, 3])
def test_answers_are_points_of_the_polytope_that_score_the_bound(states: int) -> None:
    fields = mixed(np.random.default_rng(states), states, 30)
    found, best = LinearProgram().solve(fields), optimum(fields)
    assert np.all(found.bound >= best - 1e-9)
    for i in range(len(fields)):
        if i in found.fractions:
            node, edge = unflatten(found.fractions[i], len(fields.one(i).unary), states)
            assert infeasible(fields.one(i).ends, node, edge) < 1e-9
            assert fields.relaxed_score(i, found.fractions[i]) == pytest.approx(found.bound[i], abs=1e-9)
            assert found.bound[i] > best[i]
        else:
            assert fields.scores(found.labels)[i] == pytest.approx(best[i], abs=1e-9)


def test_rounded_answers_are_the_largest_shares_with_the_same_bound() -> None:
    fields = complete(20, 8)
    soft, whole = LinearProgram().solve(fields), LinearProgram(round=True).solve(fields)
    assert soft.fractions
    assert not whole.fractions
    assert np.array_equal(soft.labels, whole.labels)
    assert np.array_equal(soft.bound, whole.bound)
    for i, shares in soft.fractions.items():
        node = unflatten(shares, 8, 2)[0]
        assert np.array_equal(own_labels(fields, whole.labels)[i], node.argmax(axis=1))


def test_best_labellings_satisfy_the_program() -> None:
    field = mixed(np.random.default_rng(6), 3, 1, 5)
    program = LinearProgram().program(field)
    rows, scores = every(field)
    for y, score in zip(rows[:30], scores, strict=False):
        joint = np.zeros((len(field.ends), 3, 3))
        joint[np.arange(len(joint)), y[field.ends[:, 0]], y[field.ends[:, 1]]] = 1.0
        x = np.concatenate([np.eye(3)[y].ravel(), joint.ravel()])
        assert program.rows @ x == pytest.approx(program.right)
        assert program.scores @ x == pytest.approx(score)


def test_scores_that_are_not_finite_are_refused_by_node() -> None:
    fields = mixed(np.random.default_rng(7), 2, 3)
    fields.unary[fields.nodes[2]] = np.inf
    with pytest.raises(Refused, match="field 2, node 0, has a score that is not finite"):
        LinearProgram().solve(fields)
