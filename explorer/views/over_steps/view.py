"""What an oracle's numbers do over its steps: scores that climb, beliefs that swing, merges, bars."""

from typing import Any, ClassVar

import numpy as np
from bokeh.models import BasicTicker, CustomJSTickFormatter, HoverTool, Label, Span

from explorer.labs.film import Curves, MergeTree, ValueBars
from explorer.labs.state import Lab
from explorer.views.kit.drawing.pieces import fill, pane, plot, source
from explorer.views.kit.drawing.theme import Theme
from explorer.views.kit.view import View
from explorer.views.over_steps import frame as columns
from explorer.views.over_steps.frame import OverFrame

NAMED = "return names[Math.round(tick)] ?? ''"
"""Whole numbers of an axis as names."""

MANY, FEW, WRITTEN = 40, 3, 14
"""Curves of more than MANY steps are thinner; up to FEW curves are named, up to WRITTEN bars numbered."""


class OverSteps(View[Lab[Any]]):
    """Curves, a tree or bars."""

    title: ClassVar[str] = "Over the steps"
    name_key: ClassVar[str] = "over-steps"
    help: ClassVar[str] = (
        "What the numbers do from step to step, against the best known one; click to go to a step. Belief "
        "propagation: how far the best state of each node is ahead of its rivals; below 0 the node is "
        "decoded wrongly (dashed: wrong at the end), and curves that never settle are an oscillation. Greedy "
        "merges: two blocks are joined at the height of the value that they reach, with the gain. Spectral: "
        "all eigenvalues, those that are used filled. Lists: the best ones."
    )
    follows = ("tick", "step", "picked")
    sentence = staticmethod(columns.sentence)
    table = staticmethod(columns.table)

    def build(self) -> Any:
        self.plot = plot("step", "score", min_border_right=12)
        self.curves, self.dots, self.ends = (
            source("xs ys name dash width alpha"),
            source("x y name"),
            source("x y text"),
        )
        self.paths, self.gains = source("xs ys alpha width gain value"), source("x y text alpha")
        self.bars = source("x top name text fill base")
        self.level, self.at = Span(dimension="width", line_dash="dotdash"), Span(dimension="height")
        self.called = Label(x=6, y=0, x_units="screen", y_offset=-3, text_baseline="top", padding=2)
        for part in (self.level, self.at, self.called):
            self.plot.add_layout(part)
        self.whole = BasicTicker(min_interval=1, desired_num_ticks=12)
        self.namer = CustomJSTickFormatter(code=NAMED, args={"names": {}})
        self.plot.xaxis.ticker, self.plot.xaxis.formatter = self.whole, self.namer
        self.glyphs = self._glyphs()
        self.figures.append(self.plot)
        self.on_tap(self.plot, self._tapped)
        return pane(self.plot)

    def _glyphs(self) -> dict[str, Any]:
        drawn, looks = self.plot, {"line_dash": "dash", "line_width": "width", "line_alpha": "alpha"}
        centred = {"text_align": "center", "text_alpha": "alpha", "y_offset": -3}
        right = {"text_align": "right", "x_offset": -8, "y_offset": -5}
        glyphs = {
            "curves": drawn.multi_line("xs", "ys", source=self.curves, **looks),
            "ends": drawn.text("x", "y", "text", source=self.ends, **right),
            "now": drawn.scatter("x", "y", source=self.dots, size=7),
            "bars": drawn.vbar("x", 0.72, "top", 0, source=self.bars, fill_color="fill"),
            "tops": drawn.text(
                "x", "top", "text", source=self.bars, text_align="center", text_baseline="base"
            ),
            "tree": drawn.multi_line("xs", "ys", source=self.paths, line_alpha="alpha", line_width="width"),
            "gains": drawn.text("x", "y", "text", source=self.gains, **centred),
        }
        tips = {
            "curves": [("", "@name")],
            "now": [("", "@name"), ("value", "@y{0.0000}")],
            "bars": [("", "@name"), ("value", "@top{0.0000}")],
            "tree": [("gain", "@gain"), ("value", "@value{0.0000}")],
        }
        for name, texts in tips.items():
            policy = {"curves": "nearest", "tree": "interp"}.get(name)
            more = {} if policy is None else {"line_policy": policy}
            drawn.add_tools(HoverTool(renderers=[glyphs[name]], tooltips=texts, **more))
        return glyphs

    def frame(self) -> OverFrame:
        lab = self.session
        return OverFrame(lab.film, lab.at, lab.picked if isinstance(lab.picked, int) else None)

    def show(self, frame: OverFrame) -> None:
        drawn = frame.picture
        if not isinstance(drawn, Curves):
            self._empty(self.curves, self.dots, self.ends)
        if not isinstance(drawn, MergeTree):
            self._empty(self.paths, self.gains)
        if not isinstance(drawn, ValueBars):
            self._empty(self.bars)
        if isinstance(drawn, Curves):
            self._show_curves(drawn, frame)
        elif isinstance(drawn, MergeTree):
            self._show_tree(drawn, frame.step)
        else:
            self._show_bars(drawn)

    def _empty(self, *sources: Any) -> None:
        for one in sources:
            fill(one)

    def _show_curves(self, drawn: Curves, frame: OverFrame) -> None:
        (steps, count), names = drawn.values.shape, list(drawn.names)
        dashed, mine = columns.curve_looks(drawn, frame.picked)
        line = self.theme.line * (1.0 if steps <= MANY else 0.6)
        width = [2.2 * self.theme.line if own else line for own in mine]
        alpha = [1.0 if own or not any(mine) else 0.35 for own in mine]
        dash = ["dashed" if one else "solid" for one in dashed]
        fill(self.curves, [np.arange(steps)] * count, list(drawn.values.T), names, dash, width, alpha)
        here = min(frame.step, steps - 1)
        fill(self.dots, [here] * count, drawn.values[here], names)
        ends = ([steps - 1] * count, drawn.values[-1], names) if 1 < count <= FEW else ([], [], [])
        fill(self.ends, *ends)
        last = max(1, steps - 1)
        up = columns.span(np.append(drawn.values, drawn.level))
        self._axes(drawn.x, drawn.y, (-0.03 * last - 0.1, 1.03 * last + 0.1), up)
        self._mark(drawn.level, drawn.level_name, frame.step)

    def _show_tree(self, drawn: MergeTree, step: int) -> None:
        held = columns.joints(drawn, step)
        wide = [self.theme.line * (2.0 if now else 1.0) for now in held["now"]]
        fill(self.paths, held["xs"], held["ys"], held["alpha"], wide, held["hover"], held["ty"])
        fill(self.gains, held["tx"], held["ty"], held["text"], [max(a, 0.45) for a in held["alpha"]])
        names = {n: drawn.names[item] for n, item in enumerate(columns.leaf_order(drawn))}
        up = columns.span(columns.heights(drawn))
        self._axes("items", drawn.y, (-0.6, len(drawn.names) - 0.4), up, names)
        self._mark()

    def _show_bars(self, drawn: ValueBars) -> None:
        held = columns.bars(drawn)
        colours = [self.theme.dual if chosen else self.theme.grid for chosen in held["chosen"]]
        text = held["text"] if len(colours) <= WRITTEN else [""] * len(colours)
        fill(self.bars, held["x"], held["top"], held["name"], text, colours, held["base"])
        across, up = (-0.6, max(1, len(colours)) - 0.4), columns.span(drawn.values, zero=True)
        self._axes(drawn.x, drawn.y, across, up, dict(enumerate(drawn.names)))
        self._mark()

    def _axes(
        self,
        x: str,
        y: str,
        across: tuple[float, float],
        up: tuple[float, float],
        names: dict[int, str] | None = None,
    ) -> None:
        """Labels and ranges; whole numbers below the horizontal axis, or names."""
        self.plot.xaxis.axis_label, self.plot.yaxis.axis_label = x, y
        self.plot.x_range.update(start=across[0], end=across[1])
        self.plot.y_range.update(start=up[0], end=up[1])
        shown = {n: str(n) for n in range(int(across[1]) + 1)} if names is None else names
        self.namer.args = {"names": {str(n): name for n, name in shown.items()}}
        self.plot.xaxis.ticker = self.whole if names is None else list(range(len(names)))

    def _mark(self, level: float = np.nan, called: str = "", step: int | None = None) -> None:
        """The level to compare with, and where the film stands."""
        known = bool(np.isfinite(level))
        self.level.update(location=level if known else 0.0, visible=known)
        self.called.update(y=level if known else 0.0, text=called, visible=known)
        self.at.update(location=step or 0, visible=step is not None)

    def _tapped(self, x: float, y: float) -> None:
        if isinstance(self.session.film.over, Curves):
            self.session.look_at_step(round(x))

    def recolour(self, theme: Theme) -> None:
        draw, font = self.glyphs, f"{theme.font}px"
        draw["curves"].glyph.line_color = draw["tree"].glyph.line_color = theme.dual
        draw["now"].glyph.update(fill_color=theme.background, line_color=theme.dual, line_width=theme.line)
        draw["bars"].glyph.update(line_color=theme.text, line_width=theme.line / 2)
        for name in ("tops", "gains", "ends"):
            draw[name].glyph.update(text_color=theme.text, text_font_size=font)
        draw["gains"].glyph.update(
            background_fill_color=theme.background, background_fill_alpha=0.8, padding=1
        )
        self.level.update(line_color=theme.primal, line_width=theme.line)
        self.at.update(line_color=theme.muted, line_width=theme.line / 2, line_dash="dotted")
        self.called.update(text_color=theme.primal, text_font_size=font)
        self.called.update(background_fill_color=theme.background, background_fill_alpha=0.85)
        self.refresh()
