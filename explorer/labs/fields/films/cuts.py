"""Graph cut and roof duality as films: flow along one path after another, until a cut is full.

    score(y) = constant - capacity of the arcs from the source's side to the sink's side
        (source: 0, sink: 1)

A node that gains by state 0 is tied to the source, one that gains by state 1 to the sink, and an attracting
edge ties its ends to each other; the best labelling is the cheapest set of ties to cut. The oracle finds it
its own way (`kernels/max_flow.py`); the film takes the shortest path each time (Edmonds and Karp 1972), which
ends at the same value. Roof duality is the same for edges of any sign, on a network in which every node has a
complement: where a minimum cut separates the two the node is decided, otherwise it is half. Cost: one search
per path, for small fields.
"""

from typing import Any

import numpy as np

from explorer.engine.structures.fields.fields import Fields
from explorer.engine.structures.fields.oracles.graph_cut import MinimumCut, cut_of
from explorer.engine.vectors import Array, Ints
from explorer.labs.fields.film import MOST_STEPS, Film, Network, Request, Step, Track, score_of

MOST_NODES = 64
"""Paths are shown one by one in networks up to this size."""

EMPTY = 1e-9
"""A capacity below this share of the largest one is used up."""


def cut_film(asked: Request) -> Film:
    """The network, one path after another, and the cut."""
    field = asked.field
    cut = cut_of(field)
    own = (cut.terminal < 0.0).astype(np.int64)
    full = Network(cut.capacity, np.stack([cut.capacity] * 2, axis=1), cut.terminal, cut.terminal)
    says = "Nodes that gain by state 0 are tied to the source, the others to the sink; edges tie neighbours."
    steps = [Step(says, own, score_of(field, own), network=full)]
    flows = [0.0]
    if len(own) <= MOST_NODES:
        for state, path, carried in augmented(full, field.ends):
            flows.append(flows[-1] + carried)
            way = " → ".join(["source", *map(str, path), "sink"])
            says = f"The path {way} carries {carried:.4g}; the flow is {flows[-1]:.4g}."
            steps.append(Step(says, own, score_of(field, own), network=state))
        steps, flows = shortened(steps, flows)
    steps.append(_last(field, cut, steps[-1].network if len(own) <= MOST_NODES else None))
    track = Track(
        "path",
        "flow",
        ("flow",),
        np.array([[f] for f in (*flows, cut.flow)]),
        cut.flow,
        "capacity that is cut",
    )
    count = len(np.flatnonzero(cut.labels[field.ends[:, 0]] != cut.labels[field.ends[:, 1]]))
    edges = f"{count} edge{'' if count == 1 else 's'}"
    verdict = f"The minimum cut goes through {edges} and costs {cut.flow:.4g}: no labelling is better."
    return Film(asked.name, tuple(steps), track, verdict)


def shortened(steps: list[Step], flows: list[float]) -> tuple[list[Step], list[float]]:
    """The first paths, and the rest at once."""
    if len(steps) < MOST_STEPS:
        return steps, flows
    kept = MOST_STEPS - 2
    rest = f"{len(steps) - kept} more paths at once; the flow is {flows[-1]:.4g}."
    last = Step(rest, steps[-1].labels, steps[-1].score, network=steps[-1].network)
    return [*steps[:kept], last], [*flows[:kept], flows[-1]]


def _last(field: Fields, cut: MinimumCut, state: Network | None) -> Step:
    """The two sides."""
    left = state or Network(cut.capacity, cut.left, cut.terminal, cut.terminal_left)
    ends = cut.labels[field.ends]
    says = (
        f"No path is left. What can still reach the sink takes 1, the rest 0; the score is "
        f"{cut.constant:.4g} - {cut.flow:.4g} = {cut.constant - cut.flow:.4g}."
    )
    plain = Network(left.capacity, left.left, left.terminal, left.terminal_left)
    crossed = np.flatnonzero(ends[:, 0] != ends[:, 1])
    return Step(
        says, cut.labels, score_of(field, cut.labels), network=plain, source=cut.labels == 0, cut=crossed
    )


def augmented(full: Network, ends: Ints) -> Any:
    """The network after each shortest path, with the path's nodes and what it carries; ties go to smaller
    nodes.
    """
    m = len(full.terminal)
    rest = np.zeros((m + 2, m + 2))
    np.add.at(rest, (ends[:, 0], ends[:, 1]), full.left[:, 0])
    np.add.at(rest, (ends[:, 1], ends[:, 0]), full.left[:, 1])
    source, sink = m, m + 1
    rest[source, :m], rest[:m, sink] = np.maximum(full.terminal, 0.0), np.maximum(-full.terminal, 0.0)
    least = EMPTY * max(rest.max(initial=0.0), 1e-300)
    while (path := shortest(rest, source, sink, least)) is not None:
        arcs = (np.array(path[:-1]), np.array(path[1:]))
        carried = float(rest[arcs].min())
        rest[arcs] -= carried
        rest[arcs[::-1]] += carried
        left = np.stack([rest[ends[:, 0], ends[:, 1]], rest[ends[:, 1], ends[:, 0]]], axis=1)
        terminal = np.where(full.terminal > 0.0, rest[source, :m], -rest[:m, sink])
        inner = tuple(path[1:-1])
        yield Network(full.capacity, left, full.terminal, terminal, inner), inner, carried


def shortest(rest: Array, source: int, sink: int, least: float) -> list[int] | None:
    """The nodes of a shortest path through arcs with capacity left, or None."""
    parent, waiting = {source: source}, [source]
    for u in waiting:
        for v in np.flatnonzero(rest[u] > least).tolist():
            if v not in parent:
                parent[v] = u
                waiting.append(v)
        if sink in parent:
            path = [sink]
            while path[-1] != source:
                path.append(parent[path[-1]])
            return path[::-1]
    return None


def reached(state: Network, ends: Ints) -> Any:
    """Which nodes the source still reaches through arcs with capacity left."""
    least = EMPTY * max(np.abs(state.terminal).max(initial=0.0), state.capacity.max(initial=0.0), 1e-300)
    seen = state.terminal_left > least
    arcs = np.concatenate([ends[state.left[:, 0] > least], ends[state.left[:, 1] > least][:, ::-1]])
    while True:
        new = arcs[seen[arcs[:, 0]] & ~seen[arcs[:, 1]], 1]
        if not len(new):
            return seen
        seen[new] = True
