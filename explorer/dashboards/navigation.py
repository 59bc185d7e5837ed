"""The links from page to page in the title bar; on a phone they are a menu."""

from typing import Any

import param
from panel.custom import JSComponent

PAGES = {
    "learn/": "Course",
    "studio": "Studio",
    "data": "Your data",
    "race": "Race",
    "gallery": "Gallery",
    "lab": "Oracle lab",
    "clusters": "Clusters",
    "studies": "Studies",
    "workshop": "Workshop",
}


PHONE = 760
"""Pixels; a narrower screen is a phone's."""

SIDE_BY_SIDE = 1000
"""Pixels; on a narrower screen there is no room for the links side by side."""

LOOK = (
    """
:host { flex: 0 1 auto; min-width: 0; }
nav { display: flex; gap: 2px; align-items: stretch; height: 52px; }
a { display: flex; align-items: center; padding: 3px 10px 0; white-space: nowrap;
  color: inherit; font-size: var(--type-small, 14px); text-decoration: none;
  border-bottom: 3px solid transparent; }
a:hover { border-bottom-color: currentColor; }
a[aria-current] { font-weight: 600; border-bottom-color: var(--mui-palette-primary-main, #0b62a4); }
a:focus-visible, select:focus-visible { outline: 2px solid currentColor; outline-offset: -2px; }
select { display: none; font: inherit; font-size: var(--type-text, 16px); color: inherit;
  background: transparent; border: 1px solid currentColor; border-radius: 6px; padding: 6px 4px; }
option { color: #000000; background: #ffffff; }
"""
    + f"@media (max-width: {SIDE_BY_SIDE}px) {{ nav {{ display: none; }} select {{ display: block; }} }}"
)


class PageLinks(JSComponent):
    """One link for each page; the page that is shown is underlined."""

    pages = param.Dict(PAGES, doc="Titles by address.")
    here = param.String("", doc="The page that is shown.")
    theme = param.String("light", doc="The theme that the next page is to wear.")

    _esm = """
    export function render({ model, el }) {
      const nav = document.createElement("nav"), menu = document.createElement("select")
      nav.setAttribute("aria-label", "Pages")
      menu.setAttribute("aria-label", "Page")
      const address = (name) => `${name}?theme=${model.theme}`
      const links = Object.entries(model.pages).map(([name, title]) => {
        const link = document.createElement("a"), option = document.createElement("option")
        link.textContent = option.textContent = title
        option.value = name
        option.selected = name === model.here
        if (name === model.here) link.setAttribute("aria-current", "page")
        nav.append(link)
        menu.append(option)
        return [name, link]
      })
      const write = () => { for (const [name, link] of links) link.href = address(name) }
      menu.addEventListener("change", () => { location.href = address(menu.value) })
      model.on("theme", write)
      write()
      el.append(nav, menu)
    }
    """

    def __init__(self, here: str, **params: Any) -> None:
        super().__init__(here=here, margin=(0, 8), align="center", stylesheets=[LOOK], **params)


__all__ = ["PAGES", "PHONE", "PageLinks"]
