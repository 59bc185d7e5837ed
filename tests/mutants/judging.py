"""Tests asked about mutants, each in a child of a process that has already imported every library.

No file is changed: the child's import of one module is answered with the mutant. First all tests of a pool
are run once, which tells the lines that each reaches and the processor time that it takes; of a mutant only
those are run that reach the changed lines, the quick ones first, until one fails.
"""

import importlib
import importlib.abc
import importlib.util
import json
import os
import re
import resource
import signal
import sys
import time
from collections.abc import Callable
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

from tests.mutants.changes import Change, changed
from tests.mutants.targets import Pool

SLOW = 2.0
"""Tests that take more processor seconds than this are not asked."""

WATCHED = 2.0
"""How much longer they may take while their lines are watched."""

MOST = 8.0
"""No more processor seconds of tests are spent on one mutant than this."""

CRASHED = 71
"""Stands for a child that a signal ended."""

LIBRARIES = ("numba", "scipy.optimize", "scipy.sparse.csgraph", "cvxpy", "networkx", "hypothesis", "coverage")
QUIET = (
    "-q",
    "-p",
    "no:cacheprovider",
    "-p",
    "no:xdist",
    "-W",
    "ignore::pytest.PytestAssertRewriteWarning",  # libraries are there before pytest
)
OUTCOMES = {0: "survived", None: "time", CRASHED: "killed"} | dict.fromkeys((1, 2, 4), "killed")
"""What exit codes say: tests failed, or their files could not be imported; anything else is our own error."""


def in_child(work: Callable[[], int], seconds: float) -> int | None:
    """The exit code of work done in a child; None if it took more processor seconds than it may."""
    child = os.fork()
    if child == 0:
        limit = int(seconds) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
        resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nothing, stream)
        code = 70
        try:
            code = int(work())
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return None if os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL) else CRASHED
    return os.waitstatus_to_exitcode(status)


def set_compiler(plain: bool) -> None:
    """Let kernels be plain Python, or not."""
    import numba

    os.environ["NUMBA_DISABLE_JIT"] = str(int(plain))
    numba.config.DISABLE_JIT = int(plain)


class Mutant(SourceFileLoader):
    """Gives the changed code where the file's would be read."""

    def __init__(self, name: str, path: str, code: CodeType) -> None:
        super().__init__(name, path)
        self.code = code

    def get_code(self, fullname: str) -> CodeType:
        return self.code


class Finder(importlib.abc.MetaPathFinder):
    """Answers the import of one module with its mutant."""

    def __init__(self, file: str, change: Change) -> None:
        self.name, self.file = file.removesuffix(".py").replace("/", "."), str(Path(file).resolve())
        source = Path(file).read_text(encoding="utf-8")
        self.code = compile(changed(source, change), self.file, "exec")

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if fullname != self.name:
            return None
        loader = Mutant(fullname, self.file, self.code)
        return importlib.util.spec_from_file_location(fullname, self.file, loader=loader)


class Map:
    """For every test of a pool: its processor seconds, and the lines of the engine that it reaches."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.lines: dict[str, dict[str, list[int]]] = {}

    @classmethod
    def read(cls, file: Path) -> "Map":
        out = cls()
        held = json.loads(file.read_text(encoding="utf-8"))
        out.seconds, out.lines = held["seconds"], held["lines"]
        return out

    def write(self, file: Path) -> None:
        file.write_text(json.dumps({"seconds": self.seconds, "lines": self.lines}), encoding="utf-8")

    def tests(self, file: str, change: Change) -> list[str]:
        """The tests that reach a changed line, quick ones first; those that only import it are no tests."""
        reached = set(range(change.line, change.end + 1))
        found = [test for test, files in self.lines.items() if reached & set(files.get(file, ()))]
        if not found:  # run on import alone: a constant, a default, a table
            found = [test for test, files in self.lines.items() if files.get(file)]
        out, spent = [], 0.0
        for test in sorted(found, key=lambda t: self.seconds[t]):
            spent += self.seconds[test]
            if out and spent > MOST:
                break
            out.append(test)
        return out


class TooSlow(BaseException):
    """Raised in a test that has had its time, past whatever catches the errors of its code."""


class Mapper:
    """A pytest plugin that fills a map; tests that fail, are skipped or are too slow are left out."""

    def __init__(self, watch: Any, root: Path, about: str) -> None:
        self.watch, self.root, self.about, self.map = watch, root, about, Map()
        self.left_out: set[str] = set()
        signal.signal(signal.SIGPROF, self.end)

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        items[:] = [item for item in items if self.is_asked(item.nodeid)]

    def is_asked(self, name: str) -> bool:
        """Whether a test is not about other structures."""
        contract = name.startswith("tests/contracts") and "[" in name
        return not contract or re.search(self.about, name) is not None

    def end(self, number: int, frame: Any) -> None:
        raise TooSlow

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: Any) -> Any:
        self.watch.erase()
        self.watch.start()
        began = time.process_time()
        yield
        spent = time.process_time() - began
        self.watch.stop()
        if item.nodeid not in self.left_out:
            self.map.seconds[item.nodeid] = spent
            self.map.lines[item.nodeid] = self.lines()

    @pytest.hookimpl(hookwrapper=True)
    def pytest_pyfunc_call(self, pyfuncitem: Any) -> Any:
        signal.setitimer(signal.ITIMER_PROF, WATCHED * SLOW)
        outcome = yield
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        if isinstance(outcome.exception, TooSlow):
            outcome.force_exception(pytest.skip.Exception("too slow"))

    def pytest_runtest_logreport(self, report: Any) -> None:
        if not report.passed:
            self.left_out.add(report.nodeid)

    def lines(self) -> dict[str, list[int]]:
        """The lines of every file that were run since the watch began."""
        data = self.watch.get_data()
        return {
            Path(file).relative_to(self.root).as_posix(): sorted(data.lines(file) or ())
            for file in data.measured_files()
        }


def draw_map(pool: Pool, root: Path, file: Path) -> Map:
    """The map of a pool, made in a child and kept in a file."""

    def work() -> int:
        import coverage

        set_compiler(pool.plain)
        watch = coverage.Coverage(
            data_file=None, config_file=False, include=[str(root / "explorer/engine/*")]
        )
        mapper = Mapper(watch, root, pool.about)
        pytest.main(
            [*QUIET, "-W", "ignore::coverage.exceptions.CoverageWarning", *pool.tests], plugins=[mapper]
        )
        mapper.map.write(file)
        return 0

    code = in_child(work, 4 * 3600.0)
    if code != 0:
        raise SystemExit(f"the tests of {pool.name} could not be run once: exit code {code}")
    return Map.read(file)


def judge(pool: Pool, file: str, change: Change | None, tests: list[str], seconds: float) -> str:
    """What becomes of a mutant: "killed", "time" (it ran for too long), or "survived". Without a change, what
    becomes of the file as it is.
    """
    if not tests:
        return "not reached"

    def work() -> int:
        set_compiler(pool.plain)
        if change is not None:
            sys.meta_path.insert(0, Finder(file, change))
        return int(pytest.main([*QUIET, "-x", *tests]))

    return OUTCOMES.get(in_child(work, 10.0 + 5.0 * seconds), "error")


def load_libraries() -> None:
    """Import what every test would import."""
    for name in LIBRARIES:
        importlib.import_module(name)
