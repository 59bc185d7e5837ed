"""How long oracles take: which sizes are measured, and that a linear program takes far longer than a cut."""

import pytest

from explorer.studies import InferenceTime
from explorer.studies.fields.inference_time import EXHAUSTIVE, LARGEST, METHODS
from explorer.studies.support.study import HELD, OPEN, row, series, value


def test_there_are_at_least_eight_sizes_up_to_forty_nodes_for_every_oracle() -> None:
    study = InferenceTime()
    assert len(study.nodes) >= 8
    assert study.nodes[-1] == 40
    assert 30 in study.nodes
    assert study.total == 6 * 8 + sum(m <= LARGEST[EXHAUSTIVE] for m in study.nodes)


@pytest.mark.spec("D18")
def test_at_thirty_nodes_every_oracle_but_the_exhaustive_one_is_measured() -> None:
    rows = list(InferenceTime(sizes=1, smallest=30, batch=2, few=1, repeats=1).rows())
    listed = [method for method in METHODS if method != EXHAUSTIVE]  # a thousand million labellings are not
    assert series(rows, "method") == listed
    assert all(found.number("microseconds") > 0.0 for found in rows)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.spec("D18")
def test_the_whole_study_has_a_curve_for_every_oracle() -> None:
    study = InferenceTime()
    rows = list(study.rows())
    assert len(rows) == study.total
    assert set(series(rows, "method")) == set(METHODS)
    assert study.findings(rows)[0].verdict == HELD
    last = [value(rows, "microseconds", method=m, nodes=40) for m in METHODS if m not in LARGEST]
    first = [value(rows, "microseconds", method=m, nodes=5) for m in METHODS if m not in LARGEST]
    assert all(b > a for a, b in zip(first, last, strict=True))


def test_the_comparison_with_belief_propagation_is_measured_not_assumed() -> None:
    times = {"linear program": 5000.0, "roof duality": 100.0, "belief propagation": 150.0}
    rows = [row(method=m, nodes=30, microseconds=t) for m, t in times.items()]
    first, second, third = InferenceTime().findings(rows)
    assert (first.verdict, second.verdict, third.verdict) == (HELD, "not held", "not held")
    assert [f.verdict for f in InferenceTime().findings(rows[:1])] == [OPEN, OPEN, OPEN]
