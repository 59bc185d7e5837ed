"""The catalogue: every task there is, in menu order. A shelf is loaded when something on it is asked for."""

from collections.abc import Iterator
from importlib import import_module
from typing import Any

from explorer.engine.catalogue.task import Task
from explorer.engine.refusals import Refused

SHELVES = ("chains", "classes", "fields", "clusterings", "trees")
"""The modules of this folder that hold tasks."""

TASKS: tuple[Task, ...]


def every_task() -> Iterator[Task]:
    """Shelf by shelf, so that whoever stops early has not loaded the others."""
    for shelf in SHELVES:
        yield from import_module(f"explorer.engine.catalogue.{shelf}").TASKS


def task_named(name: str) -> Task:
    """The task of that name; refused with the list of names."""
    for task in every_task():
        if task.name == name:
            return task
    raise Refused(f"there is no task {name!r}; choose one of {', '.join(task.name for task in every_task())}")


def __getattr__(name: str) -> Any:
    if name == "TASKS":
        globals()[name] = tuple(every_task())
        return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["TASKS", "Task", "task_named"]
