"""The page of studies: every study can be chosen, says what it is, and runs as its settings say; nothing
outlives the page.
"""

import json
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

import pytest

from explorer.dashboards.studies.link import read
from explorer.dashboards.studies.page import StudiesPage
from explorer.dashboards.studies.words import first_sentence, header, made_with, plan, status
from explorer.engine.knobs import knobs
from explorer.session.runner import InThread
from explorer.session.study_run import MOST_ROWS, Run
from explorer.studies import STUDIES, Separability, Temperature
from tests.session.toy_study import Squares
from tests.waiting import wait_until


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EXPLORER_RUNS", str(tmp_path))


@pytest.fixture
def runner() -> Iterator[InThread]:
    made = InThread()
    yield made
    made.close()


@pytest.fixture
def page(runner: InThread) -> Iterator[StudiesPage]:
    made = StudiesPage(runner, read("?study=temperature"))
    yield made
    made.shell.close()


def finished(page: StudiesPage) -> None:
    wait_until(lambda: not page.studies.running, page.beat)
    page.beat()


def test_a_first_visit_ends_with_a_picture_verdicts_and_numbers(page: StudiesPage) -> None:
    finished(page)
    assert "Finished." in page.says.object
    assert page.picture is not None
    assert "14 rows; 2 findings held." in page.picture.words.object
    assert page.verdicts.object.count("<li>") == 2
    assert page.table.html.count("<tr>") == 15
    assert page.bar.value == 100
    assert page.cancel.disabled
    assert not page.quick.disabled


@pytest.mark.parametrize("kind", STUDIES, ids=lambda kind: kind.name)
def test_every_study_has_its_title_source_settings_and_a_figure(kind: Any, page: StudiesPage) -> None:
    page.menu.value = kind.name
    assert escape(kind.title) in page.head.object
    assert escape(kind.source) in page.head.object
    assert len(page.settings) == len(list(knobs(kind)))
    assert page.picture is not None
    assert page.picture.name_key == kind.name
    assert page.shell.views == [page.picture]
    page.studies.cancel()


def test_the_list_of_all_studies_says_in_a_sentence_what_each_is_about(page: StudiesPage) -> None:
    assert [item["label"] for item in page.every.items] == [kind.title for kind in STUDIES]
    assert all(
        item["secondary"].startswith(first_sentence(kind.about))
        for item, kind in zip(page.every.items, STUDIES, strict=True)
    )
    page.list.open = True
    page._picked(page.every.items[-1])
    assert page.studies.study == STUDIES[-1].name
    assert not page.list.open
    assert first_sentence("One. Two.") == "One."


def test_the_button_runs_the_settings_and_says_whether_they_are_the_sources(page: StudiesPage) -> None:
    finished(page)
    assert page.full.label == "Run in full"
    page.studies.knobs.nodes = 4
    assert page.full.label == "Run as set"
    page.full.clicks += 1
    assert page.studies.shown.study == Temperature(nodes=4)
    assert page.full.disabled
    finished(page)
    assert "with nodes = 4." in page.head.object
    page.quick.clicks += 1
    finished(page)
    assert "a quick look (nodes = 6)" in page.head.object


def test_settings_that_make_too_many_rows_switch_the_button_off_and_say_why(runner: InThread) -> None:
    page = StudiesPage(runner, read("?study=inference-quality&set.count=100000"))
    page.studies.cancel()
    assert page.full.disabled
    assert f"a page shows {MOST_ROWS:,}" in plan(page.studies)
    page.studies.knobs.count = 100
    assert not page.full.disabled
    page.shell.close()


def test_what_an_address_says_wrongly_is_noticed_on_the_page(runner: InThread) -> None:
    page = StudiesPage(runner, read("?study=temperature&set.nodes=99&set.length=7"))
    assert page.studies.knobs.length == 7
    assert len(page.shell.notices) == 1
    page.shell.close()


def test_a_run_can_be_cancelled_and_a_closed_page_ends_it(page: StudiesPage, runner: InThread) -> None:
    page.studies.run(Squares(count=1000, pulses=20))
    wait_until(lambda: page.studies.shown.rows, page.studies.collect)
    page.cancel.clicks += 1
    finished(page)
    assert "Stopped: cancelled." in page.says.object
    page.studies.run(Squares(count=1000, pulses=20))
    page.shell.close()
    wait_until(lambda: not runner._worker.scheduler.jobs and not runner._worker._orders)


def test_rows_and_everything_else_can_be_taken_away(page: StudiesPage) -> None:
    finished(page)
    assert len(page._csv().getvalue().splitlines()) == 15
    whole = json.loads(page._json().getvalue())
    assert (whole["study"], whole["complete"], len(whole["rows"])) == ("temperature", True, 14)
    assert whole["settings"]["nodes"] == 6
    assert [finding["verdict"] for finding in whole["findings"]] == ["held", "held"]
    assert "explorer reproduce temperature" in page.command.object


@pytest.mark.parametrize("theme", ["dark", "projector"])
def test_a_theme_dresses_the_figures_and_the_words(page: StudiesPage, theme: str) -> None:
    finished(page)
    page.shell.wear(theme)
    assert page.picture is not None
    assert page.picture.theme.name == theme
    assert f"--muted:{page.picture.theme.muted}" in page.verdicts.object
    assert page.picture.theme.panel in page.table.html


def test_words_name_the_settings_and_how_a_run_ended(runner: InThread) -> None:
    run = Run(Separability())
    assert made_with(run) == "Rows below: in full."
    assert made_with(Run(Separability(C=1e5, seed=3))) == "Rows below: with C = 100000, seed = 3."
    run.study = Squares()
    assert "Euclid, book II" in header(run)
    page = StudiesPage(runner, read("?study=temperature"))
    finished(page)
    page.studies.shown.status, page.studies.shown.message = "failed", "<b>broken</b>"
    assert "Cannot go on: &lt;b&gt;broken&lt;/b&gt;." in status(page.studies)
    page.shell.close()
