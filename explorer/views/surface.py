"""The objective over two directions of weight space, and the learner's way down.

    J(s e1 + t e2) = 1/2 (s^2 + t^2) + C R(s e1 + t e2)        e1, e2 orthonormal

With two weights e1, e2 are the axes and the picture is the whole objective (Iglesias 2013, fig. 3.1); with
more it is the slice through 0, the cursor's w and the last w, and the rest of the path is projected onto it.
R does not depend on C, so it is kept and only weighed anew. Where all labellings can be listed, R is exact on
a fine grid: every example's slack is a maximum of planes, and dotted lines show where another labelling takes
over, that is, where the gradient jumps. Otherwise R takes one oracle pass per grid point: the grid is coarse,
and when even that is dear, a part of the examples stands for all. Cost: grid points times planes, or about
`SECONDS`.
"""

import math
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import panel as pn
import panel_material_ui as pmui
import param
from bokeh.models import ColorBar, ColumnDataSource, HoverTool, LogColorMapper, Range1d
from bokeh.plotting import figure
from contourpy import contour_generator

from explorer.engine.objective import cut_of, plane_of, rule_cost, slacks, sweep
from explorer.engine.protocols import Convex, Enumerates, Problem, Refused, Ruled
from explorer.engine.trace import Trace
from explorer.engine.vectors import Array, Ints, dense
from explorer.session.state import Session
from explorer.views.theme import Theme
from explorer.views.view import View, number

WINDOWS = {"four points": (-3.0, 5.0, -2.0, 3.0)}
"""The window in which a data set is printed in its source: w1 from, to, w2 from, to."""

ZOOMS = ("as printed", "near path")
FINE = 100
MOST_PLANES = 2000
MOST_NUMBERS = 5_000_000
MOST_BORDERED = 40
"""With more planes than this, the borders between regions would cover the picture."""

PLANS = ((25, 1), (25, 2), (15, 1), (15, 2), (15, 4), (15, 8), (15, 16))
"""Points per side of a coarse grid, and which examples are asked: every first, second, fourth, ..."""

SECONDS = 0.2
PATIENCE = 4
"""A slice that takes so many times longer than it was judged to is given up."""

BETWEEN = 4
"""A coarse grid is drawn with this many pieces between two of its points: R interpolated, |w|^2 exact."""

MOST_POINTS = 300
LEVELS = 9
KEPT = 8
FLAT = 1e-6
"""A direction whose part across another is smaller than this share counts as the same direction."""

SMALL = {"& button": {"padding": "1px 10px", "textTransform": "none", "fontSize": "0.8rem", "whiteSpace": "nowrap"}}
"""Low buttons: a view may be no more than 260 pixels high."""

Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True, eq=False)
class Slice:
    """A rectangle in the plane of two orthonormal directions through 0, and what it goes through."""

    first: Array
    second: Array
    box: Box
    words: str = ""

    @property
    def key(self) -> tuple[Any, ...]:
        """Equal for equal slices."""
        return self.first.tobytes(), self.second.tobytes(), self.box

    def axes(self, points: int) -> tuple[Array, Array]:
        """The coordinates of a grid."""
        return np.linspace(*self.box[:2], points), np.linspace(*self.box[2:], points)

    def at(self, s: float, t: float) -> Array:
        """The weights at a point of the slice."""
        return s * self.first + t * self.second

    def shadow(self, weights: list[Array]) -> Array:
        """Where weight vectors lie, projected onto the slice: one row (s, t) each."""
        return np.array([[float(w @ self.first), float(w @ self.second)] for w in weights]).reshape(-1, 2)


@dataclass(frozen=True, slots=True, eq=False)
class Risk:
    """R and the price of broken rules on a grid, borders of regions, and how many examples were asked."""

    x: Array
    y: Array
    values: Array
    rules: Array
    borders: tuple[Array, ...]
    looked: int


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """The objective on a grid, with the path of w."""

    at: int
    C: float
    where: Slice
    x: Array
    y: Array
    J: Array
    lowest: tuple[float, float, float]
    contours: tuple[tuple[float, Array], ...]
    borders: tuple[Array, ...]
    steps: Ints
    path: Array
    primal: Array
    looked: int
    n: int
    dim: int


