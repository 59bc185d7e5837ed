"""One session's run at a runner: the recipe that the worker has, its orders, and whether it is over."""

import uuid
from typing import Any

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.events import Event, Step, Stopped
from explorer.session.jobs import Keyframe
from explorer.session.runner import Runner


class Training:
    """Nothing is trained before `open`; a run that is over goes on only under another recipe."""

    def __init__(self, runner: Runner) -> None:
        self.runner = runner
        self.key = uuid.uuid4().hex
        self.recipe: Recipe | None = None
        self.over = False

    def open(self, recipe: Recipe, saved: Keyframe | None = None) -> None:
        """Give the worker the recipe, and the keyframe to go on from."""
        self.recipe, self.over = recipe, False
        self.order("open", recipe, saved)

    def change(self, recipe: Recipe) -> None:
        """Let the run go on under another recipe, with its working set."""
        self.recipe, self.over = recipe, False
        self.order("change", recipe)

    def order(self, order: str, *args: Any) -> None:
        """Tell the worker to play, pause, step or send its keyframe; without a run, nobody."""
        if self.recipe is not None:
            self.runner.order(self.key, order, *args)

    def collect(self) -> list[Event]:
        """What the run said since the last call."""
        events = self.runner.collect(self.key)
        for event in events:
            if isinstance(event, Step | Stopped):
                self.over = isinstance(event, Stopped)
        return events

    @property
    def ended(self) -> bool:
        """Whether the run is over and that has not been collected yet."""
        return self.runner.has_ended(self.key)

    def close(self) -> None:
        """End the run; what it still says is not heard."""
        if self.recipe is not None:
            self.order("close")
            self.key = uuid.uuid4().hex
        self.recipe, self.over = None, False


__all__ = ["Training"]
