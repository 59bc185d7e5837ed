"""Pieces of a large picture of one example and one answer: SVG whose roles take the colours of the page.

Unlike thumbnails these are drawn part by part beside the truth: a part that is right has a solid frame in
the colour of the truth, a wrong one a dashed frame in that of the tempting answer, and its name is struck
out. All colours but those of states are CSS variables, so that one picture serves every theme.
"""

from collections.abc import Sequence
from dataclasses import replace
from html import escape

from explorer.views.kit.drawing.theme import LIGHT

PAGE = replace(
    LIGHT,
    name="page",
    **{
        name: f"var(--{name})"
        for name in ("text", "muted", "grid", "background", "panel", "truth", "guess", "rival", "accent")
    },
    neutral="var(--muted)",
)
"""The theme of the page that the picture stands in."""

SIZE = 20
"""Type in the units of a picture that is 640 wide."""

RIGHT, WRONG = "stroke='var(--truth)'", "stroke='var(--rival)' stroke-dasharray='5 3'"


def svg(parts: str, wide: float, high: float, said: str) -> str:
    """A picture of this size with its words for those who cannot see it."""
    look = f"font-size='{SIZE}' text-anchor='middle' dominant-baseline='central' fill='var(--text)'"
    size = f"viewBox='0 0 {wide:.0f} {high:.0f}' width='{wide:.0f}' height='{high:.0f}'"
    box = f"{size} role='img' aria-label='{escape(said, quote=True)}'"
    return f"<svg xmlns='http://www.w3.org/2000/svg' {box} {look}>{parts}</svg>"


def frame_of(wrong: bool) -> str:
    """How the outline of a part is drawn."""
    return WRONG if wrong else RIGHT


def named_box(x: float, y: float, wide: float, high: float, words: str, wrong: bool) -> str:
    """A part as a framed name."""
    crossed = " text-decoration='line-through' fill='var(--rival)' font-weight='600'" if wrong else ""
    size = min(SIZE, wide / max(0.62 * len(words), 1))
    return (
        f"<rect x='{x:.1f}' y='{y:.1f}' width='{wide:.1f}' height='{high:.1f}' rx='5' "
        f"fill='var(--background)' stroke-width='2.5' {frame_of(wrong)}/>"
        f"<text x='{x + wide / 2:.1f}' y='{y + high / 2 + 1:.1f}' font-size='{size:.1f}'{crossed}>"
        f"{escape(words)}</text>"
    )


def row_of_names(names: Sequence[str], wrong: Sequence[bool], widths: Sequence[float]) -> str:
    """Framed names side by side; each has its width, with a little room between them."""
    out, x = "", 0.0
    for name, off, wide in zip(names, wrong, widths, strict=True):
        out += named_box(x + 2, 2, wide - 4, 36, name, off)
        x += wide
    return out


def plain_words(text: str, said: str) -> str:
    """An answer that cannot be drawn, as it prints."""
    wide = max(640.0, 0.62 * SIZE * len(text))
    return svg(f"<text x='{wide / 2:.0f}' y='20'>{escape(text)}</text>", wide, 40, said)


__all__ = ["PAGE", "SIZE", "frame_of", "named_box", "plain_words", "row_of_names", "svg"]
