"""The problems of recipes, made once per process: the sessions of a class, and all runs of a worker, share
them.

A problem in Python is there already; it is not held here, so that it goes when its owner lets it go.
"""

import json
from collections.abc import Iterable
from dataclasses import replace

from explorer.engine.catalogue.files import read_pair
from explorer.engine.catalogue.recipe import PROBLEM, Recipe
from explorer.engine.contracts import Dataset, Problem
from explorer.session.memo import Once

MOST = 64
"""Problems that are kept, those asked for last."""


def _problem_key(recipe: Recipe) -> str:
    return recipe.key(PROBLEM)


def _held_out(recipe: Recipe) -> Problem | None:
    problem, test = problem_of(recipe)
    return None if test is None else problem.on(test)


_problems = Once(Recipe.problem, MOST, _problem_key)
_tests = Once(_held_out, MOST, _problem_key)


def problem_of(recipe: Recipe) -> tuple[Problem, Dataset | None]:
    """The problem and test data of a recipe; equal choices get the same ones, which never change."""
    return recipe.problem() if recipe.task.whole else _problems(recipe)


def problem_like(recipe: Recipe) -> Problem:
    """The problem of a recipe if it has been made, else one of the same kind on the task's usual data: enough
    to know which learners take it, and made at once, whatever size is asked for.
    """
    if recipe.task.whole:
        return recipe.problem()[0]
    known = _problems.ready(recipe)
    return (known or _problems(replace(recipe, data={})))[0]


def held_out_of(recipe: Recipe) -> Problem | None:
    """The recipe's problem on its test data."""
    return _held_out(recipe) if recipe.task.whole else _tests(recipe)


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


__all__ = ["forget_data", "held_out_of", "keep_problem", "problem_like", "problem_of", "ready_problem"]
