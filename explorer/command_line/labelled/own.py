"""Predictions of a problem in Python: of the data that it brings along, or of inputs of another name.

A saved run does not start Python by itself: the file is run because the user names it.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from explorer.engine.catalogue.hooks import hook_task
from explorer.engine.catalogue.python import NAMED, load_module
from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.catalogue.tasks import is_examples, name_alone
from explorer.engine.contracts import Dataset, Problem
from explorer.engine.refusals import Refused, predict_many
from explorer.engine.runs import saved
from explorer.engine.vectors import Array


def open_run(place: str, name: str) -> tuple[Problem, Dataset | None, Array]:
    """The problem of this name, its test data, and the weights of the run's last step."""
    run = saved.load(place)
    named = name_alone(Recipe.named_in(run.recipe))
    if named != name_alone(name):
        raise Refused(f"{place} is a run of {named or 'another problem'}, not of {name}; name that one")
    problem, test = Recipe.of(name).problem()
    if not len(run.trace):
        raise Refused(f"{place} holds no step, so there are no weights; train it first")
    w = run.trace.at(-1).w
    if len(w) != problem.dim:
        raise Refused(f"{place} has {len(w)} weights, {name} {problem.dim}; give the problem of that run")
    return problem, test, w


def predict_own(place: str, name: str, inputs: str | None) -> bytes:
    """The labels of the test data (of the training data where there are none), or of these inputs."""
    problem, test, w = open_run(place, name)
    asked = (test or problem.dataset).inputs if inputs is None else inputs_named(inputs)
    return "".join(f"{line}\n" for line in as_json(predict_many(problem, w, asked))).encode()


def score_own(place: str, name: str) -> dict[str, float]:
    """The mean loss on the training data, and on the test data where there are some."""
    problem, test, w = open_run(place, name)
    parts = {"training": problem} | ({} if test is None else {"test": problem.on(test)})
    found: dict[str, float] = {}
    for part, asked in parts.items():
        guesses = predict_many(asked, w, asked.dataset.inputs)
        losses = [asked.loss(i, guess) for i, guess in enumerate(guesses)]
        found |= {f"{part} examples": float(len(losses)), f"{part} loss (mean)": float(np.mean(losses))}
    return found


def inputs_named(text: str) -> Any:
    """The inputs that a name in a Python file stands for: a list, a Dataset, or a function that makes one."""
    named = NAMED.fullmatch(text)
    if named is None or not Path(named["file"]).is_file():
        raise Refused(f"{text} names nothing in a Python file; give path/to/file.py:name")
    if is_examples(named["name"]):
        return hook_task(Path(named["file"]), named["name"]).make(None)[0].inputs
    found = getattr(load_module(Path(named["file"]).absolute()), named["name"] or "inputs", None)
    found = found() if callable(found) else found
    found = found.inputs if isinstance(found, Dataset) else found
    if found is None or not hasattr(found, "__len__"):
        raise Refused(f"{text} is no list of inputs; give a list, a Dataset or a function that makes one")
    return found


def as_json(labels: Any) -> Iterator[str]:
    """One line for every label."""
    for label in labels:
        try:
            yield json.dumps(label, default=plain, ensure_ascii=False)
        except TypeError:
            yield json.dumps(str(label), ensure_ascii=False)


def plain(value: Any) -> Any:
    """Arrays, numpy numbers, sets and tuples as JSON can hold them."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, set | frozenset):
        return sorted(value)
    raise TypeError
