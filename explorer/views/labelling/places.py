"""Where the nodes of an example are drawn: cells of a grid, nodes of a graph, or labels on a circle."""

from functools import lru_cache

import networkx as nx
import numpy as np

from explorer.engine.structures.fields.graphs import Graph
from explorer.engine.structures.fields.problem import FieldLabelling
from explorer.engine.vectors import Array
from explorer.labs.places import circle


def nodes_of(problem: FieldLabelling, i: int) -> tuple[str, tuple[int, int] | None, tuple[str, ...], Array]:
    """Grid, graph or labels; rows and columns of a grid; names of the nodes, if any; and where they lie."""
    if problem.layout.shared_row:
        return "labels", None, label_names(problem), circle(problem.layout.columns)
    x: Graph = problem.dataset.inputs[i]
    if x.shape is not None:
        row, column = np.divmod(np.arange(len(x), dtype=float), x.shape[1])
        return "grid", x.shape, x.names, np.stack([column, row], axis=1)
    return "graph", None, x.names, spots(x) if x.place is None else x.place


def label_names(problem: FieldLabelling) -> tuple[str, ...]:
    """What the labels of a multi-label problem are called."""
    named, count = problem.dataset.meta.get("label_names", ()), problem.layout.columns
    return tuple(map(str, named)) if len(named) == count else tuple(f"label {u + 1}" for u in range(count))


@lru_cache(maxsize=64)
def spots(graph: Graph) -> Array:
    """Places for a graph that comes without any; always the same ones."""
    source = nx.Graph()
    source.add_nodes_from(range(len(graph)))
    source.add_edges_from(graph.edges.tolist())
    found = nx.spring_layout(source, seed=0)
    return np.array([found[u] for u in range(len(graph))]).reshape(-1, 2)
