"""The regularisation path as a job: its points, and the newest step towards the next one."""

import time
from typing import Any

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.events import NOT_EXACT, Event, Stopped
from explorer.engine.halting import Cancelled
from explorer.engine.refusals import NotExact
from explorer.engine.runs.path import PathPoint, tireless, walk
from explorer.session.jobs.parcel import sentence_of
from explorer.session.problem_cache import problem_of


class PathJob:
    """The regularisation path of a run's problem and learner: the points, and between them what is tried
    now.
    """

    def __init__(
        self,
        recipe: Recipe,
        span: tuple[float, float, float],
        seconds: float,
    ) -> None:
        self.cancelled = False
        self.left = seconds
        self.count = 0
        problem, test = problem_of(recipe)
        learner = tireless(recipe.make_learner())
        self._events = walk(
            problem, learner, *span, test=test, seed=recipe.seed, cancelled=lambda: self.cancelled
        )

    def end(self) -> None:
        """Let go of the path now, as in Job."""
        self._events = iter(())

    def pull(self, seconds: float, most: int) -> list[Event]:
        """The points that fit in about `seconds`, and the newest step towards the next one."""
        out: list[Any] = []
        begun = time.perf_counter()
        try:
            for said in self._events:
                self.count += isinstance(said, PathPoint)
                if out and not isinstance(out[-1], PathPoint):
                    out.pop()
                out.append(said)
                if time.perf_counter() - begun >= seconds:
                    break
            else:
                out.append(Stopped("finished", "the whole path is traced", self.count))
        except Cancelled:
            out.append(Stopped("cancelled", "the path was cancelled", self.count))
        except NotExact as proof:
            out.append(Stopped(NOT_EXACT, str(proof), self.count))
        except Exception as fault:  # noqa: BLE001  # as in Job.pull
            out.append(Stopped("failed", sentence_of(fault), self.count))
        self.left -= time.perf_counter() - begun
        if self.left <= 0.0 and not isinstance(out[-1], Stopped):
            out.append(
                Stopped("seconds", "the path took too long; raise eps or take fewer decades", self.count)
            )
        return out


__all__ = ["PathJob"]
