"""From a sum to a maximum, as a study."""

import pytest

from explorer.studies import Temperature
from explorer.studies.support.rows import row, where
from explorer.studies.support.study import HELD, NOT_HELD


@pytest.mark.spec("A43")
def test_the_excess_falls_with_the_temperature_and_stays_below_its_bound() -> None:
    study = Temperature()
    rows = list(study.rows())
    assert len(rows) == study.total
    for graph in ("field", "chain"):
        part = where(rows, graph=graph)
        excess = [r.number("excess") for r in part]
        assert excess == sorted(excess, reverse=True)
        assert len({r["maximum"] for r in part}) == 1
        assert all(0.0 <= r.number("excess") <= r.number("bound") for r in part)
    assert [finding.verdict for finding in study.findings(rows)] == [HELD, HELD]


def test_a_soft_maximum_outside_its_bounds_is_told() -> None:
    rows = [row(graph="field", beta=1.0, maximum=1.0, soft=0.5, excess=-0.5, bound=1.0)]
    assert [finding.verdict for finding in Temperature().findings(rows)] == [NOT_HELD, HELD]
    rows = [row(graph="field", beta=1.0, maximum=1.0, soft=3.0, excess=2.0, bound=1.0)]
    assert [finding.verdict for finding in Temperature().findings(rows)] == [HELD, NOT_HELD]
