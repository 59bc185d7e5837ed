"""The margin ladder as a person uses it: a link to the trellis of a task with classes leads there, and a
point opens.
"""

import re

from playwright.sync_api import Page, expect

from tests.ui.settling import settled

PLACE = """() => {
  const search = (view) => view.model.type == "Figure" && view.model.renderers.some(
    (r) => "truth" in (r.data_source?.data ?? {}) && "marker" in r.data_source.data) ? view
    : [...view.children()].map(search).find((inner) => inner)
  const view = [...Bokeh.index.roots].map(search).find((inner) => inner)
  const data = view?.model.renderers.find((r) => "truth" in r.data_source.data)?.data_source.data
  if (!view?.frame?.x_scale || !data?.x.length) return null
  const box = view.canvas.el.getBoundingClientRect()
  return [box.x + view.frame.x_scale.compute(data.x[7]), box.y + view.frame.y_scale.compute(data.y[7])]
}"""


def test_a_click_on_a_point_opens_its_ladder(page: Page, server: str) -> None:
    page.goto(f"{server}/studio?v=1&task=circle&view=trellis")
    card = page.locator(".view-card").first
    expect(page.get_by_role("tab", name="Margin ladder")).to_be_visible()
    expect(card.get_by_text(re.compile(r"^Example 0, step 2: misclassified"))).to_be_visible()
    page.mouse.click(*settled(page, lambda: page.evaluate(PLACE)))
    expect(card.get_by_text(re.compile(r"^Example 7, step 2: "))).to_be_visible()
    expect(card.get_by_text("margin too small 4")).to_be_visible()
