"""The left side of the clustering lab: which similarity, what is asked, and a clusterer's settings."""

from typing import Any

import panel_material_ui as pmui

from explorer.dashboards.lab_controls import LabControls, headline
from explorer.engine.data.cluster_figures import FIGURES
from explorer.labs.clusterings.instance import (
    ASKS,
    LARGEST_SEED,
    LOSSES,
    POINTS,
    RANDOM,
    SCALINGS,
    SHAPES,
    SIZES,
)
from explorer.labs.clusterings.state import ClusterLab

SOURCES = {
    f"Finley (2009), {name}" if name.startswith("figure") else headline(name): name for name in FIGURES
} | {
    "Random Gaussian": RANDOM,
    "Draw points in the plane": POINTS,
}
ABOUT = {
    "figure 1.1 corrected": (
        "Chained items: 10 of 28 pairs have the wrong sign, and still the truth is the only best clustering."
    ),
    "figure 1.1 printed": "As printed, the truth is not the best: three other clusterings score more.",
    "figure 3.1": (
        "Nine items. The best clustering joins a and c, which repel, and splits b and h, which attract."
    ),
    "figure 3.2": (
        "Five items; ask for the most tempting clustering to see how the loss changes the similarity."
    ),
    "star": "The relaxation says 1.5 with halves, the best partition 1.",
    "four-path": "Merging greedily ends at 5, the best is 8.",
    RANDOM: "Independent normal similarities; the larger, the more often the relaxation is fractional.",
    POINTS: "Drag points, click to add one, select one and press Backspace to delete it.",
}


class ClusterControls(LabControls):
    """All choices of a clustering lab."""

    lab: ClusterLab

    def __init__(self, lab: ClusterLab, **params: Any) -> None:
        super().__init__(lab, ("Similarity", "Question", "Clusterer"), **params)

    def follow(self) -> None:
        choice, lab = self.lab.choice, self.lab
        similarity = (choice.source, bool(choice.edits), bool(choice.truth), choice.size)
        self.renew("Similarity", similarity, self._similarity)
        self.renew("Question", (choice.asks, lab.case.m, choice.groups), self._question)
        self.renew("Clusterer", lab.shown, self.settings)

    def _similarity(self) -> list[Any]:
        choice = self.lab.choice
        found = [self.menu("Similarity", "source", SOURCES, "Where the similarity K comes from.")]
        found.append(pmui.Typography(ABOUT[choice.source], variant="body2", margin=(0, 8)))
        if choice.source == RANDOM:
            found.append(self.slider("Items", "size", SIZES, 1, "How many items there are."))
            found.append(self.seed(LARGEST_SEED, "The same seed draws the same K."))
        if choice.source == POINTS:
            shapes = {headline(name): name for name in SHAPES}
            found.append(
                self.menu("Similarity of two points", "shape", shapes, "How distance becomes similarity.")
            )
            found.append(
                self.slider("Reach", "reach", (0.05, 1.5), 0.05, "The distance within which points attract.")
            )
        if choice.edits or choice.truth:
            undo = pmui.Button(label="Undo all edits", variant="outlined", size="small", margin=(6, 8))
            undo.on_click(lambda _: self.lab.choose(edits=(), truth=()))
            found.append(undo)
        return found

    def _question(self) -> list[Any]:
        choice, m = self.lab.choice, self.lab.case.m
        asks = {headline(text): name for name, text in ASKS.items()}
        found = [self.menu("Asked for", "asks", asks, "A prediction, or the clustering with the largest H.")]
        if choice.asks == "violated":
            losses, scalings = ({headline(name): name for name in names} for names in (LOSSES, SCALINGS))
            found.append(self.menu("Loss", "loss", losses, "What a wrong clustering costs."))
            scaling = "Margin: H adds the loss. Slack: H multiplies by it."
            found.append(self.menu("Scaling", "scaling", scalings, scaling))
        if m > 1:
            found.append(self.slider("Clusters k", "groups", (1, m), 1, "The number of clusters of k-means."))
        return found
