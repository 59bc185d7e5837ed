"""One sequence over time, with its controls: which example, of which data, how much of it, and how features are drawn."""

from typing import Any, ClassVar

import panel as pn
import param

from explorer.engine.contracts import Problem
from explorer.engine.refusals import Refused
from explorer.views.kit.chooser import Chooser
from explorer.views.kit.drawing import FLAT, WHOLE, choice, pane
from explorer.views.kit.inputs import icon
from explorer.views.kit.theme import Theme
from explorer.views.kit.view import View, unlocked
from explorer.views.sequence import frame as numbers
from explorer.views.sequence.figure import SequenceFigure
from explorer.views.sequence.frame import FEW, Frame, Observed

KEY = ":host { font-size: 0.84rem; white-space: nowrap }"


class Sequence(View):
    """A sequence over time."""

    title: ClassVar[str] = "Sequence"
    name_key: ClassVar[str] = "sequence"
    help: ClassVar[str] = (
        "What is observed, and below it the true, the predicted and the most violated states, hatched where they are wrong. "
        "The margin rises by what leaving the truth would cost, and falls by what forcing it does. Turn the wheel to zoom, drag "
        "to move, click to mark a position."
    )

    features = param.Selector(
        default="cells",
        objects=["cells", "lines"],
        doc="How a few features are drawn: cells on one scale, or lines on one each.",
    )
    marked = param.Integer(-1, bounds=(-1, None), doc="The position that is marked; -1 is none.")

    linked = ("features", "marked")
    redraws = ("features", "marked")
    table = staticmethod(numbers.table)

    @classmethod
    def fits(cls, problem: Problem) -> bool:
        return numbers.fits(problem)

    # building --------------------------------------------------------------------------------------------------

    def build(self) -> Any:
        self._seen: tuple[Any, int, Observed] | None = None
        self.picture = SequenceFigure(self.refresh)
        self.figures.append(self.picture.plot)
        self.on_tap(self.picture.plot, self._tapped)
        return pn.Column(self._controls(), pane(self.picture.plot), **WHOLE)

    def _controls(self) -> Any:
        low = {"margin": (0, 4), "sx": {"& button": FLAT | {"padding": "1px 6px"}}}
        self.chooser = Chooser(self.session, 84)
        self.drawn_as = choice(self.param.features, **low)
        self.back = icon("zoom_out_map", "As it opened", lambda: self._look(self.picture.look, *self.picture.home))
        self.key = pn.pane.HTML("hatched: wrong", margin=(0, 8), stylesheets=[KEY], visible=False)
        parts = [
            *self.chooser.parts,
            self.drawn_as,
            icon("zoom_in", "Fewer positions", lambda: self._look(self.picture.zoom, 0.5)),
            icon("zoom_out", "More positions", lambda: self._look(self.picture.zoom, 2.0)),
            self.back,
            self.key,
        ]
        return pn.FlexBox(*parts, align_items="center", sizing_mode="stretch_width", margin=(0, 4))

    # acting ----------------------------------------------------------------------------------------------------

    def _look(self, act: Any, *values: float) -> None:
        act(*values)
        self.refresh()

    def _tapped(self, x: float, y: float) -> None:
        """Mark the position under a click, or let go of it."""
        t = round(x)
        if 0 <= t < len(self.picture.sources["columns"].data["x"]):
            self.marked = -1 if self.marked == t else t

    # showing ---------------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Draw the current step; another example or problem starts without a mark."""
        if unlocked():
            pn.state.execute(self.refresh, schedule=True)
            return
        if self.chooser.moved():
            self.marked = -1
        super().refresh()

    def frame(self) -> Frame:
        session = self.session
        name = "Example" if session.shown is session.problem else "Test example"
        try:
            shown = numbers.frame(
                session.shown, session.trace, session.cursor, session.example,
                phase=session.phase, name=name, seen=self._known(),
            )  # fmt: skip
        except Refused:
            self.body.visible = False
            raise
        self._seen = (session.shown, session.example, shown.seen)
        self.body.visible = True
        return shown

    def _known(self) -> Observed | None:
        """What is observed in the example, if it is the one that was shown last."""
        about = self._seen
        same = about is not None and about[0] is self.session.shown and about[1] == self.session.example
        return about[2] if about is not None and same else None

    def sentence(self, shown: Frame) -> str:
        now, T = self.picture.plot.x_range, len(shown)
        first, last = max(0, round(now.start + 0.5)), min(T - 1, round(now.end - 0.5))
        part = f" Shown: {first} to {last}." if first > 0 or last < T - 1 else ""
        text = numbers.told(shown, self.marked) if 0 <= self.marked < T else numbers.sentence(shown)
        return text + part

    def show(self, shown: Frame) -> None:
        few = shown.seen.kind == "values" and len(shown.seen.cells) <= FEW
        self.picture.show(shown, few and self.features == "lines", self.marked)
        self.chooser.show(shown.examples, shown.example)
        self.drawn_as.visible = few
        self.back.disabled = self.picture.whole
        self.key.visible = any(shown.wrong(role).any() for role in shown.paths)

    def recolour(self, theme: Theme) -> None:
        self.picture.recolour(theme)
        if self._seen is not None:
            self.refresh()
