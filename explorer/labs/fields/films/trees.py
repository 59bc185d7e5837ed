"""Max-product on a tree as a film: every node tells its parent what is at stake below it, then the root
decides.

    told(u -> p)[s'] = max_s ( unary[u, s] + sum of what u's children told [s] + pair[s, s'] )

Leaves first; the root's best total is the best score, and going back down every node takes the state that its
parent's choice was counted with. Cost O(m K^2).
"""

import numpy as np

from explorer.engine.structures.fields.fields import Fields
from explorer.engine.vectors import Array, Ints
from explorer.labs.fields.film import Film, Messages, Request, Step, Track, listed, score_of
from explorer.labs.fields.films.messages import believed


def tree_film(asked: Request) -> Film:
    """Upwards one node per step, downwards all at once."""
    field = asked.field
    order, above = ordered(field)
    told = np.zeros((2 * len(field.ends), field.states))
    own = np.argmax(field.unary, axis=1).astype(np.int64)
    steps = [Step("Nothing has been told: every node knows its own scores.", own, score_of(field, own))]
    for u in reversed(order):
        if above[u] is not None:
            steps.append(_upwards(field, u, above[u], told))
    labels = decided(field, order, above, told)
    total = score_of(field, labels)
    changed = np.flatnonzero(labels != own)
    says = (
        f"From the root back down every node takes its state: score {total:.4g}. "
        f"{listed(changed).capitalize()} gave way."
    )
    steps.append(
        Step(says, labels, total, changed=changed, values=believed(field, told), called="best score below")
    )
    track = Track("step", "score", ("score",), np.array([[s.score] for s in steps]), total, "best score")
    return Film(asked.name, tuple(steps), track, "Two passes over the tree suffice: no labelling is better.")


def ordered(field: Fields) -> tuple[list[int], list[tuple[int, int] | None]]:
    """The nodes of a forest, parents first, and for each node the edge to its parent and its side of that
    edge.
    """
    near: list[list[tuple[int, int, int]]] = [[] for _ in field.unary]
    for e, (a, b) in enumerate(field.ends.tolist()):
        near[a].append((b, e, 1))
        near[b].append((a, e, 0))
    order: list[int] = []
    above: list[tuple[int, int] | None] = [None] * len(near)
    seen: set[int] = set()
    for root in range(len(near)):
        waiting = [] if root in seen else [root]
        seen.add(root)
        for u in waiting:
            for v, e, side in near[u]:
                if v not in seen:
                    seen.add(v)
                    above[v] = (e, side)
                    waiting.append(v)
        order += waiting
    return order, above


def _upwards(field: Fields, u: int, way: tuple[int, int] | None, told: Array) -> Step:
    """Node u tells its parent; the step shows all that has been told so far."""
    assert way is not None  # roots tell nobody
    e, side = way
    best = believed(field, told)[u]
    told[2 * e + side] = (best[:, None] + _table(field, e, side)).max(axis=0)
    parent = int(field.ends[e, 1 - side])
    state = int(np.argmax(told[2 * e + side]))
    belief = believed(field, told)
    labels = np.argmax(belief, axis=1).astype(np.int64)
    says = (
        f"Node {u} tells node {parent}: below me {told[2 * e + side].max():.4g} can be had, if you take "
        f"{state}."
    )
    sent = np.flatnonzero(np.any(told != 0.0, axis=1))
    tail, head = field.ends.ravel(), field.ends[:, ::-1].ravel()
    known = Messages(
        tail[sent], head[sent], np.argmax(told[sent], axis=1).astype(np.int64), np.ptp(told[sent], axis=1)
    )
    return Step(
        says,
        labels,
        score_of(field, labels),
        changed=np.array([u]),
        values=belief,
        called="best score below",
        messages=known,
    )


def _table(field: Fields, e: int, side: int) -> Array:
    """The pairwise scores of an edge, rows for the end on this side."""
    table = field.pair[field.table[e]]
    return table if side == 0 else table.T


def decided(field: Fields, order: list[int], above: list[tuple[int, int] | None], told: Array) -> Ints:
    """From the roots down: the state that goes best with the parent's."""
    best, labels = believed(field, told), np.zeros(len(order), dtype=np.int64)
    for u in order:
        way = above[u]
        if way is None:
            labels[u] = np.argmax(best[u])
        else:
            e, side = way
            labels[u] = np.argmax(best[u] + _table(field, e, side)[:, labels[field.ends[e, 1 - side]]])
    return labels
