"""The workshop in a browser: the flowchart walks, the program answers."""

from playwright.sync_api import Page, expect


def test_the_flowchart_walks_and_the_program_is_solved_anew(page: Page, server: str) -> None:
    page.goto(f"{server}/workshop")
    expect(page.get_by_text("Call 1 of")).to_be_visible()
    page.get_by_role("button", name="One step on").click()
    expect(page.get_by_text("Call 2 of")).to_be_visible()
    expect(page.get_by_text("The optimum 3.25 is at x0 = 1, x1 = 2.25")).to_be_visible()
    page.get_by_label("x0 and x1 at least 0").check()
    page.get_by_label("In whole numbers").check()
    expect(page.get_by_text("In whole numbers it is 3")).to_be_visible()
