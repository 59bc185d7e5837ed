"""The caption under the picture: the step's sentence in large type, its answers in the colours of the
picture.

A wrong part of an answer is underlined, so that nothing is told by colour alone. Its height is kept for two
lines: a longer sentence moves nothing.
"""

import time
from html import escape
from typing import Any, ClassVar

import panel as pn

from explorer.views.inspector import caption
from explorer.views.inspector.caption import CaptionFrame, ToldAnswer
from explorer.views.kit.drawing.theme import Theme, css_variables
from explorer.views.kit.view import View
from explorer.views.kit.words.glossary import mark_terms

SLOW = 0.05
"""Seconds: a caption that takes longer is told less often while training goes on."""

LOOK = """
:host { overflow: hidden; }
p { margin: 0; min-height: 2.7em;
  font: var(--caption, var(--large))/1.35 Roboto, Arial, sans-serif;
  color: var(--text);
  display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2;
  overflow: hidden; padding-bottom: 4px; }
@media (max-height: 800px) { p { font-size: var(--caption, min(var(--large), 26px)); } }
@media (max-width: 900px) { p { display: block; } }
abbr { text-decoration: underline dotted var(--muted); text-underline-offset: 3px; cursor: help; }
.guess { color: var(--guess); font-weight: 600; } .rival { color: var(--rival); font-weight: 600; }
.guess::before { content: "\\25CF\\2009"; font-size: 0.7em; } .rival::before { content: "\\25B2\\2009";
  font-size: 0.7em; }
u { text-decoration: underline wavy; text-underline-offset: 4px; text-decoration-thickness: 1.5px; }
"""
"""Disc and triangle are the signs of guess and tempting answer in the pictures."""


def parts(told: ToldAnswer, role: str) -> str:
    """An answer in the colour of its role, what is wrong underlined; escaped."""
    texts = [escape(part) for part in told.parts]
    marked = [f"<u>{text}</u>" if off else text for text, off in zip(texts, told.wrong, strict=True)]
    joined = ("" if all(len(part) == 1 for part in told.parts) else " ").join(marked)
    return f"<span class='{role}'>{joined}</span>"


def html(shown: CaptionFrame) -> str:
    """The sentence, marked up."""
    text = mark_terms(caption.sentence(shown))
    if shown.guess is None or shown.happening:
        return text
    for told, role, before in (
        (shown.guess, "guess", f"{shown.verb} "),
        (shown.rival, "rival", "answer is "),
    ):
        if told is not None and told.parts and (role == "guess" or not told.right):
            plain = mark_terms(caption.plain(told))
            text = text.replace(f"{before}{plain}", f"{before}{parts(told, role)}", 1)
    return text


class Caption(View):
    """The step in one sentence."""

    title: ClassVar[str] = "Caption"
    name_key: ClassVar[str] = "caption"
    urgent: ClassVar[bool] = True
    sentence = staticmethod(caption.sentence)
    _took, _told_at = 0.0, 0.0

    def build(self) -> Any:
        self._html = ""
        self.words.param.update(stylesheets=[LOOK], css_classes=["step-caption"], margin=(4, 12))
        return pn.Spacer(width=0, height=0)

    def frame(self) -> CaptionFrame:
        session = self.session
        name = "Example" if session.shown is session.problem else "Test example"
        return caption.frame(
            session.shown, session.trace, session.cursor, session.example, session.phase, name
        )

    def show(self, shown: CaptionFrame) -> None:
        self._html = html(shown)

    def follow(self, *_: Any) -> None:
        """Tell the session's step, unless that would leave training no time for anything else."""
        waits = self.session.status == "running" and self._took > SLOW
        if waits and time.monotonic() - self._told_at < 4 * self._took:
            return
        began = time.monotonic()
        self.refresh()
        self._told_at = time.monotonic()
        self._took = self._told_at - began

    def _say(self, sentence: str) -> None:
        text = (
            f"<p style='{css_variables(self.theme)}' role='status' aria-live='polite'>"
            f"{self._html or escape(sentence)}</p>"
        )
        if self.words.object != text:
            self.words.object = text

    def recolour(self, theme: Theme) -> None:
        self.refresh()

    def __panel__(self) -> Any:
        return self.words


__all__ = ["Caption"]
