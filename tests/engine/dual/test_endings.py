"""What a run says at its end is true of its last step, at any size of losses, features and C."""

import math

import numpy as np
import pytest

from explorer.engine.contracts import Dataset
from explorer.engine.dual import qp
from explorer.engine.dual.endings import ending
from explorer.engine.events import Bounds, Evaluated, Step, Stopped
from explorer.engine.learners import Bundle, NSlack, OneSlack
from explorer.engine.losses import CostMatrix
from explorer.engine.objective import tolerance
from explorer.engine.runs.streams import Until, confirm, train
from explorer.engine.structures.classes.multiclass import Multiclass
from tests.audit.cases import Case
from tests.audit.exact import optimum

LEARNERS = [NSlack, OneSlack, Bundle]


def classes(size: float, loss: float) -> Multiclass:
    rng = np.random.default_rng(5)
    x, y = size * rng.normal(size=(6, 2)), rng.integers(0, 3, 6)
    return Multiclass(Dataset("points", x, y), 3, CostMatrix(tuple(map(tuple, loss * (1.0 - np.eye(3))))))


def exact(problem: Multiclass, C: float) -> float:
    x, y, M = problem.dataset.inputs, problem.dataset.labels, problem.delta.matrix
    table = [
        [(k, np.outer(row, np.eye(3)[k]).ravel(), M[t][k]) for k in range(3)]
        for row, t in zip(x, y, strict=True)
    ]
    a, b, example, _ = Case("multiclass", problem, table, list(y)).rows()
    return float(optimum(a, b, example, None if math.isinf(C) else C / problem.n))


def run(problem: Multiclass, learner, goal: float = 0.0) -> tuple[Step, Stopped]:
    events = list(train(problem, learner, rule=Until(relative_gap=goal, steps=200)))
    return [event for event in events if isinstance(event, Step)][-1], events[-1]


@pytest.mark.parametrize("kind", LEARNERS)
@pytest.mark.parametrize("loss", [1e-8, 1e-3, 1.0])
def test_a_loss_in_other_units_gives_the_same_answer_in_those_units(kind, loss: float) -> None:
    problem, one = classes(1.0, loss), classes(1.0, 1.0)
    found, end = run(problem, kind(C=3.0 * loss))
    same, _ = run(one, kind(C=3.0))
    assert end.reason in ("no new cut", "eps-violation")
    assert found.bounds.primal == pytest.approx(exact(problem, 3.0 * loss), rel=0.02)
    assert found.k == same.k
    assert found.w == pytest.approx(loss * same.w, rel=1e-6)


@pytest.mark.parametrize("kind", [NSlack, OneSlack])
def test_a_hard_margin_of_tiny_losses_is_not_met_by_no_weights_at_all(kind) -> None:
    x = np.array([[2.0, 0.1], [1.5, -0.3], [-1.0, 0.2], [-2.0, 0.5]])
    M = tuple(map(tuple, 1e-7 * (1.0 - np.eye(2))))
    problem = Multiclass(Dataset("two sides", x, np.array([0, 0, 1, 1])), 2, CostMatrix(M))
    found, _ = run(problem, kind(C=math.inf))
    rows = np.array(
        [
            np.outer(p, [1.0, -1.0] if t == 0 else [-1.0, 1.0]).ravel()
            for p, t in zip(x, [0, 0, 1, 1], strict=True)
        ]
    )
    best = float(optimum(rows, np.full(4, 1e-7), np.arange(4), None))
    assert best > 0.0
    assert found.bounds.primal == pytest.approx(best, rel=1e-5)
    assert found.bounds.dual == pytest.approx(best, rel=1e-5)


