"""What a picture of one step holds, as columns: edges, messages, cuts, nodes, pies and texts.

    width of an edge = 0.8 + 4 |strength| / largest |strength|        solid: attracts, dashed: repels

While a flow is shown the width is what is left of the capacity, and full arcs are dotted. Messages sit around
their receiver like votes, a little beside their edge. Cost: linear in nodes and edges.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from explorer.engine.structures.fields.fields import Fields
from explorer.engine.vectors import Array, Ints
from explorer.labs.compare import OracleComparison
from explorer.labs.fields.comparison import open_nodes
from explorer.labs.fields.film import FieldStep
from explorer.labs.fields.instance import FieldCase, strengths
from explorer.labs.film import NONE, SURE

MOST_GRAPH = 64
"""Larger fields are grids, and drawn as cells without edges."""

MOST_NUMBERS = 25
"""At most this many nodes have a number beside them."""

ASIDE, AWAY = 3.0, 16.0
"""A message is drawn this many pixels beside its edge, and so far from the rim of its receiver."""


@dataclass(frozen=True, slots=True, eq=False)
class FieldScene:
    """One step of one oracle on one field: what all columns are made from."""

    field_case: FieldCase
    compared: OracleComparison[Fields]
    step: FieldStep
    picked: int | None = None

    @property
    def case(self) -> FieldCase:
        """What is drawn: the field, or what the oracle makes of it."""
        return self.step.drawn or self.field_case

    @property
    def place(self) -> Array:
        """Where nodes lie."""
        return self.case.place

    @property
    def cells(self) -> bool:
        """Whether nodes are drawn as cells of a grid."""
        return len(self.place) > MOST_GRAPH

    @property
    def numbered(self) -> bool:
        """Whether nodes have a number beside them."""
        return self.field_case.nodes <= MOST_NUMBERS

    @property
    def wrong(self) -> Ints:
        """Nodes at which a labelling that misses the best known score differs from the best one."""
        labels = self.step.labels
        if not len(labels) or self.step.drawn or self.compared.top - self.step.value <= self.compared.slack:
            return NONE
        return np.setdiff1d(np.flatnonzero(labels != self.compared.target(labels)), self.fractional)

    @property
    def fractional(self) -> Ints:
        """Nodes without a single state."""
        return open_nodes(self.step.shares)


def edges(scene: FieldScene) -> dict[str, Any]:
    """The field's edges; during a flow what is left of them."""
    field, flow = scene.case.field, scene.step.flow
    if scene.cells:
        return {key: [] for key in ("x0", "y0", "x1", "y1", "a", "b", "strength", "note", "width", "dash")}
    strength = strengths(field)
    size, dash = np.abs(strength), np.where(strength >= 0.0, "solid", "dashed").tolist()
    note = np.where(strength >= 0.0, "attracts", "repels").tolist()
    if flow is not None:
        size = flow.left.min(axis=1)
        dash = np.where(size > flow.least, "solid", "dotted").tolist()
        note = [
            f"{a:.3g} there and {b:.3g} back left of {c:.3g}"
            for (a, b), c in zip(flow.left, flow.capacity, strict=True)
        ]
    top = float((np.abs(strength) if flow is None else flow.capacity).max(initial=0.0)) or 1.0
    width = 0.8 + 4.0 * size / top
    if scene.picked is not None:
        width = np.where((field.ends == scene.picked).any(axis=1), width, 0.4)
    return _segments(scene, field.ends) | {
        "a": field.ends[:, 0],
        "b": field.ends[:, 1],
        "strength": strength,
        "note": note,
        "width": width,
        "dash": dash,
    }


def cut(scene: FieldScene, scale: tuple[float, float]) -> dict[str, Any]:
    """The edges that are cut, and a stroke across the middle of each; `scale` is pixels per unit."""
    ends = scene.case.field.ends[scene.step.cut if not scene.cells else NONE]
    first, second = scene.place[ends[:, 0]], scene.place[ends[:, 1]]
    (x, y), way = (0.5 * (first + second)).T, (second - first) * scale
    return _segments(scene, ends) | {"x": x, "y": y, "angle": np.arctan2(way[:, 1], way[:, 0]) + 0.5 * np.pi}


def path(scene: FieldScene) -> dict[str, Any]:
    """The edges of the path that carries flow."""
    nodes = scene.step.flow.path if scene.step.flow is not None and not scene.cells else ()
    return _segments(scene, np.array(list(pairwise(nodes)), dtype=np.int64).reshape(-1, 2))


def _segments(scene: FieldScene, ends: Ints) -> dict[str, Any]:
    (x0, y0), (x1, y1) = scene.place[ends[:, 0]].T, scene.place[ends[:, 1]].T
    return {"x0": x0, "y0": y0, "x1": x1, "y1": y1}


