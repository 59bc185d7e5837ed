"""The weight vector by kind of feature, what the last step changed in it, and the way it has come.

    change_j = w_j(step) - w_j(kept step before),    path: |w| / |w_last|  and  cos(w, w_last)

Weights that belong to a state and a feature are a matrix, drawn as one small image per state where the
features are pixels; transitions are a matrix of states, with the first and the last state as one more row and
column. Blue is negative, red positive, and every clearly negative cell also carries a minus stroke. Cost:
linear in the weights that the trace kept; at most `MOST_CELLS` cells are drawn.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import panel as pn
import panel_material_ui as pmui
import param
from bokeh.models import ColumnDataSource, FixedTicker, HoverTool, LinearColorMapper, NoOverlap, Range1d, Span
from bokeh.plotting import figure

from explorer.engine.protocols import Problem
from explorer.engine.trace import Trace
from explorer.engine.vectors import Array, Ints
from explorer.views.theme import Theme
from explorer.views.view import View, number

PARTS = ("weights", "changes", "path")
MOST_CELLS = 5000
MOST_POINTS = 400
TOP = 12
FEW = 40
"""When not all features can be drawn, this many are: those with the largest weights."""

STROKED = 0.2
"""A negative cell carries a minus stroke from this share of the largest weight on."""

APART = 0.4
"""The row "start" and the column "stop" stand this far from the transitions."""

FEW_PIXELS = 5
TILE_HEAD = 2.0
"""Cells of room above each small image for its name."""

LABELS_HEIGHT = 140
"""Pixels that the rows of a matrix can count on before the browser has said how many there are."""


SMALL = {"& button": {"padding": "1px 10px", "textTransform": "none", "fontSize": "0.8rem", "whiteSpace": "nowrap"}}
"""Low buttons: a view may be no more than 260 pixels high."""

MIDDLE = {"text_baseline": "middle"}


@dataclass(frozen=True, slots=True)
class Group:
    """A run of weights that form a rows x cols matrix; `words` says in words what one of them is for."""

    name: str
    start: int
    rows: int
    cols: int
    words: str
    row: Callable[[int], str]
    col: Callable[[int], str]

    @property
    def stop(self) -> int:
        """Where the next group begins."""
        return self.start + self.rows * self.cols

    def word(self, j: int) -> str:
        """What weight j of the whole vector stands for."""
        r, c = divmod(j - self.start, self.cols)
        return self.words.format(row=self.row(r), col=self.col(c))

    def cells(self, w: Array) -> Array:
        """The group as a matrix."""
        return w[self.start : self.stop].reshape(self.rows, self.cols)


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """Cells at (x, y), y downwards, with what each stands for, and labels for the axes or the tiles."""

    title: str
    x: Array
    y: Array
    value: Array
    word: tuple[str, ...]
    across: Mapping[float, str]
    down: Mapping[float, str]
    tiles: tuple[tuple[float, float, str], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """The weights of one step and how they came about."""

    at: int
    w_at: int
    before: int
    w: Array
    sheet: Sheet | None
    side: Sheet | None
    note: str
    top: tuple[tuple[str, float], ...]
    changes: tuple[tuple[str, float], ...]
    steps: Array
    norms: Array
    cosines: Array


def groups(problem: Problem) -> tuple[Group, ...]:
    """The weights of a problem by what they are for, in the order in which they lie in w."""
    meta = problem.dataset.meta
    named = meta.get("states", ())
    states = int(getattr(problem, "states", getattr(problem, "classes", len(named))) or 0)
    state = _names(named, states, "state")
    own: Mapping[str, slice] = getattr(problem, "groups", {})
    if own:
        return tuple(_group(problem, name, where, states, state) for name, where in own.items())
    if hasattr(problem, "classes") and states and problem.dim % states == 0:
        rows = problem.dim // states
        return (Group("classes", 0, rows, states, "{row} for {col}", _features(problem, rows), state),)
    row = _features(problem, problem.dim) if hasattr(problem, "bias") else _numbered("weight")
    return (Group("weights", 0, problem.dim, 1, "{row}", row, str),)


def _group(problem: Problem, name: str, where: slice, states: int, state: Callable[[int], str]) -> Group:
    """One of the slices that a problem names."""
    size = where.stop - where.start
    if name in ("start", "stop"):
        words = "begins with {col}" if name == "start" else "ends with {col}"
        return Group(name, where.start, 1, size, words, str, state)
    if states and size == states * states and name != "emissions":
        words = "after {row} comes {col}" if name == "transitions" else name + ": {row} with {col}"
        return Group(name, where.start, states, states, words, state, state)
    if states and size % states == 0:
        rows = size // states
        row = _features(problem, rows) if name == "emissions" else _numbered(name)
        return Group(name, where.start, rows, states, "{row} for {col}", row, state)
    return Group(name, where.start, size, 1, "{row}", _numbered(name), str)


def _names(named: Any, count: int, word: str) -> Callable[[int], str]:
    return (lambda j: str(named[j])) if len(named) == count else _numbered(word)


def _numbered(word: str) -> Callable[[int], str]:
    return lambda j: f"{word} {j + 1}"


def _features(problem: Problem, rows: int) -> Callable[[int], str]:
    """What feature r is called: the data's own name, a pixel (row, column), the constant, or its number."""
    meta = problem.dataset.meta
    if len(meta.get("feature_names", ())) == rows:
        return lambda r: str(meta["feature_names"][r])
    shape = meta.get("image_shape")
    pixels = math.prod(shape) if shape else 0
    bias = getattr(problem, "bias", "none") != "none"

    def name(r: int) -> str:
        if r < pixels:
            return f"pixel ({r // shape[1] + 1},{r % shape[1] + 1})"
        if pixels and rows == pixels + 1:
            return "constant"
        return "bias" if bias and r == 0 else f"feature {r + (0 if bias else 1)}"

    return name


