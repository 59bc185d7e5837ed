"""One moment of a race: every learner's answer on the same example, and one slider through all of them."""

from collections.abc import Mapping
from html import escape
from typing import Any, ClassVar

import panel as pn
import panel_material_ui as pmui
import param

from explorer.engine.contracts import Problem
from explorer.engine.runs.trace import Trace
from explorer.views.kit.controls.inputs import icon
from explorer.views.kit.drawing.theme import LIGHT, Theme
from explorer.views.kit.tables import TEXT
from explorer.views.race.faces import Face, end_of, faces, leader_words, telling_example
from explorer.views.race.portraits import LOOK, portraits
from explorer.views.race.view import hues, swatch
from explorer.wording import number

STRIDE = 0.02
"""The part of a race that one press of an arrow key goes on."""


class Meeting(pn.viewable.Viewer):
    """Where all learners stand at one moment of the race."""

    title: ClassVar[str] = "What each would answer"
    name_key: ClassVar[str] = "answers"
    help: ClassVar[str] = (
        "All learners get the same example. Drag the slider through the race: at each moment every learner "
        "answers with the weights that it has then. Parts that are wrong are orange, dashed and struck out."
    )
    figures: ClassVar[tuple[Any, ...]] = ()

    theme = param.Parameter(LIGHT)
    table_open = param.Boolean(False, doc="There are no more numbers than those in sight.")
    share = param.Number(1.0, bounds=(0.0, 1.0), doc="The moment, as a part of the whole race.")
    example = param.Integer(-1, bounds=(-1, None), doc="Which example; -1 is one on which they differ.")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.problem: Problem | None = None
        self.traces: Mapping[str, Trace] = {}
        self.clock, self.unit, self.moment = "oracle_calls", "oracle calls", 0.0
        self.met: list[Face] = []
        self._telling: tuple[Any, int] = (None, 0)
        wide: dict[str, Any] = {"sizing_mode": "stretch_width", "margin": (0, 8)}
        self.words = pn.pane.HTML("", css_classes=["race-leader"], stylesheets=[TEXT], **wide)
        self.slider = pmui.FloatSlider(
            label="Moment", start=0.0, end=1.0, step=0.005, value=self.share, show_value=False, size="small",
            tooltips=False, description="", **(wide | {"margin": (0, 14)}),
        )  # fmt: skip
        self.pane = pn.pane.HTML("", sizing_mode="stretch_both", margin=(0, 8), stylesheets=[LOOK])
        self.slider.param.watch(lambda event: self.param.update(share=event.new), "value")
        self.param.watch(lambda *_: self.draw(), ["share", "example", "theme"])

    def show(self, problem: Problem | None, traces: Mapping[str, Trace], clock: str, unit: str) -> None:
        """Take over a race as it stands."""
        self.problem, self.traces, self.clock, self.unit = problem, traces, clock, unit
        self.draw()

    @property
    def asked(self) -> int:
        """The example that is shown: the one that was chosen, else one on which the learners differ."""
        assert self.problem is not None
        if self.example >= 0:
            return min(self.example, self.problem.n - 1)
        lengths = (self.problem, self.clock, all(trace.stops for trace in self.traces.values()))
        if self._telling[0] != lengths:
            self._telling = lengths, telling_example(self.problem, self.traces, self.clock)
        return self._telling[1]

    def step(self, by: float) -> None:
        """Go on or back through the race."""
        self.share = min(1.0, max(0.0, self.share + by))

    def choose(self, by: int) -> None:
        """Take the next example, or the one before."""
        if self.problem is not None:
            self.example = min(max(0, self.asked + by), self.problem.n - 1)

    def draw(self) -> None:
        """Ask every learner at this moment."""
        self.moment = self.share * end_of(self.traces, self.clock)
        self.slider.param.update(value=self.share, label=f"Moment: {number(self.moment)} {self.unit}")
        ready = self.problem is not None and any(len(trace) for trace in self.traces.values())
        self.met = faces(self.problem, self.traces, self.clock, self.moment, self.asked) if ready else []
        said = leader_words(self.met)
        self.words.object = f"<p role='status' aria-live='polite'>{escape(said)}</p>"
        self.pane.styles = look(self.theme)
        signs = [swatch(j, hues(self.theme)[j], self.theme.background) for j in range(len(self.met))]
        self.pane.object = portraits(self.problem, self.asked, self.met, signs, self.theme) if ready else ""

    def close(self) -> None:
        """Nothing is listened to."""

    def __panel__(self) -> Any:
        before = icon("chevron_left", "Example before", lambda: self.choose(-1))
        after = icon("chevron_right", "Example after", lambda: self.choose(1))
        bar = pn.Row(self.slider, before, after, sizing_mode="stretch_width", margin=0)
        return pn.Column(self.words, bar, self.pane, sizing_mode="stretch_both", margin=0)


def look(theme: Theme) -> dict[str, str]:
    """The colours that the answers are written in."""
    names = ("text", "muted", "grid", "truth", "rival")
    return {f"--{name}": getattr(theme, name) for name in names} | {"color": theme.text}


__all__ = ["STRIDE", "Meeting"]
