"""Clustering one item set under links: constraints kept or priced, objectives by their definition, never
rising.
"""

from itertools import combinations, product

import numpy as np
import pytest

from explorer.baselines.clustering import COP, HMRF, MPCK, KernelLinks, Seeded, closure
from explorer.baselines.clustering._arrays import square
from explorer.baselines.clustering._outcome import by_first_appearance
from explorer.engine.refusals import Refused


def blobs(seed, m=24, k=3, spread=0.8):
    rng = np.random.default_rng(seed)
    y = np.arange(m) % k
    X = rng.normal(size=(m, 3)) * np.array([spread, 3.0, 1.0])
    X[:, 0] += 3.0 * y
    X[:, 1] += 4.0
    return X, y


def drawn_links(y, seed, count=10, wrong=0.0):
    """Links between random items, as the truth says, or the opposite of some must-links."""
    rng = np.random.default_rng(seed)
    must, cannot = [], []
    for _ in range(count):
        a, b = rng.choice(len(y), 2, replace=False).tolist()
        (must if (y[a] == y[b]) != (rng.random() < wrong) else cannot).append((a, b))
    return must, cannot


def never_rises(trace):
    return np.all(np.diff(trace) <= 1e-9 * np.maximum(1.0, np.abs(trace[:-1])))


def test_links_are_closed():
    links = closure(7, [(0, 1), (2, 1), (3, 4)], [(0, 3), (5, 0)])
    assert links.group.tolist() == [0, 0, 0, 1, 1, 2, 3]
    assert {tuple(p) for p in links.must.tolist()} == {(0, 1), (0, 2), (1, 2), (3, 4)}
    assert {tuple(p) for p in links.cannot.tolist()} == {
        *product((0, 1, 2), (3, 4)),
        *product((0, 1, 2), (5,)),
    }
    assert links.broken_pairs(np.array([0, 0, 1, 1, 1, 0, 0])) == 2 + (2 + 2)


@pytest.mark.spec("C52")
@pytest.mark.parametrize("method", [COP(), MPCK(), HMRF()], ids=lambda method: method.title)
def test_contradictory_links_are_refused_with_the_pair(method):
    with pytest.raises(
        Refused, match=r"items 0 and 2 have a cannot-link, but must-links put them into one cluster"
    ):
        method.cluster(np.ones((4, 2)), 2, np.random.default_rng(0), [(0, 1), (1, 2)], [(2, 0)])


@pytest.mark.spec("C52")
@pytest.mark.parametrize("seed", range(6))
def test_cop_breaks_no_link_when_the_truth_breaks_none(seed):
    X, y = blobs(seed)
    must, cannot = drawn_links(y, seed, 14)
    found = COP(orders=200).cluster(X, 3, np.random.default_rng(seed), must, cannot)
    part = found.partition
    assert all(part[a] == part[b] for a, b in must)
    assert all(part[a] != part[b] for a, b in cannot)
    assert found.broken == 0


@pytest.mark.spec("C52")
def test_cop_refuses_four_items_that_must_all_be_apart_in_three_clusters():
    X, _ = blobs(0)
    with pytest.raises(Refused, match=r"item \d found no place: each of the 3 clusters .* raise k or drop"):
        COP().cluster(X, 3, np.random.default_rng(0), [], list(combinations(range(4), 2)))
    assert COP().cluster(X, 4, np.random.default_rng(0), [], list(combinations(range(4), 2))).broken == 0


def test_cop_without_links_ends_where_no_item_has_a_nearer_mean():
    X, _ = blobs(1)
    found = COP().cluster(X, 3, np.random.default_rng(0))
    apart = ((X[:, None, :] - found.centres[None, :, :]) ** 2).sum(axis=2)
    assert never_rises(found.trace)
    assert found.trace[-1] == pytest.approx(apart.min(axis=1).sum())


def test_centres_are_in_the_order_of_the_cluster_numbers_and_those_of_empty_clusters_come_last():
    found = by_first_appearance(
        np.array([3, 3, 0, 1]), np.array([[0.0], [1.0], [2.0], [3.0]]), [1.0], np.arange(4.0)[:, None, None]
    )
    assert found.partition.tolist() == [0, 0, 1, 2]
    assert found.centres.ravel().tolist() == found.metric.ravel().tolist() == [3, 0, 1, 2]