def frame(problem: Problem, trace: Trace, at: int, aspect: float = 2.0, with_path: bool = True) -> Frame | None:
    """The weights of the nearest kept step up to `at`, what it changed, and the path; None if untrained."""
    if not len(trace):
        return None
    moment = trace.at(min(at, len(trace) - 1))
    kept = sorted(trace.weights.kept)
    before = max((s for s in kept if s < moment.w_at), default=-1)
    old = trace.weights.kept[before] if before >= 0 else np.zeros_like(moment.w)
    parts = groups(problem)
    sheet, side, note = sheets(problem, parts, moment.w, aspect)
    steps = np.array(kept)[np.unique(np.linspace(0, len(kept) - 1, min(len(kept), MOST_POINTS)).astype(int))]
    steps = steps if with_path else steps[:0]
    norms, cosines = path([trace.weights.kept[int(s)] for s in steps])
    return Frame(
        moment.at, moment.w_at, before, moment.w, sheet, side, note, biggest(parts, moment.w),
        biggest(parts, moment.w - old), steps, norms, cosines,
    )  # fmt: skip


def biggest(parts: tuple[Group, ...], values: Array, count: int = TOP) -> tuple[tuple[str, float], ...]:
    """The entries of largest size, named in words, the largest first; zeros are left out."""
    size = np.abs(values)
    chosen = np.argpartition(-size, count)[:count] if len(size) > count else np.arange(len(size))
    chosen = chosen[np.argsort(-size[chosen], kind="stable")]
    return tuple((word_of(parts, int(j)), float(values[j])) for j in chosen if values[j] != 0.0)


def word_of(parts: tuple[Group, ...], j: int) -> str:
    """What weight j stands for."""
    return next((part.word(j) for part in parts if part.start <= j < part.stop), f"weight {j + 1}")


def path(weights: list[Array]) -> tuple[Array, Array]:
    """Lengths, and cosines to the last vector; NaN where a vector is 0."""
    # Not w @ w: for products of this size the threads of the linear algebra library cost more than they save.
    norms = np.array([math.sqrt(np.einsum("i,i->", w, w)) for w in weights])
    along = np.array([float(np.einsum("i,i->", w, weights[-1])) for w in weights])
    with np.errstate(invalid="ignore", divide="ignore"):
        return norms, along / (norms * norms[-1:])


