"""The problems of recipes, made once per process: the sessions of a class, and all runs of a worker, share them."""

import json
from dataclasses import asdict
from functools import lru_cache

from explorer.engine.catalogue.tasks import Recipe
from explorer.engine.contracts import Dataset, Problem


@lru_cache(maxsize=64)
def _problem(key: str) -> tuple[Problem, Dataset | None]:
    return Recipe(**json.loads(key)).problem()


@lru_cache(maxsize=64)
def _held_out(key: str) -> Problem | None:
    problem, test = _problem(key)
    return None if test is None else problem.on(test)


def _key(recipe: Recipe) -> str:
    """The choices that make the problem."""
    choices = asdict(recipe.filled()) | {"settings": {}, "rule": {}, "learner": "", "seed": 0}
    return json.dumps(choices, sort_keys=True)


def problem_of(recipe: Recipe) -> tuple[Problem, Dataset | None]:
    """The problem and test data of a recipe; whoever makes the same choices gets the same (they never change)."""
    return _problem(_key(recipe))


def held_out_of(recipe: Recipe) -> Problem | None:
    """The recipe's problem on its test data."""
    return _held_out(_key(recipe))


__all__ = ["held_out_of", "problem_of"]
