"""Taking a page away and bringing a run back."""

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

SMALL = "/studio?v=1&task=digit-words&data.n=30&data.n_test=10&set.C=5"


@pytest.fixture
def studio(page: Page, server: str) -> Page:
    page.goto(server + SMALL)
    expect(page.locator("p.run")).to_contain_text("Step")
    return page


def steps(page: Page) -> int:
    found = re.search(r"of (\d+)", page.locator("p.run").inner_text())
    assert found
    return int(found[1])


def upload(page: Page, file: Any) -> None:
    page.get_by_role("button", name="More settings").click()
    page.get_by_role("button", name="Files").click()
    page.locator("input[type=file]").first.set_input_files(file)


def test_share_copies_a_link_a_notebook_cell_and_a_command_line(studio: Page) -> None:
    expected = {
        "Copy link": "task=digit-words&",
        "Copy as notebook cell": "explorer.explore(explorer.Recipe.of(",
        "Copy as command line": "explorer train digit-words --learner",
    }
    for label, text in expected.items():
        studio.get_by_role("button", name="Share").click()
        studio.get_by_role("menuitem", name=label, exact=True).click()
        area = studio.get_by_role("dialog").locator("textarea").first
        expect(area).to_have_value(re.compile(re.escape(text)))
        assert studio.evaluate("navigator.clipboard.readText()") == area.input_value()
        studio.keyboard.press("Escape")
        expect(studio.get_by_role("dialog")).to_have_count(0)


@pytest.mark.slow
def test_a_saved_run_is_opened_again_without_training(studio: Page, server: str, tmp_path: Path) -> None:
    studio.locator("body").press("r")
    expect(studio.locator("p.run")).to_contain_text("Ready")
    for count in range(1, 4):
        studio.get_by_role("button", name=re.compile("^Step")).click()
        expect(studio.locator("p.run")).to_contain_text(f"of {count - 1}.")
    studio.get_by_role("button", name="More settings").click()
    studio.get_by_role("button", name="Files").click()
    with studio.expect_download() as waiting:
        studio.get_by_role("button", name=re.compile("bundle", re.IGNORECASE)).first.click()
    path = tmp_path / "run.zip"
    waiting.value.save_as(path)

    other = studio.context.new_page()
    other.goto(server + "/studio")
    expect(other.locator("p.run")).to_contain_text("Step")
    assert steps(other) > 3
    upload(other, path)
    expect(other.locator("p.run")).to_contain_text("Paused. Step 2 of 2.")
    other.get_by_role("button", name=re.compile("^Step")).click()
    expect(other.locator("p.run")).to_contain_text("Step 3 of 3.")


def test_a_broken_bundle_is_explained_and_changes_nothing(studio: Page) -> None:
    before = studio.locator("p.run").inner_text()
    upload(
        studio, {"name": "run.zip", "mimeType": "application/zip", "buffer": b"PK\x03\x04 this is not a run"}
    )
    expect(studio.get_by_text(re.compile("The bundle cannot be opened"))).to_be_visible()
    assert studio.locator("p.run").inner_text() == before
