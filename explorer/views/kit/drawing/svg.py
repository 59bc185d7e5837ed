"""What small pictures are made of, as SVG: matrices of cells, chips, markers, lines, legends.

Matrices are drawn as runs of equal cells, so that a picture stays small.
"""

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from explorer.engine.vectors import Array
from explorer.views.kit.drawing.runs import runs_of
from explorer.views.kit.drawing.state_colours import ink_on
from explorer.views.kit.drawing.theme import Theme

WIDTH, HEIGHT, EDGE = 260, 120, 8
SIDE = HEIGHT - 2 * EDGE
MOST = 40
"""Rows and columns of a matrix at most; features over time have more columns."""

SHAPES = (
    "m-1 0a1 1 0 1 0 2 0a1 1 0 1 0-2 0z",
    "m-.9-.9h1.8v1.8h-1.8z",
    "m0-1.2l1.1 2h-2.2z",
    "m0-1.25l1.1 1.25l-1.1 1.25l-1.1-1.25z",
    "m0 1.2l1.1-2h-2.2z",
    "m-.4-1.1h.8v.7h.7v.8h-.7v.7h-.8v-.7h-.7v-.8h.7z",
)
"""Outlines of markers around a point, one for each class."""


def cells(
    levels: Any, paint: Sequence[tuple[str, float]], x: float, y: float, wide: float, high: float
) -> str:
    """A matrix of numbers: k is a cell of colour and opacity paint[k]; cells of opacity 0 are left out."""
    rows = np.atleast_2d(levels)
    runs = [""] * len(paint)
    for r, row in enumerate(rows):
        for k, begin, count in runs_of(row):
            runs[k] += f"M{begin} {r}h{count}"
    lines = "".join(
        f"<path stroke='{colour}' stroke-opacity='{opacity:.2g}' d='{found}'/>"
        for (colour, opacity), found in zip(paint, runs, strict=True)
        if found and opacity
    )
    size = f"scale({wide / rows.shape[1]:.5g} {high / len(rows):.5g}) translate(0 .5)"
    return f"<g transform='translate({x:.1f} {y:.1f}) {size}' shape-rendering='crispEdges'>{lines}</g>"


def grey(values: Array, theme: Theme, *where: float) -> str:
    """Numbers from 0 to the largest as shades between paper and ink."""
    shades = np.rint(np.maximum(values, 0) / max(float(values.max()), 1e-9) * 5).astype(int)
    return cells(shades, [(theme.text, k / 5) for k in range(6)], *where)


def heat(values: Array, theme: Theme, *where: float) -> str:
    """Numbers from -1 to 1 in the theme's colours for low and high."""
    paint = [(theme.low if k < 0 else theme.high, abs(k) / 3) for k in range(-3, 4)]
    return cells(np.rint(np.clip(values, -1, 1) * 3).astype(int) + 3, paint, *where)


def text(x: float, y: float, words: str, look: str = "") -> str:
    """Words, escaped, around a point."""
    return f"<text x='{x:.1f}' y='{y:.1f}' {look}>{escape(words)}</text>"


def mark(x: float, y: float, letter: str, fill: str) -> str:
    """The beginning of a state's name on a cell of its colour."""
    return (
        text(x, y, letter.replace("-", "\u2212"), f"font-weight='600' fill='{ink_on(fill)}'")
        if letter
        else ""
    )


def chip(x: float, y: float, wide: float, high: float, fill: str, letter: str) -> str:
    """A coloured cell that carries the mark of its state."""
    box = f"<rect x='{x:.1f}' y='{y:.1f}' width='{wide:.1f}' height='{high:.1f}' rx='3' fill='{fill}'/>"
    return box + mark(x + wide / 2, y + high / 2, letter, fill)


def markers(at: Array, labels: Any, fill: Sequence[str], size: float, theme: Theme) -> str:
    """A marker at each place, in shape and colour of its class."""
    out = ""
    for k in np.unique(labels).tolist():
        ends = f"{SHAPES[k % len(SHAPES)]}'/>"
        spots = "".join(
            f"<path d='M{x:.1f} {y:.1f}{ends}" for x, y in (at[np.asarray(labels) == k] / size).tolist()
        )
        out += f"<g fill='{fill[k]}'>{spots}</g>"
    # the darkest hues have little contrast to a dark paper
    edge = theme.text if theme.name == "dark" else theme.background
    return f"<g transform='scale({size})' stroke='{edge}' stroke-width='.18'>{out}</g>"


def lines(at: Array, pairs: Any, theme: Theme) -> str:
    """A thin line for every pair of places."""
    ends = "".join(f"M{at[a, 0]:.1f} {at[a, 1]:.1f}L{at[b, 0]:.1f} {at[b, 1]:.1f}" for a, b in pairs)
    return f"<path d='{ends}' stroke='{theme.neutral}' stroke-opacity='.7' fill='none'/>"


def legend(names: Sequence[str], fill: Sequence[str], theme: Theme, notes: Sequence[str] = ()) -> str:
    """The classes below each other at the right, with their markers; notes below them."""
    rows = len(names) + len(notes)
    step = min(18.0, SIDE / rows)
    y = HEIGHT / 2 + step * (np.arange(rows) - (rows - 1) / 2)
    own = np.stack([np.full(len(names), 186.0), y[: len(names)]], axis=1)
    said = "".join(text(196, h, name[:11], "text-anchor='start'") for h, name in zip(y, names, strict=False))
    look = f"text-anchor='start' fill='{theme.muted}'"
    noted = "".join(text(180, h, note[:14], look) for h, note in zip(y[len(names) :], notes, strict=True))
    return markers(own, np.arange(len(names)), fill, 5, theme) + said + noted


def fit_places(at: Array, equal: bool = True) -> Array:
    """Places, y upwards, moved into the box at the left of a legend; `equal` keeps their shape."""
    low, span = at.min(axis=0), np.maximum(np.ptp(at, axis=0), 1e-9)
    room = np.array([150, SIDE - 6])
    scale = np.full(2, np.min(room / span)) if equal else room / span
    return np.array([90, HEIGHT / 2]) + (at - low - span / 2) * scale * [1, -1]


def arrow(x: float, theme: Theme) -> str:
    """From what is given to what is learned."""
    return (
        f"<path d='M{x - 5} {HEIGHT / 2}h9m-4-4l4 4l-4 4' fill='none' stroke='{theme.muted}' "
        "stroke-width='1.5'/>"
    )


def legible_example(labels: Sequence[Any], size: int, turn: int) -> int:
    """Of the examples nearest to a legible size one with many different states; the next for later turns."""
    return sorted(
        range(len(labels)), key=lambda i: (abs(len(labels[i]) - size), -len(set(labels[i].tolist())))
    )[turn]


def word_rows(words: Sequence[str], colours: Sequence[str], letter: Sequence[str]) -> str:
    """Words in at most three lines, a chip with the state below each; what does not fit is left out."""
    rows, x = [""], 0.0
    for word, fill, own in zip(words, colours, letter, strict=True):
        wide = max(6.5 * len(word), 18.0)
        if x + wide > WIDTH - 2 * EDGE:
            rows, x = [*rows, ""], 0.0
        rows[-1] += text(x + wide / 2, 7, word) + chip(x, 15, wide, 14, fill, own)
        x += wide + 6
    top = (HEIGHT - 37 * min(len(rows), 3) + 8) / 2
    return "".join(
        f"<g transform='translate({EDGE} {top + 37 * n})'>{row}</g>" for n, row in enumerate(rows[:3])
    )
