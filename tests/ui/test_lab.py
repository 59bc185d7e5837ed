"""The oracle lab as a person uses it."""

import re
from dataclasses import replace

import pytest
from playwright.sync_api import Page, expect

from explorer.labs.fields.state import FIRST, FieldLab


def opened(page: Page, address: str) -> None:
    page.goto(address)
    expect(page.locator(".view-sentence").first).to_contain_text("oracles reach")


def test_the_first_page_compares_all_oracles_and_a_name_shows_one_at_work(page: Page, server: str) -> None:
    opened(page, f"{server}/lab")
    expect(page.get_by_role("button", name="★ exhaustive")).to_be_visible()
    expect(page.locator(".view-sentence", has_text="Step 0 of 100. No message has been sent")).to_be_visible()
    page.get_by_role("slider", name="Step").press("End")
    expect(page.locator(".view-sentence", has_text="Not converged after 100 sweeps")).to_be_visible()
    expect(page.locator("canvas").nth(2)).to_be_attached()
    page.get_by_role("button", name="greedy", exact=True).click()
    expect(page.locator(".view-sentence", has_text="No single flip gains any more")).to_be_visible()
    expect(page.get_by_role("button", name="greedy", exact=True)).to_have_attribute("aria-pressed", "true")
    page.wait_for_url(re.compile("show=greedy"))


@pytest.mark.slow
def test_buttons_and_keys_walk_through_the_steps(page: Page, server: str) -> None:
    last = len(FieldLab(replace(FIRST, shown="greedy")).film) - 1
    opened(page, f"{server}/lab?show=greedy&step=-1")
    expect(page.locator(".view-sentence", has_text=f"Step {last} of {last}")).to_be_visible()
    page.locator("body").press("ArrowLeft")
    expect(page.locator(".view-sentence", has_text=f"Step {last - 1} of")).to_be_visible()
    page.get_by_role("button", name=re.compile("One step back")).click()
    expect(page.locator(".view-sentence", has_text=f"Step {last - 2} of")).to_be_visible()
    page.get_by_role("button", name=re.compile("^Play")).click()
    expect(page.locator(".view-sentence", has_text=f"Step {last} of")).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("^Play"))).to_be_visible()


@pytest.mark.slow
def test_another_seed_and_another_choice_of_oracles_are_in_the_address(page: Page, server: str) -> None:
    opened(page, f"{server}/lab?kind=tree&size=8&seed=5")
    page.get_by_role("checkbox", name=re.compile("^independent")).uncheck()
    expect(page.get_by_role("button", name="independent", exact=True)).to_have_count(0)
    page.get_by_role("button", name="More Seed").click()
    expect(page.locator(".view-sentence").first).to_contain_text("seed 6")
    page.wait_for_url(re.compile("seed=6"))
    page.reload()
    expect(page.locator(".view-sentence").first).to_contain_text("seed 6")
    expect(page.get_by_role("checkbox", name=re.compile("^independent"))).not_to_be_checked()
