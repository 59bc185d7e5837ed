"""Pairwise learning: classifier, selection of pairs, backward linking, and no training at all."""

import math

import cvxpy as cp
import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array

from explorer.baselines.clustering import (
    AllPairs,
    BackwardLinking,
    Canopy,
    ChainPairs,
    KMeans,
    PairClassifier,
    Uniform,
)
from explorer.baselines.clustering._arrays import ideal, renumber, square, together
from explorer.baselines.clustering.pair_classifier import imbalance
from explorer.baselines.clustering.pair_selection import row_of
from explorer.engine.refusals import Refused


def mitre_loss(truth, guess):
    """100 (1 - 2 R P / (R + P)) by the definition, cluster by cluster."""

    def recall(y, z):
        parts = [set(np.flatnonzero(y == c)) for c in set(y.tolist())]
        kept = sum(len(c) - len({int(z[i]) for i in c}) for c in parts)
        all_ = sum(len(c) - 1 for c in parts)
        return kept / all_ if all_ else 1.0

    r, p = recall(truth, guess), recall(guess, truth)
    return 100.0 * (1.0 - (2 * r * p / (r + p) if r + p else 0.0))


def imbalanced():
    """125 mentions, one entity of 24, one of 3 and 98 singletons: 276 + 3 of 7,750 pairs, exactly 3.6%."""
    return np.array([0] * 24 + [1] * 3 + list(range(2, 100)))


