"""The exact twin of a clustering problem: its oracle is told the loss and looks at everything."""

import numpy as np
import pytest

from explorer.engine.contracts import oracle_kind
from explorer.engine.structures.clusterings.oracles import GreedyMerges
from explorer.engine.structures.clusterings.problem import Clustering
from tests.audit.cases import clustering


def case_of(seed: int):
    return clustering(np.random.default_rng(seed), 1.0, 1.0, exact=False)


@pytest.mark.parametrize("told", [True, False])
@pytest.mark.parametrize("seed", range(5))
def test_its_answer_is_the_most_violated_of_all_partitions(seed: int, told: bool) -> None:
    case = case_of(seed)
    kept = case.problem
    problem = Clustering(kept.dataset, separator=GreedyMerges(), normalise=kept.normalise, loss_asked=told)
    twin = problem.exact_twin
    assert oracle_kind(problem) != "exact"
    assert oracle_kind(twin) == "exact"
    for w in np.random.default_rng(seed).normal(size=(5, problem.dim)) * 30.0:
        for i, listing in enumerate(case.table):
            own = next(f for y, f, _ in listing if np.array_equal(y, case.truth[i]))
            found = twin.oracle(w, i)
            most = max(loss - float((own - f) @ w) for _, f, loss in listing)
            assert found.loss - float(found.psi @ w) == pytest.approx(most, rel=1e-9, abs=1e-9)


def test_an_exact_problem_has_none() -> None:
    small = case_of(0).problem
    assert Clustering(small.dataset).exact_twin is None
