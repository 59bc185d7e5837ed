"""Viterbi's trellis of one example: time across, states down, three paths, and the recursion cell by cell.

Truth, prediction and most violated labelling have a colour, a dash and a marker each; columns in which the
prediction is wrong are hatched. Strong nodes are large, strong edges wide. A long sequence shows a window, and
a strip above it shows the whole. A click picks a node, whose score can then be changed to see the paths flip;
nothing of that reaches the run. Sizes in pixels follow what the browser reports about the figure.
"""

from html import escape
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import panel as pn
import panel_material_ui as pmui
import param
from bokeh.models import (
    AllLabels,
    BoxAnnotation,
    ColorBar,
    ColumnDataSource,
    FixedTicker,
    HoverTool,
    Legend,
    LegendItem,
    LinearColorMapper,
    NoOverlap,
    Range1d,
)
from bokeh.plotting import figure

from explorer.engine.protocols import Refused
from explorer.views import trellis_frame as numbers
from explorer.views.theme import Theme
from explorer.views.trellis_frame import MOST_EDGES, WINDOW, Cell, Frame
from explorer.views.view import View, unlocked

PATHS = {
    "truth": ("truth", "square"),
    "guess": ("predicted", "circle"),
    "rival": ("most violated", "triangle"),
}
"""Of each path its name in the legend and its marker."""

EXTRA = {"k best": "ranks", "wrong": "wrong"}
"""Entries of the legend that are there only when there is something to explain, and what they explain."""

SOURCES = {
    "wrong": "x",
    "edges": "x0 y0 x1 y1 width alpha",
    "ranks": "xs ys width",
    "kept": "x0 y0 x1 y1",
    "tried": "x0 y0 x1 y1 width",
    "found": "x y",
    "truth": "x y line",
    "guess": "x y line",
    "rival": "x y line",
    "nodes": "x y size value alpha state score price",
    "now": "x y size",
    "picked": "x y size",
    "notes": "x y text anchor style dx dy",
    "whole": "x truth guess",
    "ticks": "x",
}
"""The columns of every source."""

MOST_TICKS = 1000
"""The overview strip has so many columns at most."""

SLANT = 0.6
"""Radians by which words on the axis are turned when they would overlap."""

TYPE = {"fontSize": "13.5px"}
FIELD = {
    "& input": TYPE | {"padding": "6px 0", "textAlign": "center"},
    "& .MuiInputBase-root": {"height": "33px"},
    "& .MuiInputLabel-root": TYPE,
    "& .MuiInputAdornment-root": {"margin": 0},
    "& .MuiInputAdornment-root button": {"padding": "3px"},
    "& .MuiInputAdornment-root svg": {"fontSize": "16px"},
}
NO_SPINNER = {"& .MuiInputAdornment-root": {"display": "none"}}
SLIDER = {"& .MuiFormLabel-root": TYPE | {"lineHeight": 1.3}, "& .MuiSlider-root": {"padding": "6px 0"}}
BADGE = """
p { margin: 0; font-size: 0.85rem }
mark { color: inherit; background: none; border: 1px solid; border-radius: 8px; padding: 0 6px }
"""
LIST = """
:host { max-height: 4.8rem; overflow-y: auto }
ol { columns: 165px; margin: 2px 0; padding-left: 24px; font-size: 0.82rem; line-height: 1.35 }
"""