def test_a_wrong_seed_is_outvoted_when_seeded_and_stays_when_kept():
    X = np.array([[0.0], [0.2], [0.4], [5.0], [5.2], [5.4]])
    seeds = np.array([0, -1, -1, 1, -1, 0])
    assert Seeded().cluster(X, seeds).partition.tolist() == [0, 0, 0, 1, 1, 1]
    kept = Seeded(keep=True).cluster(X, seeds)
    assert kept.partition.tolist() == [0, 0, 0, 1, 1, 0]
    assert kept.centres.ravel() == pytest.approx([1.5, 5.1])


@pytest.mark.spec("C52")
@pytest.mark.parametrize("keep", [False, True])
def test_seeded_k_means_never_rises_and_keeps_kept_seeds(keep):
    for seed in range(5):
        X, y = blobs(seed)
        seeds = np.where(np.arange(len(y)) < 6, y, -1)
        found = Seeded(keep=keep).cluster(X, seeds)
        assert never_rises(found.trace)
        if keep:
            assert np.array_equal(found.partition[:6], y[:6])


def mpck_by_definition(method, X, found, must, cannot):
    links, label = closure(len(X), must, cannot), found.partition
    A = found.metric
    far = [max((a - b) @ M @ (a - b) for a in X for b in X) for M in A]
    total = method.prior * X.var(axis=0).mean() * sum(np.trace(M) for M in found.metric)
    for x, h in zip(X, label, strict=True):
        e = x - found.centres[h]
        total += e @ A[h] @ e - np.log(np.linalg.det(A[h]))
    for i, j in links.must.tolist():
        e, g, h = X[i] - X[j], label[i], label[j]
        total += method.price * 0.5 * (e @ A[g] @ e + e @ A[h] @ e) * (g != h)
    for i, j in links.cannot.tolist():
        e, h = X[i] - X[j], label[i]
        total += method.price * (far[h] - e @ A[h] @ e) * (h == label[j])
    return total


@pytest.mark.spec("C52")
@pytest.mark.parametrize("form", ["full", "diagonal"])
@pytest.mark.parametrize("seed", range(4))
def test_mpck_never_rises_and_its_objective_is_that_of_the_definition(form, seed):
    X, y = blobs(seed, spread=1.2)
    must, cannot = drawn_links(y, seed, 12)
    method = MPCK(form=form, price=0.5)
    found = method.cluster(X, 3, np.random.default_rng(seed), must, cannot)
    assert len(found.trace) > 2
    assert never_rises(found.trace)
    assert len(set(found.partition)) == 3
    assert found.trace[-1] == pytest.approx(mpck_by_definition(method, X, found, must, cannot), rel=1e-9)
    assert all(np.linalg.eigvalsh(A)[0] > 0.0 for A in found.metric)


@pytest.mark.spec("C52")
def test_mpck_never_rises_when_links_contradict_the_items():
    for seed in range(8):
        X, _ = blobs(seed)
        rng = np.random.default_rng(seed)
        cannot = [tuple(p) for p in rng.choice(24, (30, 2)).tolist() if p[0] != p[1]]
        found = MPCK(price=3.0).cluster(X, 3, rng, [], cannot)
        assert never_rises(found.trace)


def test_a_high_price_makes_mpck_keep_its_links():
    X, y = blobs(2)
    must, cannot = drawn_links(y, 2, 12)
    free = MPCK(price=0.0).cluster(X, 3, np.random.default_rng(0), must, cannot)
    paid = MPCK(price=100.0).cluster(X, 3, np.random.default_rng(0), must, cannot)
    assert paid.broken == 0
    assert free.broken >= paid.broken


@pytest.mark.spec("C52")
@pytest.mark.parametrize("seed", range(4))
def test_hmrf_never_rises_and_its_objective_is_that_of_the_definition(seed):
    X, y = blobs(seed)
    must, cannot = drawn_links(y, seed, 12)
    method = HMRF(price=0.7, spread=1.3)
    found = method.cluster(X, 3, np.random.default_rng(seed), must, cannot)
    links, label, a = closure(len(X), must, cannot), found.partition, np.diag(found.metric)

    def c(x, z):
        return 1.0 - (x * a) @ z / np.sqrt(((x * a) @ x) * ((z * a) @ z))

    total = float(np.sum(a**2 / (2 * 1.3**2) - np.log(a)))
    total += sum(c(x, found.centres[h]) for x, h in zip(X, label, strict=True))
    total += 0.7 * sum(c(X[i], X[j]) for i, j in links.must.tolist() if label[i] != label[j])
    total += 0.7 * sum(2.0 - c(X[i], X[j]) for i, j in links.cannot.tolist() if label[i] == label[j])
    assert never_rises(found.trace)
    assert found.trace[-1] == pytest.approx(total, rel=1e-6)
    assert np.all(a > 0.0)


