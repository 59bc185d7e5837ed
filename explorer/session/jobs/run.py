"""One run as a job that a worker can take turns on: pull a little, change its mind, go on.

A job owns the learner's generator and the newest keyframe. What it hands out is light: keyframes stay here,
and cuts lose their feature vectors (the page can make them again from the labelling). A changed recipe
re-uses the keyframe, so the working set survives a change of C, loss or oracle.
"""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.events import Event, Step, Stopped
from explorer.engine.runs.streams import train
from explorer.engine.runs.trace import Thinned
from explorer.session.jobs.parcel import light, sentence_of
from explorer.session.problem_cache import held_out_of, problem_of

RESTARTS = ("task", "stamp", "data", "model", "seed", "learner")
"""A change of one of these cannot re-use the working set: the run starts over.

So it does when a relaxed oracle gives way to another: its fractional cuts bound nothing there."""


def keeps_cuts(before: Recipe | None, after: Recipe) -> bool:
    """Whether cuts that were found under one recipe are cuts under the other."""
    return before is not None and all(getattr(before, name) == getattr(after, name) for name in RESTARTS)


@dataclass(frozen=True, slots=True, eq=False)
class Keyframe:
    """The state after the steps said so far, from which the run can be taken up again; sent when asked
    for.
    """

    steps: int
    state: Mapping[str, Any]


class RunJob:
    """A run in progress, for one session."""

    def __init__(self, recipe: Recipe, saved: Keyframe | None = None) -> None:
        self.recipe = recipe
        self.cancelled = False
        self.states: Thinned[Mapping[str, Any]] = Thinned(128_000_000)
        self.count = 0
        if saved is not None:
            self.count = saved.steps
            self.states.put(self.count - 1, saved.state)
        self._events = self._open(saved.state if saved is not None else None)

    def _open(self, state: Mapping[str, Any] | None) -> Iterator[Event]:
        """The events of the current recipe, from a keyframe when there is one."""
        return train(
            problem_of(self.recipe)[0],
            self.recipe.make_learner(),
            seed=self.recipe.seed,
            rule=self.recipe.make_rule(),
            test=held_out_of(self.recipe),
            state=state,
            cancelled=lambda: self.cancelled,
        )

    def change(self, recipe: Recipe, at: int | None = None) -> None:
        """Go on under another recipe, from the keyframe of step `at` (the newest by default)."""
        state = None
        if keeps_cuts(self.recipe, recipe) and self.states.kept:
            _, state = self.states.nearest(self.count if at is None else at)
        else:
            self.states, self.count = Thinned(self.states.budget), 0
        self.recipe, self.cancelled = recipe, False
        self._events = self._open(state)

    def keyframe(self) -> Keyframe:
        """Where the run stands; without a state before the first step."""
        return Keyframe(self.count, self.states.nearest(self.count)[1] if self.states.kept else {})

    def end(self) -> None:
        """Let go of the run now: run and job hold each other, and its arrays are too large to wait for the
        collector.
        """
        self._events = iter(())

    def pull(self, seconds: float, most: int) -> list[Event]:
        """Up to `most` steps, or as many as fit in about `seconds`, with everything said between them."""
        out: list[Event] = []
        ends, steps = time.perf_counter() + seconds, 0
        try:
            for event in self._events:
                out.append(self._kept(event))
                steps += isinstance(event, Step)
                if isinstance(event, Stopped) or steps >= most or time.perf_counter() >= ends:
                    break
        except Exception as fault:  # noqa: BLE001  # whatever breaks here must not take other people's jobs along
            out.append(Stopped("failed", sentence_of(fault), self.count))
        return out

    def _kept(self, event: Event) -> Event:
        """Remember a step's keyframe; hand the step on without it."""
        if not isinstance(event, Step):
            return event
        self.states.put(self.count, event.state)
        self.count += 1
        return light(event)


__all__ = ["Keyframe", "RunJob", "keeps_cuts"]
