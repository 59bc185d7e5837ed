"""Many answers at once, hard and relaxed: they add up to the single cuts, with and without a floor."""

import numpy as np
import pytest

from explorer.engine.catalogue.oracle_names import oracle_named
from explorer.engine.contracts import Dataset, RawSweeps
from explorer.engine.data.trees import trees
from explorer.engine.losses import FScore, Hamming
from explorer.engine.objective import mean_plane, sweep, violation
from explorer.engine.structures.fields import answers
from explorer.engine.structures.fields.graph_map import GraphMap
from explorer.engine.structures.fields.label_map import LabelMap, all_pairs
from explorer.engine.structures.fields.problem import FieldLabelling
from explorer.engine.vectors import dense


def labelled(oracle: str, loss=None, n: int = 6, labels: int = 4) -> FieldLabelling:
    """Random rows and labels."""
    rng = np.random.default_rng(0)
    data = Dataset("small", rng.normal(size=(n, 3)), rng.integers(0, 2, (n, labels)))
    return FieldLabelling(
        data, LabelMap(labels, all_pairs(labels)), loss or Hamming(normalised=True, times=100.0),
        separator=oracle_named(oracle),
    )  # fmt: skip


@pytest.mark.parametrize("oracle", ["exhaustive", "roof duality", "greedy", "known approximation(rho=0.5)"])
def test_a_raw_sweep_is_the_sum_of_all_cuts_as_they_come(oracle: str) -> None:
    problem, worse = labelled(oracle), 0
    assert isinstance(problem, RawSweeps)
    for seed in range(5):
        w = np.random.default_rng(seed).normal(size=problem.dim, scale=30.0)
        cuts, part = [problem.oracle(w, i) for i in range(problem.n)], problem.raw_sweep(w, 0, problem.n)
        assert dense(part.psi) == pytest.approx(sum(dense(cut.psi) for cut in cuts), abs=1e-12)
        assert part.losses == pytest.approx([cut.loss for cut in cuts])
        assert part.margins == pytest.approx([float(w @ dense(cut.psi)) for cut in cuts], abs=1e-9)
        for label, cut in zip(part.labels, cuts, strict=True):
            assert np.array_equal(label, cut.label)
        below = np.array([violation(problem, w, cut) < 0.0 for cut in cuts])
        worse += int(below.sum())
        floored, kept = problem.sweep(w, 0, problem.n), [c for c, b in zip(cuts, below, strict=True) if not b]
        assert floored.losses == pytest.approx(np.where(below, 0.0, part.losses))
        assert dense(floored.psi) == pytest.approx(
            sum((dense(cut.psi) for cut in kept), np.zeros(problem.dim)), abs=1e-12
        )
        for i in np.flatnonzero(below):
            assert np.array_equal(floored.labels[i], problem.dataset.labels[i])
    assert (worse > 0) == (oracle == "known approximation(rho=0.5)")


@pytest.mark.parametrize("normalised", [False, True])
def test_graphs_of_different_size_are_summed_one_by_one(normalised: bool) -> None:
    train, _ = trees(5, 1, 6, 3, 1.0, seed=0)
    loss = Hamming(normalised=normalised)
    problem = FieldLabelling(train, GraphMap(3), loss, separator=oracle_named("tree max-product"))
    w = np.random.default_rng(1).normal(size=problem.dim)
    cuts = [problem.oracle(w, i) for i in range(problem.n)]
    plane = mean_plane(problem, sweep(problem, w, floor=False))
    assert dense(plane.a) == pytest.approx(np.mean([dense(cut.psi) for cut in cuts], axis=0))
    assert plane.b == pytest.approx(np.mean([cut.loss for cut in cuts]))


def test_a_loss_that_is_no_sum_is_taken_labelling_by_labelling() -> None:
    problem = labelled("exhaustive", FScore())
    w = np.random.default_rng(2).normal(size=problem.dim)
    cuts, part = [problem.oracle(w, i) for i in range(problem.n)], problem.raw_sweep(w, 0, problem.n)
    assert part.losses == pytest.approx([FScore().value(problem.dataset.labels[c.i], c.label) for c in cuts])


def test_stacking_labellings_and_taking_them_apart_changes_nothing() -> None:
    shares = np.array([0.5, 0.5, 0.0, 1.0, 0.0, 0.5, 0.0, 0.5])
    given = [np.array([1, 0]), shares, np.array([0, 1])]
    found = answers.stack_answers(given, np.array([2, 2, 2]), 2)
    assert found.labels.tolist() == [1, 0, 0, 1, 0, 1]
    for mine, theirs in zip(answers.apart(np.array([0, 2, 4, 6]), found), given, strict=True):
        assert np.array_equal(mine, theirs)
    truth = np.zeros(6, dtype=np.int64)
    floored = answers.with_truths(found, np.array([True, True, False]), np.array([0, 2, 4, 6]), truth)
    assert floored.labels.tolist() == [0, 0, 0, 0, 0, 1]
    assert floored.fractions == {}
