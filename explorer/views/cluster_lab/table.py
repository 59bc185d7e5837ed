"""The answers of all clusterers on one similarity, one part for each question; a name shows how that
clusterer works.
"""

from typing import Any, ClassVar

from explorer.labs.clusterings.state import ClusterLab
from explorer.views.cluster_lab import words
from explorer.views.kit.live_html import LiveHTML
from explorer.views.kit.theme import Theme
from explorer.views.kit.view import View

LOOK = """
:host { overflow: auto; }
table { border-collapse: collapse; width: 100%; font-size: var(--size); }
caption { text-align: left; padding: 2px 8px 6px; color: var(--muted); caption-side: bottom; }
th, td { padding: 0 4px; text-align: right; border-bottom: 1px solid rgba(128, 128, 128, 0.35); white-space: nowrap; }
thead th { position: sticky; top: 0; background: var(--background); z-index: 1; }
tbody th, thead th:first-child { text-align: left; font-weight: 400; }
td:nth-child(2), th:nth-child(2), td:nth-child(6), th:nth-child(6) { text-align: left; }
td:nth-child(6) { white-space: normal; line-height: 1.2; }
tr.group th { white-space: normal; padding: 5px 4px 2px; line-height: 1.25; color: var(--text); }
tr.exact th, tr.exact td { border-top: 2px solid var(--link); border-bottom: 2px solid var(--link); font-weight: 600; }
tr.exact th { border-left: 2px solid var(--link); } tr.exact td:last-child { border-right: 2px solid var(--link); }
tr.shown { background: var(--shown); box-shadow: inset 4px 0 0 var(--link); }
tr.refused th, tr.refused td { color: var(--muted); font-style: italic; }
tr.refused td { white-space: normal; text-align: left; font-size: 0.92em; line-height: 1.25; }
button { font: inherit; color: inherit; background: none; border: 0; padding: 3px 2px; cursor: pointer; text-align: left;
  text-decoration: underline; text-decoration-thickness: 1px; text-underline-offset: 3px; border-radius: 3px; }
button:hover { color: var(--link); }
button:focus-visible { outline: 2px solid var(--link); }
"""


class Clusterers(View[ClusterLab]):
    """Table of answers."""

    title: ClassVar[str] = "Clusterers side by side"
    name_key: ClassVar[str] = "clusterers"
    help: ClassVar[str] = (
        "One similarity, clustered by everybody. Under: clusterings that may not be the best. Over: relaxed "
        "answers whose "
        "value is never below the best. Exact (framed): the best. Press a name to see the clusterer at work."
    )
    follows = ("tick",)
    urgent = True

    def build(self) -> Any:
        self.list = LiveHTML(
            self._pressed, sizing_mode="stretch_both", min_height=120, margin=(0, 4), stylesheets=[LOOK]
        )
        return self.list

    def _pressed(self, key: str, checked: bool | None) -> None:
        family, _, title = key.partition("/")
        if family in self.session.compared:
            self.session.look_at(family, title)

    def frame(self) -> Any:
        return self.session.compared

    def show(self, frame: Any) -> None:
        lab = self.session
        self.list.html = words.html(frame, lab.case.names, lab.choice.groups, f"{lab.family}/{lab.shown}")

    def sentence(self, frame: Any) -> str:
        return words.sentence(self.session.case, frame)

    def table(self, frame: Any) -> dict[str, Any]:
        return words.table(frame, self.session.case.names)

    def recolour(self, theme: Theme) -> None:
        shown = "rgba(108, 184, 240, 0.2)" if theme.name == "dark" else "rgba(11, 98, 164, 0.12)"
        names = {
            "muted": theme.muted,
            "background": theme.background,
            "link": theme.dual,
            "shown": shown,
            "text": theme.text,
        }
        size = {"light": 13, "dark": 13}.get(theme.name, 15)
        self.list.styles = {f"--{name}": colour for name, colour in names.items()} | {"--size": f"{size}px"}
