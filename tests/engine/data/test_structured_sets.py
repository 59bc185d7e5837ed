"""What the generators of graphs and label sets promise: same seed same data, read-only, fit to travel to a
worker.
"""

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from explorer.engine.contracts import Dataset
from explorer.engine.data.karate import karate
from explorer.engine.data.multilabel import synth1, synth2
from explorer.engine.data.stripes import stripes, two_states
from explorer.engine.data.trees import trees

SEEDED: dict[str, Callable[[int], tuple[Dataset, Dataset]]] = {
    "stripes": lambda seed: stripes(n=3, n_test=2, rows=3, columns=6, seed=seed),
    "two states": lambda seed: two_states(n=3, n_test=2, size=5, seed=seed),
    "trees": lambda seed: trees(n=3, n_test=2, nodes=6, seed=seed),
    "clubs": lambda seed: karate(n=3, n_test=2, seed=seed),
    "opinions": lambda seed: karate(n=3, n_test=2, features="opinion", seed=seed),
    "synth1": lambda seed: synth1(n=8, n_test=4, seed=seed),
    "synth2": lambda seed: synth2(n=8, n_test=4, seed=seed),
}


def arrays(data: Dataset) -> list[Any]:
    """Everything that a run reads."""
    x = data.inputs
    if isinstance(x, tuple):
        return [part for g in x for part in (g.nodes, g.edges, g.edge_features, g.place)] + list(data.labels)
    return [x.data, x.indices, x.indptr, data.labels] if hasattr(x, "indptr") else [x, data.labels]


def bits(data: Dataset) -> bytes:
    return b"".join(np.asarray(part).tobytes() for part in arrays(data))


@pytest.mark.parametrize("make", SEEDED.values(), ids=SEEDED)
def test_the_seed_decides_everything(make: Callable[[int], tuple[Dataset, Dataset]]) -> None:
    first, again, other = make(3), make(3), make(4)
    assert [bits(data) for data in first] == [bits(data) for data in again]
    assert bits(first[0]) != bits(other[0])
    assert bits(first[0]) != bits(first[1])


@pytest.mark.parametrize("make", SEEDED.values(), ids=SEEDED)
def test_nothing_can_be_written_and_every_label_has_a_name(
    make: Callable[[int], tuple[Dataset, Dataset]],
) -> None:
    for data in make(0):
        assert not any(part.flags.writeable for part in arrays(data))
        assert all(np.min(y) >= 0 and np.max(y) < len(data.meta["states"]) for y in data.labels)
        assert all(isinstance(name, str) for name in data.meta["states"])


@pytest.mark.parametrize("make", SEEDED.values(), ids=SEEDED)
def test_a_data_set_survives_the_trip_to_a_worker(make: Callable[[int], tuple[Dataset, Dataset]]) -> None:
    for data in make(0):
        assert bits(pickle.loads(pickle.dumps(data))) == bits(data)
