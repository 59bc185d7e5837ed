"""Which examples are hard: the loss of every example at this step's w, and which state is taken for which.

    loss_i = Delta(y_i, predict(w, x_i)),    confusion[a, b] = positions of state a that are predicted as b

The predictions are those of the problem's own predictor at the cursor's weights. Cost: one prediction per
example; data of more than `MOST_POSITIONS` positions are looked at through evenly spaced examples.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import panel as pn
import panel_material_ui as pmui
import param
from bokeh.models import ColumnDataSource, FixedTicker, HoverTool, NoOverlap, Range1d
from bokeh.plotting import figure

from explorer.engine.protocols import Batch, Dataset, Problem
from explorer.engine.trace import Trace
from explorer.engine.vectors import Array, Ints
from explorer.views.theme import Theme
from explorer.views.view import View, number

SPLITS = ("training", "test")
MOST_POSITIONS = 4000
MOST_SINGLE = 200
"""Examples looked at when the problem predicts only one at a time."""

TOP = 60
KEPT = 64
TEXT = 40
MOST_STATES = 30
"""Confusions of more states than this are not drawn."""

CELLS_HEIGHT = 120
"""Pixels that the matrix can count on before the browser has said how many there are."""

FEW_PIXELS = 5
LEAST_ROW = 9
"""Rows lower than this carry no numbers."""

SMALL = {"& button": {"padding": "1px 10px", "textTransform": "none", "fontSize": "0.8rem", "whiteSpace": "nowrap"}}
"""Low buttons: a view may be no more than 260 pixels high."""


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """Losses of the looked-at examples, the hardest first, and counts of confused positions."""

    at: int
    w_at: int
    split: str
    n: int
    looked: int
    wrong: int
    mean: float
    example: Ints
    loss: Array
    length: Ints
    truth: tuple[str, ...]
    guess: tuple[str, ...]
    states: tuple[str, ...]
    confusion: Ints
    worst: Ints


def chosen(dataset: Dataset, single: bool) -> Ints:
    """The examples to look at: all, or evenly spaced ones when that would be too many positions."""
    n = len(dataset)
    sizes = np.array([np.size(label) for label in dataset.labels])
    room = MOST_POSITIONS * n / max(1, int(sizes.sum()))
    most = int(max(1, min(n, room, MOST_SINGLE if single else n)))
    return np.unique(np.linspace(0, n - 1, most).astype(np.int64))


def part_of(dataset: Dataset, examples: Ints) -> Dataset:
    """Some of the examples as a data set of their own."""
    if len(examples) == len(dataset):
        return dataset
    inputs, labels = _taken(dataset.inputs, examples), _taken(dataset.labels, examples)
    return replace(dataset, inputs=inputs, labels=labels)


def _taken(values: Any, examples: Ints) -> Any:
    return values[examples] if isinstance(values, np.ndarray) else tuple(values[int(i)] for i in examples)


def frame(problem: Problem, trace: Trace, at: int, split: str = "training") -> Frame | None:
    """What the weights of the nearest kept step up to `at` do on the problem's data; None if untrained."""
    if not len(trace) or not problem.n:
        return None
    moment = trace.at(min(at, len(trace) - 1))
    looked = chosen(problem.dataset, not isinstance(problem, Batch))
    part = problem if len(looked) == problem.n else problem.on(part_of(problem.dataset, looked))
    inputs, labels = part.dataset.inputs, part.dataset.labels
    batch = isinstance(part, Batch)
    guesses = part.predictions(moment.w) if batch else [part.predict(moment.w, x) for x in inputs]
    losses = np.array([part.loss(i, guess) for i, guess in enumerate(guesses)], dtype=float)
    order = np.argsort(-losses, kind="stable")
    states = state_names(problem)
    confusion, worst = confused(labels, guesses, order, len(states))
    top = order[:TOP]
    return Frame(
        moment.at, moment.w_at, split, problem.n, len(looked), int(np.count_nonzero(losses > 0.0)),
        float(losses.mean()), looked[top], losses[top], np.array([np.size(labels[int(i)]) for i in top]),
        tuple(spelled(labels[int(i)], states) for i in top),
        tuple(spelled(guesses[int(i)], states) for i in top), states, confusion,
        np.where(worst >= 0, looked[worst], -1),
    )  # fmt: skip


