"""The states of a chain as a diagram: start, states, stop, and the weight of every way as an edge.

    width of the edge a -> b  =  widest * |w_ab| / max |w|,      start -> b: w of beginning with b,
        a -> stop: of ending with a

(degree thesis, figure 4.1). States stand on an ellipse at even distances, start on its left and stop on its
right; an edge is bent to the left of its direction, so that both directions between two states are apart, and
a state's edge to itself is a loop. All places are pixels, y upwards. At most `MOST_EDGES` edges are drawn,
the strongest. Cost: that of ordering K^2 + 2 K numbers.
"""

import math
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from explorer.engine.contracts import Problem
from explorer.engine.runs.trace import Trace
from explorer.engine.vectors import Array, Ints
from explorer.views.kit.depiction import depiction_of

MOST_STATES = 12
MOST_EDGES = 36
FEW_STATES = 3
"""Up to this many states there is room for large nodes and for a number on every edge."""

WIDEST = 7.0
"""Pixels of the strongest edge."""

MOST_NAME = 6
LOOP, LOOP_OUT = 3.3, 2.35
"""In radii from the middle of a node: where the handles of its loop lie, and how far the loop reaches."""

LOOP_TURN = 0.68
"""Radians by which a loop leaves its node beside the way it points."""

SAMPLES = 60


@dataclass(frozen=True, slots=True, eq=False)
class DiagramFrame:
    """The edges of one step that are not 0, strongest first; nodes are states, then start and stop."""

    at: int
    w_at: int
    states: int
    names: tuple[str, ...]
    tail: Ints
    head: Ints
    weight: Array
    words: tuple[str, ...]

    @property
    def edges_drawn(self) -> int:
        """How many edges are drawn."""
        return min(len(self.weight), MOST_EDGES)


class DiagramLayout(NamedTuple):
    """Where the nodes are, half the width and height of each, and where each one's loop points."""

    place: Array
    half: Array
    out: Array


def fits(problem: Problem) -> bool:
    """Whether there are weights between states, of few enough to draw."""
    found = (part.rows for part in depiction_of(problem).weights(problem) if part.name == "transitions")
    return next(found, MOST_STATES + 1) <= MOST_STATES


def frame(problem: Problem, trace: Trace, at: int) -> DiagramFrame | None:
    """The diagram at the nearest kept step up to `at`; None if untrained."""
    if not len(trace):
        return None
    moment, states = trace.at(min(at, len(trace) - 1)), depiction_of(problem).states(problem)
    parts = {part.name: part for part in depiction_of(problem).weights(problem)}
    K, rows = len(states), []
    for name, part in parts.items():
        if name in ("transitions", "start", "stop"):
            for r, c in product(range(part.rows), range(part.cols)):
                ends = {"transitions": (r, c), "start": (K, c), "stop": (c, K + 1)}[name]
                j = part.start + r * part.cols + c
                rows.append((*ends, float(moment.w[j]), part.word(j)))
    rows = sorted((row for row in rows if row[2] != 0.0), key=lambda row: -abs(row[2]))
    tail, head, weight, words = zip(*rows, strict=True) if rows else ((), (), (), ())
    names = (*states, "start", "stop") if "start" in parts else states
    return DiagramFrame(
        moment.at,
        moment.w_at,
        K,
        names,
        np.array(tail, int),
        np.array(head, int),
        np.array(weight, float),
        words,
    )


def widths(weight: Array) -> Array:
    """Pixels for each edge, in proportion to the size of its weight."""
    return WIDEST * np.abs(weight) / (np.abs(weight).max(initial=0.0) or 1.0)


# places -----------------------------------------------------------------------------------------------------


def layout(names: tuple[str, ...], states: int, wide: float, high: float, font: float) -> DiagramLayout:
    """Two states one above the other, more on an ellipse, as large as the figure allows."""
    longest = max(len(short(name)) for name in names[:states])
    r = max(
        0.07 * high if states <= FEW_STATES else 0.035 * high,
        min(1.1 * font, high / 11),
        0.33 * font * longest + 4,
    )
    box = 0.33 * font * 5 + 5
    middle, across = np.array([wide, high]) / 2, min(wide / 2, (1.7 if states <= FEW_STATES else 2.2) * high)
    beside = 2 * box + 5 * font + r if len(names) > states else LOOP_OUT * r + font
    reach = np.maximum([across - beside, high / 2 - LOOP_OUT * r - 5], 2 * r)
    unit = around(states, reach)
    place, half = middle + unit * reach, np.full((states, 2), r)
    level = np.abs(unit[:, 1]) < 0.2  # their loops go up: sideways are the edges from start and to stop
    out = np.where(level[:, None], [0.0, 1.0], unit / reach)
    if len(names) > states:
        ends = middle + np.array([[box + 4 - across, 0.0], [across - box - 4, 0.0]])
        place, half = np.vstack([place, ends]), np.vstack([half, [[box, 0.9 * font]] * 2])
    return DiagramLayout(place, half, out / np.linalg.norm(out, axis=1, keepdims=True))


