"""Model files with anything changed and sealed again: refused in a sentence, or a model that predicts."""

import io
import json
import random
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from explorer.engine.refusals import Refused
from explorer.engine.runs.archive import Archive, pack
from explorer.estimators.models import load, model_bytes
from tests.estimators.samples import samples

SAMPLES = samples()
TRIES = 60
PLAIN = (None, True, 0, -1, 3, 2**63, 10**30, 7.5, 1e308, "", "x", "|O8", "exhaustive", "sets", [])
NESTED = ([1], ["a", "b"], {}, {"a": 1}, {"$array": 0}, {"$array": 99})
NUMBERS = (0, -1, 1, 127, 10**9, 2**62, -(2**62), float("nan"), float("inf"))


def places(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths to all parts of a tree."""
    if path:
        yield path
    for name in tree if isinstance(tree, dict) else range(len(tree)) if isinstance(tree, list) else ():
        yield from places(tree[name], (*path, name))


def change_tree(tree: Any, rng: random.Random) -> None:
    """Put something else in one place, or nothing."""
    *way, last = rng.choice(list(places(tree)))
    for name in way:
        tree = tree[name]
    if rng.random() < 0.1:
        del tree[last]
    else:
        tree[last] = rng.choice((*PLAIN, *NESTED))


def changed_array(values: Any, rng: random.Random) -> Any:
    """The array cut off, doubled, of another type, or with another number in one place."""
    other = np.array(values)
    if other.size and rng.random() < 0.5:
        with suppress(OverflowError, ValueError):
            other.ravel()[rng.randrange(other.size)] = rng.choice(NUMBERS)
        return other
    with np.errstate(all="ignore"):
        types = (other.astype(np.float32), other.astype(np.int64))
        return rng.choice((other[:-1], np.concatenate([other, other]), *types))


def arrays_in(archive: Archive) -> list[Any]:
    """All arrays of a model."""
    found: list[Any] = []
    with suppress(Refused, IndexError, KeyError):
        while True:
            found.append(np.array(archive.array(len(found))))
    return found


def hostile(content: bytes, rng: random.Random) -> bytes:
    """The same model with up to three changes, sealed as if nothing had happened."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        manifest, tree = (json.loads(archive.read(name)) for name in ("run.json", "model.json"))
    arrays = arrays_in(Archive(content))
    for _ in range(rng.randint(1, 3)):
        if rng.random() < 0.5:
            at = rng.randrange(len(arrays))
            arrays[at] = changed_array(arrays[at], rng)
        else:
            change_tree(tree, rng)
    manifest.pop("sha256")
    return pack({"model": tree}, arrays, manifest)


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_changes_are_refused_in_a_sentence_or_leave_a_model_that_predicts(name: str) -> None:
    estimator, X, y = SAMPLES[name]
    content, rng = model_bytes(clone(estimator).fit(X, y)), random.Random(name)
    refused = 0
    for _ in range(TRIES):
        try:
            load(hostile(content, rng)).predict(X[:2])
        except Refused:
            refused += 1
    assert refused > TRIES / 4


def test_any_flipped_bit_is_seen() -> None:
    estimator, X, y = SAMPLES["classes"]
    content, rng = model_bytes(clone(estimator).fit(X, y)), random.Random(0)
    for _ in range(300):
        wrong = bytearray(content)
        wrong[rng.randrange(len(wrong))] ^= 1 << rng.randrange(8)
        with pytest.raises(Refused):
            load(bytes(wrong))
