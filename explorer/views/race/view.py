"""Bounds of several learners over one clock: a colour, dash and marker each, primal solid, dual thin."""

from html import escape
from typing import Any, ClassVar

import numpy as np
import panel as pn
import param
from bokeh.models import ColumnDataSource, HoverTool, Legend, LegendItem, Span
from bokeh.plotting import figure

from explorer.engine.learners import by_name
from explorer.views.kit.drawing.axes import blank, readable
from explorer.views.kit.drawing.pieces import fill, sign
from explorer.views.kit.drawing.theme import LIGHT, Theme, restyle
from explorer.views.kit.sheet import NumbersSheet
from explorer.views.kit.tables import TEXT
from explorer.views.race.frame import NOBODY, Lane, sentence, table
from explorer.wording import number

MARKERS = ("circle", "square", "triangle", "diamond")
DASHES = ("solid", "dashed", "dotdash", "dotted")
MOST_MARKERS = 12


def swatch(j: int, colour: str, paper: str) -> str:
    """Lane j's colour, dash and marker as a small picture, as the lines in the figure have them."""
    dash = {"solid": "none", "dashed": "6 3", "dotdash": "2 3 6 3", "dotted": "2 3"}[DASHES[j]]
    marker = {
        "circle": "<circle cx='18' cy='7' r='4'/>",
        "square": "<rect x='14' y='3' width='8' height='8'/>",
        "triangle": "<path d='M18 2 L22.5 10.5 L13.5 10.5 Z'/>",
        "diamond": "<path d='M18 1.5 L22.5 7 L18 12.5 L13.5 7 Z'/>",
    }[MARKERS[j]]
    return (
        f"<svg width='36' height='14' role='img' aria-label='{DASHES[j]} line, {MARKERS[j]}s' fill='{paper}' "
        f"stroke='{colour}' stroke-width='2'><path d='M0 7 H36' stroke-dasharray='{dash}'/>{marker}</svg>"
    )


