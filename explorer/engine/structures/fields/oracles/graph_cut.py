"""Graph cut: the best labelling of a binary submodular field is a minimum cut, found by a maximum flow.

    submodular:  pair[0, 0] + pair[1, 1] >= pair[0, 1] + pair[1, 0]
        for every edge: it attracts, equal states score more

Greig, Porteous and Seheult (1989); Kolmogorov and Zabih, "What energy functions can be minimized via graph
cuts?" (2004). Of all best labellings the one with the most zeros is answered. See `kernels/graph_cut.py` for
the network and `kernels/max_flow.py` for the flow and its cost.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple, final

import numpy as np

from explorer.engine.refusals import Refused
from explorer.engine.structures.fields.fields import Fields, Solved, hard, spread
from explorer.engine.structures.fields.kernels.flow_network import network
from explorer.engine.structures.fields.kernels.graph_cut import cut_fields, load, mix_best, mixing
from explorer.engine.vectors import Array, Ints

ROUNDING = 1e-9
"""An edge that repels by less than this share of its largest score is taken as neutral."""


@final
@dataclass(frozen=True, slots=True)
class GraphCut:
    """A minimum cut between the two states."""

    title: ClassVar[str] = "graph cut"
    help: ClassVar[str] = (
        "Exact for two states whose edges attract: the best labelling is a minimum cut of a network."
    )
    kind: ClassVar[str] = "exact"

    def refuses(self, fields: Fields) -> str | None:
        """More than two states, or an edge that repels."""
        if fields.states != 2:
            return (
                f"the fields have {fields.states} states and graph cut takes two: use alpha-expansion "
                "for more of them"
            )
        return refused_numbers(fields) or refused_edge(fields)

    def solve(self, fields: Fields) -> Solved:
        """The best labelling of every field; raises Refused where `refuses` has a reason."""
        reason = self.refuses(fields)
        if reason:
            raise Refused(reason)
        labels, best = np.empty(len(fields.unary), np.int64), np.empty(len(fields))
        stack = (fields.unary, fields.nodes, fields.ends, fields.edges, fields.table, fields.pair)
        spread(fields, lambda lo, hi: cut_fields(*stack, lo, hi, labels, best))
        return hard(fields, labels, best)


def refused_numbers(fields: Fields) -> str | None:
    """A sentence if some score is infinite or no number: capacities must be finite."""
    rows = np.flatnonzero(~np.isfinite(fields.unary).all(axis=1))
    if len(rows):
        i = int(np.searchsorted(fields.nodes, rows[0], side="right")) - 1
        return (
            f"field {i}, node {rows[0] - fields.nodes[i]}, has a score that is not finite; give finite scores"
        )
    tables = np.flatnonzero(~np.isfinite(fields.pair).all(axis=(1, 2)))
    return (
        f"pairwise table {tables[0]} has a score that is not finite; give finite scores"
        if len(tables)
        else None
    )


def refused_edge(fields: Fields) -> str | None:
    """A sentence about the first edge that repels."""
    pair = fields.pair
    pull = (pair[:, 0, 0] - pair[:, 0, 1]) + (pair[:, 1, 1] - pair[:, 1, 0])
    repels = pull < -ROUNDING * np.abs(pair).max(axis=(1, 2), initial=0.0)
    if not repels.any():
        return None
    found = np.flatnonzero(repels[fields.table])
    if len(found) == 0:
        return None
    e = int(found[0])
    i = int(np.searchsorted(fields.edges, e, side="right")) - 1
    a, b = fields.ends[e]
    return (
        f"field {i}, edge {e - fields.edges[i]} between nodes {a} and {b}, repels: equal states score "
        f"{-pull[fields.table[e]]:.4g} less than different ones, so the field is not submodular; "
        "use roof duality, or branch and bound, or learn attractive pairwise weights"
    )


class MinimumCut(NamedTuple):
    """The network of one binary field and a maximum flow in it, for drawing.

    Node u is at the source's side if labels[u] is 0. terminal[u] > 0 is the capacity from the source to u,
    terminal[u] < 0 minus that from u to the sink; terminal_left what the flow leaves of it. An edge has
    capacity[e] in both directions, left[e, 0] from its first to its second end after the flow, and left[e, 1]
    back. Edges between the two sides are cut; flow = the capacity that is cut, and score = constant - flow.
    """

    labels: Ints
    flow: float
    constant: float
    terminal: Array
    terminal_left: Array
    capacity: Array
    left: Array


def cut_of(field: Fields) -> MinimumCut:
    """The minimum cut that gives the best labelling of one field; raises Refused where graph cut refuses."""
    reason = GraphCut().refuses(field)
    if reason:
        raise Refused(reason)
    m, e = len(field.unary), len(field.ends)
    net, arc = network(m, 2 * e), np.empty(e, np.int32)
    mix = mixing(0, field.unary, field.nodes, field.ends, field.edges, field.table, field.pair, net, arc)
    states, labels = np.repeat([[0], [1]], m, axis=1), np.empty(m, np.int64)
    constant = load(mix, states[0], states[1])[0]
    terminal, capacity = net.nodes["terminal"][:m].copy(), net.arcs["residual"][arc]
    score = mix_best(mix, states[0], states[1], labels)[0]
    left = net.arcs["residual"][np.stack([arc, net.arcs["sister"][arc]], axis=1)]
    return MinimumCut(
        labels, constant - score, constant, terminal, net.nodes["terminal"][:m].copy(), capacity, left
    )
