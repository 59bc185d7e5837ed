"""Keyframes and labels as JSON plus flat arrays, and back: bit for bit, without ever running what is read.

    encode(value) = (tree, arrays),   decode(tree, arrays) = value

None, bool, int, str, finite floats, lists and dicts with text keys are written as JSON writes them. What
JSON lacks is an object with one key that begins with "$":

    {"$float": "nan"}        nan, inf, -inf             {"$tuple": [...]}     a tuple
    {"$array": 7}            array number 7             {"$array": [7, 2, 3]} the same with shape (2, 3)
    {"$run": [7, 3]}         a tuple of arrays 7, 8, 9  {"$scalars": 7}       a tuple of numpy numbers
    {"$scalar": 7}           one numpy number           {"$pairs": [[k, v]]}  a dict with other keys
    {"$sparse": [fields]}    a record, as are "$cut" and "$plane"

An array that occurs twice (the same object) is stored once and is one object again after decoding:
keyframes share their planes. Numpy numbers keep their type, because labels are compared by how they print.
Everything else is refused by the name of its type. Decoding is bounded in depth and in the number of values
made, since a few bytes can name the same long run again and again. Cost: one visit of every value.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from explorer.engine.events import Cut
from explorer.engine.objective import Plane
from explorer.engine.refusals import Refused
from explorer.engine.vectors import Sparse

AnyArray: TypeAlias = NDArray[Any]

DTYPES = ("|b1", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4", "<u8", "<f2", "<f4", "<f8")
RECORDS: dict[str, Callable[..., Any]] = {"$sparse": Sparse, "$cut": Cut, "$plane": Plane}
TAGS: dict[Any, str] = {record: tag for tag, record in RECORDS.items()}
STORABLE = "numbers, text, None, arrays of numbers, and tuples, lists or dicts of them"
STRANGE = "it was not made by the explorer"

DEPTH = 32
"""How deep a value may be nested; its tree may be a few times deeper."""
VALUES = 8_000_000
"""How many values one bundle may make."""


class Encoder:
    """Turns values into trees; `arrays` grows by every array met for the first time, made flat."""

    def __init__(self) -> None:
        self.arrays: list[AnyArray] = []
        self._numbers: dict[int, int] = {}
        self._alive: list[Any] = []

    def tree(self, value: Any, place: str, depth: int = 0) -> Any:
        """The value as JSON would hold it; `place` is where a refusal says it was found."""
        if depth > DEPTH:
            raise Refused(f"{place} is nested more than {DEPTH} deep; use flatter labels to save this run")
        if value is None or type(value) in (bool, int, str):
            return value
        if type(value) is float:
            return value if math.isfinite(value) else {"$float": repr(value)}
        if type(value) is np.ndarray:
            number = self._number(value, value, place)
            return {"$array": number if value.ndim == 1 else [number, *value.shape]}
        if isinstance(value, np.generic):
            return {"$scalar": self._number(np.asarray(value), None, place)}
        return self._group(value, place, depth + 1)

    def _group(self, value: Any, place: str, depth: int) -> Any:
        """Values made of other values."""
        if type(value) is list:
            return [self.tree(part, place, depth) for part in value]
        if type(value) is tuple:
            return self._tuple(value, place, depth)
        if type(value) is dict:
            return self._dict(value, place, depth)
        tag = TAGS.get(type(value))
        if tag is None:
            kind = type(value).__name__
            raise Refused(f"{place} holds a value of type {kind}, which cannot be saved; use {STORABLE}")
        return {tag: [self.tree(getattr(value, f.name), place, depth) for f in fields(value)]}

    def _tuple(self, value: tuple[Any, ...], place: str, depth: int) -> Any:
        """Long labellings are tuples of arrays or of numpy numbers: one entry for all of them."""
        if len(value) > 1 and all(isinstance(part, np.generic) for part in value):
            if len({part.dtype for part in value}) == 1:
                return {"$scalars": self._number(np.array(value), value, place)}
        elif len(value) > 1 and all(type(part) is np.ndarray and part.ndim == 1 for part in value):
            numbers = [self._number(part, part, place) for part in value]
            if numbers == list(range(numbers[0], numbers[0] + len(value))):
                return {"$run": [numbers[0], len(value)]}
        return {"$tuple": [self.tree(part, place, depth) for part in value]}

    def _dict(self, value: dict[Any, Any], place: str, depth: int) -> Any:
        if all(type(key) is str and not key.startswith("$") for key in value):
            return {key: self.tree(part, place, depth) for key, part in value.items()}
        pairs = [[self.tree(k, place, depth), self.tree(v, place, depth)] for k, v in value.items()]
        return {"$pairs": pairs}

    def _number(self, array: AnyArray, owner: Any, place: str) -> int:
        """The array's number: the known one when `owner`, the object it stands for, was met before."""
        known = None if owner is None else self._numbers.get(id(owner))
        if known is not None:
            return known
        if array.dtype.str not in DTYPES:
            raise Refused(
                f"{place} holds an array of type {array.dtype}, which cannot be saved; use {STORABLE}"
            )
        self.arrays.append(array.ravel())
        if owner is not None:
            self._numbers[id(owner)] = len(self.arrays) - 1
            self._alive.append(owner)
        return len(self.arrays) - 1


