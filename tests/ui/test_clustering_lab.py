"""The clustering lab as a person uses it."""

import re

import pytest
from playwright.sync_api import Page, expect


def opened(page: Page, address: str) -> None:
    page.goto(address)
    expect(page.locator(".view-sentence").first).to_contain_text("Asked for")


def said(page: Page, text: str) -> None:
    expect(page.locator(".view-sentence", has_text=text)).to_be_visible()


def test_a_visitor_sees_figure_3_1_merged_walks_back_and_looks_at_another_clusterer(
    page: Page, server: str
) -> None:
    opened(page, f"{server}/clusters")
    said(page, "Step 0 of 6. Every item begins alone")
    page.get_by_role("slider", name="Step").press("End")
    said(page, "Step 6 of 6. Join h and i")
    expect(page.locator("canvas").nth(2)).to_be_attached()
    expect(page.get_by_role("button", name="★ greedy merges")).to_have_attribute("aria-pressed", "true")
    page.locator("body").press("ArrowLeft")
    said(page, "Step 5 of 6")
    page.get_by_role("button", name=re.compile("One step back")).click()
    said(page, "Step 4 of 6")
    page.get_by_role("button", name="triangle relaxation").click()
    said(page, "The shares are whole")
    page.get_by_role("button", name="Move a", exact=True).first.click()
    said(page, "Pairwise loss 16.67")  # a of abcd joins efg: 3 + 3 of 36 pairs
    page.wait_for_url(re.compile("truth="))
    assert "show=triangle" in page.url


@pytest.mark.slow
def test_a_cell_of_figure_3_2_is_changed_and_the_link_keeps_it(page: Page, server: str) -> None:
    opened(page, f"{server}/clusters?source=figure+3.2&asks=violated&edits=0-1:5")
    said(page, "The loss takes 100/T = 10")
    expect(page.locator(".view-sentence").first).to_contain_text("one entry changed")
    page.get_by_role("button", name="Undo all edits").click()
    expect(page.locator(".view-sentence").first).to_contain_text("best H 42 (a / bcde)")
