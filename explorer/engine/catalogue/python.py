"""Problems in Python as tasks: `path/to/file.py:name`, a whole file, or an object of this process.

Such a problem brings its loss, its oracle and its prices along, so there is nothing to choose but who learns
it. A file can be run again in another process; an object cannot travel, and trains where it was made.
"""

import re
import uuid
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, cast

from explorer.engine.catalogue.files import changed_at
from explorer.engine.catalogue.task import NOTHING, NoSettings, Pair, Task, TaskSource
from explorer.engine.contracts import Dataset, Loss, Problem, lacking
from explorer.engine.hooks.module import is_hook_module, load_module
from explorer.engine.knobs import settings
from explorer.engine.learners import name_of, suited_learner
from explorer.engine.refusals import Refused
from explorer.engine.structures.classes.own_parts import has_parts, problem_of_parts

NAMED = re.compile(r"(?P<file>.+?\.py)(:(?P<name>.+))?")
"""A Python file, alone or with a name in it; of a file with hooks, with the file of its examples."""

HERE = " (Python)"
"""What names of objects end in, so that none is called like a task of the catalogue."""


@settings
class OwnLoss:
    """Stands for the loss that a problem in Python brings along; only the problem itself knows its values."""


@settings
class OwnOracle:
    """The oracle that a problem in Python brings along."""

    title: ClassVar[str] = "own oracle"
    help: ClassVar[str] = "What the problem itself answers."


@dataclass(frozen=True, slots=True)
class PythonFile:
    """A name in a Python file as it was when it was run."""

    path: Path
    name: str
    stamped: str
    called: str = field(compare=False)

    def stamp(self) -> str:
        """Size and time of the file that was run."""
        return self.stamped

    def make(self, data: Any) -> Pair:
        """The problem's own data, and its test data."""
        problem, test = run_file(self.path, self.name, self.stamped)
        return problem.dataset, test

    def memo(self) -> dict[str, str]:
        """Nothing but its name."""
        return {}

    def remake(self) -> tuple[Any, ...]:
        """How another process makes the same task: by running the file."""
        return python_task, (self.path, self.name, self.called)


@dataclass(frozen=True, slots=True, eq=False)
class PythonObject:
    """A problem of this process."""

    problem: Problem
    test: Dataset | None
    token: str

    def stamp(self) -> str:
        """Another text for every object."""
        return self.token

    def make(self, data: Any) -> Pair:
        """The problem's own data, and its test data."""
        return self.problem.dataset, self.test

    def memo(self) -> dict[str, str]:
        """Nothing but its name."""
        return {}

    def remake(self) -> tuple[Any, ...]:
        """Refused: it cannot be made again."""
        raise Refused(
            "this problem exists only in the process that made it; put it into a file and name it as "
            "path/to/file.py:name"
        )


def python_task(path: Path, name: str = "", called: str = "") -> Task:
    """The task of a name in a Python file; the file is run, once for each version of it."""
    if not path.is_file():
        raise Refused(f"there is no file {path}; give the path of a Python file")
    stamped = changed_at([path])
    problem, _ = run_file(path.absolute(), name, stamped)
    called = called or (f"{path}:{name}" if name else str(path))
    about = f"What a Python file calls {name}." if name else "What a Python file says."
    return own_task(called, problem, PythonFile(path.absolute(), name, stamped, called), about)


def object_task(problem: Problem, test: Dataset | None = None) -> Task:
    """The task of a problem in this process."""
    check_problem(problem, test, f"this {type(problem).__name__}")
    name = getattr(problem.dataset, "name", "") or problem.name
    return own_task(
        name + HERE, problem, PythonObject(problem, test, uuid.uuid4().hex), "A problem in Python."
    )


def own_task(name: str, problem: Problem, source: TaskSource, about: str) -> Task:
    """A task that is one problem."""
    learner, why = suited_learner(problem)
    return Task(
        name,
        Path(name).name,
        NoSettings,
        name_of(learner),
        NOTHING,
        losses={"own loss": cast("Loss", OwnLoss())},
        oracle_types=(OwnOracle,),
        build=lambda data, parts: problem,
        source=source,
        pricing=problem.pricing,
        about=about,
        why=why,
    )


@lru_cache(maxsize=16)
def run_file(path: Path, name: str, stamped: str) -> tuple[Problem, Dataset | None]:
    """The problem that a user's file calls `name`, or that this function returns; with test data if any."""
    module = load_module(path)
    found = getattr(module, name, None) if name else whole(module, path)
    if found is None:
        raise Refused(f"{path} has nothing called {name}; name a problem, or a function that makes one")
    if callable(found) and lacking(found):
        found = found()
    if lacking(found) and has_parts(found):
        found = problem_of_parts(found, name or path.name)
    problem: Any
    problem, test = found if isinstance(found, tuple) and len(found) == 2 else (found, None)
    check_problem(problem, test, f"{name} in {path}")
    return problem, test


def whole(module: Any, path: Path) -> Any:
    """What a file is that was named alone: its `problem`, or its functions and examples."""
    if hasattr(module, "problem"):
        return module.problem
    if is_hook_module(module):
        raise Refused(f"{path} holds hooks; name the file of their examples too, as in {path.name}:train.dat")
    if not has_parts(module):
        raise Refused(
            f"{path} has no `problem`, nor psi(x, y) and delta(y, guess); define them, or name "
            f"something in it, as in {path.name}:NAME"
        )
    return module


def check_problem(problem: Any, test: Any, place: str) -> None:
    """Refuse what is no problem, or test data that are none."""
    missing = lacking(problem)
    if missing:
        raise Refused(
            f"{place} is of type {type(problem).__name__}, without {missing[0]}; make it a Problem, "
            "or a pair of a Problem and a test Dataset"
        )
    if test is not None and not isinstance(test, Dataset):
        raise Refused(f"{place} comes with test data of type {type(test).__name__}; make it a Dataset")


__all__ = ["HERE", "NAMED", "PythonFile", "PythonObject", "load_module", "object_task", "python_task"]
