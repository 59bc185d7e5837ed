"""Graph cut against enumeration, a linear program, and cuts counted by hand."""

import numpy as np
import pytest
from scipy.optimize import linprog

from explorer.engine.refusals import Refused
from explorer.engine.structures.fields.fields import Fields
from explorer.engine.structures.fields.oracles.graph_cut import GraphCut, cut_of
from tests.engine.structures.fields.oracles.sample_fields import (
    Array,
    Part,
    every,
    graph_edges,
    grid_edges,
    mixed,
    optimum,
    own_labels,
    scored,
    stacked,
)


def attracting(part: Part) -> Part:
    """The same field with pair[1, 1] raised where an edge repels, so that it attracts as much."""
    pull = part.pair[:, 0, 0] + part.pair[:, 1, 1] - part.pair[:, 0, 1] - part.pair[:, 1, 0]
    pair = part.pair.copy()
    pair[:, 1, 1] += np.where(pull < 0, -2 * pull, 0.0)
    return part._replace(pair=pair)


def submodular(seed: int, n: int = 60, most: int = 8, ties: bool = False) -> Fields:
    """Random graphs of all densities whose edges attract."""
    rng, parts = np.random.default_rng(seed), []
    for _ in range(n):
        m = int(rng.integers(1, most + 1))
        parts.append(
            attracting(scored(rng, m, graph_edges(rng, m, rng.choice([0.0, 0.3, 0.6, 1.0])), 2, ties))
        )
    return stacked(parts)


def by_linear_program(field: Fields) -> float:
    """The largest score in the local polytope: shares of every node's states and of every edge's pairs of
    states.
    """
    m, e = len(field.unary), len(field.ends)
    rows, right = np.zeros((m + 4 * e, 2 * m + 4 * e)), np.zeros(m + 4 * e)
    for u in range(m):
        rows[u, 2 * u : 2 * u + 2], right[u] = 1.0, 1.0
    for k, (a, b) in enumerate(field.ends):
        for s in range(2):
            first, second = m + 4 * k + s, m + 4 * k + 2 + s
            rows[first, 2 * m + 4 * k + 2 * s + np.arange(2)], rows[first, 2 * a + s] = 1.0, -1.0
            rows[second, 2 * m + 4 * k + s + 2 * np.arange(2)], rows[second, 2 * b + s] = 1.0, -1.0
    scores = np.concatenate([field.unary.ravel(), field.pair[field.table].ravel()])
    return float(-linprog(-scores, A_eq=rows, b_eq=right, bounds=(0, 1)).fun)


@pytest.mark.spec("A40")
def test_on_submodular_grids_graph_cut_enumeration_and_linear_program_agree() -> None:
    rng = np.random.default_rng(40)
    fields = stacked([attracting(scored(rng, 16, grid_edges(4, 4), 2)) for _ in range(20)])
    found = GraphCut().solve(fields)
    assert fields.scores(found.labels) == pytest.approx(optimum(fields), abs=1e-9)
    assert [by_linear_program(field) for field in fields] == pytest.approx(optimum(fields), abs=1e-7)


@pytest.mark.parametrize("ties", [False, True])
def test_it_finds_the_best_labelling_of_any_submodular_field(ties: bool) -> None:
    fields = submodular(1, n=150, ties=ties)
    found = GraphCut().solve(fields)
    best = optimum(fields)
    assert fields.scores(found.labels) == pytest.approx(best, abs=1e-9)
    assert found.bound == pytest.approx(best, abs=1e-9)
    assert found.fractions == {}


def test_of_equal_labellings_it_answers_the_one_with_the_most_zeros() -> None:
    fields = submodular(2, n=100, most=6, ties=True)
    for field, y in zip(fields, own_labels(fields, GraphCut().solve(fields).labels), strict=True):
        rows, scores = every(field)
        assert y.tolist() == rows[scores == scores.max()].min(axis=0).tolist()


def test_fields_may_share_a_table_and_batches_answer_as_single_fields_do() -> None:
    rng = np.random.default_rng(3)
    fields = submodular(3, n=90)
    shared = Fields(
        fields.unary,
        fields.nodes,
        fields.ends,
        fields.edges,
        rng.integers(0, 2, len(fields.ends)),
        np.array([[[0.5, -0.5], [-0.2, 0.4]], [[0.0, 0.0], [0.0, 0.9]]]),
    )
    found = GraphCut().solve(shared)
    assert fields.scores(GraphCut().solve(fields).labels) == pytest.approx(optimum(fields), abs=1e-9)
    assert shared.scores(found.labels) == pytest.approx(optimum(shared), abs=1e-9)
    alone = [GraphCut().solve(field).labels for field in shared]
    assert np.array_equal(found.labels, np.concatenate(alone))


