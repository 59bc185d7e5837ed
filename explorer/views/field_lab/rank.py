"""Where every answer stands among all labellings, sorted by their scores; or, in large fields, among the
answers.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from bokeh.models import BasicTickFormatter, HoverTool, Label, Range1d, Span

from explorer.engine.catalogue.oracle_names import oracle_named
from explorer.engine.vectors import Array, Ints
from explorer.labs.fields.comparison import Comparison
from explorer.labs.fields.ranks import curve, grouped
from explorer.labs.fields.state import Lab
from explorer.views.kit.drawing import FEW_PIXELS, fill, pane, plot, source
from explorer.views.kit.messages import Soon
from explorer.views.kit.theme import Theme
from explorer.views.kit.view import View
from explorer.wording import number

NAMES, NARROW = 2, 560
"""Oracles that a label names, the others are counted; in a figure narrower than this many pixels, the first
one.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Mark:
    """Oracles with one score, their place in the list (or among the answers), and whether the one looked at
    is there.
    """

    titles: tuple[str, ...]
    score: float
    place: int
    shown: bool

    def label(self, names: int = NAMES) -> str:
        """The first names, and how many more."""
        more = len(self.titles) - names
        return ", ".join(self.titles[:names]) + (f" and {more} more" if more > 0 else "")


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """All scores (thinned) with their places, the answers, the bounds, and the limit of a known
    approximation.
    """

    scores: Array
    places: Array
    total: int | None
    marks: tuple[Mark, ...]
    bounds: tuple[tuple[str, float], ...]
    limit: float | None


def frame(compared: Comparison, shown: str) -> Frame:
    """The list of all labellings and where the answers are in it."""
    given, listed = compared.given, compared.ranks
    marks = []
    for k, group in enumerate(grouped([one.score for one in given], compared.slack)):
        score, titles = given[group[0]].score, tuple(given[j].title for j in group)
        place = k + 1 if listed is None else listed.better(score) + 1
        marks.append(Mark(titles, score, place, shown in titles))
    scores, places = curve(listed) if listed is not None else (np.zeros(0), np.zeros(0))
    bounds = tuple((one.title, one.bound) for one in given if one.kind == "over" and np.isfinite(one.bound))
    total = None if listed is None else len(listed.scores)
    return Frame(scores, places, total, tuple(marks), bounds, _limit(compared))


def _limit(compared: Comparison) -> float | None:
    """rho times the best score, if the known approximation is asked and the best score is above 0."""
    found = [one for one in compared.given if one.title == "known approximation"]
    return oracle_named(found[0].name).rho * compared.top if found and compared.top > 0.0 else None


def sentence(shown: Frame) -> str:
    """The places, best first."""
    if not shown.marks:
        return "No answers to place."
    of = (
        f" of {shown.total:,} labellings"
        if shown.total
        else " among the answers (too many labellings to list)"
    )
    places = "; ".join(f"{mark.place:,}: {mark.label()}" for mark in shown.marks[:4])
    limit = (
        f" The known approximation may take no score above {number(shown.limit)}."
        if shown.limit is not None
        else ""
    )
    return f"Places{of}: {places}{' and so on' if len(shown.marks) > 4 else ''}.{limit}"


def table(shown: Frame) -> dict[str, Any]:
    """One row per place."""
    return {
        "place": [mark.place for mark in shown.marks],
        "score": [mark.score for mark in shown.marks],
        "oracles": [", ".join(mark.titles) for mark in shown.marks],
    }


def spread(heights: Array, apart: float, room: float) -> Array:
    """Heights in pixels from the top, moved down where closer than `apart`, and up again where they leave the
    room.
    """
    out = np.array(heights, dtype=float)
    order = np.argsort(out, kind="stable")
    for before, after in pairwise(order):
        out[after] = max(out[after], out[before] + apart)
    if len(out):
        out[order[-1]] = min(out[order[-1]], room - 0.5 * apart)
    for after, before in pairwise(order[::-1]):
        out[before] = min(out[before], out[after] - apart)
    return out


