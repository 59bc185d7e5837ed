"""What every time axis shows: the step under the cursor, the step before a glance, changes of settings."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from bokeh.models import LabelSet, Span

from explorer.engine.runs.trace import Trace
from explorer.session.state import Session
from explorer.views.kit.drawing.pieces import fill, source
from explorer.views.kit.drawing.theme import Theme
from explorer.wording import number

APART = 0.03
"""Part of the axis by which two moments must differ for both to be named."""

UP = np.pi / 2


def changes(trace: Trace) -> list[tuple[int, str]]:
    """Steps at which the run went on under other settings, and what had changed."""
    out = []
    for (_, before), (i, after) in zip(trace.starts, trace.starts[1:], strict=False):
        names = [n for n, v in after.settings.items() if before.settings.get(n) != v]
        text = ", ".join(f"{n} = {number(after.settings[n])}" for n in names) or "other loss or oracle"
        out.append((i, text))
    return out


def uncrowded_texts(marks: Sequence[tuple[float, str]], span: float) -> list[str]:
    """The texts of the moments; of those that crowd an axis of this length only the newest is named."""
    texts, free = [], np.inf
    for x, text in reversed(marks):
        fits = free - x >= APART * span
        texts.append(text if fits else "")
        free = x if fits else free
    return texts[::-1]


class Timeline:
    """The marks on one figure's time axis."""

    def __init__(self, drawn: Any) -> None:
        self.cursor = Span(dimension="height", line_width=2)
        self.left = Span(dimension="height", line_width=2, line_dash="dotted")
        self.source = source("x y text")
        self.rays = drawn.ray("x", 0, length=0, angle=UP, source=self.source, line_dash="dotdash")
        self.labels = LabelSet(
            x="x", y="y", text="text", source=self.source, angle=UP, y_units="screen", x_offset=-3
        )
        for mark in (self.cursor, self.left, self.labels):
            drawn.add_layout(mark)

    def show(self, session: Session, x: Any = None) -> None:
        """Mark where the session is; x gives every step's place on the axis, its number by default."""
        n = len(session.trace)
        places = np.arange(n, dtype=float) if x is None else x

        def at(step: int) -> float | None:
            return float(places[min(step, n - 1)]) if n else None

        self.cursor.location = at(session.cursor)
        self.left.location = at(session.glance.settled) if session.glance.active else None
        marks = [(at(step) or 0.0, what) for step, what in changes(session.trace) if n]
        span = float(places[-1] - places[0]) if n else 0.0
        fill(self.source, [place for place, _ in marks], [6] * len(marks), uncrowded_texts(marks, span))

    def recolour(self, theme: Theme) -> None:
        """Give the marks the theme's colours."""
        self.cursor.line_color = self.left.line_color = self.rays.glyph.line_color = theme.accent
        self.labels.update(text_color=theme.muted, text_font_size=f"{theme.font - 1}px")


__all__ = ["Timeline", "changes", "uncrowded_texts"]
