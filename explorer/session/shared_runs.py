"""Runs that everybody may look at: a recipe trained to its end once per process, and kept on disk."""

from dataclasses import replace

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.runs.streams import train
from explorer.engine.runs.trace import Trace, recorded
from explorer.session import run_store
from explorer.session.choices import limit
from explorer.session.memo import Once
from explorer.session.problem_cache import problem_of


def _limited(recipe: Recipe) -> Recipe:
    """The recipe as a session trains it."""
    return replace(recipe, rule=limit(recipe.rule))


def _finish(recipe: Recipe) -> Trace:
    kept = run_store.stored_run(recipe)
    if kept is not None:
        return kept
    problem, test = problem_of(recipe)
    trace = Trace()
    events = train(problem, recipe.make_learner(), seed=recipe.seed, rule=recipe.make_rule(), test=test)
    for _ in recorded(events, trace):
        pass
    run_store.keep(recipe, trace)
    return trace


_runs = Once(_finish, most=48, key=Recipe.key)


def shared_run(recipe: Recipe) -> Trace:
    """The recipe's run trained to its end, made once and shared, for a first page that shows something at
    once.
    """
    return _runs(_limited(recipe))


def ready_run(recipe: Recipe) -> Trace | None:
    """The shared run if it has been made; never waits for it."""
    return _runs.ready(_limited(recipe))


def on_shelf(recipe: Recipe) -> bool:
    """Whether the recipe's run is kept on disk: then asking for it takes a moment, not a training."""
    return run_store.place(_limited(recipe)).exists()


__all__ = ["on_shelf", "ready_run", "shared_run"]
