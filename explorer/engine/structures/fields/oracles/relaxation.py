"""The local-polytope relaxation, fast: the same optimum as `linear_program`, by a method made for it.

    max  sum_u unary_u . x_u + sum_e <pair_e, x_e>   over node and edge shares x that agree with each other

Messages along monotone chains find most optima, which are whole, with the proof: a bound that the labelling's
score meets (Kolmogorov 2006). Where they do not, the few nodes in doubt are solved by an interior-point
method, and the doubt grows until the bound is met again; see `kernels/relaxed_fields.py`. Every answer is a
point of the polytope and its bound is proven, whether or not the sweeps and steps allowed were enough to make
them meet. Cost: e K^2 for a sweep.
"""

from functools import partial
from typing import ClassVar, NamedTuple, final

import numpy as np

from explorer.engine.knobs import knob, settings
from explorer.engine.refusals import Refused
from explorer.engine.structures.fields.fields import Fields, Solved, flatten, spread
from explorer.engine.structures.fields.kernels.relaxed_fields import (
    WARMTH,
    Relaxed,
    Stack,
    choose_parts,
    finish_fields,
    judge,
    solve_parts,
    sweep_fields,
)
from explorer.engine.structures.fields.oracles.graph_cut import refused_numbers
from explorer.engine.threads import in_parts
from explorer.engine.vectors import Array, Ints

SWEEPS, STEPS, TOLERANCE = 200, 60, 1e-8


@final
@settings
class Relaxation:
    """Tree-reweighted messages, then an interior point where they leave a doubt."""

    title: ClassVar[str] = "fast relaxation"
    help: ClassVar[str] = (
        "Lets states be mixed, and finds the best mixture by messages: a bound, and often the best labelling."
    )
    kind: ClassVar[str] = "over"

    sweeps: int = knob(SWEEPS, "Every message is sent at most this many times.", low=1, high=1000)
    steps: int = knob(
        STEPS,
        "Interior-point steps for the nodes that messages leave in doubt; 0 leaves them so.",
        low=0,
        high=1000,
    )
    tolerance: float = knob(
        TOLERANCE,
        "The answer is proven when it is this near to its bound, as a share of it.",
        low=0.0,
        high=0.1,
    )

    def refuses(self, fields: Fields) -> str | None:
        """Scores that are not finite."""
        return refused_numbers(fields)

    def solve(self, fields: Fields) -> Solved:
        """The best relaxed labelling of every field, and its bound."""
        known = relax(fields, self.sweeps, self.steps, self.tolerance)
        return Solved(known.labels, known.bound, fractions(fields, known.node, known.edge))


def relax(fields: Fields, sweeps: int, steps: int, tolerance: float) -> Relaxed:
    """All stages of `kernels/relaxed_fields.py`, on all cores."""
    reason = refused_numbers(fields)
    if reason:
        raise Refused(reason)
    stack, known = stack_of(fields), unknown(fields)
    spread(fields, partial(sweep_fields, stack, known, sweeps, tolerance))
    doubted, rings = known.open.copy(), 1
    while steps and known.open.any():
        spread(fields, partial(choose_parts, stack, known, rings))
        refine(cut_out(fields, known), known, steps)
        spread(fields, partial(judge, stack, known))
        rings = 2
    if steps and doubted.any():
        spread(fields, partial(finish_fields, stack, known, doubted))
    return known


class DoubtfulParts(NamedTuple):
    """The parts in doubt of all fields, as a stack of fields with their messages and the number of the field
    of each.

    `nodes` and `edges` say where theirs are in the whole.
    """

    fields: Fields
    m: Array
    of: Ints
    nodes: Ints
    edges: Ints


def cut_out(fields: Fields, known: Relaxed) -> DoubtfulParts:
    """The parts that were chosen; messages across their borders join their unary scores."""
    before = np.cumsum(known.parts) - known.parts
    number = np.where(known.part < 0, -1, known.part + np.repeat(before, np.diff(fields.nodes)))
    ends = fields.ends + np.repeat(fields.nodes[:-1], np.diff(fields.edges))[:, None]
    inside = (number[ends[:, 0]] == number[ends[:, 1]]) & (number[ends[:, 0]] >= 0)
    nodes, edges = np.flatnonzero(number >= 0), np.flatnonzero(inside)
    nodes = nodes[np.argsort(number[nodes], kind="stable")]
    edges = edges[np.argsort(number[ends[edges, 0]], kind="stable")]
    unary, crossing = fields.unary.copy(), np.flatnonzero(~inside)
    for side in (0, 1):
        np.add.at(unary, ends[crossing, side], known.m[2 * crossing + side])
    every = np.arange(known.parts.sum() + 1)
    starts, begins = np.searchsorted(number[nodes], every), np.searchsorted(number[ends[edges, 0]], every)
    place = np.empty(len(unary), np.int64)
    place[nodes] = np.arange(len(nodes)) - starts[number[nodes]]
    own = Fields(unary[nodes], starts, place[ends[edges]], begins, fields.table[edges], fields.pair)
    return DoubtfulParts(
        own, known.m[both(edges)], np.repeat(np.arange(len(fields)), known.parts), nodes, edges
    )


def both(edges: Ints) -> Ints:
    """The two half-edges of every edge, in turn."""
    return np.repeat(2 * edges, 2) + np.tile([0, 1], len(edges))


def refine(parts: DoubtfulParts, known: Relaxed, steps: int) -> None:
    """The optima of the parts, put back into the whole: shares, and multipliers as messages."""
    node, edge = known.node[parts.nodes], known.edge[parts.edges]
    goal = 0.25 * known.goal[parts.of] / known.parts[parts.of]
    how = (parts.m, goal, WARMTH * known.size[parts.of], steps, node, edge)
    in_parts(partial(solve_parts, stack_of(parts.fields), *how), 0, len(parts.fields), 2)
    known.node[parts.nodes], known.edge[parts.edges], known.m[both(parts.edges)] = node, edge, parts.m


def stack_of(fields: Fields) -> Stack:
    """The fields as kernels take them; read-only arrays are copied, since kernels would be compiled for them
    again.
    """
    own = partial(np.require, requirements=("C", "W"))
    ints = (own(fields.nodes), own(fields.ends), own(fields.edges), own(fields.table))
    return Stack(own(fields.unary), *ints, own(fields.pair))


def unknown(fields: Fields) -> Relaxed:
    """Memory for what is to be known of fields."""
    n, (N, K), E = len(fields), fields.unary.shape, len(fields.ends)
    bound, gap, goal, size = np.empty((4, n))
    return Relaxed(
        m=np.empty((2 * E, K)),
        node=np.empty((N, K)),
        edge=np.empty((E, K, K)),
        labels=np.empty(N, np.int64),
        bound=bound,
        gap=gap,
        goal=goal,
        open=np.zeros(n, np.bool_),
        size=size,
        parts=np.zeros(n, np.int64),
        core=np.empty(N, np.bool_),
        part=np.empty(N, np.int64),
        lack=np.empty(N + E),
    )


def fractions(fields: Fields, node: Array, edge: Array) -> dict[int, Array]:
    """The relaxed labelling, flat, of every field that has a node without a whole share."""
    mixed = np.concatenate([[0], np.cumsum(node.max(axis=1, initial=0.0) < 1.0)])[fields.nodes]
    out = {}
    for i in np.flatnonzero(np.diff(mixed)).tolist():
        nodes, edges = (slice(ends[i], ends[i + 1]) for ends in (fields.nodes, fields.edges))
        out[i] = flatten(node[nodes], edge[edges])
    return out
