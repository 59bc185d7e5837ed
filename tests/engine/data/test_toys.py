"""The toys have the coordinates that the publications print."""

import math

import numpy as np
import pytest

from explorer.engine.data.toys import (
    ANIMALS_AND_CARS,
    animals_and_cars,
    circle,
    four_points,
    overlapping,
    two_gaussians,
    two_points,
)
from explorer.engine.losses import CostMatrix
from explorer.engine.refusals import Refused


def test_the_four_points_are_those_of_the_objective_surface() -> None:
    data = four_points()
    signs = [data.meta["states"][k] for k in data.labels]
    assert list(zip(np.ravel(data.inputs), signs, strict=True)) == [
        (-10, "+1"),
        (-4, "+1"),
        (6, "-1"),
        (5, "-1"),
    ]
    assert np.shape(data.inputs) == (4, 1)


def test_the_two_points_are_one_step_left_and_right() -> None:
    data = two_points()
    assert np.asarray(data.inputs).tolist() == [[-1, 0], [1, 0]]
    assert list(data.labels) == [0, 1]


def test_the_circle_has_twelve_points_and_one_wrong_label() -> None:
    data = circle()
    for i, x in enumerate(data.inputs):
        angle = math.pi * i / 6
        assert x == pytest.approx([math.cos(angle), math.sin(angle), 1.0], abs=1e-15)
    assert list(data.labels) == [1, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]


def test_the_gaussians_sit_at_their_centres() -> None:
    for data in two_gaussians(per_class=2000, distance=5.0, seed=1):
        x, y = np.asarray(data.inputs), np.asarray(data.labels)
        assert x.shape == (4000, 2)
        assert x[y == 0].mean(axis=0) == pytest.approx([0, 0], abs=0.1)
        assert x[y == 1].mean(axis=0) == pytest.approx([5, 5], abs=0.1)
        assert x[y == 1].std(axis=0) == pytest.approx([1, 1], abs=0.1)


def test_swapping_exchanges_that_many_labels_of_each_class_and_moves_no_point() -> None:
    plain, _ = two_gaussians(seed=2)
    train, test = two_gaussians(swapped=3, seed=2)
    assert np.array_equal(np.asarray(plain.inputs), np.asarray(train.inputs))
    for data in (train, test):
        assert [int(np.sum(np.asarray(data.labels)[rows] == 1)) for rows in (slice(20), slice(20, 40))] == [
            3,
            17,
        ]


@pytest.mark.parametrize("swapped", [-1, 21])
def test_more_swaps_than_points_are_refused(swapped: int) -> None:
    with pytest.raises(Refused, match=f"swapped is {swapped}"):
        two_gaussians(swapped=swapped)


def test_the_overlapping_classes_lie_at_plus_and_minus_one() -> None:
    train, test = overlapping(per_class=3000)
    x, y = np.asarray(train.inputs), np.asarray(train.labels)
    assert x[y == 1].mean(axis=0) == pytest.approx([1, 1], abs=0.1)
    assert x[y == 0].mean(axis=0) == pytest.approx([-1, -1], abs=0.1)
    assert len(overlapping()[0]) == len(overlapping()[1]) == 120
    assert len(test) == 6000


def test_dogs_mix_with_cats_more_than_with_buses_and_not_with_cars() -> None:
    train, _ = animals_and_cars(per_class=4000, seed=5)
    x, y = np.asarray(train.inputs), np.asarray(train.labels)
    centres = np.stack([x[y == k].mean(axis=0) for k in range(4)])
    nearest = np.linalg.norm(x[:, None] - centres, axis=2).argmin(axis=1)
    taken_for = dict(zip(ANIMALS_AND_CARS, np.bincount(nearest[y == 0], minlength=4) / 4000, strict=True))
    assert 0.06 < taken_for["cat"] < 0.16
    assert 0.03 < taken_for["bus"] < taken_for["cat"]
    assert taken_for["car"] < 0.02


def test_the_costs_of_the_animals_make_a_loss() -> None:
    train, _ = animals_and_cars()
    loss = CostMatrix(train.meta["costs"])
    dog, cat, bus = (ANIMALS_AND_CARS.index(name) for name in ("dog", "cat", "bus"))
    assert (loss.value(dog, cat), loss.value(dog, bus), loss.value(bus, dog)) == (1.0, 100.0, 1.0)
