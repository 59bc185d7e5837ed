"""What every page stands in: title bar, theme, menus, notices, and clean ends.

One place knows how a page is put together from Material components and how it is taken down: when a session
is destroyed, its job is closed and its views stop listening.
"""

from collections.abc import Callable, Sequence
from html import escape
from typing import Any

import panel as pn
import panel_material_ui as pmui
import param
from panel.io.callbacks import PeriodicCallback
from panel.links import Callback

from explorer.dashboards.accessibility import Mending
from explorer.dashboards.address import AddressLine
from explorer.dashboards.card import Card, side_by_side
from explorer.dashboards.compiling import CompilingLine
from explorer.dashboards.material import BESIDE, INVERSE, hints, material
from explorer.dashboards.navigation import PHONE, PageLinks
from explorer.dashboards.screen import CSS, Screen
from explorer.dashboards.server.connection import Connection
from explorer.views.kit.controls.tooltips import add_hint
from explorer.views.kit.drawing.theme import LIGHT, THEMES
from explorer.views.kit.protocols import Picture

MOST_NOTICES = 6
"""At most this many faults of a link are reported one by one."""


class Shell(pn.viewable.Viewer):
    """A page: title bar with pages, theme and menus; sidebar; main area; notices."""

    theme = param.Selector(
        objects=list(THEMES), default="light", doc="Light, dark, or large type for a projector."
    )

    def __init__(
        self, page: str, sidebar: list[Any], main: list[Any], menus: list[Any] = (), **params: Any
    ) -> None:
        super().__init__(**params)
        self.views: list[Picture] = []
        self.closing: list[Callable[[], None]] = []
        self.notices = pn.Column(sizing_mode="stretch_width", margin=0)
        self.parts = main
        self.links, self.screen, self.address = PageLinks(page), Screen(), AddressLine()
        self.page = pmui.Page(
            title="Explorer",
            header=[self._bar(menus)],
            sidebar=[pmui.Column(*sidebar, theme_config=COLUMN, margin=0)] if sidebar else [],
            main=[self.notices, *main, Mending(), Connection(), self.screen, self.address],
            sidebar_width=300,
            sidebar_open=not on_phone(),
            theme_toggle=False,
            busy_indicator=None,
            theme_config=material(LIGHT),
            sx=INVERSE,
        )
        release(self.page)
        self.param.watch(lambda *_: self.dress(), "theme")

    def _bar(self, menus: Sequence[Any]) -> Any:
        """Links to the pages at the left; what compiles, menus and themes at the right."""
        choose = pmui.Select.from_param(
            self.param.theme,
            label="Theme",
            description="",
            size="small",
            width=120,
            margin=(2, 6),
            variant="outlined",
            align="center",
            css_classes=["theme"],
            stylesheets=[UNLABELLED],
        )
        add_hint(choose, self.param.theme.doc)
        compiling = CompilingLine()
        self.closing.append(compiling.close)
        right = [pn.Row(menu, height=36, margin=0, align="center") for menu in menus]
        wide = {"sizing_mode": "stretch_width", "align": "center"}
        parts = (self.links, pn.Spacer(sizing_mode="stretch_width"), compiling, *right, choose)
        return pn.Row(*parts, stylesheets=[SLIM], **wide)

    def wear(self, theme: str) -> None:
        """Put on a theme by name; an unknown name changes nothing."""
        if theme in THEMES:
            self.theme = theme

    def adopt(self, *views: Picture) -> None:
        """Take views along when the theme changes and when the page ends."""
        self.views += views
        for view in views:
            if view.theme is not THEMES[self.theme]:
                view.theme = THEMES[self.theme]

    def dress(self) -> None:
        """Put page and views into the chosen theme."""
        theme = THEMES[self.theme]
        self.page.param.update(dark_theme=theme.name == "dark", theme_config=material(theme))
        if theme.name == "projector" and len(self.page.sidebar):
            self.page.sidebar_open = (
                False  # the room is for what is projected; the button beside the title brings it back
            )
        for view in self.views:
            view.theme = theme
        self.links.theme = self.screen.theme = theme.name

    def notice(self, text: str, severity: str = "warning") -> None:
        """Say something at the top of the page until it is dismissed; the text is escaped."""
        self.notices.append(
            pmui.Alert(
                object=escape(text),
                severity=severity,
                closeable=True,
                sizing_mode="stretch_width",
                margin=(4, 6),
                sx={"paddingTop": 0, "paddingBottom": 0, "& p": {"margin": 0}, "alignItems": "center"},
            )
        )

    def report(self, faults: Sequence[str]) -> None:
        """Say what of a link could not be used: the first faults one by one, of the others how many."""
        for fault in faults[:MOST_NOTICES]:
            self.notice(fault)
        if len(faults) > MOST_NOTICES:
            self.notice(f"{len(faults) - MOST_NOTICES} more parts of the link were left out.")

    def every(self, milliseconds: int, act: Callable[[], None]) -> None:
        """Do something again and again while the page is there; Panel's busy flag, which costs more than
        most beats, is left alone.
        """
        beat = PeriodicCallback(callback=act, period=milliseconds, **QUIETLY)
        beat.start()
        self.closing.append(beat.stop)

    def close(self) -> None:
        """Stop everything that belongs to this page."""
        for view in self.views:
            view.close()
        for act in self.closing:
            act()
        self.views, self.closing = [], []
        forget_links(self.page)

    def __panel__(self) -> Any:
        return self.page


QUIETLY = {"_background": True} if "_background" in PeriodicCallback.param else {}

UNLABELLED = "label, legend { display: none !important; } fieldset { top: 0 !important; }"
"""The title bar has no room for what its menu says by itself; it keeps its name for those who listen."""

SLIM = (
    f"@media (max-width: {PHONE}px) {{ .theme {{ width: 104px !important; margin-right: 0 !important; }} }}"
)
COLUMN = {"components": hints(BESIDE)}


def on_phone() -> bool:
    """Whether the visitor's browser says that it is a phone's: choices would cover the whole page there."""
    return "Mobi" in str((pn.state.headers or {}).get("User-Agent", ""))


def forget_links(page: Any) -> None:
    """Take the page's browser callbacks out of Panel's register.

    It is weak in its keys, but each callback holds its arguments, which hold the page, which holds the key.
    """
    for part in page.select():
        Callback.registry.pop(part, None)


def release(page: Any) -> None:
    """Undo the watchers that a Page sets on Panel's global busy flag.

    They would keep the session alive for ever, and make every event walk through all models of the document.
    """
    private = page._param__private
    for _, watcher in private.ref_watchers:
        (watcher.inst or watcher.cls).param.unwatch(watcher)
    private.ref_watchers = []


__all__ = ["CSS", "Card", "Shell", "forget_links", "side_by_side"]
