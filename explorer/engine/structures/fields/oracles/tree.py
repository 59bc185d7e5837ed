"""Max-product on forests: exact, in two passes over the nodes.

    max_y sum_u unary[u, y_u] + sum_(u,v) pair[y_u, y_v]      by dynamic programming from the leaves to the roots and back

Trees, chains (where it is Viterbi's algorithm, ties included), and graphs of several such parts; a field with a cycle is
refused. Two edges between the same nodes are a cycle. See `kernels/tree_max.py`. Cost O(m K^2).
"""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from explorer.engine.refusals import Refused
from explorer.engine.structures.fields.fields import Fields, Solved, hard, spread
from explorer.engine.structures.fields.kernels.tree_max import first_cyclic, tree_best_all


@final
@dataclass(frozen=True, slots=True)
class Tree:
    """Dynamic programming from the leaves to the root."""

    title: ClassVar[str] = "tree max-product"
    help: ClassVar[str] = "Exact on graphs without cycles: the best score below every node, from the leaves up."
    kind: ClassVar[str] = "exact"

    def refuses(self, fields: Fields) -> str | None:
        """A field with a cycle."""
        stack = (fields.unary, fields.nodes, fields.ends, fields.edges, fields.table, fields.pair)
        found = first_cyclic(*stack, 0, len(fields))
        if found < 0:
            return None
        m, e = (int(np.diff(part)[found]) for part in (fields.nodes, fields.edges))
        return (
            f"field {found} has a cycle ({m} nodes, {e} edges); tree max-product takes graphs without cycles: "
            "choose another oracle, or leave edges out"
        )

    def solve(self, fields: Fields) -> Solved:
        """The best labelling of every field; raises Refused at a cycle."""
        reason = self.refuses(fields)
        if reason:
            raise Refused(reason)
        labels = np.empty(len(fields.unary), dtype=np.int64)
        stack = (fields.unary, fields.nodes, fields.ends, fields.edges, fields.table, fields.pair)
        spread(fields, lambda lo, hi: tree_best_all(*stack, lo, hi, labels))
        return hard(fields, labels, fields.scores(labels))
