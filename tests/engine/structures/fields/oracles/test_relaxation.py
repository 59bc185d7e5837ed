"""The fast relaxation against the linear program, enumeration, and its own certificate recomputed."""

import numpy as np
import pytest

from explorer.engine.refusals import Refused
from explorer.engine.structures.fields.fields import Fields, Solved, unflatten
from explorer.engine.structures.fields.kernels.relaxed_fields import choose_parts, sweep_fields
from explorer.engine.structures.fields.oracles.linear_program import LinearProgram
from explorer.engine.structures.fields.oracles.relaxation import (
    Relaxation,
    cut_out,
    relax,
    stack_of,
    unknown,
)
from tests.engine.structures.fields.kernels.one_field import infeasible
from tests.engine.structures.fields.oracles.sample_fields import (
    Array,
    Part,
    complete,
    definition,
    graph_edges,
    grid_edges,
    labellings,
    mixed,
    optimum,
    own_labels,
    scored,
    stacked,
    tree_edges,
)


def values(fields: Fields, found: Solved) -> Array:
    """The score of every answer, relaxed ones checked to be points of the polytope."""
    out = fields.scores(found.labels)
    for i, shares in found.fractions.items():
        node, edge = unflatten(shares, len(fields.one(i).unary), fields.states)
        assert infeasible(fields.one(i).ends, node, edge) < 1e-9
        assert np.array_equal(own_labels(fields, found.labels)[i], node.argmax(axis=1))
        out[i] = fields.relaxed_score(i, shares)
    return out


def check_optimal(fields: Fields, tolerance: float = 1e-7) -> Solved:
    """Value and bound are the linear program's."""
    found, program = Relaxation().solve(fields), LinearProgram().solve(fields)
    room = tolerance * np.maximum(np.abs(program.bound), np.abs(fields.unary).max())
    assert np.all(np.abs(found.bound - program.bound) <= room)
    assert np.all(np.abs(values(fields, found) - program.bound) <= room)
    return found


@pytest.mark.parametrize("states", [2, 3, 4])
def test_value_and_bound_are_those_of_the_linear_program(states: int) -> None:
    rng = np.random.default_rng(states)
    parts = [scored(rng, 9, graph_edges(rng, 9, share), states) for share in [0.3] * 20 + [1.0] * 20]
    parts += [scored(rng, 12, grid_edges(3, 4), states) for _ in range(27)]
    for part in parts[::2]:
        part.unary[:] *= 0.2
    found = check_optimal(stacked(parts))
    assert len(found.fractions) > 10


@pytest.mark.parametrize("states", [1, 2, 3, 4])
@pytest.mark.parametrize("ties", [False, True])
def test_no_answer_is_below_the_best_labelling(states: int, ties: bool) -> None:
    fields = mixed(np.random.default_rng(10 + states), states, 60, 5, ties)
    found, best = Relaxation().solve(fields), optimum(fields)
    assert np.all(found.bound >= best - 1e-12)
    assert np.all(values(fields, found) >= best - 1e-7)
    check_optimal(fields)


def test_binary_optima_are_half_integral() -> None:
    fields = complete(60, 9)
    found = Relaxation().solve(fields)
    assert len(found.fractions) > 10
    for i, shares in found.fractions.items():
        assert np.all(np.isin(shares, (0.0, 0.5, 1.0))), i


def test_trees_are_whole_and_exact() -> None:
    rng = np.random.default_rng(3)
    fields = stacked([scored(rng, m, tree_edges(rng, m, 0.9), 3) for m in (1, 2, 4, 6, 7, 7, 7)])
    found = Relaxation().solve(fields)
    assert not found.fractions
    assert fields.scores(found.labels) == pytest.approx(optimum(fields), abs=1e-7)


@pytest.mark.parametrize("size", [1e-6, 1e5])
def test_the_size_of_scores_does_not_matter(size: float) -> None:
    parts = [Part(size * p.unary, p.ends, size * p.pair) for p in hard_grids(3)]
    found, plain = Relaxation().solve(stacked(parts)), Relaxation().solve(stacked(hard_grids(3)))
    assert found.bound == pytest.approx(size * plain.bound, rel=1e-7)
    assert np.all(values(stacked(parts), found) >= found.bound - 1e-7 * np.abs(found.bound))


def hard_grids(count: int, side: int = 5, states: int = 3) -> list[Part]:
    """Grids with scores of any sign and weak unary ones: mostly fractional."""
    rng = np.random.default_rng(5)
    parts = [scored(rng, side * side, grid_edges(side, side), states) for _ in range(count)]
    return [Part(0.2 * part.unary, part.ends, part.pair) for part in parts]


