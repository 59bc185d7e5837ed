"""Roof duality against enumeration, all half-integral points, and a linear program."""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog

from explorer.engine.refusals import Refused
from explorer.engine.structures.fields.fields import Fields, kind_of, unflatten
from explorer.engine.structures.fields.oracles.graph_cut import GraphCut
from explorer.engine.structures.fields.oracles.roof_duality import FILLS, RoofDuality
from tests.engine.structures.fields.oracles.sample_fields import (
    Array,
    Part,
    complete,
    every,
    mixed,
    optimum,
    own_labels,
    stacked,
)


def shares_of_all(fields: Fields) -> list[Array]:
    """The share of state 1, that is 0, 1/2 or 1, of every node of every field."""
    found = RoofDuality().solve(fields)
    parts = [y.astype(float) for y in own_labels(fields, found.labels)]
    for i, shares in found.fractions.items():
        parts[i] = unflatten(shares, len(parts[i]), 2)[0][:, 1]
    return parts


def relaxation(field: Fields) -> tuple[float, Array]:
    """Finley's program: y_u >= y_uv, y_v >= y_uv, y_u + y_v <= 1 + y_uv, for scores a_u y_u + b_uv y_u y_v
    alone.
    """
    m, e = len(field.unary), len(field.ends)
    rows, right = np.zeros((3 * e, m + e)), np.zeros(3 * e)
    for k, (a, b) in enumerate(field.ends):
        rows[3 * k, [m + k, a]] = rows[3 * k + 1, [m + k, b]] = 1.0, -1.0
        rows[3 * k + 2, [a, b, m + k]], right[3 * k + 2] = (1.0, 1.0, -1.0), 1.0
    scores = np.concatenate([field.unary[:, 1], field.pair[field.table, 1, 1]])
    found = linprog(-scores, A_ub=rows, b_ub=right, bounds=(0, 1))
    return float(-found.fun), found.x[:m]


def half_integral(field: Fields) -> tuple[Array, Array]:
    """All 3^m points and their scores; at given nodes an edge is on by min(y_u, y_v) or by max(0, y_u + y_v -
    1).
    """
    y = np.array(list(product((0.0, 0.5, 1.0), repeat=len(field.unary))))
    total = y @ field.unary[:, 1] + (1.0 - y) @ field.unary[:, 0]
    for (a, b), t in zip(field.ends, field.table, strict=True):
        (p, q), (r, s) = field.pair[t]
        both = np.stack([np.minimum(y[:, a], y[:, b]), np.maximum(0.0, y[:, a] + y[:, b] - 1.0)])
        total += p + (r - p) * y[:, a] + (q - p) * y[:, b] + ((p + s - q - r) * both).max(axis=0)
    return y, total


def agrees_with_a_best_labelling(field: Fields, y: Array) -> bool:
    """Persistence: some best labelling has all unambiguous nodes as they are in y."""
    rows, scores = every(field)
    best = rows[scores >= scores.max() - 1e-9]
    return bool(np.any(np.all((best == y) | (y == 0.5), axis=1)))


@pytest.mark.spec("D10")
def test_the_bound_is_the_optimum_of_the_linear_program_and_so_are_the_ambiguous_nodes() -> None:
    for m in (4, 7, 10):
        fields = complete(25, m, seed=m)
        bound, y = RoofDuality().solve(fields).bound, shares_of_all(fields)
        for i, field in enumerate(fields):
            value, nodes = relaxation(field)
            assert bound[i] == pytest.approx(value, abs=1e-7)
            assert y[i] == pytest.approx(nodes, abs=1e-6)


@pytest.mark.spec("D10")
def test_random_problems_are_ambiguous_as_often_as_published() -> None:
    ten, eighteen = complete(1000, 10), complete(200, 18)
    assert np.mean(np.concatenate(shares_of_all(ten)) == 0.5) == pytest.approx(0.57, abs=0.06)
    assert np.mean(np.concatenate(shares_of_all(eighteen)) == 0.5) > 0.95


@pytest.mark.spec("D11")
def test_every_unambiguous_label_agrees_with_some_best_labelling() -> None:
    fields = complete(1000, 10, seed=11)
    failures = [
        not agrees_with_a_best_labelling(f, y) for f, y in zip(fields, shares_of_all(fields), strict=True)
    ]
    assert sum(failures) == 0


@pytest.mark.spec("D12")
def test_problems_without_repulsion_have_no_ambiguous_node_and_are_solved() -> None:
    fields = complete(200, 10, seed=12)
    fields.pair[:, 1, 1] = np.abs(fields.pair[:, 1, 1])
    found = RoofDuality().solve(fields)
    assert found.fractions == {}
    assert fields.scores(found.labels) == pytest.approx(optimum(fields), abs=1e-9)
    assert found.bound == pytest.approx(optimum(fields), abs=1e-9)


@pytest.mark.parametrize("ties", [False, True])
def test_on_any_binary_field_the_bound_is_the_best_half_integral_point(ties: bool) -> None:
    fields = mixed(np.random.default_rng(1), 2, n=120, most=7, ties=ties)
    assert RoofDuality().solve(fields).bound == pytest.approx(
        [half_integral(f)[1].max() for f in fields], abs=1e-9
    )


