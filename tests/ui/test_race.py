"""The race in a browser: its address brings it back, it can be taken away, and keys drive it."""

import re

from playwright.sync_api import Page, expect

SMALL = "/race?v=1&task=blocks&data.n=4&data.n_test=2&data.length=20&learners=n-slack,one-slack&C=5&passes=30"


def opened(page: Page, address: str) -> None:
    page.goto(address)
    expect(page.get_by_text("Finished: every learner has stopped.")).to_be_visible()


def standings(page: Page) -> list[list[str]]:
    """The rows as told, without the seconds, which no two runs share."""
    rows = [row.locator("td").all_inner_texts() for row in page.locator(".standings tbody tr").all()]
    return [[*row[1:5], row[6]] for row in rows]


def test_the_address_follows_the_choices_and_brings_the_same_race_back(page: Page, server: str) -> None:
    opened(page, server + SMALL)
    page.get_by_role("checkbox", name="MIRA").check()
    page.get_by_role("checkbox", name="log horizontal").check()
    page.wait_for_url(re.compile("learners=n-slack,one-slack,mira&.*horizontal=log"))
    expect(page.get_by_text("Finished: every learner has stopped.")).to_be_visible()
    expect(page.locator(".standings tbody tr")).to_have_count(3)
    other = page.context.new_page()
    opened(other, page.url)
    assert standings(other) == standings(page)
    assert [row[0] for row in standings(other)] == ["n-slack cutting plane", "1-slack cutting plane", "MIRA"]
    for name in ("MIRA", "log horizontal", "log vertical"):
        expect(other.get_by_role("checkbox", name=name)).to_be_checked()
    expect(other.get_by_role("checkbox", name="Bundle method")).not_to_be_checked()


def test_share_copies_a_link_a_cell_and_a_command_for_each_learner(page: Page, server: str) -> None:
    opened(page, server + SMALL)
    expected = {
        "Copy link": r"/race\?v=1&task=blocks&data\.n=4&",
        "Copy as notebook cell": r"lockstep\(runs, by='oracle_calls'\)",
        "Copy as command lines": r"^explorer train blocks --learner n-slack .*\nexplorer train blocks "
        r"--learner one-slack ",
    }
    for label, text in expected.items():
        page.get_by_role("button", name="Share").click()
        page.get_by_role("menuitem", name=label, exact=True).click()
        area = page.get_by_role("dialog").locator("textarea").first
        expect(area).to_have_value(re.compile(text))
        assert page.evaluate("navigator.clipboard.readText()") == area.input_value()
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)


def test_keys_reset_and_play_and_a_bad_link_is_explained(page: Page, server: str) -> None:
    opened(page, server + SMALL + "&clock=moon")
    expect(page.get_by_text("The link's clock cannot be 'moon'; oracle calls is used.")).to_be_visible()
    page.keyboard.press("r")
    expect(page.get_by_text("Choose two to four learners and press play.")).to_be_visible()
    page.keyboard.press("Space")
    expect(page.get_by_text("Finished: every learner has stopped.")).to_be_visible()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("reset the race")