def frame(
    problem: Problem,
    trace: Trace,
    at: int,
    C: float,
    zoom: str = ZOOMS[0],
    risk: Callable[[Problem, Slice], Risk] | None = None,
) -> Frame:
    """The objective for this C around the path, or Refused with the reason why it cannot be drawn."""
    if not math.isfinite(C):
        raise Refused("C is infinite: wherever a slack is left, so is the objective, and there is no surface.")
    at = min(at, max(0, len(trace) - 1))
    few = thinned(trace, at)
    weights = [trace.weights.kept[int(s)] for s in few]
    where = slice_of(problem, weights, int(np.searchsorted(few, at, side="right")) - 1, few, zoom)
    found = (risk or risk_on)(problem, where)
    J = 0.5 * (found.x[None, :] ** 2 + found.y[:, None] ** 2) + C * found.values + found.rules
    j, i = np.unravel_index(int(np.argmin(J)), J.shape)
    lowest = (float(found.x[i]), float(found.y[j]), float(J[j, i]))
    primal = trace.column("primal")[few] if len(few) else np.zeros(0)
    return Frame(
        at, C, where, found.x, found.y, J, lowest, contours(found.x, found.y, J), found.borders, few,
        where.shadow(weights), primal, found.looked, problem.n, problem.dim,
    )  # fmt: skip


def thinned(trace: Trace, at: int) -> Ints:
    """Steps whose weights were kept, so many that they can be told apart, the cursor's among them."""
    kept = np.array(sorted(trace.weights.kept), dtype=np.int64)
    if not len(kept):
        return kept
    even = np.unique(np.linspace(0, len(kept) - 1, min(len(kept), MOST_POINTS)).astype(int))
    return np.union1d(kept[even], [trace.at(at).w_at])


def slice_of(problem: Problem, weights: list[Array], here: int, steps: Ints, zoom: str) -> Slice:
    """The two axes where there are two weights; else the plane of 0, the cursor's w and the last w."""
    if problem.dim == 2:
        first, second, words = np.array([1.0, 0.0]), np.array([0.0, 1.0]), ""
        printed = WINDOWS.get(problem.dataset.name)
        if printed and (zoom == ZOOMS[0] or not weights):
            return Slice(first, second, printed)
    else:
        first, second, words = directions(problem, weights, here, steps)
    where = Slice(first, second, (-1.0, 1.0, -1.0, 1.0), words)
    return replace(where, box=box_around(where.shadow(weights))) if weights else where


def directions(problem: Problem, weights: list[Array], here: int, steps: Ints) -> tuple[Array, Array, str]:
    """Along the last w, and across it towards the cursor's w (or, where that is along it too, another w)."""
    if problem.dim < 2:
        raise Refused("There is only one weight: the objective is a curve, not a surface.")
    size = float(np.linalg.norm(weights[-1])) if weights else 0.0
    if not size:
        why = "w is still 0" if weights else "Nothing trained yet"
        raise Refused(f"{why}: train some steps, and a slice through them appears here.")
    first = weights[-1] / size
    across = [w - float(w @ first) * first for w in weights]
    far = np.array([float(np.linalg.norm(part)) for part in across])
    name = f"the w of step {steps[here]}"
    if far[here] <= FLAT * size:
        here = int(np.argmax(far))
        name = f"the w of step {steps[here]}, which lies farthest off,"
    if far[here] <= FLAT * size:
        thin = int(np.argmin(np.abs(first)))
        second = np.eye(1, problem.dim, thin)[0] - first[thin] * first
        return first, second / np.linalg.norm(second), f"the axis of weight {thin + 1}"
    return first, across[here] / far[here], name


def box_around(points: Array) -> Box:
    """A rectangle around 0 and the points, with room at every side and not too thin."""
    low, high = np.minimum(points.min(axis=0), 0.0), np.maximum(points.max(axis=0), 0.0)
    whole = float(np.max(high - low)) or 1.0
    room = np.maximum(0.25 * (high - low), 0.2 * whole)
    (x0, y0), (x1, y1) = low - room, high + room
    return float(x0), float(x1), float(y0), float(y1)


