"""The clustering lab: one similarity, clustered by everybody at once, and how each clusterer arrives at its
answer.

Left the similarity, the question and the clusterer's settings; in the middle the table of answers beside the
film of one clusterer, below it the matrices and what happens over the steps, then truth and losses, and what
a shifted diagonal changes. Everything runs in the page's own process: there are at most 30 items.
"""

import threading
from typing import Any

import panel as pn

from explorer.dashboards.address import AddressLine, asked_theme, search
from explorer.dashboards.clusters.controls import ClusterControls
from explorer.dashboards.clusters.link import query, read
from explorer.dashboards.film_player import FilmPlayer
from explorer.dashboards.shell import Shell, side_by_side
from explorer.labs.clusterings.state import FIRST, ClusterLab, Setup
from explorer.views.cluster_lab.matrix import Matrices
from explorer.views.cluster_lab.picture import ClusterPicture
from explorer.views.cluster_lab.shift import ShiftView
from explorer.views.cluster_lab.table import Clusterers
from explorer.views.cluster_lab.track import OverSteps
from explorer.views.cluster_lab.truth import TruthView

BEAT = 700
"""Milliseconds between two looks whether the address line is up to date."""

UPPER, LOWER, LAST = "max(400px, calc(56vh - 60px))", "max(360px, calc(44vh - 60px))", "340px"


def get_ready() -> None:
    """Begin to cluster the first figure, so that no visitor waits for compiled code to be loaded."""
    threading.Thread(target=ClusterLab, name="explorer-clusters-first", daemon=True).start()


class ClusteringPage:
    """One clustering lab on one page."""

    def __init__(self, setup: Setup = FIRST, problems: tuple[str, ...] = ()) -> None:
        self.lab = ClusterLab(setup)
        self.address = AddressLine()
        self.answers, self.picture = Clusterers(self.lab), ClusterPicture(self.lab)
        self.matrices, self.over = Matrices(self.lab), OverSteps(self.lab)
        self.truth, self.shift = TruthView(self.lab), ShiftView(self.lab)
        self.player, self.controls = FilmPlayer(self.lab), ClusterControls(self.lab)
        self.shell = Shell("clusters", sidebar=[self.controls], main=self._main())
        self.shell.adopt(self.answers, self.picture, self.matrices, self.over, self.truth, self.shift)
        self.shell.closing += [self.controls.close, self.player.close]
        for problem in problems:
            self.shell.notice(problem)

    def _main(self) -> list[Any]:
        self.picture.body = pn.Column(self.player, self.picture.body, sizing_mode="stretch_both", margin=0)
        return [
            side_by_side((self.answers, 1.25), (self.picture, 1.0), tall=UPPER),
            side_by_side((self.matrices, 1.25), (self.over, 1.0), tall=LOWER),
            side_by_side((self.truth, 1.25), (self.shift, 1.0), tall=LAST),
        ]

    def beat(self) -> None:
        """Keep the address line up to date."""
        if not self.player.playing:
            self.address.follow(lambda: query(self.lab.setup(), self.shell.theme))

    def start(self) -> None:
        """Begin to look regularly."""
        callback = pn.state.add_periodic_callback(self.beat, period=BEAT)
        self.shell.closing.append(callback.stop)


def build() -> Shell:
    """The lab that the address line asks for."""
    setup, problems = read(search())
    page = ClusteringPage(setup, problems)
    page.start()
    page.shell.wear(asked_theme())
    return page.shell


__all__ = ["ClusteringPage", "build", "get_ready"]