def random_sets(seed, sets=3, m=6, features=4):
    rng = np.random.default_rng(seed)
    truths = [renumber(rng.integers(3, size=m)) for _ in range(sets)]
    psis = [rng.normal(size=(m * (m - 1) // 2, features)) for _ in range(sets)]
    for psi, y in zip(psis, truths, strict=True):
        psi[:, 0] += 2.0 * together(y) - 1.0
    return psis, truths


def test_the_definition_of_the_mitre_loss_gives_the_three_unit_values():
    truth = np.array([0, 0, 0, 1, 1])
    assert mitre_loss(truth, np.array([0, 1, 1, 1, 1])) == pytest.approx(100 / 3)
    assert mitre_loss(truth, np.arange(5)) == 100.0
    assert mitre_loss(truth, np.zeros(5, dtype=int)) == pytest.approx(100 / 7)


@pytest.mark.spec("C31")
def test_calling_every_pair_negative_is_accurate_and_useless():
    y = imbalanced()
    counts = imbalance([y])
    assert (counts.pairs, counts.positive) == (7750, 279)
    assert counts.share == pytest.approx(0.036, abs=1e-12)
    assert counts.negative_rule_accuracy == pytest.approx(0.964, abs=1e-12)
    K = square(-np.ones(7750))
    assert mitre_loss(y, BackwardLinking().cluster(K)) == 100.0


@pytest.mark.spec("C31")
def test_a_classifier_without_informative_features_becomes_the_all_negative_rule_unless_balanced():
    y = imbalanced()
    psi = np.random.default_rng(0).normal(size=(7750, 3))
    plain = PairClassifier(C=10.0, offset=True).fit([psi], [y])
    assert plain.accuracy == pytest.approx(0.964, abs=1e-12)
    assert mitre_loss(y, BackwardLinking().cluster(plain.similarity(psi))) == 100.0
    balanced = PairClassifier(C=10.0, offset=True, balance=True).fit([psi], [y])
    assert 0.3 < balanced.accuracy < 0.7


@pytest.mark.spec("C31")
@pytest.mark.parametrize("squared", [True, False])
@pytest.mark.parametrize("offset", [True, False])
@pytest.mark.parametrize("C", [0.5, 50.0])
def test_the_pair_classifier_reaches_the_optimum_of_cvxpy(squared, offset, C):
    psis, truths = random_sets(1)
    machine = PairClassifier(C=C, squared=squared, offset=offset, passes=10**6).fit(psis, truths)
    X, t = np.concatenate(psis), 2.0 * np.concatenate([together(y) for y in truths]) - 1.0
    X = np.column_stack([X, np.full(len(X), float(offset))])
    w = cp.Variable(X.shape[1])
    slack = cp.pos(1 - cp.multiply(t, X @ w))
    cost = cp.sum_squares(slack) / 2 if squared else cp.sum(slack)
    held = [] if offset else [w[-1] == 0]
    best = cp.Problem(cp.Minimize(cp.sum_squares(w) / 2 + C * cost / len(t)), held).solve(solver=cp.CLARABEL)
    ours = np.append(machine.w, machine.offset)
    hinge = np.maximum(1 - t * (X @ ours), 0)
    value = ours @ ours / 2 + C * float(np.mean(hinge**2 / 2 if squared else hinge))
    assert machine.converged
    assert value == pytest.approx(best, rel=1e-4)


def test_the_similarity_of_a_trained_machine_is_its_signed_output():
    psis, truths = random_sets(2)
    machine = PairClassifier(offset=True).fit(psis, truths)
    K = machine.similarity(psis[0])
    assert np.array_equal(K, K.T)
    assert not np.diag(K).any()
    assert K[1, 4] == pytest.approx(machine.w @ psis[0][row_of(1, 4, 6)] + machine.offset)


@pytest.mark.parametrize("offset", [False, True])
def test_sparse_rows_train_the_same_machine_and_give_the_same_similarity(offset):
    psis, partitions = random_sets(4)
    psis = [np.where(np.abs(psi) < 0.6, 0.0, psi) for psi in psis]
    chosen = [np.arange(1, len(psi)) for psi in psis]
    method = PairClassifier(C=30.0, offset=offset)
    dense = method.fit(psis, partitions, chosen)
    packed = method.fit([csr_array(psi) for psi in psis], partitions, chosen)
    assert packed.w == pytest.approx(dense.w, abs=1e-4 * np.abs(dense.w).max())
    assert (packed.imbalance, packed.accuracy) == (dense.imbalance, dense.accuracy)
    assert packed.similarity(csr_array(psis[0])) == pytest.approx(packed.similarity(psis[0]), abs=1e-12)
    mixed = method.fit([csr_array(psis[0]), *psis[1:]], partitions, chosen)
    assert mixed.w == pytest.approx(packed.w, abs=1e-12)
    assert Uniform().similarity(csr_array(psis[0])) == pytest.approx(Uniform().similarity(psis[0]))


def test_a_number_that_is_not_finite_in_sparse_rows_is_refused_with_its_place():
    psi = csr_array(np.array([[0.0, 1.0], [0.0, 0.0], [np.nan, 2.0]]))
    with pytest.raises(Refused, match=r"psi hold nan at \(2, 0\)"):
        Uniform().similarity(psi)


def test_only_selected_pairs_are_trained_on():
    psis, truths = random_sets(3)
    rows = [ChainPairs().rows(y) for y in truths]
    chosen = PairClassifier().fit(psis, truths, rows)
    assert chosen.imbalance.pairs == sum(map(len, rows))
    assert PairClassifier().fit(psis, truths, [AllPairs().rows(y) for y in truths]).imbalance.pairs == 45


def test_running_out_of_passes_is_told_without_a_warning():
    psis, truths = random_sets(1)
    assert not PairClassifier(C=1e6, squared=False, passes=1).fit(psis, truths).converged


def test_rows_of_psi_are_in_upper_triangle_order():
    for at, (i, j) in enumerate(zip(*np.triu_indices(7, 1), strict=True)):
        assert row_of(int(i), int(j), 7) == at
    assert AllPairs().rows(np.arange(7)).tolist() == list(range(21))


@pytest.mark.spec("C33")
@pytest.mark.parametrize("m", [200, 800])
def test_a_canopy_keeps_about_half_of_alpha_m_pairs(m):
    """Items on a circle, similarity 1 - angle / pi: another item is in [0.9, 0.95] with probability 0.05."""
    angle = np.random.default_rng(m).uniform(0.0, 2.0 * math.pi, m)
    apart = np.abs(angle[:, None] - angle[None, :])
    prior = 1.0 - np.minimum(apart, 2.0 * math.pi - apart) / math.pi
    canopy = Canopy(lo=0.9, hi=0.95)
    rows = canopy.rows(np.arange(m), prior)
    alpha = 0.05 * (m - 1)
    assert len(rows) == pytest.approx(alpha * m / 2, rel=0.05)
    assert len(rows) == pytest.approx(canopy.neighbours(prior) * m / 2, abs=1e-6)
    kept = prior[np.triu_indices(m, 1)][rows]
    assert kept.min() >= 0.9
    assert kept.max() <= 0.95


@pytest.mark.spec("C34")
def test_chain_pairs_of_five_mentions_are_those_found_by_hand():
    """Bush, tacos, he, the president, the tacos: "he" is no antecedent, and lies between without being a
    negative.
    """
    y, pronouns = np.array([0, 1, 0, 0, 1]), [0, 0, 1, 0, 0]
    found = ChainPairs().pairs(y, pronouns)
    assert found == [(0, 2), (1, 2), (0, 3), (1, 3), (1, 4), (2, 4), (3, 4)]
    rows = ChainPairs().rows(y, pronouns=pronouns)
    assert rows.tolist() == sorted(row_of(i, j, 5) for i, j in found)
    assert ChainPairs().pairs(y) == [(0, 2), (1, 2), (2, 3), (1, 4), (2, 4), (3, 4)]


@pytest.mark.spec("C34")
def test_singletons_and_first_mentions_are_never_the_second_element_of_a_chain_pair():
    rng = np.random.default_rng(0)
    for _ in range(50):
        y = renumber(rng.integers(6, size=12))
        first = {int(np.flatnonzero(y == c)[0]) for c in range(y.max() + 1)}
        assert not first & {j for _, j in ChainPairs().pairs(y, rng.random(12) < 0.3)}


@pytest.mark.spec("C34")
def test_backward_linking_takes_the_closest_earlier_item_not_the_most_similar():
    K = square(np.array([5.0, 9.0, -1.0, 1.0, -1.0, -1.0, -1.0, -1.0, -1.0, 2.0]))
    assert BackwardLinking().antecedents(K).tolist() == [-1, 0, 0, -1, 3]
    assert BackwardLinking().cluster(K).tolist() == [0, 0, 0, 1, 1]


@pytest.mark.spec("C34")
def test_clusters_of_backward_linking_are_connected_components_of_its_links():
    rng = np.random.default_rng(1)
    for _ in range(30):
        K = square(rng.normal(-0.8, 1.0, size=45))
        back = BackwardLinking().antecedents(K)
        graph = nx.Graph([(j, int(i)) for j, i in enumerate(back) if i >= 0])
        graph.add_nodes_from(range(10))
        expected = {frozenset(c) for c in nx.connected_components(graph)}
        y = BackwardLinking().cluster(K)
        assert {frozenset(np.flatnonzero(y == c).tolist()) for c in range(y.max() + 1)} == expected
        assert np.array_equal(y, renumber(y))


def test_uniform_weights_add_up_the_features_of_a_pair():
    psi = np.arange(6.0).reshape(3, 2)
    assert Uniform().similarity(psi).tolist() == [[0, 1, 5], [1, 0, 9], [5, 9, 0]]


def test_k_means_finds_separated_groups_and_its_centres_are_means():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 10)
    X = rng.normal(size=(30, 2)) * 0.1 + np.array([[0, 0], [5, 0], [0, 5]])[y]
    found = KMeans().cluster(X, 3, rng)
    assert np.array_equal(found.partition, y)
    assert np.allclose(found.centres, [X[y == c].mean(axis=0) for c in range(3)])
    assert found.trace[-1] == pytest.approx(
        sum(((X[y == c] - X[y == c].mean(axis=0)) ** 2).sum() for c in range(3))
    )


def test_the_ideal_similarity_is_the_printed_example_times_its_transpose():
    a, b = 1 / math.sqrt(2), 1 / math.sqrt(3)
    Y = np.array([[a, 0], [0, b], [a, 0], [0, b], [0, b]])
    assert np.allclose(ideal(np.array([0, 1, 0, 1, 1])), Y @ Y.T)


def test_clusters_are_numbered_by_first_appearance():
    assert renumber(np.array([7, 7, -2, 7, 3, -2])).tolist() == [0, 0, 1, 0, 2, 1]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: PairClassifier().fit([np.ones((4, 2))], [[0, 0]]),
            "4 rows, which no number of items has as pairs",
        ),
        (
            lambda: PairClassifier().fit([np.ones((3, 2))], [[0, 0]]),
            "2 entries but there are 3 items; give one",
        ),
        (
            lambda: PairClassifier().fit([np.ones((3, 2))], [[0, 1, 2]]),
            "all 3 pairs are negative; select pairs of both",
        ),
        (
            lambda: PairClassifier().fit([np.full((3, 2), np.nan)], [[0, 0, 1]]),
            r"psi of item set 0 hold nan at \(0, 0\)",
        ),
        (lambda: PairClassifier().fit([np.ones((3, 2))], []), "1 psis, 0 partitions"),
        (lambda: PairClassifier(C=-1.0), "C is -1.0; it must be"),
        (lambda: Canopy(lo=2.0, hi=1.0), "lo is 2, above hi, 1; swap"),
        (lambda: Canopy().rows([0, 1]), "needs an a-priori similarity"),
        (lambda: Canopy().rows([0, 1], np.eye(3)), "3 rows but there are 2 items"),
        (lambda: ChainPairs().rows([0, 1], pronouns=[True]), "one flag per item"),
        (lambda: BackwardLinking().cluster(np.array([[0.0, np.nan], [np.nan, 0.0]])), r"nan at \(0, 1\)"),
        (lambda: BackwardLinking().cluster(np.array([[0.0, 1.0], [2.0, 0.0]])), "make it symmetric"),
        (
            lambda: KMeans().cluster(np.ones((2, 1)), 3, np.random.default_rng(0)),
            "k is 3 but there are 2 items",
        ),
        (lambda: KMeans().cluster(np.ones((4, 1)), 3, np.random.default_rng(0)), "only 1 items differ"),
    ],
)
def test_bad_input_is_refused_with_the_place_and_the_fix(call, said):
    with pytest.raises(Refused, match=said):
        call()