def sheets(
    problem: Problem, parts: tuple[Group, ...], w: Array, aspect: float
) -> tuple[Sheet | None, Sheet | None, str]:
    """The largest matrix of weights, the smaller one beside it, and what had to be left out.

    Without any matrix there is no sheet, and bars are drawn. `aspect` is width over height of the first.
    """
    found = {part.name: part for part in parts}
    matrices = [part for part in parts if part.cols > 1 and part.rows > 1 and part.name != "transitions"]
    if not matrices:
        return None, None, ""
    main = max(matrices, key=lambda part: part.rows * part.cols)
    side = transition_sheet(found, w) if "transitions" in found else None
    room = MOST_CELLS - (len(side.value) if side else 0)
    shape = problem.dataset.meta.get("image_shape", (0, 0))
    pixels = math.prod(shape)
    if 0 < pixels <= main.rows and main.rows * main.cols <= room:
        rest = np.arange(pixels, main.rows)
        if len(rest) and side is None:
            side = table_sheet(main, w, rest, "others")
        return tiled(main, w, shape, aspect), side, ""
    if main.rows * main.cols <= room:
        return table_sheet(main, w, np.arange(main.rows)), side, ""
    keep = np.sort(np.argsort(-np.abs(main.cells(w)).max(axis=1), kind="stable")[:FEW])
    note = f"Shown are the {len(keep)} of {main.rows:,} features with the largest weights."
    return table_sheet(main, w, keep), side, note


def tiled(part: Group, w: Array, shape: tuple[int, int], aspect: float) -> Sheet:
    """One small image per state, in as many columns as make them largest."""
    (high, wide), K = shape, part.cols
    down = high + TILE_HEAD + 0.5
    sizes = {n: min(aspect / (n * (wide + 1)), 1 / (math.ceil(K / n) * down)) for n in range(1, K + 1)}
    columns = max(sizes, key=lambda n: sizes[n])
    r, c, k = (a.ravel() for a in np.indices((high, wide, K)))
    x, y = k % columns * (wide + 1.0) + c, k // columns * down + r
    words = tuple(part.word(part.start + j) for j in range(len(r)))
    left, top = np.arange(K) % columns * (wide + 1.0), np.arange(K) // columns * down
    heads = zip(left + (wide - 1) / 2, top - 0.5 - TILE_HEAD / 2, map(part.col, range(K)), strict=True)
    what = "state" if part.name == "emissions" else "class"
    cells = w[part.start : part.start + len(r)]
    return Sheet(f"pixels for each {what}", x, y, cells, words, {}, {}, tuple(heads))


def table_sheet(part: Group, w: Array, keep: Ints, title: str = "features across, states down") -> Sheet:
    """The features `keep` from left to right, states downwards."""
    f, k = (a.ravel() for a in np.indices((len(keep), part.cols)))
    index = part.start + keep[f] * part.cols + k
    short = [part.row(int(r)).removeprefix("feature ") for r in keep]
    every = 1 if len(keep) <= 20 else math.ceil(len(keep) / 10)
    across = {float(j): short[j] for j in range(0, len(keep), every)}
    down = {float(j): part.col(j) for j in range(part.cols)}
    words = tuple(part.word(int(j)) for j in index)
    return Sheet(title, f * 1.0, k * 1.0, w[index], words, across, down)


