"""A problem in one small picture: what is given, and what is to be learned from it, of one example.

All pictures are SVG of `WIDTH` by `HEIGHT`, drawn by the depiction of the problem; no oracle is asked.
Matrices are drawn as runs of equal cells, and thinned out to at most `MOST` rows and columns, so that a
picture stays below 15 kB. Cost: one look at the example.
"""

from html import escape

from explorer.engine.contracts import Problem
from explorer.views.kit.depiction import depiction_of
from explorer.views.kit.drawing.svg import HEIGHT, WIDTH
from explorer.views.kit.drawing.theme import Theme


def thumbnail(problem: Problem, theme: Theme, turn: int = 0) -> str:
    """The problem's data as SVG, empty where there is no picture; another `turn` shows another example."""
    words, parts = depiction_of(problem).thumbnail(problem, theme, turn % problem.n)
    look = f"font-size='11' text-anchor='middle' dominant-baseline='central' fill='{theme.text}'"
    box = f"viewBox='0 0 {WIDTH} {HEIGHT}' role='img' aria-label='{escape(words)}' {look}"
    return f"<svg {box}>{parts}</svg>" if parts else ""


__all__ = ["thumbnail"]