@pytest.mark.parametrize("ties", [False, True])
def test_fractional_answers_lie_in_the_local_polytope_and_attain_the_bound(ties: bool) -> None:
    fields = mixed(np.random.default_rng(2), 2, n=120, most=9, ties=ties)
    found = RoofDuality().solve(fields)
    assert found.fractions, "some of these fields are ambiguous"
    for i, shares in found.fractions.items():
        field = fields.one(i)
        node, edge = unflatten(shares, len(field.unary), 2)
        assert np.any(node == 0.5)
        assert np.all(edge >= 0.0)
        assert np.array_equal(edge.sum(axis=2), node[field.ends[:, 0]])
        assert np.array_equal(edge.sum(axis=1), node[field.ends[:, 1]])
        assert fields.relaxed_score(i, shares) == pytest.approx(found.bound[i], rel=1e-9, abs=1e-9)
    whole = [i for i in range(len(fields)) if i not in found.fractions]
    assert fields.scores(found.labels)[whole] == pytest.approx(found.bound[whole], rel=1e-9, abs=1e-9)
    assert np.all(found.bound >= optimum(fields) - 1e-9)


def test_persistence_holds_with_ties_and_no_best_point_has_fewer_ambiguous_nodes() -> None:
    fields = mixed(np.random.default_rng(3), 2, n=150, most=6, ties=True)
    for field, y in zip(fields, shares_of_all(fields), strict=True):
        assert agrees_with_a_best_labelling(field, y)
        points, scores = half_integral(field)
        halves = np.sum(points[scores > scores.max() - 1e-9] == 0.5, axis=1)
        assert np.sum(y == 0.5) == halves.min()


def test_submodular_fields_with_ties_are_answered_as_by_graph_cut_in_score() -> None:
    fields = mixed(np.random.default_rng(4), 2, n=200, ties=True)
    pull = fields.pair[:, 0, 0] + fields.pair[:, 1, 1] - fields.pair[:, 0, 1] - fields.pair[:, 1, 0]
    fields.pair[:, 0, 0] += np.maximum(0.0, -pull)
    found = RoofDuality().solve(fields)
    assert found.fractions == {}
    assert fields.scores(found.labels).tolist() == fields.scores(GraphCut().solve(fields).labels).tolist()


def frustrated(n: int = 1) -> Fields:
    """Triangles whose edges all repel, each node wanting to be on as much as two edges cost: all
    ambiguous.
    """
    pair = np.zeros((3, 2, 2))
    pair[:, 1, 1] = -1.0
    one = Part(np.array([[0.0, 0.9]] * 3), np.array([[0, 1], [0, 2], [1, 2]]), pair)
    return stacked([one] * n)


def test_a_frustrated_triangle_is_half_on_everywhere() -> None:
    # Three halves cost no edge and gain 1.35; the best labelling has one node on and gains 0.9.
    found = RoofDuality().solve(frustrated())
    assert found.bound.tolist() == pytest.approx([1.35], abs=1e-12)
    node, edge = unflatten(found.fractions[0], 3, 2)
    assert node.tolist() == [[0.5, 0.5]] * 3
    assert edge.tolist() == [[[0.0, 0.5], [0.5, 0.0]]] * 3
    assert found.labels.tolist() == [0, 0, 0]


def test_ambiguous_nodes_are_filled_as_asked_for() -> None:
    fields = frustrated(100)
    zeros = RoofDuality(fill="zeros").solve(fields)
    assert zeros.labels.tolist() == [0] * 300
    drawn = [RoofDuality(fill="seeded random", seed=seed).solve(fields) for seed in (0, 0, 1)]
    assert drawn[0].labels.tolist() == drawn[1].labels.tolist()
    assert drawn[0].labels.tolist() != drawn[2].labels.tolist()
    assert 0.4 < np.mean(drawn[0].labels) < 0.6
    for found in (zeros, *drawn):
        assert found.fractions == {}
        assert found.bound == pytest.approx(np.full(100, 1.35), abs=1e-12)


def test_filling_leaves_unambiguous_nodes_as_they_are() -> None:
    fields = complete(100, 8, seed=5)
    half, filled = (
        np.concatenate(shares_of_all(fields)),
        RoofDuality(fill="seeded random", seed=3).solve(fields).labels,
    )
    assert np.array_equal(filled[half != 0.5], half[half != 0.5].astype(np.int64))
    assert np.any(half != 0.5)


def test_it_over_generates_unless_it_is_told_to_fill() -> None:
    assert RoofDuality.kind == "over"
    assert [kind_of(RoofDuality(fill=fill)) for fill in FILLS] == ["over", "under", "under"]


def test_a_batch_answers_as_single_fields_do() -> None:
    fields = mixed(np.random.default_rng(6), 2, n=90, ties=True)
    whole = RoofDuality().solve(fields)
    for i, field in enumerate(fields):
        alone = RoofDuality().solve(field)
        assert alone.labels.tolist() == own_labels(fields, whole.labels)[i].tolist()
        assert alone.bound[0] == whole.bound[i]
        assert (0 in alone.fractions) == (i in whole.fractions)
        if 0 in alone.fractions:
            assert np.array_equal(alone.fractions[0], whole.fractions[i])


def test_what_it_cannot_take_is_refused_with_the_fix() -> None:
    three = mixed(np.random.default_rng(7), 3)
    assert "linear programming" in (RoofDuality().refuses(three) or "")
    with pytest.raises(Refused, match="3 states"):
        RoofDuality().solve(three)
    with pytest.raises(Refused, match="choose one of half"):
        RoofDuality(fill="ones")
