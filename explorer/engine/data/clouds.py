"""Points in the plane to be clustered: clouds with a misleading axis, two moons, and the six points of figure
6.1.

    clouds   groups side by side along x; along y all points are spread alike, so that plain distance is
             misled by y psi_ij = [-dx^2, -dy^2, 1]: with w = (a, 0, b) two points are similar if |dx| < (b /
             a)^(1/2)
    moons    two half circles that reach into each other; psi_ij = [-dx^2, -dy^2, s / (s + d^2), 1]. Near
             neighbours are in the same moon, far points may be too: single links follow a moon, sums over all
             pairs do not
    links    Finley 2009, figure 6.1, psi_ij = [1 / dx^2, 1 / dy^2, 1]: two weightings find the same two
             clusters through different links, and without the 1 everything is linked

The centres of neighbouring clouds are 1 to 1.4 apart. Cost: one look at every pair.
"""

import numpy as np

from explorer.engine.contracts import Dataset
from explorer.engine.data.item_sets import differences, halves, item_sets
from explorer.engine.knobs import knob, settings
from explorer.engine.refusals import Refused
from explorer.engine.structures.clusterings.item_sets import ItemSet, item_set
from explorer.engine.vectors import Array, Ints

LINK_POINTS = ((1.0, 3.3), (0.5, 4.9), (2.6, 4.4), (8.2, 0.2), (9.8, 1.0), (7.3, 1.7))
NEAR = 0.02
"""s: the squared distance at which nearness is a half."""


def clouds(
    n: int = 6, n_test: int = 6, points: int = 18, groups: int = 4, noise: float = 0.08, seed: int = 0
) -> tuple[Dataset, Dataset]:
    """Training and test clouds: 2 up to `groups` of them in each set, side by side."""
    _check(n, n_test, points, noise)
    if not 2 <= groups <= points:
        raise Refused(f"groups is {groups}; choose 2 up to the number of points, {points}")
    rng = np.random.default_rng(seed)
    drawn = [_cloud(rng, points, groups, noise) for _ in range(n + n_test)]
    inputs = [_points(place, _axes(place), int(y.max()) + 1) for place, y in drawn]
    about = (
        "Points that belong together lie at the same place along the first axis; the second axis says "
        "nothing."
    )
    return halves(
        item_sets("clouds", inputs, [y for _, y in drawn], ("near in x", "near in y", "1"), about), n
    )


def _cloud(rng: np.random.Generator, points: int, groups: int, noise: float) -> tuple[Array, Ints]:
    """Points of 2 to `groups` clouds, at least one of each."""
    k = int(rng.integers(2, groups + 1))
    y = rng.permutation(np.arange(points) % k)
    centres = np.cumsum(rng.uniform(1.0, 1.4, size=k))
    x = centres[y] - centres.mean() + noise * rng.normal(size=points)
    return np.column_stack([x, rng.uniform(-2.0, 2.0, size=points)]), y


def moons(
    n: int = 6, n_test: int = 6, points: int = 30, noise: float = 0.04, seed: int = 0
) -> tuple[Dataset, Dataset]:
    """Training and test sets of two moons, turned at random."""
    _check(n, n_test, points, noise)
    rng = np.random.default_rng(seed)
    drawn = [_moon(rng, points, noise) for _ in range(n + n_test)]
    inputs = [_points(place, [*_axes(place), _nearness(place)], 2) for place, _ in drawn]
    about = "Two half circles that reach into each other: a point's nearest neighbours are in its own."
    names = ("near in x", "near in y", "close by", "1")
    return halves(item_sets("moons", inputs, [y for _, y in drawn], names, about), n)


def _moon(rng: np.random.Generator, points: int, noise: float) -> tuple[Array, Ints]:
    y = rng.permutation(np.arange(points) % 2)
    turn = np.empty(points)
    for side in (0, 1):  # evenly along the half circle, so that no gap is wider than the moons are apart
        size = np.count_nonzero(y == side)
        turn[y == side] = np.pi * (np.arange(size) + rng.uniform(0.25, 0.75, size=size)) / size
    flip = 1.0 - 2.0 * y
    place = np.column_stack([np.cos(turn) * flip + y, np.sin(turn) * flip + 0.4 * y])
    angle = rng.uniform(0.0, 2.0 * np.pi)
    turned = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return (place - place.mean(axis=0)) @ turned + noise * rng.normal(size=place.shape), y


def link_figure() -> Dataset:
    """The six points of figure 6.1, a b c / d e f."""
    place = np.array(LINK_POINTS)
    inverse = list(1.0 / differences(place).T ** 2)
    x = _points(place, inverse, None, tuple("abcdef"))
    about = "Six points that are linked in two different ways into the same two clusters."
    return item_sets("figure 6.1", [x], [(0, 0, 0, 1, 1, 1)], ("1 / dx^2", "1 / dy^2", "1"), about)


def _axes(place: Array) -> list[Array]:
    return list(-(differences(place).T ** 2))


def _nearness(place: Array) -> Array:
    return NEAR / (NEAR + np.sum(differences(place) ** 2, axis=1))


def _points(place: Array, alike: list[Array], groups: int | None, names: tuple[str, ...] = ()) -> ItemSet:
    pairs = np.column_stack([*alike, np.ones(len(alike[0]))])
    return item_set(len(place), pairs=pairs, names=names, place=place, groups=groups, where="a set of points")


def _check(n: int, n_test: int, points: int, noise: float) -> None:
    if min(n, n_test) < 1 or points < 4:
        raise Refused(f"n is {n}, n_test {n_test} and points {points}; choose at least 1, 1 and 4")
    if not (np.isfinite(noise) and noise >= 0.0):
        raise Refused(f"noise is {noise}; it is a standard deviation, choose 0 or more")


@settings
class Clouds:
    """Points in the plane whose groups lie side by side, while the other axis says nothing."""

    n: int = knob(6, "Training sets.", low=1, high=100)
    n_test: int = knob(6, "Test sets.", low=1, high=100)
    points: int = knob(18, "Points of each set.", low=4, high=200)
    groups: int = knob(4, "Most groups; every set has 2 up to this many.", low=2, high=12)
    noise: float = knob(
        0.08, "Standard deviation within a group, whose neighbours are 1 or more away.", low=0.0, high=1.0
    )
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    def make(self) -> tuple[Dataset, Dataset | None]:
        """Training and test sets of the same draw."""
        return clouds(self.n, self.n_test, self.points, self.groups, self.noise, self.seed)


@settings
class Moons:
    """Two half circles of points that reach into each other, so that only near neighbours tell."""

    n: int = knob(6, "Training sets.", low=1, high=100)
    n_test: int = knob(6, "Test sets.", low=1, high=100)
    points: int = knob(30, "Points of each set.", low=4, high=200)
    noise: float = knob(
        0.04, "Standard deviation around the half circles, which are 0.4 or more apart.", low=0.0, high=0.5
    )
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    def make(self) -> tuple[Dataset, Dataset | None]:
        """Training and test sets of the same draw."""
        return moons(self.n, self.n_test, self.points, self.noise, self.seed)


@settings
class LinkFigure:
    """Six points in two clusters, which two weightings find through different links."""

    def make(self) -> tuple[Dataset, Dataset | None]:
        """The one example; there is nothing to test on."""
        return link_figure(), None