def risk_on(problem: Problem, where: Slice) -> Risk:
    """R on a grid of the slice: exact and fine where all planes can be listed, by oracle passes elsewhere."""
    if isinstance(problem, Convex):
        x, y = where.axes(FINE)
        values = np.array([[problem.risk(where.at(s, t))[0] for s in x] for t in y])
        return Risk(x, y, values, np.zeros_like(values), (), 0)
    planes = listed(problem)
    if planes is not None:
        return risk_of_planes(problem, where, planes)
    return risk_by_passes(problem, where)


def listed(problem: Problem) -> list[tuple[Array, Array]] | None:
    """For every example its planes (a, b), the truth's (0, 0) among them; None when they are too many."""
    if not isinstance(problem, Enumerates):
        return None
    count = sum(problem.labellings_count(i) for i in range(problem.n))
    if count > MOST_PLANES or count * problem.dim > MOST_NUMBERS:
        return None
    out = []
    for i in range(problem.n):
        planes = [plane_of(problem, cut_of(problem, i, label)) for label in problem.labellings(i)]
        out.append((np.stack([dense(plane.a) for plane in planes]), np.array([plane.b for plane in planes])))
    return out


def risk_of_planes(problem: Problem, where: Slice, planes: list[tuple[Array, Array]]) -> Risk:
    """The mean cost of slack_i = max_j (b_j - a_j . w) at every point, and where another plane takes over."""
    x, y = where.axes(FINE)
    values, borders = np.zeros((len(y), len(x))), []
    few = sum(len(b) for _, b in planes) <= MOST_BORDERED
    for a, b in planes:
        tilt, lean = (a @ e for e in (where.first, where.second))
        asked = (b[:, None] - tilt[:, None] * x)[:, None, :] - (lean[:, None] * y)[:, :, None]
        values += problem.pricing.cost(np.maximum(asked.max(axis=0), 0.0))
        if few:
            borders += crossings(x, y, asked)
    return Risk(x, y, values / problem.n, rule_grid(problem, where, x, y), tuple(borders), problem.n)


def crossings(x: Array, y: Array, asked: Array) -> list[Array]:
    """The lines on which the largest of several fields changes hands."""
    lines: list[Array] = []
    for j in range(1, len(asked)):
        ahead = asked[j] - np.delete(asked, j, axis=0).max(axis=0)
        if ahead.min() < 0.0 < ahead.max():
            lines += contour_generator(x, y, ahead).lines(0.0)
    return lines


def risk_by_passes(problem: Problem, where: Slice) -> Risk:
    """One oracle pass per point of a coarse grid, over as many examples as there is time for."""
    points, stride = affordable(problem, where)
    chosen = np.arange(0, problem.n, stride)
    part = problem if stride == 1 else problem.on(_some(problem, chosen))
    x, y = where.axes(points)

    began = time.thread_time()

    def risk(s: float, t: float) -> float:
        if time.thread_time() - began > PATIENCE * SECONDS:
            raise Refused("A slice of this problem takes too many oracle passes to be drawn.")
        return float(np.mean(part.pricing.cost(slacks(part, sweep(part, where.at(s, t))))))

    coarse = np.array([[risk(s, t) for s in x] for t in y])
    x, y = where.axes((points - 1) * BETWEEN + 1)
    at = np.arange(len(x)) / BETWEEN
    rows = np.stack([np.interp(at, np.arange(points), row) for row in coarse])
    values = np.stack([np.interp(at, np.arange(points), column) for column in rows.T], axis=1)
    return Risk(x, y, values, rule_grid(problem, where, x, y), (), len(chosen))


