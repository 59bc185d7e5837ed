"""Sequences of sparse rows, in the format of SVM^hmm (Joachims):

    3 qid:1 5:0.2 7:1 # comment

A line is one position: its tag, a whole number; the number of its sequence; then index:value pairs as in
SVMlight. The lines of a sequence stand together, in order. Rows come as CSR with a column for every index up
to the largest of the first file; tags are those of all files. Cost: that of reading SVMlight lines.
"""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from explorer.engine.checks import Csr
from explorer.engine.contracts import Dataset
from explorer.engine.data.readers.svmlight import SparseLines, first_index, read_lines, rows_from
from explorer.engine.refusals import Refused
from explorer.engine.vectors import Ints


def read_sequences(path: str | Path) -> SparseLines:
    """The lines of a file of sequences; refused where one belongs to none."""
    lines = read_lines(path)
    if lines.groups is None:
        raise Refused(f"{lines.place(0)} has no qid:number, the number of its sequence; give every line one")
    sequence_ends(lines)
    return lines


def sequence_ends(lines: SparseLines) -> Ints:
    """Where each sequence begins among the lines, and where the last one ends."""
    assert lines.groups is not None
    breaks = np.flatnonzero(np.diff(lines.groups)) + 1
    first = np.concatenate([[0], breaks])
    names, seen = lines.groups[first], set[int]()
    for at, name in zip(first.tolist(), names.tolist(), strict=True):
        if name in seen:
            raise Refused(
                f"{lines.place(at)} goes on with the sequence {name}, which ended before; let the lines of "
                "each sequence stand together"
            )
        seen.add(name)
    return np.array([*first, len(lines.labels)], dtype=np.int64)


def tags_of(lines: SparseLines) -> list[list[int]] | None:
    """The tags of every sequence; None where a line has none."""
    for i, on in enumerate(lines.labels):
        if len(on) > 1:
            raise Refused(f"{lines.place(i)} has {len(on)} tags; give each position exactly one")
    if not all(lines.labels):
        return None
    flat = [on[0] for on in lines.labels]
    return [flat[a:b] for a, b in pairwise(sequence_ends(lines).tolist())]


def sequence_rows(lines: SparseLines, first: int, width: int) -> list[Csr]:
    """The rows of every sequence."""
    whole = rows_from(lines, first, width)
    return [whole[a:b] for a, b in pairwise(sequence_ends(lines).tolist())]


def tagged_sequences(files: Sequence[SparseLines]) -> tuple[Dataset, ...]:
    """The files as data sets with the columns of the first one and the tags of all."""
    tags = [_all_tags(lines) for lines in files]
    known = sorted({tag for part in tags for own in part for tag in own})
    if len(known) < 2:
        raise Refused(f"{files[0].where} has only the tag {known[0]}; give positions of at least two")
    if len(known) > 1000:
        raise Refused(f"{files[0].where} has {len(known):,} different tags; give 1,000 at most")
    at = {tag: k for k, tag in enumerate(known)}
    first = first_index(*files)
    width = max(1, files[0].rows.shape[1] - first)
    meta: dict[str, Any] = {"states": tuple(map(str, known))}
    return tuple(
        Dataset(
            Path(lines.where).name,
            tuple(sequence_rows(lines, first, width)),
            tuple(np.array([at[tag] for tag in own], dtype=np.int64) for own in part),
            meta,
        )
        for lines, part in zip(files, tags, strict=True)
    )


def _all_tags(lines: SparseLines) -> list[list[int]]:
    found = tags_of(lines)
    if found is None:
        bare = next(i for i, on in enumerate(lines.labels) if not on)
        raise Refused(f"{lines.place(bare)} has no tag; begin each line with one")
    return found


__all__ = ["read_sequences", "sequence_ends", "sequence_rows", "tagged_sequences", "tags_of"]
