"""The proofs, one by one, on numbers worked out by hand."""

import math
from dataclasses import replace

import numpy as np
import pytest

from explorer.engine.contracts import Dataset, Measured
from explorer.engine.data.toys import circle
from explorer.engine.events import Bounds, Cut, Sweep
from explorer.engine.learners import OneSlack
from explorer.engine.refusals import NotExact
from explorer.engine.runs.oracle_watch import MEMORY, OracleWatch
from explorer.engine.structures.classes.multiclass import Multiclass
from explorer.engine.structures.classes.own import Plain
from explorer.engine.structures.fields.oracles import ICM

LINE = Plain(
    Dataset("line", [1.0, 2.0], [1, 1]),
    psi=lambda x, y: np.array([x * y]),
    delta=lambda y, z: float(y != z),
    argmax=lambda w, x: 1 if w[0] > 0 else -1,
    worst=lambda w, x, y: -1,
    dim=1,
    exact=True,
)


def watch(problem=LINE, C: float = 1.0) -> OracleWatch:
    return OracleWatch(problem, OneSlack(C=C), C)


def cut(loss: float, psi: float, i: int = 0, label: int = -1) -> Cut:
    return Cut(i, label, np.array([psi]), loss)


def test_an_answer_below_the_truth_is_a_proof() -> None:
    watch().see_answer(cut(1.0, 2.0), np.array([0.5]))
    with pytest.raises(NotExact, match=r"example 0 is violated by -1, the truth by 0"):
        watch().see_answer(cut(1.0, 2.0), np.array([1.0]))


def test_an_answer_below_an_earlier_one_is_a_proof_for_its_own_example_only() -> None:
    seeing = watch()
    seeing.see_answer(cut(3.0, 1.0, label=-1), np.array([0.0]))
    seeing.see_answer(cut(1.0, 1.0, i=1, label=0), np.array([0.0]))
    with pytest.raises(NotExact, match=r"example 0 is violated by 1, an earlier one by 3"):
        seeing.see_answer(cut(1.0, 1.0, label=0), np.array([0.0]))


def test_rounding_is_no_proof() -> None:
    seeing = watch()
    seeing.see_answer(cut(3.0, 1.0), np.array([0.0]))
    seeing.see_answer(cut(3.0 - 1e-7, 1.0, label=0), np.array([0.0]))
    seeing.see_bounds(Bounds(2.0 - 1e-7, 2.0, True))


def test_a_batch_is_compared_with_the_truth() -> None:
    answers = Sweep((0, 1), np.array([1.0, 1.0]), np.array([0.5, 1.5]), np.zeros(9))
    problem = Multiclass(circle(), 3)
    with pytest.raises(NotExact, match=r"example 4 is violated by -0\.5"):
        watch(problem).see_sweep(answers, np.zeros(9), 3, 5)
    watch(replace(problem, oracle_is_exact=False)).see_sweep(answers, np.zeros(9), 3, 5)


def test_the_lowest_primal_and_the_highest_dual_may_be_of_different_steps() -> None:
    seeing = watch()
    seeing.see_bounds(Bounds(3.0, 1.0, True))
    seeing.see_bounds(Bounds(math.nan, 2.0, True))
    with pytest.raises(NotExact, match=r"primal value 1\.9 lies below the dual value 2"):
        seeing.see_bounds(Bounds(1.9, 0.0, True))


def test_a_hard_margin_and_bounds_that_certify_nothing_are_not_compared() -> None:
    watch(C=math.inf).see_bounds(Bounds(1.0, 2.0, True))
    watch().see_bounds(Bounds(1.0, 2.0, False))
    watch(replace(LINE, exact=False)).see_bounds(Bounds(1.0, 2.0, True))


def test_a_prediction_that_needs_more_slack_than_the_oracle_found_is_a_proof() -> None:
    w, losses = np.array([-0.5]), np.array([1.0, 1.0])
    enough, short = np.array([2.0, 3.0]), np.array([2.0, 0.9])
    watch().see_predictions(w, [-1, -1], losses, Measured(0.0, 0.0, enough))
    with pytest.raises(NotExact, match=r"prediction for example 1 is violated by 3, .* by 0\.9"):
        watch().see_predictions(w, [-1, -1], losses, Measured(0.0, 0.0, short))


def test_a_prediction_that_loses_more_than_the_slack_but_scores_below_the_truth_proves_nothing() -> None:
    w, losses = np.array([0.25]), np.array([1.0, 1.0])
    watch().see_predictions(w, [-1, -1], losses, Measured(0.0, 0.0, np.array([0.5, 0.0])))


def test_predictions_of_an_approximate_predictor_are_no_witnesses() -> None:
    from tests.contracts.test_watched_oracles import RIGHT

    class Approximate:
        predictor = ICM()

        def __getattr__(self, name: str):
            return getattr(RIGHT, name)

    assert not watch(Approximate()).predicts_best
    assert watch(RIGHT).predicts_best


def test_what_is_remembered_is_bounded() -> None:
    seeing = watch()
    for label in range(10):
        seeing.see_answer(cut(1.0, 0.0, label=label), np.array([0.0]))
    assert [kept.label for kept in seeing.answers[0]] == [7, 8, 9]
    seeing.left = 0
    seeing.see_answer(cut(1.0, 0.0, label=11), np.array([0.0]))
    assert [kept.label for kept in seeing.answers[0]] == [7, 8, 9]


def test_no_more_answers_are_kept_than_there_is_memory_for(monkeypatch: pytest.MonkeyPatch) -> None:
    seeing, one = watch(), np.zeros(1).nbytes
    for label in range(10):
        seeing.see_answer(cut(1.0, 0.0, label=label), np.zeros(1))
    assert [kept.label for kept in seeing.answers[0]] == [7, 8, 9]
    assert seeing.left == MEMORY - 3 * one
    seeing.left = one
    for i in (1, 2, 3):
        seeing.see_answer(cut(1.0, 0.0, i=i), np.zeros(1))
    assert len(seeing.answers[1]) == 1
    assert not seeing.answers[2]
    assert not seeing.answers[3]


@pytest.mark.parametrize(("margin", "allowed"), [(0.0, 1e-6), (1.0, 1e-6), (1e6, 1.0)])
def test_a_batch_may_be_off_by_a_millionth_of_its_margins(margin: float, allowed: float) -> None:
    problem = Multiclass(circle(), 3)

    def see(short: float) -> None:
        answer = Sweep((0,), np.array([margin - short]), np.array([margin]), np.zeros(9))
        OracleWatch(problem, OneSlack(), 1.0).see_sweep(answer, np.zeros(9), 0, 1)

    see(0.9 * allowed)
    with pytest.raises(NotExact, match="the truth by 0"):
        see(1.5 * allowed)


@pytest.mark.parametrize(("size", "allowed"), [(0.5, 1e-6), (1e6, 1.0)])
def test_a_prediction_may_be_off_by_a_millionth_of_the_slack(size: float, allowed: float) -> None:
    priced = replace(LINE, delta=lambda y, z: size * float(y != z))

    def see(short: float, losing: float) -> None:
        slack = np.array([size - short, size])
        measured = Measured(0.0, 0.0, slack)
        watch(priced).see_predictions(np.zeros(1), [-1, -1], np.array([losing, 0.0]), measured)

    see(0.5 * allowed, size)
    see(1.5 * allowed, size - 1.5 * allowed)  # what it loses is covered by the slack
    see(0.5 * allowed, 2.0 * size)  # what it is said to lose is not what its violation is
    with pytest.raises(NotExact, match="the prediction for example 0"):
        see(1.5 * allowed, size)
