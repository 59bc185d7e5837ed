"""One sequence over time, with its controls: which example, how much of it, and how features are drawn."""

from typing import Any, ClassVar

import panel as pn
import param

from explorer.views.kit.controls.inputs import icon
from explorer.views.kit.drawing.pieces import FLAT, WHOLE, choice, pane
from explorer.views.kit.example_view import ExampleView
from explorer.views.kit.memory import Memory
from explorer.views.sequence import frame as numbers
from explorer.views.sequence.figure import SequenceFigure
from explorer.views.sequence.frame import FEW, SequenceFrame

KEY = ":host { font-size: var(--type-small, 14px); white-space: nowrap }"


class Sequence(ExampleView):
    """A sequence over time."""

    title: ClassVar[str] = "Sequence"
    name_key: ClassVar[str] = "sequence"
    help: ClassVar[str] = (
        "What is observed, and below it the truth, the guess and the most tempting answer, hatched where "
        "they are wrong. "
        "The margin rises by what leaving the truth would cost, and falls by what forcing it does. Turn the "
        "wheel to zoom, drag "
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
    fresh: ClassVar[dict[str, Any]] = {"marked": -1}
    misfit = "Only label sequences lie along time, and this task has none: choose one such as blocks."
    table = staticmethod(numbers.table)

    # building -----------------------------------------------------------------------------------------------

    def build(self) -> Any:
        self._observed = Memory(1)
        self.picture = SequenceFigure(self.refresh)
        self.pictures = (self.picture,)
        self.figures.append(self.picture.plot)
        self.on_tap(self.picture.plot, self._tapped)
        return pn.Column(self._controls(), pane(self.picture.plot), **WHOLE)

    def _controls(self) -> Any:
        low = {"margin": (0, 4), "sx": {"& button": FLAT | {"padding": "1px 6px"}}}
        self.drawn_as = choice(self.param.features, **low)
        self.back = icon(
            "zoom_out_map", "As it opened", lambda: self._look(self.picture.look, *self.picture.home)
        )
        self.key = pn.pane.HTML("hatched: wrong", margin=(0, 8), stylesheets=[KEY], visible=False)
        parts = [
            self.drawn_as,
            icon("zoom_in", "Fewer positions", lambda: self._look(self.picture.zoom, 0.5)),
            icon("zoom_out", "More positions", lambda: self._look(self.picture.zoom, 2.0)),
            self.back,
            self.key,
        ]
        return self.bar(*parts, width=84)

    # acting -------------------------------------------------------------------------------------------------

    def _look(self, act: Any, *values: float) -> None:
        act(*values)
        self.refresh()

    def _tapped(self, x: float, y: float) -> None:
        """Mark the position under a click, or let go of it."""
        t = round(x)
        if 0 <= t < len(self.picture.sources["columns"].data["x"]):
            self.marked = -1 if self.marked == t else t

    # showing ------------------------------------------------------------------------------------------------

    def read(self, problem: Any, trace: Any, at: int, example: int, name: str) -> SequenceFrame:
        seen = self._observed.of(problem).get(
            example, lambda: numbers.observe(problem, min(example, problem.n - 1))
        )
        return numbers.frame(problem, trace, at, example, name, phase=self.session.phase, seen=seen)

    def sentence(self, shown: SequenceFrame) -> str:
        now, T = self.picture.plot.x_range, len(shown)
        first, last = max(0, round(now.start + 0.5)), min(T - 1, round(now.end - 0.5))
        part = f" Shown: {first} to {last}." if first > 0 or last < T - 1 else ""
        text = (
            numbers.describe_position(shown, self.marked) if 0 <= self.marked < T else numbers.sentence(shown)
        )
        return text + part

    def show(self, shown: SequenceFrame) -> None:
        super().show(shown)
        few = shown.seen.kind == "values" and len(shown.seen.cells) <= FEW
        self.picture.show(shown, few and self.features == "lines", self.marked)
        self.drawn_as.visible = few
        self.back.disabled = self.picture.whole
        self.key.visible = any(shown.wrong(role).any() for role in shown.paths)
