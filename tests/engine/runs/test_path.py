"""The regularisation path: between its points too, every answer is within eps of the referee's optimum."""

import math
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from explorer.engine.data.readers.treebank import micro_treebank
from explorer.engine.data.register import register_treebank
from explorer.engine.dual.working_set import solved_program
from explorer.engine.events import Bounds
from explorer.engine.learners import Bundle, NSlack, OneSlack, Perceptron, SequentialDual
from explorer.engine.objective import norm2, value
from explorer.engine.pricing import Pricing
from explorer.engine.refusals import Refused
from explorer.engine.runs.path import PathPoint, Trying, at, path, summary, walk
from explorer.engine.runs.streams import Cancelled
from explorer.engine.structures.chains.problem import Chain
from explorer.engine.structures.classes.multiclass import Multiclass
from explorer.engine.structures.clusterings.oracles import GreedyMerges
from explorer.engine.structures.clusterings.problem import Clustering
from explorer.engine.structures.trees.dual_problem import KernelTrees
from explorer.engine.structures.trees.edge_hashes import EdgeHash
from explorer.engine.structures.trees.input_kernels import BagOfWords
from tests.catalogue import chains, points, small_sets
from tests.engine.learners.toys import circle_toy
from tests.referee import optimum

PROBLEMS = {"classes": Multiclass(points(12, seed=4), 3), "chains": Chain(chains(5, seed=2), 3)}
LEARNERS = [SequentialDual(certify_every=1), OneSlack(eps=0.0), NSlack(eps=0.0), Bundle(eps=0.0)]


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_anywhere_on_the_path_the_answer_is_within_eps_of_the_optimum(name: str, learner) -> None:
    problem, eps = PROBLEMS[name], 0.02
    points_ = list(path(problem, learner, 0.05, 50.0, eps))
    assert points_[0].low <= 0.05
    assert max(point.high for point in points_) >= 50.0
    for C in np.exp(np.random.default_rng(0).uniform(math.log(0.05), math.log(50.0), 12)):
        point, best = at(points_, C), optimum(problem, C)
        here, proved = value(problem, point.w, C), point.bounds_at(C)
        assert proved.primal == pytest.approx(here, rel=1e-9)
        assert proved.dual <= best.upper * (1 + 1e-9)
        assert here - best.lower <= eps * here * (1 + 1e-9)
        assert proved.relative_gap <= eps * (1 + 1e-9)


def test_between_its_points_a_path_proves_no_more_than_at_them() -> None:
    exact = Clustering(small_sets(seed=1))
    for problem, proved in ((exact, True), (replace(exact, separator=GreedyMerges()), False)):
        for point in path(problem, NSlack(eps=0.0), 1.0, 30.0, 0.05):
            between = (point.C, 0.5 * (point.C + point.high), point.low)
            assert {point.bounds_at(C).certificate for C in between} == {proved}
            assert not point.without_certificate().bounds_at(point.high).certificate


def test_the_intervals_leave_no_hole() -> None:
    rows = sorted(
        path(PROBLEMS["classes"], SequentialDual(certify_every=1), 0.01, 100.0, 0.05), key=lambda p: p.low
    )
    reached = 0.01
    for point in rows:
        assert point.low <= reached * (1 + 1e-12)
        reached = max(reached, point.high)
    assert reached >= 100.0


MICRO = KernelTrees(micro_treebank(), (EdgeHash("tags", "direction"),))
PRINTED_NORMS = {
    "circle": (circle_toy(), {1.0: 0.179366, 10.0: 2.890762, 100.0: 37.778657}),
    "sentences": (MICRO, {0.1: 0.031681, 1.0: 0.40093, 10.0: 0.40093, 100.0: 0.40093}),
    "sentences by words": (replace(MICRO, kernel=BagOfWords(), basis=None), {0.1: 0.063384, 1.0: 0.172026}),
}
"""|w|^2 at the optimum for each C: printed, or 2 (J - C xi) of the printed J and xi."""


def ends(problem: Any, prices: Iterable[float], eps: float) -> list[tuple[float, Any]]:
    """|w|^2 at each price, and the step that has it."""
    out = []
    for C in prices:
        *_, last = OneSlack(C=C, eps=eps).steps(problem, np.random.default_rng(0))
        out.append((norm2(problem, last.w), last))
    return out


@pytest.mark.spec("F51")
@pytest.mark.parametrize("name", PRINTED_NORMS)
def test_the_squared_norm_has_the_printed_values_and_never_falls_as_c_grows(name: str) -> None:
    problem, printed = PRINTED_NORMS[name]
    found = ends(problem, printed, 1e-7)
    norms = [norm for norm, _ in found]
    assert norms == pytest.approx(list(printed.values()), rel=1e-4, abs=2e-5)
    assert all(b >= a * (1 - 1e-6) for a, b in pairwise(norms))
    for norm, last in found:
        program, alpha = solved_program(problem, last.state)
        assert alpha @ program.gram @ alpha == pytest.approx(norm, rel=1e-6)


