"""Random fields for the tests of field oracles, and their referee: every labelling, scored by the definition.

The referee is written with itertools.product and shares no code with the engine but the record `Fields`.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from explorer.engine.structures.fields.fields import Fields

Array = NDArray[np.float64]
Ints = NDArray[np.int64]


class Part(NamedTuple):
    """One field: unary (m, K), ends (e, 2) and its own pairwise scores (e, K, K)."""

    unary: Array
    ends: Ints
    pair: Array


def stacked(parts: Sequence[Part]) -> Fields:
    """Fields with one table for every edge."""
    ends = np.concatenate([part.ends for part in parts])
    return Fields(
        np.concatenate([part.unary for part in parts]),
        np.cumsum([0, *(len(part.unary) for part in parts)]),
        ends,
        np.cumsum([0, *(len(part.ends) for part in parts)]),
        np.arange(len(ends)),
        np.concatenate([part.pair for part in parts]),
    )


def scored(
    rng: np.random.Generator, m: int, ends: Sequence[tuple[int, int]], states: int, ties: bool = False
) -> Part:
    """Normal scores, or with ties small whole numbers, on which sums are exact."""
    pairs = np.array(ends, dtype=np.int64).reshape(-1, 2)
    if ties:
        unary, pair = rng.integers(-1, 2, (m, states)), rng.integers(-1, 2, (len(pairs), states, states))
        return Part(unary.astype(float), pairs, pair.astype(float))
    return Part(rng.normal(size=(m, states)), pairs, rng.normal(size=(len(pairs), states, states)))


def turned(rng: np.random.Generator, pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The same edges in random order and direction."""
    return [pairs[k][:: 1 if rng.random() < 0.5 else -1] for k in rng.permutation(len(pairs))]


def graph_edges(rng: np.random.Generator, m: int, share: float) -> list[tuple[int, int]]:
    """Each pair of nodes with this probability: often disconnected, with 0 no edges at all."""
    return turned(rng, [pair for pair in combinations(range(m), 2) if rng.random() < share])


def tree_edges(rng: np.random.Generator, m: int, keep: float = 1.0) -> list[tuple[int, int]]:
    """A random tree over shuffled nodes; below 1, `keep` leaves a forest."""
    name = rng.permutation(m).tolist()
    return turned(rng, [(name[v], name[int(rng.integers(v))]) for v in range(1, m) if rng.random() < keep])


def grid_edges(rows: int, columns: int) -> list[tuple[int, int]]:
    """Right and downwards."""
    at = np.arange(rows * columns).reshape(rows, columns)
    across = zip(at[:, :-1].ravel().tolist(), at[:, 1:].ravel().tolist(), strict=True)
    return [*across, *zip(at[:-1].ravel().tolist(), at[1:].ravel().tolist(), strict=True)]


def mixed(rng: np.random.Generator, states: int, n: int = 30, most: int = 6, ties: bool = False) -> Fields:
    """Graphs of 1 to `most` nodes with few, some or all edges: single nodes and disconnected ones among
    them.
    """
    parts = []
    for _ in range(n):
        m = int(rng.integers(1, most + 1))
        parts.append(scored(rng, m, graph_edges(rng, m, rng.choice([0.0, 0.3, 0.6, 1.0])), states, ties))
    return stacked(parts)


def complete(n: int, m: int, seed: int = 0) -> Fields:
    """n problems a_u y_u + b_uv y_u y_v over all pairs, all numbers from U(-1, 1)."""
    rng, pairs = np.random.default_rng(seed), list(combinations(range(m), 2))
    a, b = rng.uniform(-1, 1, (n, m)), rng.uniform(-1, 1, (n, len(pairs)))
    unary, pair = np.zeros((n, m, 2)), np.zeros((n, len(pairs), 2, 2))
    unary[:, :, 1], pair[:, :, 1, 1] = a, b
    return stacked([Part(unary[i], np.array(pairs), pair[i]) for i in range(n)])


@lru_cache(maxsize=64)
def labellings(m: int, states: int) -> Ints:
    """All labellings in the order of ties: by the last node first."""
    rows = np.array([y[::-1] for y in product(range(states), repeat=m)], dtype=np.int64).reshape(states**m, m)
    rows.setflags(write=False)
    return rows


def definition(field: Fields, rows: Ints) -> Array:
    """The score of each of many labellings of one field, one in each row."""
    scores = field.unary[np.arange(rows.shape[1]), rows].sum(axis=1)
    for (a, b), t in zip(field.ends.tolist(), field.table.tolist(), strict=True):
        scores += field.pair[t][rows[:, a], rows[:, b]]
    return scores


def every(field: Fields) -> tuple[Ints, Array]:
    """All labellings of one field and their scores."""
    rows = labellings(*field.unary.shape)
    return rows, definition(field, rows)


def optimum(fields: Fields) -> Array:
    """The best score of every field."""
    return np.array([every(field)[1].max() for field in fields])


def better(fields: Fields, labels: Ints) -> Ints:
    """How many labellings of each field have a strictly higher score than the one given."""
    out = []
    for i, field in enumerate(fields):
        scores = every(field)[1]
        own = definition(field, labels[None, fields.nodes[i] : fields.nodes[i + 1]])
        out.append(int(np.count_nonzero(scores > own + 1e-12)))
    return np.array(out)


def changes(field: Fields, y: Ints) -> Ints:
    """Every labelling that differs from y at one node at most: node by node, state by state."""
    m, K = field.unary.shape
    rows = np.repeat(y[None], m * K, axis=0)
    rows[np.arange(m * K), np.repeat(np.arange(m), K)] = np.tile(np.arange(K), m)
    return rows


def stuck(field: Fields, y: Ints) -> bool:
    """Whether no change of a single node raises the score."""
    return bool(np.all(definition(field, changes(field, y)) <= definition(field, y[None]) + 1e-9))


def own_labels(fields: Fields, labels: Ints) -> list[Ints]:
    """The labels of each field."""
    return np.split(labels, fields.nodes[1:-1])
