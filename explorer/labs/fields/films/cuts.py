"""Graph cut as a film: flow along one path after another, until a cut is full.

    score(y) = constant - capacity of the arcs from the source's side (0) to the sink's side (1)

A node that gains by state 0 is tied to the source, one that gains by state 1 to the sink, and an attracting
edge ties its ends to each other; the best labelling is the cheapest set of ties to cut. The oracle finds it
its own way (`kernels/max_flow.py`); the film takes the shortest path each time (`flows.py`), which ends at
the same value. Cost: one search per path, for small fields.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from explorer.engine.structures.fields.fields import Fields
from explorer.engine.structures.fields.flows import Flow, augmenting_paths, network_of
from explorer.engine.structures.fields.oracles.graph_cut import MinimumCut, cut_of
from explorer.labs.fields.film import FieldFilm, FieldRequest, FieldStep, score_of
from explorer.labs.film import MOST_STEPS, Curves, Film
from explorer.wording import quantity

MOST_NODES = 64
"""Paths are shown one by one in networks up to this size."""


def cut_film(asked: FieldRequest) -> FieldFilm:
    """The network, one path after another, and the cut."""
    field, cut = asked.question, cut_of(asked.question)
    own = (cut.terminal < 0.0).astype(np.int64)
    start, small = network_of(field, cut), len(own) <= MOST_NODES
    says = "Nodes that gain by state 0 are tied to the source, the others to the sink; edges tie neighbours."
    first = FieldStep(says, own, score_of(field, own), flow=start)
    steps, flows = path_steps(first, start, str) if small else ([first], [0.0])
    full = replace(start, left=cut.left, terminal_left=cut.terminal_left)
    steps.append(_two_sides(field, cut, steps[-1].flow or start if small else full))
    count = int((cut.labels[field.ends[:, 0]] != cut.labels[field.ends[:, 1]]).sum())
    through = f"The minimum cut goes through {quantity(count, 'edge')} and costs {cut.flow:.4g}"
    verdict = f"{through}: no labelling is better."
    return Film(asked.reply.title, tuple(steps), flow_curves([*flows, cut.flow]), verdict)


def path_steps(
    first: FieldStep, start: Flow, name: Callable[[int], str]
) -> tuple[list[FieldStep], list[float]]:
    """One step for every path, and the flow after each; of very many the first, and the rest at once."""
    steps, flows = [first], [0.0]
    for flow, carried in augmenting_paths(start):
        flows.append(flows[-1] + carried)
        way = " → ".join(["source", *map(name, flow.path), "sink"])
        says = f"The path {way} carries {carried:.4g}; the flow is {flows[-1]:.4g}."
        steps.append(replace(first, says=says, flow=flow))
    if len(steps) < MOST_STEPS:
        return steps, flows
    kept = MOST_STEPS - 2
    rest = f"{len(steps) - kept} more paths at once; the flow is {flows[-1]:.4g}."
    return [*steps[:kept], replace(steps[-1], says=rest)], [*flows[:kept], flows[-1]]


def flow_curves(flows: list[float]) -> Curves:
    """The flow after every step, against the cut."""
    return Curves("path", "flow", ("flow",), np.array(flows)[:, None], flows[-1], "capacity that is cut")


def _two_sides(field: Fields, cut: MinimumCut, flow: Flow) -> FieldStep:
    ends = cut.labels[field.ends]
    says = (
        f"No path is left. What can still reach the sink takes 1, the rest 0; the score is "
        f"{cut.constant:.4g} - {cut.flow:.4g} = {cut.constant - cut.flow:.4g}."
    )
    crossed = np.flatnonzero(ends[:, 0] != ends[:, 1])
    score, source = score_of(field, cut.labels), cut.labels == 0
    return FieldStep(says, cut.labels, score, flow=replace(flow, path=()), source=source, cut=crossed)
