"""What pictures of one example share: which one is shown, what another sets back, how often they draw.

A subclass gives `read`, the frame of an example at a step, and lists in `pictures` what is to be recoloured.
Which problems it is made for is written in `explorer.views.depictions`; for others it says `misfit`.
"""

import time
from collections.abc import Mapping
from typing import Any, ClassVar

import panel as pn

from explorer.engine.contracts import Problem
from explorer.engine.refusals import Refused
from explorer.engine.runs.trace import Trace
from explorer.views.kit.controls.chooser import Chooser
from explorer.views.kit.depiction import depiction_of
from explorer.views.kit.drawing.theme import Theme
from explorer.views.kit.messages import lacks_lock
from explorer.views.kit.view import View

SLOW = 0.05
"""Seconds: a frame that takes longer is drawn less often while training goes on."""


class ExampleView(View):
    """One example of the session at one step."""

    follows = (*View.follows, "status")
    misfit: ClassVar[str] = ""
    """What is said of a problem that has nothing to show here."""
    fresh: ClassVar[Mapping[str, Any]] = {}
    """The view's own parameters that another example or problem sets back, and to what."""

    pictures: tuple[Any, ...] = ()
    shown: Any = None
    """The frame on the page; None before there is one, and where the problem does not fit."""
    _took, _drawn_at = 0.0, 0.0

    @classmethod
    def fits(cls, problem: Problem) -> bool:
        return cls in depiction_of(problem).views

    def read(self, problem: Any, trace: Trace, at: int, example: int, name: str) -> Any:
        """The frame of an example, which is called `name`, at step `at`."""
        raise NotImplementedError  # every picture reads its own numbers

    def bar(self, *parts: Any, width: int = 74) -> Any:
        """The row above a picture: which example, and the view's own controls."""
        self.chooser = Chooser(self.session, width)
        return pn.FlexBox(
            *self.chooser.parts, *parts, align_items="center", sizing_mode="stretch_width", margin=(0, 4)
        )

    def frame(self) -> Any:
        session = self.session
        name = "Example" if session.shown is session.problem else "Test example"
        try:
            if not self.fits(session.shown):
                raise Refused(self.misfit)
            self.shown = self.read(session.shown, session.trace, session.cursor, session.example, name)
        except Refused:
            self.shown, self.body.visible = None, False
            raise
        self.body.visible = True
        return self.shown

    def show(self, shown: Any) -> None:
        self.chooser.show(shown.examples, shown.example)

    def refresh(self) -> None:
        """Draw the current step; another example or problem drops what was chosen in the one before."""
        if lacks_lock():
            pn.state.execute(self.refresh, schedule=True)
            return
        if self.chooser.has_moved():
            self.param.update(**self.fresh)
        began = time.monotonic()
        super().refresh()
        self._drawn_at = time.monotonic()
        self._took = self._drawn_at - began

    def follow(self, *_: Any) -> None:
        """Draw the session's step, unless that would leave training no time for anything else."""
        waits = self.session.status == "running" and self._took > SLOW
        if not waits or time.monotonic() - self._drawn_at >= 4 * self._took:
            self.refresh()

    def recolour(self, theme: Theme) -> None:
        for picture in self.pictures:
            picture.recolour(theme)
        if self.shown is not None:
            self.refresh()


__all__ = ["ExampleView"]