def affordable(problem: Problem, where: Slice) -> tuple[int, int]:
    """The first plan that takes no longer than `SECONDS`, judged by one pass; or Refused."""
    once = min(_timed(problem, where.at(where.box[1], where.box[3])) for _ in range(3))
    for points, stride in PLANS:
        if points**2 * once / stride <= SECONDS and problem.n >= 2 * stride:
            return points, stride
    passes = PLANS[0][0] ** 2
    raise Refused(f"A slice of this problem takes {passes} oracle passes, about {passes * once:.0f} seconds.")


def _timed(problem: Problem, w: Array) -> float:
    """How long one pass takes."""
    began = time.thread_time()
    sweep(problem, w)
    return time.thread_time() - began


def _some(problem: Problem, chosen: Ints) -> Any:
    """Some examples as a data set of their own."""
    data = problem.dataset
    inputs, labels = (
        part[chosen] if isinstance(part, np.ndarray) else tuple(part[int(i)] for i in chosen)
        for part in (data.inputs, data.labels)
    )
    return replace(data, inputs=inputs, labels=labels)


def rule_grid(problem: Problem, where: Slice, x: Array, y: Array) -> Array:
    """What broken rules cost at every point."""
    if not isinstance(problem, Ruled) or not problem.rules:
        return np.zeros((len(y), len(x)))
    return np.array([[rule_cost(problem, where.at(s, t)) for s in x] for t in y])


def contours(x: Array, y: Array, J: Array) -> tuple[tuple[float, Array], ...]:
    """Lines of equal height, each level half as far above the lowest point as the one before."""
    finite = np.where(np.isfinite(J), J, np.nan)
    low, high = float(np.nanmin(finite)), float(np.nanmax(finite))
    if not high > low:
        return ()
    generator = contour_generator(x, y, np.ma.masked_invalid(finite))
    levels = [low + (high - low) * 0.5**k for k in range(1, LEVELS + 1)]
    return tuple((level, line) for level in levels for line in generator.lines(level))


def sentence(shown: Frame) -> str:
    """What is drawn, where the lowest point is, and where the cursor stands."""
    if shown.dim == 2:
        text = f"Objective over both weights, C = {number(shown.C)}."
    else:
        text = f"Slice of {shown.dim} dimensions through 0, {shown.where.words} and the last w; "
        text += f"C = {number(shown.C)}."
    if shown.looked < shown.n:
        text += f" Estimated from {shown.looked} of {shown.n} examples."
    text += f" Lowest grid point{spot(shown, *shown.lowest[:2])}: J = {number(shown.lowest[2])}."
    if not len(shown.steps):
        return text + " Nothing trained yet: press play to see the way down."
    here = _here(shown)
    value = float(shown.primal[here])
    height = "objective not computed" if np.isnan(value) else f"J = {number(value)}"
    return text + f" Step {shown.at}{spot(shown, *shown.path[here])}: {height}."


def spot(shown: Frame, s: float, t: float) -> str:
    """A point of the weight plane in words; coordinates of a slice mean nothing to a reader."""
    return f" at ({s:.3f}, {t:.3f})" if shown.dim == 2 else ""


def _here(shown: Frame) -> int:
    """Which point of the path the cursor is at."""
    return max(0, int(np.searchsorted(shown.steps, shown.at, side="right")) - 1)


def table(shown: Frame) -> dict[str, Any]:
    """The path in the picture's coordinates."""
    across, up = shown.path.T
    return {"step": shown.steps, "across": across, "up": up, "objective": shown.primal}


def shades(theme: Theme, steps: int = 64) -> list[str]:
    """From the background (low) towards the theme's blue (high)."""
    low, high = (np.array([int(c[i : i + 2], 16) for i in (1, 3, 5)]) for c in (theme.background, theme.dual))
    mixed = [low + 0.75 * k / (steps - 1) * (high - low) for k in range(steps)]
    return ["#" + "".join(f"{round(float(v)):02x}" for v in row) for row in mixed]


