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
from panel.links import Callback

from explorer.dashboards.accessibility import Mending
from explorer.dashboards.card import Card, side_by_side
from explorer.dashboards.compiling import CompilingLine
from explorer.views.kit.controls.tooltips import add_hint
from explorer.views.kit.drawing.theme import LIGHT, THEMES, Theme
from explorer.views.kit.protocols import Picture

MOST_NOTICES = 6
"""At most this many faults of a link are reported one by one."""

PAGES = {
    "studio": "Studio",
    "race": "Race",
    "gallery": "Gallery",
    "lab": "Oracle lab",
    "clusters": "Clusters",
    "studies": "Studies",
}

CSS = """
.refused { font-size: 0.8rem; } .refused ul { padding-left: 18px; margin: 4px 0; }
"""

WHITE = {"color": "#ffffff !important", "borderColor": "rgba(255,255,255,.6) !important"}
BAR = "#0b4f85"


def material(theme: Theme) -> dict[str, Any]:
    """Material's settings for a theme: larger type on a projector, our colours everywhere."""
    root = {
        "backgroundColor": f"{BAR} !important",
        "backgroundImage": "none",
        "& .MuiIconButton-root": WHITE,
        "& .title": {"fontSize": "1.25rem !important", "whiteSpace": "nowrap"},
    }
    bar = {"styleOverrides": {"root": root}}
    tab = {
        "styleOverrides": {
            "root": {"textTransform": "none", "minWidth": 0, "padding": "6px 9px", "minHeight": 40}
        }
    }
    tabs = {"styleOverrides": {"root": {"minHeight": 40}}}
    low = {"styleOverrides": {"root": {"minHeight": "52px !important"}}}
    paper = {"styleOverrides": {"root": {"backgroundImage": "none"}}}
    if theme.name == "dark":  # a shadow is not seen there: the same ground as the figures, and a line around
        paper["styleOverrides"]["elevation1"] = {"boxShadow": f"0 0 0 1px {theme.grid}"}
    ground = (
        {"background": {"paper": theme.background, "default": theme.background}}
        if theme.name == "dark"
        else {}
    )
    return {
        "components": {
            "MuiPaper": paper,
            "MuiAppBar": bar,
            "MuiTab": tab,
            "MuiTabs": tabs,
            "MuiToolbar": low,
        },
        "typography": {"fontSize": 16 if theme.name == "projector" else 14},
        "palette": {"primary": {"main": "#6cb8f0" if theme.name == "dark" else "#0b62a4"}, **ground},
        "shape": {"borderRadius": 6},
    }


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
        self.links = {name: self._link(name, title, name == page) for name, title in PAGES.items()}
        choose = pmui.Select.from_param(
            self.param.theme,
            label="Theme",
            description="",
            size="small",
            width=150,
            margin=(6, 6, 2, 6),
            variant="outlined",
            align="center",
            sx={"& *": WHITE},
            stylesheets=["label { color: #ffffff !important; }"],
        )
        add_hint(choose, self.param.theme.doc)
        menus = [
            pn.Row(menu, width=120, height=36, sizing_mode="fixed", margin=0, align="center")
            for menu in menus
        ]
        compiling = CompilingLine()
        self.closing.append(compiling.close)
        bar = pn.Row(
            pn.Spacer(width=12),
            *self.links.values(),
            compiling,
            *menus,
            choose,
            sizing_mode="stretch_width",
            align="center",
        )
        self.page = pmui.Page(
            title="Structured prediction explorer",
            header=[bar],
            sidebar=sidebar,
            main=[self.notices, *main, Mending()],
            sidebar_width=300,
            theme_toggle=False,
            busy_indicator=None,
            theme_config=material(LIGHT),
        )
        release(self.page)
        self.param.watch(lambda *_: self.dress(), "theme")

    def _link(self, name: str, title: str, here: bool) -> Any:
        """The button that leads to a page, in the theme that is on."""
        return pmui.Button(
            label=title,
            href=name,
            variant="contained" if here else "text",
            size="small",
            margin=(0, 2),
            align="center",
            color="light" if here else "default",
            target="_self",
            sx={"color": "#0b3d66" if here else "#ffffff", "boxShadow": "none"},
        )

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
        for name, link in self.links.items():
            link.href = f"{name}?theme={theme.name}"

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
        """Do something again and again while the page is there."""
        self.closing.append(pn.state.add_periodic_callback(act, period=milliseconds).stop)

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
