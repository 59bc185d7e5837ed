"""Words against words and links, on made-up pages and, where they are here, on real ones."""

from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from explorer.engine.refusals import Refused
from explorer.studies.clusterings.feature_ablation import (
    LINKS,
    MADE_UP,
    METHODS,
    REAL,
    WORDS,
    FeatureAblation,
)
from explorer.studies.support import published_clusterings as printed
from explorer.studies.support.rows import row, value
from explorer.studies.support.study import HELD, NOT_HELD, OPEN, Row

TINY = replace(FeatureAblation.quick(), size=18, words=40, highest=2, restarts=2, most=10)


def made(pages: str, losses: dict[str, tuple[float, float, float, float]]) -> list[Row]:
    """One university, by both kinds of features."""
    return [
        row(pages=pages, features=f, test="Texas", method=m, loss=x)
        for f, each in losses.items()
        for m, x in zip(METHODS, each, strict=True)
    ]


GOOD = {WORDS: (68.0, 60.0, 75.0, 78.0), LINKS: (51.0, 54.0, 75.0, 76.0)}
BAD = {WORDS: (50.0, 50.0, 40.0, 78.0), LINKS: (51.0, 54.0, 75.0, 30.0)}


@pytest.mark.spec("C44", "C46")
def test_a_tiny_run_gives_every_row_and_repeats() -> None:
    first, again = (list(TINY.rows()) for _ in range(2))
    assert len(first) == TINY.total == 8
    assert [found["features"] for found in first] == [WORDS] * 4 + [LINKS] * 4
    for a, b in zip(first, again, strict=True):
        assert {k: v for k, v in a.items() if k != "seconds"} == {
            k: v for k, v in b.items() if k != "seconds"
        }


def test_findings_are_held_or_not_as_the_rows_say() -> None:
    study = FeatureAblation(data=MADE_UP)
    assert [f.verdict for f in study.findings(made(MADE_UP, GOOD))] == [HELD] * 4
    assert [f.verdict for f in study.findings(made(MADE_UP, BAD))] == [NOT_HELD] * 4
    assert [f.verdict for f in study.findings([])] == [OPEN] * 4
    assert [f.verdict for f in study.findings(made(REAL, GOOD))] == [OPEN] * 4


@pytest.mark.spec("C49")
def test_printed_losses_stand_beside_real_pages_only(monkeypatch: pytest.MonkeyPatch) -> None:
    assert FeatureAblation(data=MADE_UP).published == ()
    published = FeatureAblation(data=REAL).published
    assert len(published) == 2 * 4 * 4
    assert value(published, "loss", features=LINKS, test="Wisconsin", method="Iterative") == 47.3
    assert value(published, "loss", features=WORDS, test="Texas", method="None") == 78.7
    assert {found["test"] for found in published} == set(printed.TABLE["WebKB-L"])
    monkeypatch.delenv("EXPLORER_DATA", raising=False)
    assert FeatureAblation().sources == (MADE_UP,)
    with pytest.raises(Refused, match="EXPLORER_DATA"):
        list(FeatureAblation(data=REAL).rows())


def test_real_pages_are_clustered_by_words_after_training_on_one_other_university(data_dir: Path) -> None:
    if not (data_dir / "webkb").is_dir():
        pytest.skip("EXPLORER_DATA has no folder webkb")
    study = FeatureAblation(data=REAL, lowest=2, highest=2, restarts=1, most=3)
    assert REAL in FeatureAblation().sources
    (found,) = islice(study.rows(), 1)
    assert (found["pages"], found["features"], found["test"], found["C"]) == (REAL, WORDS, "Texas", 100.0)
    assert 0.0 <= found.number("loss") <= 100.0


def test_a_grid_that_ends_before_it_begins_is_refused() -> None:
    with pytest.raises(Refused, match="lowest is 2 and highest 1"):
        FeatureAblation(lowest=2, highest=1)
