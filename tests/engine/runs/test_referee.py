"""A step beside an independent solver: optima by enumeration, by hand, from print; and code that runs."""

import io
import math
import subprocess
import sys
from contextlib import redirect_stdout
from dataclasses import replace
from typing import Any

import cvxpy as cp
import numpy as np
import pytest

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.contracts import Dataset, Problem
from explorer.engine.learners import NSlack, OneSlack
from explorer.engine.refusals import Refused
from explorer.engine.runs.referee import program as limits
from explorer.engine.runs.referee.claim import Claim, claim_of
from explorer.engine.runs.referee.code import code
from explorer.engine.runs.referee.compare import CUTS, LABELLINGS, Comparison, Declined, Doing, compare
from explorer.engine.runs.referee.conditions import ProgramPoint, conditions, value
from explorer.engine.runs.referee.program import Program
from explorer.engine.runs.streams import Until, train
from explorer.engine.runs.trace import Trace
from explorer.engine.structures.classes.binary import Binary
from tests import referee

C = {"C": 10.0}
SHORT = {"passes": 6.0}
LISTED = {"task": "micro-trees", "learner": "n-slack", "oracle": "every tree"}


def claimed(at: int = -1, **choices: object) -> tuple[Problem, Claim, Trace]:
    recipe = Recipe(**choices)
    problem, trace = recipe.problem()[0], Trace()
    for event in train(problem, recipe.make_learner(), rule=recipe.make_rule()):
        trace.append(event)
    return problem, claim_of(trace, at + len(trace) if at < 0 else at), trace


def outcome(problem: Problem, claim: Claim) -> dict[str, Comparison | Declined]:
    return {said.over: said for said in compare(problem, claim) if not isinstance(said, Doing)}


def checked(at: int = -1, **choices: object) -> dict[str, Comparison | Declined]:
    return outcome(*claimed(at, **choices)[:2])


def printed(text: str) -> float:
    """What the code prints when it is run on its own."""
    out = io.StringIO()
    with redirect_stdout(out):
        exec(compile(text, "program", "exec"), {})
    return float(out.getvalue().split()[-1])


def test_the_circle_toy_has_its_published_optimum_over_its_cuts_and_over_all_labellings() -> None:
    found = checked(task="circle", settings=C)
    for over in (CUTS, LABELLINGS):
        assert found[over].agrees, over
        for side in (found[over].ours, found[over].theirs):
            assert (side.objective, side.dual) == pytest.approx((5.088641, 5.088641), abs=1e-6)
            assert max(side.violation, side.complementarity, side.stationarity) < 1e-6
        assert found[over].sentence == "Both find the optimum 5.0886413."


@pytest.mark.parametrize("penalty", ["linear", "squared"])
@pytest.mark.parametrize("scaling", ["margin", "slack"])
def test_every_price_of_slack_has_the_optimum_of_the_other_program(scaling: str, penalty: str) -> None:
    choices = {**LISTED, "scaling": scaling, "penalty": penalty}
    problem, claim, _ = claimed(**choices, settings=C, rule=SHORT)
    found, other = outcome(problem, claim), referee.optimum(problem, 10.0)
    whole = found[LABELLINGS]
    assert found[CUTS].agrees
    assert whole.agrees
    assert whole.theirs.dual <= other.upper * (1 + 1e-8)
    assert whole.theirs.objective == pytest.approx(other.value, rel=1e-7)
    assert whole.ours.objective == pytest.approx(
        referee.objective(referee.all_rows(problem), claim.w, 10.0, penalty), rel=1e-9
    )


def test_one_slack_and_n_slacks_are_one_program() -> None:
    joint = checked(task="micro-trees", learner="one-slack", settings=C, rule=SHORT)
    each = checked(task="micro-trees", learner="n-slack", settings=C, rule=SHORT)
    assert len(joint[CUTS].program.price) == 1
    assert len(each[CUTS].program.price) == 4
    assert joint[LABELLINGS].theirs.objective == pytest.approx(each[LABELLINGS].theirs.objective, rel=1e-9)
    assert joint[CUTS].agrees
    assert each[CUTS].agrees


def test_the_violation_of_a_one_slack_step_is_what_its_learner_measured() -> None:
    problem, claim, trace = claimed(3, task="circle", learner="one-slack", settings=C)
    detail = trace.at(3).detail
    assert outcome(problem, claim)[LABELLINGS].ours.violation == pytest.approx(
        detail["violation"] - detail["xi"], rel=1e-9
    )


def test_a_step_before_the_end_is_as_far_from_the_optimum_as_its_objective_says() -> None:
    found = checked(1, task="circle", settings=C)[LABELLINGS]
    assert found.agrees  # nothing it claims is wrong; it is only not there yet
    above = 100 * (found.ours.objective / 5.0886413 - 1)
    assert f"this step is {above:.3g}% above it" in found.sentence
    assert found.ours.dual < found.theirs.objective < found.ours.objective


