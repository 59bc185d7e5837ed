"""The index study: four sizes, both ways, the same model, and findings that follow from the rows."""

import pytest

from explorer.studies.support.rows import row, where
from explorer.studies.support.study import HELD, NOT_HELD, OPEN, Row
from explorer.studies.trees.kernel_index import INDEX, METHODS, PAIRS, PARTS, KernelIndex, gains


def told(fast: float, slow: float, apart: float, products: float) -> list[Row]:
    parts = {"products": products, "oracle": 1.0, "qp": 0.1}
    return [
        row(n=n, method=method, seconds=seconds * n ** (1.0 + (method == PAIRS)), apart=apart, **parts)
        for n in (10, 20, 40, 80)
        for method, seconds in ((INDEX, fast), (PAIRS, slow))
    ]


@pytest.mark.spec("F53")
def test_both_ways_make_the_same_model_at_four_sizes_and_the_time_is_split() -> None:
    study = KernelIndex(largest=64)
    rows = list(study.rows())
    assert [(found["n"], found["method"]) for found in rows] == [
        (n, m) for n in (8, 16, 32, 64) for m in METHODS
    ]
    for n in study.sizes:
        one, other = where(rows, n=n)
        assert other["apart"] == 0.0
        assert one["objective"] == other["objective"]
        assert one["steps"] == other["steps"]
        assert other.number("looked") > 5 * one.number("looked")
    for found in rows:
        assert sum(found.number(part) for part in PARTS) == pytest.approx(found.number("seconds"))
        assert all(found.number(part) >= 0.0 for part in PARTS)
    verdicts = {finding.claim: finding.verdict for finding in study.findings(rows)}
    assert next(verdict for claim, verdict in verdicts.items() if "exact" in claim) == HELD


@pytest.mark.spec("F53")
def test_findings_are_held_or_not_as_the_rows_say() -> None:
    study = KernelIndex()
    assert gains(told(1.0, 2.0, 0.0, 9.0)) == pytest.approx([20.0, 40.0, 80.0, 160.0])
    assert {finding.verdict for finding in study.findings(told(1.0, 2.0, 0.0, 9.0))} == {HELD}
    verdicts = [finding.verdict for finding in study.findings(told(1e4, 1e-4, 1.0, 0.5))]
    assert verdicts == [NOT_HELD, NOT_HELD, HELD, NOT_HELD]
    assert {finding.verdict for finding in study.findings([])} == {OPEN}
    assert {finding.verdict for finding in study.findings(told(1.0, 2.0, 0.0, 9.0)[:1])} == {OPEN}


@pytest.mark.slow
@pytest.mark.spec("F53")
def test_at_800_sentences_the_index_is_several_times_faster_in_all() -> None:
    rows = list(KernelIndex().rows())
    assert gains(rows)[-1] > 4.0
