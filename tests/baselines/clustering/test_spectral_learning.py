"""Spectral learning: the gradient by finite differences, the bound by enumeration, and a run on Synth."""

from itertools import product

import numpy as np
import pytest

from explorer.baselines.clustering import SpectralLearning
from explorer.baselines.clustering._arrays import ideal, renumber, square, together
from explorer.baselines.clustering.spectral_learning import occupation, relaxed_loss, smooth_miss
from explorer.engine.data.cluster_synth import Synth
from explorer.engine.refusals import Refused


def small(seed, m=7, features=3):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(m * (m - 1) // 2, features)), renumber(np.arange(m) % 3)


@pytest.mark.spec("C51")
@pytest.mark.parametrize("seed", range(4))
def test_the_gradient_is_that_of_finite_differences(seed):
    psi, y = small(seed)
    w = np.random.default_rng(seed + 9).normal(size=3) * 3.0
    learner = SpectralLearning(lam=0.1)
    slope = learner.criterion(w, [psi], [y])[1]
    for at in range(3):
        e = np.eye(3)[at] * 1e-5
        up, down = (learner.criterion(w + s * e, [psi], [y])[0] for s in (1, -1))
        assert slope[at] == pytest.approx((up - down) / 2e-5, rel=1e-5, abs=1e-8)


def test_the_gradient_holds_where_all_eigenvalues_meet():
    y = np.array([0, 0, 1, 1, 2])
    turn = square(np.random.default_rng(0).normal(size=10))
    slope = smooth_miss(np.zeros((5, 5)), y)[1]
    up, down = (smooth_miss(t * turn, y)[0] for t in (1e-5, -1e-5))
    assert np.sum(slope * turn) == pytest.approx((up - down) / 2e-5, rel=1e-5)


def test_shares_of_eigenvectors_sum_to_k_and_rise_with_the_eigenvalues():
    values = np.sort(np.random.default_rng(0).normal(size=9) * 20.0)
    for k in range(1, 9):
        p, slopes = occupation(values, k)
        assert p.sum() == pytest.approx(k, abs=1e-9)
        assert np.all(np.diff(p) >= 0.0)
        assert np.allclose(slopes, p * (1 - p), atol=1e-12)


@pytest.mark.spec("C51")
def test_a_large_similarity_makes_the_criterion_half_the_squared_distance_of_projectors():
    rng = np.random.default_rng(3)
    y = np.array([0, 0, 1, 1, 1, 2, 2])
    K = square(rng.normal(size=21))
    top = np.linalg.eigh(K)[1][:, -3:]
    half = 0.5 * np.sum((top @ top.T - ideal(y)) ** 2)
    assert smooth_miss(1e4 * K, y)[0] * 3 == pytest.approx(half, rel=1e-9)


@pytest.mark.spec("C51")
@pytest.mark.parametrize("seed", range(10))
def test_four_hundred_times_the_criterion_bounds_the_normalised_loss_of_the_nearest_partition(seed):
    rng = np.random.default_rng(seed)
    y = np.array([0, 0, 1, 1, 2, 2])
    K = 3.0 * square(together(y) + 0.5 * rng.normal(size=15))
    miss = smooth_miss(K, y)[0]
    values, U = np.linalg.eigh(K)
    P = (U * occupation(values, 3)[0]) @ U.T
    full = [np.array(z) for z in product(range(3), repeat=6) if len(set(z)) == 3]
    nearest = max(full, key=lambda z: float(np.sum(P * ideal(z))))
    loss = 100.0 * (1.0 - float(np.sum(ideal(nearest) * ideal(y))) / 3)
    assert loss <= 400.0 * miss + 1e-9
    assert 0.5 * np.sum((P - ideal(y)) ** 2) <= 3 * miss + 1e-9


@pytest.mark.spec("C51")
@pytest.mark.parametrize(("noise", "left"), [(0.2, 10.0), (0.48, 55.0)])
def test_learning_on_four_sets_of_synth_lowers_its_criterion_and_the_loss_of_the_fifth(noise, left):
    data, other = Synth(noise=noise).make()
    psis, unseen = [x.pairs for x in data.inputs], [x.pairs for x in other.inputs]
    found = SpectralLearning(steps=40).fit(psis, data.labels)
    assert np.all(np.diff(found.trace) <= 0.0)
    # At w = 0 every eigenvector has the share k / m: J = 1 - 5 / 100.
    assert found.trace[0] == pytest.approx(0.95)
    assert found.trace[-1] < 0.3
    assert found.relaxed_after < 20.0 < 70.0 < found.relaxed_before
    assert relaxed_loss(found.w, unseen, other.labels) < left
    assert relaxed_loss(np.ones(len(found.w)), unseen, other.labels) > 70.0
    assert found.similarity(unseen[0]).shape == (100, 100)


@pytest.mark.parametrize(
    ("psis", "truths", "said"),
    [
        ([np.ones((3, 2))], [[0, 1, 2]], "only singletons"),
        (
            [np.ones((3, 2)), np.ones((3, 1))],
            [[0, 0, 1], [0, 0, 1]],
            "item set 1 has 1 pair features but item set 0 2",
        ),
        ([np.ones((3, 2))], [[0, 0]], "2 entries but there are 3 items"),
        ([], [], "0 psis"),
    ],
)
def test_bad_sets_are_refused(psis, truths, said):
    with pytest.raises(Refused, match=said):
        SpectralLearning().fit(psis, truths)
