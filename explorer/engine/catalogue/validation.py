"""K-fold and nested cross-validation of a recipe over a grid of its settings.

    folds        every training example in one of K parts, whose sizes differ by at most one
    score        train on the other parts, measure on the part that is left out
    choice       the settings of the smallest mean loss over the folds; of equal ones the smallest C first
    nested       the choice is made anew inside the training part of every outer fold, and measured outside

The loss of the choice is the smallest of many, so it is too good; nested validation is not, since what
measures has no say in the choice (Iglesias 2013, section 2.3; Stone 1974). A grid names settings of the
learner, or `data.` and `model.` settings. Curves and the like are fitted to each training part alone. C grows
from small to large, each run beginning where the one before it ended. A job is a fold with one choice of all
settings but C: jobs do not depend on each other, so they can run side by side and be taken up again one by
one. Cost: K runs for every point of the grid, nested K times that.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from explorer.engine.catalogue.formats.format import take
from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.contracts import Dataset, Learner, Problem
from explorer.engine.events import Step, Stopped
from explorer.engine.objective import predictions
from explorer.engine.refusals import Refused
from explorer.engine.runs.streams import Cancelled, Until, train
from explorer.engine.vectors import Array, Ints

PRICE = "C"
WHOLE = -1
"""The fold of a score that is no fold's: that of the outer part of nested validation."""

Point = tuple[tuple[str, Any], ...]
"""A point of the grid: settings by name."""


@dataclass(frozen=True, slots=True)
class FoldScore:
    """What one run measured on the part that was left out: mean loss, and the share of wrong positions where
    a label is a sequence; in nested validation `outer` is the outer fold, and fold -1 its own measurement.
    """

    fold: int
    point: Point
    loss: float
    wrong: float
    seconds: float
    outer: int = WHOLE


@dataclass(frozen=True, slots=True)
class FoldJob:
    """A fold with one choice of all settings but C."""

    fold: int
    rest: Point
    outer: int = WHOLE


@dataclass(frozen=True)
class Validation:
    """Which recipe, which grid, how many folds; with `outer` folds around them it is nested."""

    recipe: Recipe
    grid: Mapping[str, Sequence[Any]]
    folds: int = 5
    outer: int = 0
    seed: int = 0

    def __post_init__(self) -> None:
        for name, values in self.grid.items():
            if not values:
                raise Refused(f"the grid has no value for {name}; give at least one")
        for point in self.points:
            recipe_at(self.recipe, point)  # an unknown setting is refused here, not in a worker
        if self.folds < 2 or self.outer == 1:
            raise Refused("one fold leaves nothing to train on; choose at least 2")

    @property
    def points(self) -> list[Point]:
        """Every point of the grid, C growing fastest."""
        names = sorted(self.grid, key=lambda name: name == PRICE)
        values = [sorted(self.grid[name]) if name == PRICE else self.grid[name] for name in names]
        return [tuple(zip(names, found, strict=True)) for found in product(*values)]

    @property
    def rests(self) -> list[Point]:
        """The points without C, each once."""
        return list(dict.fromkeys(tuple(p for p in point if p[0] != PRICE) for point in self.points))

    @property
    def jobs(self) -> list[FoldJob]:
        """Everything to be done, each by itself: the inner folds of every outer one, or the folds alone."""
        rounds = range(self.outer) if self.outer else (WHOLE,)
        return [FoldJob(fold, rest, o) for o in rounds for fold in range(self.folds) for rest in self.rests]

    def key(self) -> str:
        """Text that is the same for the same validation."""
        plain = {name: list(values) for name, values in sorted(self.grid.items())}
        told = {"grid": plain, "folds": self.folds, "outer": self.outer, "seed": self.seed}
        return json.dumps({"recipe": self.recipe.key(), **told}, sort_keys=True)

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}

    @cached_property
    def examples(self) -> Dataset:
        """The training examples, before anything is made of them."""
        train_part, _ = self.recipe.task.make(self.recipe.records.data)
        return train_part

    def parts(self, examples: Ints, count: int, at: int, seed: int) -> tuple[Ints, Ints]:
        """The examples to train on and those that are left out."""
        folds = folds_of(len(examples), count, seed)
        return examples[np.setdiff1d(np.arange(len(examples)), folds[at])], examples[folds[at]]

    def run(self, job: FoldJob, cancelled: Callable[[], bool] = lambda: False) -> list[FoldScore]:
        """The scores of one job, from the smallest C to the largest."""
        inside = np.arange(len(examples_of(self, job.rest)))
        if job.outer != WHOLE:
            inside, _ = self.parts(inside, self.outer, job.outer, self.seed)
        training, left_out = self.parts(inside, self.folds, job.fold, self.seed + 1 + job.outer)
        points = [point for point in self.points if without_price(point) == job.rest]
        return score_points(self, points, training, left_out, (job.fold, job.outer), cancelled)

    def measure_outside(self, outer: int, point: Point) -> FoldScore:
        """Nested validation's measurement: trained at the chosen point on everything but the outer fold."""
        inside, outside = self.parts(
            np.arange(len(examples_of(self, without_price(point)))), self.outer, outer, self.seed
        )
        return score_points(self, [point], inside, outside, (WHOLE, outer))[0]


