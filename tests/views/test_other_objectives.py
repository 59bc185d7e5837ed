"""Views of a run that minimises something else than the hinge: they say what it is, and claim nothing about
slacks.
"""

import math
from functools import lru_cache

import numpy as np
import pytest

from explorer.command_line.wording import verdict
from explorer.engine.learners import CRF, OneSlack, Perceptron
from explorer.engine.refusals import Refused
from explorer.engine.runs.streams import Until, train
from explorer.engine.runs.trace import Trace
from explorer.engine.structures.chains.problem import Chain
from explorer.views.bounds import frame as bounds
from explorer.views.inspector import frame as inspected
from explorer.views.loss_curves import view as losses
from explorer.views.race import frame as race
from explorer.views.risk_slice import frame as risk_slice
from explorer.views.surface import frame as surface
from explorer.views.surface import risk_grid
from tests import referee
from tests.catalogue import chains

PROBLEM = Chain(chains(), 3)
C = 4.0


@lru_cache
def traced(kind: type) -> Trace:
    trace = Trace()
    for event in train(
        PROBLEM, kind() if kind is Perceptron else kind(C=C), rule=Until(steps=8), look_every=0.0
    ):
        trace.append(event)
    return trace


def test_bounds_name_the_objective_at_their_axis() -> None:
    assert bounds.frame(traced(CRF), 3).what == "negative log-likelihood"
    assert bounds.frame(traced(OneSlack), 3).what == "structured hinge"
    assert bounds.frame(traced(Perceptron), 3).what == "mean slack"
    assert "(a certificate)" in bounds.sentence(bounds.frame(traced(CRF), 3))


def test_the_command_line_names_the_objective_and_why_it_is_certain() -> None:
    assert "of the negative log-likelihood" in verdict(traced(CRF))
    assert verdict(traced(CRF)).endswith("a certificate, its values are exact")
    assert "of the structured hinge" in verdict(traced(OneSlack))
    assert verdict(traced(OneSlack)).endswith("a certificate, the oracle is exact")


def test_the_log_loss_is_shown_beside_the_loss_and_not_called_its_bound() -> None:
    shown = losses.frame(traced(CRF), 3)
    assert "mean log loss" in losses.table(shown)
    assert "no bound of the loss" in losses.sentence(shown)
    assert "Slack bounds the loss" in losses.sentence(losses.frame(traced(OneSlack), 3))


def test_the_inspector_writes_the_objective_with_its_own_numbers_and_the_bound_that_the_slope_proves() -> (
    None
):
    trace = traced(CRF)
    rows = referee.all_rows(PROBLEM)
    for at in range(len(trace)):
        shown = inspected.frame(PROBLEM, trace, at)
        assert shown is not None
        lines = {line.name: line for line in shown.lines}
        value, gradient = referee.log_loss(rows, trace.weights.kept[at], C)
        assert lines["Objective (primal)"].value == pytest.approx(value, rel=1e-9)
        assert "mean log loss" in lines["Objective (primal)"].html
        assert lines["No w lies below"].value == pytest.approx(0.5 * gradient @ gradient, rel=1e-6, abs=1e-12)
        assert "Slack bounds the loss" not in lines
        assert shown.verdict == "certificate"
        assert "oracle" not in shown.meaning


def test_runs_that_minimise_different_things_are_not_compared() -> None:
    together = race.sentence(race.frame({"one-slack": traced(OneSlack), "crf": traced(CRF)}, "seconds"))
    assert "1-slack cutting plane has the lowest structured hinge so far" in together
    assert "Conditional random field has the lowest negative log-likelihood so far" in together
    alone = race.sentence(race.frame({"crf": traced(CRF)}, "seconds"))
    assert "has the lowest objective so far" in alone


def test_the_surface_is_that_of_the_likelihood(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(risk_grid, "SECONDS", math.inf)
    trace = traced(CRF)
    shown = surface.frame(PROBLEM, trace, len(trace) - 1, C)
    rows = referee.all_rows(PROBLEM)
    assert shown.looked == PROBLEM.n
    for j, i in ((0, 0), (0, -1), (-1, 0), (-1, -1)):
        w = shown.where.at(shown.x[i], shown.y[j])
        assert shown.J[j, i] == pytest.approx(referee.log_loss(rows, w, C)[0], rel=1e-9)
    assert shown.primal[-1] == pytest.approx(referee.log_loss(rows, trace.weights.kept[len(trace) - 1], C)[0])
    assert np.nanmin(shown.J) >= shown.primal[-1] - 1e-2 * abs(shown.primal[-1])


def test_a_slice_of_slacks_is_refused_with_what_is_minimised() -> None:
    with pytest.raises(Refused, match="minimises the negative log-likelihood"):
        risk_slice.frame(PROBLEM, traced(CRF), 3)
    assert risk_slice.frame(PROBLEM, traced(OneSlack), 3) is not None
