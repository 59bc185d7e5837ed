"""A graph, a grid or a set of labels, large: what is given, or with a labelling the state of every node.

Wrong nodes carry a cross on a grid and a dashed ring in a graph. Of a set of labels each has its framed name.
"""

from typing import Any

import numpy as np

from explorer.engine.structures.fields.fields import is_relaxed
from explorer.engine.structures.fields.problem import FieldLabelling
from explorer.engine.vectors import Array
from explorer.views.kit.drawing.portrait import PAGE, named_box, plain_words, svg
from explorer.views.kit.drawing.state_colours import fills, ink_on, marks
from explorer.views.kit.drawing.svg import SHAPES, cells, grey, lines, text
from explorer.views.kit.words.label_words import state_names, state_text
from explorer.views.labelling.places import nodes_of
from explorer.wording import quantity

SIDE, EDGE = 320.0, 16.0
RADIUS = 9.0


def field_portrait(problem: FieldLabelling, example: int, label: Any = None) -> str:
    """The example as it is seen, or with a labelling its states."""
    kind, shape, names, places = nodes_of(problem, example)
    states = state_names(problem.dataset, problem.states)
    if label is not None and is_relaxed(label):
        return plain_words("some nodes are left open between two states", state_text(label, states))
    y = None if label is None else np.asarray(label)
    if kind == "labels":
        return label_set(problem, example, names, y)
    if shape is not None:
        return grid(problem, example, shape, states, y)
    return graph(problem, example, places, states, y)


def label_set(problem: FieldLabelling, example: int, names: tuple[str, ...], y: Any) -> str:
    """The labels that are on, or wrongly off; without a labelling only how much is given."""
    if y is None:
        given = quantity(problem.dataset.inputs[example].shape[-1], "feature")
        return plain_words(given, given)
    truth = np.asarray(problem.dataset.labels[example])
    shown = np.flatnonzero(y | truth)
    wide = 160.0
    out = "".join(
        named_box(n % 4 * wide + 2, n // 4 * 44 + 2, wide - 4, 36, names[u], bool(y[u] != truth[u]))
        for n, u in enumerate(shown.tolist())
    )
    high = 44 * max(1, -(-len(shown) // 4))
    said = ", ".join(names[u] for u in np.flatnonzero(y)) or "none"
    return svg(out or text(4 * wide / 2, 20, "none"), 4 * wide, high, said)


def grid(
    problem: FieldLabelling, example: int, shape: tuple[int, int], states: tuple[str, ...], y: Any
) -> str:
    """Cells with their states, or the noisy ones that are given."""
    rows, columns = shape
    step = SIDE / max(shape)
    wide, high = columns * step, rows * step
    paint = [(colour, 1.0) for colour in fills(states, PAGE)]
    said = f"grid of {rows} by {columns} nodes"
    if y is None:
        nodes, named = problem.dataset.inputs[example].nodes, problem.dataset.meta.get("feature_names", ())
        if tuple(named) == tuple(states):
            return svg(
                cells(np.argmax(nodes, axis=1).reshape(shape), paint, 0, 0, wide, high), wide, high, said
            )
        return svg(
            grey((nodes[:, 0] - nodes[:, 0].min()).reshape(shape), PAGE, 0, 0, wide, high), wide, high, said
        )
    wrong = np.argwhere((y != np.asarray(problem.dataset.labels[example])).reshape(shape))
    arm = 0.28 * step
    crosses = "".join(
        f"M{(c + 0.5) * step - arm:.1f} {(r + 0.5) * step - arm:.1f}l{2 * arm:.1f} {2 * arm:.1f}"
        f"m{-2 * arm:.1f} 0l{2 * arm:.1f} {-2 * arm:.1f}"
        for r, c in wrong.tolist()
    )
    halo = f"<path d='{crosses}' stroke='#ffffff' stroke-width='5' fill='none'/>"
    crossed = (
        f"{halo}<path d='{crosses}' stroke='#1b1f24' stroke-width='2.4' fill='none'/>" if crosses else ""
    )
    said += f", {len(wrong)} wrong"
    return svg(cells(y.reshape(shape), paint, 0, 0, wide, high) + crossed, wide, high, said)


def graph(problem: FieldLabelling, example: int, places: Array, states: tuple[str, ...], y: Any) -> str:
    """Nodes in the shape and colour of their states, and edges."""
    x, colours, letters = problem.dataset.inputs[example], fills(states, PAGE), marks(states)
    low, span = places.min(axis=0), np.maximum(np.ptp(places, axis=0), 1e-9)
    at = EDGE + (places - low) / span * (SIDE - 2 * EDGE)
    at[:, 1] = SIDE - at[:, 1]
    out = lines(at, x.edges.tolist(), PAGE)
    wrong = np.zeros(len(at), dtype=bool) if y is None else y != np.asarray(problem.dataset.labels[example])
    radius = RADIUS if len(at) <= 60 else 6.0
    for u, (a, b) in enumerate(at.tolist()):
        k = None if y is None else int(y[u])
        fill = "var(--background)" if k is None else colours[k]
        shape = SHAPES[0 if k is None else k % len(SHAPES)]
        out += (
            f"<path transform='translate({a:.1f} {b:.1f}) scale({radius})' d='M0 0{shape}' fill='{fill}' "
            "stroke='var(--text)' stroke-width='.12'/>"
        )
        if k is not None and letters[k]:
            ink = f"font-size='{1.1 * radius:.0f}' fill='{ink_on(fill)}'"
            out += text(a, b + 1, letters[k], ink)
        if wrong[u]:
            out += (
                f"<circle cx='{a:.1f}' cy='{b:.1f}' r='{1.7 * radius:.1f}' fill='none' stroke='var(--rival)' "
                "stroke-width='3' stroke-dasharray='5 3'/>"
            )
    said = f"graph of {quantity(len(at), 'node')}" + ("" if y is None else f", {wrong.sum()} wrong")
    return svg(out, SIDE, SIDE, said)


__all__ = ["field_portrait"]
