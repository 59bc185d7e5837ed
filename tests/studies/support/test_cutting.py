"""Cutting planes to the letter: the mean plane, the optimum, and going on with planes that are there."""

import numpy as np
import pytest

from explorer.engine.catalogue.oracle_names import oracle_named
from explorer.engine.contracts import Dataset
from explorer.engine.dual.working_set import WorkingSet
from explorer.engine.learners import OneSlack
from explorer.engine.losses import FScore, Hamming
from explorer.engine.objective import dot, mean_plane, sweep
from explorer.engine.refusals import Refused
from explorer.engine.structures.fields.graph_map import GraphMap
from explorer.engine.structures.fields.label_map import LabelMap, all_pairs
from explorer.engine.structures.fields.problem import FieldLabelling
from explorer.engine.vectors import dense
from explorer.studies.support import cutting
from explorer.studies.support.cutting import Answers, rounds
from explorer.studies.support.fitting import fitted
from explorer.studies.support.sets import problem_of
from tests import referee


def small(oracle: str, seed: int = 0, labels: int = 4) -> FieldLabelling:
    """Random rows and labels."""
    rng = np.random.default_rng(seed)
    data = Dataset("small", rng.normal(size=(6, 3)), rng.integers(0, 2, (6, labels)))
    return problem_of(data, oracle, "exhaustive")


@pytest.mark.parametrize("oracle", ["exhaustive", "roof duality", "greedy"])
@pytest.mark.parametrize("at_once", [2, 2000])
def test_the_plane_is_the_mean_of_all_cuts(
    oracle: str, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cutting, "AT_ONCE", at_once)
    problem = small(oracle)
    for seed in range(5):
        w = np.random.default_rng(seed).normal(size=problem.dim, scale=30.0)
        plane = Answers(problem).plane(w)
        cuts = [problem.oracle(w, i) for i in range(problem.n)]
        assert dense(plane.a) == pytest.approx(np.mean([dense(cut.psi) for cut in cuts], axis=0))
        assert plane.b == pytest.approx(np.mean([cut.loss for cut in cuts]))


def test_the_plane_of_graphs_of_different_size_is_the_mean_of_their_cuts() -> None:
    from explorer.engine.data.trees import trees

    train, _ = trees(5, 1, 6, 3, 1.0, seed=0)
    for normalised in (False, True):
        problem = FieldLabelling(
            train, GraphMap(3), Hamming(normalised=normalised), separator=oracle_named("tree max-product")
        )
        w = np.random.default_rng(1).normal(size=problem.dim)
        plane, part = Answers(problem).plane(w), mean_plane(problem, sweep(problem, w))
        assert dense(plane.a) == pytest.approx(dense(part.a))
        assert plane.b == pytest.approx(part.b)


@pytest.mark.parametrize("oracle", ["exhaustive", "roof duality"])
def test_with_an_oracle_that_knows_the_truth_the_learner_ends_at_the_same_optimum(oracle: str) -> None:
    problem, C, eps = small(oracle), 20.0, 1e-4
    *_, last = rounds(problem, C, eps)
    for step in OneSlack(C=C, eps=eps).steps(problem, np.random.default_rng(0)):
        theirs = step
    assert last.low == pytest.approx(theirs.bounds.dual, rel=1e-4)
    assert last.violation <= last.xi + eps + 1e-9
    if oracle == "exhaustive":
        assert last.low == pytest.approx(referee.optimum(problem, C).value, rel=1e-4)


def test_an_answer_worse_than_the_truth_is_taken_as_it_comes() -> None:
    problem = small("known approximation(rho=0.5)")
    w = np.random.default_rng(0).normal(size=problem.dim, scale=30.0)
    plane = Answers(problem).plane(w)
    clipped = mean_plane(problem, sweep(problem, w))
    assert plane.b - dot(w, plane.a) < clipped.b - dot(w, clipped.a) - 1e-6


def test_planes_are_kept_for_the_next_price() -> None:
    problem, planes = small("exhaustive"), WorkingSet(small("exhaustive").dim)
    *_, first = rounds(problem, 1.0, 1e-3, planes=planes)
    *_, again = rounds(problem, 10.0, 1e-3, planes=planes)
    *_, alone = rounds(problem, 10.0, 1e-3)
    assert again.low == pytest.approx(alone.low, rel=1e-3)
    assert again.k < alone.k
    assert first.low < again.low


def test_rounds_end_when_there_have_been_enough() -> None:
    found = list(rounds(small("exhaustive"), 100.0, 1e-6, most=3))
    assert [r.k for r in found] == [0, 1, 2]
    assert [r.last for r in found] == [False, False, True]
    assert found[0].violation == pytest.approx(100.0), "at w = 0 the worst labelling has every label wrong"


def test_a_loss_that_is_no_sum_and_fields_that_an_oracle_refuses_are_refused() -> None:
    data = Dataset("d", np.ones((2, 1)), np.array([[0, 1, 0], [1, 1, 0]]))
    odd = FieldLabelling(data, LabelMap(3, all_pairs(3)), FScore())
    with pytest.raises(Refused, match="choose Hamming"):
        list(rounds(odd, 1.0, 0.1))
    with pytest.raises(Refused, match="cycle"):
        list(rounds(small("tree max-product"), 1.0, 0.1))


@pytest.mark.parametrize("learner", ["one-slack", "sequential-dual", "faster"])
def test_both_learners_end_at_the_optimum(learner: str) -> None:
    problem, C, eps = small("exhaustive"), 20.0, 1e-3
    found = fitted(problem, C, eps, learner)
    best = referee.optimum(problem, C)
    assert best.lower - C * eps - 1e-6 <= found.low <= best.upper + 1e-6
    assert found.learner == ("sequential-dual" if learner == "sequential-dual" else "one-slack")
    assert found.passes >= 1.0
    assert fitted(small("combine"), C, eps).learner == "sequential-dual"