def test_a_likelihood_has_the_optimum_of_newtons_method() -> None:
    problem, claim, _ = claimed(task="circle", learner="crf", settings=C)
    found, other = outcome(problem, claim), referee.likelihood_optimum(problem, 10.0)
    assert found[LABELLINGS].agrees
    assert found[LABELLINGS].theirs.objective == pytest.approx(other.value, rel=1e-9)
    value, gradient = referee.log_loss(referee.all_rows(problem), claim.w, 10.0)
    assert found[LABELLINGS].ours.objective == pytest.approx(value, rel=1e-12)
    assert found[LABELLINGS].ours.stationarity == pytest.approx(float(np.linalg.norm(gradient)), rel=1e-9)
    assert "keeps no cuts" in found[CUTS].reason


def test_conditions_are_those_of_a_calculation_by_hand() -> None:
    # min w^2 / 2 + 2 slack, slack >= 1 - w, slack >= 3 - 2 w: w = 3/2 without slack is 9/8; alpha = (0, 3/4).
    two = Program(
        np.array([[1.0], [2.0]]), np.array([1.0, 3.0]), np.zeros(2, dtype=np.int64), np.array([2.0])
    )
    best = conditions(two, ProgramPoint(np.array([1.5]), np.array([0.0, 0.75]), np.zeros(1)))
    assert tuple(best) == (1.125, 1.125, 0.0, 0.0, 0.0)
    # At w = 1 the second row asks for 1: J = 1/2 + 2. It is violated by 1, 3/4 of that is not complementary
    # (2 - 3/4 of free price times no slack is), and w is 1/2 short of alpha a.
    off = conditions(two, ProgramPoint(np.array([1.0]), np.array([0.0, 0.75]), np.zeros(1)))
    assert tuple(off) == (2.5, 1.125, 1.0, 0.75, 0.5)
    # Squared: S = 3/4 against a price of 2 times slack 1; the dual pays S^2 / 4.
    squared = conditions(
        replace(two, squared=True), ProgramPoint(np.array([1.0]), np.array([0.0, 0.75]), np.ones(1))
    )
    assert tuple(squared) == pytest.approx((1.5, 1.125 - 0.5625 / 4, 0.0, 0.0, 1.25))


@pytest.mark.parametrize("shift", [0.0, 5.0, 1e4])
@pytest.mark.parametrize("learner", [NSlack(C=10.0, eps=1e-7), OneSlack(C=10.0, eps=1e-7)])
def test_a_free_bias_is_free_for_the_other_solver_too(learner: Any, shift: float) -> None:
    rng = np.random.default_rng(0)
    side = rng.integers(0, 2, 20)
    x = rng.normal(size=(20, 2)) + side[:, None] + shift
    problem, trace = Binary(Dataset("two groups", x, side), "free"), Trace()
    for event in train(problem, learner, rule=Until(relative_gap=1e-7)):
        trace.append(event)
    w, bias, sign = cp.Variable(2), cp.Variable(), np.where(side == 1, 1.0, -1.0)
    hinge = cp.sum(cp.pos(1 - cp.multiply(sign, (x - shift) @ w + bias))) / 20
    textbook = cp.Problem(cp.Minimize(cp.sum_squares(w) / 2 + 10.0 * hinge)).solve(solver=cp.CLARABEL)
    found = outcome(problem, claim_of(trace, len(trace) - 1))
    for over in (CUTS, LABELLINGS):
        assert found[over].agrees, found[over]
        for bound in (*found[over].ours[:2], *found[over].theirs[:2]):
            assert bound == pytest.approx(textbook, rel=1e-6)
    assert printed(code(found[LABELLINGS].program, "A bias")) == pytest.approx(textbook, rel=1e-6)


def test_the_conditions_with_a_free_bias_are_those_of_a_calculation_by_hand() -> None:
    # Points 0 and 2 on a line, sides -1 and +1, a price of 1 each: w = 1, bias = -1 needs no slack, J = 1/2.
    # Rows (side, side x); alpha = (1/2, 1/2) balances the sides, and alpha . b - 1/2 = 1/2.
    two = Program(
        np.array([[-1.0, 0.0], [1.0, 2.0]]),
        np.ones(2),
        np.arange(2),
        np.ones(2),
        free_bias=True,
    )
    best = conditions(two, ProgramPoint(np.array([-1.0, 1.0]), np.array([0.5, 0.5]), np.zeros(2)))
    assert tuple(best) == (0.5, 0.5, 0.0, 0.0, 0.0)
    # Uneven multipliers are made even before they prove anything; as they are, 1/4 of the bias is left over.
    off = conditions(two, ProgramPoint(np.array([-1.0, 1.0]), np.array([0.75, 0.5]), np.zeros(2)))
    assert (off.dual, off.stationarity) == (0.5, 0.25)


