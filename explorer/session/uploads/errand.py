"""An errand that a page sent to a worker, and what came back."""

import uuid
from collections.abc import Callable
from typing import Any

from explorer.engine.events import Stopped
from explorer.session.jobs import ErrandAnswer
from explorer.session.runner import Runner


class Errand:
    """Work under way for a page; `done(value)` or `failed(sentence)` is called once, when it is collected."""

    def __init__(
        self,
        runner: Runner,
        done: Callable[[Any], object],
        failed: Callable[[str], object],
        act: Callable[..., Any],
        *args: Any,
    ) -> None:
        self.runner, self.key = runner, f"errand-{uuid.uuid4().hex}"
        self.over = False
        self._done, self._failed = done, failed
        runner.order(self.key, "errand", act, *args)
        runner.order(self.key, "play", 0.0)

    def collect(self) -> None:
        """Hand over the answer, if it is there."""
        for said in self.runner.collect(self.key) if not self.over else ():
            if isinstance(said, ErrandAnswer):
                self.close()
                self._done(said.value)
                return
            if isinstance(said, Stopped):
                self.close()
                self._failed(said.sentence)
                return

    def close(self) -> None:
        """Wait no longer."""
        if not self.over:
            self.over = True
            self.runner.order(self.key, "close")


__all__ = ["Errand"]
