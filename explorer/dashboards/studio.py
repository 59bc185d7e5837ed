"""The training studio: choices on the left, transport on top, linked views in the middle, the explanation on the right."""

import time
from typing import Any

import panel as pn
import panel_material_ui as pmui

from explorer.dashboards.controls import Controls
from explorer.dashboards.sharing import Sharing
from explorer.dashboards.shell import Card, Shell
from explorer.dashboards.transport import KEYS, Transport
from explorer.session.link import LAYOUT, Link, query, read
from explorer.session.runner import Runner
from explorer.session.state import Session
from explorer.views import VIEWS
from explorer.views.bounds import Bounds
from explorer.views.inspector import Inspector
from explorer.views.view import View

BEAT = 100
"""Milliseconds between two looks at what the worker has produced."""


class Studio:
    """One session with all its views on one page."""

    def __init__(self, link: Link | None = None, runner: Runner | None = None, session: Session | None = None) -> None:
        link = link or Link(session.recipe() if session else read("").recipe, dict(LAYOUT))
        self.session = session or Session(link.recipe, runner)
        if not len(self.session.trace):
            self.session.show_finished()
        self.bounds = Bounds(self.session, clock=link.layout.get("clock", "iteration"))
        self.inspector = Inspector(self.session)
        self.views: dict[int, View] = {}
        self.places = [pn.Column(sizing_mode="stretch_width", margin=0, min_height=410) for _ in VIEWS]
        self.controls = Controls(self.session)
        self.transport = Transport(self.session, self.front)
        self._address, self._beaten = "", 0.0
        self.sharing = Sharing(self.session, self.link_text, lambda *a: self.shell.notice(*a))
        self.shell = self._shell()
        self.place(link)

    def _shell(self) -> Shell:
        files = pmui.Accordion(("Files", self.sharing.files()), sizing_mode="stretch_width", margin=(0, 4))
        shell = Shell("studio", sidebar=[self.controls, files], main=self.main(), menus=[self.sharing])
        shell.adopt(self.bounds, self.inspector)
        shell.closing += [self.controls.close, self.transport.close, self.session.close]
        return shell

    def main(self) -> list[Any]:
        """Transport, bounds, the tabbed views and the inspector."""
        self.tabs = pmui.Tabs(
            *[(view.title, place) for view, place in zip(VIEWS, self.places, strict=True)],
            sizing_mode="stretch_width", margin=(0, 6), dynamic=False,
        )  # fmt: skip
        self.tabs.param.watch(lambda *_: self._show_tab(), "active")
        keys = "".join(f"<tr><th scope='row'>{key}</th><td>{what}</td></tr>" for key, what in KEYS.items())
        self.help = pmui.Dialog(
            pn.pane.HTML(f"<table class='keys'>{keys}</table>"), title="Keys", show_close_button=True
        )
        self.transport.param.watch(lambda e: self.help.param.update(open=e.new), "help_open")
        self.help.param.watch(lambda e: self.transport.param.update(help_open=e.new), "open")
        clock = pmui.Select.from_param(
            self.bounds.param.clock, label="horizontal axis", description="", size="small", width=150, margin=(4, 4)
        )
        scale = pmui.Checkbox.from_param(self.bounds.param.log_scale, label="log scale", description="", margin=(0, 4))
        left = pn.Column(
            Card(self.bounds, height=290, tools=[clock, scale]), self.tabs, sizing_mode="stretch_width", margin=0
        )
        right = pn.Column(Card(self.inspector, height=700), width=310, margin=0)
        return [
            pmui.Paper(self.transport, sizing_mode="stretch_width", margin=6, elevation=1),
            pn.Row(left, right, sizing_mode="stretch_width", margin=0),
            self.help,
        ]

    def in_cell(self) -> Any:
        """The same page without title bar, for a notebook."""
        left = pn.Column(self.controls, width=290, margin=0)
        return pn.Row(
            left, pn.Column(self.shell.notices, *self.shell.parts, sizing_mode="stretch_width"), min_width=1100
        )

    def place(self, link: Link) -> None:
        """Put cursor, front view and theme where a link says, and report what it says wrongly."""
        layout = link.layout
        keys = [view.name_key for view in VIEWS]
        self.tabs.active = keys.index(layout["view"]) if layout.get("view") in keys else 0
        if layout.get("theme") in self.shell.param.theme.objects:
            self.shell.theme = layout["theme"]
        if layout.get("cursor", -1) >= 0:
            self.session.seek(layout["cursor"])
        if 0 <= layout.get("example", 0) < self.session.problem.n:
            self.session.example = layout["example"]
        for problem in link.problems:
            self.shell.notice(problem)
        self._show_tab()

    def front(self, number: int) -> None:
        """Bring view `number` (from 1) to the front."""
        if 1 <= number <= len(VIEWS):
            self.tabs.active = number - 1

    def _show_tab(self) -> None:
        """Make the front view when it is first asked for; the others draw nothing."""
        front = self.tabs.active
        if front not in self.views:
            self.views[front] = VIEWS[front](self.session)
            self.shell.adopt(self.views[front])
            self.places[front][:] = [Card(self.views[front], height=410)]
        for j, view in self.views.items():
            view.active = j == front

    def layout(self) -> dict[str, Any]:
        """The part of the page's state that is not the recipe."""
        return {
            "cursor": self.session.cursor,
            "example": self.session.example,
            "view": VIEWS[self.tabs.active].name_key,
            "theme": self.shell.theme,
            "clock": self.bounds.clock,
        }

    def link_text(self) -> str:
        """The address that shows this page again."""
        where = pn.state.location
        base = (
            f"{where.protocol}//{where.hostname}{':' + where.port if where.port else ''}{where.pathname}"
            if where
            else ""
        )
        return f"{base}?{query(self.session.recipe(), self.layout())}"

    def beat(self) -> None:
        """Take in what the worker produced; now and then bring the address line up to date."""
        self.session.collect()
        now = time.monotonic()
        if self.session.status != "running" and now - self._beaten > 1.0 and pn.state.location:
            self._beaten = now
            search = "?" + query(self.session.recipe(), self.layout())
            if search != self._address:
                self._address = pn.state.location.search = search

    def start(self) -> None:
        """Begin to look at the worker regularly."""
        self.callback = pn.state.add_periodic_callback(self.beat, period=BEAT)
        self.shell.closing.append(self.callback.stop)


def build(runner: Runner) -> Shell:
    """The studio that the address line asks for."""
    search = pn.state.location.search if pn.state.location else ""
    studio = Studio(read(search), runner)
    studio.start()
    return studio.shell
