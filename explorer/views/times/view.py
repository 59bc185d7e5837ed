"""Where the time of each step goes, as a strip of stacked bars that grows with the run."""

from typing import Any, ClassVar

from bokeh.models import BasicTicker, HoverTool

from explorer.views.kit.drawing.pieces import fill, legend, pane, plot, source
from explorer.views.kit.drawing.theme import Theme
from explorer.views.kit.drawing.timeline import Timeline
from explorer.views.kit.view import View
from explorer.views.times import frame as numbers
from explorer.views.times import words
from explorer.views.times.frame import TimesFrame


class Times(View):
    """Milliseconds of each step, in the oracle and outside it."""

    title: ClassVar[str] = "Time"
    name_key: ClassVar[str] = "times"
    help: ClassVar[str] = (
        "How long each step took: the hatched part in the oracle, which looks for the most tempting wrong "
        "answers, the rest in solving the quadratic program over the cuts, making their features and moving "
        "w. Looks at the whole objective, and drawing, are not counted."
    )
    sentence = staticmethod(words.sentence)
    table = staticmethod(words.table)

    def build(self) -> Any:
        self.bars = source("left right oracle whole rest first last")
        self.drawn = drawn = plot("step", "milliseconds", min_border_top=4)
        box = {"left": "left", "right": "right", "source": self.bars, "line_width": 0.5}
        oracle = drawn.quad(bottom=0, top="oracle", hatch_pattern="/", hatch_scale=8, hatch_weight=1.2, **box)
        rest = drawn.quad(bottom="oracle", top="whole", **box)
        drawn.xaxis.ticker = BasicTicker(min_interval=1)
        drawn.yaxis.ticker = BasicTicker(desired_num_ticks=4)
        tips = [
            ("steps", "@first{0} to @last{0}"),
            ("oracle, ms", "@oracle{0.00}"),
            ("rest, ms", "@rest{0.00}"),
        ]
        drawn.add_tools(HoverTool(renderers=[oracle, rest], tooltips=tips))
        legend(drawn, {"oracle": [oracle], "program, features, w": [rest]})
        self.parts = {"oracle": oracle, "rest": rest}
        self.travels(drawn, lambda x, y: round(x))
        self.timeline = Timeline(drawn)
        self.figures.append(drawn)
        return pane(drawn, 120)

    def frame(self) -> TimesFrame:
        session = self.session
        return numbers.frame(session.trace, session.cursor, session.horizon, session.drawn)

    def show(self, shown: TimesFrame) -> None:
        whole = shown.oracle + shown.rest
        edges = (shown.first - 0.5, shown.last + 0.5)
        fill(self.bars, *edges, shown.oracle, whole, shown.rest, shown.first, shown.last)
        last = float(max(len(self.session.trace) - 1, 1))
        self.drawn.x_range.update(start=-0.02 * last - 0.5, end=1.02 * last + 0.5)
        self.drawn.y_range.update(start=0.0, end=1.08 * (float(whole.max(initial=0.0)) or 1.0))
        self.timeline.show(self.session)

    def recolour(self, theme: Theme) -> None:
        self.parts["oracle"].glyph.update(
            fill_color=theme.background, line_color=theme.rival, hatch_color=theme.rival
        )
        self.parts["rest"].glyph.update(fill_color=theme.dual, line_color=theme.background)
        self.timeline.recolour(theme)
