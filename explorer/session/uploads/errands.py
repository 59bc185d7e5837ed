"""What workers do with the files of visitors: read and count them, make their problems, make models of runs,
label files, tag sentences. The server's own process opens none of these files.

    look(source, data)   ->  FileLook        problem(recipe)  ->  (problem, test data)
    finish(recipe, run)  ->  Results     label(model, path), tag(model, text)
"""

import contextlib
import os
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from explorer.engine.catalogue.files import DataFile, Sketch, sketch, sketched_task
from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.contracts import Dataset, Problem
from explorer.engine.data.readers.sniffing import unpacked_start
from explorer.engine.refusals import Refused
from explorer.engine.runs import saved
from explorer.engine.runs.trace import Trace
from explorer.session.problem_cache import forget_data, page_problem, problem_of

FIRST_LINES, FIRST_ROWS, MOST_LABELS = 12, 8, 16
MOST_NUMBERS = 40_000_000
"""Stored numbers of a problem that a page takes on."""


@dataclass(frozen=True, slots=True)
class FileLook:
    """What a page shows of a file before anything is trained."""

    sketch: Sketch
    examples: int
    tested: int
    parts: int
    weights: int
    kinds: int
    labels: tuple[tuple[str, int], ...]
    shown: tuple[tuple[tuple[str, str], ...], ...]
    lines: tuple[str, ...]
    columns: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Results:
    """What a finished run gives: its file with the model, how good it is, the file's own predictions."""

    saved: bytes
    without: str
    figures: tuple[tuple[str, float], ...]
    measured_on: str
    predicted: Mapping[str, bytes]
    tags: bool


@contextlib.contextmanager
def named_shortly(*paths: Path | None) -> Iterator[None]:
    """Refusals name files, and no folder of the server."""
    try:
        yield
    except Refused as refusal:
        text = str(refusal)
        for path in filter(None, paths):
            text = text.replace(f"{path.parent}{os.sep}", "")
        raise Refused(text) from None


def look(source: DataFile, data: Mapping[str, Any]) -> FileLook:
    """Read a file with these settings; refused with the line that is wrong, or where it is too large."""
    with named_shortly(source.path, source.test):
        return look_inside(source, data)


def look_inside(source: DataFile, data: Mapping[str, Any]) -> FileLook:
    """What is seen in a file."""
    _, found = sketch(source)
    recipe = Recipe(sketched_task(source, found), data=data)
    problem, test = problem_of(recipe)
    check_work(problem)
    train = problem.dataset
    labels = Counter(label for one in islice(range(len(train)), 20_000) for label in labels_of(train, one))
    return FileLook(
        found,
        len(train),
        0 if test is None else len(test),
        sum(size_of(train.labels[i]) for i in range(len(train))),
        problem.dim,
        len(labels),
        tuple(labels.most_common(MOST_LABELS)),
        tuple(shown_of(train, i) for i in range(min(FIRST_ROWS, len(train)))),
        first_lines(source.path),
        columns_of(source),
        tuple(train.meta.get("notes", ())),
    )


def check_work(problem: Problem) -> None:
    """Refuse what would keep a worker of all visitors busy for too long."""
    stored = sum(int(getattr(x, "nnz", getattr(x, "size", 0))) for x in rows_of(problem.dataset))
    if max(stored, problem.dim) > MOST_NUMBERS:
        raise Refused(
            f"the file makes {max(stored, problem.dim):,} numbers of features, and a page works with "
            f"{MOST_NUMBERS:,}; give a part of it, choose fewer features, or train on the command line"
        )


def rows_of(data: Dataset) -> Any:
    """The inputs one by one, or the matrix that they are rows of."""
    return [data.inputs] if hasattr(data.inputs, "shape") else data.inputs


def size_of(label: Any) -> int:
    """Of how many parts a label consists."""
    return int(np.size(label)) if isinstance(label, np.ndarray | list | tuple) else 1


def labels_of(data: Dataset, i: int) -> list[str]:
    """The labels of one example, by name where they have names; none of trees and clusterings."""
    if "label_names" in data.meta:
        return [str(data.meta["label_names"][k]) for k in np.flatnonzero(data.labels[i])]
    states = data.meta.get("states")
    return [] if states is None else [str(states[k]) for k in np.ravel(data.labels[i]).tolist()]


def shown_of(data: Dataset, i: int) -> tuple[tuple[str, str], ...]:
    """The words of one example with their tags; nothing where there are no words."""
    words = data.meta.get("words")
    if words is None or "states" not in data.meta:
        return ()
    return tuple(zip(map(str, words[i]), labels_of(data, i), strict=False))[:40]


def first_lines(path: Path) -> tuple[str, ...]:
    """How a text file begins; nothing of others."""
    with path.open("rb") as opened:
        start = unpacked_start(path.name, opened.read(20_000))
    if b"\0" in start:
        return ()
    lines = start.decode("utf-8", errors="replace").splitlines()
    return tuple(line[:160] for line in lines[:FIRST_LINES])


def columns_of(source: DataFile) -> tuple[str, ...]:
    """The columns or attributes of which one is the label."""
    if source.format.name == "table":
        from explorer.engine.data.readers.table import read_table

        return tuple(read_table(source.path).header.cells)
    if source.format.name == "graphml":
        from explorer.engine.data.readers.graphml import read_sources

        return tuple(dict.fromkeys(key.name for key in read_sources(source.path)[0].keys["node"].values()))
    return ()


def problem(recipe: Recipe) -> tuple[Problem, Dataset | None]:
    """The problem of a recipe, to be shown by the server."""
    return page_problem(recipe)


def finish(recipe: Recipe, trace: Trace, path: Path) -> Results:
    """The file of a run with its model, as the command line saves it, and what the model says of the data."""
    from explorer.estimators.models import in_run
    from explorer.estimators.readings import read_examples
    from explorer.estimators.reports import report
    from explorer.estimators.trained import estimator_of
    from explorer.estimators.typed_sentences import takes_sentences

    made, test = problem_of(recipe)
    try:
        model = estimator_of(recipe, made, trace)
    except Refused as reason:
        return Results(saved.to_bytes(recipe.plain(), trace), str(reason), (), "", {}, False)
    examples = read_examples(model, path)
    guesses = model.predict(examples.inputs)
    figures = () if examples.labels is None else report(model, examples.labels, guesses).figures.items()
    content = saved.to_bytes(recipe.plain(), trace, partial(in_run, model))
    where = "the whole file, training examples too" if test is not None else "the training data"
    written = dict(examples.write(list(guesses)))
    return Results(content, "", tuple(figures), where, written, takes_sentences(model))


def label(content: bytes, files: Mapping[str, bytes], first: str) -> Mapping[str, bytes]:
    """Other files, labelled by a model."""
    from explorer.estimators.models import load
    from explorer.estimators.readings import read_examples

    with tempfile.TemporaryDirectory() as folder:
        for name, stored in files.items():
            (Path(folder) / name).write_bytes(stored)
        place, model = Path(folder) / first, load(content)
        with named_shortly(place):
            examples = read_examples(model, place)
            return dict(examples.write(list(model.predict(examples.inputs))))


def tag(content: bytes, text: str) -> Any:
    """A typed sentence, tagged by a model."""
    from explorer.estimators.models import load
    from explorer.estimators.typed_sentences import tag_sentence

    return tag_sentence(load(content), text)


def forget(stamps: list[str]) -> None:
    """Let go of what was made of files that are gone."""
    forget_data(stamps)


__all__ = ["FileLook", "Results", "finish", "forget", "label", "look", "problem", "tag"]
