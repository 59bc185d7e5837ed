"""What an oracle that is not told the loss proves: nothing from above, and from below what its cuts do."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from explorer.engine.contracts import Dataset, oracle_kind
from explorer.engine.events import DOUBTS
from explorer.engine.learners import LEARNERS, NSlack, OneSlack, SequentialDual
from explorer.engine.objective import HINGE, value
from explorer.engine.runs.streams import Until, train
from explorer.engine.runs.trace import Trace
from explorer.engine.structures.clusterings.item_sets import item_set
from explorer.engine.structures.clusterings.oracles import GreedyMerges, TriangleRelaxation
from explorer.engine.structures.clusterings.problem import Clustering
from tests import referee
from tests.catalogue import small_sets

C = 30.0
SEEDS = (1, 3)
"""Small sets on which the relaxation is not tight: its optimum lies above that of all partitions."""


def exact(seed: int) -> Clustering:
    return Clustering(small_sets(seed=seed))


def relaxed(seed: int) -> Clustering:
    return replace(exact(seed), separator=TriangleRelaxation())


def untold(problem: Clustering) -> Clustering:
    return replace(problem, loss_asked=False)


def dual(problem: Clustering, learner: Any) -> float:
    events = train(problem, learner, rule=Until(passes=20.0), look_every=np.inf)
    return max(step.bounds.dual for step in events if hasattr(step, "w"))


@pytest.mark.parametrize(
    ("problem", "kind"),
    [
        (exact(1), "exact"),
        (untold(exact(1)), "under, untold"),
        (relaxed(1), "over"),
        (untold(relaxed(1)), "over, untold"),
        (untold(replace(exact(1), separator=GreedyMerges())), "under, untold"),
    ],
)
def test_the_kind_of_an_oracle_depends_on_what_it_searches_and_on_what_it_is_told(
    problem: Any, kind: str
) -> None:
    assert oracle_kind(problem) == kind
    assert problem.oracle_is_exact == (kind == "exact")


@pytest.mark.parametrize("seed", SEEDS)
def test_without_the_loss_the_value_found_is_never_above_that_of_all_partitions(seed: int) -> None:
    rows = referee.all_rows(exact(seed))
    found = [
        (value(untold(exact(seed)), w, C), referee.objective(rows, w, C, "linear"))
        for w in np.random.default_rng(seed).normal(size=(20, exact(seed).dim))
    ]
    assert all(less <= true * (1 + 1e-9) for less, true in found)
    assert any(less < 0.99 * true for less, true in found), "so the primal is no upper bound"


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("learner", [OneSlack(C=C), NSlack(C=C), SequentialDual(C=C)])
def test_without_the_loss_the_dual_is_a_lower_bound_all_the_same(seed: int, learner: Any) -> None:
    assert 0.0 < dual(untold(exact(seed)), learner) <= referee.optimum(exact(seed), C).upper * (1 + 1e-9)


@pytest.mark.parametrize(
    ("t", "relaxed_slack", "exact_slack"), [(1.0, 76.5, 100.0), (100.0, 225.0, 100.0 * 5 / 6 + 100.0)]
)
def test_a_relaxed_oracle_without_the_loss_finds_less_or_more_than_all_partitions(
    t: float, relaxed_slack: float, exact_slack: float
) -> None:
    """Four items that belong together, w = t for pairs with the first, -t for the others: all by hand.

    The truth scores 0. Half of every pair with the first scores most, 1.5 t, and loses 75 of 100. Of all
    partitions, four single items lose 100 and score 0, the first with one other loses 5/6 of it and scores t.
    """
    pairs = item_set(4, pairs=np.eye(6))
    together = Clustering(Dataset("hub", (pairs,), (np.zeros(4, int),)), normalise=False)
    problem, w = untold(replace(together, separator=TriangleRelaxation())), t * np.repeat([1.0, -1.0], 3)
    half = 0.5 * float(w @ w)
    assert value(problem, w, 1.0) - half == pytest.approx(relaxed_slack)
    assert referee.objective(referee.all_rows(together), w, 1.0, "linear") - half == pytest.approx(
        exact_slack
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_a_relaxed_oracle_without_the_loss_bounds_the_relaxed_problem_from_below_only(seed: int) -> None:
    told, problem = relaxed(seed), untold(relaxed(seed))
    optimum = dual(told, OneSlack(C=C, eps=1e-6))
    assert optimum > 1.01 * referee.optimum(exact(seed), C).upper, "the relaxation is not tight"
    assert dual(problem, OneSlack(C=C, eps=1e-6)) <= optimum * (1 + 1e-6)
    *_, last = OneSlack(C=C, eps=1e-6).steps(problem, np.random.default_rng(0))
    assert last.bounds.primal < 0.99 * optimum <= value(told, last.w, C), (
        "the primal is above neither optimum"
    )


def test_every_kind_has_words_of_its_own_and_a_run_says_them() -> None:
    assert len(set(DOUBTS.values())) == len(DOUBTS)
    trace = Trace()
    for event in train(untold(relaxed(1)), OneSlack(C=C), rule=Until(steps=2)):
        trace.append(event)
    assert trace.starts[0][1].relaxed, "its cuts are of no use to another oracle"
    assert trace.doubt(1) == DOUBTS["over, untold"]
    assert "these bound the relaxed problem" not in trace.doubt(1)


def test_no_learner_certifies_without_the_loss() -> None:
    problem = untold(exact(1))
    kinds = [kind for kind in LEARNERS if kind.certifies and kind().refuses(problem) is None]
    assert len(kinds) >= 4
    for kind in kinds:
        for event in train(problem, kind(), rule=Until(steps=2)):
            if kind.objective is HINGE and hasattr(event, "bounds"):
                assert not event.bounds.certificate
