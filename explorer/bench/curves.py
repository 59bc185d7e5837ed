"""Objective against processor seconds as a small SVG: how far above the best known objective, both axes
logarithmic.
"""

import math
from collections.abc import Mapping, Sequence
from html import escape

Curve = Sequence[tuple[float, float]]

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 420, 70, 230, 20, 45
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
LEAST = 1e-6
"""Smaller relative distances are drawn at the bottom."""


def svg(title: str, curves: Mapping[str, Curve], best: float) -> str:
    """One line for each contestant that has a curve; `best` is the smallest objective that anybody
    reached.
    """
    drawn = {
        who: [(x, max(y / best - 1.0, LEAST)) for x, y in curve if x > 0] for who, curve in curves.items()
    }
    drawn = {who: points for who, points in drawn.items() if points}
    points = [point for line in drawn.values() for point in line]
    if not points:
        return ""
    across, up = decades([x for x, _ in points]), decades([y for _, y in points])
    shapes = [
        *grid(across, up),
        *(shape for at, who in enumerate(drawn) for shape in line_of(at, who, drawn[who], across, up)),
    ]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="sans-serif" font-size="12">'
    )
    words = [
        f'<text x="{LEFT}" y="14">{escape(title)}</text>',
        f'<text x="{LEFT}" y="{HEIGHT - 8}">processor seconds (left to right), objective / best - 1 '
        "(upwards)</text>",
    ]
    return "\n".join([head, '<rect width="100%" height="100%" fill="white"/>', *words, *shapes, "</svg>"])


def decades(values: Sequence[float]) -> tuple[int, int]:
    """The powers of ten around the values."""
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)


def place(x: float, y: float, across: tuple[int, int], up: tuple[int, int]) -> tuple[float, float]:
    """Where a point lies on the page."""
    right = (math.log10(x) - across[0]) / (across[1] - across[0])
    above = (math.log10(y) - up[0]) / (up[1] - up[0])
    return LEFT + right * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - above * (HEIGHT - TOP - BOTTOM)


def grid(across: tuple[int, int], up: tuple[int, int]) -> list[str]:
    """A line and a number at every power of ten."""
    shapes = []
    for power in range(across[0], across[1] + 1):
        x, y = place(10.0**power, 10.0 ** up[0], across, up)
        shapes.append(
            f'<path d="M{x:.1f} {y:.1f}V{TOP}" stroke="#ddd"/><text x="{x - 10:.1f}" '
            f'y="{y + 15:.1f}">1e{power}</text>'
        )
    for power in range(up[0], up[1] + 1):
        x, y = place(10.0 ** across[0], 10.0**power, across, up)
        shapes.append(
            f'<path d="M{x:.1f} {y:.1f}H{WIDTH - RIGHT}" stroke="#ddd"/><text x="{x - 40:.1f}" '
            f'y="{y + 4:.1f}">1e{power}</text>'
        )
    return shapes


def line_of(at: int, who: str, points: Curve, across: tuple[int, int], up: tuple[int, int]) -> list[str]:
    """One contestant: its line and its name."""
    colour = COLOURS[at % len(COLOURS)]
    places = [place(x, y, across, up) for x, y in points]
    marks = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{colour}"/>' for x, y in places)
    way = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    name = f'<text x="{WIDTH - RIGHT + 10}" y="{TOP + 16 * (at + 1)}" fill="{colour}">{escape(who)}</text>'
    return [f'<polyline points="{way}" fill="none" stroke="{colour}" stroke-width="1.5"/>', marks, name]
