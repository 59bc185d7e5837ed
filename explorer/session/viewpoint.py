"""What a page looks at: a step of a trace, and an example of the data behind it."""

from typing import Any

import param

from explorer.engine.contracts import Dataset, Problem
from explorer.engine.runs.trace import Trace


class Viewpoint(param.Parameterized):
    """A step, how far into the next one, and an example; who trains keeps `trace`, `problem` and `test` at
    what is shown.
    """

    cursor: Any = param.Integer(0, bounds=(0, None), doc="The step that all views show.")
    following: Any = param.Boolean(True, doc="Whether the cursor stays at the newest step.")
    phase: Any = param.Integer(0, bounds=(0, 3), doc="How far into the next step the views look.")
    playing: Any = param.Boolean(False, doc="Whether recorded steps are shown one after the other.")
    example: Any = param.Integer(0, bounds=(0, None), doc="The example that structure views show.")
    split: Any = param.Selector(objects=["training", "test"], doc="Which data the example is one of.")
    tick: Any = param.Integer(0, doc="Rises when there is something new to draw.")

    def __init__(self) -> None:
        super().__init__()
        self.trace = Trace()
        self.problem: Problem
        self.test: Dataset | None
        self._held_out: tuple[Problem, Problem] | None = None

    @property
    def newest(self) -> int:
        """The last step on record."""
        return max(0, len(self.trace) - 1)

    @property
    def horizon(self) -> int:
        """The last step that is drawn: while a step is walked through phase by phase, the one before it."""
        return int(self.cursor) if self.phase else self.newest

    def clip(self, at: int) -> int:
        """The nearest step on record."""
        return min(max(0, at), self.newest)

    def step_back(self) -> None:
        """Look one step earlier; nothing is lost."""
        self.param.update(phase=0, cursor=max(0, self.cursor - 1), following=False, playing=False)

    @property
    def shown(self) -> Problem:
        """The problem on the data that the chosen example is one of."""
        if self.split == "training" or self.test is None:
            return self.problem
        if self._held_out is None or self._held_out[0] is not self.problem:
            self._held_out = self.problem, self.problem.on(self.test)
        return self._held_out[1]

    @property
    def trained_on(self) -> int | None:
        """The chosen example where it is a training example, else None."""
        return self.example if self.shown is self.problem else None


__all__ = ["Viewpoint"]
