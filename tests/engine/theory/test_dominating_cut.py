"""The dominating cut: closed form against the engine's program and an independent solver."""

from typing import Any

import cvxpy as cp
import numpy as np
import pytest

from explorer.engine.contracts import Dataset
from explorer.engine.dual.working_set import WorkingSet
from explorer.engine.learners import NSlack, OneSlack
from explorer.engine.objective import cut_of, plane_of
from explorer.engine.pricing import Pricing
from explorer.engine.refusals import Refused
from explorer.engine.structures.classes.own import Listed
from explorer.engine.structures.clusterings.item_sets import item_set
from explorer.engine.structures.clusterings.losses import Mitre
from explorer.engine.structures.clusterings.problem import Clustering
from explorer.engine.theory.dominating_cut import Dominating

PSI = np.array([1.2, -1.6])  # |psi|^2 = 4
TRUTH = np.array([0, 0, *range(1, 9)])
APART = np.arange(10)


def clustering(scaling: Any) -> Clustering:
    """Ten items, two of them together, MITRE loss; only their pair has features."""
    pairs = np.zeros((45, 2))
    pairs[0] = PSI
    return Clustering(
        Dataset("ten", (item_set(10, pairs=pairs),), (TRUTH,)), delta=Mitre(), pricing=Pricing(scaling)
    )


def only(scaling: Any) -> Listed:
    """The same with two possible answers."""
    problem = clustering(scaling)
    return Listed(
        Dataset("two answers", [0], ["truth"]),
        lambda x, y: np.asarray(problem.features(0, TRUTH if y == "truth" else APART)),
        lambda y, guess: 0.0 if y == guess else Mitre().value(TRUTH, APART),
        lambda x: ("truth", "apart"),
        2,
        Pricing(scaling),
    )


@pytest.mark.spec("D34")
def test_the_printed_numbers() -> None:
    case = Dominating(items=10, squared_norm=4.0)
    for C in (1.0, 1000.0, 200_000.0):
        assert case.beta(C) == pytest.approx(C / 100.0)
        assert case.slack(C) == pytest.approx(100.0 - 4.0 * C / 1e4)
    assert (case.beta(1.0), case.slack(1.0)) == pytest.approx((0.01, 99.9996))
    assert (case.no_slack_from("margin"), case.no_slack_from("slack")) == (250_000.0, 25.0)
    for scaling in ("margin", "slack"):
        end = case.no_slack_from(scaling)
        assert case.slack(end, scaling) == pytest.approx(0.0, abs=1e-9)
        assert case.slack(0.99 * end, scaling) > 0.5
        assert case.beta(2.0 * end, scaling) == case.beta(end, scaling)


@pytest.mark.spec("D34", "D35")
def test_the_loss_of_leaving_the_only_pair_apart_is_one_hundred() -> None:
    assert Mitre().value(TRUTH, APART) == 100.0


@pytest.mark.spec("D34")
@pytest.mark.parametrize("scaling", ["margin", "slack"])
@pytest.mark.parametrize("share", [0.001, 0.3, 0.999, 1.0, 3.0])
def test_the_programs_of_the_engine_agree(scaling: Any, share: float) -> None:
    case = Dominating()
    C = share * case.no_slack_from(scaling)
    beta, slack = case.beta(C, scaling), case.slack(C, scaling)
    problem = clustering(scaling)
    working = WorkingSet(2, [plane_of(problem, cut_of(problem, 0, APART))])
    solution = working.solve(problem, C, 1, 1e-12)
    assert working.w() == pytest.approx(beta * PSI, rel=1e-4)
    assert solution.slack[0] == pytest.approx(slack, rel=1e-4, abs=1e-4)
    for learner in (NSlack(C=C, eps=1e-6), OneSlack(C=C, eps=1e-6)):
        *_, step = learner.steps(only(scaling), np.random.default_rng(0))
        assert step.w == pytest.approx(beta * PSI, rel=1e-4)


@pytest.mark.parametrize("scaling", ["margin", "slack"])
def test_the_closed_form_is_the_optimum_of_an_independent_solver(scaling: Any) -> None:
    case = Dominating(items=4, squared_norm=2.5, loss=30.0)
    psi = np.array([1.5, 0.5])
    for C in (0.4 * case.no_slack_from(scaling), 2.0 * case.no_slack_from(scaling)):
        w, xi = cp.Variable(2), cp.Variable(nonneg=True)
        margin = psi @ w / 16.0
        asked = margin >= 1.0 - xi / 30.0 if scaling == "slack" else margin >= 30.0 - xi
        cp.Problem(cp.Minimize(cp.sum_squares(w) / 2 + C * xi), [asked]).solve(solver=cp.CLARABEL)
        assert w.value == pytest.approx(case.beta(C, scaling) * psi, rel=1e-4)
        assert xi.value == pytest.approx(case.slack(C, scaling), abs=1e-3)


def test_nothing_is_dominated_by_a_cut_without_features() -> None:
    with pytest.raises(Refused, match="positive numbers"):
        Dominating(squared_norm=0.0)
