"""The current step explained: its sentence and formulas as a page, with every word and symbol explained."""

from collections.abc import Iterable
from html import escape
from typing import Any, ClassVar

import panel as pn
import panel_material_ui as pmui
import param

from explorer.session.state import PHASES
from explorer.views.inspector import frame as numbers
from explorer.views.inspector.check import CheckPanel
from explorer.views.inspector.frame import InspectorFrame
from explorer.views.inspector.more_numbers import Group
from explorer.views.inspector.step_formulas import Line
from explorer.views.kit.controls.inputs import BUTTON
from explorer.views.kit.controls.tooltips import add_hint
from explorer.views.kit.drawing.theme import Theme
from explorer.views.kit.extents import Extents
from explorer.views.kit.view import View
from explorer.views.kit.words.glossary import mark_terms, words_page


def formulas(lines: Iterable[Line]) -> str:
    """Formula lines as a list."""
    rows = "".join(f"<li><span>{mark_terms(line.name)}</span><div>{line.html}</div></li>" for line in lines)
    return f"<ul class='formulas'>{rows}</ul>" if rows else ""


def page(shown: InspectorFrame | None) -> str:
    """Everything below the sentence, as HTML."""
    if shown is None:
        return ""
    now = {shown.phase: " aria-current='step'"}
    phases = "".join(f"<li{now.get(name, '')}>{escape(name)}</li>" for name in PHASES)
    promised = f"<p>{mark_terms(shown.promise)}</p>" if shown.promise else ""
    proof = f"<h4>{mark_terms(shown.verdict)}</h4><p>{mark_terms(shown.meaning)}</p>{promised}"
    return (
        f"<h4>{escape(shown.learner)}</h4><ol class='phases'>{phases}</ol>{formulas(shown.lines)}"
        f"<section class='box'>{proof}</section>"
        f"<h4>Since the step before</h4><p>{mark_terms(shown.moved)}</p>"
    )


def hidden_numbers(groups: Iterable[Group]) -> str:
    """The numbers that are folded away, as HTML."""
    return "".join(
        f"<h4>{mark_terms(g.title)}</h4><p>{mark_terms(g.about)}</p>{formulas(g.lines)}" for g in groups
    )


def style(theme: Theme) -> str:
    """The page's look in a theme."""
    return f"""
    :host {{ color: {theme.text}; font-size: {theme.font + 1}px; line-height: 1.35; }}
    h4 {{ margin: 6px 0 2px; font-size: 1em; }}  p {{ margin: 2px 0; }}
    abbr {{ text-decoration: underline dotted {theme.muted}; text-underline-offset: 2px; cursor: help; }}
    abbr.symbol {{ text-decoration: none; color: {theme.dual};
      font: italic 1.1em Georgia, "Times New Roman", serif; }}
    .phases {{ display: flex; flex-wrap: wrap; gap: 2px 6px; list-style: none; margin: 4px 0; padding: 0; }}
    .phases li {{ color: {theme.muted}; border: 1px solid {theme.grid}; border-radius: 4px; padding: 0 5px; }}
    .phases li[aria-current] {{ color: {theme.background}; background: {theme.accent}; font-weight: 600; }}
    .phases li[aria-current]::before {{ content: "▸ "; }}
    .formulas {{ list-style: none; margin: 4px 0; padding: 0; }}
    .formulas li {{ margin: 4px 0; padding-left: 6px; border-left: 3px solid {theme.grid}; }}
    .formulas span {{ color: {theme.muted}; }}  .formulas div {{ overflow-wrap: anywhere; }}
    .box {{ border: 1px solid {theme.muted}; border-radius: 6px; padding: 2px 8px; margin: 6px 0; }}
    .check table {{ border-collapse: collapse; width: 100%; font-size: min(0.92em, 13.5px); }}
    .check th {{ text-align: left; font-weight: 400; }} .check thead th, .check td {{ text-align: right; }}
    .check td, .check th {{ padding: 1px 0 1px 4px; border-bottom: 1px solid {theme.grid}; }}
    dt {{ font-weight: 600; }} dd {{ margin: 0 0 4px 10px; }} sup, sub {{ line-height: 0; }}
    """


class Inspector(View):
    """The current step in words and formulas."""

    title: ClassVar[str] = "This step"
    name_key: ClassVar[str] = "inspector"
    help: ClassVar[str] = (
        "What happens in the step under the cursor, with its own numbers. Hover a dotted word or a "
        "coloured letter for its meaning."
    )

    follows = (*View.follows, "checked")
    redraws = ("more",)
    sentence = staticmethod(numbers.sentence)
    table = staticmethod(numbers.table)

    more = param.Boolean(
        False, doc="Optimality of the working set, C as other texts write it, and what theorems need."
    )

    def build(self) -> Any:
        wide = {"sizing_mode": "stretch_width", "margin": (0, 8)}
        self._html = self._folded = self._checked = ""
        self.check = CheckPanel(self.session)
        self.extents = Extents()
        self.page, self.behind, self.glossary = (pn.pane.HTML("", **wide) for _ in range(3))
        button = pmui.Toggle.from_param(self.param.more, label="Numbers behind it", **BUTTON)
        buttons = pn.FlexBox(self.check.button, add_hint(button, self.param.more.doc), margin=(0, 6))
        rest = (buttons, *self.check.parts(), self.behind, self.glossary)
        return pn.Column(self.page, *rest, sizing_mode="stretch_both", margin=0, scroll=True)

    def frame(self) -> InspectorFrame | None:
        session = self.session
        extent = self.extents.of(session.problem)
        return numbers.frame(session.problem, session.trace, session.cursor, session.phase, extent, self.more)

    def show(self, shown: InspectorFrame | None) -> None:
        self._html, self._folded = page(shown), hidden_numbers(() if shown is None else shown.more)
        self._checked = self.check.html()
        self._write()

    def _write(self) -> None:
        """Style and text together: a stylesheet changed on an open page does not reach what is already
        drawn.
        """
        dress = f"<style>{style(self.theme)}</style>"
        for pane, html in (
            (self.page, self._html),
            (self.check.page, self._checked),
            (self.behind, self._folded),
            (self.glossary, words_page()),
        ):
            if pane.object != dress + html:
                pane.object = dress + html

    def _say(self, sentence: str) -> None:
        """The sentence with its words explained."""
        text = f"<p role='status' aria-live='polite'>{mark_terms(sentence)}</p>"
        if self.words.object != text:
            self.words.object = text

    def recolour(self, theme: Theme) -> None:
        self._write()
