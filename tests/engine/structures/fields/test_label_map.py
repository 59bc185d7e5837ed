"""Multi-label problems: lengths and values of the feature map, sparse and dense rows, and the tree of Chow
and Liu.
"""

from itertools import combinations, product

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array, random_array
from sklearn.metrics import mutual_info_score

from explorer.engine.contracts import Dataset
from explorer.engine.data.multilabel import label_set_data
from explorer.engine.losses import Hamming
from explorer.engine.refusals import Refused
from explorer.engine.structures.fields.label_map import LabelMap, all_pairs, mutual_information, tree_pairs
from explorer.engine.structures.fields.oracles import Independent
from explorer.engine.structures.fields.problem import FieldLabelling
from explorer.engine.vectors import Array, Ints, dense, dot

PER_CENT = Hamming(normalised=True, times=100.0)


def problem(
    n: int = 6, labels: int = 4, features: int = 5, stored: bool = False, seed: int = 0
) -> FieldLabelling:
    """Random rows with random subsets of labels, fully connected."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n, features)) * (rng.random((n, features)) < 0.6)
    names = [f"label {u}" for u in range(labels)]
    data = label_set_data(
        "random", csr_array(rows) if stored else rows, rng.integers(0, 2, (n, labels)), names
    )
    return FieldLabelling(data, LabelMap(labels, all_pairs(labels)), PER_CENT)


def f(w: Array, x: Array, y: Ints) -> float:
    """sum_u y_u (w_u . x) + sum_{u<v} w_uv y_u y_v, with w_u in column u of the first block."""
    count, m = len(y), len(x)
    own, pairs = w[: count * m].reshape(m, count), w[count * m :]
    both = np.array([y[u] * y[v] for u, v in combinations(range(count), 2)])
    return float(sum(y[u] * (own[:, u] @ x) for u in range(count)) + pairs @ both)


@pytest.mark.spec("D3")
@pytest.mark.parametrize(
    ("labels", "features", "length"),
    [(6, 294, 1779), (14, 103, 1533), (10, 47236, 472405), (10, 120, 1245), (6, 6000, 36015), (10, 40, 445)],
    ids=["scene", "yeast", "reuters", "mediamill", "synth1", "synth2"],
)
def test_the_feature_map_has_the_printed_length_and_scores_are_inner_products(
    labels: int, features: int, length: int
) -> None:
    rng = np.random.default_rng(labels + features)
    rows = csr_array(random_array((2, features), density=min(1.0, 60 / features), rng=rng, format="csr"))
    y = rng.integers(0, 2, (2, labels))
    made = FieldLabelling(Dataset("one", rows, y), LabelMap(labels, all_pairs(labels)), PER_CENT)
    w = rng.normal(size=made.dim)
    assert made.dim == length == labels * features + labels * (labels - 1) // 2
    for other in (y[1], 1 - y[1], np.ones(labels, dtype=np.int64)):
        wanted = f(w, rows.toarray()[1], other)
        assert dot(made.features(1, other), w) == pytest.approx(wanted, abs=1e-9)
        assert made.fields(w, 1, 2).scores(other)[0] == pytest.approx(wanted, abs=1e-9)


def test_nothing_on_scores_nothing() -> None:
    made = problem()
    assert np.array_equal(dense(made.features(0, np.zeros(4, dtype=np.int64))), np.zeros(made.dim))


def test_the_groups_divide_the_weights() -> None:
    made = problem()
    assert made.groups == {"labels": slice(0, 20), "pairs": slice(20, 26)}
    apart = FieldLabelling(made.dataset, LabelMap(4, ()))
    assert apart.groups == {"labels": slice(0, 20)}
    assert apart.dim == 20


def test_sparse_rows_say_the_same_as_dense_ones() -> None:
    thin, full = problem(stored=True), problem()
    rng = np.random.default_rng(1)
    for _ in range(3):
        w = rng.normal(size=full.dim)
        for i in range(full.n):
            cut, same = thin.oracle(w, i), full.oracle(w, i)
            assert cut.label.tolist() == same.label.tolist()
            assert dense(cut.psi) == pytest.approx(dense(same.psi), abs=1e-12)
            assert (
                thin.predict(w, thin.dataset.inputs[i]).tolist()
                == full.predict(w, full.dataset.inputs[i]).tolist()
            )
        assert dense(thin.sweep(w, 0, 6).psi) == pytest.approx(dense(full.sweep(w, 0, 6).psi), abs=1e-12)


def test_long_sparse_rows_make_sparse_cuts_of_the_same_values() -> None:
    rng = np.random.default_rng(2)
    rows = random_array((3, 4000), density=0.002, rng=rng, format="csr")
    data = label_set_data("long", csr_array(rows), rng.integers(0, 2, (3, 3)), "abc")
    thin, full = (
        FieldLabelling(d, LabelMap(3, all_pairs(3)))
        for d in (data, label_set_data("long", rows.toarray(), data.labels, "abc"))
    )
    w = rng.normal(size=full.dim)
    for i in range(3):
        assert dense(thin.oracle(w, i).psi) == pytest.approx(dense(full.oracle(w, i).psi), abs=1e-12)


def test_a_batch_is_the_same_as_its_examples_one_by_one() -> None:
    made = problem(n=9)
    w = np.random.default_rng(3).normal(size=made.dim)
    many = made.predictions(w)
    assert [y.tolist() for y in many] == [made.predict(w, x).tolist() for x in made.dataset.inputs]
    assert made.losses(many) == pytest.approx([made.loss(i, y) for i, y in enumerate(many)])
    cuts = made.cuts(w, 0, 9)
    swept = made.sweep(w, 0, 9)
    assert dense(swept.psi) == pytest.approx(sum(dense(cut.psi) for cut in cuts), abs=1e-12)
    assert swept.losses == pytest.approx([cut.loss for cut in cuts])


def test_the_loss_is_per_cent_of_wrong_labels() -> None:
    made = problem()
    truth = np.asarray(made.dataset.labels[0])
    wrong = truth.copy()
    wrong[[0, 2]] ^= 1
    assert made.loss(0, wrong) == pytest.approx(50.0)
    assert made.loss(0, truth) == 0.0


def test_without_edges_every_label_is_a_classifier_of_its_own() -> None:
    made = problem()
    apart = FieldLabelling(
        made.dataset, LabelMap(4, ()), PER_CENT, separator=Independent(), predictor=Independent()
    )
    w = np.random.default_rng(4).normal(size=apart.dim)
    signs = np.asarray(made.dataset.inputs) @ w.reshape(5, 4) > 0
    assert np.array_equal(apart.predictions(w), signs.astype(int))


def by_hand() -> Ints:
    """Label 1 repeats label 0, label 2 agrees with label 1 in six rows of eight, label 3 is on its own."""
    first = [0, 0, 0, 0, 1, 1, 1, 1]
    return np.array([first, first, [0, 0, 0, 1, 1, 1, 1, 0], [0, 1, 0, 1, 0, 1, 0, 1]]).T


def test_the_tree_keeps_the_strongest_dependencies() -> None:
    pairs = tree_pairs(by_hand())
    assert (0, 1) in pairs
    assert len(pairs) == 3
    assert nx.is_tree(nx.Graph(pairs))


def test_the_tree_is_the_largest_spanning_tree_of_the_mutual_information() -> None:
    rng = np.random.default_rng(5)
    hidden = rng.integers(0, 2, 60)
    y = np.stack(
        [hidden ^ (rng.random(60) < noise) for noise in (0.05, 0.15, 0.25, 0.35, 0.5)], axis=1
    ).astype(int)
    weights = {(u, v): mutual_info_score(y[:, u], y[:, v]) for u, v in all_pairs(5)}
    trees = [
        pairs
        for pairs in combinations(weights, 4)
        if nx.is_connected(nx.Graph(pairs)) and len(nx.Graph(pairs)) == 5
    ]
    assert len(trees) == 125, "Cayley: 5^3 spanning trees"
    best = max(trees, key=lambda pairs: sum(weights[pair] for pair in pairs))
    assert set(tree_pairs(y)) == set(best)


def test_mutual_information_is_nothing_for_independent_and_log_two_for_equal_labels() -> None:
    assert mutual_information(np.full((2, 2), 0.25)) == pytest.approx(0.0, abs=1e-15)
    assert mutual_information(np.diag([0.5, 0.5])) == pytest.approx(np.log(2.0))
    assert mutual_information(np.array([[1.0, 0.0], [0.0, 0.0]])) == 0.0


def test_all_pairs_come_once_in_order() -> None:
    assert all_pairs(3) == ((0, 1), (0, 2), (1, 2))
    assert all_pairs(1) == ()


@pytest.mark.parametrize(
    ("rows", "y", "said"),
    [
        (np.ones((2, 3)), [[0, 1, 2], [0, 0, 0]], "example 0, label 2, is 2; a label is on"),
        (
            np.ones((2, 3)),
            [[0, 1], [0, 0]],
            r"the labels have shape \(2, 2\); give 2 rows of 3 zeros and ones",
        ),
        (np.ones(3), [[0, 1, 1]], "give one row of features for each example"),
        (np.full((1, 3), np.nan), [[0, 1, 1]], "no matrix of finite numbers"),
    ],
)
def test_rows_and_labels_that_do_not_fit_are_refused(rows: Array, y: list[list[int]], said: str) -> None:
    with pytest.raises(Refused, match=said):
        FieldLabelling(Dataset("bad", rows, np.array(y)), LabelMap(3, all_pairs(3)))


def test_every_labelling_is_listed() -> None:
    made = problem(labels=3)
    assert sorted(tuple(y) for y in made.labellings(0)) == sorted(product((0, 1), repeat=3))
    assert made.labellings_count(0) == 8
