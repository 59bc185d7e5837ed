"""Arrays of NumPy in one file, as `np.savez("x.npz", X=X, y=y)` writes them.

    X          (n, d) numbers, a row for each example
    y          (n,) classes, numbers or texts; or (n, l) zeros and ones, any number of l labels for each row
    sequence   (n,), if wanted: rows with the same one are a sequence, and stand together
    features   (d,), if wanted: what the columns of X are called

The file comes from outside: how much it unpacks to is bounded before memory is taken, and arrays of objects,
which could run code, are refused. Cost: the arrays are copied once.
"""

import io
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy

from explorer.engine.data.readers.files import read_bytes
from explorer.engine.refusals import Refused
from explorer.engine.vectors import Array, Ints

MOST_BYTES, MOST_UNPACKED = 200_000_000, 400_000_000
WANTED = "NumPy arrays X and y in one file, as np.savez writes them"
KNOWN = ("X", "y", "sequence", "features")
PLAIN = "biufU"
"""Types of arrays that are numbers or texts."""
DAMAGE = (zipfile.BadZipFile, zlib.error, ValueError, EOFError, OSError, NotImplementedError, RuntimeError)


def read_arrays(path: str | Path) -> dict[str, Any]:
    """The arrays of a file by name, X among them; checked against each other."""
    where = str(path)
    stored = read_bytes(path, MOST_BYTES, WANTED)
    try:
        with zipfile.ZipFile(io.BytesIO(stored)) as opened:
            found = _members(opened, where)
    except DAMAGE as error:
        if isinstance(error, Refused):
            raise
        raise Refused(f"{where} is damaged, or no file of arrays ({error}); give {WANTED}") from error
    _check(found, where)
    return found


def _members(opened: zipfile.ZipFile, where: str) -> dict[str, Any]:
    infos = [info for info in opened.infolist() if info.filename.removesuffix(".npy") in KNOWN]
    if len({info.filename for info in infos}) < len(infos) or len(opened.infolist()) > 1000:
        raise Refused(f"{where} holds arrays of the same name; save it again with np.savez")
    if sum(info.file_size for info in infos) > MOST_UNPACKED:
        raise Refused(
            f"{where} unpacks to more than {MOST_UNPACKED / 1e6:,.0f} million bytes; give a part of it"
        )
    return {info.filename.removesuffix(".npy"): _array(opened, info, where) for info in infos}


def _array(opened: zipfile.ZipFile, info: zipfile.ZipInfo, where: str) -> Any:
    """One array, without trust in what it says of its size."""
    name = info.filename.removesuffix(".npy")
    with opened.open(info) as member:
        content = member.read(info.file_size + 1)
    stream = io.BytesIO(content)
    version = npy.read_magic(stream)
    reader = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, by_columns, kind = reader(stream)
    if kind.kind not in PLAIN or kind.itemsize == 0:
        raise Refused(f"{where}: the array {name} is of type {kind}; give numbers or texts")
    count = 1
    for size in shape:
        count *= int(size)
    if count * kind.itemsize != len(content) - stream.tell():
        raise Refused(f"{where}: the array {name} is not as large as it says; save it again")
    flat = np.frombuffer(content, dtype=kind, offset=stream.tell(), count=count)
    return flat.reshape(shape, order="F" if by_columns else "C").copy()


def _check(found: dict[str, Any], where: str) -> None:
    X = found.get("X")
    if X is None:
        raise Refused(f"{where} has no array X; give {WANTED}")
    if X.ndim != 2 or X.dtype.kind not in "biuf" or 0 in X.shape:
        raise Refused(f"{where}: X has shape {X.shape} and type {X.dtype}; give rows of numbers, (n, d)")
    found["X"] = X.astype(np.float64)
    bad = np.argwhere(~np.isfinite(found["X"]))
    if len(bad):
        row, column = bad[0]
        raise Refused(f"{where}: X, row {row}, column {column} is {X[row, column]}; give finite numbers")
    for name, wide in (("y", len(X)), ("sequence", len(X)), ("features", X.shape[1])):
        one = found.get(name)
        if one is not None and (one.ndim < 1 or len(one) != wide or (name != "y" and one.ndim != 1)):
            raise Refused(f"{where}: {name} has shape {one.shape}; give {wide} entries, as X has them")


def table_of_sets(y: Any, where: str) -> Ints:
    """Labels as zeros and ones."""
    bad = np.argwhere((y != 0) & (y != 1)) if y.dtype.kind in "biuf" else [(0, 0)]
    if y.ndim != 2 or len(bad):
        row, column = bad[0] if len(bad) else (0, 0)
        raise Refused(f"{where}: y, row {row}, column {column} is {y[row][column]}; give zeros and ones")
    return y.astype(np.int64)


def class_names(y: Any, where: str) -> list[str]:
    """The class of every row as a name."""
    if y.ndim != 1:
        raise Refused(f"{where}: y has shape {y.shape}; give one class for each row")
    if y.dtype.kind == "f" and not (np.isfinite(y).all() and (y == np.round(y)).all()):
        row = int(np.argmax(~np.isfinite(y) | (y != np.round(y))))
        raise Refused(f"{where}: y, row {row} is {y[row]}; give whole numbers or texts as classes")
    return [str(one) for one in (y.astype(np.int64) if y.dtype.kind in "fb" else y).tolist()]


def ends_of(sequence: Any, where: str) -> Ints:
    """Where each sequence begins among the rows, and where the last one ends."""
    breaks = np.flatnonzero(sequence[1:] != sequence[:-1]) + 1
    first = np.concatenate([[0], breaks]).astype(np.int64)
    names = sequence[first]
    if len(np.unique(names)) < len(names):
        seen: set[Any] = set()
        for at, name in zip(first.tolist(), names.tolist(), strict=True):
            if name in seen:
                raise Refused(
                    f"{where}: row {at} goes on with the sequence {name!r}, which ended before; let its rows "
                    "stand together"
                )
            seen.add(name)
    return np.array([*first, len(sequence)], dtype=np.int64)


def write_arrays(arrays: Mapping[str, Any]) -> bytes:
    """The arrays as the bytes of a file; equal arrays give equal bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name, values in arrays.items():
            one = io.BytesIO()
            npy.write_array(one, np.ascontiguousarray(values), allow_pickle=False)
            made.writestr(zipfile.ZipInfo(f"{name}.npy"), one.getvalue(), zipfile.ZIP_DEFLATED)
    return out.getvalue()


def rows_of(X: Array, ends: Ints) -> list[Array]:
    """The rows of each sequence."""
    return [X[a:b] for a, b in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)]


__all__ = ["class_names", "ends_of", "read_arrays", "rows_of", "table_of_sets", "write_arrays"]
