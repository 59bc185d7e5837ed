"""Fields drawn at random, for studies of inference alone: no features, no learning, only scores to maximise.

    free     two states: score(y) = sum_u a_u y_u + sum_{u<v} b_uv y_u y_v,  a and b from U(-1, 1) or N(0, 1);
             more states: every unary and pairwise score from it
    Potts    every unary score from it; pairwise scores +c where the ends of an attracting edge agree, -c
             where those of a repelling one do, else 0
    patches  truth constant on patches of 8 x 8 cells, unary = 1[s = truth] + N(0, 1), Potts with c = 0.6, 4
             neighbours
    triangle three nodes that all want to differ from each other, with two states: one edge is always
             disappointed

The free fields on complete graphs are those of Finley 2009, section 5.4. Cost: linear in nodes, edges and
squared states.
"""

import numpy as np

from explorer.engine.refusals import Refused
from explorer.engine.structures.fields.fields import Fields
from explorer.engine.structures.fields.graphs import grid
from explorer.engine.vectors import Array, Ints

KINDS = ("uniform", "normal")
SHAPES = ("complete", "grid", "cycle", "tree")
PATCH = 8
PATCH_COUPLING = 0.6


def random_field(
    m: int,
    states: int = 2,
    kind: str = "uniform",
    edges: str = "complete",
    attraction: float | None = None,
    coupling: float | None = None,
    seed: int = 0,
) -> Fields:
    """One field of m nodes; see `random_fields`."""
    return random_fields(1, m, states, kind, edges, attraction, coupling, seed)


def random_fields(
    count: int,
    m: int,
    states: int = 2,
    kind: str = "uniform",
    edges: str = "complete",
    attraction: float | None = None,
    coupling: float | None = None,
    seed: int = 0,
) -> Fields:
    """`count` fields of m nodes each, free or, with a `coupling`, Potts.

    `attraction` is the chance of an edge to attract: without it free couplings keep the signs they are drawn
    with, and Potts couplings all attract. Every tree is another one.
    """
    _check(count, m, states, kind, attraction, coupling)
    rng = np.random.default_rng(seed)
    ends = [edges_of(edges, m, rng) for _ in range(count)]
    each = len(ends[0])
    unary = _drawn(rng, kind, (count * m, states))
    if states == 2 and coupling is None:
        unary[:, 0] = 0.0
    pair = _pairs(rng, kind, count * each, states, attraction, coupling)
    nodes, offsets = np.arange(count + 1, dtype=np.int64) * m, np.arange(count + 1, dtype=np.int64) * each
    return Fields(unary, nodes, np.concatenate(ends), offsets, np.arange(count * each, dtype=np.int64), pair)


def patches(rows: int, columns: int, states: int, seed: int = 0) -> Fields:
    """One noisy grid; the same Potts table for all of its edges."""
    rng = np.random.default_rng(seed)
    truth = patch_truth(rng, rows, columns, states).ravel()
    unary = np.eye(states)[truth] + rng.normal(size=(rows * columns, states))
    ends = grid(unary, rows, columns).edges
    sizes = (np.array([0, len(unary)]), ends, np.array([0, len(ends)]), np.zeros(len(ends), np.int64))
    return Fields(unary, *sizes, PATCH_COUPLING * np.eye(states)[None])


def patch_truth(rng: np.random.Generator, rows: int, columns: int, states: int) -> Ints:
    """A random state for every patch of 8 x 8 cells; those at the far ends may be cut."""
    if min(rows, columns, states) < 1:
        raise Refused(
            f"{rows} rows, {columns} columns and {states} states make no field; give at least one of each"
        )
    coarse = rng.integers(0, states, (-(-rows // PATCH), -(-columns // PATCH)))
    return np.repeat(np.repeat(coarse, PATCH, axis=0), PATCH, axis=1)[:rows, :columns]


def frustrated_triangle(strength: float = 1.0) -> Fields:
    """-strength for every edge whose ends agree: at best -strength, but 0 if every node may be half and
    half.
    """
    ends = np.array([[0, 1], [0, 2], [1, 2]], dtype=np.int64)
    sizes = (np.array([0, 3]), ends, np.array([0, 3]), np.zeros(3, np.int64))
    return Fields(np.zeros((3, 2)), *sizes, -strength * np.eye(2)[None])


def edges_of(shape: str, m: int, rng: np.random.Generator) -> Ints:
    """The edges of a complete graph, of the squarest grid, of a cycle or of a random tree with m nodes."""
    if shape == "complete":
        return np.stack(np.triu_indices(m, 1), axis=1).astype(np.int64)
    if shape == "grid":
        rows = squarest(m)
        return grid(np.ones((m, 1)), rows, m // rows).edges
    if shape == "cycle":
        if m < 3:
            raise Refused(f"m is {m}; a cycle needs at least 3 nodes")
        return np.stack([np.arange(m), (np.arange(m) + 1) % m], axis=1)
    if shape == "tree":
        return np.stack([random_parents(rng, m), np.arange(1, m)], axis=1)
    raise Refused(f"edges is {shape!r}; choose one of {', '.join(SHAPES)}")


def squarest(m: int) -> int:
    """The rows of the squarest grid with m cells."""
    rows = next(r for r in range(int(np.sqrt(m)), 0, -1) if m % r == 0)
    if rows == 1 and m > 3:
        raise Refused(f"m is {m}; a grid has rows times columns cells, choose {m - 1} or {m + 1}")
    return rows


def random_parents(rng: np.random.Generator, m: int) -> Ints:
    """For each of the nodes 1 .. m - 1 an earlier node, any of them equally likely."""
    return rng.integers(0, np.arange(1, m))


def _drawn(rng: np.random.Generator, kind: str, shape: tuple[int, ...]) -> Array:
    return rng.uniform(-1.0, 1.0, shape) if kind == "uniform" else rng.normal(size=shape)


def _pairs(
    rng: np.random.Generator,
    kind: str,
    edges: int,
    states: int,
    attraction: float | None,
    coupling: float | None,
) -> Array:
    """The pairwise scores of every edge."""
    sign = None if attraction is None else np.where(rng.random(edges) < attraction, 1.0, -1.0)[:, None, None]
    if coupling is not None:
        return coupling * np.eye(states)[None] * (np.ones((edges, 1, 1)) if sign is None else sign)
    if states != 2:
        return _drawn(rng, kind, (edges, states, states))
    out = np.zeros((edges, 2, 2))
    out[:, 1, 1] = _drawn(rng, kind, (edges,))
    return out if sign is None else np.abs(out) * sign


def _check(
    count: int, m: int, states: int, kind: str, attraction: float | None, coupling: float | None
) -> None:
    if min(count, m, states) < 1:
        raise Refused(f"{count} fields of {m} nodes with {states} states are none; give at least one of each")
    if kind not in KINDS:
        raise Refused(f"kind is {kind!r}; choose one of {', '.join(KINDS)}")
    if attraction is not None and not 0.0 <= attraction <= 1.0:
        raise Refused(f"attraction is {attraction}; it is a share of the edges, choose between 0 and 1")
    if attraction is not None and coupling is None and states != 2:
        raise Refused(
            f"free couplings of {states} states neither attract nor repel; give a coupling, or two states"
        )
    if coupling is not None and not (np.isfinite(coupling) and coupling >= 0.0):
        raise Refused(f"coupling is {coupling}; choose 0 or more, and repelling edges by attraction")
