"""Scores and places in the list of all labellings, drawn."""

from typing import Any, ClassVar

import numpy as np
from bokeh.models import BasicTickFormatter, HoverTool, Label, Range1d, Span

from explorer.labs.fields.state import FieldLab
from explorer.views.field_lab import places
from explorer.views.field_lab.places import PlaceFrame
from explorer.views.kit.drawing.pieces import fill, pane, plot, source
from explorer.views.kit.drawing.room import Room
from explorer.views.kit.drawing.theme import Theme
from explorer.views.kit.messages import Soon
from explorer.views.kit.view import View

NARROW = 560
"""In a figure of fewer pixels a label names the first oracle only."""


class RankView(View[FieldLab]):
    """Scores and places."""

    title: ClassVar[str] = "Place among all labellings"
    name_key: ClassVar[str] = "ranks"
    help: ClassVar[str] = (
        "Every labelling has a score and a place in the sorted list, the best at the top right; the ticks "
        "below are the scores. Marks are the answers, the diamond that of the oracle looked at. Dashed lines "
        "are bounds that relaxed oracles prove; the dotted line is the limit of the known approximation."
    )
    follows = ("tick",)
    sentence = staticmethod(places.sentence)
    table = staticmethod(places.table)

    def build(self) -> Any:
        ranges = {"y_range": Range1d(10, 0.7), "y_axis_type": "log"}
        self.plot = plot("score", "place in the list", min_border_right=14, **ranges)
        self.plot.yaxis.formatter = BasicTickFormatter(use_scientific=False)
        self.room = Room(self.plot, 400, 200, Soon(self.refresh, 60))
        self.curve, self.rug = source("x y"), source("x y0 y1")
        self.marks, self.bounds = source("x y name size marker"), source("x y0 y1 name")
        self.labels = source("x y text dx dy align")
        self.drawn = {
            "curve": self.plot.step("x", "y", source=self.curve, mode="after"),
            "rug": self.plot.segment("x", "y0", "x", "y1", source=self.rug),
            "bounds": self.plot.segment("x", "y0", "x", "y1", source=self.bounds, line_dash="dashed"),
            "marks": self.plot.scatter("x", "y", source=self.marks, size="size", marker="marker"),
            "labels": self.plot.text(
                "x",
                "y",
                "text",
                source=self.labels,
                x_offset="dx",
                y_offset="dy",
                text_align="align",
                text_baseline="middle",
            ),
        }
        self.limit = Span(dimension="height", line_dash="dotted", visible=False)
        below = {"y": 4, "y_units": "screen", "text_align": "right", "x_offset": -4, "visible": False}
        self.called = {name: Label(x=0, text=name, **below) for name in ("bound", "limit")}
        for part in (self.limit, *self.called.values()):
            self.plot.add_layout(part)
        tips = [("oracles", "@name"), ("score", "@x{0.0000}"), ("place", "@y{0,0}")]
        self.plot.add_tools(HoverTool(renderers=[self.drawn["marks"]], tooltips=tips))
        self.plot.add_tools(
            HoverTool(renderers=[self.drawn["bounds"]], tooltips=[("bound", "@x{0.0000}, @name")])
        )
        self.figures.append(self.plot)
        return pane(self.plot)

    def frame(self) -> PlaceFrame:
        return places.frame(self.session.compared, self.session.shown)

    def show(self, shown: PlaceFrame) -> None:
        self._ranges(shown)
        fill(self.curve, shown.scores, shown.places)
        end = self.plot.y_range.start
        fill(self.rug, shown.scores, [end] * len(shown.scores), [end / 1.12] * len(shown.scores))
        names = [", ".join(mark.titles) for mark in shown.marks]
        sizes = [15 if m.shown else 9 for m in shown.marks]
        markers = ["diamond" if m.shown else "circle" for m in shown.marks]
        fill(
            self.marks, [m.score for m in shown.marks], [m.place for m in shown.marks], names, sizes, markers
        )
        self._label(shown)
        top = [self.plot.y_range.end] * len(shown.bounds)
        fill(
            self.bounds,
            [b for _, b in shown.bounds],
            top,
            [end] * len(top),
            [name for name, _ in shown.bounds],
        )
        self.limit.update(location=shown.limit or 0.0, visible=shown.limit is not None)
        least = min((bound for _, bound in shown.bounds), default=None)
        for name, at in (("bound", least), ("limit", shown.limit)):
            self.called[name].update(x=0.0 if at is None else at, visible=at is not None)
        self.plot.yaxis.axis_label = "place in the list" if shown.total else "place among the answers"

    def _ranges(self, shown: PlaceFrame) -> None:
        """All answers and bounds are in sight, and as much of the list as lies between them."""
        seen = (
            [mark.score for mark in shown.marks] + [bound for _, bound in shown.bounds] + [*shown.scores[:1]]
        )
        low, high = (min(seen), max(seen)) if seen else (0.0, 1.0)
        pad = 0.08 * ((high - low) or max(1.0, abs(high)))
        self.plot.x_range.update(start=low - 2 * pad, end=high + pad)
        last = 1.6 * max([10, *(mark.place for mark in shown.marks)])
        self.plot.y_range.update(start=last, end=0.7)

    def _left(self, shown: PlaceFrame, texts: list[str]) -> Any:
        """Whether each mark has room for its name at its left, or more than at its right."""
        start, end = self.plot.x_range.start, self.plot.x_range.end
        at = np.array([self.room.wide * (mark.score - start) / (end - start) for mark in shown.marks])
        needed = np.array([14 + 0.56 * self.theme.font * len(text) for text in texts])
        return at > np.minimum(needed, 0.5 * self.room.wide)

    def _label(self, shown: PlaceFrame) -> None:
        """Names beside the marks, at the left if there is room, none above another."""
        start, end = self.plot.y_range.start, self.plot.y_range.end
        place = np.array([mark.place for mark in shown.marks], dtype=float)
        high = self.room.high
        height = high * np.log(place / end) / np.log(start / end) if len(place) else place
        names = [mark.label(places.NAMES if self.room.wide >= NARROW else 1) for mark in shown.marks]
        left = self._left(shown, names)
        moved, apart = height.copy(), 1.2 * self.theme.font
        kept = places.roomy(
            [k for k, mark in enumerate(shown.marks) if mark.shown], range(len(place)), high, apart
        )
        moved[kept] = places.spread(height[kept], apart, high)
        dx, align = np.where(left, -10, 10), np.where(left, "right", "left").tolist()
        texts = [name if k in kept else "" for k, name in enumerate(names)]
        fill(self.labels, [m.score for m in shown.marks], place, texts, dx, moved - height, align)

    def recolour(self, theme: Theme) -> None:
        draw = self.drawn
        draw["curve"].glyph.update(line_color=theme.neutral, line_width=theme.line)
        draw["rug"].glyph.update(line_color=theme.neutral, line_width=1)
        draw["bounds"].glyph.update(line_color=theme.primal, line_width=theme.line)
        draw["marks"].glyph.update(fill_color=theme.dual, line_color=theme.background, line_width=1)
        draw["labels"].glyph.update(text_color=theme.text, text_font_size=f"{theme.font}px")
        draw["labels"].glyph.update(background_fill_color=theme.background, background_fill_alpha=0.75)
        self.limit.update(line_color=theme.accent, line_width=theme.line)
        for k, (name, colour) in enumerate((("bound", theme.primal), ("limit", theme.accent))):
            self.called[name].update(
                text_color=colour, text_font_size=f"{theme.font}px", y=4 + k * 1.3 * theme.font
            )
        self.refresh()
