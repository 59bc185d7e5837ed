"""Graph labelling: dimensions of the thesis, feature sums by hand, the unaries-only ablation, relaxed
labellings.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from explorer.engine.contracts import Dataset
from explorer.engine.data.stripes import stripes
from explorer.engine.losses import CostMatrix, Hamming
from explorer.engine.refusals import Refused
from explorer.engine.structures.fields.fields import flatten
from explorer.engine.structures.fields.graph_map import GraphMap, offsets
from explorer.engine.structures.fields.graphs import across_and_down, graph, graphs, grid
from explorer.engine.structures.fields.oracles import Exhaustive, Independent
from explorer.engine.structures.fields.problem import FieldLabelling
from explorer.engine.vectors import Array, Ints, dense

COSTS = CostMatrix(((0.0, 1.0, 4.0), (2.0, 0.0, 3.0), (0.5, 4.0, 0.0)))


def small(marks: int = 1, seed: int = 0) -> Dataset:
    """A square, two nodes apart, a single node and a triangle with three states."""
    rng = np.random.default_rng(seed)
    shapes = ((4, [(0, 1), (1, 2), (2, 3), (3, 0)]), (2, []), (1, []), (3, [(2, 0), (1, 2), (0, 1)]))
    made = [
        graph(rng.normal(size=(m, 2)), pairs, None if marks == 1 else rng.normal(size=(len(pairs), marks)))
        for m, pairs in shapes
    ]
    return graphs("small", made, [rng.integers(0, 3, m) for m, _ in shapes], "abc")


def features_by_hand(problem: FieldLabelling, tie: str, i: int, y: Ints) -> Array:
    """[sum x_u e_{y_u}' ; sum mark e_a e_b'], node by node and edge by edge."""
    x = problem.dataset.inputs[i]
    unary = np.zeros((x.nodes.shape[1], 3))
    for row, s in zip(x.nodes, y, strict=True):
        unary[:, s] += row
    pair = np.zeros((x.edge_features.shape[1], 3, 3))
    for (a, b), mark in zip(x.edges, x.edge_features, strict=True):
        pair[:, y[a], y[b]] += mark
    if tie == "none":
        return unary.ravel()
    if tie == "full":
        return np.concatenate([unary.ravel(), pair.ravel()])
    upper = [pair[:, a, b] + (pair[:, b, a] if a != b else 0.0) for a in range(3) for b in range(a, 3)]
    return np.concatenate([unary.ravel(), np.stack(upper, axis=1).ravel()])


def shares_of(problem: FieldLabelling, i: int, y: Ints) -> Array:
    """A hard labelling as shares of states and of pairs of states."""
    edges = problem.dataset.inputs[i].edges
    joint = np.zeros((len(edges), 3, 3))
    joint[np.arange(len(edges)), y[edges[:, 0]], y[edges[:, 1]]] = 1.0
    return flatten(np.eye(3)[y], joint)


def random_labels(problem: FieldLabelling, rng: np.random.Generator) -> list[Ints]:
    return [rng.integers(0, 3, len(x)) for x in problem.dataset.inputs]


@pytest.mark.parametrize(
    ("directional", "tie", "dim"),
    [
        (False, "full", 18),
        (False, "symmetric", 15),
        (False, "none", 9),
        (True, "full", 9 + 2 * 9),
        (True, "symmetric", 9 + 2 * 6),
    ],
)
def test_the_stripes_have_the_dimensions_of_the_thesis_and_two_tables_with_directions(
    directional: bool, tie: str, dim: int
) -> None:
    train, _ = stripes(n=2, n_test=1)
    if directional:
        train = replace(train, inputs=tuple(across_and_down(x) for x in train.inputs))
    assert (
        FieldLabelling(train, GraphMap(3, tie), predictor=Independent(), separator=Independent()).dim == dim
    )


@pytest.mark.parametrize("marks", [1, 2])
@pytest.mark.parametrize("tie", ["full", "symmetric", "none"])
def test_features_are_the_sums_of_a_hand_calculation(tie: str, marks: int) -> None:
    problem = FieldLabelling(small(marks), GraphMap(3, tie))
    rng = np.random.default_rng(1)
    for i, y in enumerate(random_labels(problem, rng)):
        wanted = features_by_hand(problem, tie, i, y)
        assert dense(problem.features(i, y)) == pytest.approx(wanted, abs=1e-12)
        w = rng.normal(size=problem.dim)
        assert problem.fields(w, i, i + 1).scores(y)[0] == pytest.approx(w @ wanted, abs=1e-9)
        assert problem.field_of(w, problem.dataset.inputs[i]).scores(y)[0] == pytest.approx(
            w @ wanted, abs=1e-9
        )


@pytest.mark.spec("A42")
def test_unaries_alone_are_labelled_by_the_best_state_of_each_node() -> None:
    train, _ = stripes(n=4, n_test=1, sigma=1.0)
    problem = FieldLabelling(train, GraphMap(3, "none"), separator=Independent(), predictor=Independent())
    w = np.random.default_rng(2).normal(size=problem.dim)
    for x, y in zip(train.inputs, problem.predictions(w), strict=True):
        assert np.array_equal(y, np.argmax(x.nodes @ w.reshape(3, 3), axis=1))
    tiny = FieldLabelling(small(), GraphMap(3, "none"))
    w = np.random.default_rng(3).normal(size=tiny.dim)
    for x, y in zip(tiny.dataset.inputs, tiny.predictions(w), strict=True):
        assert isinstance(tiny.predictor, Exhaustive)
        assert np.array_equal(y, np.argmax(x.nodes @ w.reshape(2, 3), axis=1))


@pytest.mark.parametrize("delta", [Hamming(), Hamming(normalised=True, times=100.0), COSTS], ids=repr)
def test_a_hard_labelling_written_as_shares_has_the_same_features_and_loss(delta: Any) -> None:
    rng = np.random.default_rng(4)
    for marks in (1, 2):
        problem = FieldLabelling(small(marks), GraphMap(3), delta)
        labels = random_labels(problem, rng)
        shares = [shares_of(problem, i, y) for i, y in enumerate(labels)]
        for i, (y, soft) in enumerate(zip(labels, shares, strict=True)):
            assert dense(problem.features(i, soft)) == pytest.approx(dense(problem.features(i, y)), abs=1e-12)
            assert problem.loss(i, soft) == pytest.approx(problem.loss(i, y), abs=1e-12)
        assert problem.losses(shares) == pytest.approx(problem.losses(labels), abs=1e-12)


def test_features_and_loss_are_linear_in_shares() -> None:
    rng = np.random.default_rng(5)
    problem = FieldLabelling(small(2), GraphMap(3, "symmetric"), COSTS)
    for i, (y, z) in enumerate(zip(random_labels(problem, rng), random_labels(problem, rng), strict=True)):
        mixed = 0.25 * shares_of(problem, i, y) + 0.75 * shares_of(problem, i, z)
        wanted = 0.25 * dense(problem.features(i, y)) + 0.75 * dense(problem.features(i, z))
        assert dense(problem.features(i, mixed)) == pytest.approx(wanted, abs=1e-12)
        assert problem.loss(i, mixed) == pytest.approx(0.25 * problem.loss(i, y) + 0.75 * problem.loss(i, z))


def test_a_half_wrong_label_costs_half() -> None:
    problem = FieldLabelling(small(), GraphMap(3))
    truth = np.asarray(problem.dataset.labels[2])
    shares = np.zeros(3)
    shares[[truth[0], (truth[0] + 1) % 3]] = 0.5
    assert problem.loss(2, shares) == pytest.approx(0.5)


def test_a_batch_is_the_same_as_its_examples_one_by_one() -> None:
    problem = FieldLabelling(small(2), GraphMap(3), Hamming(normalised=True))
    w = np.random.default_rng(6).normal(size=problem.dim)
    many = problem.predictions(w)
    assert [y.tolist() for y in many] == [problem.predict(w, x).tolist() for x in problem.dataset.inputs]
    assert problem.losses(many) == pytest.approx([problem.loss(i, y) for i, y in enumerate(many)])
    cuts = problem.cuts(w, 0, 4)
    assert [cut.label.tolist() for cut in cuts] == [problem.oracle(w, i).label.tolist() for i in range(4)]
    assert dense(problem.sweep(w, 0, 4).psi) == pytest.approx(sum(dense(cut.psi) for cut in cuts), abs=1e-12)


def test_graphs_of_different_sizes_and_a_test_set_share_the_weights() -> None:
    problem = FieldLabelling(small(), GraphMap(3))
    other = problem.on(graphs("grid", [grid(np.ones((6, 2)), 2, 3)], [[0, 1, 2, 0, 1, 2]], "abc"))
    assert other.dim == problem.dim
    assert len(other.predictions(np.zeros(problem.dim))[0]) == 6


def test_the_groups_divide_the_weights() -> None:
    assert FieldLabelling(small(), GraphMap(3)).groups == {"unary": slice(0, 6), "pairwise": slice(6, 15)}
    assert FieldLabelling(small(), GraphMap(3, "none")).groups == {"unary": slice(0, 6)}


@pytest.mark.parametrize(
    "label",
    [[0, 1, 2], [0, 1, 2, 3], [0, 1, 2, -1], [0.5] * 12, [float("nan")] * 48],
    ids=["too short", "unknown state", "negative", "shares without edges", "shares without numbers"],
)
def test_a_labelling_from_outside_that_does_not_fit_is_refused(label: list[Any]) -> None:
    with pytest.raises(
        Refused, match="example 0 has 4 nodes with states 0 to 2; the labelling given does not fit it"
    ):
        FieldLabelling(small(), GraphMap(3)).features(0, np.array(label))


def test_more_states_in_the_labels_than_in_the_map_are_refused() -> None:
    with pytest.raises(Refused, match="has the label 2; give a whole number from 0 to 1"):
        FieldLabelling(small(), GraphMap(2))


def test_offsets_say_where_parts_begin_and_the_last_one_ends() -> None:
    assert offsets([3, 0, 2]).tolist() == [0, 3, 3, 5]
