"""One random field as kernels take it, and its local polytope, for the tests of the relaxation's kernels."""

import numpy as np

from explorer.engine.incidence import Field, field_at, scratch
from tests.engine.structures.fields.oracles.sample_fields import (
    Array,
    Ints,
    Part,
    graph_edges,
    grid_edges,
    scored,
    stacked,
)


def kernel_field(part: Part) -> Field:
    """The part as a kernel's record."""
    fields = stacked([part])
    room = scratch(fields.nodes, fields.edges, 0, 1)
    return field_at(
        0, fields.unary, fields.nodes, fields.ends, fields.edges, fields.table, fields.pair, *room
    )


def random_part(rng: np.random.Generator, states: int, most: int = 6) -> Part:
    """A graph of 2 to `most` nodes with some or all edges."""
    m = int(rng.integers(2, most + 1))
    return scored(rng, m, graph_edges(rng, m, rng.choice([0.4, 1.0])), states)


def random_grid(rng: np.random.Generator, rows: int, columns: int, states: int) -> Part:
    """A grid with scores of any sign."""
    return scored(rng, rows * columns, grid_edges(rows, columns), states)


def shares_of(part: Part, y: Ints) -> tuple[Array, Array]:
    """Node and edge shares of a labelling."""
    K = part.unary.shape[1]
    node, edge = np.eye(K)[y], np.zeros(part.pair.shape)
    for e, (a, b) in enumerate(part.ends):
        edge[e, y[a], y[b]] = 1.0
    return node, edge


def product_shares(rng: np.random.Generator, part: Part) -> tuple[Array, Array]:
    """Random node shares, and edge shares as if the nodes were independent."""
    node = rng.dirichlet(np.ones(part.unary.shape[1]), len(part.unary))
    return node, np.einsum("es,et->est", node[part.ends[:, 0]], node[part.ends[:, 1]])


def bound(part: Part, m: Array) -> float:
    """D(m) by its definition, in numpy."""
    own = part.unary.copy()
    for e, (a, b) in enumerate(part.ends):
        own[a] += m[2 * e]
        own[b] += m[2 * e + 1]
    left = part.pair - m[0::2, :, None] - m[1::2, None, :]
    return float(own.max(axis=1).sum() + left.max(axis=(1, 2), initial=-np.inf).sum())


def infeasible(ends: Ints, node: Array, edge: Array) -> float:
    """By how much shares miss the local polytope."""
    misses = [
        np.abs(node.sum(axis=1) - 1.0),
        -node,
        -edge,
        np.abs(edge.sum(axis=2) - node[ends[:, 0]]),
        np.abs(edge.sum(axis=1) - node[ends[:, 1]]),
    ]
    return max(float(part.max(initial=0.0)) for part in misses)
