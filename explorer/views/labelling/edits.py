"""What if a node were forced to a state, or an edge were not there: edits of one field, never of the data.

    seed (u, s):   unary[u, s] grows by more than u can lose by any state, so that every best labelling has
                   y_u = s
    toggled edge:  taken out where there is one; put in, with the table that all edges share, where there is
                   none

Cost: one look per edge.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from explorer.engine.structures.fields.fields import Fields
from explorer.engine.structures.fields.problem import FieldLabelling
from explorer.engine.vectors import Ints

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Edits:
    """Nodes forced to a state, and pairs of nodes whose edge is taken out or put in."""

    seeds: Mapping[int, int]
    toggled: frozenset[Pair] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.seeds or self.toggled)


NOTHING = Edits({})


def no_edges_because(problem: FieldLabelling) -> str:
    """Why edges cannot be put in; empty when all edges share one table of scores."""
    layout = problem.layout
    if layout.tables * layout.per_table == 0:
        return "there are no pairwise weights here, so an edge would change nothing."
    if layout.marks is None and layout.tables > 1:
        return "every pair of labels has a weight of its own, so a new edge would have none."
    if layout.marks is not None and (not len(layout.marks) or np.ptp(layout.marks, axis=0).any()):
        return "every edge has features of its own, so a new edge would have none."
    return ""


def valid_edits(edits: Edits, field: Fields, edges: bool) -> Edits:
    """The edits that are about this field."""
    m, states = field.unary.shape
    seeds = {u: s for u, s in edits.seeds.items() if 0 <= u < m and 0 <= s < states}
    pairs = (tuple(sorted(pair)) for pair in edits.toggled if edges and pair[0] != pair[1])
    return Edits(seeds, frozenset((a, b) for a, b in pairs if a >= 0 and b < m))


def bonus(field: Fields) -> float:
    """More than a node can lose by any state: by its own scores and by all of its edges."""
    degree = np.bincount(field.ends.ravel(), minlength=1).max(initial=0)
    return 1.0 + float(np.ptp(field.unary)) + 2.0 * float(degree) * float(np.abs(field.pair).max(initial=0.0))


def apply_edits(field: Fields, edits: Edits) -> tuple[Fields, Ints, Ints]:
    """The field with the edits, and the pairs (n, 2) put in and taken out; the original is not touched."""
    nothing = np.zeros((0, 2), dtype=np.int64)
    if not edits:
        return field, nothing, nothing
    joined = (
        {(min(a, b), max(a, b)): e for e, (a, b) in enumerate(field.ends.tolist())} if edits.toggled else {}
    )
    gone = sorted(edits.toggled & joined.keys())
    shared = len(field.pair) > 0
    new = np.array(sorted(edits.toggled - joined.keys()) if shared else [], dtype=np.int64).reshape(-1, 2)
    keep = np.ones(len(field.ends), dtype=bool)
    keep[[joined[pair] for pair in gone]] = False
    ends = np.concatenate([field.ends[keep], new])
    table = np.concatenate([field.table[keep], np.zeros(len(new), dtype=np.int64)])
    changed = replace(field, ends=ends, table=table, edges=np.array([0, len(ends)]))
    unary = field.unary.copy()
    for node, state in edits.seeds.items():
        unary[node, state] += bonus(changed)
    return replace(changed, unary=unary), new, np.array(gone, dtype=np.int64).reshape(-1, 2)