def messages(scene: FieldScene, scale: tuple[float, float], rim: float) -> dict[str, Any]:
    """Triangles that point to the receiver, larger if stronger; `scale` is pixels per unit."""
    sent = scene.step.arrows
    if sent is None or scene.cells:
        return {key: [] for key in ("x", "y", "angle", "size", "state", "tail", "head", "lead", "text")}
    keep = np.flatnonzero(sent.lead > 0.0)
    if scene.picked is not None:
        keep = keep[sent.head[keep] == scene.picked]
    tail, head, lead = sent.tail[keep], sent.head[keep], sent.lead[keep]
    way = (scene.place[head] - scene.place[tail]) * scale
    length = np.maximum(np.hypot(*way.T), 1e-9)
    across = np.stack([-way[:, 1], way[:, 0]], axis=1) / length[:, None]
    along = np.maximum(0.5, 1.0 - (rim + AWAY) / length)[:, None]
    x, y = (scene.place[tail] + along * way / scale + ASIDE * across / scale).T
    top = float(sent.lead.max(initial=0.0)) or 1.0
    text = [f"{value:.2g}" for value in lead] if scene.picked is not None else [""] * len(keep)
    return {
        "x": x,
        "y": y,
        "angle": np.arctan2(way[:, 1], way[:, 0]) - 0.5 * np.pi,
        "size": 4.0 + 9.0 * lead / top,
        "state": sent.state[keep],
        "tail": tail,
        "head": head,
        "lead": lead,
        "text": text,
    }


def nodes(scene: FieldScene) -> dict[str, Any]:
    """Every node with its state (-1 where the oracle has no answer), its scores, and its sign in a cut."""
    field, step, (x, y) = scene.case.field, scene.step, scene.place.T
    labels = step.labels if len(step.labels) else np.full(len(x), -1)
    text = np.array([str(s) if s >= 0 else "?" for s in labels], dtype=object)
    for u in scene.fractional:
        text[u] = "" if scene.numbered else part_of(step, u)
    side = np.full(len(x), "circle") if step.source is None else np.where(step.source, "circle", "square")
    own = {f"own{s}": field.unary[:, s] for s in range(field.states)}
    more = step.values if step.values is not None else np.full(field.unary.shape, np.nan)
    now = {f"now{s}": more[:, s] for s in range(field.states)}
    return {
        "node": np.arange(len(x)),
        "x": x,
        "y": y,
        "state": labels,
        "text": list(text),
        "side": side.tolist(),
        **own,
        **now,
    }


def pies(scene: FieldScene) -> dict[str, Any]:
    """One slice for every state that has a share in a fractional node, from the top clockwise."""
    half = scene.fractional
    if scene.step.shares is None or not len(half):
        return {key: [] for key in ("x", "y", "start", "end", "state")}
    shares = scene.step.shares[half]
    ends = 0.5 * np.pi - 2.0 * np.pi * np.cumsum(shares, axis=1)
    at, state = np.nonzero(shares > SURE)
    x, y = scene.place[half[at]].T
    return {
        "x": x,
        "y": y,
        "start": ends[at, state],
        "end": ends[at, state] + 2.0 * np.pi * shares[at, state],
        "state": state,
    }


def part_of(step: FieldStep, u: int) -> str:
    """The largest share of a fractional node."""
    assert step.shares is not None  # without shares no node is fractional
    return share(float(step.shares[u].max()))


def share(value: float) -> str:
    """A share as a fraction where it is one."""
    near = Fraction(value).limit_denominator(6)
    return str(near) if abs(float(near) - value) < 1e-4 else f"{value:.2f}"


def points(scene: FieldScene, which: Any) -> dict[str, Any]:
    """Some nodes' places."""
    x, y = scene.place[np.asarray(which, dtype=np.int64)].T
    return {"x": x, "y": y}


def notes(scene: FieldScene, away: float, short: bool = False) -> dict[str, Any]:
    """Beside every node (not its complement) its number and, unless short, what the step counts at it."""
    if not scene.numbered:
        return {key: [] for key in ("x", "y", "text", "dx", "dy", "align", "base")}
    x, y = scene.field_case.place.T
    out = scene.field_case.place if scene.case.round else np.tile([0.8, -0.75], (len(x), 1))
    align = np.where(out[:, 0] > 0.25, "left", np.where(out[:, 0] < -0.25, "right", "center"))
    base = np.where(out[:, 1] > 0.8, "bottom", np.where(out[:, 1] < -0.6, "top", "middle"))
    text = [str(u) if short else f"{u}{node_note(scene.step, u)}" for u in range(len(x))]
    return {
        "x": x,
        "y": y,
        "text": text,
        "dx": away * out[:, 0],
        "dy": -away * out[:, 1],
        "align": align.tolist(),
        "base": base.tolist(),
    }


def closest(scene: FieldScene) -> float:
    """The smallest distance between two nodes at one height, infinite if there are none."""
    x, y = scene.place.T
    away = np.where(
        np.equal.outer(y, y) & ~np.eye(len(x), dtype=bool), np.abs(np.subtract.outer(x, x)), np.inf
    )
    return float(away.min())


def node_note(step: FieldStep, u: int) -> str:
    """What a step counts at node u: its largest share, its belief's lead, or the rest of its tie."""
    if step.shares is not None and step.shares[u].max() < 1.0 - SURE:
        return f": {part_of(step, u)}"
    if step.flow is not None:
        left = step.flow.terminal_left[u]
        return f": {'s' if step.flow.terminal[u] > 0 else 't'} {abs(left):.2g}"
    if step.values is not None and step.values.shape[1] > 1:
        first, second = np.sort(step.values[u])[::-1][:2]
        return f": {first - second:.2g}"
    return ""
