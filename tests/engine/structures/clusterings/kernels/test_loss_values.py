"""Losses that are kept up to date item by item, against their definitions."""

from itertools import product

import numpy as np
import pytest

from explorer.engine.pricing import Pricing
from explorer.engine.structures.clusterings.kernels.loss_values import (
    NONE,
    Stake,
    joining,
    loss_from,
    price,
    smallest_gain,
    worth,
)
from explorer.engine.structures.clusterings.loss_codes import NUMBERS
from explorer.engine.structures.clusterings.losses import Mitre, Normalised, Pairwise
from explorer.engine.structures.clusterings.oracles._kernel_question import kernel_question
from explorer.engine.structures.clusterings.partitions import canonical
from explorer.engine.structures.clusterings.question import Question
from explorer.engine.vectors import Ints


def stake_for(
    number: int, truth: Ints, score: float = 0.0, slack: bool = False, squared: bool = False
) -> Stake:
    return Stake(number, truth, np.bincount(truth), score, slack, squared)


@pytest.mark.parametrize("loss", [Pairwise(), Mitre(), Normalised()], ids=lambda loss: loss.title)
def test_losses_grow_item_by_item_to_their_definition(loss: Pairwise | Mitre | Normalised) -> None:
    rng = np.random.default_rng(0)
    for _ in range(30):
        m = int(rng.integers(1, 9))
        truth, label = canonical(rng.integers(0, 3, m)), canonical(rng.integers(0, 4, m))
        stake = stake_for(NUMBERS[type(loss)], truth)
        shared, part = np.zeros((truth.max() + 1, m), int), 0.0
        for t, c in zip(truth, label, strict=True):
            spread = np.sum(shared[:, c] ** 2 / stake.sizes)
            part += joining(stake, t, shared[t, c], shared[:, c].sum(), spread)
            shared[t, c] += 1
        assert loss_from(stake, part, label.max() + 1) == pytest.approx(loss.value(truth, label), abs=1e-9)


def test_worth_is_the_pricings_violation() -> None:
    rng = np.random.default_rng(1)
    for scaling, penalty in product(("margin", "slack"), ("linear", "squared")):
        pricing = Pricing(scaling, penalty)
        for margin, loss in rng.normal(size=(5, 2)) * 10.0:
            flags = scaling == "slack", penalty == "squared"
            assert price(*flags, margin, abs(loss)) == pytest.approx(pricing.violation(margin, abs(loss)))
            assert price(*flags, margin, 0.0) == pricing.violation(margin, 0.0)
        truth = np.array([0, 0, 1])
        stake = stake_for(1, truth, 5.0, scaling == "slack", penalty == "squared")
        pairs = Pairwise().value(truth, np.array([0, 1, 1]))
        assert worth(stake, 2.0, 1.0, 2) == pytest.approx(pricing.violation(3.0, pairs))


def test_without_a_loss_the_worth_is_the_score_and_nothing_joins() -> None:
    stake = stake_for(NONE, np.zeros(4, np.int64))
    assert worth(stake, -3.5, 9.0, 2) == -3.5
    assert joining(stake, 0, 1, 2, 3.0) == 0.0


def test_the_smallest_gain_follows_the_size_of_the_numbers() -> None:
    truth = np.zeros(3, np.int64)
    assert smallest_gain(stake_for(NONE, truth), 0.0) == 0.0
    assert smallest_gain(stake_for(NONE, truth), 1e9) == pytest.approx(1e-3)
    assert smallest_gain(stake_for(2, truth), 0.0) == pytest.approx(1e-10)
    assert smallest_gain(stake_for(2, truth, 1.0, True), 3.0) == pytest.approx(5e-10)


def test_a_loss_that_folds_is_no_longer_at_stake() -> None:
    truth, K = np.array([0, 0, 1]), np.ones((3, 3))
    folds, stays = (
        kernel_question(Question(K, None, truth, Pairwise())),
        kernel_question(Question(K, 2, truth, Pairwise())),
    )
    assert folds is not None
    assert stays is not None
    assert (folds.stake.loss, stays.stake.loss) == (NONE, NUMBERS[Pairwise])
    read_only = K.copy()
    read_only.setflags(write=False)
    told = kernel_question(Question(read_only.T))
    assert told is not None
    assert told.K.flags.writeable
    assert told.K.flags.c_contiguous
