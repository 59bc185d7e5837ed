"""Handwritten digits, alone and in words.

Alone: the 1,797 images of 8 x 8 pixels that come with scikit-learn (Alpaydin and Kaynak 1998), divided by 16,
plus a constant feature. In words: images in a row whose digits follow a grammar, so that neighbours help to
read them:

    P(b | a) = 0.50 for b = a + 1, 0.25 for b = a + 3, 0.15 for b = a + 7 (mod 10), 0.10 / 7 for each other b

The first digit is uniform, and so is every later one; only the order informs. Train and test words use
different images. Cost: some milliseconds; the images are read once, a tenth of a second.
"""

import gzip
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from explorer.engine.checks import points, sequences
from explorer.engine.contracts import Dataset
from explorer.engine.data.hmm import markov_chains
from explorer.engine.knobs import knob, settings
from explorer.engine.refusals import Refused
from explorer.engine.vectors import Array, Ints

STATES = tuple("0123456789")
SHAPE = (8, 8)
INK = 16.0
"""The largest pixel value, divided away."""

SUCCESSORS = ((1, 0.50), (3, 0.25), (7, 0.15))
TRAIN_SHARE = 2 / 3


def digits(n: int = 1200, seed: int | None = None, bias: bool = True) -> tuple[Dataset, Dataset]:
    """The first n images to train on and the rest to test on, in stored order unless there is a seed."""
    pixels, labels = _images()
    if not 1 <= n < len(labels):
        raise Refused(
            f"n is {n}; choose between 1 and {len(labels) - 1}, so that some images are left to test on"
        )
    rows = np.arange(len(labels)) if seed is None else np.random.default_rng(seed).permutation(len(labels))
    inputs = np.column_stack([pixels, np.ones(len(pixels))]) if bias else pixels
    train, test = rows[:n], rows[n:]
    return (
        points("digits", inputs[train], labels[train], STATES, image_shape=SHAPE, images=train),
        points("digits (test)", inputs[test], labels[test], STATES, image_shape=SHAPE, images=test),
    )


def digit_words(
    n: int = 200, n_test: int = 100, length: tuple[int, int] = (4, 9), noise: float = 0.0, seed: int = 0
) -> tuple[Dataset, Dataset]:
    """Words of `length` digits (limits included) with pixel noise; meta "images" tells the stored rows."""
    if not 1 <= length[0] <= length[1]:
        raise Refused(f"length is {length}; give the shortest and the longest word, at least 1")
    rng = np.random.default_rng(seed)
    rows = rng.permutation(len(_images()[1]))
    cut = round(TRAIN_SHARE * len(rows))
    train = _words(rng, n, length, noise, rows[:cut])
    test = _words(rng, n_test, length, noise, rows[cut:])
    meta = {"image_shape": SHAPE, "grammar": grammar()}
    return (
        sequences("digit words", **train, states=STATES, **meta),
        sequences("digit words (test)", **test, states=STATES, **meta),
    )


def grammar() -> Array:
    """The probability of every digit (column) after every digit (row)."""
    row = np.full(10, (1.0 - sum(p for _, p in SUCCESSORS)) / (10 - len(SUCCESSORS)))
    for step, p in SUCCESSORS:
        row[step] = p
    return np.stack([np.roll(row, digit) for digit in range(10)])


def _words(
    rng: np.random.Generator, n: int, length: tuple[int, int], noise: float, rows: Ints
) -> dict[str, tuple[Any, ...]]:
    """Inputs, labels and image rows of n words written with these images."""
    pixels, labels = _images()
    chains = markov_chains(rng, np.full(10, 0.1), grammar(), n, length[1])
    written = [
        chain[:size] for chain, size in zip(chains, rng.integers(length[0], length[1] + 1, n), strict=True)
    ]
    stock = [rows[labels[rows] == digit] for digit in range(10)]
    images = [np.array([rng.choice(stock[digit]) for digit in word]) for word in written]
    inputs = [pixels[image] + noise * rng.normal(size=(len(image), pixels.shape[1])) for image in images]
    return {"inputs": tuple(inputs), "labels": tuple(written), "images": tuple(images)}


@cache
def _images() -> tuple[Array, Ints]:
    """All pixels in 0..1, one row per image, and all labels; read from scikit-learn's own file."""
    # Importing scikit-learn itself takes seconds, and all that is wanted of it here is one table.
    found = find_spec("sklearn")
    if found is None or found.origin is None:
        raise Refused("the digit images come with scikit-learn; install it with pip install scikit-learn")
    with gzip.open(Path(found.origin).parent / "datasets" / "data" / "digits.csv.gz", "rt") as file:
        table = np.loadtxt(file, delimiter=",")
    pixels, labels = table[:, :-1] / INK, table[:, -1].astype(np.int64)
    pixels.flags.writeable = labels.flags.writeable = False
    return pixels, labels


@settings
class Digits:
    """Handwritten digits, 8 x 8 pixels."""

    n: int = knob(1200, "Training images; the rest of the 1,797 are for testing.", low=20, high=1700)

    def make(self) -> tuple[Dataset, Dataset | None]:
        """The first n images and the others."""
        return digits(self.n)


@settings
class DigitWords:
    """Words whose letters are handwritten digits and whose spelling follows a grammar."""

    n: int = knob(100, "Training words.", low=5, high=2000)
    n_test: int = knob(100, "Test words, from other images.", low=1, high=1000)
    noise: float = knob(0.0, "Standard deviation of the noise added to each pixel.", low=0.0, high=2.0)
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    def make(self) -> tuple[Dataset, Dataset | None]:
        """Training and test words."""
        return digit_words(self.n, self.n_test, noise=self.noise, seed=self.seed)