def transition_sheet(found: Mapping[str, Group], w: Array) -> Sheet | None:
    """From the row's state to the column's, with a row "start" and a column "stop" where there are any."""
    part = found["transitions"]
    K = part.rows
    if (K + 1) ** 2 > MOST_CELLS // 2:
        return None
    y, x = np.divmod(np.arange(K * K, dtype=float), K)
    index = part.start + np.arange(K * K)
    across = down = {float(j): part.col(j) for j in range(K)}
    if "start" in found and "stop" in found:
        x, y = np.r_[x, np.arange(K), np.full(K, K + APART)], np.r_[y, np.full(K, -1 - APART), np.arange(K)]
        index = np.r_[index, found["start"].start + np.arange(K), found["stop"].start + np.arange(K)]
        across, down = across | {K + APART: "stop"}, down | {-1 - APART: "start"}
    words = tuple(word_of(tuple(found.values()), int(j)) for j in index)
    return Sheet("row, then column", x, y, w[index], words, across, down)


def sentence(shown: Frame | None) -> str:
    """How long w is, and what this step changed most."""
    if shown is None:
        return "Nothing trained yet: press play, and the weights appear here."
    length = math.sqrt(np.einsum("i,i->", shown.w, shown.w))
    kept = "" if shown.w_at == shown.at else f" (of step {shown.w_at}, the nearest one kept)"
    text = f"Step {shown.at}: {len(shown.w):,} weights{kept}, |w| = {number(length)}."
    since = f"since step {shown.before}" if shown.before >= 0 else "from 0"
    if shown.changes:
        name, change = shown.changes[0]
        verb = "rose" if change > 0 else "fell"
        text += f" Biggest change {since}: {name} {verb} by {number(abs(change))}."
    else:
        text += f" Nothing changed {since}."
    return f"{text} {shown.note}".strip()


def table(shown: Frame | None) -> dict[str, Any]:
    """The largest weights and the largest changes, side by side."""
    if shown is None:
        return {"largest weights": [], "weight": [], "biggest changes": [], "change": []}
    count = max(len(shown.top), len(shown.changes))
    columns = {}
    both = (("largest weights", "weight", shown.top), ("biggest changes", "change", shown.changes))
    for name, value, rows in both:
        padded = [*rows, *[("", "")] * (count - len(rows))]
        columns |= {name: [row[0] for row in padded], value: [row[1] for row in padded]}
    return columns


def diverging(theme: Theme, steps: int = 51) -> list[str]:
    """From the theme's low colour over its background to its high colour."""
    colours = (theme.low, theme.background, theme.high)
    low, mid, high = (np.array([int(c[i : i + 2], 16) for i in (1, 3, 5)]) for c in colours)
    t = np.linspace(-1.0, 1.0, steps)[:, None]
    mixed = mid + np.abs(t) * (np.where(t < 0, low, high) - mid)
    return ["#" + "".join(f"{round(float(v)):02x}" for v in row) for row in mixed]


class Sized:
    """A figure that knows how large the browser draws it, and tells when that changes."""

    def __init__(self, resized: Callable[[], None]) -> None:
        self.resized = resized
        self.high, self.wide = LABELS_HEIGHT, 4 * LABELS_HEIGHT
        self.plot = figure(
            x_range=Range1d(0, 1), y_range=Range1d(1, 0), toolbar_location=None, tools="", title=" ",
            sizing_mode="stretch_both",
        )  # fmt: skip
        for name in ("inner_height", "inner_width"):
            self.plot.on_change(name, self._resized)

    def _resized(self, attr: str, old: Any, new: Any) -> None:
        """The browser laid the figure out anew; a few pixels are our own labels and no reason to draw again."""
        name = "high" if attr == "inner_height" else "wide"
        if new and abs(new - getattr(self, name)) > FEW_PIXELS:
            setattr(self, name, int(new))
            self.resized()

    @property
    def aspect(self) -> float:
        """Width over height."""
        return self.wide / self.high


