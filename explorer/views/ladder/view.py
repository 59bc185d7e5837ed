"""The margin ladder of one example, with its controls and the states that all examples are in."""

from html import escape
from typing import Any, ClassVar

import panel as pn

from explorer.engine.contracts import Problem
from explorer.views.kit.drawing.pieces import WHOLE, pane
from explorer.views.kit.example_view import ExampleView
from explorer.views.kit.memory import Memory
from explorer.views.ladder import frame as numbers
from explorer.views.ladder import words
from explorer.views.ladder.figure import InputFigure, LadderFigure
from explorer.views.ladder.frame import STATES, LadderFrame

BAR = """
:host { flex: 1 1 230px; min-width: 0; }
p { margin: 0; display: flex; flex-wrap: wrap; gap: 0 14px;
  font-size: var(--type-small, 14px); line-height: 1.35; }
b { font-weight: 700; text-decoration: underline; text-underline-offset: 3px; }
.bar { display: flex; height: 7px; gap: 1px; margin-top: 2px; } .bar span { min-width: 0; }
i { display: inline-block; width: 10px; height: 10px; margin-right: 4px; }
"""
FILLS = (
    "{0}",
    "repeating-linear-gradient(135deg, {0} 0 3px, transparent 3px 5px)",
    "repeating-linear-gradient(90deg, {0} 0 2px, transparent 2px 4px)",
)
"""How each state is filled: full, slanted, upright."""


class Ladder(ExampleView):
    """The margin ladder."""

    title: ClassVar[str] = "Margin ladder"
    name_key: ClassVar[str] = "ladder"
    help: ClassVar[str] = (
        "Each row is a possible output at its score, with a bar as long as the margin that is asked for. A "
        "bar that ends beyond "
        "the truth's score (dashed) is violated; the most tempting one makes the slack. Click a point to "
        "open that example."
    )

    misfit = numbers.TOO_MANY
    sentence = staticmethod(words.sentence)
    table = staticmethod(words.table)

    @classmethod
    def fits(cls, problem: Problem) -> bool:
        return super().fits(problem) and numbers.fits(problem)

    def build(self) -> Any:
        self._known = Memory(64)
        self.picture, self.input = self.pictures = LadderFigure(self.refresh), InputFigure(self.refresh)
        self.figures += [self.picture.plot, self.input.plot]
        self.on_tap(self.input.plot, self._tapped)
        self.beside = pn.Column(pane(self.input.plot), **WHOLE, styles={"flex": "1 1 0"})
        ladder = pn.Column(pane(self.picture.plot), **WHOLE, styles={"flex": "3 1 0"})
        self.states = pn.pane.HTML("", margin=(0, 6), stylesheets=[BAR])
        return pn.Column(self.bar(self.states), pn.Row(self.beside, ladder, **WHOLE), **WHOLE)

    def _tapped(self, x: float, y: float) -> None:
        """Open the example of the point that is clicked."""
        if self.shown is not None and self.shown.plane is not None:
            self.chooser.choose(self.input.nearest(self.shown.plane, x, y))

    def read(self, *where: Any) -> LadderFrame:
        return numbers.frame(*where, self.session.phase, self.input.aspect, self._known)

    def show(self, shown: LadderFrame) -> None:
        super().show(shown)
        self.beside.visible = shown.image is not None or shown.plane is not None
        self.picture.show(shown)
        self.input.show(shown)
        self.states.object = self._counts(shown)

    def _counts(self, shown: LadderFrame) -> str:
        """How many examples are in each state, as words over a bar; the chosen example's state stands out."""
        theme, looked = self.theme, int(shown.counts.sum())
        paints = [f.format(c) for f, c in zip(FILLS, (theme.truth, theme.accent, theme.rival), strict=True)]
        words = [f"{escape(state)} {count:,}" for state, count in zip(STATES, shown.counts, strict=True)]
        words[shown.state] = f"<b>{words[shown.state]}</b>"
        signs = [
            f"<span><i style='background:{p}'></i>{word}</span>"
            for p, word in zip(paints, words, strict=True)
        ]
        parts = [
            f"<span style='flex:{c} 0 0;background:{p}'></span>"
            for c, p in zip(shown.counts, paints, strict=True)
            if c
        ]
        some = "" if looked == shown.examples else f"<span>of {looked:,} sampled</span>"
        return f"<p>{''.join(signs)}{some}</p><div class='bar' aria-hidden='true'>{''.join(parts)}</div>"
