"""The problems of recipes, made once per process: the sessions of a class, and all runs of a worker, share them."""

import json
from dataclasses import asdict
from functools import lru_cache

from explorer.engine.protocols import Dataset, Problem
from explorer.engine.tasks import Recipe


@lru_cache(maxsize=32)
def _problem(key: str) -> tuple[Problem, Dataset | None]:
    return Recipe(**json.loads(key)).problem()


def problem_of(recipe: Recipe) -> tuple[Problem, Dataset | None]:
    """The problem and test data of a recipe; whoever makes the same choices gets the same (they never change)."""
    choices = asdict(recipe.filled()) | {"settings": {}, "rule": {}, "learner": "", "seed": 0}
    return _problem(json.dumps(choices, sort_keys=True))


__all__ = ["problem_of"]
