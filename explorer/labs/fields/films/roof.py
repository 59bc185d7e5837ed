"""Roof duality as a film: a flow in a network in which nodes have complements, its cut, what it decides.

    u at the source's side: state 0      its complement there: state 1      neither: ambiguous, 1/2

An edge that wants its ends to differ wants u to be like the complement of v; see `flows.doubled_network`.
Nodes 0 .. m - 1 are drawn outside, the complements m .. 2 m - 1 inside. Cost: one search per path, for small
fields.
"""

from dataclasses import replace

import numpy as np

from explorer.engine.structures.fields.fields import Fields
from explorer.engine.structures.fields.flows import Flow, doubled_network, source_side
from explorer.engine.structures.fields.oracles.roof_duality import twice_shares
from explorer.labs.fields.film import FieldFilm, FieldRequest, FieldStep, node_words
from explorer.labs.fields.films.cuts import MOST_NODES, flow_curves, path_steps
from explorer.labs.fields.films.relaxed import relaxed_film
from explorer.labs.fields.instance import FieldCase
from explorer.labs.film import Film


def roof_film(asked: FieldRequest) -> FieldFilm:
    """The doubled network, one path after another, its cut, and the shares that it leaves."""
    field, end = asked.question, relaxed_film(asked)
    m = len(field.unary)
    if 2 * m > MOST_NODES:
        return end
    start = doubled_network(field)
    says = "Every node has a complement (inside): attracting edges tie like to like, "
    says += "repelling ones a node to a complement."
    own = (start.terminal < 0.0).astype(np.int64)
    first = FieldStep(says, own, np.nan, flow=start, drawn=inside_out(asked.case, start))
    steps, flows = path_steps(first, start, lambda u: str(u) if u < m else f"{u - m}'")
    steps.append(_separation(field, first, steps[-1].flow or start))
    still = [flows[-1]] * (1 + len(end.steps))
    return Film(asked.reply.title, (*steps, *end.steps), flow_curves([*flows, *still]), end.verdict)


def inside_out(case: FieldCase, start: Flow) -> FieldCase:
    """The doubled network as something to draw: complements nearer to the middle."""
    middle = case.place.mean(axis=0)
    shift = (
        0.5 * (case.place - middle) + middle if case.shape is None else case.place + np.array([0.38, -0.38])
    )
    unary = np.stack([np.maximum(start.terminal, 0.0), np.maximum(-start.terminal, 0.0)], axis=1)
    count = len(start.ends)
    sizes = (np.array([0, len(unary)]), start.ends, np.array([0, count]), np.arange(count))
    field = Fields(unary, *sizes, start.capacity[:, None, None] * np.eye(2))
    return replace(case, field=field, place=np.concatenate([case.place, shift]))


def _separation(field: Fields, first: FieldStep, flow: Flow) -> FieldStep:
    """What the source still reaches is one side; a node is decided where its complement is on the other."""
    side, open_ = source_side(flow), np.flatnonzero(twice_shares(field)[0] == 1)
    says = f"No path is left: the cut separates {len(field.unary) - len(open_)} nodes from their complements"
    stay = f"; {node_words(open_)} {'stay' if len(open_) > 1 else 'stays'} ambiguous."
    says += stay if len(open_) else ": all are decided."
    crossed = np.flatnonzero(side[flow.ends[:, 0]] != side[flow.ends[:, 1]])
    labels = (~side).astype(np.int64)
    return replace(first, says=says, labels=labels, flow=replace(flow, path=()), source=side, cut=crossed)