def test_a_constraint_without_slack_is_measured_by_its_own_size() -> None:
    hard, none = np.array([math.inf]), np.zeros(1, dtype=np.int64)
    # w >= 1e-9: at w = 0 it is broken by all of its size, at 1 - 1e-8 of it by a share that is rounding.
    small = Program(np.array([[1.0]]), np.array([1e-9]), none, hard)
    assert value(small, np.zeros(1)) == math.inf
    assert value(small, np.array([1e-9 * (1 - 1e-8)])) == pytest.approx(0.5e-18, rel=1e-6)
    # A rule w >= 0 has no size of its own: |a| |w| stands for it.
    rule = Program(np.array([[1.0, 0.0]]), np.zeros(1), none, hard, examples=0)
    assert value(rule, np.array([-1e-9, 1.0])) == pytest.approx(0.5)
    assert value(rule, np.array([-1e-9, 1e-9])) == math.inf


def test_numbers_that_were_tampered_with_are_given_away() -> None:
    problem, claim, _ = claimed(task="circle", settings=C)
    shorter = outcome(problem, replace(claim, w=0.9 * claim.w))
    assert not shorter[CUTS].agrees  # a solved program has its optimum
    assert not shorter[LABELLINGS].agrees  # and the recorded objective is not that of these weights
    lighter = outcome(problem, replace(claim, alpha=0.5 * claim.alpha))
    assert not lighter[CUTS].agrees


def test_kernels_are_compared_by_inner_products_alone() -> None:
    problem, claim, trace = claimed(task="register-trees", data={"n": 4, "n_test": 1}, rule=SHORT)
    found = outcome(problem, claim)[CUTS]
    assert found.agrees
    assert found.theirs.dual == pytest.approx(float(trace.column("dual")[claim.at]), rel=1e-6)


@pytest.mark.parametrize(
    ("choices", "reason"),
    [
        ({"learner": "frank-wolfe", "rule": SHORT}, "keeps no cuts"),
        ({"learner": "subgradient", "rule": SHORT}, "keeps no cuts"),
        ({"learner": "bundle", "penalty": "squared"}, "name no labelling"),
    ],
)
def test_what_has_no_program_over_cuts_says_why(choices: dict[str, object], reason: str) -> None:
    found = checked(task="circle", **choices)
    assert reason in found[CUTS].reason
    assert found[LABELLINGS].agrees


def test_a_learner_without_an_objective_and_a_run_without_steps_are_refused() -> None:
    with pytest.raises(Refused, match="minimises no objective"):
        claimed(task="circle", learner="perceptron")
    with pytest.raises(Refused, match="no step to check"):
        claim_of(Trace(), 0)


def test_sizes_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "labellings; at most 20,000 are listed" in checked(task="blocks", rule=SHORT)[LABELLINGS].reason
    problem, claim, _ = claimed(task="circle", settings=C)
    monkeypatch.setattr(limits, "MOST_ROWS", 23)
    found = outcome(problem, claim)
    assert found[CUTS].reason == "there are 24 cuts; the independent solver takes at most 23"
    assert (
        found[LABELLINGS].reason
        == "there are 24 different labellings; the independent solver takes at most 23"
    )


def test_a_changed_loss_is_noticed() -> None:
    _, claim, _ = claimed(**LISTED, rule=SHORT)
    other = Recipe(**LISTED, penalty="squared").problem()[0]
    assert "has changed since this step" in outcome(other, claim)[CUTS].reason


@pytest.mark.parametrize(
    "choices",
    [
        {"settings": C},
        {"settings": C, "learner": "one-slack"},
        {"settings": C, "scaling": "slack", "penalty": "squared"},
        {"settings": C, "learner": "crf"},
    ],
    ids=["hinge", "one slack", "squared", "likelihood"],
)
def test_the_program_as_code_runs_by_itself_and_has_the_same_optimum(choices: dict[str, object]) -> None:
    for found in checked(task="circle", **choices).values():
        if isinstance(found, Comparison):
            assert printed(code(found.program, "A program")) == pytest.approx(
                found.theirs.objective, rel=1e-7
            )


def test_code_without_slack_runs_too() -> None:
    hard = Program(np.array([[2.0]]), np.array([3.0]), np.zeros(1, dtype=np.int64), np.array([math.inf]))
    assert printed(code(hard, "No slack")) == pytest.approx(1.125)  # w = 3/2


def test_code_needs_nothing_of_the_explorer() -> None:
    assert "explorer" not in code(checked(task="circle", settings=C)[CUTS].program, "A program")


def test_nobody_loads_cvxpy_before_a_check() -> None:
    modules = "explorer.session.jobs.check, explorer.engine.runs.referee.code"
    load = f"import sys, {modules}; print('cvxpy' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", load], capture_output=True, text=True, check=True)
    assert ran.stdout == "False\n"
