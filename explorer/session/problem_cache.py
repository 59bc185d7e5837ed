"""The problems of recipes, made once per process: the sessions of a class, and all runs of a worker, share
them.

A problem in Python is there already; it is not held here, so that it goes when its owner lets it go.
"""

import json
import threading
from collections.abc import Iterable
from dataclasses import replace

from explorer.engine.catalogue.files import DataFile, read_pair
from explorer.engine.catalogue.recipe import PROBLEM, Recipe
from explorer.engine.contracts import Dataset, Problem
from explorer.engine.refusals import Refused
from explorer.session.memo import Once
from explorer.session.problems.weight import weigh

MOST = 400_000_000
"""Bytes of problems that are kept, of those asked for last."""

PAGE = 200_000_000
"""Bytes of a problem that a page works with."""


HARMLESS = (
    "seed",
    "fold",
    "noise",
    "sigma",
    "distortion",
    "distance",
    "spread",
    "purity",
    "clutter",
    "failures",
)
"""Settings that make data other, not larger."""

_one_by_one = threading.Lock()


def _problem_key(recipe: Recipe) -> str:
    return recipe.key(PROBLEM)


def _held_out(recipe: Recipe) -> Problem | None:
    problem, test = problem_of(recipe)
    return None if test is None else problem.on(test)


_problems = Once(Recipe.problem, MOST, _problem_key, weigh)
_tests = Once(_held_out, MOST, _problem_key, weigh)


def problem_of(recipe: Recipe) -> tuple[Problem, Dataset | None]:
    """The problem and test data of a recipe; equal choices get the same ones, which never change."""
    return recipe.problem() if recipe.task.whole else _problems(recipe)


def problem_like(recipe: Recipe) -> Problem:
    """The problem of a recipe if it has been made, else one of the same kind on the task's usual data: enough
    to know which learners take it, and made at once, whatever size is asked for.
    """
    if recipe.task.whole:
        return recipe.problem()[0]
    return problem_of(recipe if is_at_hand(recipe) else replace(recipe, data={}))[0]


def held_out_of(recipe: Recipe) -> Problem | None:
    """The recipe's problem on its test data."""
    return _held_out(recipe) if recipe.task.whole else _tests(recipe)


def stand_in(recipe: Recipe) -> tuple[Problem, Dataset | None]:
    """A problem to look at while that of a recipe is made, or where it is refused: on usual data."""
    try:
        return problem_of(replace(recipe, data={}))
    except Refused:
        return problem_of(Recipe(recipe.task))


def is_at_hand(recipe: Recipe) -> bool:
    """Whether the problem of a recipe is there, or made at once: of a task of the catalogue of which no
    setting of the data is above what it usually is, or out of the user's own code.
    """
    if ready_problem(recipe) is not None:
        return True
    if recipe.task.source is not None:
        return not isinstance(recipe.task.source, DataFile)
    return not larger_settings(recipe)


def larger_settings(recipe: Recipe) -> list[str]:
    """The settings of the data that are numbers above their default."""
    usual = recipe.task.data()
    return [
        name
        for name, value in recipe.data.items()
        if not isinstance(value, bool | str) and name not in HARMLESS and value > getattr(usual, name)
    ]


def page_problem(recipe: Recipe) -> tuple[Problem, Dataset | None]:
    """The problem of a recipe for a page: one at a time in a process, refused where it is too large."""
    with _one_by_one:
        made = problem_of(recipe)
        size = weigh(made)
        if size > PAGE:
            key = _problem_key(recipe)
            for kept in (_problems, _tests):
                kept.forget(lambda known: known == key)
            names = " or ".join(larger_settings(recipe)) or "its sizes"
            raise Refused(
                f"{recipe.task} with these settings holds {size / 1e6:.0f} MB, and a page works with "
                f"{PAGE / 1e6:.0f} MB; lower {names}, or train it on the command line"
            )
        return made


def ready_problem(recipe: Recipe) -> tuple[Problem, Dataset | None] | None:
    """The problem and test data of a recipe if they are there; never waits for them."""
    return recipe.problem() if recipe.task.whole else _problems.ready(recipe)


def keep_problem(recipe: Recipe, made: tuple[Problem, Dataset | None]) -> None:
    """Take in what another process made of a recipe."""
    _problems.put(recipe, made)


def forget_data(stamps: Iterable[str]) -> None:
    """Let go of all that was made of files with these stamps."""
    texts = [json.dumps(stamp) for stamp in stamps]
    for made in (_problems, _tests):
        made.forget(lambda key: any(text in str(key) for text in texts))
    read_pair.cache_clear()


__all__ = [
    "forget_data",
    "held_out_of",
    "is_at_hand",
    "keep_problem",
    "page_problem",
    "problem_like",
    "problem_of",
    "ready_problem",
    "stand_in",
]
