"""What every loss promises, and that the menu is complete."""

import importlib
import pkgutil
from itertools import product
from typing import Any

import numpy as np
import pytest

import explorer.engine.losses as losses
import explorer.engine.structures.clusterings.losses as clustering_losses
from explorer.engine.catalogue.losses import LOSSES
from explorer.engine.contracts import Counts, Decomposes
from explorer.engine.losses import CostMatrix, FScore, Hamming, IoU, ZeroOne

PRICES = ((0.0, 1.0, 100.0), (2.0, 0.0, 3.0), (0.5, 4.0, 0.0))


def sequences(states: int, length: int) -> list[Any]:
    return [np.array(y) for y in product(range(states), repeat=length)]


def boxes(size: int) -> list[Any]:
    spans = [(a, b) for a in range(size) for b in range(a + 1, size + 1)]
    return [(x0, y0, x1, y1) for (x0, x1), (y0, y1) in product(spans, spans)]


CASES = (
    (ZeroOne(), sequences(3, 3)),
    (ZeroOne(), [0, 1, 2]),
    (ZeroOne(), ["cat", "dog", "cats"]),
    (ZeroOne(), [((0, 1), 2), ((0, 1), 3), ((0, 1),)]),
    (Hamming(), sequences(3, 3)),
    (Hamming(normalised=True), sequences(3, 3)),
    (Hamming(), [0, 1, 2]),
    (CostMatrix(PRICES), sequences(3, 3)),
    (CostMatrix(PRICES, normalised=True), sequences(3, 3)),
    (CostMatrix(PRICES), [0, 1, 2]),
    (IoU(), boxes(4)),
    (FScore(), sequences(2, 5)),
)


@pytest.mark.spec("A2")
@pytest.mark.parametrize(("loss", "labels"), CASES, ids=lambda case: type(case).__name__)
def test_the_truth_costs_nothing_and_everything_else_something(loss: Any, labels: list[Any]) -> None:
    for (i, truth), (j, label) in product(enumerate(labels), enumerate(labels)):
        value = loss.value(truth, label)
        assert type(value) is float
        assert (value == 0.0) if i == j else (value > 0.0)


@pytest.mark.parametrize("loss", [Hamming(), Hamming(normalised=True), CostMatrix(PRICES)])
def test_a_loss_that_decomposes_is_the_sum_of_its_costs(loss: Any) -> None:
    assert isinstance(loss, Decomposes)
    costs = loss.costs(3)
    for truth, label in product(sequences(3, 3), sequences(3, 3)):
        by_hand = sum(costs[t, s] for t, s in zip(truth, label, strict=True)) / (3 if loss.normalised else 1)
        assert loss.value(truth, label) == pytest.approx(by_hand, rel=1e-12)


@pytest.mark.parametrize("loss", [ZeroOne(), Hamming(), Hamming(normalised=True)])
def test_a_loss_that_counts_agrees_with_its_count(loss: Any) -> None:
    assert isinstance(loss, Counts)
    for truth, label in product(sequences(3, 3), sequences(3, 3)):
        assert loss.value(truth, label) == loss.of_count(int((truth != label).sum()), 3)


@pytest.mark.parametrize("loss", [ZeroOne(), Hamming(), CostMatrix(PRICES), IoU(), FScore()])
def test_a_loss_decomposes_or_counts_or_says_why_not(loss: Any) -> None:
    folds_in = isinstance(loss, Decomposes | Counts)
    assert folds_in != bool(getattr(loss, "undecomposed", ""))


def test_zero_one_does_not_pretend_to_be_a_sum_over_positions() -> None:
    assert not isinstance(ZeroOne(), Decomposes)


def test_every_module_of_the_folder_is_in_the_menu() -> None:
    folders = (losses, clustering_losses)
    files = [
        f"{folder.__name__}.{name}"
        for folder in folders
        for _, name, _ in pkgutil.iter_modules(folder.__path__)
    ]
    assert sorted(file for file in files if "._" not in file) == sorted(loss.__module__ for loss in LOSSES)
    for file in files:
        importlib.import_module(file)


@pytest.mark.parametrize("loss", LOSSES)
def test_every_loss_has_a_menu_name_and_one_sentence(loss: Any) -> None:
    assert loss.title
    assert loss.help.endswith(".")
    assert loss.help.count(". ") == 0


def test_menu_names_are_unique() -> None:
    assert len({loss.title for loss in LOSSES}) == len(LOSSES)


def test_equal_settings_make_equal_hashable_losses() -> None:
    assert {Hamming(), Hamming(False)} == {Hamming()}
    assert hash(CostMatrix(PRICES)) == hash(CostMatrix(np.array(PRICES)))  # type: ignore[arg-type]