class Decoder:
    """Turns trees back into values; `make` gives a new flat array for its number."""

    def __init__(self, make: Callable[[int], AnyArray]) -> None:
        self._make = make
        self._arrays: dict[int, AnyArray] = {}
        self._scalars: dict[int, tuple[Any, ...]] = {}
        self._left = VALUES

    def value(self, tree: Any, depth: int = 0) -> Any:
        """The value that a tree stands for."""
        self._spend(1)
        if depth > 4 * DEPTH:
            raise Refused(f"the bundle nests values more than {4 * DEPTH} deep; {STRANGE}")
        if isinstance(tree, list):
            return [self.value(part, depth + 1) for part in tree]
        if not isinstance(tree, dict):
            return tree
        tag = next(iter(tree), "")
        if len(tree) == 1 and tag.startswith("$"):
            return self._tagged(tag, tree[tag], depth + 1)
        return {key: self.value(part, depth + 1) for key, part in tree.items()}

    def _tagged(self, tag: str, body: Any, depth: int) -> Any:
        if tag == "$array":
            return self._array(body[0], body[1:]) if isinstance(body, list) else self._array(body)
        if tag == "$scalar":
            return self._array(body)[0]
        if tag == "$scalars":
            return self._numbers(body)
        if tag == "$run":
            return self._run(*body)
        if tag == "$float" and body in ("nan", "inf", "-inf"):
            return float(body)
        parts = [self.value(part, depth) for part in body] if isinstance(body, list) else []
        if tag == "$tuple":
            return tuple(parts)
        if tag == "$pairs":
            return dict(parts)
        if tag not in RECORDS:
            raise Refused(f"the bundle holds a value of kind {tag[:40]!r}, which this version does not know")
        return sound(RECORDS[tag](*parts))

    def _array(self, number: int, shape: Sequence[int] | None = None) -> AnyArray:
        """Array `number`, flat or in a shape; the same object every time."""
        if type(number) is not int or number < 0:
            raise Refused(f"the bundle names an array by {str(number)[:40]}, not by a number; {STRANGE}")
        if number not in self._arrays:
            flat = self._make(number)
            self._arrays[number] = flat if shape is None else flat.reshape(shape)
        found = self._arrays[number]
        if found.shape != (found.shape[:1] if shape is None else tuple(shape)):
            raise Refused(f"the bundle gives array {number} two shapes; {STRANGE}")
        return found

    def _numbers(self, number: int) -> tuple[Any, ...]:
        array = self._array(number)
        if number not in self._scalars:
            self._spend(array.size)
            self._scalars[number] = tuple(array)
        return self._scalars[number]

    def _run(self, first: int, count: int) -> tuple[AnyArray, ...]:
        self._spend(count)
        return tuple(self._array(number) for number in range(first, first + count))

    def _spend(self, count: int) -> None:
        if type(count) is not int or not 0 <= count <= self._left:
            raise Refused(f"the bundle asks for more than {VALUES:,} values; {STRANGE}")
        self._left -= count


def sound(record: Any) -> Any:
    """The record; a sparse vector whose positions do not fit is refused, because learners trust them."""
    if not isinstance(record, Sparse):
        return record
    index, value = np.asarray(record.index), np.asarray(record.value)
    typed = index.dtype == np.int64 and type(record.dim) is int
    typed = typed and (value.dtype == np.float64 or not value.size)
    if not (typed and index.ndim == 1 and index.shape == value.shape and np.all(np.diff(index) > 0)):
        raise Refused(f"the bundle holds a sparse vector without sorted positions; {STRANGE}")
    if index.size and not 0 <= index[0] <= index[-1] < record.dim:
        raise Refused(f"the bundle holds a sparse vector with positions outside it; {STRANGE}")
    return record


def encode(value: Any, place: str = "the value") -> tuple[Any, list[AnyArray]]:
    """The value as a JSON tree, and the arrays, made flat, that the tree refers to by number."""
    encoder = Encoder()
    return encoder.tree(value, place), encoder.arrays


def decode(tree: Any, arrays: Sequence[AnyArray]) -> Any:
    """The value that was encoded; its arrays are copies."""
    return Decoder(lambda number: arrays[number].copy()).value(tree)