class Cells(Sized):
    """A figure of coloured cells; filled from a Sheet."""

    def __init__(self, resized: Callable[[], None]) -> None:
        super().__init__(resized)
        self.rows = 1.0
        self.source = ColumnDataSource({"x": [], "y": [], "value": [], "word": []})
        self.strokes = ColumnDataSource({"x0": [], "x1": [], "y": []})
        self.marks = ColumnDataSource({"x": [], "y": [], "text": []})
        self.mapper = LinearColorMapper(palette=["#000000"], low=-1.0, high=1.0)
        fill = {"field": "value", "transform": self.mapper}
        cells = self.plot.rect("x", "y", 1, 1, source=self.source, fill_color=fill, line_width=0.5)
        self.minus = self.plot.segment("x0", "y", "x1", "y", source=self.strokes, line_width=1.5)
        self.text = self.plot.text("x", "y", "text", source=self.marks, text_align="center", **MIDDLE)
        self.cells = cells
        self.plot.add_tools(HoverTool(renderers=[cells], tooltips="@word: @value{0.0000}"))
        self.plot.grid.visible = False
        for axis in self.plot.axis:
            axis.update(ticker=FixedTicker(ticks=[]), axis_line_alpha=0, major_tick_line_alpha=0)
            axis.update(major_label_policy=NoOverlap(min_distance=1), major_label_standoff=0)

    def show(self, sheet: Sheet | None, font: int) -> None:
        """Put a sheet into the sources."""
        if sheet is None or not len(sheet.value):
            self.source.data = {"x": [], "y": [], "value": [], "word": []}
            return
        limit = float(np.max(np.abs(sheet.value))) or 1.0
        self.mapper.update(low=-limit, high=limit)
        self.source.data = {"x": sheet.x, "y": sheet.y, "value": sheet.value, "word": list(sheet.word)}
        dark, columns = sheet.value < -STROKED * limit, float(np.ptp(sheet.x)) + 1.0
        self.rows = float(np.ptp(sheet.y)) + 1.0
        half = 0.25 * min(1.0, columns / self.rows / self.aspect)
        self.strokes.data = {"x0": sheet.x[dark] - half, "x1": sheet.x[dark] + half, "y": sheet.y[dark]}
        tiles = list(zip(*sheet.tiles, strict=True)) or [(), (), ()]
        self.marks.data = dict(zip(("x", "y", "text"), tiles, strict=True))
        left, right = float(sheet.x.min()) - 0.5, float(sheet.x.max()) + 0.5
        top, bottom = float(sheet.y.min()) - 0.5, float(sheet.y.max()) + 0.5
        if sheet.tiles:
            top -= TILE_HEAD
            spare = max(0.0, (bottom - top) * self.aspect - (right - left)) / 2
            left, right, bottom = left - spare, right + spare, max(bottom, top + (right - left) / self.aspect)
        self.plot.x_range.update(start=left, end=right)
        self.plot.y_range.update(start=bottom, end=top)
        self.plot.title.text = f"{sheet.title}, ±{limit:.2g}"
        for axis, labels in ((self.plot.xaxis[0], sheet.across), (self.plot.yaxis[0], sheet.down)):
            axis.ticker.ticks, axis.visible = sorted(labels), bool(labels)
            axis.major_label_overrides = dict(labels)
        self._fit(font)

    def _fit(self, font: int) -> None:
        """Labels no larger than their rows."""
        size = max(8, min(font, int(0.8 * self.high / self.rows)))
        self.plot.axis.major_label_text_font_size = f"{size}px"
        head = int(0.9 * TILE_HEAD * self.high / abs(self.plot.y_range.end - self.plot.y_range.start))
        self.text.glyph.text_font_size = f"{max(8, min(font, head))}px"

    def recolour(self, theme: Theme) -> None:
        """The theme's diverging scale."""
        self.mapper.palette = diverging(theme)
        self.cells.glyph.line_color = theme.background
        self.minus.glyph.line_color = self.text.glyph.text_color = theme.text
        self.plot.title.text_font_style, self.plot.outline_line_color = "normal", None
        self._fit(theme.font)


