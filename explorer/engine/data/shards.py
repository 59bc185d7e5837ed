"""Sentences on disk that are larger than memory: written shard by shard, read as one memory-mapped corpus.

    write_shards(folder, shards, states)    each shard some sentences: CSR rows of all their words,
    lengths, labels open_shards(folder) -> Dataset          rows stay on disk; the system keeps in memory
    what is in use

A folder holds values.f8, columns.i4, lengths.i8, labels.i8 (plain numbers, one shard behind the other) and
shards.json. A chain problem takes the data set as it is, its compiled passes too: only weights and what is
remembered of each sentence are in memory. Cost of opening: one look at every number.
"""

import json
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from explorer.engine.checks import read_only
from explorer.engine.contracts import Dataset
from explorer.engine.refusals import Refused
from explorer.engine.rows import RowBlocks
from explorer.engine.vectors import Ints

MANIFEST = "shards.json"
MOST_ENTRIES = 2**31 - 1
PARTS: dict[str, str] = {
    "values": "<f8",
    "columns": "<i4",
    "counts": "<i8",
    "lengths": "<i8",
    "labels": "<i8",
}
"""The files of a folder, and the type of their numbers."""


class SentenceShard(NamedTuple):
    """Some sentences: the rows of all their words below each other, how long each is, the tag of every
    word.
    """

    rows: Any
    lengths: Ints
    labels: Ints


def write_shards(folder: Path, shards: Iterable[SentenceShard], states: Sequence[str]) -> int:
    """Write the shards into a new folder, holding one of them at a time; returns how many sentences there
    are.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise Refused(f"{folder} is not empty; give another folder")
    features, entries, sentences = 0, 0, 0
    files = {name: (folder / f"{name}.{kind[1:]}").open("wb") for name, kind in PARTS.items()}
    try:
        for at, shard in enumerate(shards):
            rows = tidy(shard, at, len(states))
            features = features or rows.shape[1]
            if rows.shape[1] != features:
                raise Refused(f"shard {at} has {rows.shape[1]} features, the first one {features}")
            entries, sentences = entries + rows.nnz, sentences + len(shard.lengths)
            if entries > MOST_ENTRIES:
                raise Refused(f"shard {at} is too much: there may be {MOST_ENTRIES:,} entries at most")
            parts = (rows.data, rows.indices, np.diff(rows.indptr), shard.lengths, shard.labels)
            for (name, kind), numbers in zip(PARTS.items(), parts, strict=True):
                files[name].write(np.asarray(numbers, dtype=kind).tobytes())
    finally:
        for file in files.values():
            file.close()
    told = {"features": int(features), "states": list(map(str, states)), "sentences": sentences}
    (folder / MANIFEST).write_text(json.dumps(told), encoding="utf-8")
    return sentences


def tidy(shard: SentenceShard, at: int, states: int) -> Any:
    """The rows with sorted columns, each once; refused where lengths, rows and labels do not fit."""
    rows = csr_array(shard.rows, dtype=np.float64)
    rows.sum_duplicates()
    words = int(np.sum(shard.lengths))
    if rows.shape[0] != words or len(shard.labels) != words or np.any(np.asarray(shard.lengths) < 1):
        raise Refused(
            f"shard {at} has {rows.shape[0]} rows, {len(shard.labels)} labels and lengths that add up "
            f"to {words}; give one row and one label for each word, and at least one word in each sentence"
        )
    labels = np.asarray(shard.labels)
    if words and not 0 <= labels.min() <= labels.max() < states:
        raise Refused(f"shard {at} has a label outside 0 to {states - 1}")
    return rows


def open_shards(folder: Path) -> Dataset:
    """The corpus in a folder: nothing is read but the lengths, until it is used."""
    place = folder / MANIFEST
    if not place.is_file():
        raise Refused(f"{folder} holds no shards; write them with write_shards")
    told = json.loads(place.read_text(encoding="utf-8"))
    parts = {name: open_part(folder / f"{name}.{kind[1:]}", kind) for name, kind in PARTS.items()}
    starts = np.zeros(len(parts["counts"]) + 1, np.int32)
    np.cumsum(parts["counts"], out=starts[1:])
    offsets = np.concatenate([[0], np.cumsum(parts["lengths"])])
    fits = starts[-1] == len(parts["columns"]) == len(parts["values"])
    if not (fits and offsets[-1] == len(parts["labels"]) == len(starts) - 1):
        raise Refused(f"{folder} is not whole: its files do not fit each other; write it again")
    shape = (len(starts) - 1, int(told["features"]))
    rows = csr_array((parts["values"], parts["columns"], starts), shape=shape, copy=False)
    labels = read_only(parts["labels"])
    cut = [labels[a:b] for a, b in pairwise(offsets)]
    return Dataset(folder.name, RowBlocks(rows, offsets), cut, {"states": tuple(told["states"])})


def open_part(place: Path, kind: str) -> Any:
    """The numbers of a file, mapped: writing to them would change a copy of that page alone."""
    size = place.stat().st_size if place.is_file() else 0
    if not size or size % np.dtype(kind).itemsize:
        raise Refused(f"{place} is missing or cut off; write the shards again")
    return np.asarray(np.memmap(place, dtype=kind, mode="c")).view(np.ndarray)
