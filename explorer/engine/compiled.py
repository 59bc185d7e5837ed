"""The one decorator through which every kernel is compiled.

Kernels are nopython (no object ever enters), nogil (the page goes on drawing while they run) and cached on
disk, so that `explorer warmup` compiles them once. They hold no state, draw no random numbers and do not call
themselves: a cached self-recursive function aborts the process that loads it. Numba asks only whether a
kernel's own file changed; what it calls is compiled into it, so here every file's cache also carries the
stamp of all engine files it imports.
"""

import hashlib
import os
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

import numba

P = ParamSpec("P")
R = TypeVar("R")

HERE = Path(__file__).parent
IMPORTED = re.compile(r"^from explorer\.engine\.([\w.]+) import", re.MULTILINE)


def compiled(kernel: Callable[P, R]) -> Callable[P, R]:
    """Compile a kernel; calling it afterwards never holds the GIL."""
    settings: Any = numba.config
    before = settings.CACHE_DIR
    settings.CACHE_DIR = str(
        cache_root() / stamp(Path(kernel.__code__.co_filename).relative_to(HERE).with_suffix("").as_posix())
    )
    try:
        return cast("Callable[P, R]", numba.njit(kernel, nogil=True, cache=True, fastmath=False))
    finally:
        settings.CACHE_DIR = before


@cache
def cache_root() -> Path:
    """Where compiled kernels are kept: NUMBA_CACHE_DIR, beside the sources, or the user's own cache
    folder.
    """
    named = os.environ.get("NUMBA_CACHE_DIR", "")
    if named:
        return Path(named)
    beside = HERE / "__pycache__"
    return beside if os.access(HERE, os.W_OK) else Path.home() / ".cache" / "ssvm-explorer"


@cache
def stamp(name: str) -> str:
    """What a kernel file and all engine files it stands on say, as sixteen letters."""
    text = hashlib.sha1(usedforsecurity=False)
    for part in sorted(stands_on(name)):
        text.update((HERE / f"{part}.py").read_bytes())
    return text.hexdigest()[:16]


def stands_on(name: str) -> set[str]:
    """A kernel file and those it imports, however indirectly."""
    found, ahead = set[str](), [name]
    while ahead:
        part = ahead.pop()
        source = HERE / f"{part}.py"
        if part not in found and source.is_file():
            found.add(part)
            ahead += [name.replace(".", "/") for name in IMPORTED.findall(source.read_text(encoding="utf-8"))]
    return found
