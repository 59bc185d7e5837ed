"""How long oracles take: which sizes are measured, and that a linear program takes far longer than a cut."""

import pytest

from explorer.engine.catalogue.oracle_names import oracle_named
from explorer.engine.data.random_fields import KINDS
from explorer.studies import InferenceTime
from explorer.studies.fields.inference_time import (
    BELIEF,
    CUT,
    DAMPED,
    EXHAUSTIVE,
    LARGEST,
    METHODS,
    NAMES,
    PROGRAM,
)
from explorer.studies.support.rows import row, series, value, where
from explorer.studies.support.study import HELD, NOT_HELD, OPEN


def test_there_are_at_least_eight_sizes_up_to_forty_nodes_for_every_oracle() -> None:
    study = InferenceTime()
    assert len(study.nodes) >= 8
    assert study.nodes[-1] == 40
    assert 30 in study.nodes
    assert study.total == 2 * (7 * 8 + sum(m <= LARGEST[EXHAUSTIVE] for m in study.nodes))


@pytest.mark.spec("D18")
def test_eight_sizes_are_measured_for_both_potentials_and_both_settings_of_belief_propagation() -> None:
    study = InferenceTime(batch=1, few=1, repeats=1)
    rows = list(study.rows())
    assert len(rows) == study.total
    assert series(rows, "kind") == list(KINDS) == ["uniform", "normal"]
    listed = [method for method in METHODS if method != EXHAUSTIVE]  # 2^20 labellings are not gone through
    for kind in KINDS:
        for method in listed:
            sizes = [found.number("nodes") for found in where(rows, kind=kind, method=method)]
            assert sizes == [5, 10, 15, 20, 25, 30, 35, 40]
    assert {BELIEF, DAMPED} <= set(listed)
    assert oracle_named(NAMES[DAMPED]).damping == 0.5
    assert oracle_named(BELIEF).damping == 0.0
    assert all(found.number("microseconds") > 0.0 for found in rows)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.spec("D18")
def test_the_whole_study_has_a_curve_for_every_oracle_and_the_linear_program_is_ten_times_slower() -> None:
    study = InferenceTime()
    rows = list(study.rows())
    for kind in KINDS:
        here = where(rows, kind=kind)
        last = [value(here, "microseconds", method=m, nodes=40) for m in METHODS if m not in LARGEST]
        first = [value(here, "microseconds", method=m, nodes=5) for m in METHODS if m not in LARGEST]
        assert all(b > a for a, b in zip(first, last, strict=True))
    assert [study.findings(rows)[at].verdict for at in (0, 4)] == [HELD, HELD]


def test_the_comparison_with_belief_propagation_is_measured_not_assumed() -> None:
    times = {PROGRAM: 5000.0, CUT: 100.0, BELIEF: 150.0, DAMPED: 300.0}
    rows = [row(kind="normal", method=m, nodes=30, microseconds=t) for m, t in times.items()]
    uniform, normal = (InferenceTime().findings(rows)[part] for part in (slice(0, 4), slice(4, 8)))
    assert [finding.verdict for finding in normal] == [HELD, NOT_HELD, NOT_HELD, HELD]
    assert [finding.verdict for finding in uniform] == [OPEN] * 4
    assert [finding.verdict for finding in InferenceTime(kind="normal").findings(rows[:1])] == [OPEN] * 4
