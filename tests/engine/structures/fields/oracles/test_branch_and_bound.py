"""Branch and bound against enumeration, dynamic programming over columns, and enumeration in two halves."""

from itertools import product

import numpy as np
import pytest

from explorer.engine.refusals import Refused
from explorer.engine.structures.fields.fields import Fields
from explorer.engine.structures.fields.oracles.branch_and_bound import BranchAndBound
from explorer.engine.structures.fields.oracles.relaxation import Relaxation
from tests.engine.structures.fields.oracles.sample_fields import (
    Part,
    complete,
    graph_edges,
    grid_edges,
    mixed,
    optimum,
    scored,
    stacked,
)


def best_in_two_halves(field: Fields) -> float:
    """max over y and y' of f(y) + f'(y') + y' B y', for a complete binary field a_u y_u + b_uv y_u y_v."""
    m = len(field.unary)
    half = m // 2
    a, B = field.unary[:, 1], np.zeros((m, m))
    B[field.ends[:, 0], field.ends[:, 1]] = field.pair[field.table, 1, 1]
    B = B + B.T
    first, last = (np.array(list(product((0.0, 1.0), repeat=size))) for size in (half, m - half))
    own = first @ a[:half] + 0.5 * np.einsum("ku,uv,kv->k", first, B[:half, :half], first)
    other = last @ a[half:] + 0.5 * np.einsum("ku,uv,kv->k", last, B[half:, half:], last)
    return float((own[:, None] + other[None, :] + first @ B[:half, half:] @ last.T).max())


def best_by_columns(part: Part, side: int) -> float:
    """The best score of a square grid, by Viterbi over the K^side labellings of a column."""
    K = part.unary.shape[1]
    columns = np.array(list(product(range(K), repeat=side)))
    table = {(int(a), int(b)): part.pair[e] for e, (a, b) in enumerate(part.ends)}
    best = np.zeros(len(columns))
    for c in range(side):
        at = [r * side + c for r in range(side)]
        own = sum(part.unary[u][columns[:, r]] for r, u in enumerate(at))
        own = own + sum(table[at[r], at[r + 1]][columns[:, r], columns[:, r + 1]] for r in range(side - 1))
        if c:
            joint = sum(
                table[u - 1, u][columns[:, r][:, None], columns[:, r][None, :]] for r, u in enumerate(at)
            )
            best = (best[:, None] + joint).max(axis=0)
        best = best + own
    return float(best.max())


@pytest.mark.parametrize("states", [1, 2, 3, 4])
@pytest.mark.parametrize("ties", [False, True])
def test_every_labelling_is_as_good_as_the_best_enumerated(states: int, ties: bool) -> None:
    fields = mixed(np.random.default_rng(states), states, 60, 6 if states < 4 else 5, ties)
    found, best = BranchAndBound().solve(fields), optimum(fields)
    assert not found.fractions
    assert fields.scores(found.labels) == pytest.approx(best, abs=1e-9)
    assert found.bound == pytest.approx(best, abs=1e-8)
    assert np.all(found.bound >= best - 1e-12)


def test_fully_connected_binary_fields_of_20_nodes_are_solved() -> None:
    fields = complete(8, 20)
    found, looked = BranchAndBound().search(fields)
    expected = [best_in_two_halves(field) for field in fields]
    assert fields.scores(found.labels) == pytest.approx(expected, abs=1e-9)
    assert looked.max() < 2000  # of 2^20
    assert np.all(Relaxation().solve(fields).bound > found.bound + 0.5), "the relaxation alone is far off"


@pytest.mark.parametrize("side", [4, 5, 6])
def test_frustrated_grids_with_three_states_are_solved(side: int) -> None:
    rng = np.random.default_rng(side)
    parts = [scored(rng, side * side, grid_edges(side, side), 3) for _ in range(4 if side < 6 else 2)]
    parts = [Part(0.2 * part.unary, part.ends, part.pair) for part in parts]
    fields = stacked(parts)
    found = BranchAndBound().solve(fields)
    expected = [best_by_columns(part, side) for part in parts]
    assert fields.scores(found.labels) == pytest.approx(expected, abs=1e-9)
    assert found.bound == pytest.approx(expected, abs=1e-8)


def test_grids_that_mostly_want_to_agree_are_solved_with_an_island_of_doubt() -> None:
    rng = np.random.default_rng(3)
    part = scored(rng, 36, grid_edges(6, 6), 3)
    part.pair[:] = 1.5 * np.eye(3)
    for e, (a, b) in enumerate(part.ends):
        if {a, b} <= {0, 1, 6, 7}:
            part.pair[e] = (-1.0 if {a, b} != {0, 1} else 1.0) * np.eye(3)
    field = stacked([part])
    found = BranchAndBound().solve(field)
    assert field.scores(found.labels)[0] == pytest.approx(best_by_columns(part, 6), abs=1e-9)


def test_where_the_relaxation_is_tight_nothing_is_searched() -> None:
    rng = np.random.default_rng(4)
    parts = [scored(rng, 16, grid_edges(4, 4), 2) for _ in range(5)]
    fields = stacked([Part(part.unary, part.ends, np.tile(np.eye(2), (24, 1, 1))) for part in parts])
    found, looked = BranchAndBound().search(fields)
    assert looked.tolist() == [0] * 5
    assert fields.scores(found.labels) == pytest.approx(optimum(fields), abs=1e-9)


def test_a_field_that_takes_too_long_is_refused_by_number() -> None:
    rng = np.random.default_rng(5)
    all_differ = Part(
        0.1 * rng.normal(size=(9, 2)), np.array(graph_edges(rng, 9, 1.0)), -np.tile(np.eye(2), (36, 1, 1))
    )
    fields = stacked([scored(rng, 2, [(0, 1)], 2), all_differ])
    with pytest.raises(Refused, match=r"field 1 needs more than 5 subproblems; choose the fast relaxation"):
        BranchAndBound(most=5).solve(fields)
    assert BranchAndBound().solve(fields).bound == pytest.approx(optimum(fields), abs=1e-8)


def test_a_stack_is_answered_as_its_fields_alone() -> None:
    fields = complete(70, 9, seed=6)
    found = BranchAndBound().solve(fields)
    alone = [BranchAndBound().solve(field) for field in fields]
    assert np.array_equal(found.labels, np.concatenate([one.labels for one in alone]))
    assert found.bound.tolist() == [one.bound[0] for one in alone]


def test_scores_that_are_not_finite_are_refused() -> None:
    fields = mixed(np.random.default_rng(7), 2, 3)
    fields.unary[0, 0] = -np.inf
    with pytest.raises(Refused, match="field 0, node 0"):
        BranchAndBound().solve(fields)
