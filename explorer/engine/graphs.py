"""Graphs as inputs: a feature row for every node, edges between nodes, and features of the edges.

What comes from outside is checked here and refused with the place and the fix; what passes is contiguous and read-only.
A graph may have several components, or no edges at all. `place` and `shape` are for drawing only: where nodes lie, and
the rows and columns of a grid.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np

from explorer.engine.checks import read_only
from explorer.engine.protocols import Dataset, Refused
from explorer.engine.vectors import Array, Ints


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """nodes (m, F), edges (e, 2) of node numbers, edge_features (e, G); made by `graph`, `grid` or `from_networkx`."""

    nodes: Array
    edges: Ints
    edge_features: Array
    place: Array | None = None
    shape: tuple[int, int] | None = None
    names: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.nodes)


def graph(
    nodes: Any,
    edges: Any,
    edge_features: Any = None,
    place: Any = None,
    shape: tuple[int, int] | None = None,
    names: Sequence[str] = (),
    where: str = "the graph",
) -> Graph:
    """A checked graph; `where` names it in refusals. Without edge features every edge has the single feature 1."""
    rows = _matrix(nodes, f"{where}: the nodes")
    pairs = np.asarray(edges, dtype=object if isinstance(edges, list) and not edges else None)
    pairs = np.zeros((0, 2), dtype=np.int64) if pairs.size == 0 else pairs
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
        raise Refused(f"{where}: the edges have shape {pairs.shape}; give pairs of node numbers, (e, 2)")
    _check_edges(pairs, len(rows), where)
    given = np.ones((len(pairs), 1)) if edge_features is None else edge_features
    marks = _matrix(given, f"{where}: the edge features") if len(pairs) else np.zeros((0, np.shape(given)[-1]))
    if len(marks) != len(pairs):
        raise Refused(f"{where} has {len(pairs)} edges but {len(marks)} rows of edge features; give one for each edge")
    spots = None if place is None else _matrix(place, f"{where}: the places")
    if spots is not None and spots.shape != (len(rows), 2):
        raise Refused(f"{where}: the places have shape {spots.shape}; give x and y for each of the {len(rows)} nodes")
    return Graph(rows, read_only(np.ascontiguousarray(pairs, dtype=np.int64)), marks, spots, shape, tuple(names))


def _matrix(values: Any, what: str) -> Array:
    """A finite float matrix, or a refusal."""
    rows = np.asarray(values)
    if rows.ndim != 2 or rows.dtype.kind not in "biuf" or rows.shape[1] == 0:
        raise Refused(f"{what} have shape {rows.shape} and type {rows.dtype}; give rows of numbers, one for each")
    found = np.array(rows, dtype=np.float64, order="C")
    if not np.isfinite(found).all():
        row, column = np.argwhere(~np.isfinite(found))[0]
        raise Refused(f"{what}, row {row}, column {column}, hold {found[row, column]}; give finite numbers")
    return read_only(found)


def _check_edges(pairs: Any, m: int, where: str) -> None:
    for e, (a, b) in enumerate(pairs.tolist()):
        for end in (a, b):
            if not 0 <= end < m:
                raise Refused(f"{where}: edge {e} names node {end}, but nodes are numbered 0 to {m - 1}; correct it")
        if a == b:
            raise Refused(f"{where}: edge {e} joins node {a} with itself; leave self-loops out, or use a node feature")
    both = np.sort(pairs, axis=1)
    _, first, count = np.unique(both, axis=0, return_index=True, return_counts=True)
    if np.any(count > 1):
        a, b = both[first[np.argmax(count > 1)]]
        raise Refused(f"{where}: nodes {a} and {b} are joined more than once; give each edge once, in one direction")


def grid(nodes: Any, rows: int, columns: int, directional: bool = False, where: str = "the grid") -> Graph:
    """A grid with edges to the right and downwards; directional edges carry (1, 0) across and (0, 1) down."""
    number = np.arange(rows * columns).reshape(rows, columns)
    across = np.stack([number[:, :-1].ravel(), number[:, 1:].ravel()], axis=1)
    down = np.stack([number[:-1].ravel(), number[1:].ravel()], axis=1)
    pairs = np.concatenate([across, down])
    marks = np.zeros((len(pairs), 2))
    marks[: len(across), 0] = marks[len(across) :, 1] = 1.0
    y, x = np.divmod(number.ravel(), columns)
    place = np.stack([x, -y], axis=1).astype(float)
    return graph(nodes, pairs, marks if directional else None, place, (rows, columns), where=where)


def from_networkx(
    source: nx.Graph, features: str = "features", edge_features: str | None = None, where: str = "the graph"
) -> Graph:
    """A networkx graph whose nodes carry a vector (or number) under `features`; edges likewise when named."""
    order = list(source.nodes)
    at = {node: k for k, node in enumerate(order)}
    for node in order:
        if features not in source.nodes[node]:
            raise Refused(f"{where}: node {node!r} has no attribute {features!r}; give every node its features")
    rows = [np.atleast_1d(np.asarray(source.nodes[node][features], dtype=float)) for node in order]
    pairs = [(at[a], at[b]) for a, b in source.edges]
    marks = None
    if edge_features is not None:
        for a, b, data in source.edges(data=True):
            if edge_features not in data:
                raise Refused(f"{where}: edge {a!r}-{b!r} has no attribute {edge_features!r}; give every edge one")
        marks = [np.atleast_1d(np.asarray(data[edge_features], dtype=float)) for _, _, data in source.edges(data=True)]
    spots = nx.get_node_attributes(source, "pos")
    place = [spots[node] for node in order] if len(spots) == len(order) else None
    return graph(
        _rows(rows, where), pairs, _rows(marks, where) if marks else None, place, None, list(map(str, order)), where
    )


def _rows(rows: list[Array], where: str) -> Array:
    """Vectors of one length as a matrix."""
    wrong = next((k for k, row in enumerate(rows) if len(row) != len(rows[0])), None)
    if wrong is not None:
        raise Refused(
            f"{where}: entry {wrong} has {len(rows[wrong])} features, entry 0 has {len(rows[0])}; give all the same"
        )
    return np.stack(rows)


def graphs(name: str, inputs: Sequence[Graph], labels: Sequence[Any], states: Sequence[str], **meta: Any) -> Dataset:
    """A checked data set of labelled graphs; its meta holds the names of the states as "states"."""
    found = checked_labels(inputs, labels, len(states))
    return Dataset(name, tuple(inputs), found, {"states": tuple(states), **meta})


def checked_labels(inputs: Sequence[Graph], labels: Sequence[Any], states: int) -> tuple[Ints, ...]:
    """One known label for every node of every graph, and graphs that are alike, or Refused."""
    if len(inputs) != len(labels) or len(inputs) == 0:
        raise Refused(f"there are {len(inputs)} graphs and {len(labels)} labellings; give one labelling for each graph")
    for i, x in enumerate(inputs):
        for what, here, first in (
            ("node", x.nodes.shape[1], inputs[0].nodes.shape[1]),
            ("edge", x.edge_features.shape[1], inputs[0].edge_features.shape[1]),
        ):
            if here != first:
                raise Refused(f"example {i} has {here} {what} features but example 0 has {first}; give all the same")
    return tuple(_labels(y, len(x), states, i) for i, (x, y) in enumerate(zip(inputs, labels, strict=True)))


def _labels(y: Any, m: int, states: int, i: int) -> Ints:
    """The labels of one graph."""
    found = np.asarray(y)
    if found.shape != (m,) or found.dtype.kind not in "biu":
        raise Refused(f"example {i} has {m} nodes; its labels have shape {found.shape}: give a whole number for each")
    wrong = np.flatnonzero((found < 0) | (found >= states))
    if len(wrong):
        raise Refused(
            f"example {i}, node {wrong[0]}, has the label {found[wrong[0]]}; give a whole number from 0 to {states - 1}"
        )
    return read_only(np.ascontiguousarray(found, dtype=np.int64))
