"""Loss against noise: what is run, what stands beside it, and how it is judged."""

from dataclasses import replace

import pytest

from explorer.engine.refusals import Refused
from explorer.studies.clusterings.noise_sweep import FEW, LEARNERS, NOISES, PROTOTYPE, NoiseSweep
from explorer.studies.support.rows import row, value
from explorer.studies.support.study import HELD, NOT_HELD, OPEN, Row

TINY = replace(NoiseSweep.quick(), groups=3, per_group=6, lowest=1, restarts=3)


def made(losses: dict[float, tuple[float, float, float]]) -> list[Row]:
    """A row for each learner and noise."""
    return [
        row(noise=n, method=m, loss=x)
        for n, each in losses.items()
        for m, x in zip(LEARNERS, each, strict=True)
    ]


@pytest.mark.spec("C46")
def test_a_tiny_sweep_gives_every_row_and_repeats() -> None:
    first, again = (list(TINY.rows()) for _ in range(2))
    assert len(first) == TINY.total == 9
    assert [found["noise"] for found in first] == [n for n in FEW for _ in LEARNERS]
    for a, b in zip(first, again, strict=True):
        assert {k: v for k, v in a.items() if k != "seconds"} == {
            k: v for k, v in b.items() if k != "seconds"
        }
    assert all(found.number("low") <= found.number("loss") <= found.number("high") for found in first)


def test_what_stands_beside_is_named_as_an_earlier_prototype() -> None:
    study = NoiseSweep()
    assert "not the source" in study.beside
    assert value(study.published, "loss", noise=0.48, method="Spectral") == 53.8
    assert value(study.published, "loss", noise=0.45, method="Pair") == 22.4
    assert len(study.published) == 3 * len(PROTOTYPE) + 6
    assert {found["range"] for found in study.published if "range" in found} == {
        "71 to 76",
        "72 to 76",
        "73 to 75",
    }
    assert set(PROTOTYPE) <= set(NOISES)


def test_findings_are_held_or_not_as_the_rows_say() -> None:
    study = NoiseSweep(every=False)
    good = made({0.2: (0.0, 0.5, 0.0), 0.48: (48.0, 54.0, 50.0), 0.7: (75.0, 76.0, 74.0)})
    assert {finding.verdict for finding in study.findings(good)} == {HELD}
    bad = made({0.2: (10.0, 70.0, 0.0), 0.48: (60.0, 54.0, 50.0), 0.7: (20.0, 76.0, 74.0)})
    assert {finding.verdict for finding in study.findings(bad)} == {NOT_HELD}
    assert {finding.verdict for finding in study.findings([])} == {OPEN}
    assert OPEN in {finding.verdict for finding in NoiseSweep().findings(good)}


def test_a_grid_that_ends_before_it_begins_is_refused() -> None:
    with pytest.raises(Refused, match="lowest is 2 and highest 1"):
        NoiseSweep(lowest=2, highest=1)
