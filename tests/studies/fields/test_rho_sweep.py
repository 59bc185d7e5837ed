"""Training with an oracle that is wrong by a known factor."""

import pytest

from explorer.studies import RhoSweep
from explorer.studies.fields.rho_sweep import TIE
from explorer.studies.support import tables
from explorer.studies.support.rows import value, where


@pytest.fixture
def three(monkeypatch: pytest.MonkeyPatch) -> RhoSweep:
    """The full set, at three values of rho."""
    monkeypatch.setattr(tables, "RHO", (1.0, 0.9, 0.0))
    return RhoSweep()


@pytest.mark.spec("D30")
def test_synth1_is_learned_at_rho_one_reasonably_at_nine_tenths_and_not_at_all_at_zero(
    three: RhoSweep,
) -> None:
    rows = list(three.rows())
    assert value(rows, "train_loss", rho=1.0) == 0.0
    assert value(rows, "test_loss", rho=0.9) <= 17.0
    (last,) = where(rows, rho=0.0)
    assert (last["rounds"], last["remark"], last["low"]) == (0, TIE, 0.0)
    assert "high" not in last, "nothing bounds the optimum from above without a share of it"
    assert last["true_slack"] == pytest.approx(100.0)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.spec("D30")
def test_the_whole_sweep_has_eleven_rows_inside_their_intervals() -> None:
    study = RhoSweep()
    rows = list(study.rows())
    assert [r["rho"] for r in rows] == list(tables.RHO)
    assert len(study.published) == 11
    # rho = 1 is exact training: its lower bound is below the optimum, and its upper bound above.
    low, high = value(rows, "low", rho=1.0), value(rows, "high", rho=1.0)
    for found in rows:
        assert found.number("low") <= high + 1e-6
        assert found.number("high") >= low - 1e-6 or found["rho"] == 0.0
        assert found.number("train_loss") <= found.number("true_slack") + 1e-9


@pytest.mark.spec("D30")
def test_a_small_sweep_keeps_the_theorems_and_has_the_published_numbers_beside_it() -> None:
    study = RhoSweep.quick()
    rows = list(study.rows())
    assert len(rows) == len(study.published) == 11
    assert [r["rho"] for r in study.published] == [r["rho"] for r in rows]
    assert value(study.published, "test_loss", rho=0.9) == 8.84
    high = value(rows, "high", rho=1.0)
    for found in rows[:-1]:
        assert found.number("low") <= high + 1e-6
        if "risk_bound" in found:  # a share below 0 promises nothing
            assert found.number("train_loss") <= found.number("risk_bound") + 1e-6
    assert sum("risk_bound" in found for found in rows) > 5
