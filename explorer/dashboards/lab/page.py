"""The oracle lab: one field, decoded by several oracles at once, and how each of them arrives at its answer.

Left the instance and the oracles, in the middle the table of answers beside the film of one oracle, below it
the film's numbers over its steps and every answer's place among all labellings. Decoding runs in the page's
own process: fields are small, and what could take long waits to be asked and runs on a thread.
"""

import threading
from typing import Any

import panel as pn

from explorer.dashboards.address import AddressLine, asked_theme, search
from explorer.dashboards.film_player import FilmPlayer
from explorer.dashboards.lab.controls import LabControls
from explorer.dashboards.lab.link import query, read
from explorer.dashboards.lab.node_menu import NodeMenu
from explorer.dashboards.shell import Shell, side_by_side
from explorer.labs.fields.state import FIRST, Lab, Setup
from explorer.views.field_lab.picture import FieldPicture
from explorer.views.field_lab.rank import RankView
from explorer.views.field_lab.table import Answers
from explorer.views.field_lab.track import TrackView

BEAT = 700
"""Milliseconds between two looks whether the address line is up to date and slow oracles have answered."""

UPPER, LOWER = "max(440px, calc(60vh - 60px))", "max(300px, calc(40vh - 70px))"


def get_ready() -> None:
    """Begin to decode the first instance, so that no visitor waits for compiled code to be loaded."""
    threading.Thread(target=Lab, name="explorer-lab-first", daemon=True).start()


class LabPage:
    """One lab on one page."""

    def __init__(self, setup: Setup = FIRST, problems: tuple[str, ...] = ()) -> None:
        self.lab = Lab(setup)
        self.slow: threading.Thread | None = None
        self.address = AddressLine()
        self.answers, self.picture = Answers(self.lab), FieldPicture(self.lab)
        self.track, self.ranks = TrackView(self.lab), RankView(self.lab)
        self.node, self.controls = NodeMenu(self.lab), LabControls(self.lab, self.also_run)
        self.player = FilmPlayer(self.lab, self.node)
        self.shell = Shell("lab", sidebar=[self.controls], main=self._main())
        self.shell.adopt(self.answers, self.picture, self.track, self.ranks)
        self.shell.closing += [self.controls.close, self.node.close, self.player.close]
        for problem in problems:
            self.shell.notice(problem)

    def _main(self) -> list[Any]:
        self.picture.body = pn.Column(self.player, self.picture.body, sizing_mode="stretch_both", margin=0)
        return [
            side_by_side((self.answers, 1.15), (self.picture, 1.0), tall=UPPER),
            side_by_side((self.track, 1.0), (self.ranks, 1.0), tall=LOWER),
        ]

    def also_run(self) -> None:
        """Ask the oracles that wait, on a thread; the page goes on."""
        if self.slow is None:
            self.controls.more.param.update(disabled=True, label="Running…")
            self.slow = threading.Thread(target=self.lab.patiently, name="explorer-lab", daemon=True)
            self.slow.start()

    def beat(self) -> None:
        """Show what slow oracles have answered; keep the address line up to date."""
        if self.slow is not None and not self.slow.is_alive():
            self.slow = None
            self.controls.more.param.update(disabled=False, label="Also run the slow ones")
            self.lab.arrived()
        if not self.player.playing:
            self.address.follow(lambda: query(self.lab.setup(), self.shell.theme))

    def start(self) -> None:
        """Begin to look regularly."""
        callback = pn.state.add_periodic_callback(self.beat, period=BEAT)
        self.shell.closing.append(callback.stop)


def build() -> Shell:
    """The lab that the address line asks for."""
    setup, problems = read(search())
    page = LabPage(setup, problems)
    page.start()
    page.shell.wear(asked_theme())
    return page.shell


__all__ = ["LabPage", "build", "get_ready"]
