"""The answers of all oracles on one field, side by side; a name is a button that shows how that oracle
works.
"""

from typing import Any, ClassVar

from explorer.labs.fields.comparison import Comparison, titles
from explorer.labs.fields.state import Lab
from explorer.views.field_lab import words
from explorer.views.kit.live_html import LiveHTML
from explorer.views.kit.theme import Theme
from explorer.views.kit.view import View

LOOK = """
:host { overflow: auto; }
table { border-collapse: collapse; width: 100%; font-size: var(--size); }
caption { text-align: left; padding: 2px 8px 6px; color: var(--muted); caption-side: bottom; }
th, td { padding: 1px 4px; text-align: right; border-bottom: 1px solid rgba(128, 128, 128, 0.35); white-space: nowrap; }
thead th { position: sticky; top: 0; background: var(--background); z-index: 1; }
tbody th, thead th:first-child { text-align: left; font-weight: 400; }
td:nth-child(2), thead th:nth-child(2) { text-align: left; }
tr.best th, tr.best td { font-weight: 700; }
tr.shown { background: var(--shown); box-shadow: inset 4px 0 0 var(--link); }
tr.refused th, tr.refused td { color: var(--muted); font-style: italic; }
tr.refused td { white-space: normal; text-align: left; font-size: 0.92em; line-height: 1.25; }
button { font: inherit; color: inherit; background: none; border: 0; padding: 3px 2px; cursor: pointer; text-align: left;
  text-decoration: underline; text-decoration-thickness: 1px; text-underline-offset: 3px; border-radius: 3px; }
button:hover { color: var(--link); }
button:focus-visible { outline: 2px solid var(--link); }
"""


class Answers(View[Lab]):
    """Table of answers."""

    title: ClassVar[str] = "Oracles side by side"
    name_key: ClassVar[str] = "answers"
    help: ClassVar[str] = (
        "One field, decoded by every oracle that was chosen. Under: labellings that may not be the best. "
        "Over: relaxed "
        "answers whose bound is never below the best. Exact: both at once. Press a name to see the oracle "
        "at work."
    )
    follows = ("tick",)
    urgent = True
    sentence = staticmethod(words.sentence)
    table = staticmethod(words.table)

    def build(self) -> Any:
        self.list = LiveHTML(
            self._pressed, sizing_mode="stretch_both", min_height=120, margin=(0, 4), stylesheets=[LOOK]
        )
        return self.list

    def _pressed(self, title: str, checked: bool | None) -> None:
        if title in titles():
            self.session.look_at(title)

    def frame(self) -> Comparison:
        return self.session.compared

    def show(self, frame: Comparison) -> None:
        self.list.html = words.html(frame, self.session.shown)

    def recolour(self, theme: Theme) -> None:
        shown = "rgba(108, 184, 240, 0.2)" if theme.name == "dark" else "rgba(11, 98, 164, 0.12)"
        names = {"muted": theme.muted, "background": theme.background, "link": theme.dual, "shown": shown}
        size = {"light": 13, "dark": 13}.get(theme.name, 15)
        self.list.styles = {f"--{name}": colour for name, colour in names.items()} | {"--size": f"{size}px"}
