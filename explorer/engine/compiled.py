"""The one decorator through which every kernel is compiled.

Kernels are nopython (no object ever enters), nogil (the page goes on drawing while they run) and cached on
disk, so that `explorer warmup` compiles them once. They hold no state, draw no random numbers and do not call
themselves: a cached self-recursive function aborts the process that loads it. Numba asks only whether a
kernel's own file changed; what it calls is compiled into it, so here every file's cache also carries the
stamp of all engine files it imports.

Three things that numba does by default make its work longer, or its cache unsafe, and are switched off: a
version of its own for every constant that one kernel passes to another, an entry for C code that nobody
calls, and two processes that number their files in one cache at the same time.
"""

import contextlib
import hashlib
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

import numba
from llvmlite.binding import get_host_cpu_name
from numba.core import event
from numba.core.types import unliteral

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
        jit: Any = numba.njit
        made = jit(kernel, nogil=True, cache=True, fastmath=False, no_cfunc_wrapper=True)
    finally:
        settings.CACHE_DIR = before
    if not settings.DISABLE_JIT:
        take_constants_as_variables(made)
        write_in_turns(made)
    return cast("Callable[P, R]", made)


def take_constants_as_variables(made: Any) -> None:
    """Compile a kernel for the type of a constant argument, not once more for each value."""
    template = made.get_call_template
    plain: Any = unliteral

    def of_types(args: Any, kws: Any) -> Any:
        return template([plain(t) for t in args], {name: plain(t) for name, t in dict(kws).items()})

    made.get_call_template = of_types


def write_in_turns(made: Any) -> None:
    """Let one process at a time add to the cache, where the system can: saving reads the list of what is
    there and gives the next number.
    """
    files = made._cache._cache_file
    save = files.save

    def in_turn(key: Any, data: Any) -> None:
        with open(Path(made._cache.cache_path) / "lock", "w") as lock:
            with contextlib.suppress(ImportError):
                import fcntl

                fcntl.flock(lock, fcntl.LOCK_EX)
            save(key, data)

    files.save = in_turn


@cache
def cache_root() -> Path:
    """Where compiled kernels are kept: NUMBA_CACHE_DIR, beside the sources, the user's own cache folder, or
    where none of them can be written a folder for temporary files that belongs to this user alone.
    """
    named, home = os.environ.get("NUMBA_CACHE_DIR", ""), Path(os.path.expanduser("~"))
    places = (Path(named) if named else HERE / "__pycache__", home / ".cache" / "ssvm-explorer")
    return next((place for place in places if can_be_written(place)), None) or temporary_root()


def can_be_written(place: Path) -> bool:
    """Whether files can be made in a folder, which is made if it is missing."""
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(place, os.W_OK | os.X_OK)


def temporary_root() -> Path:
    """A folder that outlives the process if it is this user's and nobody else can write there (kernels are
    loaded as code), otherwise a new one.
    """
    place = Path(tempfile.gettempdir()) / f"ssvm-explorer-{getattr(os, 'getuid', lambda: 0)()}"
    with contextlib.suppress(OSError):
        place.mkdir(mode=0o700, exist_ok=True)
        found = place.lstat()
        if not place.is_symlink() and found.st_uid == os.getuid() and not found.st_mode & 0o022:
            return place
    return Path(tempfile.mkdtemp(prefix="ssvm-explorer-"))


def is_kept() -> bool:
    """Whether kernels are kept for later, and not only in a folder for temporary files."""
    return not cache_root().name.startswith("ssvm-explorer-")


class CompilerWatch(event.Listener):
    """Knows how long the compiler has worked in this process; kernels inside other kernels count once."""

    def __init__(self) -> None:
        self.deep, self.began, self.before = 0, 0.0, 0.0
        self.announce: Callable[[], None] | None = None

    def on_start(self, event: Any) -> None:
        """The compiler begins."""
        if self.deep == 0:
            self.began = time.perf_counter()
            tell, self.announce = self.announce, None
            if tell:
                tell()
        self.deep += 1

    def on_end(self, event: Any) -> None:
        """The compiler has done."""
        self.deep -= 1
        if self.deep == 0:
            self.before += time.perf_counter() - self.began

    @property
    def seconds(self) -> float:
        """The seconds up to now."""
        return self.before + (time.perf_counter() - self.began if self.deep else 0.0)


COMPILER = CompilerWatch()
register: Any = event.register
register("numba:compile", COMPILER)


def clock() -> float:
    """Seconds, as of a clock that stands still while the compiler works: compiling is no part of training."""
    return time.perf_counter() - COMPILER.seconds


def remember(what: str) -> None:
    """Note that a set of kernels has been compiled."""
    note(what).parent.mkdir(parents=True, exist_ok=True)
    note(what).touch()


def is_compiled(what: str) -> bool:
    """Whether a set of kernels is noted as compiled; where nothing is compiled, nothing is missing."""
    return bool(getattr(numba.config, "DISABLE_JIT", 0)) or note(what).exists()


@cache
def note(what: str) -> Path:
    """The file that stands for a set of kernels: of these sources, numba, Python and this processor."""
    text = hashlib.sha1(
        f"{numba.__version__} {sys.version} {get_host_cpu_name()}".encode(), usedforsecurity=False
    )
    for source in sorted(HERE.rglob("*.py")):
        text.update(source.read_bytes())
    return cache_root() / f"{what}-{text.hexdigest()[:16]}"


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
