"""The regularisation path: between its points too, every answer is within eps of the referee's optimum."""

import math

import numpy as np
import pytest

from explorer.engine.learners import Bundle, NSlack, OneSlack, Perceptron, SequentialDual
from explorer.engine.objective import value
from explorer.engine.pricing import Pricing
from explorer.engine.refusals import Refused
from explorer.engine.runs.path import at, path, summary
from explorer.engine.runs.streams import Cancelled
from explorer.engine.structures.chains.problem import Chain
from explorer.engine.structures.classes.multiclass import Multiclass
from tests.catalogue import chains, points
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


def test_the_intervals_leave_no_hole() -> None:
    rows = sorted(
        path(PROBLEMS["classes"], SequentialDual(certify_every=1), 0.01, 100.0, 0.05), key=lambda p: p.low
    )
    reached = 0.01
    for point in rows:
        assert point.low <= reached * (1 + 1e-12)
        reached = max(reached, point.high)
    assert reached >= 100.0


@pytest.mark.spec("F51")
def test_the_norm_of_the_weights_grows_with_c_when_the_gap_is_small() -> None:
    columns = summary(list(path(PROBLEMS["chains"], NSlack(eps=0.0), 0.05, 20.0, 1e-4)))
    assert np.all(np.diff(columns["C"]) > 0.0)
    assert np.all(np.diff(columns["norm"]) >= -1e-3 * columns["norm"][:-1])
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
