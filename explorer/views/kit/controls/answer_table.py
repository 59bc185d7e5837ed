"""The replies of several oracles as a table; what is pressed in it is carried out."""

from typing import Any, ClassVar, TypeVar

from explorer.views.kit.controls.live_html import LiveHTML
from explorer.views.kit.drawing.theme import Theme
from explorer.views.kit.protocols import Watched
from explorer.views.kit.view import View

L = TypeVar("L", bound=Watched)

LOOK = """
:host { overflow: auto; }
table { border-collapse: collapse; width: 100%; font-size: var(--size); }
caption { text-align: left; padding: 2px 8px 6px; color: var(--muted); caption-side: bottom; }
th, td { padding: 1px 4px; text-align: right; white-space: nowrap; }
th, td { border-bottom: 1px solid rgba(128, 128, 128, 0.35); }
thead th[title] { text-decoration: underline dotted; text-underline-offset: 3px; cursor: help; }
thead th { position: sticky; top: 0; background: var(--background); z-index: 1; }
tbody th, thead th:first-child { text-align: left; font-weight: 400; }
td:nth-child(2), th:nth-child(2) { text-align: left; }
tr.shown { background: var(--shown); box-shadow: inset 4px 0 0 var(--link); }
tr.refused th, tr.refused td { color: var(--muted); font-style: italic; }
tr.refused td { white-space: normal; text-align: left; font-size: 0.92em; line-height: 1.25; }
button { font: inherit; color: inherit; background: none; border: 0; padding: 3px 2px; cursor: pointer;
  text-align: left; border-radius: 3px;
  text-decoration: underline; text-decoration-thickness: 1px; text-underline-offset: 3px; }
button:hover { color: var(--link); }
button:focus-visible { outline: 2px solid var(--link); }
"""


class AnswerTable(View[L]):
    """A table of answers; `look` is added to the style of all of them."""

    look: ClassVar[str] = ""
    large: ClassVar[int] = 18
    """Pixels of its type on a projector."""

    follows = ("tick",)
    urgent = True

    def build(self) -> Any:
        sheets = [LOOK + self.look]
        place = {"sizing_mode": "stretch_both", "min_height": 120, "margin": (0, 4)}
        self.list = LiveHTML(self.press, stylesheets=sheets, **place)
        return self.list

    def press(self, act: str, checked: bool | None) -> None:
        """Carry out the act of a button."""
        raise NotImplementedError  # every table has its own names

    def recolour(self, theme: Theme) -> None:
        self.list.styles = style_variables(theme, self.large)


def style_variables(theme: Theme, large: int) -> dict[str, str]:
    """The theme's colours and size of type, as a style sheet asks for them."""
    shown = "rgba(108, 184, 240, 0.2)" if theme.name == "dark" else "rgba(11, 98, 164, 0.12)"
    colours = {"muted": theme.muted, "background": theme.background, "link": theme.dual, "text": theme.text}
    size = theme.font if theme.name in ("light", "dark") else large
    return {f"--{name}": value for name, value in (colours | {"shown": shown, "size": f"{size}px"}).items()}