def state_names(problem: Problem) -> tuple[str, ...]:
    """What the states or classes are called."""
    named = problem.dataset.meta.get("states", ())
    count = int(getattr(problem, "states", getattr(problem, "classes", len(named))))
    return tuple(str(name) for name in (named if len(named) == count else range(count)))


def confused(labels: Any, guesses: Sequence[Any], order: Ints, states: int) -> tuple[Ints, Ints]:
    """Counts of (truth, guess) over all positions, and the hardest example of each pair, or -1.

    Both are empty when labels are not states, or not position by position.
    """
    count = np.zeros((states, states), dtype=np.int64)
    worst = np.full((states, states), -1, dtype=np.int64)
    for i in reversed(order.tolist()):
        truth, guess = np.ravel(labels[i]), np.ravel(guesses[i])
        if not state_like(truth, states) or not state_like(guess, states) or len(truth) != len(guess):
            return np.zeros((0, 0), dtype=np.int64), np.zeros((0, 0), dtype=np.int64)
        np.add.at(count, (truth, guess), 1)
        worst[truth, guess] = i
    return count, worst


def state_like(label: Any, states: int) -> bool:
    """Whether the entries are numbers of states."""
    return label.dtype.kind in "iu" and bool(np.all((label >= 0) & (label < states)))


def spelled(label: Any, states: tuple[str, ...]) -> str:
    """A labelling as a short text."""
    flat = np.ravel(label)
    if not state_like(flat, len(states)):
        return str(label)[:TEXT]
    names = [states[int(s)] for s in flat]
    text = ("" if all(len(name) == 1 for name in names) else " ").join(names)
    return text if len(text) <= TEXT else text[: TEXT - 1] + "…"


def sentence(shown: Frame | None) -> str:
    """How many examples are wrong, which is the hardest, and which states are confused most."""
    if shown is None:
        return "Nothing trained yet: press play, and the hardest examples appear here."
    kept = "" if shown.w_at == shown.at else f" (weights of step {shown.w_at}, the nearest kept)"
    some = "" if shown.looked == shown.n else f" of {shown.n:,} evenly sampled"
    text = f"Step {shown.at}{kept}, {shown.split} data: {shown.wrong} of {shown.looked:,} examples{some} "
    text += f"are wrong, mean loss {number(shown.mean)}."
    if shown.wrong:
        text += f" Hardest is example {shown.example[0]}, loss {number(float(shown.loss[0]))}."
    off = shown.confusion * (1 - np.eye(len(shown.confusion), dtype=np.int64))
    if off.size and off.max() > 0:
        a, b = np.unravel_index(int(np.argmax(off)), off.shape)
        times = "once" if off[a, b] == 1 else f"{off[a, b]} times"
        text += f" Most often {shown.states[a]} is taken for {shown.states[b]}: {times}."
    return text


def table(shown: Frame | None) -> dict[str, Any]:
    """The hardest examples with their labels."""
    if shown is None:
        return {"example": [], "loss": [], "positions": [], "truth": [], "predicted": []}
    return {
        "example": shown.example, "loss": [float(v) for v in shown.loss], "positions": shown.length,
        "truth": shown.truth, "predicted": shown.guess,
    }  # fmt: skip