def folds_of(n: int, folds: int, seed: int) -> list[Ints]:
    """Every example in one of the folds, whose sizes differ by at most one."""
    if folds > n:
        raise Refused(f"{n} examples cannot make {folds} folds; choose at most {n}")
    return [np.sort(part) for part in np.array_split(np.random.default_rng(seed).permutation(n), folds)]


def without_price(point: Point) -> Point:
    """The settings but C."""
    return tuple(pair for pair in point if pair[0] != PRICE)


def examples_of(validation: Validation, rest: Point) -> Dataset:
    """The training examples under these settings of the data."""
    if not any(name.startswith("data.") for name, _ in rest):
        return validation.examples
    recipe = recipe_at(validation.recipe, rest)
    return recipe.task.make(recipe.records.data)[0]


def recipe_at(recipe: Recipe, point: Point) -> Recipe:
    """The recipe with the settings of a point; unknown ones are refused."""
    data, model, learning = dict(recipe.data), dict(recipe.model), dict(recipe.settings)
    for name, value in point:
        room, _, own = name.rpartition(".")
        place = {"": learning, "data": data, "model": model}.get(room)
        if place is None or own not in place:
            known = [*learning, *(f"data.{n}" for n in data), *(f"model.{n}" for n in model)]
            raise Refused(f"there is no setting {name!r} to search; choose among {', '.join(known)}")
        place[own] = type(place[own])(value) if isinstance(place[own], int | float) else value
    chosen = {f.name: getattr(recipe, f.name) for f in fields(recipe) if f.init}
    return Recipe(**{**chosen, "data": data, "model": model, "settings": learning})


def score_points(
    validation: Validation,
    points: Sequence[Point],
    training: Ints,
    left_out: Ints,
    place: tuple[int, int],
    cancelled: Callable[[], bool] = lambda: False,
) -> list[FoldScore]:
    """Train at these points, which differ in C alone, one after the other, and measure each."""
    recipe = recipe_at(validation.recipe, points[0])
    whole = examples_of(validation, without_price(points[0]))
    inside, outer = take(whole, training, f"{whole.name} (fold)"), take(whole, left_out, "held out")
    fold, held = recipe.task.prepare(inside, outer, recipe.records.model)
    assert held is not None
    problem = recipe.task.build(fold, recipe.records.parts)
    outside, state, found = problem.on(held), None, []
    for point in points:
        learner = recipe_at(validation.recipe, point).make_learner()
        last = fit_from(problem, learner, recipe.make_rule(), recipe.seed, state, cancelled)
        state = last.state if PRICE in dict(point) else None
        loss, wrong = measure_at(outside, last.w)
        found.append(FoldScore(place[0], point, loss, wrong, last.seconds, place[1]))
    return found


def fit_from(
    problem: Problem, learner: Learner, rule: Until, seed: int, state: Any, cancelled: Callable[[], bool]
) -> Step:
    """The last step of a run, or of one that goes on from a keyframe of another C."""
    last: Step | None = None
    kept = None if state is None else {**state, "metered": (0, 0.0, 0.0)}
    for event in train(problem, learner, seed=seed, rule=rule, state=kept, cancelled=cancelled):
        if isinstance(event, Step):
            last = event
        if isinstance(event, Stopped) and event.reason == "cancelled":
            raise Cancelled
    if last is None:
        raise Refused(f"{learner.title} made no step on a fold; loosen its rule to stop")
    return last


