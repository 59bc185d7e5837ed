"""The objective from below, itself, and from above."""

import pytest

from explorer.studies import Sandwich
from explorer.studies.support.rows import row, value
from explorer.studies.support.study import HELD, NOT_HELD
from tests.studies.fields.synth2_models import EPS, C, trained_on_synth2


@pytest.mark.spec("D17", "A45")
def test_on_part_of_synth2_greedy_lies_below_and_the_relaxation_above() -> None:
    study = Sandwich(share=0.1, C=1000.0)
    rows = list(study.rows())
    assert [finding.verdict for finding in study.findings(rows)] == [HELD, HELD, HELD]
    ends = study.table(rows)
    assert [r["oracle"] for r in ends] == ["greedy", "exhaustive", "roof duality"]
    spare = study.C * study.eps
    exact = ends[1]
    # The last true objective is an upper bound on the optimum, the last own one a lower bound.
    assert (
        exact.number("objective")
        <= exact.number("true_objective")
        <= exact.number("objective") + spare + 1e-6
    )
    assert value(ends, "objective", oracle="greedy") <= exact.number("true_objective")


MEASURED = {"greedy": 424_000.0, "exhaustive": 424_000.0, "roof duality": 445_000.0}


@pytest.mark.timeout(1800)
@pytest.mark.spec("D17")
def test_the_three_objectives_of_synth2_lie_in_order_where_they_were_measured_before() -> None:
    found = {oracle: trained_on_synth2(oracle)[1].low for oracle in MEASURED}
    for oracle, measured in MEASURED.items():
        assert found[oracle] == pytest.approx(measured, rel=0.03)
    spare = C * EPS
    assert found["greedy"] <= found["exhaustive"] + spare <= found["roof duality"] + 2.0 * spare


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.spec("D17")
def test_so_they_are_at_the_end_of_the_study() -> None:
    study = Sandwich()
    rows = list(study.rows())
    assert all(finding.verdict == HELD for finding in study.findings(rows))
    for found, measured in zip(study.table(rows), MEASURED.values(), strict=True):
        assert found.number("objective") == pytest.approx(measured, rel=0.03)


def test_objectives_in_the_wrong_order_do_not_bear_it_out() -> None:
    study = Sandwich(C=10.0, eps=0.1)
    numbers = {"greedy": 120.0, "exhaustive": 100.0, "roof duality": 90.0}
    rows = [row(oracle=o, round=1, objective=v, true_objective=v, ended="yes") for o, v in numbers.items()]
    assert [finding.verdict for finding in study.findings(rows)] == [NOT_HELD, NOT_HELD, NOT_HELD]
