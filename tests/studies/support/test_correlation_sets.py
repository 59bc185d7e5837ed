"""Correlation clustering trained for studies: prices, folds, paired differences, what needs no learning."""

import math

import numpy as np
import pytest

from explorer.engine.contracts import Dataset
from explorer.engine.data.coreference import coreference
from explorer.engine.objective import value
from explorer.engine.refusals import Refused
from explorer.engine.runs.streams import Cancelled
from explorer.engine.structures.clusterings.item_sets import item_set
from explorer.engine.structures.clusterings.oracles import AllPartitions
from explorer.engine.structures.clusterings.partitions import all_partitions, together
from explorer.engine.structures.clusterings.problem import Clustering
from explorer.studies.support.correlation_sets import (
    LOSSES,
    MITRE,
    PAIR_PRICES,
    PAIRWISE,
    Manner,
    correlation,
    decades,
    default_losses,
    fits,
    losses_of,
    machine,
    pair_fits,
    pair_machine,
    paired_test,
)

MANNER = Manner((1e2, 1e3), 2, 0.01, 300, 0)


@pytest.fixture(scope="module")
def tiny() -> Clustering:
    """Six sets of five items whose truths are the best partitions under noisy similarities (requirement
    4.7).
    """
    rng = np.random.default_rng(3)
    inputs, labels = [], []
    for _ in range(6):
        psi = rng.normal(size=(10, 4))
        K = psi @ np.array([1.0, -1.0, 0.5, -0.3]) + 0.8 * rng.normal(size=10)
        inputs.append(item_set(5, pairs=psi))
        labels.append(max(all_partitions(5), key=lambda y: float(K @ together(y))))
    meta = {"features": ("a", "b", "c", "d"), "about": "", "each": ()}
    data = Dataset("tiny", tuple(inputs), tuple(labels), meta)
    return correlation(data, separator=AllPartitions(), predictor=AllPartitions())


@pytest.mark.spec("C13")
def test_a_path_of_prices_ends_at_the_known_optima_of_the_tiny_problem(tiny: Clustering) -> None:
    found = list(fits(tiny, (1e2, 1e3), MANNER))
    assert [model.C for model in found] == [1e2, 1e3]
    for model, optimum in zip(found, (6769.1637, 62229.540), strict=True):
        assert value(tiny, model.w, model.C) == pytest.approx(optimum, rel=1e-3)
    assert found[1].rounds > found[0].rounds, "rounds at smaller C are part of what it took"


def test_prices_are_powers_of_ten_from_the_smallest() -> None:
    assert decades(1e5, 1e8) == pytest.approx((1e5, 1e6, 1e7, 1e8))
    assert decades(3.0, 200.0) == pytest.approx((3.0, 30.0))
    assert decades(7.0, 7.0) == (7.0,)
    with pytest.raises(Refused, match="swap"):
        decades(10.0, 1.0)


def test_a_single_price_is_taken_without_cross_validation(tiny: Clustering) -> None:
    notes: list[str] = []
    model = machine(tiny, Manner((1e2,), 3, 0.1, 100, 0), notes.append)
    assert model.C == 1e2
    assert notes
    assert not any("fold" in note for note in notes)


def test_the_price_is_chosen_on_folds_of_the_training_sets_alone(tiny: Clustering) -> None:
    notes: list[str] = []
    prices = (1e-6, 1e3)
    model = machine(tiny, Manner(prices, 3, 0.1, 100, 0), notes.append)
    assert any(note.startswith("fold 3 of 3: ") for note in notes)
    assert model.C in prices
    # By hand: the mean loss of each price over the same three folds.
    from explorer.engine.data.item_sets import take_sets
    from explorer.studies.support.selection import folds_of

    means = []
    for C in prices:
        parts = []
        for held in folds_of(6, 3, 0):
            rest = [i for i in range(6) if i not in held]
            (*_, last) = fits(tiny.on(take_sets(tiny.dataset, rest, "")), (C,), MANNER)
            parts.append(
                float(np.mean(losses_of(tiny.on(take_sets(tiny.dataset, held.tolist(), "")), last.w)))
            )
        means.append(float(np.mean(parts)))
    assert prices[int(np.argmin(means))] == model.C


def test_rounds_are_limited(tiny: Clustering) -> None:
    (model,) = fits(tiny, (1e3,), Manner((1e3,), 2, 1e-6, 2, 0))
    assert model.rounds == 2


def test_a_pulse_may_end_a_training_in_the_middle(tiny: Clustering) -> None:
    def enough(note: str) -> None:
        if "violation" in note:
            raise Cancelled

    with pytest.raises(Cancelled):
        list(fits(tiny, (1e3,), MANNER, enough))


def test_the_same_seed_trains_the_same_model(tiny: Clustering) -> None:
    first, again = (machine(tiny, MANNER) for _ in range(2))
    assert first.C == again.C
    np.testing.assert_array_equal(first.w, again.w)


def test_pairs_are_classified_at_every_price_and_clustered_like_any_weights() -> None:
    train, test = coreference(4, 3, 10, 0)
    problem = correlation(train, MITRE)
    found = list(pair_fits(problem, PAIR_PRICES[:2]))
    assert [model.C for model in found] == list(PAIR_PRICES[:2])
    model = pair_machine(problem, Manner((1.0,), 2, 0.1, 10, 0))
    assert model.C in PAIR_PRICES
    assert losses_of(correlation(test, MITRE), model.w).shape == (3,)


def test_clusterings_that_need_no_learning_have_the_losses_of_the_definitions() -> None:
    data = Dataset("one", (item_set(5, pairs=np.ones((10, 1))),), (np.array([0, 0, 0, 1, 1]),))
    # abc/de: 4 of 10 pairs are together; all in one has R = 1, P = 3/4 in MITRE's links.
    assert default_losses(correlation(data, PAIRWISE), "all apart") == pytest.approx([40.0])
    assert default_losses(correlation(data, PAIRWISE), "all in one") == pytest.approx([60.0])
    assert default_losses(correlation(data, MITRE), "all apart") == pytest.approx([100.0])
    assert default_losses(correlation(data, MITRE), "all in one") == pytest.approx([100.0 / 7.0])
    assert list(LOSSES) == [MITRE, PAIRWISE]


def test_paired_differences_are_those_of_an_independent_t_test() -> None:
    from scipy.stats import ttest_rel

    rng = np.random.default_rng(1)
    a, b = rng.normal(size=9), rng.normal(size=9) + 0.5
    found = paired_test(a, b)
    assert found.difference == pytest.approx(np.mean(a - b))
    assert found.sd == pytest.approx(np.std(a - b, ddof=1))
    assert found.p == pytest.approx(float(ttest_rel(a, b).pvalue))


def test_paired_differences_without_any_spread_are_certain_or_none() -> None:
    ones = np.ones(4)
    assert paired_test(ones, ones) == (0.0, 0.0, 1.0)
    assert paired_test(ones + 1.0, ones) == (1.0, 0.0, 0.0)
    single = paired_test(np.array([2.0]), np.array([1.5]))
    assert single.difference == 0.5
    assert math.isnan(single.sd)
    assert math.isnan(single.p)
