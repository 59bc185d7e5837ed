"""Graph labelling: a feature row for every node, shared weights, and pairwise weights that may depend on the
edge.

    Psi = [ sum_u x_u e_{y_u}' ;  sum_(u,v) mark_uv e_{y_u} e_{y_v}' ]
        F K + G K^2 weights, or F K + G K (K+1)/2

Grids, trees and arbitrary graphs of any size; degree thesis, section 4.3 (three states and three features on
a 4-neighbour grid: 18 weights, 15 with symmetric pairwise ones). `tie` says which pairwise weights are the
same: "full" none, "symmetric" those of (a, b) and (b, a), "none" drops them all (the unaries-only ablation).
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from explorer.engine.contracts import Dataset
from explorer.engine.refusals import Refused
from explorer.engine.structures.fields.graphs import Graph, checked_labels
from explorer.engine.structures.fields.layout import FULL, FieldLayout, slots
from explorer.engine.vectors import Ints


@dataclass(frozen=True)
class GraphMap:
    """Rows and edges of graphs, with K states for every node."""

    states: int
    tie: str = FULL

    def check(self, dataset: Dataset) -> Dataset:
        """The same data, with labels that fit their graphs."""
        return replace(dataset, labels=checked_labels(dataset.inputs, dataset.labels, self.states))

    def checked_input(self, x: Any, known: Any, place: str) -> Graph:
        """A graph with the same features of nodes and edges as the known ones."""
        if not isinstance(x, Graph):
            raise Refused(f"{place} is of type {type(x).__name__}; give a graph, or many to `predict_many`")
        widths, needed = ((g.nodes.shape[1], g.edge_features.shape[1]) for g in (x, known[0]))
        if widths != needed:
            raise Refused(
                f"{place} has {widths[0]} features of nodes and {widths[1]} of edges; give {needed[0]} and "
                f"{needed[1]}, as in training"
            )
        return x

    def layout(self, inputs: Any) -> FieldLayout:
        """All graphs below each other."""
        marks = np.concatenate([x.edge_features for x in inputs])
        ends = np.ascontiguousarray(np.concatenate([x.edges for x in inputs]))
        only = bool(np.all(marks == 1.0)) and marks.shape[1] == 1
        return FieldLayout(
            rows=np.ascontiguousarray(np.concatenate([x.nodes for x in inputs])),
            shared_row=False,
            states=self.states,
            nodes=offsets([len(x) for x in inputs]),
            ends=ends,
            edges=offsets([len(x.edges) for x in inputs]),
            table=np.zeros(len(ends), np.int64) if only else np.arange(len(ends), dtype=np.int64),
            marks=None if only else marks,
            tables=int(marks.shape[1]),
            slot=slots(self.states, self.tie),
        )

    def groups(self, layout: FieldLayout) -> dict[str, slice]:
        """Unary weights, then pairwise ones."""
        found = {"unary": slice(0, layout.split)}
        return found | ({"pairwise": slice(layout.split, layout.dim)} if layout.dim > layout.split else {})


def offsets(sizes: Any) -> Ints:
    """Where each of many stacked parts begins, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
