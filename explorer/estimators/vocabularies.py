"""Names and numbers: labels as whole numbers 0 .. K-1, and feature dicts of all tokens as one sparse matrix.

    {"word": "Ana", "title": True, "length": 3.0}   ->   word=Ana: 1,   title: 1,   length: 3

A text gives the column "name=text" the value 1, a truth value and a number give the column "name" that value,
a list or set of texts gives each of its columns the value 1; a token may also be just a list of texts.
Columns are numbered in the order of first sight. Each name has a table of its own from texts to columns, so
no column name is ever put together while a corpus is read. Cost: one look-up per feature of a token, a tenth
of a microsecond.
"""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from explorer.engine.checks import Csr
from explorer.engine.refusals import Refused
from explorer.engine.vectors import Ints
from explorer.estimators.models import texts_from, texts_tree

NO_NAME = ""
"""The name of features that are texts alone."""


def label_codes(labels: Iterable[Any], what: str = "the labels") -> tuple[Any, dict[Any, int]]:
    """The different labels, sorted, and the number of each."""
    try:
        known = sorted(set(labels))
    except TypeError:
        raise Refused(
            f"{what} are of several types, or cannot be compared; give only texts or only numbers"
        ) from None
    return np.array(known), {label: k for k, label in enumerate(np.array(known).tolist())}


def codes_of(labels: Any, numbers: Mapping[Any, int], place: str) -> Ints:
    """The numbers of these labels; one that was not trained on is refused."""
    plain = labels.tolist() if isinstance(labels, np.ndarray) else labels
    try:
        return np.array([numbers[label] for label in plain], dtype=np.int64)
    except (KeyError, TypeError):
        strange = next(label for label in plain if not _is_known(label, numbers))
        raise Refused(
            f"{place} has the label {str(strange)[:40]!r}, which is not known; known are "
            f"{_few(list(numbers))}"
        ) from None


def _is_known(label: Any, numbers: Mapping[Any, int]) -> bool:
    try:
        return label in numbers
    except TypeError:
        return False


def _few(names: Sequence[Any]) -> str:
    shown = ", ".join(map(str, names[:10]))
    return shown + (f" and {len(names) - 10} more" if len(names) > 10 else "")


