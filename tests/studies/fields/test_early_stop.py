"""Belief propagation declares victory."""

import pytest

from explorer.studies import EarlyStop
from explorer.studies.fields.early_stop import WITH, WITHOUT
from explorer.studies.support.rows import row, value, where
from explorer.studies.support.study import HELD


@pytest.mark.spec("D25")
def test_belief_propagation_stops_within_fifteen_rounds_and_is_wrong_about_the_slack() -> None:
    study = EarlyStop()
    rows = list(study.rows())
    for model in (WITH, WITHOUT):
        assert len(where(rows, model=model)) - 1 < 15
        assert value(rows, "believed", model=model) < 0.1
        assert value(rows, "true_slack", model=model) > 20.0
    assert [finding.verdict for finding in study.findings(rows)] == [HELD, HELD]


def test_an_oracle_that_is_right_does_not_bear_it_out() -> None:
    rows = [row(model=WITH, round=0, believed=12.5, reported=12.5, true_slack=12.6)]
    assert EarlyStop().findings(rows)[0].verdict == "not held"
    endless = [row(model=WITH, round=k, believed=0.0, reported=5.0, true_slack=30.0) for k in range(60)]
    assert EarlyStop().findings(endless)[0].verdict == "not held"