@pytest.mark.parametrize("kind", LEARNERS)
@pytest.mark.parametrize(("size", "C"), [(1e6, 1e6), (1e8, 1e8), (1e-8, 1e-8), (1e8, 1e-8)])
def test_features_and_c_of_any_size_converge_or_are_said_not_to(kind, size: float, C: float) -> None:
    problem = classes(size, 1.0)
    found, end = run(problem, kind(C=C), goal=1e-3)
    best = exact(problem, C)
    assert found.bounds.dual <= best * (1.0 + 1e-6)
    assert found.bounds.primal >= best * (1.0 - 1e-6)
    if end.reason == "rounding":
        assert "not converged" in end.sentence
    else:
        assert end.reason in ("relative gap", "no new cut", "eps-violation")
        assert found.bounds.primal <= best + 1e-3 * found.bounds.primal + C * 1e-3


def test_a_price_of_a_million_on_features_of_a_million_is_solved() -> None:
    problem = classes(1e6, 1.0)
    for kind in LEARNERS:
        found, end = run(problem, kind(C=1e6), goal=1e-3)
        assert end.reason == "relative gap", end
        assert found.bounds.primal == pytest.approx(exact(problem, 1e6), rel=1e-3)


def test_an_end_whose_gap_is_larger_than_promised_is_told_as_rounding() -> None:
    kept, broken = Bounds(10.0, 9.5), Bounds(10.0, 9.0)
    assert ending("eps-violation", "said", 3, kept, 0.5) == Stopped("eps-violation", "said", 3)
    told = ending("eps-violation", "said", 3, broken, 0.5)
    assert (told.reason, told.k) == ("rounding", 3)
    assert "between 9 and 10" in told.sentence
    assert ending("eps-violation", "said", 3, Bounds(math.inf, 9.0), math.inf).reason == "rounding"


def test_a_primal_below_the_dual_meets_no_rule() -> None:
    rule = Until(relative_gap=1e-3, gap=1.0)
    assert rule.reason_to_stop(0, Bounds(0.552, 1.0, True), 0.0, 0.0, 1) is None
    assert rule.reason_to_stop(0, Bounds(1.0, 1.0 - 1e-4, True), 0.0, 0.0, 1) is not None


def test_a_gap_that_a_second_look_finds_larger_is_told_as_rounding() -> None:
    told, rule = Stopped("relative gap", "the relative gap 0 is at most 1e-06", 7), Until(relative_gap=1e-6)
    for primal, reason in ((1.0 + 1e-7, "relative gap"), (1.0 + 1e-4, "rounding")):
        found = confirm(told, Evaluated(7, Bounds(primal, 1.0, True), 0.0, 0.0), rule)
        assert found.reason == reason
        assert ("not confirmed" in found.sentence) == (reason == "rounding")


def test_eps_is_in_units_of_the_loss_and_a_share_of_losses_below_one() -> None:
    assert tolerance(1e-3, 100.0, 1.0) == 1e-3
    assert tolerance(1e-3, 1e-6, 1.0) == pytest.approx(1e-9)
    assert tolerance(1e-3, 1.0, math.inf) == 1e-7


def test_the_solver_ends_on_right_hand_sides_that_are_rounding() -> None:
    # From a start with a negative dual it once compared with that start for ever.
    working = qp.Working(
        np.array([[1040.2148649356416]]),
        np.array([1.1102230246251565e-16]),
        np.zeros(1, np.int64),
        np.full(40, 0.025),
    )
    turns = []
    found = qp.solve(working, np.array([8.965333722113646e-18]), 1e-8, lambda: turns.append(1))
    assert len(turns) < 100
    assert found.dual >= 0.0


def test_equal_bounds_are_kept_also_where_both_are_zero_and_measured_by_their_own_size() -> None:
    def reason(primal: float, dual: float, promised: float) -> str:
        return ending("own", "said", 0, Bounds(primal, dual), promised).reason

    assert reason(0.0, 0.0, 0.0) == "own"
    for size in (1e-3, 1.0, 1e3):
        assert reason(size, size * (1.0 - 5e-7), 0.0) == "own"
        assert reason(size, size * (1.0 - 5e-6), 0.0) == "rounding"
    # Without a finite price nothing is promised.
    assert reason(1e-3, 0.0, math.inf) == "rounding"
