"""The catalogue: every task there is, in menu order, and the tasks that a user brings along.

A shelf is loaded when something on it is asked for.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from importlib import import_module
from pathlib import Path, PurePath
from typing import Any

from explorer.engine.catalogue.files import AS_IT_IS, checksum_of, file_task, format_of, sample
from explorer.engine.catalogue.formats.format import FileChoices
from explorer.engine.catalogue.python import HERE, NAMED, object_task, python_task
from explorer.engine.catalogue.task import Task
from explorer.engine.contracts import Dataset, Problem
from explorer.engine.refusals import Refused

SHELVES = ("chains", "classes", "fields", "boxes", "clusterings", "trees")
"""The modules of this folder that hold tasks."""

TASKS: tuple[Task, ...]


def every_task() -> Iterator[Task]:
    """Shelf by shelf, so that whoever stops early has not loaded the others."""
    for shelf in SHELVES:
        yield from import_module(f"explorer.engine.catalogue.{shelf}").TASKS


def task_of(
    what: str | Path | Problem,
    test: Dataset | Path | None = None,
    called: str = "",
    file: FileChoices = AS_IT_IS,
) -> Task:
    """The task that a name of the catalogue, a data file, path/to/file.py (:name) or a problem stands
    for.

    Only for what this user says: a file is opened, and a Python file is run. Its task is `called` by its
    path, unless another name is given; `file` is what the user says of a data file.
    """
    if not isinstance(what, str | Path) and not isinstance(test, Path):
        return object_task(what, test)
    named = NAMED.fullmatch(str(what))
    if named and is_examples(named["name"]) and not isinstance(test, Dataset):
        from explorer.engine.catalogue.hooks import hook_task

        return hook_task(Path(named["file"]), named["name"], called, test)
    if format_of(str(what)) and not isinstance(test, Dataset):
        return file_task(Path(str(what)), called, test, file)
    if test is not None:
        raise Refused(f"a test file goes with a data file, and test data with a problem; {what} has its own")
    if file != AS_IT_IS:
        raise Refused(f"{what} is no data file, of which a column or a kind can be chosen; leave that out")
    return python_task(Path(named["file"]), named["name"] or "", called) if named else task_named(str(what))


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
    raise Refused(
        f"there is no task {name[:40]!r}; choose one of {', '.join(task.name for task in every_task())}"
    )


def task_near(recipe: Mapping[str, Any], run: Path, called: str = "", test: Path | None = None) -> Task:
    """The task that the recipe of a saved run names: of the catalogue, or a data file where it was or beside
    the run, with its test file unless another is given; `called` by its path unless another name is given.

    A Python file is not run because a saved run names it.
    """
    name = str(recipe.get("task") or recipe.get("own") or "")
    if not is_local(name):
        return task_named(name)
    for place in (Path(name), run.parent / PurePath(name).name):
        if format_of(name) and sample(place).exists():
            return task_of(place, test or measured_on(recipe, run), called, file=choices_in(recipe))
    why = "which is not found here" if format_of(name) else "which no saved run may start by itself"
    raise Refused(f"{run} is a run of {name}, {why}; give {name} again, with its path")


def measured_on(recipe: Mapping[str, Any], run: Path) -> Path | None:
    """The test file of a saved run, where it was or beside the run, and as it was; None if it had none."""
    said = recipe.get("file") or {}
    name, known = str(said.get("test", "")), said.get("sum")
    if not name:
        return None
    places = [Path(name), run.parent / PurePath(name).name] if format_of(name) else []
    found = [place for place in map(sample, places) if place.exists()]
    again = f"explorer train --resume {run} --test {found[0] if found else 'FILE'}"
    if not found:
        raise Refused(
            f"{run} was measured on {name}, which is gone; put it beside the run, or name another: {again}"
        )
    same = next((place for place in found if known in (None, checksum_of(place))), None)
    if same is None:
        raise Refused(
            f"{run} was measured on {name}, which has changed since; bring it back, or take it as it is: "
            f"{again}"
        )
    return same


def choices_in(recipe: Mapping[str, Any]) -> FileChoices:
    """What a saved run says of its data file; rows were always label sets in version 0.1."""
    known = {f.name for f in fields(FileChoices)}
    said = {name: str(value) for name, value in (recipe.get("file") or {}).items() if name in known}
    parts = (recipe.get(part) for part in ("data", "model"))
    sets = any(isinstance(part, Mapping) and "edges" in part for part in parts)
    rows = str(recipe.get("task") or recipe.get("own")).endswith(".svmlight")
    return FileChoices(**({"kind": "label-sets"} if sets and rows else {}) | said)


def is_examples(name: str | None) -> bool:
    """Whether what stands behind a Python file is no name in it, but the file of its hooks' examples."""
    return bool(name) and not str(name).isidentifier()


def name_alone(what: str) -> str:
    """What a file, or a name in a Python file, is called where its folder is not told."""
    named = NAMED.fullmatch(what)
    if named is None or not is_examples(named["name"]):
        return Path(what).name
    return f"{Path(named['file']).name}:{Path(named['name']).name}"


def is_local(name: str) -> bool:
    """Whether this would be the name of a file or of a problem in Python."""
    return bool(NAMED.fullmatch(name)) or name.endswith(HERE) or format_of(name) is not None


def __getattr__(name: str) -> Any:
    if name == "TASKS":
        globals()[name] = tuple(every_task())
        return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "TASKS",
    "Task",
    "is_examples",
    "is_local",
    "measured_on",
    "name_alone",
    "task_named",
    "task_near",
    "task_of",
]
