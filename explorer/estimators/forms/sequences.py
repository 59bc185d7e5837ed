"""Sequences in the forms in which people have them: lists, arrays, one matrix with lengths, a pandas frame.

    frame with a column that names the sequence of every row   ->   rows of one sequence, in their order
    words, with `features`                                     ->   feature dicts, one sentence at a time

Features of words are made while the rows are read, so that the dicts of a corpus never exist at once. Cost:
linear in the stored numbers.
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import chain, pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse as sp

from explorer.engine.refusals import Refused
from explorer.engine.rows import is_sparse
from explorer.engine.vectors import Array, Ints
from explorer.estimators.frames import series
from explorer.estimators.vocabularies import Columns, corpus_rows

Featurize = Callable[[Any], Iterable[Any]]


class Sequences(NamedTuple):
    """Where every sequence begins among all rows, and what the rows are made of: one matrix, or one input
    for each sequence. `order` tells which row of a frame each row is, where there was a frame.
    """

    parts: Any
    offsets: Ints
    order: Ints | None = None
    index: Any = None


def is_frame(X: Any) -> bool:
    """Whether this is a pandas frame, or looks like one."""
    return hasattr(X, "columns") and hasattr(X, "iloc")


def is_matrix(X: Any) -> bool:
    """Whether all rows come in one matrix."""
    return is_sparse(X) or (isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype != object)


def sequences_of(X: Any, lengths: Any, column: str | None) -> Sequences:
    """The sequences in any of their forms; what is none is refused."""
    if is_frame(X):
        return _from_frame(X, column)
    if is_matrix(X):
        sizes = _given_lengths(X, lengths)
    elif lengths is not None:
        raise Refused("X is a list of sequences, which have lengths of their own; leave `lengths` out")
    elif isinstance(X, str | Mapping) or not hasattr(X, "__len__"):
        raise Refused(f"X is a {type(X).__name__}; give a list of sequences")
    else:
        sizes = np.array([_length(x, i) for i, x in enumerate(X)], dtype=np.int64)
    return Sequences(X, _offsets(sizes))


def _offsets(sizes: Ints) -> Ints:
    if len(sizes) and sizes.min() < 1:
        raise Refused(f"sequence {int(np.argmin(sizes))} is empty; leave it out")
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def _given_lengths(X: Any, lengths: Any) -> Ints:
    if lengths is None:
        raise Refused(
            "X is one matrix; give the lengths of its sequences, or a list with one matrix for each"
        )
    sizes = np.asarray(lengths, dtype=np.int64)
    if sizes.ndim != 1 or int(sizes.sum()) != X.shape[0]:
        raise Refused(
            f"the lengths sum to {int(sizes.sum())} and there are {X.shape[0]} rows; give those of the rows"
        )
    return sizes


def _length(x: Any, i: int) -> int:
    if hasattr(x, "shape"):
        return int(x.shape[0])
    if isinstance(x, str | Mapping) or not hasattr(x, "__len__"):
        raise Refused(
            f"sequence {i} is a {type(x).__name__}; give a list of feature dicts, or rows of numbers"
        )
    return len(x)


def _from_frame(frame: Any, column: str | None) -> Sequences:
    """Rows with the same name in `column` are a sequence, in the order in which they stand."""
    if column is None or column not in frame.columns:
        raise Refused(
            f"X is a frame, and its sequences are to be named by the column {column!r}; set "
            f"sequence='...' to one of {', '.join(map(str, frame.columns))}"
        )
    names: dict[Any, int] = {}
    owner = np.array([names.setdefault(name, len(names)) for name in frame[column].tolist()], dtype=np.int64)
    order = np.argsort(owner, kind="stable")
    rest = {name: frame[name].to_numpy()[order] for name in frame.columns if name != column}
    if not rest:
        raise Refused(f"the frame has no column but {column!r}; give columns of features as well")
    offsets = _offsets(np.bincount(owner, minlength=len(names)))
    return Sequences(_parts_of_frame(rest, offsets), offsets, order, frame.index)


def _parts_of_frame(columns: Mapping[Any, Any], offsets: Ints) -> Any:
    """A matrix where all columns are numbers, else for each sequence its tokens: dicts by column."""
    if all(values.dtype.kind in "biuf" for values in columns.values()):
        return np.column_stack([values.astype(float) for values in columns.values()])
    names, values = [str(name) for name in columns], [values.tolist() for values in columns.values()]
    tokens = [dict(zip(names, token, strict=True)) for token in zip(*values, strict=True)]
    return [tokens[a:b] for a, b in pairwise(offsets.tolist())]


def labels_of(y: Any, given: Sequences) -> list[Any]:
    """One list of labels for every sequence; for a frame, y may have one label for each of its rows."""
    if given.order is not None and len(y) == len(given.order) and not _is_nested(y):
        flat = np.asarray(y)[given.order].tolist()
        return [flat[a:b] for a, b in pairwise(given.offsets.tolist())]
    sizes = np.diff(given.offsets)
    if len(y) != len(sizes):
        raise Refused(
            f"there are {len(sizes)} sequences and {len(y)} lists of labels; give one list for each"
        )
    found = [labels.tolist() if hasattr(labels, "tolist") else labels for labels in y]
    for i, (labels, size) in enumerate(zip(found, sizes.tolist(), strict=True)):
        if isinstance(labels, str) or not hasattr(labels, "__len__") or len(labels) != size:
            raise Refused(
                f"sequence {i} has {size} positions and the labels {str(labels)[:40]!r}; give one for each"
            )
    return found


def _is_nested(y: Any) -> bool:
    first = y.iloc[0] if hasattr(y, "iloc") else y[0]
    return hasattr(first, "__len__") and not isinstance(first, str)


def in_form_of(given: Sequences, labels: list[list[Any]]) -> Any:
    """Labels as they are, or where there was a frame as a column of its rows."""
    if given.order is None:
        return labels
    flat = np.array(list(chain.from_iterable(labels)))
    rows = np.empty_like(flat)
    rows[given.order] = flat
    return series(rows, given.index)


def read_rows(
    given: Sequences, columns: Columns | None, features: Featurize | None, min_count: int
) -> tuple[Any, Columns | None]:
    """The rows of all sequences, and the columns of their features where these have names; `columns` are
    those known already.
    """
    X = given.parts
    if is_matrix(X):
        return (sp.csr_array(X) if is_sparse(X) else X), None
    first = X[0]
    if is_sparse(first):
        return sp.csr_array(sp.vstack(list(X), format="csr")), None
    if features is None and (isinstance(first, np.ndarray) or isinstance(first[0], np.ndarray | int | float)):
        return _stack(X), None
    tokens = chain.from_iterable(X if features is None else map(features, map(words_of, X)))
    whole, columns = corpus_rows(tokens, min_count) if columns is None else (columns.rows(tokens), columns)
    if whole.shape[0] != int(given.offsets[-1]):
        raise Refused(
            f"`features` made {whole.shape[0]} rows of {int(given.offsets[-1])} words; give one for each"
        )
    return whole, columns


def words_of(sentence: Any) -> Any:
    """A sentence as feature functions take it; the rows of a frame are words, or words with their tags."""
    if not isinstance(sentence[0], dict):
        return sentence
    if len(sentence[0]) > 2:
        raise Refused(
            f"`features` takes words, or words and tags, and the frame has the columns "
            f"{', '.join(sentence[0])}; leave out the others"
        )
    tokens = [tuple(token.values()) for token in sentence]
    return [token[0] for token in tokens] if len(tokens[0]) == 1 else tokens


def spoken_words(given: Sequences, features: Featurize | None) -> tuple[tuple[str, ...], ...]:
    """The words of every sequence, to be shown beside its labels; nothing where there are none."""
    if is_matrix(given.parts) or is_sparse(given.parts[0]) or _word(given.parts[0][0]) is None:
        return ()
    if features is None and not isinstance(given.parts[0][0], dict):
        return ()
    return tuple(tuple(_word(token) or "" for token in sentence) for sentence in given.parts)


def _word(token: Any) -> str | None:
    """The word of a token: itself, the first of a pair, or what it calls its word."""
    found = token.get("word") if isinstance(token, dict) else token[0] if isinstance(token, tuple) else token
    return found if isinstance(found, str) else None


def _stack(X: Any) -> Array:
    try:
        return np.vstack([np.asarray(x, dtype=float) for x in X])
    except ValueError as error:
        raise Refused(
            f"the sequences are no rows of numbers of one width ({error}); give (T, F) arrays"
        ) from None


__all__ = ["Sequences", "in_form_of", "is_frame", "labels_of", "read_rows", "sequences_of", "spoken_words"]
