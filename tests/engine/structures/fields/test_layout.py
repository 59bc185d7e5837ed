"""Layouts: which weight a pair of states uses, scores by hand, and two directions that are each other's
adjoint.
"""

import numpy as np
import pytest
from scipy.sparse import csr_array

from explorer.engine.structures.fields.label_map import BOTH_ON
from explorer.engine.structures.fields.layout import FULL, NONE, SYMMETRIC, FieldLayout, slots
from explorer.engine.vectors import Array, dense


def test_slots_are_all_different_shared_or_none() -> None:
    assert slots(2, FULL).tolist() == [[0, 1], [2, 3]]
    assert slots(3, SYMMETRIC).tolist() == [[0, 1, 2], [1, 3, 4], [2, 4, 5]]
    assert slots(2, NONE).tolist() == [[-1, -1], [-1, -1]]
    assert slots(1, FULL).tolist() == [[0]]


@pytest.mark.parametrize("states", [1, 2, 3, 5])
def test_symmetric_slots_number_the_unordered_pairs(states: int) -> None:
    found = slots(states, SYMMETRIC)
    assert np.array_equal(found, found.T)
    assert sorted(set(found.ravel().tolist())) == list(range(states * (states + 1) // 2))


def graph_layout(
    tie: str = FULL, marks: int = 0, states: int = 3, stored: bool = False, seed: int = 0
) -> FieldLayout:
    """A path of three nodes, a lonely node and a pair, two features each."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(6, 2))
    return FieldLayout(
        rows=csr_array(rows) if stored else rows,
        shared_row=False,
        states=states,
        nodes=np.array([0, 3, 4, 6]),
        ends=np.array([[0, 1], [2, 1], [0, 1]]),
        edges=np.array([0, 2, 2, 3]),
        table=np.arange(3) if marks else np.zeros(3, np.int64),
        marks=rng.normal(size=(3, marks)) if marks else None,
        tables=marks or 1,
        slot=slots(states, tie),
    )


def label_layout(stored: bool = False, seed: int = 0) -> FieldLayout:
    """Two rows of four features with three labels, two of whose pairs are joined."""
    rows = np.random.default_rng(seed).normal(size=(2, 4))
    return FieldLayout(
        rows=csr_array(rows) if stored else rows,
        shared_row=True,
        states=2,
        nodes=np.array([0, 3, 6]),
        ends=np.array([[0, 1], [1, 2]] * 2),
        edges=np.array([0, 2, 4]),
        table=np.array([0, 1, 0, 1]),
        marks=None,
        tables=2,
        slot=BOTH_ON,
    )


LAYOUTS = {
    "full": graph_layout(),
    "symmetric": graph_layout(SYMMETRIC),
    "none": graph_layout(NONE),
    "marks": graph_layout(marks=2),
    "symmetric marks": graph_layout(SYMMETRIC, marks=3, states=2),
    "sparse graph": graph_layout(stored=True),
    "labels": label_layout(),
    "sparse labels": label_layout(stored=True),
}
every_layout = pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)


@pytest.mark.parametrize(
    ("name", "dim"),
    [
        ("full", 6 + 9),
        ("symmetric", 6 + 6),
        ("none", 6),
        ("marks", 6 + 18),
        ("symmetric marks", 4 + 9),
        ("labels", 14),
    ],
)
def test_the_dimension_is_that_of_unary_and_pair_blocks(name: str, dim: int) -> None:
    assert LAYOUTS[name].dim == dim


def test_scores_of_nodes_and_edges_are_those_of_a_hand_calculation() -> None:
    layout = graph_layout(marks=2)
    assert layout.marks is not None
    w = np.random.default_rng(1).normal(size=layout.dim)
    W, P = w[:6].reshape(2, 3), w[6:].reshape(2, 3, 3)
    unary, pair = layout.scores(w)
    assert unary == pytest.approx(layout.rows @ W)
    assert pair == pytest.approx(np.array([mark[0] * P[0] + mark[1] * P[1] for mark in layout.marks]))


def test_symmetric_weights_score_both_directions_alike() -> None:
    layout = graph_layout(SYMMETRIC)
    _, pair = layout.scores(np.arange(12.0))
    assert pair[0].tolist() == [[6, 7, 8], [7, 9, 10], [8, 10, 11]]


def test_labels_that_are_off_score_nothing() -> None:
    layout = label_layout()
    w = np.random.default_rng(2).normal(size=layout.dim)
    unary, pair = layout.scores(w)
    assert np.array_equal(unary[:, 0], np.zeros(6))
    assert unary[:, 1] == pytest.approx((layout.rows @ w[:12].reshape(4, 3)).ravel())
    assert pair.tolist() == [[[0, 0], [0, w[12]]], [[0, 0], [0, w[13]]]]


@every_layout
def test_gathering_is_the_adjoint_of_scoring(layout: FieldLayout) -> None:
    rng = np.random.default_rng(3)
    for _ in range(3):
        w = rng.normal(size=layout.dim)
        unary, pair = layout.scores(w)
        node, joint = rng.normal(size=unary.shape), rng.normal(size=pair.shape)
        scored = float(np.sum(unary * node) + np.sum(pair * joint))
        assert w @ dense(layout.gather(node, joint)) == pytest.approx(scored, abs=1e-9)


@every_layout
def test_a_part_has_the_scores_of_its_examples(layout: FieldLayout) -> None:
    w = np.random.default_rng(4).normal(size=layout.dim)
    unary, pair = layout.scores(w)

    def edge_scores(part: FieldLayout, tables: Array) -> Array:
        return tables[part.table]

    for lo, hi in ((0, 1), (1, 2), (0, 2), (1, len(layout.nodes) - 1)):
        part = layout.part(lo, hi)
        found = part.scores(w)
        assert part.dim == layout.dim
        assert found[0] == pytest.approx(unary[layout.nodes[lo] : layout.nodes[hi]], abs=1e-12)
        wanted = edge_scores(layout, pair)[layout.edges[lo] : layout.edges[hi]]
        assert edge_scores(part, found[1]) == pytest.approx(wanted, abs=1e-12)
        assert part.nodes[0] == part.edges[0] == 0
        assert np.array_equal(part.ends, layout.ends[layout.edges[lo] : layout.edges[hi]])


@pytest.mark.parametrize(("thin", "full"), [("sparse graph", "full"), ("sparse labels", "labels")])
def test_sparse_rows_score_and_gather_like_dense_ones(thin: str, full: str) -> None:
    rng = np.random.default_rng(5)
    a, b = LAYOUTS[thin], LAYOUTS[full]
    w = rng.normal(size=a.dim)
    for mine, theirs in zip(a.scores(w), b.scores(w), strict=True):
        assert mine == pytest.approx(theirs, abs=1e-12)
    node, joint = (rng.normal(size=part.shape) for part in b.scores(w))
    assert dense(a.gather(node, joint)) == pytest.approx(dense(b.gather(node, joint)), abs=1e-12)
