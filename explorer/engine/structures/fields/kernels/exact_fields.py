"""The best labelling of fields whose relaxation is not tight: three more stages, with those of
`relaxed_fields`.

The fractional nodes of the relaxation, and what is around them, are cut out with their border settled
(`field_parts`), and each part is searched alone by `branch_search`, starting from the program's multipliers.
If border and outside then lack nothing of their bound, the labelling is the best; if they do, the parts grow,
at the latest to the whole field (Savchynskyy et al. 2013). Cost: exponential in the parts at worst, whatever
is around them.
"""

from explorer.engine.compiled import compiled
from explorer.engine.halting import Flag
from explorer.engine.incidence import scratch
from explorer.engine.structures.fields.kernels.branch_search import search
from explorer.engine.structures.fields.kernels.parts import lacks, only_outside
from explorer.engine.structures.fields.kernels.relaxed_fields import Relaxed, Stack, field_of, known_of
from explorer.engine.structures.fields.kernels.relaxed_shares import whole_shares
from explorer.engine.structures.fields.kernels.tree_reweighted import score_of
from explorer.engine.vectors import Array, Ints

FRACTIONAL = 1e-3
"""A node whose largest share is this far from 1 has no label yet."""


@compiled
def open_fractional(stack: Stack, known: Relaxed, lo: int, hi: int) -> None:
    """Open the fields whose labels do not meet the bound; their fractional nodes lack enough to be in the
    core.
    """
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
def search_parts(
    stack: Stack,
    m: Array,
    labels: Ints,
    most: int,
    grain: Array,
    looked: Ints,
    flag: Flag,
    lo: int,
    hi: int,
) -> None:
    """The best labellings of a stack of parts, and how many subproblems each took; the messages are lost."""
    at, halves = scratch(stack.nodes, stack.edges, lo, hi)
    for i in range(lo, hi):
        field, a, b = field_of(stack, i, at, halves), stack.nodes[i], stack.edges[i]
        own = labels[a : stack.nodes[i + 1]]
        looked[i] = search(field, m[2 * b : 2 * stack.edges[i + 1]], own, most, grain[i], flag)


@compiled
def judge_labels(stack: Stack, known: Relaxed, looked: Ints, most: int, lo: int, hi: int) -> None:
    """Close the open fields whose labelling is proven, with the proof as their bound, or that took too many
    subproblems.
    """
    at, halves = scratch(stack.nodes, stack.edges, lo, hi)
    for i in range(lo, hi):
        if known.open[i]:
            field, own = field_of(stack, i, at, halves), known_of(stack, known, i)
            whole_shares(field, own.labels, own.node, own.edge)
            lacks(field, own.m, own.node, own.edge, own.lack)
            own.gap[0] = only_outside(field, own.core, own.lack)
            own.open[0] = own.gap[0] > 0.5 * own.goal[0] and looked[i] <= most
            if not own.open[0] and looked[i] <= most:
                own.bound[0] = score_of(field, own.labels) + own.gap[0]
