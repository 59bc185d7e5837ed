"""The best labelling of fields whose relaxation is not tight: two more stages after those of `relaxed_fields`.

The fractional nodes of the relaxation, and what is around them, are cut out with their border settled (`field_parts`), and
each part is searched alone by `branch_search`, starting from the program's multipliers. If border and outside then lack
nothing of their bound, the labelling is the best; if they do, the parts grow, at the latest to the whole field
(Savchynskyy et al. 2013). Cost: exponential in the parts at worst, whatever is around them.
"""

import numpy as np

from explorer.engine.kernels.branch_search import search
from explorer.engine.kernels.compiled import compiled
from explorer.engine.kernels.field_parts import cut_out, lacks, only_outside
from explorer.engine.kernels.incidence import scratch
from explorer.engine.kernels.relaxed_fields import Relaxed, Stack, field_of, known_of
from explorer.engine.kernels.relaxed_shares import whole_shares
from explorer.engine.kernels.tree_reweighted import score_of
from explorer.engine.vectors import Ints

FRACTIONAL = 1e-3
"""A node whose largest share is this far from 1 has no label yet."""


@compiled
def open_fractional(stack: Stack, known: Relaxed, lo: int, hi: int) -> None:
    """Open the fields whose labels do not meet the bound; their fractional nodes lack enough to be in the core."""
    at, halves = scratch(stack.nodes, stack.edges, lo, hi)
    for i in range(lo, hi):
        field, own = field_of(stack, i, at, halves), known_of(stack, known, i)
        own.open[0] = own.bound[0] - score_of(field, own.labels) > own.goal[0]
        if own.open[0]:
            own.core[:] = False
            own.lack[:] = 0.0
            for u in range(len(own.labels)):
                own.lack[u] = own.goal[0] if 1.0 - own.node[u, own.labels[u]] > FRACTIONAL else 0.0


@compiled
def search_parts(stack: Stack, known: Relaxed, most: int, looked: Ints, lo: int, hi: int) -> None:
    """The best labellings of the parts of open fields, and so whole answers; `looked` adds up subproblems.

    A field is closed when its labelling is proven, with the proof as its bound, or when more than `most` subproblems would be
    looked at.
    """
    at, halves = scratch(stack.nodes, stack.edges, lo, hi)
    number = np.empty(len(at), np.int64)
    for i in range(lo, hi):
        if not known.open[i]:
            continue
        field, own = field_of(stack, i, at, halves), known_of(stack, known, i)
        count = own.part.max() + 1
        for which in range(count):
            part = cut_out(field, own.m, own.part, which, number)
            labels = own.labels[part.nodes]
            looked[i] += search(part.field, part.m, labels, most - looked[i], 0.5 * own.goal[0] / count)
            for c in range(len(labels)):
                own.labels[part.nodes[c]] = labels[c]
            if looked[i] > most:
                break
        whole_shares(field, own.labels, own.node, own.edge)
        lacks(field, own.m, own.node, own.edge, own.lack)
        own.gap[0] = only_outside(field, own.core, own.lack)
        own.open[0] = own.gap[0] > 0.5 * own.goal[0] and looked[i] <= most
        if not own.open[0] and looked[i] <= most:
            own.bound[0] = score_of(field, own.labels) + own.gap[0]
