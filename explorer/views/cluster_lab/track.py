"""What a clusterer's numbers do over its steps: a climbing objective, a tree of merges, a spectrum, the best
partitions.
"""

from typing import Any, ClassVar

import numpy as np
from bokeh.models import BasicTicker, CustomJSTickFormatter, HoverTool, Label, Span

from explorer.labs.clusterings.film import Bars, Lines, Tree
from explorer.labs.clusterings.state import ClusterLab
from explorer.views.cluster_lab import over as columns
from explorer.views.cluster_lab.over import Over
from explorer.views.kit.drawing import fill, pane, plot, source
from explorer.views.kit.theme import Theme
from explorer.views.kit.view import View

NAMED = "return names[Math.round(tick)] ?? ''"
"""Whole numbers of an axis as names."""


class OverSteps(View[ClusterLab]):
    """Lines, a tree or bars."""

    title: ClassVar[str] = "Over the steps"
    name_key: ClassVar[str] = "over-steps"
    help: ClassVar[str] = (
        "Greedy merges: two blocks are joined at the height of the value that their merger reaches, with "
        "its gain. Moves, "
        "sweeps and rounds: the value after each. Spectral: all eigenvalues, those that are used filled. "
        "All partitions: the "
        "best ones. Click to go to a step."
    )
    follows = ("tick", "step")
    sentence = staticmethod(columns.sentence)
    table = staticmethod(columns.table)

    def build(self) -> Any:
        self.plot = plot("step", "score", min_border_right=12)
        self.lines, self.dots, self.bars = (
            source("xs ys name dash"),
            source("x y name"),
            source("x top name text fill base"),
        )
        self.called_lines = source("x y text")
        self.paths, self.gains = source("xs ys alpha width gain value"), source("x y text alpha")
        self.level, self.at = Span(dimension="width", line_dash="dotdash"), Span(dimension="height")
        self.called = Label(x=6, y=0, x_units="screen", y_offset=-3, text_baseline="top", padding=2)
        for part in (self.level, self.at, self.called):
            self.plot.add_layout(part)
        self.ticker, self.whole = BasicTicker(), BasicTicker(min_interval=1, desired_num_ticks=12)
        self.namer = CustomJSTickFormatter(code=NAMED, args={"names": {}})
        self.plot.xaxis.ticker, self.plot.xaxis.formatter = self.whole, self.namer
        self._glyphs()
        self.figures.append(self.plot)
        self.on_tap(self.plot, self._tapped)
        return pane(self.plot)

    def _glyphs(self) -> None:
        drawn = self.plot
        self.drawn = drawn.multi_line("xs", "ys", source=self.lines, line_dash="dash")
        self.ends = drawn.text(
            "x", "y", "text", source=self.called_lines, text_align="right", x_offset=-6, y_offset=-5
        )
        self.now = drawn.scatter("x", "y", source=self.dots, size=8)
        self.columns = drawn.vbar("x", 0.72, "top", 0, source=self.bars, fill_color="fill")
        self.tops = drawn.text(
            "x", "top", "text", source=self.bars, text_align="center", text_baseline="base"
        )
        self.tree = drawn.multi_line("xs", "ys", source=self.paths, line_alpha="alpha", line_width="width")
        self.notes = drawn.text(
            "x", "y", "text", source=self.gains, text_align="center", text_alpha="alpha", y_offset=-3
        )
        merged = [("gain", "@gain"), ("value", "@value{0.0000}")]
        self.plot.add_tools(HoverTool(renderers=[self.tree], tooltips=merged, line_policy="interp"))
        self.plot.add_tools(
            HoverTool(renderers=[self.columns], tooltips=[("", "@name"), ("value", "@top{0.0000}")])
        )
        self.plot.add_tools(
            HoverTool(renderers=[self.now], tooltips=[("", "@name"), ("value", "@y{0.0000}")])
        )

    def frame(self) -> Over:
        lab = self.session
        return Over(lab.film, min(lab.step, len(lab.film) - 1), lab.case.names)

    def show(self, frame: Over) -> None:
        for held in (self.lines, self.dots, self.bars, self.paths, self.gains, self.called_lines):
            if not _empty(held):
                fill(held)
        drawn = frame.drawn
        show = {Lines: self._show_lines, Tree: self._show_tree, Bars: self._show_bars}[type(drawn)]
        show(frame, drawn)

    def _show_lines(self, frame: Over, drawn: Lines) -> None:
        steps, count = drawn.values.shape
        fill(
            self.lines,
            [np.arange(steps)] * count,
            list(drawn.values.T),
            list(drawn.names),
            ["solid", "dashed"][:count],
        )
        if count > 1:
            fill(self.called_lines, [steps - 1] * count, drawn.values[-1], list(drawn.names))
        here = min(frame.step, steps - 1)
        fill(self.dots, [here] * count, drawn.values[here], list(drawn.names))
        self._axes(
            drawn.x,
            drawn.y,
            (-0.3, max(1, steps - 1) + 0.3),
            columns.span(np.append(drawn.values, drawn.level)),
            {},
        )
        self._mark(drawn.level, drawn.level_name, frame.step)

    def _show_tree(self, frame: Over, drawn: Tree) -> None:
        m = len(frame.names)
        held = columns.joints(m, drawn, frame.step)
        wide = [self.theme.line * (2.0 if now else 1.0) for now in held["now"]]
        fill(self.paths, held["xs"], held["ys"], held["alpha"], wide, held["hover"], held["ty"])
        fill(self.gains, held["tx"], held["ty"], held["text"], [max(a, 0.45) for a in held["alpha"]])
        names = {n: frame.names[item] for n, item in enumerate(columns.leaf_order(m, drawn))}
        tops = [drawn.start, *(one.value for one in drawn.merges)]
        value = "H" if self.session.question.asks_loss else "score"
        self._axes("items", f"{value} after the merge", (-0.6, m - 0.4), columns.span(tops), names)
        self._mark(float("nan"), "", None)

    def _show_bars(self, frame: Over, drawn: Bars) -> None:
        held = columns.bars(drawn)
        colours = [self.theme.dual if chosen else self.theme.grid for chosen in held["chosen"]]
        few = len(drawn.values) <= 14
        fill(
            self.bars,
            held["x"],
            held["top"],
            held["name"],
            held["text"] if few else [""] * len(colours),
            colours,
            held["base"],
        )
        names = dict(enumerate(drawn.names))
        self._axes(
            drawn.x,
            drawn.y,
            (-0.6, max(1, len(drawn.values)) - 0.4),
            columns.span(drawn.values, zero=True),
            names,
        )
        self._mark(float("nan"), "", None)

    def _axes(
        self, x: str, y: str, across: tuple[float, float], up: tuple[float, float], names: dict[int, str]
    ) -> None:
        self.plot.xaxis.axis_label, self.plot.yaxis.axis_label = x, y
        self.plot.x_range.update(start=across[0], end=across[1])
        self.plot.y_range.update(start=up[0], end=up[1])
        shown = names or {n: str(n) for n in range(int(across[1]) + 1)}
        self.namer.args = {"names": {str(n): name for n, name in shown.items()}}
        self.plot.xaxis.ticker = list(range(len(names))) if names else self.whole

    def _mark(self, level: float, called: str, step: int | None) -> None:
        """The level to compare with, and where the film stands."""
        known = bool(np.isfinite(level))
        self.level.update(location=level if known else 0.0, visible=known)
        self.called.update(y=level if known else 0.0, text=called, visible=known)
        self.at.update(location=step or 0, visible=step is not None)

    def _tapped(self, x: float, y: float) -> None:
        if isinstance(self.session.film.over, Lines):
            self.session.look_at_step(round(x))

    def recolour(self, theme: Theme) -> None:
        self.drawn.glyph.update(line_color=theme.dual, line_width=theme.line)
        self.now.glyph.update(fill_color=theme.background, line_color=theme.dual, line_width=theme.line)
        self.columns.glyph.update(line_color=theme.text, line_width=theme.line / 2)
        self.tree.glyph.line_color = theme.dual
        for text in (self.tops, self.notes, self.ends):
            text.glyph.update(text_color=theme.text, text_font_size=f"{theme.font}px")
        self.notes.glyph.update(background_fill_color=theme.background, background_fill_alpha=0.8, padding=1)
        self.level.update(line_color=theme.primal, line_width=theme.line)
        self.at.update(line_color=theme.muted, line_width=theme.line / 2, line_dash="dotted")
        self.called.update(text_color=theme.primal, text_font_size=f"{theme.font}px")
        self.called.update(background_fill_color=theme.background, background_fill_alpha=0.85)
        self.refresh()


def _empty(held: Any) -> bool:
    return not len(next(iter(held.data.values())))
