"""Viterbi's trellis of one example: time across, states down, three paths on top, and the recursion cell by cell.

Truth, prediction and most violated labelling have a colour, a dash and a marker each; columns in which the prediction is
wrong are hatched. Strong nodes are large and strong edges wide. Long sequences show a window below an overview strip.
A click picks a node, whose score can then be changed to see the paths flip; nothing of that reaches the run.
"""

from html import escape
from typing import Any, ClassVar

import numpy as np
import panel as pn
import panel_material_ui as pmui
import param
from bokeh.models import (
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

from explorer.views.theme import Theme
from explorer.views.trellis_frame import (
    MOST_EDGES,
    WINDOW,
    Frame,
    cells,
    current,
    decimals,
    edges,
    frame,
    quoted,
    ranking,
    sentence,
    strengths,
    survivors,
    table,
)
from explorer.views.view import View

PATHS = {"truth": ("solid", "square"), "guess": ("dashed", "circle"), "rival": ("dotted", "triangle")}
NAMES = {"truth": "truth", "guess": "predicted", "rival": "most violated"}
EMPTY: dict[str, tuple[str, ...]] = {
    "wrong": ("x",),
    "edges": ("x0", "y0", "x1", "y1", "width", "alpha"),
    "kept": ("x0", "y0", "x1", "y1"),
    "tried": ("x0", "y0", "x1", "y1", "width"),
    "ranks": ("xs", "ys", "width"),
    "truth": ("x", "y", "line"),
    "guess": ("x", "y", "line"),
    "rival": ("x", "y", "line"),
    "nodes": ("x", "y", "size", "value", "alpha", "state", "score", "price"),
    "now": ("x", "y", "size"),
    "picked": ("x", "y", "size"),
    "notes": ("x", "y", "text", "side", "style"),
    "whole": ("x", "truth", "guess"),
    "ticks": ("x",),
}
"""The columns of every source."""

NO_SPINNER = {"& .MuiInputAdornment-root": {"display": "none"}, "& input": {"textAlign": "center"}}
"""An input that has buttons of its own on both sides."""

LIST_STYLE = "ol { columns: 190px; margin: 2px 0; padding-left: 24px; font-size: 0.82rem; line-height: 1.35 }"

MOST_TICKS = 1000
"""The overview strip has so many columns at most."""


def blend(a: str, b: str, share: float) -> str:
    """The colour that lies `share` of the way from a to b."""
    pairs = [(int(a[i : i + 2], 16), int(b[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(x + share * (y - x)):02x}" for x, y in pairs)


def ramp(*colours: str) -> list[str]:
    """A palette of 32 colours from each colour to the next."""
    return [blend(a, b, i / 31) for a, b in zip(colours, colours[1:], strict=False) for i in range(32)]


class Trellis(View):
    """Viterbi's trellis."""

    title: ClassVar[str] = "Trellis"
    name_key: ClassVar[str] = "trellis"
    help: ClassVar[str] = (
        "Every path from left to right is a labelling; its score is the sum of its nodes and edges. Viterbi finds the best "
        "one column by column: play it, or click a node and change its score to see the path flip."
    )

    k_best = param.Integer(0, bounds=(0, 10), label="k best", doc="How many of the best paths are drawn.")
    min_marginals = param.Boolean(False, doc="Colour nodes by what it costs to force the path through them.")
    with_loss = param.Boolean(
        False, doc="Add the loss to the nodes: the best path is then the most violated one."
    )
    window = param.Integer(0, bounds=(0, None), label="From position", doc="The first position shown.")
    cell = param.Integer(-1, bounds=(-1, None), doc="The move of the recursion that is shown; -1 is off.")
    speed = param.Number(2.0, bounds=(0.5, 20.0), label="Cells / second", doc="How fast the recursion plays.")
    playing = param.Boolean(False, doc="Whether the recursion plays by itself.")
    picked = param.Parameter(None, doc="The node (t, s) whose score can be changed.")
    edits = param.Dict({}, doc="What is added to the scores of nodes (t, s).")

    # building ----------------------------------------------------------------------------------------------------

    def build(self) -> Any:
        self._timer: Any = None
        self.room = {"inner_width": 480, "inner_height": 150}
        self._shows: tuple[Any, int] = (self.session.problem, self.session.example)
        self.sources = {name: ColumnDataSource({c: [] for c in columns}) for name, columns in EMPTY.items()}
        self.glyphs: dict[str, Any] = {}
        self.plot, self.strip = self._figure(), self._overview()
        self.figures += [self.plot, self.strip]
        strip = pn.pane.Bokeh(self.strip, sizing_mode="stretch_both", margin=0)
        self.map = pn.Column(strip, sizing_mode="stretch_width", height=48, margin=0, visible=False)
        self.pane = pn.pane.Bokeh(self.plot, sizing_mode="stretch_both", min_height=170, margin=0)
        self.list = pn.pane.HTML(
            "", visible=False, sizing_mode="stretch_width", margin=(0, 8), stylesheets=[LIST_STYLE]
        )  # fmt: skip
        bar, self.what_if = self._controls(), self._editor()
        own = ["k_best", "min_marginals", "with_loss", "window", "cell", "picked", "edits"]
        self.param.watch(lambda *_: self.refresh(), own)
        self.param.watch(self._clock, ["playing", "speed"])
        self.plot.on_change("inner_width", self._resized)
        self.plot.on_change("inner_height", self._resized)
        parts = (bar, self.what_if, self.map, self.pane, self.list)
        return pn.Column(*parts, sizing_mode="stretch_both", margin=0)

    def _figure(self) -> Any:
        plot = figure(
            sizing_mode="stretch_both", tools="", toolbar_location=None, x_axis_label="position", y_axis_label="state",
            x_range=Range1d(-0.5, 0.5), y_range=Range1d(0.5, -0.5), min_border=2,
        )  # fmt: skip
        plot.grid.visible = False
        for axis in (plot.xaxis[0], plot.yaxis[0]):
            axis.ticker, axis.major_label_policy = FixedTicker(ticks=[]), NoOverlap(min_distance=3)
            axis.axis_label_standoff, axis.major_label_standoff = 2, 3
        self.mapper = LinearColorMapper(palette=["#000000"], low=-1, high=1)
        self.bar = ColorBar(
            color_mapper=self.mapper, width=8, margin=2, padding=4, title="score", label_standoff=4
        )
        plot.add_layout(self.bar, "right")
        self._draw_edges(plot)
        self._draw_nodes(plot)
        items = [
            LegendItem(label=NAMES[p], renderers=[self.glyphs[p], self.glyphs[p + " marks"]]) for p in PATHS
        ]
        self.wrong_item = LegendItem(label="wrong", renderers=[self.glyphs["wrong"]])
        self.rank_item = LegendItem(label="k best", renderers=[self.glyphs["ranks"]])
        self.legend = Legend(
            items=[*items, self.rank_item, self.wrong_item],
            orientation="horizontal",
            glyph_width=40,
            location="left",
        )
        plot.add_layout(self.legend, "above")
        self.on_tap(plot, self._tapped)
        return plot

    def _draw_edges(self, plot: Any) -> None:
        at = {"x0": "x0", "y0": "y0", "x1": "x1", "y1": "y1"}
        draw, from_ = self.glyphs, self.sources
        draw["wrong"] = plot.vbar(
            "x", 0.9, -0.5, -0.5, source=from_["wrong"], hatch_pattern="right_diagonal_line"
        )
        draw["wrong"].glyph.update(line_color=None, fill_alpha=0.10, hatch_alpha=0.35, hatch_scale=10)
        draw["edges"] = plot.segment(**at, line_width="width", line_alpha="alpha", source=from_["edges"])
        draw["ranks"] = plot.multi_line("xs", "ys", line_width="width", source=from_["ranks"])
        draw["kept"] = plot.segment(**at, source=from_["kept"])
        draw["tried"] = plot.segment(**at, line_width="width", line_dash="dotted", source=from_["tried"])
        for name, (dash, _) in PATHS.items():
            draw[name] = plot.line("x", "line", source=from_[name], line_dash=dash)

    def _draw_nodes(self, plot: Any) -> None:
        draw, from_ = self.glyphs, self.sources
        colour = {"field": "value", "transform": self.mapper}
        draw["nodes"] = plot.scatter(
            "x", "y", size="size", fill_color=colour, fill_alpha="alpha", line_alpha="alpha", source=from_["nodes"]
        )  # fmt: skip
        for name, (_, marker) in PATHS.items():
            draw[name + " marks"] = plot.scatter("x", "y", marker=marker, fill_color=None, source=from_[name])
        draw["rival marks"].glyph.fill_alpha = 1.0
        draw["now"] = plot.scatter(
            "x", "y", size="size", marker="circle", fill_color=None, source=from_["now"]
        )
        draw["picked"] = plot.scatter(
            "x", "y", size="size", marker="diamond", fill_color=None, source=from_["picked"]
        )
        draw["notes"] = plot.text(
            "x", "y", "text", anchor="side", text_font_style="style", source=from_["notes"], padding=1
        )  # fmt: skip
        tips = [
            ("position", "@x"),
            ("state", "@state"),
            ("score", "@score{0.0000}"),
            ("price", "@price{0.0000}"),
        ]
        plot.add_tools(HoverTool(renderers=[draw["nodes"]], tooltips=tips))

    def _overview(self) -> Any:
        strip = figure(
            sizing_mode="stretch_both", tools="", toolbar_location=None, x_range=Range1d(-0.5, 0.5),
            y_range=Range1d(1.3, -0.7), min_border=0, min_border_left=8, min_border_right=8,
        )  # fmt: skip
        strip.grid.visible = strip.yaxis.visible = False
        strip.xaxis.ticker.desired_num_ticks = 12
        strip.xaxis.major_label_policy = NoOverlap(min_distance=6)
        for name in ("truth", "guess"):
            line = strip.step(
                "x", name, source=self.sources["whole"], mode="center", line_dash=PATHS[name][0]
            )
            self.glyphs[name + " strip"] = line
        self.glyphs["ticks"] = strip.scatter(
            "x", -0.3, marker="inverted_triangle", size=6, source=self.sources["ticks"]
        )
        self.box = BoxAnnotation(
            left=0, right=1, editable=True, movable="x", resizable="none", fill_alpha=0.15
        )
        strip.add_layout(self.box)
        self.box.on_change("left", self._dragged)
        self.on_tap(strip, lambda x, y: self._go(x))
        return strip

    def _controls(self) -> Any:
        def icon(name: str, label: str, act: Any) -> Any:
            button = pmui.IconButton(icon=name, label=label, description=label, size="small", margin=0)
            button.on_click(lambda _: act())
            return button

        small = {"size": "small", "margin": (2, 4)}
        flat = small | {"sx": {"padding": "3px 8px", "textTransform": "none"}}
        self.chooser = pmui.IntInput(
            label="Example", value=self.session.example, start=0, width=84, sx=NO_SPINNER, **small
        )  # fmt: skip
        self.chooser.param.watch(lambda event: self._choose(event.new), ["value"])
        self.play_button = icon("play_arrow", "Play the recursion cell by cell", self.play)
        self.off_button = icon("close", "Leave the recursion", self.stop)
        plain = small | {"description": "", "visible": False}
        self.first = pmui.IntInput.from_param(self.param.window, step=5, width=118, **plain)
        self.pace = pmui.FloatInput.from_param(self.param.speed, step=0.5, width=118, **plain)
        self.loss_switch = pmui.Toggle.from_param(self.param.with_loss, label="With loss", **flat)
        parts = [
            icon("chevron_left", "Previous example", lambda: self._choose(self.session.example - 1)),
            self.chooser,
            icon("chevron_right", "Next example", lambda: self._choose(self.session.example + 1)),
            pmui.IntInput.from_param(self.param.k_best, width=98, description="", **small),
            pmui.Toggle.from_param(self.param.min_marginals, label="Min-marginals", **flat),
            self.loss_switch,
            self.play_button,
            icon("skip_next", "Next cell of the recursion", self.step_cell),
            self.off_button,
            self.pace,
            self.first,
        ]
        return pn.FlexBox(*parts, align_items="center", sizing_mode="stretch_width", margin=(0, 4))

    def _editor(self) -> Any:
        """The row that changes the score of the picked node."""
        self.about = pn.pane.HTML("", margin=(4, 6))
        self.adjust = pmui.EditableFloatSlider(
            label="Add to score", start=-1.0, end=1.0, step=0.01, value=0.0, width=260, size="small", margin=(2, 4)
        )  # fmt: skip
        self.adjust.param.watch(lambda event: self._edit(event.new), ["value"])
        self.badge = pmui.Chip(object="", size="small", color="warning", margin=(4, 4), visible=False)
        self.undo = pmui.Button(
            label="Reset", icon="restart_alt", description="Take all changes back", size="small"
        )
        self.undo.on_click(lambda _: self.reset_edits())
        parts = (self.about, self.adjust, self.badge, self.undo)
        return pn.FlexBox(
            *parts, align_items="center", sizing_mode="stretch_width", margin=(0, 4), visible=False
        )

    def _resized(self, attr: str, old: Any, new: Any) -> None:
        """The browser laid the figure out anew: sizes in pixels are computed again."""
        if new:
            self.room[attr] = new
            self.refresh()

    # acting ------------------------------------------------------------------------------------------------------

    def _choose(self, example: int | None) -> None:
        if example is not None:
            self.session.example = min(max(0, example), max(0, self.session.problem.n - 1))

    def _tapped(self, x: float, y: float) -> None:
        """Pick the node under a click, or let go of it; while the recursion is shown, go to that cell."""
        length, states = self._seen.shown.unary.shape
        node = (round(x), round(y))
        if not (0 <= node[0] < length and 0 <= node[1] < states):
            return
        if self.cell >= 0:
            self.cell = node[0] * states + node[1]
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
        self.window = max(0, min(round(x) - WINDOW // 2, self._seen.length - WINDOW))

    def _dragged(self, attr: str, old: Any, new: Any) -> None:
        if isinstance(new, int | float):
            self.window = max(0, min(round(new + 0.5), self._seen.length - WINDOW))

    def play(self) -> None:
        """Play the recursion, from the start when it is off or through; when it plays, pause."""
        if not self.playing and self.cell in (-1, cells(self._seen) - 1):
            self.cell = 0
        self.playing = not self.playing

    def stop(self) -> None:
        """Leave the recursion."""
        self.param.update(playing=False, cell=-1)

    def step_cell(self) -> None:
        """Show the next move of the recursion; the last one ends the playing."""
        last = cells(self._seen) - 1
        self.cell = min(self.cell + 1, last)
        if self.cell == last:
            self.playing = False

    def _clock(self, *_: Any) -> None:
        """Start or stop the timer, at the chosen speed."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        if self.playing:
            self._timer = pn.state.add_periodic_callback(self.step_cell, period=round(1000 / self.speed))
        self.play_button.icon = "pause" if self.playing else "play_arrow"

    def close(self) -> None:
        self.playing = False
        super().close()

    # showing -----------------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Draw the current step; another example or problem starts without edits and without recursion."""
        now = (self.session.problem, self.session.example)
        if now[0] is not self._shows[0] or now[1] != self._shows[1]:
            self._shows = now
            self.param.update(edits={}, picked=None, cell=-1, window=0, playing=False)
        if not self.active:
            self.playing = False
        super().refresh()

    def frame(self) -> Frame:
        session = self.session
        self.body.visible = hasattr(session.problem, "chains")
        self._seen = frame(
            session.problem, session.trace, session.cursor, session.example, edits=self.edits, k=self.k_best,
            with_loss=self.with_loss, window=self.window, cell=self.cell, phase=session.phase,
        )  # fmt: skip
        return self._seen

    def show(self, shown: Frame) -> None:
        row, column = self._pixels(shown)
        self.node = min(24.0, 0.8 * row, 0.7 * column)
        self._axes(shown)
        self._show_nodes(shown)
        self._show_edges(shown)
        self._show_paths(shown, row)
        self._show_recursion(shown, row)
        self._show_overview(shown)
        self._show_controls(shown)
        self._emphasise(shown)

    def _pixels(self, shown: Frame) -> tuple[float, float]:
        """Height of a row and width of a column on the screen, as the browser told or as small as we promise to fit."""
        return self.room["inner_height"] / len(shown.states), self.room["inner_width"] / (shown.hi - shown.lo)

    def _axes(self, shown: Frame) -> None:
        plot, K = self.plot, len(shown.states)
        plot.x_range.update(start=shown.lo - 0.5, end=shown.hi - 0.5)
        plot.y_range.update(start=K - 0.5, end=-0.5)
        plot.yaxis.ticker.ticks = list(range(K))
        plot.yaxis.major_label_overrides = dict(enumerate(shown.states))
        plot.xaxis.ticker.ticks = list(range(shown.lo, shown.hi))
        words = shown.tokens[shown.lo : shown.hi]
        plot.xaxis.major_label_overrides = dict(enumerate(words, shown.lo))
        crowded = sum(len(word) + 2 for word in words) * 0.6 * self.theme.font > self.room["inner_width"]
        plot.xaxis.major_label_orientation = 0.5 if crowded else "horizontal"
        plot.xaxis.axis_label = None if words else "position"

    def _show_nodes(self, shown: Frame) -> None:
        part = slice(shown.lo, shown.hi)
        score, price = shown.shown.unary[part], shown.price[part]
        value = price if self.min_marginals else score
        t, s = (a.ravel() for a in np.mgrid[shown.lo : shown.hi, 0 : len(shown.states)])
        done = len(shown.states) * shown.length if shown.cell < 0 else shown.cell + 1
        self.sources["nodes"].data = {
            "x": t, "y": s, "value": value.ravel(), "size": self.node * (0.4 + 0.6 * strengths(value).ravel()),
            "alpha": np.where(t * len(shown.states) + s < done, 1.0, 0.25), "state": [shown.states[i] for i in s],
            "score": score.ravel(), "price": price.ravel(),
        }  # fmt: skip
        self.sources["wrong"].data = {"x": [t for t in shown.wrong if shown.lo <= t < shown.hi]}
        self.glyphs["wrong"].glyph.top = len(shown.states) - 0.5
        self.wrong_item.visible = bool(len(self.sources["wrong"].data["x"]))
        fine = value[np.isfinite(value)]
        reach = float(np.abs(fine).max(initial=0.0)) or 1.0
        self.mapper.update(low=-reach, high=0.0 if self.min_marginals else reach, palette=self._palette())
        self.bar.title = "price" if self.min_marginals else "score"

    def _show_edges(self, shown: Frame) -> None:
        found = edges(shown, self.min_marginals, MOST_EDGES if shown.cell < 0 else 0)
        power = strengths(found["value"]) ** 2
        self.sources["edges"].data = {
            "x0": found["t"] - 1, "y0": found["from"], "x1": found["t"], "y1": found["to"],
            "width": 0.3 + 3.2 * power, "alpha": 0.06 + 0.34 * power,
        }  # fmt: skip

    def _show_paths(self, shown: Frame, row: float) -> None:
        t = np.arange(shown.lo, shown.hi)
        apart = {"truth": 0.0, "guess": -1.0, "rival": 1.0}
        for name in PATHS:
            path = getattr(shown, name)[t]
            shift = apart[name] * (self.theme.line + 0.5) / row
            self.sources[name].data = {"x": t, "y": path, "line": path + shift}
        others = shown.paths[:, t] if shown.cell < 0 else shown.paths[:0]
        self.rank_item.visible = len(others) > 1
        self.sources["ranks"].data = {
            "xs": [t] * len(others), "ys": list(others.astype(float)),
            "width": [self.theme.line * (0.9 - 0.05 * r) for r in range(len(others))],
        }  # fmt: skip

    def _show_recursion(self, shown: Frame, row: float) -> None:
        now, digits = current(shown), decimals(shown)
        kept = survivors(shown)
        self.sources["kept"].data = {
            "x0": kept["t"] - 1, "y0": kept["from"], "x1": kept["t"], "y1": kept["to"],
        }  # fmt: skip
        notes: list[tuple[float, float, str, str, str]] = []
        tried = {c: np.zeros(0) for c in EMPTY["tried"]}
        self.sources["now"].data = {"x": [], "y": [], "size": []}
        if now is not None:
            self.sources["now"].data = {"x": [now.t], "y": [now.s], "size": [self.node + 10]}
            states = np.arange(len(shown.states))
            if not now.back and now.t:
                best = np.where(states == now.origin, 2.0, 1.0) * self.theme.line
                tried = {
                    "x0": np.full(len(states), now.t - 1), "y0": states, "x1": np.full(len(states), now.t),
                    "y1": np.full(len(states), now.s), "width": best,
                }  # fmt: skip
            notes = self._values(shown, row)
            if not now.back:
                notes.append((now.t, now.s, f"{shown.chi[now.t, now.s]:.{digits}f}", "center_left", "bold"))
        self.sources["tried"].data = tried
        for (t, s), delta in shown.edits.items():
            if shown.lo <= t < shown.hi and now is None:
                notes.append((t, s, f"{delta:+.{digits}f}", "bottom_center", "bold"))
        columns = list(zip(*notes, strict=True)) or [()] * 5
        self.sources["notes"].data = dict(zip(EMPTY["notes"], map(list, columns), strict=True))

    def _values(self, shown: Frame, row: float) -> list[tuple[float, float, str, str, str]]:
        """The sums that the current cell chooses from, best first, as long as there is room."""
        now = current(shown)
        if now is None or not len(now.options):
            return []
        apart = 1.15 * self.theme.font / row
        out: list[tuple[float, float, str, str, str]] = []
        x = now.t if now.back else now.t - 1
        for a in np.argsort(-now.options, kind="stable"):
            if all(abs(a - taken[1]) >= apart for taken in out):
                style = "bold" if not out else "normal"
                out.append((x, float(a), f"{now.options[a]:.{decimals(shown)}f}", "center_right", style))
        return out

    def _show_overview(self, shown: Frame) -> None:
        self.map.visible = shown.long
        if not shown.long:
            return
        top = max(1, len(shown.states) - 1)
        t = np.unique(np.linspace(0, shown.length - 1, min(shown.length, MOST_TICKS)).astype(int))
        self.sources["whole"].data = {"x": t, "truth": shown.truth[t] / top, "guess": shown.guess[t] / top}
        width = max(1, shown.length // MOST_TICKS)
        self.sources["ticks"].data = {"x": np.unique(shown.wrong // width * width)}
        self.strip.x_range.update(start=-0.5, end=shown.length - 0.5)
        self.box.update(left=shown.lo - 0.5, right=shown.hi - 0.5)

    def _show_controls(self, shown: Frame) -> None:
        self.chooser.param.update(end=shown.examples - 1, value=shown.example)
        self.first.param.update(end=max(1, shown.length - WINDOW), visible=shown.long)
        if shown.lo != self.window:
            self.window = shown.lo
        self.off_button.visible = self.pace.visible = shown.cell >= 0
        self.loss_switch.disabled = bool(shown.no_loss_because)
        self.list.visible = bool(len(shown.paths)) and shown.cell < 0
        if self.list.visible:
            self.list.object = self._listing(shown)
        self.what_if.visible = self.picked is not None or bool(shown.edits)
        self.badge.param.update(object=f"{len(shown.edits)} changed", visible=bool(shown.edits))
        self.undo.disabled = not shown.edits
        self.adjust.visible = self.picked is not None
        ring = [] if self.picked is None else [self.picked]
        self.sources["picked"].data = {
            "x": [t for t, _ in ring], "y": [s for _, s in ring], "size": [self.node + 16] * len(ring),
        }  # fmt: skip
        if self.picked is not None:
            self._show_picked(shown, *self.picked)

    def _show_picked(self, shown: Frame, t: int, s: int) -> None:
        short = -float(shown.price[t, s])
        digits = decimals(shown)
        far = f"{short:.{digits}f} short of the best path" if short > 0 else "on a best path"
        score = f"{shown.shown.unary[t, s]:.{digits}f}"
        self.about.object = f"<b>{escape(quoted(shown, s))} at {t}</b>: score {score}, {far}"
        reach = float(np.abs(shown.price[np.isfinite(shown.price)]).max(initial=0.0))
        delta = self.edits.get((t, s), 0.0)
        reach = max(1.0, float(np.ceil(2 * reach)), abs(delta))
        self.adjust.param.update(start=-reach, end=reach, value=delta)

    def _listing(self, shown: Frame) -> str:
        digits = decimals(shown)
        rows = [f"<li>{gap:.{digits}f} lower: {escape(text)}</li>" for _, gap, text in ranking(shown)[1:]]
        first = f"<li>best: {escape(ranking(shown)[0][2])}</li>"
        return f"<ol>{first}{''.join(rows)}</ol>"

    def sentence(self, shown: Frame) -> str:
        told = sentence(shown)
        return f"{told} {shown.no_loss_because}" if self.with_loss and shown.no_loss_because else told

    def table(self, shown: Frame) -> dict[str, Any]:
        return table(shown)

    # dressing ----------------------------------------------------------------------------------------------------

    def _palette(self) -> list[str]:
        theme = self.theme
        if self.min_marginals:
            return ramp(theme.background, theme.accent)
        return ramp(theme.low, theme.background, theme.high)

    def _emphasise(self, shown: Frame) -> None:
        """Which of the paths stand out now."""
        line = self.theme.line
        width = {"truth": 2.2 * line, "guess": line, "rival": line}
        alpha = {"truth": 0.45, "guess": 1.0, "rival": 1.0}
        if shown.phase >= 1:
            width["rival"], alpha["guess"], alpha["truth"] = 2 * line, 0.5, 0.3
        if shown.cell >= 0:
            alpha = {name: 0.12 for name in PATHS}
        for name in PATHS:
            self.glyphs[name].glyph.update(line_width=width[name], line_alpha=alpha[name])
            self.glyphs[name + " marks"].glyph.update(line_alpha=alpha[name] ** 0.5)
        # Square around ring around triangle: all three can be told on one node.
        sizes = {
            "truth": self.node + 5 + 2 * line,
            "guess": self.node + line,
            "rival": max(5.0, 0.4 * self.node),
        }
        for name, size in sizes.items():
            self.glyphs[name + " marks"].glyph.size = size
        self.glyphs["rival marks"].glyph.fill_alpha = alpha["rival"]

    def recolour(self, theme: Theme) -> None:
        draw, size = self.glyphs, f"{theme.font}px"
        for name in PATHS:
            colour = getattr(theme, name)
            draw[name].glyph.line_color = colour
            draw[name + " marks"].glyph.update(line_color=colour, line_width=theme.line)
        draw["rival marks"].glyph.update(
            fill_color=theme.rival, line_color=theme.background, line_width=0.5 * theme.line
        )
        for name in ("truth", "guess"):
            draw[name + " strip"].glyph.update(line_color=getattr(theme, name), line_width=theme.line / 2)
        draw["ticks"].glyph.update(line_color=theme.text, fill_color=theme.text)
        draw["wrong"].glyph.update(fill_color=theme.neutral, hatch_color=theme.text)
        draw["edges"].glyph.line_color = draw["kept"].glyph.line_color = theme.muted
        draw["ranks"].glyph.line_color = draw["tried"].glyph.line_color = theme.accent
        draw["kept"].glyph.line_width = 0.75 * theme.line
        draw["nodes"].glyph.line_color = theme.text
        for name in ("now", "picked"):
            draw[name].glyph.update(line_color=theme.accent, line_width=1.5 * theme.line)
        draw["notes"].glyph.update(
            text_color=theme.text, text_font_size=size, background_fill_color=theme.background
        )
        self.bar.update(
            background_fill_color=theme.background, title_text_color=theme.text, title_text_font_size=size,
            major_label_text_color=theme.text, major_label_text_font_size=size, bar_line_color=theme.muted,
        )  # fmt: skip
        self.box.update(fill_color=theme.accent, line_color=theme.accent)
        if hasattr(self, "_seen"):
            self.refresh()
