"""Rows as text, in the format of SVMlight and LIBSVM:

    1,3 qid:2 5:0.2 7:1 # comment

On every line its labels, whole numbers separated by commas; then, if wanted, the number of the group that it
belongs to (a query); then index:value pairs, indices increasing; then, if wanted, a comment, which names the
example. A line may lack its labels but then begins with its pairs; empty lines and lines of comment alone are
skipped. Indices are counted from 1, or from 0 where an index 0 occurs. Rows come as CSR, one column for every
index up to the largest of the first file: for others no weight could be learnt.

Two readings: `label_sets`, any number of labels from 0 on each line, as (n, l) zeros and ones; and `classes`,
exactly one on each line. Labels are those of all files that are read together.

scikit-learn reads; whatever it refuses or we do, is then looked for line by line, so that a refusal names
its line. Cost: a million pairs take a quarter of a second.
"""

import io
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from explorer.engine.checks import Csr
from explorer.engine.contracts import Dataset
from explorer.engine.data.multilabel import label_set_data
from explorer.engine.data.readers.files import text_of
from explorer.engine.refusals import Refused
from explorer.engine.vectors import Ints

MOST_BYTES = 200_000_000
MOST_FEATURES = 10_000_000
MOST_LABELS = 50_000_000
"""Examples times labels: the table of labels is dense."""

LABEL = re.compile(r"[+-]?[0-9]{1,9}(\.0*)?")
INDEX = re.compile("[0-9]{1,9}")
GROUP = re.compile("qid:[0-9]{1,18}")
UNDERSCORE = re.compile("^[^#\n]*_", re.MULTILINE)
WANTED = "a text file with one example per line, such as 1,3 5:0.2 7:1"


@dataclass(frozen=True, slots=True, eq=False)
class SparseLines:
    """The examples of a text: rows whose columns are numbered as the text does it, labels, comments, groups
    (None: no line has one).
    """

    where: str
    text: str
    rows: Csr
    labels: list[tuple[int, ...]]
    names: tuple[str, ...]
    groups: Ints | None

    @property
    def one_each(self) -> bool:
        """Whether every line has exactly one label."""
        return all(len(on) == 1 for on in self.labels)

    def place(self, i: int) -> str:
        """Where example i is."""
        numbers = (number for number, tokens, _ in bodies(self.text))
        return f"{self.where}, line {next(n for k, n in enumerate(numbers) if k == i)}"


def read_multilabel(path: str | Path) -> Dataset:
    """The examples of one file as label sets; meta "example_names" holds their comments."""
    return label_sets(read_lines(path))[0]


def parse_multilabel(text: str) -> Dataset:
    """The examples of a text as label sets."""
    return label_sets(parse_lines(text))[0]


def read_lines(path: str | Path) -> SparseLines:
    """The examples of one file."""
    return parse_lines(text_of(path, MOST_BYTES, WANTED), str(path))


def parse_lines(text: str, where: str = "the text") -> SparseLines:
    """The examples of a text; `where` names it in refusals."""
    from sklearn.datasets import load_svmlight_file  # loaded when a file is read: it takes a second

    try:
        rows, labels, groups = load_svmlight_file(
            io.BytesIO(text.encode()), multilabel=True, zero_based=True, query_id=True
        )
    except (ValueError, OverflowError) as error:
        refuse_lines(text, where)
        raise Refused(f"{where} cannot be read ({error}); give {WANTED}") from error
    whole = all(label.is_integer() for on in labels for label in on)
    fits = rows.shape[1] <= MOST_FEATURES + 1 and len(groups) in (0, len(labels))
    once = all(len(set(on)) == len(on) for on in labels)
    if not (whole and fits and once and np.isfinite(rows.data).all()) or UNDERSCORE.search(text):
        refuse_lines(text, where)
    if not labels:
        raise Refused(f"{where} holds no example; give lines such as 1,3 5:0.2 7:1")
    names = tuple(remark for *_, remark in bodies(text)) if "#" in text else ("",) * len(labels)
    numbers = [tuple(int(label) for label in on) for on in labels]
    return SparseLines(where, text, csr_array(rows), numbers, names, groups if len(groups) else None)


def bodies(text: str) -> Iterator[tuple[int, list[str], str]]:
    """Number, words and comment of every line that holds an example."""
    for number, line in enumerate(text.split("\n"), start=1):
        body, _, remark = line.partition("#")
        if tokens := body.split():
            yield number, tokens, remark.strip()


def refuse_lines(text: str, where: str) -> None:
    """Refuse the first line that is wrong; nothing happens where none is."""
    grouped: bool | None = None
    for number, tokens, _ in bodies(text):
        place = f"{where}, line {number}"
        bare = ":" in tokens[0]
        if not bare:
            _check_labels(tokens[0], place)
        rest = tokens if bare else tokens[1:]
        has = bool(rest) and GROUP.fullmatch(rest[0]) is not None
        if grouped not in (None, has):
            raise Refused(
                f"{place} has {'a' if has else 'no'} qid, unlike the lines before it; give all or none"
            )
        grouped = has
        _check_pairs(rest[1:] if has else rest, place)


