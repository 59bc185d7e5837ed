"""Small point sets with known answers, most of them in the plane.

    four points       x = -10, -4 labelled +1 and 6, 5 labelled -1 (Iglesias 2013, fig. 3.1)
    two points        (-1, 0) labelled -1, (1, 0) labelled +1: the best line has w = (1, 0), b = 0, margin 1
    two Gaussians     N(0, I) against N((d, d), I), some labels exchanged (Iglesias 2013, figs. 2.2 to 2.4)
    overlapping       N(-(1, 1), I) against N((1, 1), I)
    circle            (cos 30 i, sin 30 i, 1) in degrees, i = 0..11, class floor(i / 4), but class 1 for i = 0
    animals and cars  four unit Gaussians around the origin (dog, cat and bus of the lecture "Structured
                      Learning")

Random sets come as (train, test) from one distribution. Only the circle carries a constant feature. Cost:
none.
"""

from collections.abc import Sequence

import numpy as np

from explorer.engine.checks import points
from explorer.engine.contracts import Dataset
from explorer.engine.knobs import knob, settings
from explorer.engine.refusals import Refused
from explorer.engine.vectors import Array, Ints

SIGNS = ("-1", "+1")
ANIMALS_AND_CARS = ("dog", "cat", "bus", "car")

ANGLES = np.deg2rad([90.0, 150.0, 20.0, 265.0])
"""Where dog, cat, bus and car lie on their circle: the dog between the cat (nearer) and the bus."""

RADIUS = 2.5

COSTS = (
    (0.0, 1.0, 100.0, 1.0),
    (1.0, 0.0, 1.0, 1.0),
    (1.0, 1.0, 0.0, 1.0),
    (1.0, 1.0, 1.0, 0.0),
)
"""What a mistake costs among dog, cat, bus and car: 1, but 100 for a dog taken for a bus."""


def four_points() -> Dataset:
    """The line toy of the objective surface, classes in the order -1, +1."""
    return points("four points", np.array([[-10.0], [-4.0], [6.0], [5.0]]), [1, 1, 0, 0], SIGNS)


def two_points() -> Dataset:
    """(-1, 0) and (1, 0), one per class."""
    return points("two points", np.array([[-1.0, 0.0], [1.0, 0.0]]), [0, 1], SIGNS)


def circle() -> Dataset:
    """Twelve points on a circle in three arcs, the first of them mislabelled; the last feature is 1."""
    i = np.arange(12)
    angle = np.deg2rad(30.0 * i)
    labels = np.where(i == 0, 1, i // 4)
    return points(
        "circle", np.column_stack([np.cos(angle), np.sin(angle), np.ones(12)]), labels, ("0", "1", "2")
    )


def two_gaussians(
    per_class: int = 20, distance: float = 5.0, swapped: int = 0, seed: int = 0
) -> tuple[Dataset, Dataset]:
    """Unit Gaussians at 0 and (distance, distance); `swapped` points of each class have the other label."""
    if not 0 <= swapped <= per_class:
        raise Refused(f"swapped is {swapped}; exchange between 0 and all {per_class} labels of a class")
    rng = np.random.default_rng(seed)
    centres = np.array([[0.0, 0.0], [distance, distance]])
    train, test = (_exchanged(rng, *_clouds(rng, centres, per_class), swapped) for _ in range(2))
    return points("two Gaussians", *train, SIGNS), points("two Gaussians (test)", *test, SIGNS)


def overlapping(per_class: int = 60, seed: int = 0) -> tuple[Dataset, Dataset]:
    """Unit Gaussians at -(1, 1) and (1, 1), which no line separates."""
    return _two_draws("overlapping", np.array([[-1.0, -1.0], [1.0, 1.0]]), per_class, SIGNS, seed)


def animals_and_cars(per_class: int = 40, seed: int = 0) -> tuple[Dataset, Dataset]:
    """Dogs mixed with cats and somewhat with buses; meta "costs" prices a dog taken for a bus at 100."""
    centres = RADIUS * np.column_stack([np.cos(ANGLES), np.sin(ANGLES)])
    return _two_draws("animals and cars", centres, per_class, ANIMALS_AND_CARS, seed, costs=COSTS)


def _two_draws(
    name: str, centres: Array, per_class: int, states: Sequence[str], seed: int, **meta: object
) -> tuple[Dataset, Dataset]:
    rng = np.random.default_rng(seed)
    train, test = (_clouds(rng, centres, per_class) for _ in range(2))
    return points(name, *train, states, **meta), points(f"{name} (test)", *test, states, **meta)


def _clouds(rng: np.random.Generator, centres: Array, per_class: int) -> tuple[Array, Ints]:
    """`per_class` unit-variance points around each centre, class by class."""
    labels = np.repeat(np.arange(len(centres)), per_class)
    return centres[labels] + rng.normal(size=(len(labels), centres.shape[1])), labels


def _exchanged(rng: np.random.Generator, inputs: Array, labels: Ints, swapped: int) -> tuple[Array, Ints]:
    """The same points with `swapped` labels of each of two classes exchanged."""
    chosen = [rng.choice(np.flatnonzero(labels == k), swapped, replace=False) for k in (0, 1)]
    changed = labels.copy()
    changed[np.concatenate(chosen)] ^= 1
    return inputs, changed


@settings
class FourPoints:
    """Four points on a line, the toy of the objective-surface figure."""

    def make(self) -> tuple[Dataset, Dataset | None]:
        """The four points; there is nothing to test on."""
        return four_points(), None


@settings
class Circle:
    """Twelve points on a circle in three classes, one of them mislabelled."""

    def make(self) -> tuple[Dataset, Dataset | None]:
        """The twelve points; there is nothing to test on."""
        return circle(), None


@settings
class TwoGaussians:
    """Two clouds in the plane."""

    per_class: int = knob(20, "Points in each class.", low=2, high=500)
    distance: float = knob(5.0, "How far the second centre lies along both axes.", low=0.0, high=10.0)
    swapped: int = knob(
        0, "Labels exchanged in each class; more than 0 makes the classes inseparable.", low=0, high=50
    )
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    def make(self) -> tuple[Dataset, Dataset | None]:
        """Training and test points of the same draw."""
        return two_gaussians(self.per_class, self.distance, self.swapped, self.seed)


@settings
class Animals:
    """Dogs, cats, buses and cars in the plane; some dogs look like buses."""

    per_class: int = knob(40, "Points in each class.", low=2, high=500)
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    def make(self) -> tuple[Dataset, Dataset | None]:
        """Training and test points of the same draw."""
        return animals_and_cars(self.per_class, self.seed)
