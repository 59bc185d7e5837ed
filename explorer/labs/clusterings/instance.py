"""One similarity to try clusterers on: a source's figure, a random matrix, or drawn points; and its truth.

    random          K_ij = K_ji from N(0, 1), K_ii = 0; the truth is drawn apart from K
    threshold       K_ij = scale (reach - |x_i - x_j|)
    Gaussian        K_ij = scale (exp(-|x_i - x_j|^2 / (2 reach^2)) - 1/2)

Points lie in the unit square and scale is 10. Single entries can be overwritten, and every item can be given
another true cluster. The same choice is the same instance. Cost: the m^2 entries.
"""

from dataclasses import dataclass, replace
from string import ascii_letters

import numpy as np

from explorer.engine.data.cluster_figures import FIGURES, figure
from explorer.engine.structures.clusterings.losses import CLUSTER_LOSSES
from explorer.engine.structures.clusterings.partitions import canonical
from explorer.engine.vectors import Array, Ints
from explorer.labs.places import circle

RANDOM, POINTS = "random", "points"
SHAPES = {"threshold": "a distance below the reach", "Gaussian": "a Gaussian of the distance, less a half"}
ASKS = {"predict": "the best clustering", "violated": "the most tempting clustering"}
LOSSES = tuple(loss.title for loss in CLUSTER_LOSSES)
SCALINGS = ("margin", "slack")
SIZES = (2, 30)
SCALE, LARGEST, LARGEST_SEED = 10.0, 99.0, 9999
MOST_EDITS = 60

Edit = tuple[int, int, float]
FEW_POINTS = (
    (0.15, 0.75),
    (0.24, 0.86),
    (0.3, 0.72),
    (0.46, 0.6),
    (0.68, 0.7),
    (0.79, 0.62),
    (0.75, 0.8),
    (0.5, 0.22),
    (0.62, 0.17),
)
"""Two groups with a point between them, and a pair."""


@dataclass(frozen=True, slots=True)
class ClusterChoice:
    """What was asked for; an empty `truth` is the source's own, `edits` are entries (i, j, value), i <= j."""

    source: str = "figure 3.1"
    size: int = 9
    seed: int = 0
    shape: str = "threshold"
    reach: float = 0.3
    points: tuple[tuple[float, float], ...] = FEW_POINTS
    edits: tuple[Edit, ...] = ()
    truth: tuple[int, ...] = ()
    asks: str = "predict"
    loss: str = "pairwise"
    scaling: str = "margin"
    groups: int = 3

    def in_range(self) -> "ClusterChoice":
        """The nearest choice that is possible."""
        size = int(np.clip(self.size, *SIZES))
        points = self.points[: SIZES[1]] if len(self.points) >= SIZES[0] else FEW_POINTS
        m = len(figure(self.source).truth) if self.source in FIGURES else len(points)
        m = size if self.source == RANDOM else m
        last = {(min(i, j), max(i, j)): float(np.clip(v, -LARGEST, LARGEST)) for i, j, v in self.edits}
        edits = tuple((i, j, v) for (i, j), v in sorted(last.items()) if i >= 0 and j < m)[:MOST_EDITS]
        truth = tuple(canonical(self.truth).tolist()) if len(self.truth) == m else ()
        return replace(
            self, size=size, points=points, edits=edits, truth=truth, groups=int(np.clip(self.groups, 1, m))
        )


@dataclass(frozen=True, slots=True, eq=False)
class ClusterCase:
    """A similarity, its true clustering, the items' names and where they are drawn."""

    choice: ClusterChoice
    K: Array
    truth: Ints
    names: tuple[str, ...]
    place: Array

    @property
    def m(self) -> int:
        """How many items."""
        return len(self.K)


def cluster_case(choice: ClusterChoice) -> ClusterCase:
    """The similarity of a choice."""
    choice = choice.in_range()
    if choice.source in FIGURES:
        given = figure(choice.source)
        K, truth, names, place = given.K.copy(), given.truth, given.names, on_circle(len(given.K))
    elif choice.source == RANDOM:
        K, truth = _random(choice.size, choice.seed)
        names, place = tuple(ascii_letters[: len(K)]), on_circle(len(K))
    else:
        place = np.array(choice.points, dtype=float)
        K, names = similarity_of(place, choice.shape, choice.reach), tuple(ascii_letters[: len(place)])
        truth = connect(K)
    for i, j, value in choice.edits:
        K[i, j] = K[j, i] = value
    return ClusterCase(choice, K, canonical(choice.truth) if choice.truth else truth, names, place)


def _random(m: int, seed: int) -> tuple[Array, Ints]:
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.normal(size=(m, m)), 1)
    return upper + upper.T, canonical(rng.integers(0, max(1, round(m / 3)), size=m))


def similarity_of(place: Array, shape: str, reach: float) -> Array:
    """K of points, with a diagonal of 0."""
    away = np.linalg.norm(place[:, None] - place[None], axis=2)
    close = reach - away if shape == "threshold" else np.exp(-0.5 * (away / reach) ** 2) - 0.5
    K = SCALE * close
    np.fill_diagonal(K, 0.0)
    return K


def connect(K: Array) -> Ints:
    """Items that chains of positive pairs connect: the truth of drawn points until it is edited."""
    near = (K > 0.0) | np.eye(len(K), dtype=bool)
    for _ in range(len(K).bit_length()):
        near = (near.astype(int) @ near.astype(int)) > 0
    return canonical(np.argmax(near, axis=1))


def on_circle(m: int) -> Array:
    """Clockwise from the top, in the unit square."""
    return 0.5 + 0.42 * circle(m)


def move_on(labels: Ints, item: int) -> tuple[int, ...]:
    """The item in the next cluster of the others; after the last one it is alone, then back in the first."""
    others = canonical(np.delete(labels, item))
    own = np.delete(labels, item) == labels[item]
    count = int(others.max(initial=-1)) + 1
    now = int(others[own][0]) if own.any() else count
    return tuple(canonical(np.insert(others, item, (now + 1) % (count + 1))).tolist())


def describe(case: ClusterCase) -> str:
    """The instance in words."""
    choice, m = case.choice, case.m
    title = {
        RANDOM: f"Random similarity of {m} items, seed {choice.seed}",
        POINTS: f"{m} points, similarity from {SHAPES[choice.shape]} {choice.reach:g}",
    }.get(choice.source, f"{choice.source[:1].upper()}{choice.source[1:]}, {m} items")
    changed = f", {len(choice.edits)} entries changed" if len(choice.edits) > 1 else ", one entry changed"
    return title + (changed if choice.edits else "")