def measure_at(problem: Problem, w: Array) -> tuple[float, float]:
    """Mean loss, and the share of wrong positions where labels are sequences."""
    labels, losses = predictions(problem, w)
    truths = problem.dataset.labels
    if not len(labels) or np.ndim(labels[0]) != 1:
        return float(np.mean(losses)), float("nan")
    wrong = sum(int(np.count_nonzero(a != b)) for a, b in zip(truths, labels, strict=True))
    return float(np.mean(losses)), wrong / sum(map(len, labels))


def scores_of(
    validation: Validation,
    done: Sequence[FoldScore] = (),
    workers: int = 1,
    cancelled: Callable[[], bool] = lambda: False,
) -> Iterator[list[FoldScore]]:
    """The scores of every job that is not done yet, as jobs finish; with several workers side by side."""
    known = {(s.fold, without_price(s.point), s.outer) for s in done if s.fold != WHOLE}
    todo = [job for job in validation.jobs if (job.fold, job.rest, job.outer) not in known]
    if workers <= 1:
        for job in todo:
            yield validation.run(job, cancelled)
        return
    with ProcessPoolExecutor(min(workers, max(1, len(todo))), mp_context=get_context("spawn")) as pool:
        waiting = [pool.submit(validation.run, job) for job in todo]
        for future in as_completed(waiting):
            if cancelled():
                pool.shutdown(cancel_futures=True)
                raise Cancelled
            yield future.result()


def curve(scores: Sequence[FoldScore]) -> list[tuple[Point, float, float]]:
    """For every point the mean loss over its folds and its standard error, in the order of first sight."""
    found = []
    for point in dict.fromkeys(s.point for s in scores):
        losses = np.array([s.loss for s in scores if s.point == point])
        error = float(np.std(losses, ddof=1) / np.sqrt(len(losses))) if len(losses) > 1 else float("nan")
        found.append((point, float(np.mean(losses)), error))
    return found


def best_point(scores: Sequence[FoldScore]) -> Point:
    """The point of the smallest mean loss; of equal ones the one with the smallest C, then the first."""
    points = curve(scores)
    return min(points, key=lambda found: (found[1], dict(found[0]).get(PRICE, 0.0)))[0]


def nested_scores(
    validation: Validation, inner: Sequence[FoldScore], done: Sequence[FoldScore] = ()
) -> Iterator[FoldScore]:
    """For every outer fold the loss outside it of what was chosen inside it."""
    measured = {s.outer for s in done if s.fold == WHOLE}
    for outer in (o for o in range(validation.outer) if o not in measured):
        yield validation.measure_outside(outer, best_point([s for s in inner if s.outer == outer]))


class Kept:
    """Scores in a file, one job a line, so that a validation can be taken up again."""

    def __init__(self, place: Path, validation: Validation) -> None:
        self.place, self.key = place, validation.key()

    def read(self) -> list[FoldScore]:
        """The scores that are there; refused if they belong to another validation."""
        if not self.place.exists():
            return []
        head, *lines = self.place.read_text().splitlines()
        if json.loads(head).get("validation") != self.key:
            raise Refused(f"{self.place} holds another validation; give another file, or the same settings")
        whole = (json.loads(line) for line in lines if line.endswith("]"))
        return [score_from(one) for job in whole for one in job]

    def add(self, scores: Sequence[FoldScore]) -> None:
        """Write one job's scores; the first one writes the head."""
        new = not self.place.exists()
        with self.place.open("a") as file:
            if new:
                file.write(json.dumps({"validation": self.key}) + "\n")
            file.write(json.dumps([asdict(score) for score in scores]) + "\n")


def score_from(plain: Mapping[str, Any]) -> FoldScore:
    """A score as it was written."""
    point = tuple((str(name), value) for name, value in plain["point"])
    return FoldScore(**{**plain, "point": point})


__all__ = ["FoldScore", "Kept", "Validation", "best_point", "curve", "folds_of", "nested_scores", "scores_of"]
