"""The small trellis of states seen before, against every labelling that can be made of them."""

from itertools import pairwise, product

import numpy as np
import pytest

from explorer.engine.dual.block_steps import PAIRWISE
from explorer.engine.dual.blocks import blocks_of
from explorer.engine.learners.sequential_dual import STEPS
from explorer.engine.losses import CostMatrix, Hamming
from explorer.engine.structures.chains.kernels.seen_states import best_listed, list_states, score_listed
from explorer.engine.structures.chains.problem import Chain
from explorer.engine.visits import Plan
from tests.catalogue import THREE, chains, sparse_chains
from tests.engine.structures.chains.kernels.test_visits import cut_vector, held

PROBLEMS = {
    "chains": Chain(chains(6, seed=3), 3),
    "chains without ends": Chain(chains(6, seed=4), 3, Hamming(normalised=True), ends=False),
    "sparse chains": Chain(sparse_chains(6, seed=5), 3, CostMatrix(THREE)),
}


@pytest.mark.parametrize("seed", range(20))
def test_the_best_listed_labelling_is_that_of_enumeration(seed: int) -> None:
    rng = np.random.default_rng(seed)
    length, K = int(rng.integers(1, 6)), 4
    truth, seen = rng.integers(0, K, length), rng.random((length, K)) < 0.4
    listed, count = np.empty((length, K), np.int64), np.empty(length, np.int64)
    list_states(truth, seen, listed, count)
    choices = [[y, *(s for s in range(K) if row[s] and s != y)] for y, row in zip(truth, seen, strict=True)]
    assert [row[:many].tolist() for row, many in zip(listed, count, strict=True)] == choices
    unary, cost, trans = rng.normal(size=(length, K)), rng.random((length, K)), rng.normal(size=(K, K))
    begin, end = rng.normal(size=(2, K))

    def score(y) -> float:
        nodes = sum(unary[t, s] + cost[t, s] for t, s in enumerate(y))
        return begin[y[0]] + end[y[-1]] + nodes + sum(trans[a, b] for a, b in pairwise(y))

    path = np.empty(length, np.int32)
    best_listed(unary, cost, trans, begin, end, listed, count, path)
    assert all(s in row for s, row in zip(path.tolist(), choices, strict=True))
    assert score(path) == pytest.approx(max(map(score, product(*choices))))


def test_listed_states_are_scored_and_a_lone_truth_is_not() -> None:
    rng = np.random.default_rng(0)
    X, W = rng.normal(size=(3, 5)) * (rng.random((3, 5)) < 0.6), rng.normal(size=(5, 4))
    rows = [np.flatnonzero(x).astype(np.int32) for x in X]
    start = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int32)
    column, value = np.concatenate(rows), np.concatenate([x[x != 0] for x in X])
    listed, count = np.array([[2, 0, 3, 0], [1, 0, 0, 0], [0, 1, 2, 3]]), np.array([3, 1, 4])
    unary = np.full((3, 4), np.nan)
    score_listed(start, column, value, W, listed, count, unary)
    want = X @ W
    assert unary[0, [0, 2, 3]] == pytest.approx(want[0, [0, 2, 3]])
    assert unary[1, 1] == 0.0
    assert unary[2] == pytest.approx(want[2])


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_visit_without_the_oracle_finds_the_best_recombination(name: str) -> None:
    problem = PROBLEMS[name]
    blocks, rng = blocks_of(problem, 8.0, STEPS), np.random.default_rng(0)
    for _ in range(2):
        blocks.visit(rng.permutation(problem.n), Plan(True, blocks.share, PAIRWISE, 2, 5))
    w = blocks.w.copy()
    blocks.visit(np.arange(problem.n), Plan(False, blocks.share, PAIRWISE, 0, 5, recombine=True))
    assert blocks.w.tolist() == w.tolist()
    recombined = 0
    for i in range(problem.n):
        truth, seen = problem.dataset.labels[i], blocks.cache.seen[problem.places[i] : problem.places[i + 1]]
        choices = [{int(y), *np.flatnonzero(row).tolist()} for y, row in zip(truth, seen, strict=True)]
        violations = [
            problem.loss(i, np.array(y)) - float(w @ cut_vector(problem, i, np.array(y)))
            for y in product(*choices)
        ]
        known = [
            problem.loss(i, y) - float(w @ cut_vector(problem, i, y))
            for j, _, y in held(problem, blocks)
            if j == i
        ]
        recombined += len(violations) > len(known) + 1
        if known:
            assert blocks.cache.worst[i] == pytest.approx(max(violations), abs=1e-12)
    assert recombined > 0


def test_a_sweep_at_one_w_proves_the_gap() -> None:
    problem = PROBLEMS["chains"]
    blocks, rng = blocks_of(problem, 8.0, STEPS), np.random.default_rng(0)
    plan = Plan(True, blocks.share, PAIRWISE, 3, 5)
    for _ in range(4):
        blocks.visit(rng.permutation(problem.n), plan)
    slack = blocks.slacks()
    found, swept = blocks.sweep(plan)
    upper = 0.5 * float(blocks.w @ blocks.w) + blocks.share * float(np.sum(slack))
    assert swept == pytest.approx(slack)
    assert blocks.dual + blocks.gap_estimate == pytest.approx(upper)
    assert all(cut.loss - float(blocks.w @ cut_vector(problem, cut.i, cut.label)) > 0 for cut in found)


def test_only_recombinations_with_mass_are_kept_and_numbered_without_holes() -> None:
    problem = PROBLEMS["chains"]
    blocks, rng = blocks_of(problem, 8.0, STEPS), np.random.default_rng(0)
    plan = Plan(True, blocks.share, PAIRWISE, 1, 50)
    for _ in range(3):
        blocks.visit(rng.permutation(problem.n), plan)
    before, dual = blocks.born, blocks.dual
    made = blocks.visit_seen(rng, plan, 30)
    planes = blocks.planes()
    new = planes["ids"] >= before
    assert planes["ids"][new].tolist() == list(range(before, before + len(made)))
    assert np.all(planes["alpha"][new] > 0)
    assert [cut.i for cut in made] == planes["example"][new].tolist()
    assert [cut.loss for cut in made.bare()] == pytest.approx(planes["b"][new])
    assert blocks.dual > dual
    assert problem.rebuild(blocks.cache) == pytest.approx(blocks.w, abs=1e-12)


def test_of_equal_labellings_the_one_whose_states_are_listed_first_is_taken() -> None:
    nothing = np.zeros((3, 4))
    listed, count = np.array([[2, 0, 3, 0], [1, 3, 0, 0], [3, 0, 1, 2]]), np.array([3, 2, 4])
    path = np.empty(3, np.int32)
    best_listed(nothing, nothing, np.zeros((4, 4)), np.zeros(4), np.zeros(4), listed, count, path)
    assert path.tolist() == [2, 1, 3]
