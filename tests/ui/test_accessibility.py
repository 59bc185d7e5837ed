"""Every page in every theme, checked against the accessibility rules that a machine can check."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.ui.settling import HANGS, drawn

LOOKS = 30
"""How often a page is looked at, a second apart and more: what is still being drawn is no fault."""

SERIOUS = ("serious", "critical")
DARK = re.compile(r"rgb\((\d|[1-4]\d), ")
"""A background whose red is below 50."""


@pytest.fixture(scope="module", params=["studio", "race", "gallery", "lab", "clusters", "studies"])
def opened(browser: Browser, server: str, request: pytest.FixtureRequest) -> Iterator[Page]:
    """One page, opened once and dressed in every theme in turn."""
    context = browser.new_context(viewport={"width": 1280, "height": 720})
    page = context.new_page()
    page.set_default_timeout(HANGS)
    page.goto(f"{server}/{request.param}")
    page.get_by_role("combobox", name="Theme").wait_for()
    yield page
    context.close()


def dress(page: Page, theme: str) -> None:
    """Choose the theme and wait until the page wears it."""
    choose = page.get_by_role("combobox", name="Theme")
    if choose.inner_text() != theme:
        choose.click()
        page.get_by_role("option", name=theme).click()
        expect(choose).to_have_text(theme)
    body = expect(page.locator("body"))
    (body.to_have_css if theme == "dark" else body.not_to_have_css)("background-color", DARK)


def faults(page: Page) -> list[str]:
    """What a person could stumble over: rule, element and reason."""
    found: list[dict[str, Any]] = Axe().run(page).response["violations"]
    return [
        f"{rule['id']} ({rule['impact']}): {node['html'][:300]} - "
        f"{' '.join(node['failureSummary'].split())[:300]}"
        for rule in found
        if rule["impact"] in SERIOUS
        for node in rule["nodes"]
    ]


@pytest.mark.parametrize(
    "theme",
    [
        "light",
        pytest.param("dark", marks=pytest.mark.slow),
        pytest.param("projector", marks=pytest.mark.slow),
    ],
)
def test_no_page_has_a_serious_fault_in_any_theme(opened: Page, theme: str) -> None:
    check(opened, theme)


def test_the_studio_has_no_serious_fault_in_the_other_themes(page: Page, server: str) -> None:
    page.goto(f"{server}/studio")
    page.get_by_role("combobox", name="Theme").wait_for()
    for theme in ("dark", "projector"):
        check(page, theme)


def check(opened: Page, theme: str) -> None:
    """Dress a page and look for faults until there are none, or no time."""
    dress(opened, theme)
    drawn(opened)
    for _ in range(LOOKS):
        if not (left := faults(opened)):
            return
        opened.wait_for_timeout(1000)
    raise AssertionError("\n".join(left))
