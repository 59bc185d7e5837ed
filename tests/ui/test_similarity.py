"""The similarity as a person uses it: point at a cell, pin an item, see what the loss adds, and let items
move.
"""

import re

from playwright.sync_api import Locator, Page, expect

from tests.ui.settling import settled

FIGURE = "/studio?v=1&task=clusters&data.which=figure+3.2&rule.steps=8&view=similarity"

FIND = """(name) => {
  const search = (view) => view.model.type == "Figure" && view.model.js_event_callbacks?.mousemove
    && view.model.renderers.some((r) => "before" in r.data_source.data && r.data_source.data.image.length)
    ? view : [...view.children()].map(search).find((inner) => inner)
  const view = [...Bokeh.index.roots].map(search).find((inner) => inner)
  if (!view?.frame?.x_scale) return null
  const of = (test) => view.model.renderers.find(test).data_source.data
  const image = of((r) => "before" in r.data_source.data).image[0]
  const names = of((r) => r.glyph.type == "Text" && r.glyph.text_align.value == "right")
  if (name == "cells") return [Array.from(image), Array.from(names.text), Array.from(names.y)]
  const box = view.canvas.el.getBoundingClientRect()
  const {x_scale, y_scale} = view.frame
  return [0.5, 1.5].map((at) => [box.x + x_scale.compute(at), box.y + y_scale.compute(at)])
}"""


def opened(page: Page, server: str) -> Locator:
    """The card of the similarity of a small run."""
    page.goto(f"{server}{FIGURE}")
    expect(page.locator("p.run")).to_contain_text("Stopped")
    card = page.locator(".view-card").first
    expect(card.get_by_text(re.compile(r"^Example 0: \d clusters? predicted, 2 true"))).to_be_visible()
    card.locator("canvas").first.scroll_into_view_if_needed()
    settled(page, lambda: page.evaluate(FIND, "place"))  # the figure takes its size, and the page its shape
    return card


def cells(page: Page) -> tuple[dict[tuple[str, str], int], list[str]]:
    """The number of every cell by the names of its pair, and the names from top to bottom."""
    values, names, heights = settled(page, lambda: page.evaluate(FIND, "cells"))  # items may still move
    assert heights == [k + 0.5 for k in range(len(names))]
    m = len(names)
    return {(a, b): values[r * m + c] for r, a in enumerate(names) for c, b in enumerate(names)}, names


def test_pairs_are_explained_items_pinned_and_moved_to_the_order_of_the_most_violated(
    page: Page, server: str
) -> None:
    card = opened(page, server)
    first, second = page.evaluate(FIND, "place")
    page.mouse.move(second[0] + 2, first[1] + 2)
    page.mouse.move(second[0], first[1])
    expect(card.get_by_text(re.compile(r"^a and b: similarity "))).to_be_visible()
    page.mouse.click(second[0], first[1])
    expect(card.get_by_text(re.compile("^Pinned: a: true cluster A"))).to_be_visible()
    before, order = cells(page)
    assert order == list("abcde")
    card.get_by_role("combobox", name="Ordered by").click()
    page.get_by_role("option", name="most tempting").click()
    expect(card.get_by_text(re.compile("in the most tempting clustering, 2 true"))).to_be_visible()
    after, order = cells(page)
    assert sorted(order) == list("abcde")
    assert after == before  # the same similarity, wherever its items have moved