def _check_labels(token: str, place: str) -> None:
    parts = token.split(",")
    for part in parts:
        if not LABEL.fullmatch(part):
            raise Refused(
                f"{place} has the label {part!r} in {token[:40]!r}; give whole numbers, separated by commas"
            )
    if len(set(map(float, parts))) < len(parts):
        raise Refused(f"{place} names a label twice in {token[:40]!r}; name each once")


def _check_pairs(tokens: Sequence[str], place: str) -> None:
    last = -1
    for token in tokens:
        index = _check_pair(token, place)
        if index <= last:
            raise Refused(
                f"{place} has feature {index} after feature {last}; write each once, in increasing order"
            )
        last = index


def _check_pair(token: str, place: str) -> int:
    """The index of a pair that is one."""
    head, colon, tail = token.partition(":")
    if not (colon and INDEX.fullmatch(head)):
        raise Refused(f"{place} has {token[:40]!r} where index:value belongs; write pairs such as 7:0.5")
    index = int(head)
    if index > MOST_FEATURES:
        raise Refused(f"{place} has the feature {index}; number features up to {MOST_FEATURES:,}")
    try:
        value = float(tail)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or "_" in tail:
        raise Refused(f"{place} has the value {tail[:40]!r} for feature {index}; give a finite number")
    return index


def first_index(*files: SparseLines) -> int:
    """Where features are counted from: 0 if an index 0 occurs, otherwise 1."""
    return 0 if any(f.rows.nnz and f.rows.indices.min() == 0 for f in files) else 1


def rows_from(lines: SparseLines, first: int, width: int = 0) -> Csr:
    """The rows with a column for every index from `first`, of a given number of columns if one is given."""
    wide = width or max(1, lines.rows.shape[1] - first)
    kept = np.asarray(lines.rows.indices) < wide + first
    gone = np.concatenate([[0], np.cumsum(~kept)])
    ends = lines.rows.indptr - gone[lines.rows.indptr]
    index = (lines.rows.indices[kept] - first).astype(np.int32)
    if len(index) and index.min() < 0:
        raise Refused(f"{lines.where} has a feature 0, the training data have none; number features from 1")
    found: Csr = csr_array((lines.rows.data[kept], index, ends.astype(np.int32)), shape=(len(ends) - 1, wide))
    found.eliminate_zeros()
    return found


def label_sets(*files: SparseLines) -> tuple[Dataset, ...]:
    """The files as label sets, with the columns of the first one and the labels of all."""
    known = sorted({label for lines in files for on in lines.labels for label in on})
    if not known:
        raise Refused(
            f"{files[0].where} has no label on any line; write the labels first on each line, such as 1,3"
        )
    if known[0] < 0:
        i, lines = next((i, f) for f in files for i, on in enumerate(f.labels) if known[0] in on)
        raise Refused(f"{lines.place(i)} has the label '{known[0]}'; number the labels of a set from 0")
    names = [str(label) for label in known]
    rows, meta = _rows(files), [_meta(lines) for lines in files]
    tables = [_table(lines, known) for lines in files]
    return tuple(
        label_set_data(Path(lines.where).name, x, y, names, **more)
        for lines, x, y, more in zip(files, rows, tables, meta, strict=True)
    )


def classes(*files: SparseLines) -> tuple[Dataset, ...]:
    """The files as one class for each example, with the columns of the first one and the classes of all."""
    for lines in files:
        for i, on in enumerate(lines.labels):
            if len(on) != 1:
                raise Refused(f"{lines.place(i)} has {len(on)} labels; give each example exactly one class")
    known = sorted({on[0] for lines in files for on in lines.labels})
    if len(known) < 2:
        raise Refused(f"{files[0].where} has only the class {known[0]}; give examples of at least two")
    at = {label: k for k, label in enumerate(known)}
    codes = [np.array([at[on[0]] for on in lines.labels], dtype=np.int64) for lines in files]
    states = {"states": tuple(map(str, known))}
    return tuple(
        Dataset(Path(lines.where).name, x, y, {**states, **_meta(lines)})
        for lines, x, y in zip(files, _rows(files), codes, strict=True)
    )


def _rows(files: Sequence[SparseLines]) -> list[Csr]:
    first = first_index(*files)
    width = max(1, files[0].rows.shape[1] - first)
    return [rows_from(lines, first, width) for lines in files]


def _meta(lines: SparseLines) -> dict[str, Any]:
    found: dict[str, Any] = {"example_names": lines.names}
    return found if lines.groups is None else found | {"groups": tuple(lines.groups.tolist())}


def _table(lines: SparseLines, known: Sequence[int]) -> "np.ndarray[tuple[int, int], np.dtype[np.int64]]":
    """The labels as zeros and ones."""
    if len(lines.labels) * len(known) > MOST_LABELS:
        raise Refused(
            f"{lines.where} has {len(lines.labels):,} examples with {len(known):,} different labels, a table "
            f"of more than {MOST_LABELS:,} entries; keep the most frequent labels"
        )
    at = {label: u for u, label in enumerate(known)}
    out = np.zeros((len(lines.labels), len(known)), dtype=np.int64)
    for i, on in enumerate(lines.labels):
        out[i, [at[label] for label in on]] = 1
    return out


__all__ = [
    "SparseLines",
    "classes",
    "first_index",
    "label_sets",
    "parse_lines",
    "parse_multilabel",
    "read_lines",
    "read_multilabel",
    "rows_from",
]
