"""Graphs as inputs: a feature row for every node, edges between nodes, and features of the edges.

What comes from outside is checked here and refused with the place and the fix; what passes is contiguous and
read-only. A graph may have several components, or no edges at all. `place` and `shape` are for drawing only:
where nodes lie, and the rows and columns of a grid.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import networkx as nx
import numpy as np

from explorer.engine.checks import read_only
from explorer.engine.contracts import Dataset
from explorer.engine.refusals import Refused
from explorer.engine.vectors import Array, Ints


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """nodes (m, F), edges (e, 2) of node numbers, edge_features (e, G); made by `graph`, `grid` or
    `from_networkx`.
    """

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
    """A checked graph; `where` names it in refusals. Without edge features every edge has the single feature
    1.
    """
    rows = _matrix(nodes, f"{where}: the nodes")
    m = len(rows)
    if m == 0:
        raise Refused(f"{where} has no nodes; leave it out, or give it some")
    if shape is not None and shape[0] * shape[1] != m:
        raise Refused(
            f"{where} has {m} nodes, not {shape[0]} rows of {shape[1]}; give one row of features per cell"
        )
    if len(names) not in (0, m):
        raise Refused(f"{where} has {m} nodes but {len(names)} names; give one for each node, or none")
    pairs = _pairs(edges, m, names, where)
    spots = None if place is None else _matrix(place, f"{where}: the places")
    if spots is not None and spots.shape != (m, 2):
        raise Refused(f"{where}: the places have shape {spots.shape}; give x and y for each of the {m} nodes")
    return Graph(rows, pairs, _marks(edge_features, len(pairs), where), spots, shape, tuple(names))


def _array(values: Any, what: str) -> Any:
    """The values as an array of any shape."""
    try:
        return np.asarray(values)
    except ValueError as error:
        raise Refused(f"{what} have rows of different lengths; give all the same") from error


def _matrix(values: Any, what: str) -> Array:
    """A finite float matrix, or a refusal."""
    rows = _array(values, what)
    if rows.ndim != 2 or rows.dtype.kind not in "biuf" or rows.shape[1] == 0:
        raise Refused(
            f"{what} have shape {rows.shape} and type {rows.dtype}; give rows of numbers, one for each"
        )
    found = np.array(rows, dtype=np.float64, order="C")
    if not np.isfinite(found).all():
        row, column = np.argwhere(~np.isfinite(found))[0]
        raise Refused(f"{what}, row {row}, column {column}, hold {found[row, column]}; give finite numbers")
    return read_only(found)


def _pairs(edges: Any, m: int, names: Sequence[str], where: str) -> Ints:
    """The ends of every edge: known nodes, different ones, and no pair twice."""
    pairs = _array(edges, f"{where}: the edges")
    if pairs.size == 0:
        return read_only(np.zeros((0, 2), dtype=np.int64))
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
        raise Refused(
            f"{where}: the edges have shape {pairs.shape} and type {pairs.dtype}; give pairs of node "
            "numbers, (e, 2)"
        )
    unknown = np.argwhere((pairs < 0) | (pairs >= m))
    if len(unknown):
        e, end = unknown[0]
        raise Refused(
            f"{where}: edge {e} names node {pairs[e, end]}, but nodes are numbered 0 to {m - 1}; correct it"
        )
    loops = np.flatnonzero(pairs[:, 0] == pairs[:, 1])
    if len(loops):
        alone = _named(pairs[loops[0], 0], names)
        raise Refused(
            f"{where}: edge {loops[0]} joins node {alone} with itself; leave self-loops out, or use a node "
            "feature"
        )
    both, count = np.unique(np.sort(pairs, axis=1), axis=0, return_counts=True)
    if np.any(count > 1):
        a, b = (_named(end, names) for end in both[np.argmax(count > 1)])
        raise Refused(
            f"{where}: nodes {a} and {b} are joined more than once; give each edge once, in one direction"
        )
    return read_only(np.ascontiguousarray(pairs, dtype=np.int64))


def _named(node: Any, names: Sequence[str]) -> str:
    """What a refusal calls a node."""
    return repr(names[node]) if len(names) else str(node)


def _marks(edge_features: Any, edges: int, where: str) -> Array:
    """One row of features for every edge; a graph without edges keeps the width that it is given."""
    if edge_features is None:
        return read_only(np.ones((edges, 1)))
    what = f"{where}: the edge features"
    given = _array(edge_features, what)
    if given.size == 0 and edges == 0:
        return read_only(np.zeros((0, max(1, given.shape[1] if given.ndim == 2 else 1))))
    marks = _matrix(given, what)
    if len(marks) != edges:
        raise Refused(
            f"{where} has {edges} edges but {len(marks)} rows of edge features; give one for each edge"
        )
    return marks


def grid(nodes: Any, rows: int, columns: int, directional: bool = False, where: str = "the grid") -> Graph:
    """A grid with edges to the right and downwards; directional edges carry (1, 0) across and (0, 1) down."""
    if min(rows, columns) < 1:
        raise Refused(f"{where} has {rows} rows and {columns} columns; give it at least one of each")
    number = np.arange(rows * columns).reshape(rows, columns)
    across = np.stack([number[:, :-1].ravel(), number[:, 1:].ravel()], axis=1)
    down = np.stack([number[:-1].ravel(), number[1:].ravel()], axis=1)
    pairs = np.concatenate([across, down])
    y, x = np.divmod(number.ravel(), columns)
    place = np.stack([x, -y], axis=1).astype(float)
    made = graph(nodes, pairs, None, place, (rows, columns), where=where)
    return across_and_down(made) if directional else made


def across_and_down(x: Graph) -> Graph:
    """The same grid with edges that carry (1, 0) across and (0, 1) down."""
    if x.shape is None:
        raise Refused(
            "only the edges of a grid run across or down; choose other pairwise weights than directional ones"
        )
    row = x.edges // x.shape[1]
    down = row[:, 0] != row[:, 1]
    return replace(x, edge_features=read_only(np.stack([~down, down], axis=1).astype(float)))


def from_networkx(
    source: nx.Graph,
    features: str | Sequence[str] = "features",
    edge_features: str | Sequence[str] | None = None,
    where: str = "the graph",
) -> Graph:
    """A networkx graph whose nodes carry a vector (or number) under `features`, or under each of several
    names; edges likewise when named.
    """
    order = list(source.nodes)
    at = {node: k for k, node in enumerate(order)}
    joined = list(source.edges(data=True))
    rows = _rows([(f"node {node!r}", source.nodes[node]) for node in order], features, where)
    pairs = [(at[a], at[b]) for a, b, _ in joined]
    marks = None
    if edge_features is not None:
        marks = _rows([(f"edge {a!r}-{b!r}", data) for a, b, data in joined], edge_features, where)
    spots = nx.get_node_attributes(source, "pos")
    place = [spots[node] for node in order] if order and len(spots) == len(order) else None
    return graph(rows, pairs, marks, place, None, list(map(str, order)), where)


def _rows(carriers: Sequence[tuple[str, Any]], attribute: str | Sequence[str], where: str) -> Array:
    """The vectors that nodes or edges carry under one name, or under several joined, as a matrix."""
    if not isinstance(attribute, str):
        return np.hstack([_rows(carriers, one, where) for one in attribute])
    rows: list[Array] = []
    for who, data in carriers:
        if attribute not in data:
            raise Refused(f"{where}: {who} has no attribute {attribute!r}; give every one its features")
        try:
            rows.append(np.atleast_1d(np.asarray(data[attribute], dtype=float)))
        except (TypeError, ValueError):
            raise Refused(f"{where}: {who} has {data[attribute]!r} as {attribute!r}; give numbers") from None
        if rows[-1].shape != rows[0].shape or rows[-1].ndim != 1:
            raise Refused(
                f"{where}: {who} has {attribute} of shape {rows[-1].shape}, {carriers[0][0]} of "
                f"{rows[0].shape}; "
                "give all the same number of features"
            )
    return np.stack(rows) if rows else np.zeros((0, 1))


def graphs(
    name: str, inputs: Sequence[Graph], labels: Sequence[Any], states: Sequence[str], **meta: Any
) -> Dataset:
    """A checked data set of labelled graphs; its meta holds the names of the states as "states"."""
    alike = _as_wide(inputs)
    found = checked_labels(alike, labels, len(states))
    return Dataset(name, alike, found, {"states": tuple(states), **meta})


def _as_wide(inputs: Sequence[Graph]) -> tuple[Graph, ...]:
    """Graphs without edges fit any number of edge features: they take that of the others."""
    wide = next((x.edge_features.shape[1] for x in inputs if isinstance(x, Graph) and len(x.edges)), None)
    if wide is None:
        return tuple(inputs)
    empty = read_only(np.zeros((0, wide)))
    return tuple(
        x if not isinstance(x, Graph) or len(x.edges) else replace(x, edge_features=empty) for x in inputs
    )


def checked_labels(inputs: Sequence[Graph], labels: Sequence[Any], states: int) -> tuple[Ints, ...]:
    """One known label for every node of every graph, and graphs that are alike, or Refused."""
    if len(inputs) != len(labels) or len(inputs) == 0:
        raise Refused(
            f"there are {len(inputs)} graphs and {len(labels)} labellings; give one labelling for each graph"
        )
    for i, x in enumerate(inputs):
        if not isinstance(x, Graph):
            raise Refused(f"example {i} is a {type(x).__name__}; make it with graph, grid or from_networkx")
        for what, here, first in (
            ("node", x.nodes.shape[1], inputs[0].nodes.shape[1]),
            ("edge", x.edge_features.shape[1], inputs[0].edge_features.shape[1]),
        ):
            if here != first:
                raise Refused(
                    f"example {i} has {here} {what} features but example 0 has {first}; give all the same"
                )
    return tuple(_labels(y, len(x), states, i) for i, (x, y) in enumerate(zip(inputs, labels, strict=True)))


def _labels(y: Any, m: int, states: int, i: int) -> Ints:
    """The labels of one graph."""
    found = _array(y, f"example {i}: the labels")
    if found.shape != (m,) or found.dtype.kind not in "biu":
        raise Refused(
            f"example {i} has {m} nodes; its labels have shape {found.shape} and type {found.dtype}: "
            "give a whole number for each"
        )
    wrong = np.flatnonzero((found < 0) | (found >= states))
    if len(wrong):
        raise Refused(
            f"example {i}, node {wrong[0]}, has the label {found[wrong[0]]}; give a whole number from 0 to "
            f"{states - 1}"
        )
    return read_only(np.ascontiguousarray(found, dtype=np.int64))
