"""The clustering lab: one similarity, clustered by everybody, and how each clusterer arrives at its answer.

Left the similarity, the question and the clusterer's settings; in the middle the table of answers beside the
film of one clusterer, below it the matrices and what happens over the steps, then truth and losses, and what
a shifted diagonal changes.
"""

from collections.abc import Sequence

from explorer.dashboards.address import search
from explorer.dashboards.clusters.controls import ClusterControls
from explorer.dashboards.clusters.link import query, read
from explorer.dashboards.lab_page import LabPage, prepare_lab
from explorer.dashboards.shell import Shell
from explorer.labs.clusterings.state import FIRST, ClusterLab, ClusterSetup
from explorer.views.cluster_lab.matrix import Matrices
from explorer.views.cluster_lab.picture import ClusterPicture
from explorer.views.cluster_lab.shift import ShiftView
from explorer.views.cluster_lab.table import ClusterAnswers
from explorer.views.cluster_lab.truth import TruthView
from explorer.views.over_steps.view import OverSteps

UPPER, LOWER, LAST = "max(400px, calc(56vh - 60px))", "max(360px, calc(44vh - 60px))", "340px"


class ClusterLabPage(LabPage):
    """One clustering lab on one page."""

    name = "clusters"

    def __init__(self, setup: ClusterSetup = FIRST, problems: Sequence[str] = ()) -> None:
        self.lab = lab = ClusterLab(setup)
        self.answers, picture = ClusterAnswers(lab), ClusterPicture(lab)
        self.matrices, self.over, self.truth, self.shift = (
            Matrices(lab),
            OverSteps(lab),
            TruthView(lab),
            ShiftView(lab),
        )
        upper, lower, last = (self.answers, picture), (self.matrices, self.over), (self.truth, self.shift)
        pairs = {UPPER: upper, LOWER: lower, LAST: last}
        rows = {tall: [(left, 1.25), (right, 1.0)] for tall, (left, right) in pairs.items()}
        super().__init__(lab, ClusterControls(lab), picture, rows, problems)

    def link(self) -> str:
        return query(self.lab.setup(), self.shell.theme)


def get_ready() -> None:
    """Begin to cluster the first figure."""
    prepare_lab(ClusterLab, "clusters")


def build() -> Shell:
    """The lab that the address line asks for."""
    return ClusterLabPage(*read(search())).open()


__all__ = ["ClusterLabPage", "build", "get_ready"]
