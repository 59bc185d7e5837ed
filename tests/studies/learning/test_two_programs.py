"""Slacks under constraints and hinges without them: one optimum, the published one, example by example."""

import numpy as np
import pytest

from explorer.studies.learning.two_programs import CIRCLE, CLOUDS, SENTENCES, TwoPrograms, hinges, written_out
from explorer.studies.support.rows import row, where
from explorer.studies.support.study import HELD, NOT_HELD, OPEN, Row


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return list(TwoPrograms().rows())


@pytest.mark.spec("A15")
def test_both_optima_are_the_published_ones(rows: list[Row]) -> None:
    for name, C, optimum in ((CIRCLE, 10.0, 5.088641), (SENTENCES, 0.1, 0.084159)):
        for one in where(rows, problem=name):
            assert one["C"] == pytest.approx(C)
            for key in ("J_slack", "J_hinge", "J_bundle"):
                assert one.number(key) == pytest.approx(optimum, abs=1e-6)
    first = where(rows, problem=CLOUDS)[0]
    assert first.number("J_slack") == pytest.approx(first.number("J_hinge"), rel=1e-4)


@pytest.mark.spec("A15")
def test_every_slack_is_its_examples_hinge(rows: list[Row]) -> None:
    assert len(rows) == TwoPrograms().total == 28
    for one in rows:
        assert one.number("slack") == pytest.approx(one.number("hinge"), abs=1e-4)
    assert sum(one.number("slack") > 1e-3 for one in rows) >= 8
    mean = np.mean([one.number("slack") for one in where(rows, problem=SENTENCES)])
    assert mean == pytest.approx(0.683187, abs=1e-5)
    assert [one["labellings"] for one in where(rows, problem=SENTENCES)] == [16, 16, 125, 125]
    assert {finding.verdict for finding in TwoPrograms().findings(rows)} == {HELD}


@pytest.mark.spec("A15")
def test_a_hinge_is_the_least_slack_that_the_constraints_allow() -> None:
    cuts = written_out(TwoPrograms().problems()[CIRCLE])
    w = np.random.default_rng(0).normal(size=9)
    found = hinges(cuts, w)
    for own, xi in zip(cuts, found, strict=True):
        assert np.all(own.psi @ w >= own.loss - xi - 1e-12)
        assert np.any(own.psi @ w < own.loss - xi + 1e-9)
    assert found.min() >= 0.0  # the truth is among the labellings


@pytest.mark.spec("A15")
def test_findings_are_held_or_not_as_the_rows_say() -> None:
    optima = {"J_slack": 1.0, "J_hinge": 1.1, "J_bundle": 1.0}
    off = [row(problem=CIRCLE, example=0, slack=1.0, hinge=1.2, bundle=1.0, **optima)]
    assert [f.verdict for f in TwoPrograms().findings(off)] == [NOT_HELD, NOT_HELD, HELD]
    assert {f.verdict for f in TwoPrograms().findings([])} == {OPEN}
