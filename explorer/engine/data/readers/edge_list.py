"""Labelled graphs as two lists: `x.edges` with two nodes on every line, `x.nodes.csv` with what nodes are.

    ada bob 0.5                      node,label,age          or, with several graphs:  graph,node,label,age
    bob eve 2.0                      ada,red,36
                                     bob,blue,41

On a line of edges blanks, commas or tabs stand between the names of two nodes and, if wanted, numbers, the
same count on every line; a first line "source,target,..." names them; # begins a comment. The table of nodes
has a line of names; `node` and the label (the column `label`, or another that is chosen) must be among them,
the others are features, finite numbers, beside a constant. Nodes without any have their number of
neighbours. `graph` tells graphs apart, whose nodes all have names of their own. Cost: one look at every line.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from explorer.engine.contracts import Dataset
from explorer.engine.data.readers.files import text_of
from explorer.engine.data.readers.table import CONSTANT, Table, as_number, read_table
from explorer.engine.refusals import Refused
from explorer.engine.structures.fields.graphs import Graph, graph, graphs

NODES = ".nodes.csv"
MOST_BYTES, MOST_EDGES = 50_000_000, 1_000_000
WANTED = "a list of edges, two nodes on each line"
NODE, GRAPH, DEGREE = "node", "graph", "neighbours"


@dataclass(frozen=True, slots=True)
class EdgeLine:
    """One edge: its line, the names of its ends, and its numbers."""

    number: int
    ends: tuple[str, str]
    marks: tuple[float, ...]


@dataclass(frozen=True, slots=True, eq=False)
class EdgeList:
    """The edges and nodes of a file."""

    where: str
    edges: list[EdgeLine]
    marks: tuple[str, ...]
    nodes: Table


def nodes_beside(path: str | Path) -> Path:
    """The table of nodes that belongs to a list of edges: x.nodes.csv beside x.edges."""
    source = Path(path)
    return source.with_name(source.name.removesuffix(source.suffix) + NODES)


def read_edge_list(path: str | Path) -> EdgeList:
    """The edges in a file, and the nodes in the table beside it."""
    where = str(path)
    lines = text_of(path, MOST_BYTES, WANTED).splitlines()
    names, edges = _edges(lines, where)
    nodes = read_table(nodes_beside(path))
    nodes.at(NODE, "names of nodes")
    _check_names(nodes)
    known = {row.cells[nodes.at(NODE, "nodes")] for row in nodes.rows}
    for edge in edges:
        for end in edge.ends:
            if end not in known:
                raise Refused(
                    f"{where}, line {edge.number} names the node {end[:40]!r}, which is not in "
                    f"{nodes.where}; add it there or correct the edge"
                )
    return EdgeList(where, edges, names, nodes)


def _edges(lines: Sequence[str], where: str) -> tuple[tuple[str, ...], list[EdgeLine]]:
    """What the numbers of edges are called, and the edges."""
    names: tuple[str, ...] = ()
    found: list[EdgeLine] = []
    wide = 0
    for number, line in enumerate(lines, start=1):
        cells = line.partition("#")[0].replace(",", " ").split()
        if not cells:
            continue
        if not wide and [cell.lower() for cell in cells[:2]] in (["source", "target"], ["from", "to"]):
            names, wide = tuple(cells[2:]), len(cells)
            continue
        wide = wide or len(cells)
        found.append(_edge(cells, wide, number, f"{where}, line {number}"))
        if len(found) > MOST_EDGES:
            raise Refused(f"{where} has more than {MOST_EDGES:,} edges; give a part of it")
    if not found:
        raise Refused(f"{where} holds no edge; give {WANTED}")
    return names or tuple(f"number {k + 1}" for k in range(wide - 2)), found


def _edge(cells: Sequence[str], wide: int, number: int, place: str) -> EdgeLine:
    if len(cells) < 2 or len(cells) != wide:
        raise Refused(f"{place} has {len(cells)} cells; give two nodes, {wide - 2} numbers")
    marks = tuple(as_number(cell) for cell in cells[2:])
    if any(math.isnan(mark) for mark in marks):
        wrong = next(cell for cell, mark in zip(cells[2:], marks, strict=True) if math.isnan(mark))
        raise Refused(f"{place} has {wrong[:40]!r} for a number; give a finite number")
    if cells[0] == cells[1]:
        raise Refused(f"{place} joins the node {cells[0][:40]!r} with itself; leave it out")
    return EdgeLine(number, (cells[0], cells[1]), marks)


def _check_names(nodes: Table) -> None:
    """Every node has a name of its own."""
    at, seen = nodes.at(NODE, "names of nodes"), set[str]()
    for row in nodes.rows:
        if not row.cells[at] or row.cells[at] in seen:
            raise Refused(
                f"{nodes.where}, line {row.number} has the node {row.cells[at][:40]!r}, which is empty or "
                "taken; give each node its own name"
            )
        seen.add(row.cells[at])


def feature_columns(nodes: Table, label: str) -> tuple[str, ...]:
    """The columns of a table of nodes that are features."""
    return tuple(name for name in nodes.header.cells if name not in (NODE, GRAPH, label))


def graph_rows(nodes: Table) -> list[list[int]]:
    """The rows of each graph, in the order in which graphs begin."""
    if GRAPH not in nodes.header.cells:
        return [list(range(len(nodes.rows)))]
    at, found = nodes.header.cells.index(GRAPH), dict[str, list[int]]()
    for k, row in enumerate(nodes.rows):
        found.setdefault(row.cells[at], []).append(k)
    return list(found.values())


def edge_graphs(source: EdgeList, features: Sequence[str], marks: Sequence[str]) -> list[Graph]:
    """The graphs with these columns of nodes and numbers of edges as features."""
    nodes, wanted = source.nodes, [source_column(source, name) for name in marks]
    at = nodes.at(NODE, "names of nodes")
    rows = {row.cells[at]: k for k, row in enumerate(nodes.rows)}
    numbers = _numbers(source, features, rows)
    own = graph_rows(nodes)
    owner: dict[int, int] = {}
    for g, members in enumerate(own):
        owner |= dict.fromkeys(members, g)
    parts: list[list[EdgeLine]] = [[] for _ in own]
    for edge in source.edges:
        a, b = (owner[rows[end]] for end in edge.ends)
        if a != b:
            raise Refused(f"{source.where}, line {edge.number} joins nodes of two graphs; leave it out")
        parts[a].append(edge)
    return [
        _graph(source, members, edges, numbers, rows, wanted)
        for members, edges in zip(own, parts, strict=True)
    ]


def source_column(source: EdgeList, name: str) -> int:
    """Which number of an edge has a name."""
    if name not in source.marks:
        raise Refused(f"{source.where} has no number {name!r} at its edges; it has {', '.join(source.marks)}")
    return source.marks.index(name)


def _numbers(
    source: EdgeList, features: Sequence[str], rows: dict[str, int]
) -> "np.ndarray[tuple[int, int], np.dtype[np.float64]]":
    """The features of all nodes: their columns, the number of their neighbours, a constant."""
    columns = [_column(source, name, rows) for name in features]
    return np.stack(columns, axis=1) if columns else np.zeros((len(rows), 0))


def _column(
    source: EdgeList, name: str, rows: dict[str, int]
) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """One feature of all nodes."""
    nodes = source.nodes
    if name == DEGREE and name not in nodes.header.cells:
        ends = [rows[end] for edge in source.edges for end in edge.ends]
        return np.bincount(ends, minlength=len(rows)).astype(float)
    if name == CONSTANT and name not in nodes.header.cells:
        return np.ones(len(rows))
    place = nodes.at(name, "features")
    found = np.array([as_number(row.cells[place]) for row in nodes.rows])
    if np.isnan(found).any():
        row = nodes.rows[int(np.argmax(np.isnan(found)))]
        raise Refused(
            f"{nodes.where}, line {row.number} has {row.cells[place][:40]!r} as {name!r}; give a finite "
            "number, or leave the column out"
        )
    return found


def _graph(
    source: EdgeList,
    members: Sequence[int],
    edges: Sequence[EdgeLine],
    numbers: "np.ndarray[tuple[int, int], np.dtype[np.float64]]",
    rows: dict[str, int],
    wanted: Sequence[int],
) -> Graph:
    place = {k: i for i, k in enumerate(members)}
    pairs = [[place[rows[end]] for end in edge.ends] for edge in edges]
    marks = [[edge.marks[k] for k in wanted] for edge in edges] if wanted else None
    at = source.nodes.at(NODE, "names of nodes")
    names = tuple(source.nodes.rows[k].cells[at] for k in members)
    return graph(numbers[list(members)], pairs, marks, names=names, where=source.where)


def graph_labels(source: EdgeList, label: str) -> list[list[str]] | None:
    """The labels of the nodes of each graph; None where one has none."""
    nodes = source.nodes
    if label not in nodes.header.cells:
        return None
    at = nodes.header.cells.index(label)
    found = [[nodes.rows[k].cells[at] for k in members] for members in graph_rows(nodes)]
    return found if all(all(own) for own in found) else None


def edge_list_data(
    sources: Sequence[EdgeList], label: str, features: Sequence[str] | None, marks: Sequence[str] | None
) -> list[Dataset]:
    """A data set for each file; all have the features of the first and the states of all."""
    first = sources[0]
    wanted = tuple(feature_columns(first.nodes, label) if features is None else features) or (DEGREE,)
    wanted = wanted if features is not None else (*wanted, CONSTANT)
    named = first.marks if marks is None else tuple(marks)
    labels = [_labels(source, label) for source in sources]
    states = tuple(sorted({name for part in labels for own in part for name in own}))
    if not 2 <= len(states) <= 1000:
        raise Refused(
            f"{first.nodes.where} has {len(states):,} different values of {label!r}; give 2 to 1,000"
        )
    at = {state: k for k, state in enumerate(states)}
    meta = {"feature_names": wanted, "edge_feature_names": named}
    return [
        graphs(
            Path(source.where).name,
            edge_graphs(source, wanted, named),
            [[at[name] for name in own] for own in part],
            states,
            **meta,
        )
        for source, part in zip(sources, labels, strict=True)
    ]


def _labels(source: EdgeList, label: str) -> list[list[str]]:
    nodes = source.nodes
    at = nodes.at(label, "labels")
    bare = next((row for row in nodes.rows if not row.cells[at]), None)
    if bare is not None:
        raise Refused(f"{nodes.where}, line {bare.number} has no {label!r}; give every node its label")
    found = graph_labels(source, label)
    assert found is not None
    return found


__all__ = [
    "EdgeList",
    "edge_graphs",
    "edge_list_data",
    "graph_labels",
    "graph_rows",
    "nodes_beside",
    "read_edge_list",
]
