"""One cut that dominates all others."""

from dataclasses import replace

import numpy as np
import pytest

from explorer.engine.objective import cut_of
from explorer.engine.refusals import Refused
from explorer.engine.runs.streams import Cancelled
from explorer.studies.clusterings.dominating_cut import DominatingCut, no_slack_from
from explorer.studies.support.rows import row, value, where
from explorer.studies.support.study import HELD, NOT_HELD, OPEN, Row


@pytest.fixture(scope="module")
def ran() -> tuple[DominatingCut, list[Row]]:
    study = DominatingCut()
    return study, list(study.rows())


@pytest.mark.spec("D34")
def test_slack_and_beta_are_those_of_the_requirement(ran: tuple[DominatingCut, list[Row]]) -> None:
    study, rows = ran
    assert len(rows) == study.total
    assert value(rows, "beta", scaling="margin", C=1.0) == pytest.approx(0.01)
    assert value(rows, "slack", scaling="margin", C=1.0) == pytest.approx(99.9996, abs=1e-9)
    for found in where(rows, scaling="margin"):
        C = found.number("C")
        assert found.number("beta") == pytest.approx(min(C / 100.0, 2500.0), rel=1e-4)
        assert found.number("slack") == pytest.approx(max(0.0, 100.0 - 4.0 * C / 1e4), abs=1e-6)
    for found in where(rows, scaling="slack"):
        C = found.number("C")
        assert found.number("beta") == pytest.approx(min(C, 25.0), rel=1e-4)
        assert found.number("slack") == pytest.approx(max(0.0, 100.0 * (1.0 - C / 25.0)), abs=1e-6)


@pytest.mark.spec("D34")
def test_no_slack_is_left_from_250_000_on_under_margin_and_25_under_slack_scaling(
    ran: tuple[DominatingCut, list[Row]],
) -> None:
    study, rows = ran
    for scaling, first, before in (("margin", 250_000.0, 100_000.0), ("slack", 25.0, 10.0)):
        assert no_slack_from(where(rows, scaling=scaling)) == pytest.approx(first, rel=1e-9)
        assert value(rows, "slack", scaling=scaling, C=first) == pytest.approx(0.0, abs=1e-6)
        assert value(rows, "slack", scaling=scaling, C=before) == pytest.approx(60.0)
    found = study.findings(rows)
    assert [finding.verdict for finding in found] == [HELD] * 4
    assert "C = 250,000" in found[0].claim
    assert "C = 25 " in found[1].claim


@pytest.mark.spec("D34", "D35")
def test_the_cut_is_almost_the_truth_and_has_the_largest_loss() -> None:
    study = DominatingCut(items=7, squared_norm=2.0)
    problem = study.problem("margin")
    cut = cut_of(problem, 0, np.arange(7))
    assert cut.loss == 100.0
    psi = problem.dataset.inputs[0].pairs[0]
    assert psi @ psi == pytest.approx(2.0)
    np.testing.assert_allclose(np.asarray(cut.psi), psi / 49.0)


def test_other_sizes_end_where_the_formula_says() -> None:
    study = DominatingCut(items=4, squared_norm=1.0, least=0.1, most=1e5, seed=3)
    assert {finding.verdict for finding in study.findings(list(study.rows()))} == {HELD}


def test_findings_are_open_until_the_slack_has_ended_and_fail_where_it_ends_elsewhere(
    ran: tuple[DominatingCut, list[Row]],
) -> None:
    study, rows = ran
    assert {finding.verdict for finding in study.findings([])} == {OPEN}
    early = [found for found in rows if found.number("C") <= 10.0]
    assert [finding.verdict for finding in study.findings(early)] == [OPEN, OPEN, OPEN, HELD]
    moved = [
        row(scaling=s, C=C, slack=max(0.0, 100.0 - C), beta=1.0, loss=100.0)
        for s in ("margin", "slack")
        for C in (1.0, 50.0, 100.0, 250.0)
    ]
    assert no_slack_from(where(moved, scaling="margin")) == pytest.approx(100.0)
    assert [finding.verdict for finding in study.findings(moved)] == [NOT_HELD] * 4


def test_the_closed_form_stands_beside_at_the_same_prices(ran: tuple[DominatingCut, list[Row]]) -> None:
    study, rows = ran
    assert study.beside == "closed form"
    assert [(r["scaling"], r["C"]) for r in study.published] == [(r["scaling"], r["C"]) for r in rows]


def test_the_draw_changes_the_features_but_not_the_curve(ran: tuple[DominatingCut, list[Row]]) -> None:
    study, rows = ran
    assert list(study.rows()) == rows
    other = list(replace(study, seed=5).rows())
    for mine, theirs in zip(rows, other, strict=True):
        assert mine.number("slack") == pytest.approx(theirs.number("slack"), abs=1e-6)


def test_a_pulse_may_end_the_rows_and_no_range_of_prices_is_refused() -> None:
    def enough(note: str) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        list(DominatingCut.quick().rows(enough))
    with pytest.raises(Refused, match="raise it"):
        DominatingCut(least=10.0, most=1.0)
