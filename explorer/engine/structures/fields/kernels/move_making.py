"""Moves that change many nodes at once: alpha-expansion and alpha-beta swap.

    expansion of s:   every node keeps its state or takes s
    swap of s and t:  every node that is in s or in t takes s or t; the others stay

The best move is a minimum cut (`graph_cut`), exact where the move is submodular: expansions for pairwise
scores that are minus a metric, such as Potts; swaps for minus a semi-metric. Elsewhere a move may miss the
best one. A move is taken only if the score rises, so any field may be given. Boykov, Veksler and Zabih, "Fast
approximate energy minimization via graph cuts" (2001). Cost: one minimum cut for each move; K moves make a
sweep of expansions, K (K - 1) / 2 one of swaps.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from explorer.engine.compiled import compiled
from explorer.engine.structures.fields.kernels.flow_network import network
from explorer.engine.structures.fields.kernels.graph_cut import Mixing, largest, mix_best, mixing
from explorer.engine.vectors import Array, Ints

RISE = 1e-12
"""A score that rises by less than this share of itself is rounding."""


class MoveLog(NamedTuple):
    """The score after every move that was tried, and the nodes that it changed; without rows nothing is
    written.
    """

    score: Array
    changed: NDArray[np.bool_]


@compiled
def labelling_score(mix: Mixing, labels: Ints) -> float:
    """The score of one labelling."""
    total = 0.0
    for u in range(len(mix.unary)):
        total += mix.unary[u, labels[u]]
    for e in range(len(mix.ends)):
        total += mix.pair[mix.table[e], labels[mix.ends[e, 0]], labels[mix.ends[e, 1]]]
    return total


@compiled
def choices(labels: Ints, s: int, t: int, first: Ints, second: Ints) -> None:
    """What every node may choose from: in an expansion (s = t) its state and s, in a swap s and t or only its
    state.
    """
    for u in range(len(labels)):
        first[u] = second[u] = labels[u]
        if s == t:
            second[u] = s
        elif labels[u] == s or labels[u] == t:
            first[u], second[u] = s, t


@compiled
def make_moves(mix: Mixing, moves: Ints, sweeps: int, labels: Ints, log: MoveLog) -> int:
    """Improve the labelling by moves (pairs of states), round and round until none of them helps; counts
    those tried.
    """
    m, tried, quiet = len(labels), 0, 0
    work = np.empty((3, m), np.int64)
    first, second, found = work[0], work[1], work[2]
    score = labelling_score(mix, labels)
    while quiet < len(moves) and tried < sweeps * len(moves):
        s, t = moves[tried % len(moves), 0], moves[tried % len(moves), 1]
        choices(labels, s, t, first, second)
        _, top, submodular = mix_best(mix, first, second, found)
        raised = labelling_score(mix, found)
        helps = raised - score > RISE * max(abs(score), top)
        if len(log.score):
            log.score[tried] = raised if helps else score
            log.changed[tried] = (found != labels) & helps
        if helps:
            score, labels[:] = raised, found
        # The same move again cannot help if this one was the best of its kind.
        quiet = (1 if submodular else 0) if helps else quiet + 1
        tried += 1
    return tried


@compiled
def move_fields(
    unary: Array,
    nodes: Ints,
    ends: Ints,
    edges: Ints,
    table: Ints,
    pair: Array,
    moves: Ints,
    sweeps: int,
    lo: int,
    hi: int,
    labels: Ints,
) -> None:
    """Improve the labellings of fields lo .. hi - 1."""
    m, e = largest(nodes, edges, lo, hi)
    net, arc = network(m, 2 * e), np.empty(e, np.int32)
    log = MoveLog(np.empty(0), np.empty((0, 0), np.bool_))
    for i in range(lo, hi):
        mix = mixing(i, unary, nodes, ends, edges, table, pair, net, arc)
        make_moves(mix, moves, sweeps, labels[nodes[i] : nodes[i + 1]], log)