def standings(lanes: list[Lane], theme: Theme) -> str:
    """The table of where every learner stands, each with its line's picture; every text is escaped."""
    columns = table(lanes)
    head = "".join(f"<th scope='col'>{escape(name)}</th>" for name in columns)
    rows = "".join(
        f"<tr><td>{swatch(j, hues(theme)[j], theme.background)}</td>"
        + "".join(f"<td>{escape(number(values[j]))}</td>" for values in columns.values())
        + "</tr>"
        for j in range(len(lanes))
    )
    return (
        "<div class='wide' tabindex='0' role='region' aria-label='Standings'>"
        "<table class='standings'><caption>Standings</caption>"
        f"<thead><tr><th scope='col'>line</th>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


LEFT = """
:host { flex: 0 0 auto; }
.wide { overflow-x: auto; }
.standings { font-size: var(--type-small, 14px); }
.standings td, .standings th { text-align: left; white-space: nowrap; }
"""


class RaceBounds(pn.viewable.Viewer):
    """The overlaid bounds and the standings."""

    title: ClassVar[str] = "Bounds side by side"
    name_key: ClassVar[str] = "race"
    help: ClassVar[str] = (
        "For each learner the best objective reached so far (thick, with markers) and, where it proves one, "
        "its lower "
        "bound (thin, once it is near). The optimum of all lies between the lowest thick and the highest "
        "thin line."
    )

    theme = param.Parameter(LIGHT)
    table_open = param.Boolean(False, doc="Whether the numbers behind the curves are shown.")
    standings_shown = param.Boolean(True, doc="The table of who stands where, below the picture.")
    moment = param.Number(None, allow_None=True, doc="The moment of the race that is looked at.")
    clicked = param.Number(None, allow_None=True, doc="The moment that was clicked last.")
    log_objective = param.Boolean(
        True, doc="Logarithmic vertical axis: halving takes the same room everywhere."
    )
    log_clock = param.Boolean(
        False, doc="Logarithmic horizontal axis: shows the start, where learners differ most."
    )

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.lanes: list[Lane] = []
        self.clock = "oracle calls"
        empty = {"x": [], "primal": [], "dual": [], "name": []}
        self.sources = [(ColumnDataSource(empty), ColumnDataSource({"x": [], "primal": []})) for _ in MARKERS]
        self.drawn: dict[tuple[bool, bool], Drawn] = {}
        self.pane = pn.pane.Bokeh(self._plot(), sizing_mode="stretch_both", min_height=200, margin=0)
        self.figures = [self.pane.object]
        words = {"sizing_mode": "stretch_width", "margin": (0, 8), "stylesheets": [TEXT, LEFT]}
        self.words = pn.pane.HTML("", css_classes=["view-sentence"], **words)
        self.standings = pn.pane.HTML("", visible=self.standings_shown, **words)
        self.numbers = NumbersSheet()
        self.param.watch(lambda *_: self.recolour(self.theme), "theme")
        self.param.watch(lambda e: self.standings.param.update(visible=e.new), "standings_shown")
        self.param.watch(lambda *_: self._list(), "table_open")
        self.param.watch(lambda *_: self._mark(), "moment")
        self.param.watch(lambda *_: self._switch(), ["log_objective", "log_clock"])

    def _plot(self) -> Any:
        """The figure of the chosen scales, made when it is first asked for."""
        scales = self.log_objective, self.log_clock
        if scales not in self.drawn:
            self.drawn[scales] = drawn = Drawn(self.sources, *scales)
            drawn.plot.on_event("tap", lambda event: self.param.update(clicked=event.x))
            drawn.cursor.location = self.moment
            drawn.recolour(self.theme)
            drawn.name(self.lanes, self.clock)
            drawn.blank(lane.primal for lane in self.lanes)
        return self.drawn[scales].plot

    def _switch(self) -> None:
        self.pane.object = self._plot()

    def close(self) -> None:
        """Nothing is listened to."""

    def show(self, lanes: list[Lane], clock: str) -> None:
        """Put the lanes into the sources; curves without a learner are emptied."""
        for j, (curves, few) in enumerate(self.sources):
            one = lanes[j] if j < len(lanes) else NOBODY
            fill(curves, *columns(one).values())
            fill(few, *marker_points(one).values())
        renamed = (clock, [one.name for one in lanes]) != (self.clock, [one.name for one in self.lanes])
        self.lanes, self.clock = lanes, clock
        for drawn in self.drawn.values():
            drawn.blank(lane.primal for lane in lanes)
            if renamed:
                drawn.name(lanes, clock)
        self.words.object = f"<p role='status' aria-live='polite'>{escape(sentence(lanes))}</p>"
        self._stand()
        self._list()

    def _mark(self) -> None:
        """Draw the cursor at the moment that is looked at."""
        for drawn in self.drawn.values():
            drawn.cursor.location = self.moment

    def _list(self) -> None:
        """The numbers behind the curves, when they are asked for."""
        if not self.table_open:
            self.numbers.hide()
            return
        rows = [
            (by_name(lane.name).title, *row)
            for lane in self.lanes
            for row in zip(lane.x, lane.primal, lane.dual, strict=True)
        ]
        names = ("learner", self.clock, "objective", "lower bound")
        self.numbers.show({name: [row[k] for row in rows] for k, name in enumerate(names)}, self.title)

    def _stand(self) -> None:
        self.standings.object = standings(self.lanes, self.theme) if self.lanes else ""

    def recolour(self, theme: Theme) -> None:
        """Dress the figures and the standings in a theme."""
        for drawn in self.drawn.values():
            drawn.recolour(theme)
        self.numbers.recolour(theme)
        self._stand()

    def __panel__(self) -> Any:
        picture = self.numbers.over(self.pane)
        return pn.Column(self.words, picture, self.standings, sizing_mode="stretch_both", margin=0)


class Drawn:
    """One figure of all lanes, with its own scales; figures share the lanes' sources."""

    def __init__(self, sources: list[tuple[Any, Any]], log_objective: bool, log_clock: bool) -> None:
        self.plot = figure(
            x_axis_type="log" if log_clock else "linear",
            y_axis_type="log" if log_objective else "linear",
            sizing_mode="stretch_both",
            min_height=200,
            toolbar_location=None,
            tools="pan,box_zoom,reset",
            y_axis_label="objective",
            min_border_right=24,
        )
        for axis, log, most in ((self.plot.yaxis, log_objective, 7), (self.plot.xaxis, log_clock, 9)):
            readable(axis, log, most)
        self.blank = blank(self.plot)
        self.lines = [self._lane(*pair, j) for j, pair in enumerate(sources)]
        self.signs = [[sign(self.plot, upper), sign(self.plot, dots)] for upper, _, dots in self.lines]
        self.legend = Legend(items=[], orientation="horizontal", location="left", ncols=2)
        self.plot.add_layout(self.legend, "above")
        self.cursor = Span(dimension="height", line_width=2)
        self.plot.add_layout(self.cursor)
        tips = [("learner", "@name"), ("objective", "@primal{0.0000}"), ("lower bound", "@dual{0.0000}")]
        self.plot.add_tools(HoverTool(renderers=[upper for upper, *_ in self.lines], tooltips=tips))

    def _lane(self, curves: Any, few: Any, j: int) -> tuple[Any, Any, Any]:
        """Upper line, lower line and markers of one learner; lines share a source."""
        upper = self.plot.line("x", "primal", source=curves, line_dash=DASHES[j])
        lower = self.plot.line("x", "dual", source=curves, line_dash=DASHES[j], line_alpha=0.8)
        dots = self.plot.scatter("x", "primal", source=few, size=8, marker=MARKERS[j])
        return upper, lower, dots

    def name(self, lanes: list[Lane], clock: str) -> None:
        """Give the legend one entry per learner, and the horizontal axis its name."""
        self.plot.xaxis.axis_label = clock
        self.legend.items = [
            LegendItem(label=by_name(one.name).title, renderers=signs)
            for one, signs in zip(lanes, self.signs, strict=False)
        ]

    def recolour(self, theme: Theme) -> None:
        """Dress the figure in a theme."""
        restyle(self.plot, theme)
        self.cursor.line_color = theme.accent
        for colour, (upper, lower, dots) in zip(hues(theme), self.lines, strict=True):
            upper.glyph.line_color = lower.glyph.line_color = dots.glyph.line_color = colour
            dots.glyph.fill_color = theme.background
            upper.glyph.line_width, lower.glyph.line_width = theme.line, theme.line / 2


def hues(theme: Theme) -> tuple[str, ...]:
    """One colour per lane."""
    return theme.lanes


def columns(one: Lane) -> dict[str, Any]:
    """What a lane's lines are drawn from."""
    title = by_name(one.name).title if one.name else ""
    return {"x": one.x, "primal": one.primal, "dual": one.dual, "name": [title] * len(one.x)}


def marker_points(one: Lane) -> dict[str, Any]:
    """The few points of a lane that get a marker."""
    few = (
        np.unique(np.linspace(0, len(one.x) - 1, MOST_MARKERS).astype(int))
        if len(one.x)
        else np.zeros(0, int)
    )
    return {"x": one.x[few], "primal": one.primal[few]}


__all__ = ["RaceBounds", "standings"]
