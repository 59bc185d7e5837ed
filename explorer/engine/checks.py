"""Data at the edge: refused with a sentence that names place and fix, or made contiguous and read-only.

    points      inputs (n, F) float64 or CSR              labels (n,) int64 in 0..K-1
    sequences   inputs n times (T_i, F) float64 or CSR    labels n times (T_i,) int64 in 0..K-1

What already has its final form is viewed, not copied; sparse rows stay sparse. Cost: one look at every stored
number.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from explorer.engine.contracts import Dataset
from explorer.engine.refusals import Refused
from explorer.engine.rows import RowBlocks, is_sparse
from explorer.engine.vectors import Array, Ints

Csr: TypeAlias = "csr_array[np.float64, tuple[int, int]]"
Rows: TypeAlias = "Array | Csr"
States: TypeAlias = int | Sequence[str]
Some = TypeVar("Some", bound=np.generic)


def checked_points(inputs: Any, labels: Any, states: States) -> tuple[Array, Ints]:
    """A row of finite features and a known label per example, or Refused; `states`: K names, or just K."""
    if issparse(inputs):
        raise Refused("the points are one sparse matrix; give a dense (n, F) array")
    inputs, labels = _listed(inputs, "the inputs"), _listed(labels, "the labels")
    _check_counts(len(inputs), len(labels))
    rows = inputs if _is_numeric(inputs) else _stacked(inputs)
    if rows.ndim != 2 or rows.shape[1] == 0:
        raise Refused(f"the inputs have shape {rows.shape}; give (n, F), at least one feature per example")
    values = np.asarray(rows, dtype=np.float64, order="C")
    _check_finite(values, "example {}")
    return read_only(values), _known(labels, states, "example {}")


def checked_rows(inputs: Any, labels: Any, states: States) -> tuple[Rows, Ints]:
    """The same for one matrix of points that may be sparse, and then stays so."""
    if not is_sparse(inputs):
        return checked_points(inputs, labels, states)
    labels = _listed(labels, "the labels")
    _check_counts(inputs.shape[0], len(labels))
    return _frozen(_csr(inputs, "example {}")), _known(labels, states, "example {}")


def checked_sequences(inputs: Any, labels: Any, states: States) -> tuple[tuple[Rows, ...], tuple[Ints, ...]]:
    """For every example a row of finite features and a known label per position, or Refused."""
    if issparse(inputs):
        raise Refused("the sequences are one sparse matrix; give a tuple with one matrix per example")
    inputs, labels = _listed(inputs, "the inputs"), _listed(labels, "the labels")
    _check_counts(len(inputs), len(labels))
    if isinstance(inputs, RowBlocks):
        rows: Any = RowBlocks(_whole(inputs), inputs.offsets)
    else:
        rows = tuple(_sequence(x, f"example {i}") for i, x in enumerate(inputs))
        for i, x in enumerate(rows):
            _check_alike(rows[0], x, i)
    lengths = np.diff(rows.offsets) if isinstance(rows, RowBlocks) else [x.shape[0] for x in rows]
    pairs = enumerate(zip(lengths, labels, strict=True))
    return rows, tuple(_sequence_labels(y, int(length), states, i) for i, (length, y) in pairs)


def _whole(blocks: RowBlocks) -> Rows:
    """All rows of all sequences, looked at once; a sparse corpus is what kernels read, so it is not
    copied to be frozen.
    """
    if 0 in (np.diff(blocks.offsets).min(), blocks.whole.shape[1]):
        empty = int(np.argmin(np.diff(blocks.offsets)))
        raise Refused(f"example {empty} is empty; leave it out, or give it rows and features")
    if issparse(blocks.whole):
        return _csr(blocks.whole, "row {} of all examples")
    values = np.asarray(blocks.whole, dtype=np.float64, order="C")
    _check_finite(values, "row {} of all examples")
    return read_only(values)


def checked_row(x: Any, features: int, place: str) -> Any:
    """One row of finite features, or Refused; a sparse one stays sparse."""
    row: Any = x if issparse(x) else _numbers(x, place)
    if row.shape != (features,) and not (issparse(x) and row.shape == (1, features)):
        raise Refused(
            f"{place} has shape {row.shape}; give one row of {features} features, or many to `predict_many`"
        )
    values = np.asarray(row.data if issparse(x) else row, dtype=np.float64, order="C")
    _check_finite(values[None], f"{place}, row {{}}")
    return row if issparse(x) else values


def checked_positions(x: Any, like: Rows, place: str) -> Rows:
    """One sequence of the same features as another, dense or sparse as that one is, or Refused."""
    rows = _sequence(x, place)
    if rows.shape[1] != like.shape[1]:
        raise Refused(
            f"{place} has {rows.shape[1]} features a position; give {like.shape[1]}, as in training"
        )
    if issparse(rows) == issparse(like):
        return rows
    return csr_array(rows) if issparse(like) else cast("Csr", rows).toarray()


def check_whole(label: Any, states: int, place: str) -> None:
    """Refuse what is no whole number from 0 to states - 1."""
    if not isinstance(label, int | np.integer) or not 0 <= label < states:
        raise Refused(f"{place} is {_shown(label)}; give a whole number from 0 to {states - 1}")


def check_states(labels: Any, states: int) -> None:
    """Refuse labellings from a file that name a state there is not: compiled code would look wherever they
    say.
    """
    if len(labels) and not (int(labels.min()) >= 0 and int(labels.max()) < states):
        raise Refused(f"the saved run names a state outside 0 to {states - 1}; train it again")


def points(name: str, inputs: Any, labels: Any, states: Sequence[str], **meta: Any) -> Dataset:
    """A checked data set of single points; its meta holds the names of the classes as "states"."""
    x, y = checked_points(inputs, labels, states)
    return Dataset(name, cast("Sequence[Any]", x), cast("Sequence[Any]", y), _meta(states, meta))


def sequences(name: str, inputs: Any, labels: Any, states: Sequence[str], **meta: Any) -> Dataset:
    """A checked data set of sequences; its meta holds the names of the states as "states"."""
    x, y = checked_sequences(inputs, labels, states)
    return Dataset(name, x, y, _meta(states, meta))


def read_only(values: NDArray[Some]) -> NDArray[Some]:
    """A view that cannot be written to; the array behind it is left as it is."""
    view = values.view()
    view.flags.writeable = False
    return view


def _meta(states: Sequence[str], meta: dict[str, Any]) -> dict[str, Any]:
    """A plain dict, since data sets travel to worker processes and a read-only mapping cannot be pickled."""
    frozen = {
        name: read_only(value) if isinstance(value, np.ndarray) else value for name, value in meta.items()
    }
    return {"states": tuple(states), **frozen}


def _listed(values: Any, what: str) -> Any:
    """The same values with a length and an order; arrays of other libraries become numpy arrays."""
    values = np.asarray(values) if hasattr(values, "__array__") else values
    if not hasattr(values, "__len__") or (isinstance(values, np.ndarray) and values.ndim == 0):
        raise Refused(f"{what} are {_shown(values)}; give a list or an array")
    return values


def _check_counts(inputs: int, labels: int) -> None:
    if inputs == labels == 0:
        raise Refused("the data set is empty; give at least one example")
    if inputs != labels:
        lacks = "input" if inputs < labels else "label"
        raise Refused(
            f"example {min(inputs, labels)} has no {lacks}: there are {inputs} inputs and {labels} labels; "
            "give one label for every input"
        )


def _is_numeric(values: Any) -> bool:
    return isinstance(values, np.ndarray) and values.dtype.kind in "biuf"


def _numbers(values: Any, place: str) -> NDArray[Any]:
    """The values as an array of numbers, whatever their shape."""
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise Refused(f"{place} has rows of different lengths; give every row the same features") from error
    if array.dtype.kind not in "biuf":
        raise Refused(f"{place} has features of type {array.dtype}; give real numbers")
    return array


def _stacked(inputs: Any) -> NDArray[Any]:
    """Rows given one by one, as one matrix."""
    rows = [_numbers(x, f"example {i}") for i, x in enumerate(inputs)]
    for i, row in enumerate(rows):
        if row.ndim != 1:
            raise Refused(f"example {i} has {row.ndim} dimensions; give one row of features, x.ravel()")
        if len(row) != len(rows[0]):
            raise Refused(
                f"example {i} has {len(row)} features but example 0 has {len(rows[0])}; give all the same"
            )
    return np.stack(rows)


def _sequence(x: Any, place: str) -> Rows:
    """One example as (T, F) rows, dense or CSR."""
    numbers: Any = x if issparse(x) else _numbers(x, place)
    if numbers.ndim != 2:
        raise Refused(f"{place} has {numbers.ndim} dimensions; give (T, F), one row of features per position")
    if 0 in numbers.shape:
        raise Refused(
            f"{place} is empty with shape {numbers.shape}; leave it out, or give it rows and features"
        )
    if issparse(x):
        return _frozen(_csr(x, f"{place}, position {{}}"))
    values = np.asarray(numbers, dtype=np.float64, order="C")
    _check_finite(values, f"{place}, position {{}}")
    return read_only(values)


def _csr(x: Any, place: str) -> Csr:
    """Sorted, without duplicates, never dense; the caller's matrix is not touched. `place` is filled with a
    row.
    """
    whole = place.partition(",")[0] if "," in place else "the matrix of all examples"
    if x.dtype.kind not in "biuf":
        raise Refused(f"{whole} has features of type {x.dtype}; give real numbers")
    rows: Csr = csr_array(x, dtype=np.float64)
    try:
        rows.check_format(full_check=True)
    except ValueError as error:
        raise Refused(
            f"{whole} is a damaged CSR matrix ({error}); build it again from rows and columns"
        ) from error
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    wrong = np.flatnonzero(~np.isfinite(rows.data))
    if len(wrong):
        position = int(np.searchsorted(rows.indptr, wrong[0], side="right")) - 1
        _refuse_value(place.format(position), int(rows.indices[wrong[0]]), rows.data[wrong[0]])
    return rows


def _frozen(rows: Csr) -> Csr:
    """The same matrix, with arrays that cannot be written to."""
    for part in ("data", "indices", "indptr"):
        setattr(rows, part, read_only(getattr(rows, part)))
    return rows


def _check_alike(first: Rows, x: Rows, i: int) -> None:
    if issparse(x) != issparse(first):
        raise Refused(
            f"example {i} and example 0 are not both sparse or both dense; give all of them in one form"
        )
    if x.shape[1] != first.shape[1]:
        raise Refused(
            f"example {i} has {x.shape[1]} features but example 0 has {first.shape[1]}; give all the same"
        )


def _check_finite(values: Array, place: str) -> None:
    """Refuse the first value that is not finite; `place` is filled with its row."""
    if not np.isfinite(values).all():
        row, column = np.argwhere(~np.isfinite(values))[0]
        _refuse_value(place.format(row), int(column), values[row, column])


def _refuse_value(place: str, column: int, value: np.float64) -> None:
    raise Refused(
        f"{place} has the value {value} in feature {column}; replace it by a finite number or leave it out"
    )


def _sequence_labels(y: Any, length: int, states: States, i: int) -> Ints:
    y = _listed(y, f"the labels of example {i}")
    if len(y) != length:
        raise Refused(
            f"example {i} has {length} rows of features but {len(y)} labels; give one label per row"
        )
    return _known(y, states, f"example {i}, position {{}}")


def _known(labels: Any, states: States, place: str) -> Ints:
    """The labels as int64, all in 0..K-1; `place` is filled with the index of the first that is not."""
    count = states if isinstance(states, int) else len(states)
    wrong = _first_unknown(labels, count)
    if wrong is not None:
        names = "" if isinstance(states, int) else f", which stand for {', '.join(states)}"
        raise Refused(
            f"{place.format(wrong)} has the label {_shown(labels[wrong])}; "
            f"give a whole number from 0 to {count - 1}{names}"
        )
    return read_only(np.asarray(labels, dtype=np.int64, order="C"))


def _first_unknown(labels: Any, count: int) -> int | None:
    if isinstance(labels, np.ndarray) and labels.ndim == 1 and labels.dtype.kind in "biu":
        wrong = np.flatnonzero((labels < 0) | (labels >= count))
        return int(wrong[0]) if len(wrong) else None
    fine = (isinstance(y, int | np.integer) and 0 <= y < count for y in labels)
    return next((at for at, ok in enumerate(fine) if not ok), None)


def _shown(value: Any) -> str:
    text = repr(value.tolist() if isinstance(value, np.generic | np.ndarray) else value)
    return text if len(text) <= 40 else text[:37] + "..."