class Surface(View):
    """The objective surface."""

    title: ClassVar[str] = "Objective surface"
    name_key: ClassVar[str] = "surface"
    help: ClassVar[str] = (
        "The height of the objective over two directions of weight space. The line is the learner's way, the "
        "diamond the current step, the cross the lowest grid point. Dotted: there, another labelling becomes "
        "the most violated one."
    )

    zoom = param.Selector(objects=list(ZOOMS), default=ZOOMS[0], doc="The source's window, or the path's.")

    def __init__(self, session: Session, **params: Any) -> None:
        super().__init__(session, **params)
        # A pause brings nothing new to draw, except here: slices wait for it.
        self._watchers.append(session.param.watch(lambda *_: self.refresh(), ["status"]))

    def build(self) -> Any:
        self._risks: OrderedDict[tuple[Any, ...], Risk] = OrderedDict()
        self._risks_of: Problem | None = None
        self.image = ColumnDataSource({"image": [], "x": [], "y": [], "dw": [], "dh": []})
        self.lines = {name: ColumnDataSource({"xs": [], "ys": []}) for name in ("contours", "borders")}
        self.path = ColumnDataSource({"x": [], "y": [], "step": [], "J": []})
        self.ahead, self.here, self.best = (ColumnDataSource({"x": [], "y": []}) for _ in range(3))
        self.mapper = LogColorMapper(palette=["#000000"], low=0.1, high=1.0)
        self.figures.append(self._figure())
        self.choose = pmui.RadioButtonGroup.from_param(self.param.zoom, size="small", margin=(0, 8), label="", sx=SMALL)
        self.param.watch(lambda *_: self.refresh(), ["zoom"])
        pane = pn.pane.Bokeh(self.figures[0], sizing_mode="stretch_both", min_height=140, margin=0)
        return pn.Column(self.choose, pane, sizing_mode="stretch_both", margin=0)

    def _figure(self) -> Any:
        plot = figure(
            x_range=Range1d(-1, 1), y_range=Range1d(-1, 1), tools="", toolbar_location=None,
            sizing_mode="stretch_both", x_axis_label="w1", y_axis_label="w2",
        )  # fmt: skip
        heat = plot.image("image", "x", "y", "dw", "dh", source=self.image, color_mapper=self.mapper)
        contour = plot.multi_line("xs", "ys", source=self.lines["contours"], line_alpha=0.55)
        border = plot.multi_line("xs", "ys", source=self.lines["borders"], line_dash="dotted")
        ahead = plot.line("x", "y", source=self.ahead, line_dash="dashed", line_alpha=0.7)
        line = plot.line("x", "y", source=self.path)
        dots = plot.scatter("x", "y", source=self.path, size=5)
        here = plot.scatter("x", "y", source=self.here, marker="diamond", size=16)
        best = plot.scatter("x", "y", source=self.best, marker="x", size=9)
        self.parts = {"contour": contour, "border": border, "ahead": ahead, "line": line}
        self.parts |= {"dots": dots, "best": best, "here": here}
        plot.add_tools(HoverTool(renderers=[heat], tooltips="J = @image", point_policy="follow_mouse"))
        plot.add_tools(HoverTool(renderers=[dots], tooltips="step @step: J = @J{0.0000}"))
        self.bar = ColorBar(color_mapper=self.mapper, width=10, padding=4, margin=2)
        plot.add_layout(self.bar, "right")
        plot.grid.visible = False
        plot.axis.axis_label_standoff = 4
        self.on_tap(plot, self._seek)
        return plot

    def _seek(self, x: float, y: float) -> None:
        """Go to the step whose point is nearest to a click, measured on the screen."""
        box, data = self.figures[0], self.path.data
        if not len(data["x"]) + len(self.ahead.data["x"]):
            return
        wide, high = box.x_range.end - box.x_range.start, box.y_range.end - box.y_range.start
        steps, points = self._steps, self._points
        far = ((points[:, 0] - x) / wide) ** 2 + ((points[:, 1] - y) / high) ** 2
        self.session.seek(int(steps[int(np.argmin(far))]))

    def frame(self) -> Frame:
        session = self.session
        try:
            if session.status == "running" and session.problem.dim != 2:
                raise Refused("The slice is drawn as soon as training pauses.")
            at = min(session.cursor, max(0, len(session.trace) - 1))
            return frame(session.problem, session.trace, at, self.price(at), self.zoom, self._risk)
        except Refused:
            self._clear()
            raise

    def price(self, at: int) -> float:
        """The C under which step `at` was trained; before training the chosen one, 1 without any."""
        runs = [started for i, started in self.session.trace.starts if i <= at]
        settings = runs[-1].settings if runs else self.session.recipe().settings
        return float(settings.get("C", 1.0))

    def _risk(self, problem: Problem, where: Slice) -> Risk:
        """R on the slice, kept for the last few slices of this problem."""
        if problem is not self._risks_of:
            self._risks.clear()
            self._risks_of = problem
        if where.key not in self._risks:
            self._risks[where.key] = risk_on(problem, where)
            while len(self._risks) > KEPT:
                self._risks.popitem(last=False)
        return self._risks[where.key]

    def _clear(self) -> None:
        self.figures[0].visible = self.choose.visible = False
        for source in (self.image, *self.lines.values(), self.path, self.ahead, self.here, self.best):
            source.data = {name: [] for name in source.data}

    def show(self, shown: Frame) -> None:
        plot, (x0, x1, y0, y1) = self.figures[0], shown.where.box
        plot.visible, self.choose.visible = True, self.session.problem.dataset.name in WINDOWS
        dx, dy = (x1 - x0) / (len(shown.x) - 1), (y1 - y0) / (len(shown.y) - 1)
        self.mapper.update(low=max(shown.lowest[2], 1e-12), high=float(np.max(shown.J[np.isfinite(shown.J)])))
        self.image.data = {
            "image": [shown.J], "x": [x0 - dx / 2], "y": [y0 - dy / 2],
            "dw": [x1 - x0 + dx], "dh": [y1 - y0 + dy],
        }  # fmt: skip
        plot.x_range.update(start=x0, end=x1)
        plot.y_range.update(start=y0, end=y1)
        names = ("w1", "w2") if shown.dim == 2 else ("along the last w", "across it")
        plot.xaxis.axis_label, plot.yaxis.axis_label = names
        lines = {"contours": [line for _, line in shown.contours], "borders": shown.borders}
        for name, found in lines.items():
            self.lines[name].data = {
                "xs": [line[:, 0] for line in found],
                "ys": [line[:, 1] for line in found],
            }
        self._show_path(shown)

    def _show_path(self, shown: Frame) -> None:
        self._steps, self._points = shown.steps, shown.path
        self.best.data = {"x": [shown.lowest[0]], "y": [shown.lowest[1]]}
        cut = _here(shown) + 1 if len(shown.steps) else 0
        x, y = shown.path[:, 0], shown.path[:, 1]
        self.path.data = {"x": x[:cut], "y": y[:cut], "step": shown.steps[:cut], "J": shown.primal[:cut]}
        self.ahead.data = {"x": x[max(0, cut - 1) :], "y": y[max(0, cut - 1) :]}
        self.here.data = {"x": x[cut - 1 : cut], "y": y[cut - 1 : cut]}

    def sentence(self, shown: Frame) -> str:
        return sentence(shown)

    def table(self, shown: Frame) -> dict[str, Any]:
        return table(shown)

    def recolour(self, theme: Theme) -> None:
        self.mapper.palette = shades(theme)
        part, size = self.parts, f"{theme.font}px"
        part["contour"].glyph.line_color = theme.muted
        part["border"].glyph.update(line_color=theme.text, line_width=theme.line * 0.5, line_alpha=0.55)
        part["line"].glyph.update(line_color=theme.primal, line_width=theme.line)
        part["ahead"].glyph.update(line_color=theme.primal, line_width=theme.line * 0.6)
        part["dots"].glyph.update(line_color=theme.primal, fill_color=theme.background)
        part["best"].glyph.update(line_color=theme.text, line_width=2)
        part["here"].glyph.update(fill_color=theme.accent, line_color=theme.background, line_width=1.5)
        self.bar.update(
            background_fill_color=theme.background, major_label_text_color=theme.text,
            major_label_text_font_size=size, bar_line_color=theme.muted, major_tick_line_color=theme.muted,
        )  # fmt: skip