class Bars(Sized):
    """Signed bars, each named on the other side of its zero line, in one or two columns."""

    def __init__(self, resized: Callable[[], None]) -> None:
        super().__init__(resized)
        columns = ("left", "right", "y", "name", "value", "side", "end", "out")
        self.parts = {sign: ColumnDataSource({name: [] for name in columns}) for sign in ("rise", "fall")}
        self.plot.axis.visible = self.plot.grid.visible = False
        self.glyphs: dict[str, tuple[Any, Any, Any]] = {}
        for sign, source in self.parts.items():
            hatch = {"hatch_pattern": "right_diagonal_line", "hatch_scale": 6} if sign == "fall" else {}
            bar = self.plot.hbar(y="y", left="left", right="right", height=0.55, source=source, **hatch)
            ways = ("right", "left") if sign == "rise" else ("left", "right")
            name = self.plot.text("side", "y", "name", source=source, text_align=ways[0], **MIDDLE)
            value = self.plot.text("out", "y", "end", source=source, text_align=ways[1], **MIDDLE)
            self.plot.add_tools(HoverTool(renderers=[bar], tooltips="@name: @value{0.0000}"))
            self.glyphs[sign] = (bar, name, value)

    def show(self, title: str, rows: tuple[tuple[str, float], ...], font: int) -> None:
        """The named values, largest first, downwards in each column: as many as can be read at this size."""
        per = int(np.clip(self.high // (1.3 * font), 2, TOP // 2))
        columns = 1 if len(rows) <= per or self.wide < 40 * font else 2
        rows = rows[: per * columns]
        limit = max((abs(v) for _, v in rows), default=1.0)
        for sign, source in self.parts.items():
            own = [(j, name, v) for j, (name, v) in enumerate(rows) if (v > 0) == (sign == "rise")]
            zero = np.array([j // per * 3.6 for j, _, _ in own])
            size = np.array([v / limit for *_, v in own])
            gap = 0.05 if sign == "rise" else -0.05
            source.data = {
                "left": np.minimum(zero, zero + size),
                "right": np.maximum(zero, zero + size),
                "y": np.array([j % per for j, _, _ in own], dtype=float),
                "name": [name for _, name, _ in own],
                "value": np.array([v for *_, v in own]),
                "side": zero - gap,
                "end": [f"{v:+.3g}".replace("-", "−") for *_, v in own],
                "out": zero + size + gap,
            }
        self.plot.title.text = title
        self.plot.x_range.update(start=-1.75, end=1.75 + 3.6 * (columns - 1))
        self.plot.y_range.update(start=max(3, min(per, len(rows))) - 0.5, end=-0.5)

    def recolour(self, theme: Theme) -> None:
        """Red rises, blue falls and is hatched."""
        for sign, (bar, name, value) in self.glyphs.items():
            bar.glyph.fill_color = bar.glyph.line_color = theme.high if sign == "rise" else theme.low
            bar.glyph.hatch_color = theme.background
            for text in (name, value):
                text.glyph.text_color, text.glyph.text_font_size = theme.text, f"{theme.font}px"
        self.plot.title.text_font_style, self.plot.outline_line_color = "normal", None


class Weights(View):
    """The weight vector."""

    title: ClassVar[str] = "Weights"
    name_key: ClassVar[str] = "weights"
    help: ClassVar[str] = (
        "What has been learned: one weight per feature and state. Red speaks for a state, blue with a minus "
        "stroke against it."
    )

    part = param.Selector(
        objects=list(PARTS), default="weights", doc="The weights, this step's changes, or the path so far."
    )

    def build(self) -> Any:
        self.cells, self.side = Cells(self.refresh), Cells(self.refresh)
        self.bars = Bars(self.refresh)
        self.line_source = ColumnDataSource({"step": [], "length": [], "cosine": [], "norm": []})
        self.lines = self._lines()
        plots = (self.cells.plot, self.side.plot, self.bars.plot, self.lines)
        self.figures += plots
        whole = {"sizing_mode": "stretch_both", "margin": 0}
        panes = [pn.pane.Bokeh(plot, min_height=130, **whole) for plot in plots]
        choose = pmui.RadioButtonGroup.from_param(self.param.part, size="small", margin=(0, 8), label="", sx=SMALL)
        self.param.watch(lambda *_: self.refresh(), ["part", "theme"])
        return pn.Column(choose, pn.Row(*panes, **whole), **whole)

    def _lines(self) -> Any:
        plot = figure(
            x_axis_label="step",
            y_range=Range1d(0, 1),
            toolbar_location=None,
            tools="",
            sizing_mode="stretch_both",
        )
        data = {"source": self.line_source}
        length = plot.line("step", "length", legend_label="|w| / last |w|", **data)
        dots = plot.scatter("step", "length", size=5, **data)
        cosine = plot.line("step", "cosine", line_dash="dashed", legend_label="cosine to last w", **data)
        squares = plot.scatter("step", "cosine", size=5, marker="square", **data)
        tips = [("step", "@step{0}"), ("|w|", "@norm{0.0000}"), ("cosine", "@cosine{0.0000}")]
        plot.add_tools(HoverTool(renderers=[length], tooltips=tips, mode="vline"))
        self.cursor = Span(dimension="height", line_width=2)
        plot.add_layout(self.cursor)
        plot.legend.location, plot.legend.orientation = "top_left", "horizontal"
        self.on_tap(plot, lambda x, y: self.session.seek(round(x)))
        self.line_parts = (length, dots, cosine, squares)
        return plot

    def frame(self) -> Frame | None:
        session, aspect = self.session, self.cells.aspect
        return frame(session.problem, session.trace, session.cursor, aspect, self.part == "path")

    def show(self, shown: Frame | None) -> None:
        barred = shown is None or shown.sheet is None
        on = {"weights": (not barred, not barred and shown.side is not None, barred, False)}
        visible = on.get(self.part, (False, False, self.part == "changes", self.part == "path"))
        for plot, seen in zip(self.figures, visible, strict=True):
            plot.visible = seen
        if visible[0]:
            self.cells.show(shown.sheet, self.theme.font)
        if visible[1]:
            self.side.show(shown.side, self.theme.font)
            self.side.plot.max_width = int(np.clip(70 + 22 * len(shown.side.across), 130, 300))
        if visible[2]:
            rows = () if shown is None else shown.changes if self.part == "changes" else shown.top
            self.bars.show(self._title(shown, rows), rows, self.theme.font)
        if visible[3]:
            self._show_path(shown)

    def _title(self, shown: Frame | None, rows: tuple[tuple[str, float], ...]) -> str:
        if shown is None:
            return ""
        if self.part == "weights":
            return "largest weights" if len(shown.w) > len(rows) else "all weights"
        since = f"since step {shown.before}" if shown.before >= 0 else "from 0"
        return f"biggest changes {since}" if rows else f"nothing changed {since}"

    def _show_path(self, shown: Frame | None) -> None:
        if shown is None:
            self.line_source.data = {"step": [], "length": [], "cosine": [], "norm": []}
            return
        last = shown.norms[-1] or 1.0
        columns = (shown.steps, shown.norms / last, shown.cosines, shown.norms)
        self.line_source.data = dict(zip(("step", "length", "cosine", "norm"), columns, strict=True))
        values = np.concatenate([shown.norms / last, shown.cosines, [0.0, 1.0]])
        low, high = float(np.nanmin(values)), float(np.nanmax(values))
        self.lines.y_range.update(start=low - 0.05, end=high + 0.3 * (high - low))
        self.cursor.location = float(shown.at)

    def sentence(self, shown: Frame | None) -> str:
        return sentence(shown)

    def table(self, shown: Frame | None) -> dict[str, Any]:
        return table(shown)

    def recolour(self, theme: Theme) -> None:
        self.cells.recolour(theme)
        self.side.recolour(theme)
        self.bars.recolour(theme)
        length, dots, cosine, squares = self.line_parts
        self.cursor.line_color = theme.accent
        self.lines.legend.spacing = theme.font
        for line, marks, colour in ((length, dots, theme.primal), (cosine, squares, theme.dual)):
            line.glyph.line_color = marks.glyph.line_color = colour
            marks.glyph.fill_color, line.glyph.line_width = theme.background, theme.line
