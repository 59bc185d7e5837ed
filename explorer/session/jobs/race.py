"""A race as a job: several learners on the same problem, the one that is behind moves next."""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.events import Event, Stopped
from explorer.engine.runs.streams import lockstep, train
from explorer.session.jobs.parcel import light, sentence_of
from explorer.session.problem_cache import problem_of


@dataclass(frozen=True, slots=True, eq=False)
class InLane:
    """An event of one learner of a race."""

    lane: str
    event: Event


class RaceJob:
    """Several learners on the same problem, kept side by side on one clock; events carry their lane's
    name.
    """

    def __init__(self, lanes: Mapping[str, Recipe], by: str) -> None:
        self.cancelled = False
        self._events = lockstep({name: self._lane(recipe) for name, recipe in lanes.items()}, by)

    def _lane(self, recipe: Recipe) -> Iterator[Event]:
        problem, test = problem_of(recipe)
        learner, rule = recipe.make_learner(), recipe.make_rule()
        return train(
            problem,
            learner,
            seed=recipe.seed,
            rule=rule,
            test=test,
            look_every=2.0,
            cancelled=lambda: self.cancelled,
        )

    def end(self) -> None:
        """Let go of the run now: run and job hold each other, and its arrays are too large to wait for the
        collector.
        """
        self._events = iter(())

    def pull(self, seconds: float, most: int) -> list[Event]:
        """As many events as fit in about `seconds`, each wrapped with its lane; a Stopped at the very end."""
        out: list[Event] = []
        ends = time.perf_counter() + seconds
        try:
            for lane, event in self._events:
                out.append(InLane(lane, light(event)))  # type: ignore[arg-type]  # unpacked by the race's session
                if time.perf_counter() >= ends:
                    return out
            out.append(Stopped("finished", "every learner has stopped", -1))
        except Exception as fault:  # noqa: BLE001  # as in Job.pull
            out.append(Stopped("failed", sentence_of(fault), -1))
        return out


__all__ = ["InLane", "RaceJob"]
