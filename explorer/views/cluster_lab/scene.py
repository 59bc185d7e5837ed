"""Items as a graph at one step: their clusters, the pairs that are together by which share, and changes.

    an edge joins a pair that is together; its width is the share, dashed if fractional, none below 0
    a triangle is a constraint e_ij >= e_ik + e_jk - 1 that the present shares break

Clusters of one item are pale, the others have a colour, and their edges. Cost: the m^2 pairs.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.engine.vectors import Array, Ints
from explorer.labs.clusterings.film import ClusterStep
from explorer.labs.clusterings.instance import on_circle
from explorer.labs.film import SURE

SINGLE = -1
LEAST_SHARE = 0.02
"""Relaxed co-memberships below this are not drawn."""

MANY = 80
"""Of more edges than this those with small shares are faint, so that the large ones are seen."""

MOST_SHARES = 60
"""At most this many fractional shares have their number beside them."""


MOST_TRIANGLES = 40
"""At most this many broken triangles are drawn."""

MOST_STILL = 12
"""So few items keep their places whatever their clusters are."""


@dataclass(frozen=True, slots=True, eq=False)
class ClusterScene:
    """One step, the items' names and places, the present truth, and whether points can be drawn."""

    step: ClusterStep
    names: tuple[str, ...]
    place: Array
    truth: Ints
    drawn: bool


def colour_numbers(labels: Ints) -> Ints:
    """Clusters of two or more items numbered by first appearance; SINGLE for single items."""
    sizes = np.bincount(labels, minlength=1)
    large = [c for c in dict.fromkeys(labels.tolist()) if sizes[c] > 1]
    number = {c: n for n, c in enumerate(large)}
    return np.array([number.get(int(c), SINGLE) for c in labels], dtype=np.int64)


def ring(last: Ints) -> Array:
    """Places on a circle; of more than MOST_STILL items, clusters of the last step side by side."""
    order = np.argsort(last, kind="stable") if len(last) > MOST_STILL else np.arange(len(last))
    return on_circle(len(last))[np.argsort(order)]


def nodes(scene: ClusterScene) -> dict[str, Any]:
    """Every item at its place, with its cluster and its true one."""
    x, y = scene.place.T
    return {
        "x": x,
        "y": y,
        "text": list(scene.names),
        "number": colour_numbers(scene.step.labels),
        "cluster": scene.step.labels + 1,
        "true": scene.truth + 1,
    }


def edges(scene: ClusterScene) -> dict[str, Any]:
    """Every pair that is together or has a share."""
    step, (x, y) = scene.step, scene.place.T
    i, j = np.triu_indices(len(x), 1)
    e = (step.labels[i] == step.labels[j]).astype(float) if step.shares is None else step.shares[i, j]
    keep = e > LEAST_SHARE
    i, j, e = i[keep], j[keep], e[keep]
    half = (e < 1.0 - SURE) & (step.shares is not None)
    largest = float(e.max(initial=0.0)) or 1.0
    thick = 3.4 if len(e) <= MOST_SHARES else 1.2
    dense = 0.8 * np.maximum(0.06, (e / largest) ** 3) if len(e) > MANY else np.full(len(e), 0.8)
    pairs = [f"{scene.names[a]}, {scene.names[b]}" for a, b in zip(i, j, strict=True)]
    return {
        "x0": x[i],
        "y0": y[i],
        "x1": x[j],
        "y1": y[j],
        "pair": pairs,
        "share": e,
        "width": 0.6 + thick * e / largest,
        "dash": ["dashed" if h else "solid" for h in half],
        "alpha": dense,
    }


def shares(scene: ClusterScene) -> dict[str, Any]:
    """The numbers of fractional shares in the middle of their edges, where there are few."""
    empty: dict[str, Any] = {"x": [], "y": [], "text": []}
    if scene.step.shares is None:
        return empty
    x, y = scene.place.T
    i, j = np.triu_indices(len(x), 1)
    e = scene.step.shares[i, j]
    keep = (e > LEAST_SHARE) & (e < 1.0 - SURE)
    if keep.sum() > MOST_SHARES:
        return empty
    text = [
        f"{v:.2f}".rstrip("0").rstrip(".").replace("0.5", "½", 1) if abs(v - 0.5) < 1e-9 else f"{v:.2g}"
        for v in e[keep]
    ]
    return {"x": 0.5 * (x[i] + x[j])[keep], "y": 0.5 * (y[i] + y[j])[keep], "text": text}


def triangles(scene: ClusterScene) -> dict[str, Any]:
    """The broken triangles of this step."""
    x, y = scene.place.T
    three = scene.step.triangles[:MOST_TRIANGLES]
    return {
        "xs": [x[t] for t in three],
        "ys": [y[t] for t in three],
        "name": ["".join(scene.names[u] for u in t) for t in three],
    }


def points(scene: ClusterScene, which: Ints) -> dict[str, Any]:
    """Some items' places."""
    x, y = scene.place[which].T
    return {"x": x, "y": y}
