"""Oracles that see too few or too many clusterings hold the exact optimum between them."""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from explorer.engine.contracts import Dataset
from explorer.engine.learners import NSlack, OneSlack
from explorer.engine.objective import value
from explorer.engine.structures.clusterings.item_sets import item_set
from explorer.engine.structures.clusterings.losses import Mitre
from explorer.engine.structures.clusterings.oracles import AllPartitions, GreedyMerges, TriangleRelaxation
from explorer.engine.structures.clusterings.partitions import all_partitions, together
from explorer.engine.structures.clusterings.problem import Clustering
from tests.referee import optimum

EPS = 0.1
CASES = [(seed, C) for seed in (0, 1, 2) for C in (100.0, 3000.0)]


@cache
def problem(seed: int, n: int = 4, m: int = 6) -> Clustering:
    """The truth of a set is the best partition under a hidden similarity with much noise."""
    rng = np.random.default_rng(seed)
    inputs, labels = [], []
    for _ in range(n):
        psi = rng.normal(size=(m * (m - 1) // 2, 4))
        K = psi @ [1.0, -1.0, 0.5, -0.3] + 0.8 * rng.normal(size=len(psi))
        inputs.append(item_set(m, pairs=psi))
        labels.append(max(all_partitions(m), key=lambda y, K=K: float(together(y) @ K)))
    return Clustering(Dataset("hidden", tuple(inputs), tuple(labels)))


@cache
def trained(seed: int, C: float, oracle: Any, kind: type = OneSlack) -> tuple[float, Any]:
    """What a run with this oracle believes its objective to be, and its w."""
    *_, last = kind(C=C, eps=EPS).steps(replace(problem(seed), separator=oracle), np.random.default_rng(0))
    return last.bounds.primal, last.w


@pytest.mark.spec("C19")
@pytest.mark.parametrize(("seed", "C"), CASES)
def test_greedy_believes_in_no_more_and_the_relaxation_in_no_less_than_the_exact_optimum(
    seed: int, C: float
) -> None:
    under, exact, over = (
        trained(seed, C, o)[0] for o in (GreedyMerges(), AllPartitions(), TriangleRelaxation())
    )
    assert under <= exact + C * EPS
    assert over >= exact - C * EPS
    best = optimum(problem(seed), C)
    assert exact == pytest.approx(best.value, abs=C * EPS)
    assert under <= best.upper + C * EPS
    assert over >= best.lower - C * EPS


@pytest.mark.spec("C19")
def test_the_n_slack_program_is_held_between_them_too() -> None:
    under, exact, over = (
        trained(1, 3000.0, o, NSlack)[0] for o in (GreedyMerges(), AllPartitions(), TriangleRelaxation())
    )
    assert under - 3000.0 * EPS <= exact <= over + 3000.0 * EPS


@pytest.mark.spec("C19")
def test_no_clustering_is_violated_beyond_the_slack_of_the_relaxed_run() -> None:
    for seed, C in CASES:
        believed, w = trained(seed, C, TriangleRelaxation())
        assert value(problem(seed), w, C) <= believed + 1e-6 * believed


@pytest.mark.spec("C19")
def test_greedy_training_works_for_a_loss_that_does_not_fold_and_stays_below() -> None:
    mitre = replace(problem(0), delta=Mitre())
    found = []
    for oracle in (GreedyMerges(), AllPartitions()):
        *_, last = OneSlack(C=300.0, eps=EPS).steps(
            replace(mitre, separator=oracle), np.random.default_rng(0)
        )
        found.append(last.bounds.primal)
    assert found[0] <= found[1] + 300.0 * EPS
