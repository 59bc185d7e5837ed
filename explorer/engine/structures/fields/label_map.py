"""Multi-label classification as a binary field over the labels: any subset of l labels for each feature row.

    f(x, y) = sum_u y_u (w_u . x) + sum_(u,v) w_uv y_u y_v,      y in {0, 1}^l,      l F + #edges weights

Finley 2009, sections 5.2 and 5.5: fully connected, l F + l (l - 1) / 2 weights; without edges it is l
separate classifiers (the baseline there); a tree keeps the strongest dependencies (Chow and Liu 1968). The
printed loss is 100 / l per wrong label: `Hamming(normalised=True, times=100)`. Rows are dense or sparse
(CSR).
"""

from dataclasses import dataclass, replace
from typing import Any

import networkx as nx
import numpy as np
from scipy import sparse as sp

from explorer.engine.checks import checked_row, read_only
from explorer.engine.contracts import Dataset
from explorer.engine.refusals import Refused
from explorer.engine.structures.fields.layout import FieldLayout
from explorer.engine.vectors import Array, Ints

BOTH_ON = np.array([[-1, -1], [-1, 0]], dtype=np.int64)


@dataclass(frozen=True)
class LabelMap:
    """One binary node for each label; `pairs` are the edges between labels."""

    labels: int
    pairs: tuple[tuple[int, int], ...]
    states: int = 2

    def check(self, dataset: Dataset) -> Dataset:
        """Finite rows, and 0 or 1 for each of the labels."""
        given: Any = dataset.inputs
        stored = bool(sp.issparse(given))
        rows = given.tocsr() if stored else np.asarray(given, dtype=float)
        values = rows.data if stored else rows
        if rows.ndim != 2 or not np.isfinite(values).all():
            raise Refused(
                "the inputs are no matrix of finite numbers; give one row of features for each example"
            )
        y = np.asarray(dataset.labels)
        if y.ndim != 2 or y.shape != (rows.shape[0], self.labels):
            raise Refused(
                f"the labels have shape {y.shape}; give {rows.shape[0]} rows of {self.labels} zeros and ones"
            )
        wrong = np.argwhere((y != 0) & (y != 1))
        if len(wrong):
            i, u = wrong[0]
            raise Refused(f"example {i}, label {u}, is {y[i, u]}; a label is on (1) or off (0)")
        if not stored:
            rows = read_only(np.ascontiguousarray(rows))
        return replace(dataset, inputs=rows, labels=read_only(np.ascontiguousarray(y, dtype=np.int64)))

    def checked_input(self, x: Any, known: Any, place: str) -> Any:
        """One row of as many finite features as the known rows have."""
        return checked_row(x, known.shape[1], place)

    def layout(self, inputs: Any) -> FieldLayout:
        """The same edges for every row."""
        n, e = inputs.shape[0], len(self.pairs)
        ends = np.array(self.pairs, dtype=np.int64).reshape(e, 2)
        return FieldLayout(
            rows=inputs,
            shared_row=True,
            states=2,
            nodes=np.arange(n + 1, dtype=np.int64) * self.labels,
            ends=np.tile(ends, (n, 1)),
            edges=np.arange(n + 1, dtype=np.int64) * e,
            table=np.tile(np.arange(e, dtype=np.int64), n),
            marks=None,
            tables=e,
            slot=BOTH_ON,
        )

    def groups(self, layout: FieldLayout) -> dict[str, slice]:
        """The labels' own weights, then those of pairs."""
        found = {"labels": slice(0, layout.split)}
        return found | ({"pairs": slice(layout.split, layout.dim)} if self.pairs else {})


def all_pairs(labels: int) -> tuple[tuple[int, int], ...]:
    """Every pair of labels."""
    return tuple((u, v) for u in range(labels) for v in range(u + 1, labels))


def tree_pairs(y: Ints) -> tuple[tuple[int, int], ...]:
    """The spanning tree of largest mutual information between labels (Chow and Liu 1968)."""
    return tuple(
        sorted((min(a, b), max(a, b)) for a, b in nx.maximum_spanning_edges(_information(y), data=False))
    )


def _information(y: Ints) -> nx.Graph:
    """A complete graph whose edges weigh the mutual information of two labels."""
    found = nx.Graph()
    found.add_nodes_from(range(y.shape[1]))
    for u, v in all_pairs(y.shape[1]):
        joint = np.array([[np.mean((y[:, u] == a) & (y[:, v] == b)) for b in (0, 1)] for a in (0, 1)])
        found.add_edge(u, v, weight=mutual_information(joint))
    return found


def mutual_information(joint: Array) -> float:
    """sum p(a, b) log p(a, b) / (p(a) p(b))."""
    apart = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    at = joint > 0
    return float(np.sum(joint[at] * np.log(joint[at] / apart[at])))
