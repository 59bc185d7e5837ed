"""What all views share: a figure that is updated instead of rebuilt, a sentence, a data table, a theme.

A view's folder defines

    XFrame                                    frozen record of plain arrays
    frame(problem, trace, at, ...) -> XFrame  computed without any drawing library, tested without a browser
    sentence(frame) -> str                    what the picture says, for everyone who does not see it
    table(frame) -> dict of columns           the numbers behind the picture

and a subclass of View that makes its figures once in `build` and fills their sources in `show`. Pictures of
one example are subclasses of `ExampleView`.
"""

from collections.abc import Callable
from html import escape
from typing import Any, ClassVar, Generic

import panel as pn
import param
from typing_extensions import TypeVar

from explorer.engine.contracts import Problem
from explorer.engine.refusals import Refused
from explorer.session.state import Session
from explorer.views.kit.drawing.theme import LIGHT, Theme, restyle
from explorer.views.kit.messages import LATER, Soon, lacks_lock, one_message
from explorer.views.kit.pointer import follow_pointer
from explorer.views.kit.protocols import Watched
from explorer.views.kit.sheet import NumbersSheet
from explorer.views.kit.tables import TEXT

S = TypeVar("S", bound=Watched, default=Session)


class View(pn.viewable.Viewer, Generic[S]):
    """One picture of the session's run, with its text twin; `View[Lab]` is one of a lab instead."""

    title: ClassVar[str] = ""
    help: ClassVar[str] = ""
    name_key: ClassVar[str] = ""
    follows: ClassVar[tuple[str, ...]] = ("tick", "cursor", "phase", "example", "split")
    """The session's parameters whose change is drawn."""
    redraws: ClassVar[tuple[str, ...]] = ()
    """The view's own parameters whose change is drawn."""
    linked: ClassVar[tuple[str, ...]] = ()
    """The view's own parameters that a link to the page keeps."""
    urgent: ClassVar[bool] = False
    """Whether it is drawn before the others."""

    active = param.Boolean(True, doc="Whether the view is on the page; a hidden view draws nothing.")
    table_open = param.Boolean(False, doc="Whether the data table is shown.")
    opened = param.Event(doc="An example was opened from here, to be looked at.")
    theme = param.Parameter(LIGHT)

    def __init__(self, session: S, **params: Any) -> None:
        super().__init__(**params)
        self.session = session
        self.figures: list[Any] = []
        common = {"sizing_mode": "stretch_width", "margin": (0, 8), "stylesheets": [TEXT]}
        self.words = pn.pane.HTML("", css_classes=["view-sentence"], **common)
        self.sheet = NumbersSheet()
        self.data = self.sheet.pane
        self._watchers: list[Any] = []
        self.body = self.build()
        self.restyle()
        follow = self.follow if self.urgent else Soon(self.follow, LATER)
        self._watchers = [session.param.watch(follow, list(self.follows))]
        self.param.watch(lambda *_: self.refresh(), ["active", "table_open", *self.redraws])
        self.param.watch(lambda *_: self.restyle(), ["theme"])
        self.refresh()

    @classmethod
    def fits(cls, problem: Problem) -> bool:
        """Whether there is anything to show of such a problem."""
        return True

    # to be given by each view -------------------------------------------------------------------------------

    def build(self) -> Any:
        """Make the figures, append them to `self.figures`, and return what goes on the page."""
        raise NotImplementedError  # every view has its own figure

    def frame(self) -> Any:
        """What is to be shown now."""
        raise NotImplementedError  # every view has its own frame

    def show(self, frame: Any) -> None:
        """Put a frame into the figures' sources."""
        raise NotImplementedError  # every view has its own sources

    def sentence(self, frame: Any) -> str:
        """What the picture says."""
        raise NotImplementedError  # every picture says something

    def table(self, frame: Any) -> dict[str, Any]:
        """The numbers behind the picture."""
        raise NotImplementedError  # every picture has numbers

    def recolour(self, theme: Theme) -> None:
        """Give the glyphs the theme's colours."""

    # shared -------------------------------------------------------------------------------------------------

    def follow(self, *_: Any) -> None:
        """Draw the step that the session has come to."""
        self.refresh()

    def refresh(self) -> None:
        """Draw the session's current step, if anybody can see it."""
        if not self.active or not self._watchers:
            return
        if lacks_lock():
            pn.state.execute(self.refresh, schedule=True)
            return
        try:
            frame = self.frame()
        except Refused as reason:
            self._say(str(reason))
            return
        with one_message():
            self.show(frame)
            self._say(self.sentence(frame))
            if self.table_open:
                self.sheet.show(self.table(frame), self.title)
            else:
                self.sheet.hide()

    def _say(self, sentence: str) -> None:
        text = f"<p role='status' aria-live='polite'>{escape(sentence)}</p>"
        if self.words.object != text:
            self.words.object = text

    def restyle(self) -> None:
        """Dress figures and glyphs in the current theme."""
        for figure in self.figures:
            restyle(figure, self.theme)
        self.sheet.recolour(self.theme)
        self.recolour(self.theme)

    def content(self) -> Any:
        """The picture, or the numbers in its place."""
        return self.sheet.over(self.body)

    def close(self) -> None:
        """Stop listening to the session."""
        for watcher in self._watchers:
            self.session.param.unwatch(watcher)
        self._watchers = []

    def on_tap(self, figure: Any, act: Any) -> None:
        """Call act(x, y) when the figure is clicked."""
        figure.on_event("tap", lambda event: act(event.x, event.y))

    def travels(self: "View[Session]", figure: Any, step_at: Callable[[float, float], int | None]) -> None:
        """Take all views to the step at the pointer, and back when it leaves; a click stays there."""
        session = self.session

        def to(go: Callable[[int], None]) -> Callable[[float, float], None]:
            def visit(x: float, y: float) -> None:
                step = step_at(x, y)
                if step is not None and len(session.trace):
                    go(step)

            return visit

        self.on_tap(figure, to(session.seek))
        follow_pointer(figure, to(session.glance.begin), session.glance.end)

    def __panel__(self) -> Any:
        return pn.Column(self.words, self.content(), sizing_mode="stretch_both", margin=0)


__all__ = ["View"]
