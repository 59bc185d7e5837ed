"""Parts of fields against enumeration, networkx and the definition of what an answer lacks."""

import networkx as nx
import numpy as np
import pytest

from explorer.engine.structures.fields.kernels.parts import (
    components,
    even_out,
    grow,
    is_whole,
    lacks,
    negligible,
    only_outside,
    settle_border,
)
from tests.engine.structures.fields.kernels.one_field import (
    bound,
    kernel_field,
    product_shares,
    random_grid,
    random_part,
    shares_of,
)
from tests.engine.structures.fields.oracles.sample_fields import grid_edges, scored


def test_what_is_lacking_sums_to_the_bound_less_the_score() -> None:
    rng = np.random.default_rng(0)
    for _ in range(5):
        part = random_part(rng, 3)
        m = rng.normal(size=(2 * len(part.ends), 3))
        for node, edge in (
            product_shares(rng, part),
            shares_of(part, np.zeros(len(part.unary), dtype=np.int64)),
        ):
            out = np.empty(len(node) + len(edge))
            lacks(kernel_field(part), m, node, edge, out)
            score = np.sum(part.unary * node) + np.sum(part.pair * edge)
            assert np.all(out >= 0.0)
            assert out.sum() == pytest.approx(bound(part, m) - score, abs=1e-9)


def test_spreading_evenly_does_not_raise_the_bound() -> None:
    rng = np.random.default_rng(1)
    for _ in range(5):
        part = random_part(rng, 3)
        m = rng.normal(size=(2 * len(part.ends), 3))
        before = bound(part, m)
        even_out(kernel_field(part), m)
        assert bound(part, m) <= before + 1e-9


def test_values_up_to_the_negligible_level_sum_to_at_most_the_allowance() -> None:
    rng = np.random.default_rng(2)
    for scale in (1e-9, 1.0, 1e3):
        values = scale * rng.exponential(size=50) ** 4
        level = negligible(values, 1.0)
        assert values[values <= level].sum() <= 1.0
        assert level > 0.0


def test_what_is_in_the_core_stays_there() -> None:
    rng, field = (
        np.random.default_rng(8),
        kernel_field(scored(np.random.default_rng(3), 400, grid_edges(20, 20), 2)),
    )
    for _ in range(20):
        core, lack = rng.random(400) < 0.2, np.where(rng.random(400 + len(field.ends)) < 0.01, 1.0, 0.0)
        before = core.copy()
        grow(field, lack, 0.5, 1, core)
        assert np.all(core[before])
        assert np.all(core[np.flatnonzero(lack[:400])])


def test_the_core_grows_by_rings_and_becomes_whole_when_it_is_half_or_stuck() -> None:
    field = kernel_field(scored(np.random.default_rng(3), 36, grid_edges(6, 6), 2))
    lack, core = np.zeros(36 + 60), np.zeros(36, dtype=bool)
    lack[0] = 1.0
    grow(field, lack, 0.5, 1, core)
    assert np.flatnonzero(core).tolist() == [0, 1, 6]
    lack[0], lack[36 + 1] = 0.0, 1.0  # the edge from node 1 to node 2
    grow(field, lack, 0.5, 1, core)
    assert np.flatnonzero(core).tolist() == [0, 1, 2, 3, 6, 7, 8]
    assert not is_whole(core)
    grow(field, np.zeros(96), 0.5, 1, core)
    assert is_whole(core)
    core[:] = False
    lack[:36] = 1.0
    lack[:15] = 0.0
    grow(field, lack, 0.5, 0, core)
    assert is_whole(core)


def test_only_what_is_outside_still_counts() -> None:
    field = kernel_field(scored(np.random.default_rng(4), 3, [(0, 1), (1, 2)], 2))
    lack = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
    assert only_outside(field, np.array([True, True, False]), lack) == 20.0
    assert lack.tolist() == [0.0, 0.0, 4.0, 0.0, 16.0]


def test_components_are_those_of_the_graph_within_the_core() -> None:
    rng = np.random.default_rng(5)
    for _ in range(5):
        part = random_part(rng, 2, 9)
        core, of = rng.random(len(part.unary)) < 0.6, np.empty(len(part.unary), dtype=np.int64)
        graph = nx.Graph()
        graph.add_nodes_from(np.flatnonzero(core).tolist())
        graph.add_edges_from((a, b) for a, b in part.ends.tolist() if core[a] and core[b])
        expected = sorted(sorted(group) for group in nx.connected_components(graph))
        assert components(kernel_field(part), core, of) == len(expected)
        assert [np.flatnonzero(of == k).tolist() for k in range(len(expected))] == expected
        assert np.all(of[~core] == -1)


def test_settling_a_border_does_not_raise_the_bound_and_leaves_nothing_at_it() -> None:
    rng = np.random.default_rng(6)
    part = random_grid(rng, 3, 3, 3)
    field, m = kernel_field(part), rng.normal(size=(24, 3))
    core, labels = np.arange(9) < 4, rng.integers(0, 3, 9)
    before = bound(part, m)
    settle_border(field, m, labels, core)
    assert bound(part, m) <= before + 1e-9
    left = part.pair - m[0::2, :, None] - m[1::2, None, :]
    for e, (a, b) in enumerate(part.ends):
        if core[a] != core[b]:
            assert left[e].max(axis=1 if core[a] else 0) == pytest.approx(np.zeros(3), abs=1e-9)
