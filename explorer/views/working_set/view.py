"""The working set over time, the weights of its cuts, and a table of what each cut says."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import panel as pn
import param
from bokeh.models import BasicTicker, FixedTicker, HoverTool, Label, Span

from explorer.engine.events import EVERY_EXAMPLE
from explorer.engine.runs.kept_cuts import pairs_of
from explorer.views.kit.drawing.pieces import WHOLE, ZOOM, choice, fill, legend, pane, plot, source
from explorer.views.kit.drawing.theme import Theme
from explorer.views.kit.drawing.timeline import Timeline
from explorer.views.kit.view import View
from explorer.views.working_set import frame as numbers
from explorer.views.working_set import rows, words
from explorer.views.working_set.cut_table import CutTable
from explorer.views.working_set.frame import CutBars, Growth, WorkingSetFrame
from explorer.views.working_set.rows import COLUMNS, CutRows, cells, row_order
from explorer.wording import number

PARTS = ("all", "growth", "weights", "cuts")
MOST_MARKS = 40
NO_ROW = -2
SOON = 300
"""Milliseconds after which a table whose margins took too long is completed."""

TIGHT = {"spacing": 7, "glyph_width": 16, "label_standoff": 3}


class WorkingSetView(View):
    """The working set over time, its weights, its cuts."""

    title: ClassVar[str] = "Working set"
    name_key: ClassVar[str] = "working_set"
    help: ClassVar[str] = (
        "The cuts that the learner keeps. w is their weighted sum: a cut without weight could be dropped "
        "without changing w. Click a step to travel to it, a cut to open its example."
    )
    follows = (*View.follows, "status")
    linked = ("part", "sort", "falling")
    redraws = ("sort", "falling")
    sentence = staticmethod(words.sentence)
    table = staticmethod(words.table)

    part = param.Selector(
        objects=list(PARTS), default="all", doc="What is shown; one part fits a small tile."
    )
    sort = param.Selector(objects=list(COLUMNS), default="alpha", doc="The column that orders the cuts.")
    falling = param.Boolean(True, doc="Largest first.")

    def build(self) -> Any:
        self._chosen, self._keeps, self._high = NO_ROW, True, 100
        self.figures += [self._growth_plot(), self._bar_plot()]
        titles = [[name, title, name != "labelling"] for name, title in COLUMNS.items()]
        self.cut_table = CutTable(
            self._told, titles=titles, sizing_mode="stretch_both", min_height=100, margin=(4, 8)
        )
        self.pictures = pn.Row(*[pane(drawn, 120) for drawn in self.figures], min_height=120, **WHOLE)
        self.parts = choice(self.param.part)
        self._arrange()
        self.param.watch(lambda *_: self._arrange(), ["part"])
        return pn.Column(self.parts, self.pictures, self.cut_table, **WHOLE)

    def _growth_plot(self) -> Any:
        drawn = self._plot("iteration", "cuts")
        self.growth_source = source("step kept active pruned")
        self.real_source, self.cached_source = source("step kept"), source("step kept")
        lines = {
            name: drawn.step("step", name, source=self.growth_source, mode="after", line_dash=dash)
            for name, dash in (("pruned", "dotted"), ("active", "dashed"), ("kept", "solid"))
        }
        real = drawn.scatter("step", "kept", source=self.real_source, size=5, marker="circle")
        cached = drawn.scatter("step", "kept", source=self.cached_source, size=9, marker="diamond")
        drawn.xaxis.ticker = BasicTicker(min_interval=1)
        drawn.yaxis.ticker = BasicTicker(min_interval=1, desired_num_ticks=3)
        tips = [
            ("step", "@step{0}"),
            ("kept", "@kept{0}"),
            ("with weight", "@active{0}"),
            ("pruned", "@pruned{0}"),
        ]
        drawn.add_tools(HoverTool(renderers=[lines["kept"]], tooltips=tips, mode="vline"))
        items = {"kept": [lines["kept"], real], "with weight": [lines["active"]], "pruned": [lines["pruned"]]}
        self._cached_item = legend(drawn, items | {"from cache": [cached]})["from cache"]
        self._growth = {**lines, "real": real, "cached": cached}
        self.travels(drawn, lambda x, y: round(x))
        self.timeline = Timeline(drawn)
        return drawn

    def _bar_plot(self) -> Any:
        drawn = self._plot("cut", "weight α")
        self.old_source, self.new_source = (
            source("x bottom top alpha name"),
            source("x bottom top alpha name"),
        )
        self.idle_source, self.fresh_source = source("x y"), source("x y")
        box = {"x": "x", "bottom": "bottom", "top": "top", "width": 0.8}
        old = drawn.vbar(**box, source=self.old_source)
        new = drawn.vbar(**box, source=self.new_source, hatch_pattern="/", hatch_scale=9, hatch_weight=1.5)
        idle = drawn.scatter("x", "y", source=self.idle_source, marker="dash", size=4)
        fresh = drawn.scatter("x", "y", source=self.fresh_source, marker="triangle", size=9)
        self.capacity = Span(dimension="width", line_dash="dashed", line_width=2)
        self.capacity_label = Label(x=0, y=0, text="", text_align="right", text_baseline="bottom", y_offset=2)
        self.here = Span(dimension="height", line_dash="dotted", line_width=2)
        for mark in (self.capacity, self.capacity_label, self.here):
            drawn.add_layout(mark)
        drawn.xaxis.ticker = self.bar_ticks = FixedTicker(ticks=[])
        drawn.yaxis.ticker = BasicTicker(desired_num_ticks=3)
        drawn.add_tools(
            HoverTool(renderers=[old, new], tooltips=[("", "@name"), ("weight", "@alpha{0.0000}")])
        )
        self._bar_items = legend(drawn, {"weight": [old], "newest": [new, fresh], "no weight": [idle]})
        self._bars = {"old": old, "new": new, "idle": idle, "fresh": fresh}
        self.on_tap(drawn, self._pick)
        drawn.on_change("inner_height", self._resized)
        return drawn

    def _plot(self, x: str, y: str) -> Any:
        drawn = plot(x, y, tools=ZOOM, min_border_top=0)
        drawn.xaxis.axis_label_standoff, drawn.xaxis.major_label_standoff = 1, 4
        return drawn

    # what the user does -------------------------------------------------------------------------------------

    def _resized(self, attr: str, old: Any, new: Any) -> None:
        """Leave room for the words above the capacity, however low the figure is."""
        if new and new != self._high:
            self._high = new
            self._scale_bars(self._drawn, len(self._drawn.names), bool(np.isfinite(self._drawn.capacity)))

    def _pick(self, x: float, y: float) -> None:
        """Open the cut, or the example, whose bar was clicked."""
        place, names = round(x), self._drawn.names
        if 0 <= place < len(names) and names[place].isdigit():
            act = self._open if self._drawn.of == "example" else self.choose
            act(int(names[place]))

    def _told(self, message: Mapping[str, Any]) -> None:
        """Carry out what the table asks for."""
        name, key = message.get("sort"), message.get("open")
        if name in COLUMNS:
            first = name not in ("number", "example", "labelling", "found")
            self.param.update(sort=name, falling=not self.falling if name == self.sort else first)
        elif isinstance(key, int):
            self.choose(key)

    def choose(self, key: int) -> None:
        """Open the example of a row: its own, or the one that a joint cut is most tempting by."""
        where = np.flatnonzero(self._keys == key)
        if not len(where):
            return
        self._chosen, row = key, where[0]
        example, born = int(self._rows.example[row]), int(self._rows.found[row])
        kept = self.session.trace.cuts.kept.get(born)
        if example == EVERY_EXAMPLE and kept and kept[0].label is not None:
            pairs, w = (
                pairs_of(self.session.trace, born, kept[0]),
                self.session.trace.at(self.session.cursor).w,
            )
            example = rows.worst_example(self.session.problem, w, pairs)
        if example >= 0:
            self._open(example)
        self.refresh()

    def _open(self, example: int) -> None:
        self.session.param.update(example=example, split="training")
        self.opened = True

    # drawing ------------------------------------------------------------------------------------------------

    @property
    def _hurried(self) -> bool:
        """Whether steps come too fast to look at every cut."""
        return self.session.status == "running" and not 0.0 < self.session.speed <= 2.0

    def frame(self) -> WorkingSetFrame:
        s = self.session
        return numbers.frame(s.problem, s.trace, s.cursor, s.phase, s.trained_on, margins=not self._hurried)

    def _arrange(self) -> None:
        """Show the chosen part; a learner without a working set has a table only."""
        part = self.part
        # Not the panes' own switch: a Bokeh pane that is shown again takes over its figure's old value.
        self.figures[0].visible = part in ("all", "growth")
        self.figures[1].visible = part in ("all", "weights")
        pictures, cuts = self._keeps and part != "cuts", not self._keeps or part in ("all", "cuts")
        # A hidden child still counts towards its column's least height.
        self.pictures.param.update(visible=pictures, min_height=120 * pictures)
        self.parts.visible = self._keeps
        self.cut_table.param.update(visible=cuts, min_height=100 * cuts)

    def show(self, shown: WorkingSetFrame) -> None:
        if shown.keeps != self._keeps:
            self._keeps = shown.keeps
            self._arrange()
        self._show_growth(shown.growth)
        self._show_bars(shown.bars)
        self._show_rows(shown.rows)

    def _show_growth(self, g: Growth) -> None:
        fill(self.growth_source, g.step, g.kept, g.active, g.pruned)
        some = np.arange(len(g.step)) % (1 + len(g.step) // MOST_MARKS) == 0
        for into, which in ((self.real_source, some & ~g.cached), (self.cached_source, some & g.cached)):
            fill(into, g.step[which], g.kept[which])
        self._cached_item.visible = bool(g.cached.any())
        self._growth["real"].visible = len(g.step) <= MOST_MARKS or bool(g.cached.any())
        self.timeline.show(self.session)
        last = max(1.0, float(g.step.max(initial=1.0)))
        most = float(np.nanmax(np.concatenate([g.kept, g.active, g.pruned, [0.0]]))) or 1.0
        self.figures[0].x_range.update(start=-0.03 * last, end=1.03 * last)
        self.figures[0].y_range.update(start=-0.03 * most, end=1.08 * most)

    def _show_bars(self, b: CutBars) -> None:
        self._drawn, alpha = b, b.top - b.bottom
        name = np.array([f"{b.of} {b.names[int(x)]}" for x in b.x], dtype=object)
        for into, which in (
            (self.old_source, ~b.newest & (alpha > 0)),
            (self.new_source, b.newest & (alpha > 0)),
        ):
            fill(into, *(values[which] for values in (b.x, b.bottom, b.top, alpha, name)))
        idle, fresh = (alpha == 0) & ~b.newest & ~np.isin(b.x, b.x[alpha > 0]), (alpha == 0) & b.newest
        fill(self.idle_source, np.unique(b.x[idle]), np.zeros(len(np.unique(b.x[idle]))))
        fill(self.fresh_source, b.x[fresh], b.top[fresh])
        # An entry without bars would stand there without its sign.
        for item, any_of in zip(
            self._bar_items.values(), (~b.newest & (alpha > 0), b.newest, idle), strict=True
        ):
            item.visible = bool(any_of.any()) or not len(b.x)
        self._scale_bars(b, len(b.names), bool(np.isfinite(b.capacity)))

    def _scale_bars(self, b: CutBars, count: int, limited: bool) -> None:
        drawn = self.figures[1]
        most = max(float(b.top.max(initial=0.0)), b.capacity if limited else 0.0) or 1.0
        drawn.x_range.update(start=-0.7, end=max(count, 1) - 0.3)
        line = self.theme.font + 6  # pixels that the words above the capacity need
        above = min(1.0, line / max(self._high - line, 20)) if limited else 0.08
        drawn.y_range.update(start=-0.04 * most, end=(1.0 + above) * most)
        every = next(step for step in (1, 2, 5, 10, 20, 25, 50) if count <= 10 * step)
        ticks = list(range(0, count, every))
        drawn.xaxis.major_label_overrides = {t: b.names[t] for t in ticks}
        self.bar_ticks.ticks = ticks
        drawn.xaxis.axis_label = "example" if b.of == "example" else "number of the cut"
        self.capacity.location = b.capacity if limited else None
        self.capacity_label.visible = limited
        if limited:
            self.capacity_label.update(x=count - 0.3, y=b.capacity, text=f"C / n = {number(b.capacity)}")
        mine = str(self.session.trained_on)
        self.here.location = b.names.index(mine) if b.of == "example" and mine in b.names else None

    def _show_rows(self, rows: CutRows) -> None:
        self._rows = rows
        self._keys = np.where(rows.number >= 0, rows.number, -10 - np.arange(len(rows)))
        order, text = row_order(rows, self.sort, self.falling), cells(rows)
        notes = words.left_out(rows)
        unknown = int(np.count_nonzero(np.isnan(rows.margin)))
        if self._hurried:
            notes.append("margins come when the run pauses")
        elif rows.late:
            notes.append(f"{unknown} margins not known yet")
            if pn.state.curdoc:
                pn.state.curdoc.add_timeout_callback(self.refresh, SOON)
        elif unknown:
            notes.append(f"{unknown} margins are no longer recorded")
        self.cut_table.param.update(
            rows=[text[r] for r in order],
            keys=[int(k) for k in self._keys[order]],
            chosen=self._chosen,
            sort=self.sort,
            falling=self.falling,
            caption=": ".join(["Cuts", ", ".join(notes)] if notes else ["Cuts"]),
        )

    def recolour(self, theme: Theme) -> None:
        for name, colour in (("kept", theme.dual), ("active", theme.truth), ("pruned", theme.neutral)):
            self._growth[name].glyph.update(line_color=colour, line_width=theme.line)
        for name, colour in (("real", theme.dual), ("cached", theme.background)):
            self._growth[name].glyph.update(fill_color=colour, line_color=theme.dual, line_width=theme.line)
        self._bars["old"].glyph.update(fill_color=theme.dual, line_color=theme.background, line_width=0.5)
        for name in ("new", "fresh"):
            glyph = self._bars[name].glyph
            glyph.update(fill_color=theme.background, line_color=theme.accent, line_width=theme.line)
        self._bars["new"].glyph.hatch_color = theme.accent
        self._bars["idle"].glyph.update(fill_color=theme.muted, line_color=theme.muted, line_width=2)
        self.timeline.recolour(theme)
        self.here.line_color = theme.text
        self.capacity.line_color = theme.primal
        self.capacity_label.update(text_color=theme.text, text_font_size=f"{theme.font}px")
        for drawn in self.figures:
            drawn.legend[0].update(**TIGHT)
        self.cut_table.recolour(theme)
