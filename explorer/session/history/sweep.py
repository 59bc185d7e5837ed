"""A sweep: the same problem trained several times, with one choice different each time, one run after the
other beside the session's own.

What is found is kept among the runs of the session, pinned, so that it can be compared and brought back. C
goes through six values around the present one, a loss through all of the task, a learner through all that
take the problem.
"""

from collections.abc import Callable, Iterable
from dataclasses import fields, replace
from functools import partial

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.events import Stopped
from explorer.engine.learners import LEARNERS, by_name, name_of
from explorer.engine.refusals import Refused
from explorer.engine.runs.trace import Trace
from explorer.session.choices import refusals
from explorer.session.history.kept_runs import KeptRun
from explorer.session.jobs import Keyframe
from explorer.session.problem_cache import problem_of
from explorer.session.runner import Runner
from explorer.session.training import Training

KINDS = ("C", "loss", "learner")
FACTORS = (0.03, 0.1, 0.3, 3.0, 10.0, 30.0)
"""C of the runs of a sweep, as shares of the C that is chosen."""

SECONDS = 20.0
"""No run of a sweep trains longer."""

MOST_RUNS = 6


def variants(recipe: Recipe, kind: str) -> tuple[Recipe, ...]:
    """The recipes of a sweep; those that are refused are left out."""
    seconds = min(recipe.rule["seconds"] or SECONDS, SECONDS)
    bounded = replace(recipe, rule=dict(recipe.rule) | {"seconds": seconds})
    made = map(recipe_unless_refused, changes(bounded, kind))
    return tuple(one for one in made if one is not None)[:MOST_RUNS]


def changes(recipe: Recipe, kind: str) -> Iterable[Callable[[], Recipe]]:
    """What makes each recipe of a sweep."""
    if kind == "C":
        price = recipe.settings.get("C")
        values = [float(f"{price * factor:.2g}") for factor in FACTORS] if price else []
        return [partial(replace, recipe, settings=dict(recipe.settings) | {"C": value}) for value in values]
    if kind == "loss":
        others = [name for name in recipe.task.losses if name != recipe.loss]
        return [partial(replace, recipe, loss=name) for name in others]
    refused = refusals(problem_of(recipe)[0])
    names = [name_of(learner) for learner in LEARNERS]
    return [with_learner(recipe, n) for n in names if n != recipe.learner and n not in refused]


def with_learner(recipe: Recipe, name: str) -> Callable[[], Recipe]:
    """The recipe with another learner, at the same price of slack."""
    known = {one.name for one in fields(by_name(name))}
    settings = {key: value for key, value in recipe.settings.items() if key == "C" and key in known}
    return partial(replace, recipe, learner=name, settings=settings)


def recipe_unless_refused(make: Callable[[], Recipe]) -> Recipe | None:
    """The recipe, unless it is refused."""
    try:
        made = make()
        return None if made.make_learner().refuses(problem_of(made)[0]) else made
    except Refused:
        return None


class ChoiceSweep:
    """At most one sweep of a session; `keep` takes each run as soon as it has ended."""

    def __init__(self, runner: Runner, keep: Callable[[KeptRun], None]) -> None:
        self.training, self.keep = Training(runner), keep
        self.waiting: list[Recipe] = []
        self.trace = Trace()

    @property
    def active(self) -> bool:
        """Whether runs are trained or wait."""
        return self.training.recipe is not None

    def start(self, recipe: Recipe, kind: str) -> None:
        """Begin a sweep; one that is under way ends."""
        self.waiting = list(variants(recipe, kind))
        self._go_on()

    def _go_on(self) -> None:
        """Train the next run, if one waits."""
        self.training.close()
        self.trace = Trace()
        if self.waiting:
            self.training.open(self.waiting.pop(0))
            self.training.order("play", 0.0)

    def collect(self) -> None:
        """Take what the run said since the last call; when it has ended, the next one begins."""
        recipe = self.training.recipe
        if recipe is None:
            return
        for event in self.training.collect():
            if isinstance(event, Keyframe):
                continue
            self.trace.append(event)
            if isinstance(event, Stopped):
                last = max(0, len(self.trace) - 1)
                self.keep(KeptRun(recipe, self.trace, last, "stopped", event.sentence))
                self._go_on()
                return

    def close(self) -> None:
        """End the sweep; what has been found stays."""
        self.waiting = []
        self.training.close()


__all__ = ["KINDS", "ChoiceSweep", "variants"]
