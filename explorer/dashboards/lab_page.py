"""What the pages of both labs have: choices on the left, views in rows, the step player above the picture.

Everything runs in the page's own process: instances are small, and what could take long waits to be asked.
"""

import threading
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import panel as pn

from explorer.dashboards.address import asked_theme, search
from explorer.dashboards.film_player import FilmPlayer
from explorer.dashboards.lab_controls import LabControls
from explorer.dashboards.shell import Shell, side_by_side
from explorer.labs.state import Lab
from explorer.views.kit.view import View

BEAT = 700
"""Milliseconds between two looks whether the address line is up to date and slow oracles have answered."""

Rows = dict[str, Sequence[tuple[View[Any], float]]]
"""Views beside each other with their shares of the width, by the height of their row."""


class LabPage:
    """One lab on one page; a page of its own names its address, and says what its link is."""

    name: ClassVar[str]

    def __init__(
        self,
        lab: Lab[Any],
        controls: LabControls,
        picture: View[Any],
        rows: Rows,
        problems: Sequence[str] = (),
        beside: Sequence[Any] = (),
    ) -> None:
        self.controls, self.picture = controls, picture
        self.player = FilmPlayer(lab, *beside)
        picture.body = pn.Column(self.player, picture.body, sizing_mode="stretch_both", margin=0)
        main = [side_by_side(*row, tall=tall) for tall, row in rows.items()]
        self.shell = Shell(self.name, sidebar=[controls], main=main)
        self.shell.adopt(*(view for row in rows.values() for view, _ in row))
        self.shell.closing += [one.close for one in (controls, *beside, self.player)]
        self.shell.report(problems)

    def link(self) -> str:
        """The query string that shows this page again."""
        raise NotImplementedError  # every lab has its own

    def beat(self) -> None:
        """Keep the address line up to date."""
        if not self.player.playing:
            self.shell.address.follow(self.link)

    def open(self) -> Shell:
        """Begin to look regularly, in the theme that the address line asks for; a film that no link put
        anywhere begins at its beginning.
        """
        if "step=" not in search():
            self.player.lab.look_at_step(0)
        self.shell.every(BEAT, self.beat)
        self.shell.wear(asked_theme())
        return self.shell


def prepare_lab(make: Callable[[], Any], name: str) -> None:
    """Begin to make what a lab shows first, so that no visitor waits for compiled code to be loaded."""
    threading.Thread(target=make, name=f"explorer-{name}-first", daemon=True).start()
