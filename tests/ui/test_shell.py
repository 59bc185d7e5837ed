"""What all pages have: hints, keys, the address line, a server that may go away, screens of all sizes."""

import os
import re
import signal
import subprocess
import sys

import pytest
from playwright.sync_api import Browser, Page, expect

from explorer.dashboards.navigation import SIDE_BY_SIDE
from tests.ui.settling import HANGS, answers, drawn
from tests.waiting import wait_until

RACE = "/race?v=1&task=blocks&data.n=4&data.n_test=2&data.length=20&learners=n-slack,one-slack&C=5&passes=30"
LAB = "/lab"
NARROWEST, WIDEST = 150, 290
"""Pixels of a hint of a sentence."""


def finished(page: Page, server: str) -> None:
    page.goto(server + RACE)
    expect(page.get_by_text("Finished: every learner has stopped.")).to_be_visible()
    drawn(page)


def step(page: Page) -> int:
    return int(page.get_by_role("slider", name="Step").input_value())


def test_a_hint_can_be_read_and_lets_the_click_on_its_neighbour_through(page: Page, server: str) -> None:
    finished(page, server)
    play, reset = (page.get_by_role("button", name=re.compile(f"^{name}")) for name in ("Play", "Reset"))
    play.hover()
    hint = page.get_by_role("tooltip")
    expect(hint).to_contain_text("a finished race is run again")
    box = hint.bounding_box()
    pressed, beside = play.bounding_box(), reset.bounding_box()
    assert box
    assert pressed
    assert beside
    assert NARROWEST <= box["width"] <= WIDEST
    assert box["y"] >= pressed["y"] + pressed["height"] - 1, "it stands below its button"
    page.mouse.move(beside["x"] + 20, beside["y"] + beside["height"] / 2, steps=4)
    page.mouse.down()
    page.mouse.up()
    expect(page.get_by_text("Choose two to four learners and press play.")).to_be_visible()


def test_the_help_of_a_view_stays_on_the_screen(page: Page, server: str) -> None:
    finished(page, server)
    page.get_by_role("button", name="For each learner the best objective").hover()
    hint = page.get_by_role("tooltip")
    expect(hint).to_contain_text("thick")
    box = hint.bounding_box()
    assert box
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 1280
    assert box["width"] >= NARROWEST


def test_space_and_arrows_work_after_a_click_on_a_button(page: Page, server: str) -> None:
    page.goto(server + LAB)
    back = page.get_by_role("button", name="One step back")
    on = page.get_by_role("button", name="One step on")
    expect(on.or_(back).first).to_be_visible()
    drawn(page)
    page.get_by_role("button", name=re.compile("^Show the numbers behind Step by step")).click()
    expect(page.get_by_role("region", name="Step by step")).to_be_visible()
    at = step(page)
    key, by = ("ArrowRight", 1) if at == 0 else ("ArrowLeft", -1)
    page.keyboard.press(key)
    expect(page.get_by_role("slider", name="Step")).to_have_value(str(at + by))
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    expect(page.get_by_role("region", name="Step by step")).to_be_visible()


def test_a_button_that_was_reached_by_tab_takes_space_for_itself(page: Page, server: str) -> None:
    finished(page, server)
    page.get_by_role("button", name=re.compile("^Play")).focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(page.get_by_text("Choose two to four learners and press play.")).to_be_visible()


def test_space_plays_on_the_whole_screen_and_does_not_leave_it(page: Page, server: str) -> None:
    page.goto(server + LAB)
    page.get_by_role("button", name=re.compile("^Show Step by step on the whole screen")).click()
    page.wait_for_function("document.fullscreenElement !== null")
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    assert page.evaluate("document.fullscreenElement !== null")


def test_changes_take_the_place_of_the_address_and_back_leads_to_the_page_before(
    page: Page, server: str
) -> None:
    page.goto(server + "/gallery")
    page.locator("a.card").first.wait_for()
    page.get_by_role("link", name="Race").click()
    expect(page.get_by_role("button", name="Share")).to_be_visible()
    page.wait_for_url(re.compile("learners="))
    entries = page.evaluate("history.length")
    page.get_by_role("checkbox", name="log horizontal").check()
    page.wait_for_url(re.compile("horizontal=log"))
    page.get_by_role("checkbox", name="log vertical").uncheck()
    page.wait_for_url(re.compile("objective=linear"))
    assert page.evaluate("history.length") == entries
    page.go_back()
    page.wait_for_url(re.compile("/gallery"))
    page.locator("a.card").first.wait_for()
    page.go_forward()
    expect(page.get_by_role("checkbox", name="log horizontal")).to_be_checked()


def serve(port: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "explorer", "serve", "--port", str(port)]
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=os.environ.copy()
    )
    wait_until(lambda: answers(f"http://localhost:{port}/race", process))
    return process


def stop(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGTERM)
    process.wait()


def test_a_server_that_went_away_is_told_and_one_that_came_back_is_reloaded(page: Page, port: int) -> None:
    first = serve(port)
    page.goto(f"http://localhost:{port}/gallery")
    page.locator("a.card").first.wait_for()
    drawn(page)
    assert page.get_by_role("alert").count() == 0
    stop(first)
    said = page.get_by_role("alert")
    expect(said).to_contain_text("The server does not answer; trying again")
    second = serve(port)
    expect(said).to_contain_text("The server is there again")
    said.get_by_role("button", name="Reload").click()
    page.locator("a.card").first.wait_for()
    expect(page.get_by_role("alert")).to_have_count(0)
    stop(second)


@pytest.mark.parametrize("size", [(390, 844), (820, 1180), (1024, 768)])
@pytest.mark.parametrize("name", ["race", "lab", "clusters", "studies", "gallery"])
def test_narrow_screens_begin_with_the_page_and_reach_all_others(
    browser: Browser, server: str, size: tuple[int, int], name: str
) -> None:
    context = browser.new_context(viewport={"width": size[0], "height": size[1]})
    page = context.new_page()
    page.set_default_timeout(HANGS)
    page.goto(f"{server}/{name}")
    page.get_by_role("combobox", name="Theme").wait_for()
    drawn(page)
    if name != "gallery":
        page.get_by_role("button", name="Open drawer").wait_for()
    assert page.evaluate("document.scrollingElement.scrollWidth") <= size[0]
    for control in (
        page.get_by_role("combobox", name="Theme"),
        page.get_by_role("button", name="Open drawer"),
    ):
        box = control.first.bounding_box() if control.count() else None
        assert box is None or 0 <= box["x"] <= box["x"] + box["width"] <= size[0]
    if size[0] > SIDE_BY_SIDE:
        last = page.get_by_role("link", name="Studies").bounding_box()
        assert last
        assert last["x"] + last["width"] <= size[0]
        page.get_by_role("link", name="Gallery").click()
    else:
        page.get_by_role("combobox", name="Page", exact=True).select_option(
            "Gallery" if name != "gallery" else "Race"
        )
    page.wait_for_url(re.compile("/race" if name == "gallery" and size[0] <= SIDE_BY_SIDE else "/gallery"))
    context.close()
