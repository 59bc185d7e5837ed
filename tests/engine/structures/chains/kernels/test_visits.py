"""Compiled visits against definitions: every labelling written down, every product taken with the feature
vectors.
"""

from itertools import product

import numpy as np
import pytest

from explorer.engine.dual.block_steps import PAIRWISE
from explorer.engine.dual.blocks import DualBlocks, blocks_of
from explorer.engine.dual.slots import own_slots
from explorer.engine.learners.sequential_dual import STEPS
from explorer.engine.losses import CostMatrix, Hamming
from explorer.engine.structures.chains.problem import Chain
from explorer.engine.structures.classes.multiclass import Multiclass
from explorer.engine.visits import Plan, cuts_in, owners
from tests.catalogue import THREE, chains, points, sparse_chains
from tests.referee import vector

PROBLEMS = {
    "chains": Chain(chains(6, seed=3), 3),
    "chains without ends": Chain(chains(6, seed=4), 3, Hamming(normalised=True), ends=False),
    "sparse chains": Chain(sparse_chains(6, seed=5), 3, CostMatrix(THREE)),
    "classes": Multiclass(points(9, seed=6), 3, CostMatrix(THREE)),
}


def cut_vector(problem, i: int, label):
    truth = problem.dataset.labels[i]
    return vector(problem.features(i, truth)) - vector(problem.features(i, label))


def worst(problem, w, i: int) -> float:
    labels = problem.labellings(i)
    return max(problem.loss(i, label) - float(w @ cut_vector(problem, i, label)) for label in labels)


def held(problem, blocks: DualBlocks):
    """Example, slot and labelling of every cut."""
    for i in range(problem.n):
        for q in range(blocks.cache.held[i]):
            yield i, q, problem.labelling(i, own_slots(blocks.cache, i).labels[q])


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("moves", [1, 5])
def test_after_visits_everything_kept_is_what_its_labellings_say(name: str, moves: int) -> None:
    problem = PROBLEMS[name]
    blocks, rng = blocks_of(problem, 8.0, STEPS, few=2), np.random.default_rng(0)
    for k in range(12):
        found = blocks.visit(rng.permutation(problem.n), Plan(k % 3 != 2, blocks.share, PAIRWISE, moves, 2))
        assert k % 3 != 2 or len(found) == 0
        for cut in found:
            assert vector(cut.psi) == pytest.approx(cut_vector(problem, cut.i, cut.label))
            assert cut.loss == pytest.approx(problem.loss(cut.i, cut.label))
        assert [c.label is not None for c in found.bare()] == [True] * len(found)
    w, cache = np.zeros(problem.dim), blocks.cache
    rows = list(held(problem, blocks))
    assert len(rows) > problem.n // 2
    for i, q, label in rows:
        psi, own = cut_vector(problem, i, label), own_slots(cache, i)
        w += own.alpha[q] * psi
        assert own.size[q] == pytest.approx(problem.loss(i, label))
        for j, r, other in rows:
            if i == j:
                assert own.gram[q, r] == pytest.approx(psi @ cut_vector(problem, i, other), abs=1e-12)
    assert blocks.w == pytest.approx(w, abs=1e-12)
    masses = np.bincount(owners(cache), cache.alpha[cuts_in(cache)])
    assert np.all(masses <= blocks.share * (1 + 1e-12))
    assert problem.rebuild(cache) == pytest.approx(w, abs=1e-12)


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_largest_violation_is_that_of_enumeration(name: str) -> None:
    problem = PROBLEMS[name]
    w = np.random.default_rng(1).normal(size=problem.dim)
    assert problem.worst(w) == pytest.approx([worst(problem, w, i) for i in range(problem.n)])


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_visit_finds_the_most_violated_labelling_and_its_gap(name: str) -> None:
    problem = PROBLEMS[name]
    for i, seed in product(range(problem.n), range(3)):
        blocks = blocks_of(problem, 8.0, STEPS)
        blocks.w[:] = np.random.default_rng(seed).normal(size=problem.dim)
        w, most = blocks.w.copy(), worst(problem, blocks.w, i)
        found = blocks.visit(np.array([i]), Plan(True, blocks.share, PAIRWISE, 1, 5))
        assert blocks.cache.gaps[i] == pytest.approx(blocks.share * most)
        assert len(found) == (most > 1e-9)
        for cut in found:
            assert cut.loss - float(w @ vector(cut.psi)) == pytest.approx(most)