def blend(a: str, b: str, share: float) -> str:
    """The colour that lies `share` of the way from a to b."""
    pairs = [(int(a[i : i + 2], 16), int(b[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(x + share * (y - x)):02x}" for x, y in pairs)


def ramp(*colours: str) -> list[str]:
    """A palette of 32 colours from each colour to the next."""
    return [blend(a, b, i / 31) for a, b in pairwise(colours) for i in range(32)]


def _nothing(name: str) -> dict[str, list[Any]]:
    return {column: [] for column in SOURCES[name].split()}


class Trellis(View):
    """Viterbi's trellis."""

    title: ClassVar[str] = "Trellis"
    name_key: ClassVar[str] = "trellis"
    help: ClassVar[str] = (
        "Every path from left to right is a labelling; its score is the sum of its nodes and edges. Viterbi finds "
        "the best one column by column: play it, or click a node and change its score to see the path flip."
    )

    k_best = param.Integer(0, bounds=(0, 10), label="k best", doc="How many of the best paths are drawn.")
    min_marginals = param.Boolean(False, doc="Colour a node by what it costs to force the path through it.")
    with_loss = param.Boolean(False, doc="Add the loss to the nodes: the best path is then the most violated.")
    window = param.Integer(0, bounds=(0, None), label="From position", doc="The first position shown.")
    cell = param.Integer(-1, bounds=(-1, None), doc="The move of the recursion that is shown; -1 is off.")
    speed = param.Number(2.0, bounds=(0.5, 20.0), label="Cells a second", doc="How fast the recursion plays.")
    playing = param.Boolean(False, doc="Whether the recursion plays by itself.")
    picked = param.Parameter(None, doc="The node (t, s) whose score can be changed.")
    edits = param.Dict({}, doc="What is added to the scores of nodes (t, s).")

    # building --------------------------------------------------------------------------------------------------

    def build(self) -> Any:
        self._timer: Any = None
        self._seen: Frame | None = None
        self._ranged: Any = None
        self._dress: Any = None
        self._shows = (self.session.problem, self.session.example)
        self.room = {"inner_width": 480, "inner_height": 150}
        self.sources = {name: ColumnDataSource(_nothing(name)) for name in SOURCES}
        self.glyphs: dict[str, Any] = {}
        self.plot, self.strip = self._figure(), self._overview()
        self.figures += [self.plot, self.strip]
        self.plot.on_change("inner_width", self._resized)
        self.plot.on_change("inner_height", self._resized)
        bar, self.what_if = self._controls(), self._editor()
        strip = pn.pane.Bokeh(self.strip, sizing_mode="stretch_width", height=48, margin=0)
        wide = {"sizing_mode": "stretch_width", "visible": False}
        self.map = pn.Row(self.first, strip, margin=(0, 4), **wide)
        self.list = pn.pane.HTML("", margin=(0, 8), stylesheets=[LIST], **wide)
        pane = pn.pane.Bokeh(self.plot, sizing_mode="stretch_both", min_height=130, margin=0)
        redrawn = ["k_best", "min_marginals", "with_loss", "window", "cell", "picked", "edits"]
        self.param.watch(lambda *_: self.refresh(), redrawn)
        self.param.watch(self._clock, ["playing", "speed"])
        return pn.Column(bar, self.what_if, self.map, pane, self.list, sizing_mode="stretch_both", margin=0)

    def _figure(self) -> Any:
        plot = figure(
            sizing_mode="stretch_both", tools="", toolbar_location=None, min_border=2, min_height=130,
            x_range=Range1d(-0.5, 0.5), y_range=Range1d(0.5, -0.5), y_axis_label="state",
        )  # fmt: skip
        plot.grid.visible = False
        self.policies = {True: AllLabels(), False: NoOverlap(min_distance=3)}
        for axis in (plot.xaxis[0], plot.yaxis[0]):
            axis.ticker, axis.major_label_policy = FixedTicker(ticks=[]), self.policies[False]
            axis.axis_label_standoff, axis.major_label_standoff = 2, 3
        self.mapper = LinearColorMapper(palette=["#000000"], low=-1, high=1)
        self.bar = ColorBar(color_mapper=self.mapper, width=8, margin=2, padding=4, label_standoff=4)
        plot.add_layout(self.bar, "right")
        self._draw_edges(plot)
        self._draw_nodes(plot)
        pairs = [(name, [self.glyphs[key], self.glyphs[key + " marks"]]) for key, (name, _) in PATHS.items()]
        self.items = {key: LegendItem(label=key, renderers=[self.glyphs[g]]) for key, g in EXTRA.items()}
        items = [*(LegendItem(label=name, renderers=both) for name, both in pairs), *self.items.values()]
        self.legend = Legend(items=items, orientation="horizontal", glyph_width=36, location="left")
        plot.add_layout(self.legend, "above")
        self.on_tap(plot, self._tapped)
        return plot

    def _draw_edges(self, plot: Any) -> None:
        at = ("x0", "y0", "x1", "y1")
        draw, of = self.glyphs, self.sources
        draw["wrong"] = plot.vbar("x", 0.9, source=of["wrong"], hatch_pattern="right_diagonal_line")
        draw["wrong"].glyph.update(line_color=None, fill_alpha=0.08, hatch_alpha=0.25, hatch_scale=10)
        draw["edges"] = plot.segment(*at, line_width="width", line_alpha="alpha", source=of["edges"])
        draw["ranks"] = plot.multi_line("xs", "ys", line_width="width", source=of["ranks"])
        draw["kept"] = plot.segment(*at, source=of["kept"])
        draw["tried"] = plot.segment(*at, line_width="width", line_dash="dotted", source=of["tried"])
        draw["found"] = plot.line("x", "y", source=of["found"])
        for name in PATHS:
            draw[name] = plot.line("x", "line", source=of[name])

    def _draw_nodes(self, plot: Any) -> None:
        draw, of = self.glyphs, self.sources
        fade = {"fill_alpha": "alpha", "line_alpha": "alpha"}
        colour = {"field": "value", "transform": self.mapper}
        draw["nodes"] = plot.scatter("x", "y", size="size", fill_color=colour, source=of["nodes"], **fade)
        for name, (_, marker) in PATHS.items():
            draw[name + " marks"] = plot.scatter("x", "y", marker=marker, fill_color=None, source=of[name])
        for name, marker in (("now", "circle"), ("picked", "diamond")):
            ring = {"size": "size", "marker": marker, "fill_color": None}
            draw[name] = plot.scatter("x", "y", source=of[name], **ring)
        draw["notes"] = plot.text(
            "x", "y", "text", anchor="anchor", text_font_style="style", x_offset="dx", y_offset="dy", padding=1,
            background_fill_alpha=0.8, source=of["notes"],
        )  # fmt: skip
        scores = [("score", "@score{0.0000}"), ("min-marginal", "@price{0.0000}")]
        tips = [("position", "@x"), ("state", "@state"), *scores]
        plot.add_tools(HoverTool(renderers=[draw["nodes"]], tooltips=tips))

    def _overview(self) -> Any:
        strip = figure(
            sizing_mode="stretch_width", height=48, tools="", toolbar_location=None, x_range=Range1d(-0.5, 0.5),
            y_range=Range1d(1.3, -0.7), min_border=0, min_border_left=8, min_border_right=8,
        )  # fmt: skip
        strip.grid.visible = strip.yaxis.visible = False
        strip.xaxis.ticker.desired_num_ticks = 12
        strip.xaxis.major_label_policy = NoOverlap(min_distance=6)
        for name in ("truth", "guess"):
            self.glyphs[name + " strip"] = strip.step("x", name, source=self.sources["whole"], mode="center")
        self.glyphs["guess strip"].glyph.line_dash = "dashed"
        ticks = strip.scatter("x", -0.35, marker="inverted_triangle", size=6, source=self.sources["ticks"])
        self.glyphs["ticks"] = ticks
        self.box = BoxAnnotation(left=0, right=1, editable=True, movable="x", resizable="none", fill_alpha=0.15)
        strip.add_layout(self.box)
        self.box.on_change("left", self._dragged)
        self.on_tap(strip, lambda x, y: self._go(x))
        return strip

    def _controls(self) -> Any:
        def icon(name: str, label: str, act: Any) -> Any:
            # A tooltip covers the neighbours: it comes late.
            late = {"description": label, "description_delay": 1500}
            button = pmui.IconButton(icon=name, icon_size="21px", size="small", margin=0, **late)
            button.on_click(lambda _: act())
            return button

        def word(label: str, act: Any) -> Any:
            button = pmui.Button(label=label, variant="text", **flat)
            button.on_click(lambda _: act())
            return button

        field = {"size": "small", "margin": (4, 2), "description": "", "sx": FIELD}
        tight = TYPE | {"padding": "3px 5px", "minWidth": 0, "textTransform": "none"}
        flat = {"size": "small", "margin": (4, 2), "sx": tight, "description_delay": 1500}
        session = self.session
        self.chooser = pmui.IntInput(label="Example", start=0, width=80, **(field | {"sx": FIELD | NO_SPINNER}))
        self.chooser.param.watch(lambda event: self._choose(event.new), ["value"])
        self.ranks = pmui.IntInput.from_param(self.param.k_best, width=82, **field)
        self.first = pmui.IntInput.from_param(self.param.window, step=5, width=112, **field)
        self.pace = pmui.FloatInput.from_param(self.param.speed, step=0.5, width=118, **field)
        self.prices = pmui.Toggle.from_param(self.param.min_marginals, label="Min-marginals", **flat)
        self.play_button, self.off_button = word("Play cells", self.play), word("End", self.stop)
        parts = [
            icon("chevron_left", "Previous example", lambda: self._choose(session.example - 1)),
            self.chooser,
            icon("chevron_right", "Next example", lambda: self._choose(session.example + 1)),
            self.ranks,
            self.prices,
            pmui.Toggle.from_param(self.param.with_loss, label="With loss", **flat),
            self.play_button,
            word("Next cell", self.step_cell),
            self.off_button,
            self.pace,
        ]
        return pn.FlexBox(*parts, align_items="center", sizing_mode="stretch_width", margin=(0, 4))

    def _editor(self) -> Any:
        """The row that changes the score of the picked node."""
        self.about = pn.pane.HTML("", margin=(4, 6), stylesheets=[BADGE])
        self.adjust = pmui.FloatSlider(label="Add to score", width=190, size="small", margin=(2, 14), sx=SLIDER)
        self.adjust.param.watch(lambda event: self._edit(event.new), ["value"])
        self.undo = pmui.IconButton(
            icon="restart_alt", description="Take all changes back", description_delay=1500, icon_size="21px",
            size="small", margin=0,
        )  # fmt: skip
        self.undo.on_click(lambda _: self.reset_edits())
        parts = (self.adjust, self.undo, self.about)
        wide = {"sizing_mode": "stretch_width", "visible": False}
        return pn.FlexBox(*parts, align_items="center", margin=(0, 4), **wide)

    # acting ----------------------------------------------------------------------------------------------------

    def _choose(self, example: int | None) -> None:
        if example is not None:
            self.session.example = min(max(0, example), max(0, self.session.problem.n - 1))

    def _tapped(self, x: float, y: float) -> None:
        """Pick the node under a click, or let go of it; while the recursion is shown, go to that cell."""
        length, states = self._seen.shown.unary.shape if self._seen else (0, 0)
        node = (round(x), round(y))
        if not (0 <= node[0] < length and 0 <= node[1] < states):
            return
        if self.cell >= 0:
            self.cell = node[0] * states + node[1]
        else:
            self.picked = None if self.picked == node else node

    def _edit(self, delta: float | None) -> None:
        if self.picked is None or delta is None or delta == self.edits.get(self.picked, 0.0):
            return
        others = {node: value for node, value in self.edits.items() if node != self.picked}
        self.edits = others | ({self.picked: float(delta)} if delta else {})

    def reset_edits(self) -> None:
        """Take all what-if changes back."""
        self.edits = {}

    def _go(self, x: float) -> None:
        """Put the middle of the window at x."""
        self._begin(round(x) - WINDOW // 2)

    def _dragged(self, attr: str, old: Any, new: Any) -> None:
        if isinstance(new, int | float):
            self._begin(round(new + 0.5))

    def _begin(self, position: int) -> None:
        last = self._seen.length - WINDOW if self._seen else 0
        self.window = max(0, min(position, last))

    def _last(self) -> int:
        return numbers.cells(self._seen) - 1 if self._seen else -1

    def play(self) -> None:
        """Play the recursion, from the start when it is off or through; when it plays, pause."""
        if not self.playing and self.cell in (-1, self._last()):
            self.cell = min(0, self._last())
        self.playing = not self.playing

    def stop(self) -> None:
        """Leave the recursion."""
        self.param.update(playing=False, cell=-1)

    def step_cell(self) -> None:
        """Show the next move of the recursion; the last one ends the playing."""
        self.cell = min(self.cell + 1, self._last())
        if self.cell == self._last():
            self.playing = False

    def _clock(self, *_: Any) -> None:
        """Start or stop the timer, at the chosen speed."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        if self.playing:
            self._timer = pn.state.add_periodic_callback(self.step_cell, period=round(1000 / self.speed))
        self.play_button.label = "Pause" if self.playing else "Play cells"

    def close(self) -> None:
        """Stop the clock and stop listening to the session."""
        self.playing = False
        super().close()

    def _resized(self, attr: str, old: Any, new: Any) -> None:
        if new:
            self.room[attr] = new
            self.refresh()

    # showing ---------------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Draw the current step; another example or problem starts without edits and without recursion."""
        if unlocked():
            pn.state.execute(self.refresh, schedule=True)
            return
        shows = (self.session.problem, self.session.example)
        if shows[0] is not self._shows[0] or shows[1] != self._shows[1]:
            self._shows = shows
            self.param.update(edits={}, picked=None, cell=-1, window=0, playing=False)
        if not self.active:
            self.playing = False
        super().refresh()

    def frame(self) -> Frame:
        session = self.session
        try:
            self._seen = numbers.frame(
                session.problem, session.trace, session.cursor, session.example, edits=self.edits, k=self.k_best,
                with_loss=self.with_loss, window=self.window, cell=self.cell, phase=session.phase,
            )  # fmt: skip
        except Refused:
            self._seen, self.body.visible = None, False
            raise
        self.body.visible = True
        return self._seen

    def sentence(self, shown: Frame) -> str:
        told = numbers.sentence(shown)
        return f"{told} {shown.no_loss_because}" if self.with_loss and shown.no_loss_because else told

    def table(self, shown: Frame) -> dict[str, Any]:
        return numbers.table(shown)

    def show(self, shown: Frame) -> None:
        # Pixels of a row and a column: what the browser told, or as little as we promise to fit into.
        self.row = self.room["inner_height"] / (len(shown.states) + 0.4)
        self.column = self.room["inner_width"] / (shown.hi - shown.lo)
        self.mark = min(32.0, 0.86 * self.column, 1.3 * self.row)
        self.node = max(5.0, min(0.8 * self.row, self.mark - 2.4 * self.theme.line))
        self._show_axes(shown)
        self._show_nodes(shown)
        self._show_edges(shown)
        self._show_paths(shown)
        self._show_recursion(shown, numbers.current(shown))
        self._show_overview(shown)
        self._show_controls(shown)
        self._show_editor(shown)
        self._dress_up(shown)

    def _fill(self, name: str, *columns: Any) -> None:
        self.sources[name].data = dict(zip(SOURCES[name].split(), columns, strict=True))

    def _show_axes(self, shown: Frame) -> None:
        plot, K = self.plot, len(shown.states)
        # The sums of a cell stand left of their column: the first one needs room for them.
        room = (3.6 * self.theme.font + self.node / 2 + 6) / self.column if shown.cell >= 0 else 0.0
        plot.x_range.update(start=shown.lo - max(0.5, room), end=shown.hi - 0.5)
        plot.y_range.update(start=K - 0.3, end=-0.7)
        plot.yaxis.ticker.ticks = list(range(K))
        plot.yaxis.major_label_overrides = dict(enumerate(shown.states))
        plot.xaxis.ticker.ticks = list(range(shown.lo, shown.hi))
        words = shown.tokens[shown.lo : shown.hi]
        plot.xaxis.major_label_overrides = dict(enumerate(words, shown.lo))
        plot.xaxis.axis_label = None if words else "position"
        letters = max((len(word) + 1 for word in words), default=0)
        slanted = letters * 0.6 * self.theme.font > self.column
        fits = slanted and self.column * np.sin(SLANT) > 1.1 * self.theme.font
        plot.xaxis.major_label_orientation = SLANT if slanted else "horizontal"
        plot.xaxis.major_label_policy = self.policies[bool(fits)]

    def _show_nodes(self, shown: Frame) -> None:
        states, part = len(shown.states), slice(shown.lo, shown.hi)
        t, s = (a.ravel() for a in np.mgrid[part, 0:states])
        score, price = shown.shown.unary[part].ravel(), shown.price[part].ravel()
        value = price if self.min_marginals else score
        reached = t * states + s <= shown.cell if shown.cell >= 0 else np.ones(len(t), bool)
        size = self.node * (0.4 + 0.6 * numbers.strengths(value))
        names = [shown.states[i] for i in s]
        self._fill("nodes", t, s, size, value, np.where(reached, 1.0, 0.25), names, score, price)
        wrong = [t for t in shown.wrong if shown.lo <= t < shown.hi and shown.cell < 0]
        self._fill("wrong", wrong)
        self.glyphs["wrong"].glyph.update(bottom=-0.7, top=states - 0.3)
        self.items["wrong"].visible = bool(wrong)
        reach = float(np.abs(value[np.isfinite(value)]).max(initial=0.0)) or 1.0
        self.mapper.update(low=-reach, high=0.0 if self.min_marginals else reach)

    def _show_edges(self, shown: Frame) -> None:
        found = numbers.edges(shown, self.min_marginals, MOST_EDGES if shown.cell < 0 else 0)
        power = numbers.strengths(found["value"]) ** 2
        # A few edges may all be seen; many would turn the picture grey.
        faintest = min(0.35, 0.05 + 1.2 / len(shown.states) ** 2)
        width, alpha = 0.3 + 3.2 * power, faintest + 0.34 * power
        self._fill("edges", found["t"] - 1, found["from"], found["t"], found["to"], width, alpha)

    def _show_paths(self, shown: Frame) -> None:
        t = np.arange(shown.lo, shown.hi)
        side = (self.theme.line + 0.5) / self.row
        for name, shift in (("truth", 0.0), ("guess", -side), ("rival", side)):
            path = getattr(shown, name)[t]
            self._fill(name, t, path, path + shift)
        others = shown.paths[:, t].astype(float) if shown.cell < 0 else np.zeros((0, len(t)))
        width = self.theme.line * (0.9 - 0.05 * np.arange(len(others)))
        self._fill("ranks", [t] * len(others), list(others), width)
        self.items["k best"].visible = len(others) > 0

    def _show_recursion(self, shown: Frame, now: Cell | None) -> None:
        kept = numbers.survivors(shown)
        self._fill("kept", kept["t"] - 1, kept["from"], kept["t"], kept["to"])
        self._fill("now", *(([now.t], [now.s], [self.node + 10]) if now else ([], [], [])))
        tried = np.arange(len(now.options) if now and not now.back else 0)
        if now and len(tried):
            width = np.where(tried == now.origin, 2.0, 1.0) * self.theme.line
            before, here, into = (np.full(len(tried), v) for v in (now.t - 1, now.t, now.s))
            self._fill("tried", before, tried, here, into, width)
        else:
            self.sources["tried"].data = _nothing("tried")
        back = np.arange(max(now.t, shown.lo), shown.hi) if now and now.back else np.zeros(0, int)
        self._fill("found", back, numbers.best_path(shown)[back])
        notes = self._sums(shown, now) if now else self._changes(shown)
        self._fill("notes", *(zip(*notes, strict=True) if notes else [[]] * 7))

    def _sums(self, shown: Frame, now: Cell) -> list[tuple[Any, ...]]:
        """The sums that the cell chooses from, best first, as long as they do not overlap, and its own value."""
        digits, apart = numbers.decimals(shown), 1.15 * self.theme.font / self.row
        notes: list[tuple[Any, ...]] = []
        for a in np.argsort(-now.options, kind="stable"):
            if all(abs(a - note[1]) >= apart for note in notes):
                text, style = f"{now.options[a]:.{digits}f}", "normal" if notes else "bold"
                x = now.t if now.back else now.t - 1
                notes.append((x, int(a), text, "center_right", style, -self.node / 2 - 4, 0))
        if not now.back:
            value = f"{shown.chi[now.t, now.s]:.{digits}f}"
            notes.append((now.t, now.s, value, "center_left", "bold", self.node / 2 + 8, 0))
        return notes

    def _changes(self, shown: Frame) -> list[tuple[Any, ...]]:
        """What was added to the nodes in the window."""
        inside = [(t, s, delta) for (t, s), delta in shown.edits.items() if shown.lo <= t < shown.hi]
        return [(t, s, f"{d:+.4g}", "center_left", "bold", self.mark / 2 + 6, 0) for t, s, d in inside]

    def _show_overview(self, shown: Frame) -> None:
        self.map.visible = shown.long
        if not shown.long:
            return
        top = max(1, len(shown.states) - 1)
        t = np.unique(np.linspace(0, shown.length - 1, min(shown.length, MOST_TICKS)).astype(int))
        self._fill("whole", t, shown.truth[t] / top, shown.guess[t] / top)
        width = -(-shown.length // MOST_TICKS)
        self._fill("ticks", np.unique(shown.wrong // width * width))
        self.strip.x_range.update(start=-0.5, end=shown.length - 0.5)
        # A box that is being dragged lies between two positions: leave it there.
        if round(self.box.left + 0.5) != shown.lo or self.box.right != self.box.left + WINDOW:
            self.box.update(left=shown.lo - 0.5, right=shown.hi - 0.5)

    def _show_controls(self, shown: Frame) -> None:
        self.chooser.param.update(end=shown.examples - 1, value=shown.example)
        self.first.end = max(1, shown.length - WINDOW)
        if shown.lo != self.window:
            self.window = shown.lo
        plays = shown.cell >= 0
        self.off_button.visible = self.pace.visible = plays
        self.ranks.visible = self.prices.visible = not plays
        self.list.visible = bool(len(shown.paths)) and not plays
        self.list.object = "<ol>" + "".join(f"<li>{escape(row)}</li>" for row in numbers.ranking(shown)) + "</ol>"

    def _show_editor(self, shown: Frame) -> None:
        node, plays = self.picked, shown.cell >= 0
        self.what_if.visible = not plays and (node is not None or bool(shown.edits))
        self.adjust.visible = node is not None
        self.undo.disabled = not shown.edits
        badge = f" <mark>{len(shown.edits)} changed</mark>" if shown.edits else ""
        if node is None:
            self._ranged = None
            self.about.object = f"<p>Click a node to change its score.{badge}</p>"
            self._fill("picked", [], [], [])
            return
        self._fill("picked", [node[0]], [node[1]], [self.mark + 8])
        digits, far = numbers.decimals(shown), -float(shown.price[node])
        name = f"<b>{escape(numbers.quoted(shown, node[1]))} at {node[0]}</b>"
        where = f"{far:.{digits}f} below the best" if far > 0 else "on a best path"
        self.about.object = f"<p>{name}: {shown.shown.unary[node]:.{digits}f}, {where}{badge}</p>"
        if self._ranged != node:
            largest = float(np.abs(shown.price[np.isfinite(shown.price)]).max(initial=0.0))
            reach = max(1.0, float(np.ceil(2 * largest)), abs(shown.edits.get(node, 0.0)))
            self.adjust.param.update(start=-reach, end=reach, step=reach / 100)
            self._ranged = node
        self.adjust.value = shown.edits.get(node, 0.0)

    # dressing --------------------------------------------------------------------------------------------------

    def _dress_up(self, shown: Frame) -> None:
        """Colour scale, sizes and which path stands out: the most violated one while a step looks for it."""
        line, searching, plays = self.theme.line, shown.phase >= 1, shown.cell >= 0
        dress = (self.theme, self.min_marginals, searching, plays, self.node, self.mark)
        if dress == self._dress:
            return
        self._dress, theme = dress, self.theme
        scale = ("min-marginal", theme.background, theme.accent) if self.min_marginals else None
        title, *colours = scale or ("score", theme.low, theme.background, theme.high)
        self.bar.title, self.mapper.palette = title, ramp(*colours)
        self.legend.spacing = theme.font
        width = {"truth": 2.2 * line, "guess": line, "rival": 1.8 * line if searching else line}
        alpha = {"truth": 0.3 if searching else 0.45, "guess": 0.4 if searching else 1.0, "rival": 1.0}
        dash = {"truth": [], "guess": [3, 2], "rival": [1, 1.6]}
        # Square around ring around triangle: all three can be told on one node.
        inner = max(5.0, (0.7 if searching else 0.5) * self.node)
        sizes = {"truth": self.mark, "guess": self.node, "rival": inner}
        for name in PATHS:
            seen = 0.12 if plays else alpha[name]
            pattern = [max(1, round(part * width[name])) for part in dash[name]]
            self.glyphs[name].glyph.update(line_width=width[name], line_alpha=seen, line_dash=pattern)
            self.glyphs[name + " marks"].glyph.update(line_alpha=seen**0.5, size=sizes[name])
        self.glyphs["rival marks"].glyph.fill_alpha = 0.12 if plays else 1.0

    def recolour(self, theme: Theme) -> None:
        draw, size = self.glyphs, f"{theme.font}px"
        for name in PATHS:
            colour = getattr(theme, name)
            draw[name].glyph.line_color = colour
            draw[name + " marks"].glyph.update(line_color=colour, line_width=theme.line)
        draw["rival marks"].glyph.update(fill_color=theme.background, line_width=0.75 * theme.line)
        for name in ("truth", "guess"):
            draw[name + " strip"].glyph.update(line_color=getattr(theme, name), line_width=theme.line / 2)
        draw["ticks"].glyph.update(line_color=theme.text, fill_color=theme.text)
        draw["wrong"].glyph.update(fill_color=theme.neutral, hatch_color=theme.text)
        for name, colour, width in (
            ("edges", theme.muted, None), ("kept", theme.muted, 0.75 * theme.line), ("ranks", theme.accent, None),
            ("tried", theme.accent, None), ("found", theme.accent, 2 * theme.line), ("nodes", theme.text, 1.0),
            ("now", theme.accent, 1.5 * theme.line), ("picked", theme.accent, 1.5 * theme.line),
        ):  # fmt: skip
            draw[name].glyph.line_color = colour
            if width is not None:
                draw[name].glyph.line_width = width
        draw["notes"].glyph.update(
            text_color=theme.text, text_font_size=size, background_fill_color=theme.background
        )  # fmt: skip
        self.bar.update(
            background_fill_color=theme.background, bar_line_color=theme.muted, title_text_color=theme.text,
            title_text_font_size=size, title_text_font_style="normal", major_label_text_color=theme.text,
            major_label_text_font_size=size,
        )  # fmt: skip
        self.box.update(fill_color=theme.accent, line_color=theme.accent)
        if self._seen is not None:
            self.refresh()