@dataclass(slots=True, eq=False)
class Columns:
    """The columns that features have: `texts[name][text]` and `numbers[name]`; `size` of them."""

    texts: dict[str, dict[str, int]] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    size: int = 0

    def names(self) -> list[str]:
        """What every column is called."""
        out = [""] * self.size
        for name, table in self.texts.items():
            for text, at in table.items():
                out[at] = f"{name}={text}" if name else text
        for name, at in self.numbers.items():
            out[at] = name
        return out

    def rows(self, tokens: Iterable[Any], grow: bool = False) -> Csr:
        """One row for every token; a feature without a column gets one with `grow`, else is left out."""
        found, ends = array("i"), array("q", [0])
        at: list[int] = []
        values: list[float] = []
        for token in tokens:
            if isinstance(token, Mapping):
                self._read(token, found, at, values, grow)
            else:
                self._read_texts(NO_NAME, token, found, grow)
            ends.append(len(found))
        return self._matrix(found, ends, at, values)

    def _read(
        self, token: Mapping[str, Any], found: "array[int]", at: list[int], values: list[float], grow: bool
    ) -> None:
        """Add the columns of one token, and the values that are not 1."""
        texts = self.texts
        for name, value in token.items():
            if type(value) is str:
                table = texts.get(name)
                column = None if table is None else table.get(value)
                if column is None:
                    if not grow:
                        continue
                    column = self._new_text(name, value)
                found.append(column)
            elif isinstance(value, int | float | np.number | np.bool_):
                column = self._number(name, grow)
                if column is not None and value != 0:
                    if value != 1:
                        at.append(len(found))
                        values.append(_finite(value, name))
                    found.append(column)
            else:
                self._read_texts(name, value, found, grow)

    def _read_texts(self, name: str, texts: Any, found: "array[int]", grow: bool) -> None:
        """Add the columns of several texts under one name."""
        if isinstance(texts, str):
            texts = (texts,)
        if texts is None or not isinstance(texts, Iterable):
            raise Refused(
                f"the feature {name!r} is {texts!r}; give a text, a number, yes or no, or a list of texts"
            )
        table = self.texts.get(name, {})
        for text in texts:
            if not isinstance(text, str):
                raise Refused(f"the feature {name!r} lists {text!r}; list texts only")
            column = table.get(text)
            if column is None and grow:
                column = self._new_text(name, text)
                table = self.texts[name]
            if column is not None:
                found.append(column)

    def _new_text(self, name: str, text: str) -> int:
        if not isinstance(name, str):
            raise Refused(f"a feature is called {name!r}; call it by a text")
        column = self.texts.setdefault(name, {}).setdefault(text, self.size)
        self.size += column == self.size
        return column

    def _number(self, name: str, grow: bool) -> int | None:
        if grow and name not in self.numbers:
            if not isinstance(name, str):
                raise Refused(f"a feature is called {name!r}; call it by a text")
            self.numbers[name] = self.size
            self.size += 1
        return self.numbers.get(name)

    def _matrix(self, found: "array[int]", ends: "array[int]", at: list[int], values: list[float]) -> Csr:
        index = np.frombuffer(found, dtype=np.int32) if len(found) else np.zeros(0, np.int32)
        data = np.ones(len(index))
        data[np.array(at, dtype=np.int64)] = values
        indptr = np.array(ends, dtype=np.int64)
        indptr = indptr.astype(np.int32) if len(index) < 2**31 else indptr
        whole: Csr = csr_array((data, index, indptr), shape=(len(ends) - 1, self.size))
        whole.sum_duplicates()
        return whole

    def tree(self) -> dict[str, Any]:
        """The columns as arrays, for a model file: the names, and for every column its name and text."""
        names = list(dict.fromkeys([*self.texts, *self.numbers]))
        at = {name: k for k, name in enumerate(names)}
        owner, texts = np.zeros(self.size, np.int64), [""] * self.size
        for name, known in self.texts.items():
            for text, column in known.items():
                owner[column], texts[column] = at[name], text
        for name, column in self.numbers.items():
            owner[column] = -1 - at[name]  # below 0: a number, not a text
        return {"names": texts_tree(names), "owner": owner, "texts": texts_tree(texts)}

    @classmethod
    def from_tree(cls, tree: Mapping[str, Any], size: int) -> "Columns":
        """The columns that `tree` wrote; refused where its parts do not fit each other."""
        names, texts, owner = texts_from(tree["names"]), texts_from(tree["texts"]), tree["owner"]
        fits = owner.dtype == np.int64 and owner.shape == (size,) and len(texts) == size
        if not fits or (size and not (-len(names) <= owner.min() and owner.max() < len(names))):
            raise Refused("this model has a vocabulary that does not fit its weights; open a saved model")
        made = cls({}, {}, size)
        for column, (own, text) in enumerate(zip(owner.tolist(), texts, strict=True)):
            if own < 0:
                made.numbers[names[-1 - own]] = column
            else:
                made.texts.setdefault(names[own], {})[text] = column
        return made

    def take(self, wanted: Any) -> "Columns":
        """Only the columns for which `wanted` is true, numbered anew in the same order."""
        number = np.where(wanted, np.cumsum(wanted) - 1, -1).tolist()
        texts = {
            name: {text: number[c] for text, c in table.items() if number[c] >= 0}
            for name, table in self.texts.items()
        }
        numbers = {name: number[c] for name, c in self.numbers.items() if number[c] >= 0}
        return Columns(texts, numbers, int(np.count_nonzero(wanted)))


def _finite(value: Any, name: str) -> float:
    if not np.isfinite(value):
        raise Refused(f"the feature {name!r} is {value}; give a finite number, or leave it out")
    return float(value)


def corpus_rows(tokens: Iterable[Any], min_count: int) -> tuple[Csr, Columns]:
    """The rows of all tokens, and their columns: those of features that at least this many tokens have."""
    columns = Columns()
    whole = columns.rows(tokens, grow=True)
    if min_count > 1:
        wanted = np.bincount(whole.indices, minlength=columns.size) >= min_count
        whole, columns = whole[:, wanted], columns.take(wanted)
    if not columns.size:
        raise Refused("no feature is left; give every token some, or lower min_count")
    return whole, columns


__all__ = ["Columns", "codes_of", "corpus_rows", "label_codes"]