def roomy(first: Any, others: Any, room: float, apart: float) -> Ints:
    """As many labels as the room holds, the first ones in any case; the others are told by hovering."""
    order = list(dict.fromkeys([*first, *others]))
    return np.sort(np.array(order[: max(1, int(room // apart))], dtype=np.int64))


class RankView(View[Lab]):
    """Scores and places."""

    title: ClassVar[str] = "Place among all labellings"
    name_key: ClassVar[str] = "ranks"
    help: ClassVar[str] = (
        "Every labelling has a score and a place in the sorted list, the best at the top right; the ticks "
        "below are the scores. "
        "Marks are the answers, the diamond that of the oracle looked at. Dashed lines are bounds that "
        "relaxed oracles prove; "
        "the dotted line is the limit of the known approximation."
    )
    follows = ("tick",)
    sentence = staticmethod(sentence)
    table = staticmethod(table)

    def build(self) -> Any:
        ranges = {"y_range": Range1d(10, 0.7), "y_axis_type": "log"}
        self.plot = plot("score", "place in the list", min_border_right=14, **ranges)
        self.plot.yaxis.formatter = BasicTickFormatter(use_scientific=False)
        self.room = {"inner_width": 400, "inner_height": 200}
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
        self._fit = Soon(lambda: self.refresh(), 60)
        for size in self.room:
            self.plot.on_change(size, self._resized)
        return pane(self.plot)

    def frame(self) -> Frame:
        return frame(self.session.compared, self.session.shown)

    def show(self, shown: Frame) -> None:
        self._ranges(shown)
        fill(self.curve, shown.scores, shown.places)
        end = self.plot.y_range.start
        fill(self.rug, shown.scores, [end] * len(shown.scores), [end / 1.12] * len(shown.scores))
        names = [", ".join(mark.titles) for mark in shown.marks]
        sizes, markers = (
            [(15 if m.shown else 9) for m in shown.marks],
            [("diamond" if m.shown else "circle") for m in shown.marks],
        )
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

    def _ranges(self, shown: Frame) -> None:
        """All answers and bounds are in sight, and as much of the list as lies between them."""
        seen = (
            [mark.score for mark in shown.marks] + [bound for _, bound in shown.bounds] + [*shown.scores[:1]]
        )
        low, high = (min(seen), max(seen)) if seen else (0.0, 1.0)
        pad = 0.08 * ((high - low) or max(1.0, abs(high)))
        self.plot.x_range.update(start=low - 2 * pad, end=high + pad)
        places = [mark.place for mark in shown.marks] or [1]
        last = 1.6 * max(10, *places)
        self.plot.y_range.update(start=last, end=0.7)

    def _left(self, shown: Frame, texts: list[str]) -> Any:
        """Whether each mark has room for its name at its left, or more than at its right."""
        start, end = self.plot.x_range.start, self.plot.x_range.end
        at = np.array(
            [self.room["inner_width"] * (mark.score - start) / (end - start) for mark in shown.marks]
        )
        needed = np.array([14 + 0.56 * self.theme.font * len(text) for text in texts])
        return at > np.minimum(needed, 0.5 * self.room["inner_width"])

    def _label(self, shown: Frame) -> None:
        """Names beside the marks, at the left if there is room, none above another."""
        start, end = self.plot.y_range.start, self.plot.y_range.end
        place = np.array([mark.place for mark in shown.marks], dtype=float)
        high = self.room["inner_height"]
        height = high * np.log(place / end) / np.log(start / end) if len(place) else place
        names = [mark.label(NAMES if self.room["inner_width"] >= NARROW else 1) for mark in shown.marks]
        left = self._left(shown, names)
        moved, apart = height.copy(), 1.2 * self.theme.font
        kept = roomy([k for k, mark in enumerate(shown.marks) if mark.shown], range(len(place)), high, apart)
        moved[kept] = spread(height[kept], apart, high)
        dx, align = np.where(left, -10, 10), np.where(left, "right", "left").tolist()
        texts = [name if k in kept else "" for k, name in enumerate(names)]
        fill(self.labels, [m.score for m in shown.marks], place, texts, dx, moved - height, align)

    def _resized(self, attr: str, old: Any, new: Any) -> None:
        if new and abs(new - self.room[attr]) > FEW_PIXELS:
            self.room[attr] = new
            self._fit()

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
