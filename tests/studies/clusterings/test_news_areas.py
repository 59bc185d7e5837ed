"""Areas of the news: every printed loss stands beside a run, and findings follow the rows."""

import pytest

from explorer.engine.refusals import Refused
from explorer.studies.clusterings.news_areas import NewsAreasStudy
from explorer.studies.support import published_clusterings as printed
from explorer.studies.support.published_clusterings import METHODS
from explorer.studies.support.rows import row, value, where
from explorer.studies.support.study import HELD, NOT_HELD, OPEN, Row


@pytest.fixture(scope="module")
def ran() -> tuple[NewsAreasStudy, list[Row]]:
    study = NewsAreasStudy.quick()
    return study, list(study.rows())


@pytest.mark.spec("C49")
def test_all_84_printed_losses_stand_beside_the_areas_of_their_days() -> None:
    published = NewsAreasStudy().published
    losses = [found for found in published if found["test"] != "mean"]
    assert len(losses) == 84
    for day in ("News 8-1", "News 8-2", "News 8-4"):
        assert [(found["test"], found["method"], found["loss"]) for found in where(losses, day=day)] == [
            (area, method, loss)
            for area, line in printed.TABLE[day].items()
            for method, loss in zip(METHODS, line, strict=True)
        ]
    assert value(losses, "loss", day="News 8-2", test="World", method="None") == 70.4
    assert value(published, "loss", day="News 8-4", test="mean", method="Spectral") == 13.4
    assert len(NewsAreasStudy.quick().published) == 4 * 8


@pytest.mark.spec("C46", "C49")
def test_our_rows_have_the_days_and_areas_of_the_printed_ones(ran: tuple[NewsAreasStudy, list[Row]]) -> None:
    study, rows = ran
    assert len(rows) == study.total == 8
    beside = {(found["day"], found["test"], found["method"]) for found in study.published}
    assert {(found["day"], found["test"], found["method"]) for found in study.table(rows)} <= beside
    assert {found["C"] for found in rows if "C" in found} <= {100.0, 1000.0}
    means = [found.number("loss") for found in where(study.table(rows), test="mean", method="Pair")]
    assert means == pytest.approx([sum(found.number("loss") for found in where(rows, method="Pair")) / 2.0])


def test_few_articles_teach_too_little_to_beat_the_pairs_everywhere(
    ran: tuple[NewsAreasStudy, list[Row]],
) -> None:
    """On the mean it is a tie that the last bits of w decide, differently from one processor to another."""
    study, rows = ran
    every, _, alike = study.findings(rows)
    assert (every.verdict, every.evidence) == (NOT_HELD, "in 1 of 2 areas")
    assert alike.verdict == HELD


def by_hand(**losses: float) -> list[Row]:
    """One area."""
    return [row(day="News 8-1", test="World", method=method, loss=loss) for method, loss in losses.items()]


def test_findings_are_held_or_not_as_the_rows_say() -> None:
    study = NewsAreasStudy()
    good, bad = (
        by_hand(Iterative=15, Spectral=14, Pair=47, None_=43),
        by_hand(Iterative=50, Spectral=14, Pair=47),
    )
    named = [row(**{**found, "method": str(found["method"]).rstrip("_")}) for found in good]
    assert [finding.verdict for finding in study.findings(named)] == [HELD] * 3
    worse = [*bad, row(day="News 8-1", test="World", method="None", loss=43.0)]
    assert [finding.verdict for finding in study.findings(worse)] == [NOT_HELD] * 3
    assert {finding.verdict for finding in study.findings([])} == {OPEN}
    assert {finding.verdict for finding in study.findings(bad)} == {OPEN}, "an area lacks a method"


def test_a_grid_that_ends_before_it_begins_is_refused() -> None:
    with pytest.raises(Refused, match="lowest is 2 and highest 1"):
        NewsAreasStudy(lowest=2, highest=1)
