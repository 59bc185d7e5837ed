"""The labelling as a person uses it: click, paint, drag, and change the task."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.ui.settling import settled

SMALL = "/studio?v=1&data.n=4&data.n_test=2&rule.steps=6&view=trellis"


def opened(page: Page, server: str, task: str) -> Locator:
    """The card of the labelling of a small run; a link to the trellis leads there."""
    page.goto(f"{server}{SMALL}&task={task}")
    expect(page.locator("p.run")).to_contain_text("Stopped")
    card = page.locator(".view-card").first
    expect(card.get_by_text(re.compile(r"^Example 0: "))).to_be_visible()
    card.locator("canvas").first.scroll_into_view_if_needed()
    at_rest(page, 0)
    return card


def at_rest(page: Page, node: int) -> tuple[float, float]:
    """Where a node is drawn, once the figure has taken its size and the page its shape."""
    place = settled(page, lambda: spot(page, node))
    assert place is not None
    return place


def spot(page: Page, node: int) -> tuple[float, float] | None:
    """Where on the page a node of the labelling is drawn; None before it is."""
    found = page.evaluate(
        """(node) => {
          const search = (view) => view.model.type == "Figure" && view.model.renderers.some(
            (r) => "sum0" in r.data_source.data) ? view
            : [...view.children()].map(search).find((inner) => inner)
          const view = [...Bokeh.index.roots].map(search).find((inner) => inner)
          if (!view?.frame?.x_scale) return null
          const data = view.model.renderers.find((r) => "sum0" in r.data_source.data).data_source.data
          const box = view.canvas.el.getBoundingClientRect()
          const {x_scale, y_scale} = view.frame
          return [box.x + x_scale.compute(data.x[node]), box.y + y_scale.compute(data.y[node])]
        }""",
        node,
    )
    return (found[0], found[1]) if found else None


def test_a_click_explains_a_cell_and_painting_changes_the_prediction(page: Page, server: str) -> None:
    card = opened(page, server, "stripes")
    page.mouse.click(*at_rest(page, 14))
    expect(card.get_by_text(re.compile("^Row 2, column 3: "))).to_be_visible()
    expect(card.get_by_role("row", name=re.compile("^sum "))).to_be_visible()
    card.get_by_role("button", name=re.compile("^Paint")).click()
    expect(card.get_by_text(re.compile("^Row 2, column 3: "))).to_have_count(0)
    for name in ("red", "green"):
        card.get_by_role("button", name=name).click()
        page.mouse.click(*at_rest(page, 14))
        expect(card.get_by_text(f"What if row 2, column 3 is {name}")).to_be_visible()
    card.get_by_role("button", name="Take all changes back").click()
    expect(card.get_by_text("What if")).to_have_count(0)


@pytest.mark.slow
def test_a_node_is_dragged_and_its_edges_follow(page: Page, server: str) -> None:
    opened(page, server, "trees")
    x, y = at_rest(page, 0)
    page.mouse.move(x, y)
    page.mouse.down()
    for k in range(1, 6):
        page.mouse.move(x + 8 * k, y + 4 * k)
    page.mouse.up()
    there = at_rest(page, 0)
    assert abs(there[0] - x - 40) < 4
    assert abs(there[1] - y - 20) < 4


@pytest.mark.slow
def test_another_task_brings_its_own_structure_view(page: Page, server: str) -> None:
    opened(page, server, "clubs")
    expect(page.get_by_role("tab", name="Labelling")).to_be_visible()
    page.get_by_role("combobox", name="Task").click()
    page.get_by_role("option", name="Blocks with distortion").click()
    expect(page.get_by_role("tab", name="Trellis")).to_be_visible()
    expect(page.get_by_text(re.compile("most tempting labelling")).first).to_be_visible()