def around(count: int, reach: Array) -> Array:
    """Points evenly spaced on an ellipse, in units of its half axes, clockwise from the upper left."""
    if count <= 2:
        return np.array([[0.0, 1.0], [0.0, -1.0]])[:count] if count == 2 else np.zeros((1, 2))
    turn = np.linspace(math.pi, -math.pi, 2001)
    unit = np.column_stack([np.cos(turn), np.sin(turn)])
    length = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(unit * reach, axis=0), axis=1)))
    chosen = np.interp((np.arange(count) + 0.5) / count * length[-1], length, turn)
    return np.column_stack([np.cos(chosen), np.sin(chosen)])


def curves(shown: DiagramFrame, lay: DiagramLayout) -> list[Array]:
    """For every drawn edge the points of its line, from the border of one node to that of the other."""
    found = []
    for a, b in zip(shown.tail[: shown.edges_drawn], shown.head[: shown.edges_drawn], strict=True):
        line = loop(lay, a) if a == b else bow(lay, a, b, shown.states)
        outside = ~(within(line, lay, a, 0.0) | within(line, lay, b, 5.0))
        found.append(line[outside] if np.count_nonzero(outside) > 1 else line)
    return found


def within(line: Array, lay: DiagramLayout, node: int, more: float) -> Any:
    """Which points lie in a node, made larger by some pixels: states are round, start and stop are boxes."""
    away = np.abs(line - lay.place[node])
    if node < len(lay.out):
        return np.hypot(*away.T) < lay.half[node, 0] + more
    return np.all(away < lay.half[node] + more, axis=1)


def bow(lay: DiagramLayout, a: int, b: int, states: int) -> Array:
    """A curve between two nodes, bent to the left; straight from start and to stop."""
    p, q = lay.place[a], lay.place[b]
    far = float(np.linalg.norm(q - p)) or 1.0
    apart = max(0.6 * far, 4.6 * lay.half[0, 0]) if states == 2 else float(np.clip(0.22 * far, 20, 60))
    bend = 0.0 if max(a, b) >= states else apart
    handle = (p + q) / 2 + bend * np.array([p[1] - q[1], q[0] - p[0]]) / far
    t = np.linspace(0.0, 1.0, SAMPLES)[:, None]
    return (1 - t) ** 2 * p + 2 * t * (1 - t) * handle + t**2 * q


def loop(lay: DiagramLayout, a: int) -> Array:
    """A drop that leaves the node and comes back to it."""
    p, r, (x, y) = lay.place[a], lay.half[a, 0], lay.out[a]
    c, s = math.cos(LOOP_TURN), math.sin(LOOP_TURN)
    left, right = np.array([c * x - s * y, s * x + c * y]), np.array([c * x + s * y, c * y - s * x])
    t = np.linspace(0.0, 1.0, SAMPLES)[:, None]
    ways = (
        ((1 - t) ** 3, left),
        (3 * t * (1 - t) ** 2, LOOP * left),
        (3 * t**2 * (1 - t), LOOP * right),
        (t**3, right),
    )
    return p + r * sum(share * way for share, way in ways)


# words ------------------------------------------------------------------------------------------------------


def with_sign(weight: float) -> str:
    """A weight with its sign, in three digits."""
    return f"{weight:+.3g}".replace("-", "−")


def short(name: str) -> str:
    """A name that fits into its node."""
    return name if len(name) <= MOST_NAME else name[: MOST_NAME - 1] + "…"


def sentence(shown: DiagramFrame) -> str:
    """Which way is the strongest, and how many are left out."""
    kept = "" if shown.w_at == shown.at else f" (weights of step {shown.w_at}, the nearest one kept)"
    if not len(shown.weight):
        return f"Step {shown.at}{kept}: all weights between states are 0, so no edge is drawn."
    best, against = int(np.argmax(shown.weight)), int(np.argmin(shown.weight))
    told = []
    if shown.weight[best] > 0:
        told.append(f"most in favour, {shown.words[best]} ({with_sign(shown.weight[best])})")
    if shown.weight[against] < 0:
        told.append(f"most against, {shown.words[against]} ({with_sign(shown.weight[against])})")
    if shown.edges_drawn < len(shown.weight):
        told.append(f"drawn are the {shown.edges_drawn} strongest of {len(shown.weight)} edges")
    return f"Step {shown.at}{kept}: {'; '.join(told)}."


def table(shown: DiagramFrame) -> dict[str, Any]:
    """Every edge, the strongest first."""
    ends = [[shown.names[i] for i in nodes] for nodes in (shown.tail, shown.head)]
    return {"from": ends[0], "to": ends[1], "weight": shown.weight}
