"""Block sequences: hidden stretches of + in a - sequence, seen through noisy features with flipped signs.

Iglesias 2013, section 4.2 and appendix B.2; limits, redraw and noise features as in the toolbox of Raetsch
and Zeller:

    labels     m blocks, m uniform in 0..5; a block draws r uniformly in 10..99, starts uniformly in 0..T-r-1
               and turns r + 1 positions to +; blocks may overlap; a sequence that begins or ends with + is
               drawn again
    features   x = s l + N(0, 4^2) with l = -1 or +1; s = -1 at round(N p) of all N positions, chosen for each
               feature alone, else +1; the last `noise_features` features are N(0, 4^2) without any signal

N counts the positions of train and test together, which are drawn at once and then split. Block lengths are
meant for 250 positions; shorter sequences scale them by T / 250. Cost: linear in N times the number of
features.
"""

import numpy as np
from numpy.typing import NDArray

from explorer.engine.checks import sequences
from explorer.engine.contracts import Dataset
from explorer.engine.knobs import knob, settings
from explorer.engine.refusals import Refused
from explorer.engine.vectors import Array, Ints

STATES = ("-", "+")
NOISE = 4.0
"""Standard deviation of what is added to every feature."""

FULL_LENGTH = 250
REDRAWS = 10_000


def blocks(
    n: int = 100,
    n_test: int = 100,
    length: int = 250,
    features: int = 10,
    noise_features: int = 3,
    distortion: float = 0.2,
    seed: int = 0,
    block_length: tuple[int, int] = (10, 100),
    block_count: tuple[int, int] = (0, 6),
) -> tuple[Dataset, Dataset]:
    """Train and test; limits are half-open, meta "flips" (n, T, F) tells which signs were turned."""
    _check(features, noise_features, distortion, block_length, block_count)
    rng = np.random.default_rng(seed)
    spans = _scaled(block_length, length)
    labels = np.stack([block_labels(rng, length, spans, block_count) for _ in range(n + n_test)])
    flips = flip_mask(rng, labels.size, features, distortion).reshape(*labels.shape, features)
    inputs = _observed(rng, labels, flips, noise_features)
    train, test = slice(0, n), slice(n, n + n_test)
    return (
        _dataset("blocks", inputs[train], labels[train], flips[train], distortion, noise_features),
        _dataset("blocks (test)", inputs[test], labels[test], flips[test], distortion, noise_features),
    )


def block_labels(
    rng: np.random.Generator, length: int, spans: tuple[int, int], count: tuple[int, int]
) -> Ints:
    """One 0/1 sequence that begins and ends with 0."""
    for _ in range(REDRAWS):
        labels = np.zeros(length, dtype=np.int64)
        for r in rng.integers(*spans, size=rng.integers(*count)):
            start = rng.integers(0, max(length - r, 1))
            labels[start : start + r + 1] = 1
        if not (labels[0] or labels[-1]):
            return labels
    raise Refused(
        f"{length} positions leave no room around the blocks; take longer sequences or shorter blocks"
    )


def flip_mask(rng: np.random.Generator, positions: int, features: int, share: float) -> NDArray[np.bool_]:
    """For each feature (column) exactly round(positions * share) true entries, chosen without replacement."""
    flips = np.zeros((positions, features), dtype=np.bool_)
    count = int(np.floor(positions * share + 0.5))
    for f in range(features):
        flips[rng.choice(positions, count, replace=False), f] = True
    return flips


def _observed(rng: np.random.Generator, labels: Ints, flips: NDArray[np.bool_], noise_features: int) -> Array:
    signs: Array = np.where(flips, -1.0, 1.0) * (2.0 * labels - 1.0)[..., None]
    signs[..., flips.shape[-1] - noise_features :] = 0.0
    signs += rng.normal(scale=NOISE, size=signs.shape)
    return signs


def _scaled(limits: tuple[int, int], length: int) -> tuple[int, int]:
    """The limits of the block length, shrunk when the sequences are shorter than 250."""
    low, high = (max(1, round(limit * min(1.0, length / FULL_LENGTH))) for limit in limits)
    return low, max(high, low + 1)


def _check(
    features: int, noise_features: int, distortion: float, spans: tuple[int, int], count: tuple[int, int]
) -> None:
    if not 0 <= noise_features <= features:
        raise Refused(f"noise_features is {noise_features}; choose between 0 and all {features} features")
    if not 0.0 <= distortion <= 1.0:
        raise Refused(f"distortion is {distortion}; it is a share, choose between 0 and 1")
    for name, (low, high) in (("block_length", spans), ("block_count", count)):
        if not 0 <= low < high:
            raise Refused(
                f"{name} is ({low}, {high}); the second limit is exclusive and must exceed the first"
            )


def _dataset(
    name: str, inputs: Array, labels: Ints, flips: NDArray[np.bool_], distortion: float, noise_features: int
) -> Dataset:
    return sequences(
        name, inputs, labels, STATES, flips=flips, distortion=distortion, noise_features=noise_features
    )


@settings
class Blocks:
    """Sequences with blocks of a hidden state, seen through flipped and noisy features."""

    n: int = knob(40, "Training sequences.", low=2, high=500)
    n_test: int = knob(20, "Test sequences.", low=1, high=500)
    length: int = knob(100, "Positions of each sequence.", low=10, high=1000)
    distortion: float = knob(
        0.2, "Share of the positions whose sign is flipped, for each feature.", low=0.0, high=0.5
    )
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    def make(self) -> tuple[Dataset, Dataset | None]:
        """Training and test sequences."""
        return blocks(self.n, self.n_test, self.length, distortion=self.distortion, seed=self.seed)
