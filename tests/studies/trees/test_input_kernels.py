"""Input kernels: the words tell the register, and |w|^2 rises along C only where training is precise."""

import pytest

from explorer.studies.support.rows import row, value, where
from explorer.studies.support.study import HELD, NOT_HELD, OPEN, Row
from explorer.studies.trees.input_kernels import (
    BEST,
    KERNELS,
    NONE,
    SEQUENCES,
    SQUARED,
    WORDS,
    InputKernels,
    falls,
    least,
)


@pytest.mark.spec("F50")
def test_on_400_sentences_kernels_of_words_leave_two_per_cent_of_ten() -> None:
    study = InputKernels(prices=2)
    rows = list(study.rows())
    assert all(9.0 <= one.number("test") <= 12.0 for one in where(rows, kernel=NONE))
    for kernel in (WORDS, SQUARED):
        assert all(one.number("test") <= 2.0 for one in where(rows, kernel=kernel))
    assert least(rows, SEQUENCES) <= 2.0
    assert [finding.verdict for finding in study.findings(rows)][:2] == [HELD, HELD]
    table = study.table(rows)
    assert value(table, "test", kernel=WORDS, C=BEST) == least(rows, WORDS)
    assert len(table) == len(rows) + len(KERNELS)


@pytest.mark.spec("F50")
def test_published_errors_stand_beside_the_best_price_of_each_kernel() -> None:
    printed = InputKernels().published
    assert [(one["kernel"], one["train"], one["test"]) for one in printed] == [
        (NONE, 14.72, 14.79),
        (WORDS, 1.16, 7.68),
        (SQUARED, 0.98, 8.04),
        (SEQUENCES, 1.07, 7.73),
    ]
    assert {one["C"] for one in printed} == {BEST}


@pytest.mark.spec("F51")
def test_at_a_tolerance_of_a_twentieth_the_norm_falls_from_c_10_to_100() -> None:
    rows = [one for one in InputKernels.quick().rows() if one["kernel"] == NONE]
    assert [one["C"] for one in rows] == [0.1, 1.0, 10.0, 100.0, 1000.0]
    found = [(before["C"], after["C"]) for before, after in falls(rows)]
    assert found == [(10.0, 100.0), (100.0, 1000.0)]
    norms = [one.number("norm") for one in rows]
    assert norms[2:] == pytest.approx([0.703, 0.507, 0.354], abs=0.02)
    *_, longer = InputKernels.quick().findings(rows)
    assert longer.verdict == NOT_HELD
    assert "none: 0.703 at C = 10, 0.507 at C = 100" in longer.evidence
    assert "Runs end within C eps of the optimum" in longer.evidence


@pytest.mark.spec("F51")
def test_the_figure_is_loss_against_the_squared_norm_along_c() -> None:
    plot = InputKernels.plot
    assert (plot.x, plot.y, plot.along) == ("norm", ("test", "train"), "C")


def told(norms: list[float], test: float) -> list[Row]:
    return [
        row(kernel=name, C=10.0**k, norm=norm, train=1.0, test=test if name != NONE else 3.0)
        for name in KERNELS
        for k, norm in enumerate(norms)
    ]


@pytest.mark.spec("F50", "F51")
def test_findings_are_held_or_not_as_the_rows_say() -> None:
    study = InputKernels()
    assert [f.verdict for f in study.findings(told([1.0, 1.0, 2.0], 2.0))] == [HELD] * 3
    assert [f.verdict for f in study.findings(told([1.0, 3.0, 2.0], 0.5))] == [HELD, NOT_HELD, NOT_HELD]
    assert [f.verdict for f in study.findings(told([1.0, 3.0, 2.0], 4.0))] == [NOT_HELD, HELD, NOT_HELD]
    assert {f.verdict for f in study.findings([])} == {OPEN}