@pytest.mark.spec("F51")
def test_on_the_register_corpus_it_rises_when_training_is_precise_and_falls_when_it_is_not() -> None:
    # The slack of an optimum never rises with C, so its norm never falls; a run is only within C eps of it.
    problem = KernelTrees(register_treebank(40)[0])
    loose = [norm for norm, _ in ends(problem, (1.0, 10.0, 100.0), 0.05)]
    assert loose[0] < loose[1]
    assert loose[2] < 0.8 * loose[1]
    precise = [norm for norm, _ in ends(problem, (0.1, 1.0, 10.0), 1e-5)]
    assert np.all(np.diff(precise) > 0.0)


@pytest.mark.spec("F51")
def test_the_norm_of_the_weights_grows_along_a_path_with_a_small_gap() -> None:
    found = sorted(path(PROBLEMS["chains"], NSlack(eps=0.0), 0.05, 20.0, 1e-4), key=lambda point: point.C)
    columns = summary(found)
    assert len(found) > 10
    # J is strongly convex, so |w - w*|^2 <= 2 gap: a norm may fall by what both ends are off, and no more.
    off = np.sqrt([2.0 * point.bounds.gap for point in found])
    assert np.all(np.diff(columns["norm"]) >= -(off[1:] + off[:-1]))
    assert columns["norm"][-1] > 5.0 * columns["norm"][0]
    assert np.all(columns["gap"] <= 0.5e-4)


def test_losses_on_training_and_test_data_come_along() -> None:
    problem = PROBLEMS["chains"]
    first = next(path(problem, SequentialDual(certify_every=1), 1.0, 1.0, test=chains(4, seed=9)))
    guesses = [problem.predict(first.w, x) for x in problem.dataset.inputs]
    wrong = [float(np.sum(guess != y)) for guess, y in zip(guesses, problem.dataset.labels, strict=True)]
    assert first.train_loss == pytest.approx(np.mean(wrong))
    assert first.test_loss >= 0.0
    assert first.oracle_calls > 0


@pytest.mark.parametrize(
    ("learner", "low", "high", "eps", "why"),
    [
        (SequentialDual(), 0.0, 1.0, 0.01, "0 < from"),
        (SequentialDual(), 2.0, 1.0, 0.01, "0 < from"),
        (SequentialDual(), 1.0, 2.0, 0.0, "eps"),
        (Perceptron(), 1.0, 2.0, 0.01, "no lower bound"),
        (OneSlack(eps=5.0), 1.0, 2.0, 0.01, "its own tolerance"),
    ],
)
def test_what_has_no_path_is_refused_in_a_sentence(
    learner, low: float, high: float, eps: float, why: str
) -> None:
    with pytest.raises(Refused, match=why):
        list(path(PROBLEMS["classes"], learner, low, high, eps))


def test_squared_slacks_and_points_outside_are_refused() -> None:
    squared = Multiclass(points(12, seed=4), 3, pricing=Pricing("margin", "squared"))
    with pytest.raises(Refused, match="linear penalty"):
        list(path(squared, NSlack(), 1.0, 2.0))
    found = list(path(PROBLEMS["classes"], SequentialDual(certify_every=1), 1.0, 2.0))
    with pytest.raises(Refused, match="outside the path"):
        at(found, 1e6)


def test_a_path_can_be_cancelled() -> None:
    with pytest.raises(Cancelled):
        list(path(PROBLEMS["classes"], SequentialDual(), 0.1, 10.0, cancelled=lambda: True))


def test_of_two_points_that_reach_a_price_the_one_that_proves_more_is_taken() -> None:
    def point(C: float, dual: float) -> PathPoint:
        return PathPoint(C, 0.5, 4.0, np.zeros(1), Bounds(1.0, dual, True), 0.0, 0.0, 1, 0.0)

    loose, close = point(1.0, 0.9), point(1.0, 0.99)
    assert at([loose, close], 1.0) is close
    assert at([close, loose], 1.0) is close


@pytest.mark.parametrize("eps", [0.1, 0.01])
def test_a_path_has_about_as_many_points_as_theory_says(eps: float) -> None:
    # Giesen, Jaggi and Laue 2012: of the order of log(C_max / C_min) / sqrt(eps).
    found = list(path(PROBLEMS["classes"], NSlack(eps=0.0), 0.05, 50.0, eps))
    assert len(found) <= math.log(1000.0) / math.sqrt(eps) + 1.0


def test_on_the_way_hardly_any_price_is_tried_that_makes_no_point() -> None:
    said = list(walk(PROBLEMS["classes"], NSlack(eps=0.0), 0.05, 50.0, 0.05))
    points_ = [one for one in said if isinstance(one, PathPoint)]
    assert len({one.C for one in said if isinstance(one, Trying)}) <= 1.5 * len(points_)
