"""What every generator promises: same seed same data, read-only, finite, fit to travel to a worker."""

import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.sparse import issparse

from explorer.engine.contracts import Dataset
from explorer.engine.data.blocks import blocks
from explorer.engine.data.digits import digit_words, digits
from explorer.engine.data.hmm import gaussian_hmm
from explorer.engine.data.toys import (
    animals_and_cars,
    circle,
    four_points,
    overlapping,
    two_gaussians,
    two_points,
)
from explorer.engine.data.words import sparse_tagging

SEEDED: dict[str, Callable[[int], tuple[Dataset, Dataset]]] = {
    "two_gaussians": lambda seed: two_gaussians(swapped=3, seed=seed),
    "overlapping": lambda seed: overlapping(seed=seed),
    "animals_and_cars": lambda seed: animals_and_cars(seed=seed),
    "blocks": lambda seed: blocks(n=6, n_test=5, length=60, seed=seed),
    "gaussian_hmm": lambda seed: gaussian_hmm(n=6, n_test=5, length=40, seed=seed),
    "digits": lambda seed: digits(seed=seed),
    "digit_words": lambda seed: digit_words(n=6, n_test=5, noise=0.1, seed=seed),
    "sparse_tagging": lambda seed: sparse_tagging(n=6, n_test=5, seed=seed),
}


def bits(data: Dataset) -> bytes:
    """Every number of the inputs and labels, as bytes."""
    parts = []
    for x, y in zip(data.inputs, data.labels, strict=True):
        parts += [x.data, x.indices, x.indptr] if issparse(x) else [x]
        parts.append(y)
    return b"".join(np.asarray(part).tobytes() for part in parts)


def datasets() -> list[Dataset]:
    fixed = [four_points(), two_points(), circle()]
    return fixed + [data for make in SEEDED.values() for data in make(0)]


@pytest.mark.parametrize("make", SEEDED.values(), ids=SEEDED)
def test_the_seed_decides_everything(make: Callable[[int], tuple[Dataset, Dataset]]) -> None:
    first, again, other = make(3), make(3), make(4)
    assert [bits(data) for data in first] == [bits(data) for data in again]
    assert bits(first[0]) != bits(other[0])
    assert bits(first[0]) != bits(first[1])


@pytest.mark.parametrize("data", datasets(), ids=lambda data: data.name)
def test_nothing_can_be_written_and_every_label_has_a_name(data: Dataset) -> None:
    for x, y in zip(data.inputs, data.labels, strict=True):
        values: Any = x.data if issparse(x) else x
        assert np.isfinite(values).all()
        assert not values.flags.writeable
        assert np.asarray(y).min() >= 0
        assert np.asarray(y).max() < len(data.meta["states"])
    assert all(isinstance(name, str) for name in data.meta["states"])


@pytest.mark.parametrize("data", datasets(), ids=lambda data: data.name)
def test_a_data_set_survives_the_trip_to_a_worker(data: Dataset) -> None:
    assert bits(pickle.loads(pickle.dumps(data))) == bits(data)


def test_importing_the_generators_does_not_load_scikit_learn() -> None:
    modules = "explorer.engine.data.digits, explorer.engine.data.words"
    code = f"import sys, {modules}; sys.exit('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