def test_more_than_two_states_are_refused() -> None:
    for states in (1, 3):
        reason = GraphCut().refuses(mixed(np.random.default_rng(4), states))
        assert reason is not None
        assert f"have {states} states" in reason
        assert "alpha-expansion" in reason


def test_an_edge_that_repels_is_refused_by_name() -> None:
    apart = np.array([[0.0, 1.5], [0.0, 1.0]])
    good = Part(np.zeros((2, 2)), np.array([[0, 1]]), np.eye(2)[None])
    bad = Part(np.zeros((3, 2)), np.array([[0, 1], [2, 1]]), np.stack([np.eye(2), apart]))
    fields = stacked([good, bad])
    assert GraphCut().refuses(fields) == (
        "field 1, edge 1 between nodes 2 and 1, repels: equal states score 0.5 less than different ones, so "
        "the field is "
        "not submodular; use roof duality, or branch and bound, or learn attractive pairwise weights"
    )
    with pytest.raises(Refused, match="field 1, edge 1"):
        GraphCut().solve(fields)
    assert GraphCut().refuses(fields.one(0)) is None


def repelling(strength: float = 1.0) -> Array:
    """One table that scores different states."""
    return strength * np.array([[[0.0, 1.0], [1.0, 0.0]]])


def test_rounding_is_no_reason_to_refuse() -> None:
    unary, ends, pair = (
        np.array([[0.0, 1.0], [0.0, 1.0]]),
        np.array([[0, 1]]),
        np.array([[[100.0, 100.0], [0.0, 0.0]]]),
    )
    nearly = stacked([Part(unary, ends, pair + repelling(1e-10))])
    assert GraphCut().refuses(nearly) is None
    assert GraphCut().solve(nearly).labels.tolist() == [0, 1]
    assert GraphCut().refuses(stacked([Part(unary, ends, pair + repelling(1e-6))])) is not None


def test_scores_that_are_not_finite_are_refused() -> None:
    fields = submodular(5, n=3)
    fields.unary[fields.nodes[2], 1] = np.inf
    assert GraphCut().refuses(fields) == "field 2, node 0, has a score that is not finite; give finite scores"
    pair = np.array([[[np.nan, 0.0], [0.0, 0.0]]])
    field = stacked([Part(np.zeros((2, 2)), np.array([[0, 1]]), pair)])
    assert "table 0" in (GraphCut().refuses(field) or "")


def test_the_cut_of_two_nodes_is_the_one_calculated_by_hand() -> None:
    # Node 0 gains 3 by state 0, node 1 gains 1 by state 1, and equal states gain 2: the arc between them has
    # capacity 2
    # each way, so one unit flows and both nodes stay with the source.
    field = stacked([Part(np.array([[3.0, 0.0], [0.0, 1.0]]), np.array([[0, 1]]), 2.0 * np.eye(2)[None])])
    cut = cut_of(field)
    assert cut.labels.tolist() == [0, 0]
    assert (cut.flow, cut.constant) == (1.0, 6.0)
    assert cut.terminal.tolist() == [3.0, -1.0]
    assert cut.terminal_left.tolist() == [2.0, 0.0]
    assert cut.capacity.tolist() == [2.0]
    assert cut.left.tolist() == [[1.0, 3.0]]


def test_a_drawn_cut_has_the_capacity_of_its_flow_and_no_arc_left_across_it() -> None:
    fields = submodular(6, n=40)
    best = optimum(fields)
    for i, field in enumerate(fields):
        cut = cut_of(field)
        a, b = cut.labels[field.ends[:, 0]], cut.labels[field.ends[:, 1]]
        crossing = cut.capacity[a != b].sum()
        at_terminals = cut.terminal[(cut.labels == 1) & (cut.terminal > 0)].sum()
        at_terminals -= cut.terminal[(cut.labels == 0) & (cut.terminal < 0)].sum()
        assert cut.flow == pytest.approx(crossing + at_terminals, abs=1e-9)
        assert cut.constant - cut.flow == pytest.approx(best[i], abs=1e-9)
        across = np.concatenate([cut.left[(a == 0) & (b == 1), 0], cut.left[(a == 1) & (b == 0), 1]])
        assert across == pytest.approx(np.zeros(len(across)), abs=1e-12)
        assert cut.left.sum(axis=1) == pytest.approx(2 * cut.capacity, abs=1e-12)


def test_a_field_that_graph_cut_refuses_has_no_cut_to_draw() -> None:
    with pytest.raises(Refused, match="repels"):
        cut_of(stacked([Part(np.zeros((2, 2)), np.array([[0, 1]]), repelling())]))