def test_the_slope_of_hmrf_is_that_of_finite_differences():
    X, y = blobs(0)
    must, cannot = drawn_links(y, 0, 12)
    links, labels = closure(24, must, cannot), np.random.default_rng(0).integers(3, size=24)
    centres = np.random.default_rng(1).normal(size=(3, 3))
    a, method = np.array([0.7, 1.1, 1.6]), HMRF()
    slope = method.objective(X, links, labels, centres, a)[1]
    for at in range(3):
        up, down = (
            method.objective(X, links, labels, centres, a + s * 1e-6 * np.eye(3)[at])[0] for s in (1, -1)
        )
        assert slope[at] == pytest.approx((up - down) / 2e-6, rel=1e-5)


def test_hmrf_weighs_down_a_feature_that_only_disturbs():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 20)
    X = np.column_stack([np.where(y == 0, 5.0, 1.0), np.where(y == 0, 1.0, 5.0), rng.normal(size=40) * 4.0])
    found = HMRF().cluster(X, 2, rng, [(0, i) for i in range(1, 8)], [(0, 20 + i) for i in range(5)])
    assert found.metric[2, 2] < 0.5 * found.metric[0, 0]
    assert np.array_equal(found.partition, y)


@pytest.mark.spec("C52")
@pytest.mark.parametrize("seed", range(4))
def test_kernel_k_means_with_links_counts_what_its_definition_says_and_never_rises(seed):
    rng = np.random.default_rng(seed)
    K = square(rng.normal(size=66))
    must, cannot = [(0, 1), (2, 3)], [(0, 2), (4, 5)]
    found = KernelLinks(price=2.0).cluster(K, 3, rng, must, cannot)
    Q = K.copy()
    for i, j in [(0, 1), (2, 3)]:
        Q[[i, j], [j, i]] += 2.0
    for i, j in [(0, 2), (0, 3), (1, 2), (1, 3), (4, 5)]:
        Q[[i, j], [j, i]] -= 2.0
    label = found.partition

    def value(y):
        return sum(Q[np.ix_(y == h, y == h)].sum() / np.sum(y == h) for h in set(y.tolist()))

    assert found.trace[-1] == pytest.approx(value(label))
    assert never_rises(-found.trace)
    for i, c in product(range(12), range(3)):
        other = np.where(np.arange(12) == i, c, label)
        if len(set(other.tolist())) == 3:
            assert value(other) <= value(label) + 1e-9


def test_a_price_makes_kernel_k_means_break_fewer_links():
    broken = {0.0: 0, 100.0: 0}
    for seed in range(6):
        X, y = blobs(seed)
        must, cannot = drawn_links(y, seed, 12)
        for price in broken:
            broken[price] += (
                KernelLinks(price=price).cluster(X @ X.T, 3, np.random.default_rng(0), must, cannot).broken
            )
    assert broken[100.0] < 0.25 * broken[0.0]


@pytest.mark.parametrize("method", [COP(), MPCK(), HMRF()], ids=lambda method: method.title)
def test_same_seed_same_clustering(method):
    X, y = blobs(1)
    must, cannot = drawn_links(y, 1)
    one, two = (method.cluster(X, 3, np.random.default_rng(5), must, cannot) for _ in range(2))
    assert np.array_equal(one.partition, two.partition)
    assert np.array_equal(one.trace, two.trace)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda rng: COP().cluster(np.ones((3, 1)), 4, rng),
            "k is 4 but there are 3 items; choose k from 1 to 3",
        ),
        (lambda rng: MPCK().cluster(np.ones((3, 1)), 0, rng), "k is 0 but"),
        (lambda rng: HMRF().cluster(np.array([[1.0], [0.0]]), 1, rng), "item 1 is all zeros"),
        (lambda rng: COP().cluster(np.ones((3, 1)), 2, rng, [(0, 3)]), r"must-links name the pair \(0, 3\)"),
        (lambda rng: KernelLinks().cluster(np.full((2, 2), np.nan), 1, rng), r"nan at \(0, 0\)"),
        (
            lambda rng: Seeded().cluster(np.ones((3, 1)), [0, -1]),
            "there are 3 items; give one number per item",
        ),
        (lambda rng: Seeded().cluster(np.ones((3, 1)), [0, 2, -1]), "cluster 1 has no seed"),
        (lambda rng: Seeded().cluster(np.ones((3, 1)), [-1, -1, -1]), "no item has a seed"),
    ],
)
def test_bad_input_is_refused_with_the_place_and_the_fix(call, said):
    with pytest.raises(Refused, match=said):
        call(np.random.default_rng(0))
