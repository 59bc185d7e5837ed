"""Multi-label data as text, in the format of SVMlight and LIBSVM:

    1,3 5:0.2 7:1 # comment

On every line the labels that are on, whole numbers from 0, separated by commas; then index:value pairs,
indices from 1 and increasing; then, if wanted, a comment, which names the example. A line may lack its labels
(all are off) but then begins with its pairs; empty lines and lines of comment alone are skipped. Rows come as
CSR, one column for every index up to the largest; labels as (n, l) zeros and ones, one column for every
number that occurs, in increasing order.

A second file is read `like` the first: the same labels, and columns that the first one lacks are left out,
since no weight could be learnt for them. Cost: one look at every character; a million pairs take one to two
seconds.
"""

import math
import re
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

from explorer.engine.checks import Csr
from explorer.engine.contracts import Dataset
from explorer.engine.data.multilabel import label_set_data
from explorer.engine.data.readers.files import text_of
from explorer.engine.refusals import Refused

MOST_BYTES = 200_000_000
MOST_FEATURES = 10_000_000
MOST_LABELS = 50_000_000
"""Examples times labels: the table of labels is dense."""

WHOLE = re.compile("[0-9]{1,9}")


@dataclass(slots=True)
class ExampleLines:
    """Number, labels and name of each line with an example, and the pairs of all examples behind each
    other.
    """

    numbers: list[int] = field(default_factory=list)
    labels: list[tuple[int, ...]] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    index: "array[int]" = field(default_factory=lambda: array("q"))
    value: "array[float]" = field(default_factory=lambda: array("d"))
    ends: list[int] = field(default_factory=lambda: [0])


def read_multilabel(path: str | Path, like: Dataset | None = None) -> Dataset:
    """The examples of one file; meta "example_names" holds their comments."""
    text = text_of(path, MOST_BYTES, "a text file with one example per line, such as 1,3 5:0.2 7:1")
    return parse_multilabel(text, like, str(path))


def parse_multilabel(text: str, like: Dataset | None = None, where: str = "the text") -> Dataset:
    """The examples of a text; `where` names it in refusals."""
    lines = ExampleLines()
    for number, line in enumerate(text.split("\n"), start=1):
        body, _, remark = line.partition("#")
        if body.split():
            lines.numbers.append(number)
            _read_line(lines, body.split(), remark.strip(), f"{where}, line {number}")
    if not lines.labels:
        raise Refused(f"{where} holds no example; give lines such as 1,3 5:0.2 7:1")
    known = _known(lines, like, where)
    names = [str(label) for label in known]
    return label_set_data(
        Path(where).name,
        _rows(lines, like),
        _table(lines, known, where),
        names,
        example_names=tuple(lines.names),
    )


def _read_line(lines: ExampleLines, tokens: Sequence[str], remark: str, place: str) -> None:
    """Add one example."""
    bare = ":" in tokens[0]
    lines.labels.append(() if bare else _labels(tokens[0], place))
    lines.names.append(remark)
    last = 0
    for token in tokens if bare else tokens[1:]:
        index, value = _pair(token, place)
        if index <= last:
            raise Refused(
                f"{place} has feature {index} after feature {last}; write each once, in increasing order"
            )
        last = index
        lines.index.append(index - 1)
        lines.value.append(value)
    lines.ends.append(len(lines.index))


def _labels(token: str, place: str) -> tuple[int, ...]:
    """The numbers of the labels that are on."""
    parts = token.split(",")
    for part in parts:
        if not WHOLE.fullmatch(part):
            raise Refused(
                f"{place} has the label {part!r} in {token[:40]!r}; give whole numbers from 0, separated by "
                "commas"
            )
    found = tuple(map(int, parts))
    if len(set(found)) < len(found):
        raise Refused(f"{place} names a label twice in {token[:40]!r}; name each once")
    return found


def _pair(token: str, place: str) -> tuple[int, float]:
    """Index and value."""
    head, colon, tail = token.partition(":")
    if not (colon and WHOLE.fullmatch(head)):
        raise Refused(f"{place} has {token[:40]!r} where index:value belongs; write pairs such as 7:0.5")
    index = int(head)
    if not 1 <= index <= MOST_FEATURES:
        raise Refused(f"{place} has the feature {index}; number features from 1 to {MOST_FEATURES:,}")
    try:
        value = float(tail)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or "_" in tail:
        raise Refused(f"{place} has the value {tail[:40]!r} for feature {index}; give a finite number")
    return index, value


def _known(lines: ExampleLines, like: Dataset | None, where: str) -> list[int]:
    """The numbers of the labels, in the order of their columns."""
    if like is not None:
        return [int(name) for name in like.meta["label_names"]]
    known = sorted({label for on in lines.labels for label in on})
    if not known:
        raise Refused(f"{where} has no label on any line; write the labels first on each line, such as 1,3")
    return known


def _table(
    lines: ExampleLines, known: Sequence[int], where: str
) -> "np.ndarray[tuple[int, int], np.dtype[np.int64]]":
    """The labels as zeros and ones."""
    if len(lines.labels) * len(known) > MOST_LABELS:
        raise Refused(
            f"{where} has {len(lines.labels):,} examples with {len(known):,} different labels, a table of "
            "more than "
            f"{MOST_LABELS:,} entries; keep the most frequent labels"
        )
    at = {label: u for u, label in enumerate(known)}
    out = np.zeros((len(lines.labels), len(known)), dtype=np.int64)
    for i, on in enumerate(lines.labels):
        for label in on:
            if label not in at:
                raise Refused(
                    f"{where}, line {lines.numbers[i]} has the label {label}, which the first file has not; "
                    "leave it out"
                )
            out[i, at[label]] = 1
    return out


def _rows(lines: ExampleLines, like: Dataset | None) -> Csr:
    """The pairs as CSR rows."""
    index, value = np.array(lines.index, dtype=np.int64), np.array(lines.value, dtype=np.float64)
    wide = int(index.max()) + 1 if len(index) else 1
    columns = wide if like is None else int(like.inputs.shape[1])
    shape = (len(lines.labels), max(wide, columns))
    whole: Csr = csr_array((value, index.astype(np.int32), np.array(lines.ends, np.int32)), shape=shape)
    whole.eliminate_zeros()
    return whole[:, :columns]
