"""How much memory something holds, so that what is kept can be counted in bytes.

Arrays count with their bytes, each once, whatever refers to them; everything else by what it is made of. The
walk ends after a number of parts: what has more of them is small numbers and text, counted as far as seen.
"""

import sys
from collections.abc import Mapping
from types import FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

MOST_PARTS = 300_000
LEAVES = (type, FunctionType, MethodType, ModuleType, str, bytes, int, float, bool, complex, type(None))


def weigh(value: Any) -> int:
    """Bytes of all arrays and containers that a value leads to."""
    seen, left, total = set[int](), [value], 0
    while left and len(seen) < MOST_PARTS:
        part = left.pop()
        if isinstance(part, LEAVES) or id(part) in seen:
            continue
        seen.add(id(part))
        if isinstance(part, np.ndarray):
            total += 0 if id(part.base) in seen else part.nbytes
            left += list(part.flat) if part.dtype == object else []
            continue
        total += sys.getsizeof(part, 64)
        left += inside(part)
    return total


def inside(part: Any) -> list[Any]:
    """What a container or record holds."""
    if isinstance(part, Mapping):
        return [*part.keys(), *part.values()]
    if isinstance(part, list | tuple | set | frozenset):
        return list(part)
    found = list(vars(part).values()) if hasattr(part, "__dict__") else []
    for kind in type(part).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        names = (slots,) if isinstance(slots, str) else slots
        found += [getattr(part, name) for name in names if hasattr(part, name)]
    return found


__all__ = ["weigh"]
