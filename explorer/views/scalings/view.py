"""Margin and slack scaling on one picture: every wrong answer by its margin and its loss."""

from typing import Any, ClassVar

import numpy as np
import panel as pn
from bokeh.models import BasicTicker, HoverTool

from explorer.engine.contracts import Problem
from explorer.views.kit.controls.chooser import Chooser
from explorer.views.kit.drawing.pieces import WHOLE, fill, legend, pane, plot, source
from explorer.views.kit.drawing.theme import Theme
from explorer.views.kit.view import View
from explorer.views.scalings import frame as numbers
from explorer.views.scalings import words
from explorer.views.scalings.frame import ScalingsFrame

CURVE = 80
"""Points of a line of equal violation."""


class Scalings(View):
    """The wrong answers of one example, and which of them each scaling finds most violated."""

    title: ClassVar[str] = "Scalings"
    name_key: ClassVar[str] = "scalings"
    help: ClassVar[str] = (
        "Every mark is a wrong answer of this example: to the right, how far the truth is ahead of it; up, "
        "how wrong it is. Margin scaling asks a lead as large as the loss, slack scaling a lead of 1 and "
        "multiplies what is missing by the loss. Through the answer that each takes runs the line of those "
        "that are just as tempting to it."
    )
    sentence = staticmethod(words.sentence)
    table = staticmethod(words.table)

    @classmethod
    def fits(cls, problem: Problem) -> bool:
        return problem.n > 0

    def build(self) -> Any:
        self.chooser = Chooser(self.session)
        self.drawn = drawn = plot("margin: how far the truth leads", "loss")
        drawn.yaxis.ticker = BasicTicker(desired_num_ticks=4)
        self.answers, self.picks = source("x y text"), {name: source("x y text") for name in "ms"}
        self.lines = {name: source("x y") for name in "ms"}
        met = drawn.scatter("x", "y", source=self.answers, size=8, marker="circle")
        chosen = {
            "m": drawn.scatter("x", "y", source=self.picks["m"], size=17, marker="triangle"),
            "s": drawn.scatter("x", "y", source=self.picks["s"], size=19, marker="square", fill_color=None),
        }
        lines = {
            "m": drawn.line("x", "y", source=self.lines["m"]),
            "s": drawn.line("x", "y", source=self.lines["s"], line_dash="dashed"),
        }
        tips = [("", "@text"), ("margin", "@x"), ("loss", "@y")]
        drawn.add_tools(HoverTool(renderers=[met], tooltips=tips))
        legend(
            drawn,
            {
                "answers met": [met],
                "margin scaling": [chosen["m"], lines["m"]],
                "slack scaling": [chosen["s"], lines["s"]],
            },
        )
        self.glyphs = {"met": met, "chosen": chosen, "lines": lines}
        self.figures.append(drawn)
        bar = pn.FlexBox(
            *self.chooser.parts, align_items="center", sizing_mode="stretch_width", margin=(0, 4)
        )
        return pn.Column(bar, pane(drawn, 140), **WHOLE)

    def frame(self) -> ScalingsFrame | None:
        session = self.session
        return numbers.frame(session.shown, session.trace, session.cursor, session.example)

    def show(self, shown: ScalingsFrame | None) -> None:
        self.chooser.show(self.session.shown.n, self.session.example)
        if shown is None or not len(shown.loss):
            for part in (self.answers, *self.picks.values(), *self.lines.values()):
                fill(part)
            return
        fill(self.answers, shown.margin, shown.loss, list(shown.texts))
        low, high = float(min(shown.margin.min(), 0.0)), float(max(shown.margin.max(), shown.loss.max()))
        top, wide = 1.12 * float(shown.loss.max()), (high - low) or 1.0
        self.drawn.x_range.update(start=low - 0.06 * wide, end=high + 0.06 * wide)
        self.drawn.y_range.update(start=0.0, end=top)
        for name, place, violation in (
            ("m", shown.by_margin, shown.margin_violation),
            ("s", shown.by_slack, shown.slack_violation),
        ):
            at = [place] if place >= 0 else []
            fill(self.picks[name], shown.margin[at], shown.loss[at], [shown.texts[j] for j in at])
            x, y = equally_tempting(name, float(violation[place]), low - wide, high + wide, top)
            fill(self.lines[name], *((x, y) if at else ([], [])))

    def recolour(self, theme: Theme) -> None:
        self.glyphs["met"].glyph.update(fill_color=theme.neutral, line_color=theme.text, fill_alpha=0.7)
        colours = {"m": theme.rival, "s": theme.accent}
        for name, colour in colours.items():
            self.glyphs["chosen"][name].glyph.update(line_color=colour, line_width=theme.line)
            self.glyphs["lines"][name].glyph.update(line_color=colour, line_width=theme.line)
        self.glyphs["chosen"]["m"].glyph.fill_color = theme.rival


def equally_tempting(scaling: str, violation: float, low: float, high: float, top: float) -> tuple[Any, Any]:
    """Margins and losses whose violation is this: a straight line, or a hyperbola left of margin 1."""
    if scaling == "m":
        margin = np.linspace(low, high, CURVE)
        return margin, margin + violation
    loss = np.linspace(max(1e-6, top / 200), top, CURVE)
    return 1.0 - violation / loss, loss
