"""The catalogue: every task there is, in menu order, and the tasks that a user brings along.

A shelf is loaded when something on it is asked for.
"""

from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path, PurePath
from typing import Any

from explorer.engine.catalogue.files import file_task, format_of, sample
from explorer.engine.catalogue.python import HERE, NAMED, object_task, python_task
from explorer.engine.catalogue.task import Task
from explorer.engine.contracts import Dataset, Problem
from explorer.engine.refusals import Refused

SHELVES = ("chains", "classes", "fields", "clusterings", "trees")
"""The modules of this folder that hold tasks."""

TASKS: tuple[Task, ...]


def every_task() -> Iterator[Task]:
    """Shelf by shelf, so that whoever stops early has not loaded the others."""
    for shelf in SHELVES:
        yield from import_module(f"explorer.engine.catalogue.{shelf}").TASKS


def task_of(what: str | Path | Problem, test: Dataset | Path | None = None, called: str = "") -> Task:
    """The task that a name of the catalogue, a data file, path/to/file.py:name or a problem stands for.

    Only for what this user says: a file is opened, and a Python file is run. Its task is `called` by its
    path, unless another name is given.
    """
    if not isinstance(what, str | Path) and not isinstance(test, Path):
        return object_task(what, test)
    if isinstance(test, Path) and format_of(str(what)):
        return file_task(Path(str(what)), called, test)
    named = NAMED.fullmatch(str(what))
    if test is not None:
        raise Refused(f"a test file goes with a data file, and test data with a problem; {what} has its own")
    if named:
        return python_task(Path(named["file"]), named["name"], called)
    return file_task(Path(str(what)), called) if format_of(str(what)) else task_named(str(what))


def task_named(name: str, opened: Iterable[Task] = ()) -> Task:
    """The task of that name, in the catalogue or among those that were opened; refused with the list of
    names.

    This is for names from outside: it opens no file. A file is known by its name, wherever it lies.
    """
    for task in opened:
        if task.source is not None and PurePath(task.name).name == PurePath(name).name:
            return task
    if is_local(name):
        raise Refused(f"{name} is not open here; start the explorer with it, as in: explorer serve {name}")
    for task in every_task():
        if task.name == name:
            return task
    raise Refused(f"there is no task {name!r}; choose one of {', '.join(task.name for task in every_task())}")


def task_near(name: str, run: Path) -> Task:
    """The task that a saved run names: of the catalogue, or a data file where it was or beside the run.

    A Python file is not run because a saved run names it.
    """
    if not is_local(name):
        return task_named(name)
    for place in (Path(name), run.parent / PurePath(name).name):
        if format_of(name) and sample(place).exists():
            return task_of(place)
    why = "which is not found here" if format_of(name) else "which no saved run may start by itself"
    raise Refused(f"{run} is a run of {name}, {why}; give {name} again, with its path")


def is_local(name: str) -> bool:
    """Whether this would be the name of a file or of a problem in Python."""
    return bool(NAMED.fullmatch(name)) or name.endswith(HERE) or format_of(name) is not None


def __getattr__(name: str) -> Any:
    if name == "TASKS":
        globals()[name] = tuple(every_task())
        return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["TASKS", "Task", "is_local", "task_named", "task_near", "task_of"]
