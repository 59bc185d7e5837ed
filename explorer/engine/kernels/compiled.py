"""The one decorator through which every kernel is compiled.

Kernels are nopython (no object ever enters), nogil (the page goes on drawing while they run) and cached on disk, so
that `explorer warmup` compiles them once. They hold no state, draw no random numbers and do not call themselves:
a cached self-recursive function aborts the process that loads it.
"""

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

import numba

P = ParamSpec("P")
R = TypeVar("R")


def compiled(kernel: Callable[P, R]) -> Callable[P, R]:
    """Compile a kernel; calling it afterwards never holds the GIL."""
    return cast("Callable[P, R]", numba.njit(kernel, nogil=True, cache=True, fastmath=False))
