"""Studies as a person uses them: run to the end, cancelled on the way, and found again by their address."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

QUICKEST = "/studies?study=temperature"
LONG = "/studies?study=rho-sweep"


def test_the_quickest_study_runs_to_its_end_and_can_be_taken_away(
    page: Page, server: str, tmp_path: Path
) -> None:
    page.goto(server + QUICKEST)
    page.get_by_role("button", name="Run in full", exact=True).click()
    expect(page.locator(".study-head")).to_contain_text(re.compile("in full.*seconds of work"))
    expect(page.locator(".view-sentence")).to_contain_text("14 rows; 2 findings held")
    expect(page.locator(".verdicts b").first).to_have_text("held")
    page.wait_for_url(re.compile("set.nodes=8"))
    page.get_by_role("button", name="Files").click()
    with page.expect_download() as waiting:
        page.get_by_text("Everything as JSON").click()
    waiting.value.save_as(tmp_path / "study.json")
    assert len(json.loads((tmp_path / "study.json").read_text())["rows"]) == 14


@pytest.mark.slow
def test_a_long_study_is_cancelled_and_keeps_its_rows(page: Page, server: str) -> None:
    page.goto(server + LONG)
    expect(page.locator(".study-head h2")).to_contain_text("How bad may the training oracle be?")
    full = page.get_by_role("button", name="Run in full", exact=True)
    full.click()
    expect(page.locator(".study-head")).to_contain_text("Rows below: in full")
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator("p.run")).to_contain_text("Stopped: cancelled")
    expect(page.locator(".view-sentence")).to_contain_text(re.compile(r"\d+ of 11 rows"))
    expect(full).to_be_enabled()
