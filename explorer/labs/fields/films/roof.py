"""Roof duality as a film: a flow in a network in which every node has a complement, the cut, and what it
decides.

    u at the source's side: state 0        its complement at the source's side: state 1
        neither: ambiguous, 1/2

With b = pair[0, 0] + pair[1, 1] - pair[0, 1] - pair[1, 0] an attracting edge (b > 0) ties u to v and
complement to complement, a repelling one u to the complement of v and v to that of u, always by |b| / 4: an
edge that wants its ends to differ wants u to be like the complement of v. See `kernels/roof_duality.py`;
paths as in `lab_cuts`. Nodes 0 .. m - 1 are drawn outside, the complements m .. 2 m - 1 inside. Cost: one
search per path, for small fields.
"""

from dataclasses import replace

import numpy as np

from explorer.engine.structures.fields.fields import Fields
from explorer.engine.structures.fields.oracles.roof_duality import twice_shares
from explorer.engine.vectors import Array, Ints
from explorer.labs.fields.film import Film, Network, Request, Step, Track, listed
from explorer.labs.fields.films.cuts import MOST_NODES, augmented, reached, shortened
from explorer.labs.fields.films.relaxed import relaxed_film
from explorer.labs.fields.instance import Instance


def roof_film(asked: Request) -> Film:
    """The doubled network, one path after another, its cut, and the shares that it leaves."""
    field, end = asked.field, relaxed_film(asked)
    m = len(field.unary)
    if 2 * m > MOST_NODES:
        return end
    full, ends = doubled(field)
    drawn = inside_out(asked.case, full, ends)
    own = (full.terminal < 0.0).astype(np.int64)
    says = (
        "Every node has a complement (inside): attracting edges tie like to like, repelling ones a node "
        "to a complement."
    )
    steps, flows, state = [Step(says, own, np.nan, network=full, drawn=drawn)], [0.0], full
    for state, path, carried in augmented(full, ends):
        flows.append(flows[-1] + carried)
        way = " → ".join(["source", *[called(u, m) for u in path], "sink"])
        says = f"The path {way} carries {carried:.4g}; the flow is {flows[-1]:.4g}."
        steps.append(Step(says, own, np.nan, network=state, drawn=drawn))
    steps, flows = shortened(steps, flows)
    steps.append(_cut(field, state, ends, drawn))
    flows.append(flows[-1])
    track = Track(
        "path", "flow", ("flow",), np.array([[f] for f in flows]), flows[-1], "capacity that is cut"
    )
    still = np.full((len(end.steps), 1), flows[-1])
    return Film(
        asked.name,
        (*steps, *end.steps),
        replace(track, values=np.concatenate([track.values, still])),
        end.verdict,
    )


def called(u: int, m: int) -> str:
    """A node's number, with a stroke if it is a complement."""
    return str(u) if u < m else f"{u - m}'"


def doubled(field: Fields) -> tuple[Network, Ints]:
    """The network with complements, nothing flowing yet, and the ends of its ties: two for each edge of the
    field.
    """
    m, pair = len(field.unary), field.pair[field.table]
    pull = pair[:, 0, 0] + pair[:, 1, 1] - pair[:, 0, 1] - pair[:, 1, 0]
    terminal = 0.5 * (field.unary[:, 0] - field.unary[:, 1])
    np.add.at(
        terminal, field.ends[:, 0], 0.25 * (pair[:, 0, 0] - pair[:, 1, 0] + pair[:, 0, 1] - pair[:, 1, 1])
    )
    np.add.at(
        terminal, field.ends[:, 1], 0.25 * (pair[:, 0, 0] - pair[:, 0, 1] + pair[:, 1, 0] - pair[:, 1, 1])
    )
    a, b = field.ends.T
    other = np.where(pull > 0.0, b, b + m)
    ends = np.concatenate([np.stack([a, other], axis=1), np.stack([a + m, (other + m) % (2 * m)], axis=1)])
    capacity, both = np.tile(0.25 * np.abs(pull), 2), np.concatenate([terminal, -terminal])
    return Network(capacity, np.stack([capacity] * 2, axis=1), both, both), ends


def inside_out(case: Instance, full: Network, ends: Ints) -> Instance:
    """The doubled network as something to draw: complements nearer to the middle."""
    middle = case.place.mean(axis=0)
    shift = (
        0.5 * (case.place - middle) + middle if case.shape is None else case.place + np.array([0.38, -0.38])
    )
    unary = np.stack([np.maximum(full.terminal, 0.0), np.maximum(-full.terminal, 0.0)], axis=1)
    sizes = (np.array([0, len(unary)]), ends, np.array([0, len(ends)]), np.arange(len(ends)))
    field = Fields(unary, *sizes, full.capacity[:, None, None] * np.eye(2))
    return replace(case, field=field, place=np.concatenate([case.place, shift]))


def _cut(field: Fields, state: Network, ends: Ints, drawn: Instance) -> Step:
    """What the source still reaches is one side; a node is decided where its complement is on the other."""
    m = len(field.unary)
    side = reached(state, ends)
    twice: Array = twice_shares(field)[0]
    open_ = np.flatnonzero(twice == 1)
    says = f"No path is left: the cut separates {m - len(open_)} nodes from their complements"
    says += (
        f"; {listed(open_)} {'stay' if len(open_) > 1 else 'stays'} ambiguous."
        if len(open_)
        else ": all are decided."
    )
    crossed = np.flatnonzero(side[ends[:, 0]] != side[ends[:, 1]])
    plain = replace(state, path=())
    labels = (~side).astype(np.int64)
    return Step(says, labels, np.nan, network=plain, source=side, cut=crossed, drawn=drawn)
