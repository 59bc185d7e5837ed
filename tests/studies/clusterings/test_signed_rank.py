"""Table 4.5 again, beside what is printed there."""

import pytest

from explorer.studies.clusterings.signed_rank import SignedRank
from explorer.studies.support.rows import row, value
from explorer.studies.support.study import HELD, NOT_HELD, OPEN, Row


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return list(SignedRank.quick().rows())


@pytest.mark.spec("C48")
def test_counts_hold_and_two_sums_and_two_tails_are_misprinted(rows: list[Row]) -> None:
    counts, sums, tails, only, beaten, drawn = SignedRank.quick().findings(rows)
    assert [f.verdict for f in (counts, only, beaten, drawn)] == [HELD] * 4
    assert (sums.verdict, sums.evidence) == (NOT_HELD, "WebKB-N 10, printed 4, News 31, printed 30")
    assert (tails.verdict, tails.evidence) == (
        NOT_HELD,
        "News 0.2577, printed .2611, Synth 0.0312, printed .05",
    )


@pytest.mark.spec("C48", "C49")
def test_the_printed_table_stands_beside_ours_with_its_misprints_named(rows: list[Row]) -> None:
    published = SignedRank().published
    assert [found["data"] for found in published] == [found["data"] for found in rows]
    assert [found["size"] for found in published] == [4.0, 4.0, 30.0, 15.0]
    assert [found["n"] for found in published] == [found["n"] for found in rows] == [4, 4, 18, 5]
    assert [found["text"] for found in published] == ["> .05", "> .05", ".2611", ".05"]
    assert value(published, "p", data="WebKB-L") != value(published, "p", data="WebKB-L"), (
        "only a text is printed"
    )
    assert [found["data"] for found in published if "remark" in found] == ["WebKB-N", "News", "Synth"]
    assert [found["W"] for found in rows] == [-4.0, 10.0, 31.0, -15.0]


def test_findings_follow_the_rows_whatever_they_say(rows: list[Row]) -> None:
    study = SignedRank.quick()
    assert {finding.verdict for finding in study.findings([])} == {OPEN}
    assert {finding.verdict for finding in study.findings(rows[:1])} >= {OPEN}
    changed = [row(**{**found, "p": 0.01, "win": 1, "beaten": 1}) for found in rows]
    verdicts = [finding.verdict for finding in study.findings(changed)]
    assert verdicts == [NOT_HELD] * 6