class Examples(View):
    """Loss per example and confusions."""

    title: ClassVar[str] = "Examples"
    name_key: ClassVar[str] = "examples"
    help: ClassVar[str] = (
        "The loss of each example at this step, the hardest first, and which state is taken for which. Click "
        "a bar or a cell of the matrix to open that training example in the other views."
    )

    split = param.Selector(objects=list(SPLITS), default="training", doc="Which data are looked at.")

    def build(self) -> Any:
        self._known: OrderedDict[tuple[int, str], Frame] = OrderedDict()
        self._known_for: tuple[Any, ...] = ()
        self._held_out: Problem | None = None
        self.shown: Frame | None = None
        self.high = CELLS_HEIGHT
        columns = ("rank", "loss", "example", "length", "truth", "guess")
        self.source = ColumnDataSource({name: [] for name in columns})
        self.picked = ColumnDataSource({"x": [], "y": []})
        columns = ("x", "y", "text", "fill", "words")
        self.cell_source, self.diagonal = (ColumnDataSource({name: [] for name in columns}) for _ in "ab")
        self.figures += [self._bars(), self._matrix()]
        whole = {"sizing_mode": "stretch_both", "margin": 0}
        panes = [pn.pane.Bokeh(plot, min_height=130, **whole) for plot in self.figures]
        self.choose = pmui.RadioButtonGroup.from_param(
            self.param.split, size="small", margin=(0, 8), label="", sx=SMALL
        )
        self.param.watch(lambda *_: self.refresh(), ["split"])
        return pn.Column(self.choose, pn.Row(*panes, **whole), **whole)

    def _bars(self) -> Any:
        plot = figure(
            x_range=Range1d(-0.8, TOP), y_range=Range1d(0, 1), tools="", toolbar_location=None,
            y_axis_label="loss", x_axis_label="examples, hardest first", sizing_mode="stretch_both",
        )  # fmt: skip
        self.bars = plot.vbar("rank", 0.8, "loss", source=self.source)
        self.pointer = plot.scatter("x", "y", marker="inverted_triangle", source=self.picked)
        tips = [
            ("example", "@example"), ("loss", "@loss{0.[000]} over @length positions"), ("truth", "@truth"),
            ("predicted", "@guess"),
        ]  # fmt: skip
        plot.add_tools(HoverTool(renderers=[self.bars], tooltips=tips, mode="vline"))
        plot.xaxis.ticker = FixedTicker(ticks=[])
        plot.xgrid.visible = False
        plot.xaxis.axis_label_standoff = plot.yaxis.axis_label_standoff = 4
        self.on_tap(plot, self._pick)
        return plot

    def _matrix(self) -> Any:
        plot = figure(
            x_range=Range1d(0, 1), y_range=Range1d(1, 0), tools="", toolbar_location=None,
            y_axis_label="truth", x_axis_label="predicted", sizing_mode="stretch_both",
        )  # fmt: skip
        self.cells = []
        for source in (self.cell_source, self.diagonal):
            cell = plot.rect("x", "y", 1, 1, source=source, fill_alpha="fill", line_width=1)
            text = plot.text("x", "y", "text", source=source, text_align="center", text_baseline="middle")
            plot.add_tools(HoverTool(renderers=[cell], tooltips="@words"))
            self.cells.append((cell, text))
        plot.grid.visible = False
        for axis in plot.axis:
            axis.update(ticker=FixedTicker(ticks=[]), major_label_policy=NoOverlap(min_distance=1))
            axis.update(axis_line_alpha=0, major_tick_line_alpha=0)
            axis.update(major_label_standoff=0, axis_label_standoff=2)
        plot.on_change("inner_height", self._resized)
        self.on_tap(plot, self._pick_cell)
        return plot

    def _pick(self, x: float, y: float) -> None:
        """Open the example of a bar in all views."""
        if self.shown is not None and 0 <= round(x) < len(self.shown.example):
            self._open(int(self.shown.example[round(x)]))

    def _pick_cell(self, x: float, y: float) -> None:
        """Open the hardest example with this confusion."""
        a, b = round(y), round(x)
        if self.shown is not None and min(a, b) >= 0 and max(a, b) < len(self.shown.worst):
            self._open(int(self.shown.worst[a, b]))

    def _open(self, example: int) -> None:
        """Show an example everywhere; the other views know training examples only."""
        if example >= 0 and self.shown is not None and self.shown.split == "training":
            self.session.example = example

    def frame(self) -> Frame | None:
        session = self.session
        split = self.split if session.test is not None else "training"
        held = (session.trace, session.problem, session.test)
        if not self._known_for or any(a is not b for a, b in zip(held, self._known_for, strict=True)):
            self._known.clear()
            self._known_for, self._held_out = held, None
        if not len(session.trace):
            return None
        at = min(session.cursor, len(session.trace) - 1)
        key = (session.trace.at(at).w_at, split)
        if key not in self._known:
            found = frame(self._problem(split), session.trace, at, split)
            if found is None:
                return None
            self._known[key] = found
            while len(self._known) > KEPT:
                self._known.popitem(last=False)
        return replace(self._known[key], at=at)

    def _problem(self, split: str) -> Problem:
        """The problem on the chosen data; on the test data it is made once."""
        if split == "training" or self.session.test is None:
            return self.session.problem
        if self._held_out is None:
            self._held_out = self.session.problem.on(self.session.test)
        return self._held_out

    def show(self, shown: Frame | None) -> None:
        self.shown = shown
        self.choose.visible = self.session.test is not None
        if shown is None:
            for source in (self.source, self.picked, self.cell_source, self.diagonal):
                source.data = {name: [] for name in source.data}
            return
        rank = np.arange(len(shown.example), dtype=float)
        self.source.data = {
            "rank": rank, "loss": shown.loss, "example": shown.example, "length": shown.length,
            "truth": list(shown.truth), "guess": list(shown.guess),
        }  # fmt: skip
        top = float(shown.loss.max(initial=0.0)) or 1.0
        self.figures[0].y_range.update(start=0.0, end=1.15 * top)
        self.figures[0].x_range.end = max(10.0, len(rank) - 0.2)
        here = np.flatnonzero((shown.example == self.session.example) & (shown.split == "training"))
        self.picked.data = {"x": here, "y": shown.loss[here] + 0.06 * top}
        self._show_matrix(shown)
        self._fit()

    def _show_matrix(self, shown: Frame) -> None:
        K, plot = len(shown.confusion), self.figures[1]
        plot.visible = 0 < K <= MOST_STATES
        if not plot.visible:
            return
        share = shown.confusion / np.maximum(1, shown.confusion.sum(axis=1, keepdims=True))
        a, b = (index.ravel() for index in np.indices((K, K)))
        for source, which in ((self.cell_source, a != b), (self.diagonal, a == b)):
            y, x = a[which], b[which]
            count = shown.confusion[y, x]
            names = [(shown.states[i], shown.states[j]) for i, j in zip(y, x, strict=True)]
            source.data = {
                "x": x, "y": y, "text": [str(c) if c else "" for c in count],
                "fill": np.where(count > 0, 0.12 + 0.5 * share[y, x], 0.0),
                "words": [f"{i} read as {j}: {c} positions" for (i, j), c in zip(names, count, strict=True)],
            }  # fmt: skip
        plot.x_range.update(start=-0.5, end=K - 0.5)
        plot.y_range.update(start=K - 0.5, end=-0.5)
        plot.max_width = int(np.clip(120 + 22 * K, 200, 340))
        for axis in (plot.xaxis[0], plot.yaxis[0]):
            axis.ticker.ticks = list(range(K))
            axis.major_label_overrides = dict(enumerate(shown.states))

    def sentence(self, shown: Frame | None) -> str:
        if shown is None and not self.session.problem.n:
            return "This problem is a risk without examples: there is nothing to get wrong."
        return sentence(shown)

    def table(self, shown: Frame | None) -> dict[str, Any]:
        return table(shown)

    def recolour(self, theme: Theme) -> None:
        self.bars.glyph.update(fill_color=theme.rival, line_color=None)
        self.pointer.glyph.update(fill_color=theme.accent, line_color=theme.background, size=theme.font)
        for (cell, text), colour in zip(self.cells, (theme.rival, theme.truth), strict=True):
            cell.glyph.update(fill_color=colour, line_color=theme.grid)
            text.glyph.text_color = theme.text
        self.figures[1].outline_line_color = None
        self._fit()

    def _resized(self, attr: str, old: Any, new: Any) -> None:
        """The browser laid the matrix out anew; a few pixels are our own labels."""
        if new and abs(new - self.high) > FEW_PIXELS:
            self.high = int(new)
            self._fit()

    def _fit(self) -> None:
        """Numbers no larger than their cells; none where a cell is too low to read one."""
        matrix = self.figures[1]
        row = self.high / max(1, len(self.shown.confusion) if self.shown else 1)
        size = max(8, min(self.theme.font, int(0.75 * row)))
        matrix.axis.major_label_text_font_size = f"{size}px"
        for _, text in self.cells:
            text.glyph.text_font_size, text.visible = f"{size}px", row >= LEAST_ROW
