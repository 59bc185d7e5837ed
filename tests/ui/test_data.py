"""The data page as a person with a file uses it."""

import re
import zipfile
from pathlib import Path
from urllib.parse import parse_qs, urlparse

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.ui.settling import HANGS, drawn

CONLL = """My DET O
aunt NOUN O
Rosa PROPN B-PER
lives VERB O
in ADP O
Turin PROPN B-LOC
. PUNCT O

Pavel PROPN B-PER
met VERB O
Rosa PROPN B-PER
in ADP O
Oslo PROPN B-LOC
. PUNCT O
"""
HOURS = ((6, 2, "grey"), (9, 5, "blue"), (12, 7, "blue"), (15, 6, "grey"), (18, 3, "blue"), (21, 1, "grey"))
ROWS = [f"{hour},{wind},{sky},{'yes' if wind > 4 else 'no'}" for hour, wind, sky in HOURS]
TABLE = "\n".join(["hour,wind,sky,sail", *ROWS, ""])


def bring(page: Page, *files: Path) -> None:
    drawn(page)
    page.locator("input[type=file]").first.set_input_files([str(file) for file in files])


def trained(page: Page) -> None:
    page.get_by_role("button", name="Train here").click()
    expect(page.get_by_role("heading", name="The trained model")).to_be_visible()


def downloaded(page: Page, name: str, place: Path) -> bytes:
    with page.expect_download() as found:
        page.get_by_text(name).click()
    found.value.save_as(place)
    return place.read_bytes()


def test_a_conll_file_goes_to_a_model_its_predictions_and_a_link_that_names_it(
    page: Page, server: str, tmp_path: Path, browser: Browser
) -> None:
    file = tmp_path / "aunts.conll"
    file.write_text(CONLL)
    page.goto(f"{server}/data")
    bring(page, file)
    expect(page.get_by_role("heading", name="aunts.conll")).to_be_visible()
    expect(page.get_by_text("weights to learn")).to_be_visible()
    trained(page)
    labelled = downloaded(page, "Predictions in the file's format", tmp_path / "labelled.conll")
    words = [line.split()[:2] for line in labelled.decode().splitlines()]
    assert words == [line.split()[:2] for line in CONLL.splitlines()]
    assert {line.split()[2] for line in labelled.decode().split("\n") if line} <= {"O", "B-PER", "B-LOC"}
    downloaded(page, "Model as zip", tmp_path / "model.zip")
    assert any("npy" in name for name in zipfile.ZipFile(tmp_path / "model.zip").namelist())
    page.get_by_label("Type a sentence").fill("Rosa lives in Oslo.")
    page.keyboard.press("Enter")
    expect(page.get_by_role("region", name="Every word")).to_contain_text("Rosa")
    page.get_by_role("button", name="Open in the studio").click()
    page.wait_for_url("**/studio?**")
    expect(page.locator("p.run")).to_contain_text("Stopped")
    link = page.url
    said = parse_qs(urlparse(link).query)
    assert said["task"] == ["aunts.conll"]
    assert re.fullmatch("[0-9a-f]{16}", said["file.sum"][0])
    elsewhere(browser, link, file)


def elsewhere(browser: Browser, link: str, file: Path) -> None:
    """Another browser is asked for the file, refuses another one, and shows the page with the right one."""
    context = browser.new_context(viewport={"width": 1280, "height": 720})
    other = context.new_page()
    other.set_default_timeout(HANGS)
    other.goto(link)
    expect(other.get_by_role("heading", name="This link needs a file")).to_be_visible()
    expect(other.get_by_text("aunts.conll")).to_be_visible()
    wrong = file.with_name("others.conll")
    wrong.write_text(CONLL.replace("Rosa", "Nora"))
    bring(other, wrong)
    expect(other.get_by_role("alert").filter(has_text="is another file")).to_be_visible()
    bring(other, file)
    expect(other.locator("p.run")).to_contain_text("Stopped")
    context.close()


def test_a_table_goes_to_a_model_and_to_a_race(page: Page, server: str, tmp_path: Path) -> None:
    file = tmp_path / "boats.txt"
    file.write_text(TABLE)
    page.goto(f"{server}/data")
    bring(page, file)
    expect(page.get_by_role("heading", name="boats.csv")).to_be_visible()
    expect(page.get_by_role("region", name="The first rows")).to_contain_text("grey")
    trained(page)
    labelled = downloaded(page, "Predictions in the file's format", tmp_path / "labelled.csv").decode()
    assert [line.split(",")[:3] for line in labelled.splitlines()] == [
        line.split(",")[:3] for line in TABLE.splitlines()
    ]
    page.get_by_role("button", name="Race learners").click()
    page.wait_for_url("**/race?**file.sum=**")
    expect(page.get_by_text("Finished")).to_be_visible()


def test_what_is_wrong_with_a_file_is_said_with_its_line(page: Page, server: str, tmp_path: Path) -> None:
    file = tmp_path / "broken.conll"
    file.write_text(CONLL.replace("Turin PROPN B-LOC", "Turin"))
    page.goto(f"{server}/data")
    bring(page, file)
    expect(page.get_by_role("alert").filter(has_text="line 6")).to_be_visible()
    expect(page.locator("pre .bad")).to_contain_text("Turin")


@pytest.mark.slow
def test_the_page_fits_a_phone(browser: Browser, server: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 800})
    page = context.new_page()
    page.set_default_timeout(HANGS)
    page.goto(f"{server}/data")
    page.get_by_role("button", name="a table of hours").click()
    expect(page.get_by_role("button", name="Train here")).to_be_visible()
    drawn(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    context.close()


def test_points_that_are_drawn_are_trained_on(page: Page, server: str) -> None:
    page.goto(f"{server}/data")
    page.get_by_role("button", name="points of three kinds").click()
    board = page.locator("canvas")
    for x, y in ((60, 60), (120, 200)):
        board.click(position={"x": x, "y": y})
    page.get_by_role("button", name="square").click()
    for x, y in ((400, 60), (420, 290)):
        board.click(position={"x": x, "y": y})
    page.get_by_role("button", name="Use this drawing").click()
    expect(page.get_by_role("heading", name="points.csv")).to_be_visible()
    trained(page)
