"""The oracle lab: one field, decoded by several oracles at once, and how each of them arrives at its answer.

Left the instance and the oracles, in the middle the table of answers beside the film of one oracle, below it
the film's numbers over its steps and every answer's place among all labellings. What could take long runs on
a thread.
"""

import threading
from collections.abc import Sequence

from explorer.dashboards.address import search
from explorer.dashboards.lab.controls import FieldControls
from explorer.dashboards.lab.link import query, read
from explorer.dashboards.lab.node_menu import NodeMenu
from explorer.dashboards.lab_page import LabPage, prepare_lab
from explorer.dashboards.shell import Shell
from explorer.labs.fields.state import FIRST, FieldLab, FieldSetup
from explorer.views.field_lab.picture import FieldPicture
from explorer.views.field_lab.rank import RankView
from explorer.views.field_lab.table import FieldAnswers
from explorer.views.over_steps.view import OverSteps

UPPER, LOWER = "max(440px, calc(60vh - 60px))", "max(300px, calc(40vh - 70px))"


class FieldLabPage(LabPage):
    """One oracle lab on one page."""

    name = "lab"

    def __init__(self, setup: FieldSetup = FIRST, problems: Sequence[str] = ()) -> None:
        self.lab = lab = FieldLab(setup)
        self.slow: threading.Thread | None = None
        self.answers, picture, self.over, self.ranks = (
            FieldAnswers(lab),
            FieldPicture(lab),
            OverSteps(lab),
            RankView(lab),
        )
        self.node, controls = NodeMenu(lab), FieldControls(lab, self.also_run)
        rows = {UPPER: [(self.answers, 1.15), (picture, 1.0)], LOWER: [(self.over, 1.0), (self.ranks, 1.0)]}
        super().__init__(lab, controls, picture, rows, problems, beside=[self.node])

    def link(self) -> str:
        return query(self.lab.setup(), self.shell.theme)

    def also_run(self) -> None:
        """Ask the oracles that wait, on a thread; the page goes on."""
        if self.slow is None:
            self.controls.more.param.update(disabled=True, label="Running…")
            self.slow = threading.Thread(target=self.lab.run_slow, name="explorer-lab", daemon=True)
            self.slow.start()

    def beat(self) -> None:
        """Also show what slow oracles have answered."""
        if self.slow is not None and not self.slow.is_alive():
            self.slow = None
            self.controls.more.param.update(disabled=False, label="Also run the slow ones")
            self.lab.show_slow()
        super().beat()


def get_ready() -> None:
    """Begin to decode the first field."""
    prepare_lab(FieldLab, "lab")


def build() -> Shell:
    """The lab that the address line asks for."""
    return FieldLabPage(*read(search())).open()


__all__ = ["FieldLabPage", "build", "get_ready"]