def patches(size: int, states: int) -> Fields:
    """Truth constant on 8 x 8 patches, unary = 1[s = truth] + N(0, 1), 0.6 for neighbours of equal state."""
    rng = np.random.default_rng(0)
    truth = np.kron(rng.integers(0, states, (size // 8, size // 8)), np.ones((8, 8), dtype=int)).ravel()
    unary = np.eye(states)[truth] + rng.normal(size=(size * size, states))
    ends = np.array(grid_edges(size, size))
    zeros = np.zeros(len(ends), dtype=np.int64)
    return Fields(
        unary, np.array([0, size * size]), ends, np.array([0, len(ends)]), zeros, 0.6 * np.eye(states)[None]
    )


@pytest.mark.parametrize("states", [2, 5])
def test_noisy_patches_have_the_value_of_the_linear_program(states: int) -> None:
    fields = patches(16, states)
    found = Relaxation().solve(fields)
    assert found.bound == pytest.approx(LinearProgram().solve(fields).bound, rel=1e-7)
    assert values(fields, found) == pytest.approx(found.bound, rel=1e-7)


def test_a_large_grid_is_proven_though_its_messages_alone_are_stuck() -> None:
    fields = patches(48, 5)
    found, stuck = Relaxation().solve(fields), Relaxation(steps=0).solve(fields)
    score = values(fields, found)
    assert score == pytest.approx(found.bound, rel=1e-7)
    assert stuck.bound[0] > found.bound[0] + 1e-3
    assert fields.scores(stuck.labels)[0] <= found.bound[0] + 1e-6


def test_a_few_sweeps_and_steps_are_answered_honestly() -> None:
    fields = stacked(hard_grids(6, 3))
    best = np.array([definition(field, labellings(9, 3)).max() for field in fields])
    for sweeps, steps in ((1, 0), (1, 1), (3, 2), (200, 0)):
        found = Relaxation(sweeps=sweeps, steps=steps).solve(fields)
        assert np.all(found.bound >= best - 1e-9)
        score = values(fields, found)
        assert np.all(score <= found.bound + 1e-9)
        if steps == 0:
            assert not found.fractions
            assert np.all(score <= best + 1e-9)


def test_a_looser_tolerance_is_kept_and_is_never_false() -> None:
    fields = stacked(hard_grids(4))
    tight = Relaxation().solve(fields)
    for tolerance in (1e-2, 1e-4):
        found = Relaxation(tolerance=tolerance).solve(fields)
        score = values(fields, found)
        assert np.all(found.bound >= tight.bound - 1e-6)
        assert np.all(found.bound - score <= tolerance * np.maximum(np.abs(found.bound), 10.0))


def test_a_stack_is_answered_as_its_fields_alone_on_any_number_of_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(8)
    fields = stacked(
        [*hard_grids(12), *(scored(rng, m, graph_edges(rng, m, 0.5), 3) for m in [1, 2, 4, 6, 8] * 12)]
    )
    found = Relaxation().solve(fields)
    monkeypatch.setenv("EXPLORER_THREADS", "1")
    alone = [Relaxation().solve(field) for field in fields]
    assert np.array_equal(found.labels, np.concatenate([one.labels for one in alone]))
    assert found.bound.tolist() == [one.bound[0] for one in alone]
    for i, one in enumerate(alone):
        assert (i in found.fractions) == (0 in one.fractions)
        assert np.array_equal(found.fractions.get(i, 0), one.fractions.get(0, 0))


def test_parts_and_what_is_lacking_outside_bound_the_whole() -> None:
    rng = np.random.default_rng(9)
    fields = stacked([scored(rng, 36, grid_edges(6, 6), 2) for _ in range(3)])
    stack, known = stack_of(fields), unknown(fields)
    sweep_fields(stack, known, 2, 1e-8, 0, 3)
    known.open[1], known.lack[:], known.goal[:] = False, 0.0, 1e-8
    known.core[:], known.open[[0, 2]] = False, True
    known.lack[[0, 35, 2 * 96 + 14]] = 1.0  # two corners of the first grid and a node of the last
    choose_parts(stack, known, 1, 0, 3)
    parts = cut_out(fields, known)
    assert known.parts.tolist() == [2, 0, 1]
    assert parts.of.tolist() == [0, 0, 2]
    assert np.split(parts.nodes, parts.fields.nodes[1:-1])[0].tolist() == [0, 1, 6]
    for i, (own, of) in enumerate(zip(parts.fields, parts.of, strict=True)):
        nodes = parts.nodes[parts.fields.nodes[i] : parts.fields.nodes[i + 1]] - fields.nodes[of]
        edges = parts.edges[parts.fields.edges[i] : parts.fields.edges[i + 1]] - fields.edges[of]
        whole = fields.one(int(of))
        assert np.array_equal(nodes[own.ends], whole.ends[edges])
        border = [
            (e, d) for e, ends in enumerate(whole.ends) for d in (0, 1) if ends[d] in nodes and e not in edges
        ]
        unary = whole.unary.copy()
        for e, d in border:
            unary[whole.ends[e, d]] += known.m[2 * (fields.edges[of] + e) + d]
        assert own.unary == pytest.approx(unary[nodes], abs=1e-12)


def test_the_gap_reported_is_that_of_bound_and_shares() -> None:
    fields = stacked(hard_grids(5))
    known = relax(fields, 200, 60, 1e-8)
    assert np.all(known.gap <= known.goal)
    found = Relaxation().solve(fields)
    assert known.bound - values(fields, found) == pytest.approx(known.gap, abs=1e-9)


def test_scores_that_are_not_finite_are_refused_by_table() -> None:
    fields = mixed(np.random.default_rng(10), 2, 10)
    fields.pair[3, 0, 1] = np.nan
    with pytest.raises(Refused, match="pairwise table 3 has a score that is not finite"):
        Relaxation().solve(fields)
    with pytest.raises(Refused, match="sweeps is 0"):
        Relaxation(sweeps=0)
