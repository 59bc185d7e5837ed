"""The left side of the clustering lab: which similarity, what is asked, and the settings of the clusterer
looked at.

Sliders act when released.
"""

from dataclasses import fields
from typing import Any

import panel as pn
import panel_material_ui as pmui

from explorer.dashboards.controls import FOLDED, WIDE, widget
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
from explorer.session.knobs import editable, values

SOURCES = {name[:1].upper() + name[1:]: name for name in FIGURES} | {
    "Random Gaussian": RANDOM,
    "Draw points in the plane": POINTS,
}
ABOUT = {
    "figure 1.1 corrected": "Chained items: 10 of 28 pairs have the wrong sign, and still the truth is the "
    "only best clustering.",
    "figure 1.1 printed": "As printed, the truth is not the best: three other clusterings score more.",
    "figure 3.1": "Nine items. The best clustering joins a and c, which repel, and splits b and h, which "
    "attract.",
    "figure 3.2": "Five items; ask for the most violated clustering to see how the loss changes the "
    "similarity.",
    "star": "The relaxation says 1.5 with halves, the best partition 1.",
    "four-path": "Merging greedily ends at 5, the best is 8.",
    RANDOM: "Independent normal similarities; the larger, the more often the relaxation is fractional.",
    POINTS: "Drag points, click to add one, select one and press Backspace to delete it.",
}


class ClusterControls(pn.viewable.Viewer):
    """All choices of a clustering lab."""

    def __init__(self, lab: ClusterLab, **params: Any) -> None:
        super().__init__(**params)
        self.lab = lab
        self.source = pn.Column(margin=0, sizing_mode="stretch_width")
        self.asked = pn.Column(margin=0, sizing_mode="stretch_width")
        self.settings = pn.Column(margin=0, sizing_mode="stretch_width")
        self._drawn: Any = None
        self._asked: Any = None
        self._offered: Any = None
        self.watcher = lab.param.watch(lambda *_: self.follow(), "tick")
        self.follow()

    def follow(self) -> None:
        """Show what is chosen."""
        choice, lab = self.lab.choice, self.lab
        drawn = (choice.source, bool(choice.edits), bool(choice.truth), choice.size)
        if drawn != self._drawn:
            self._drawn, self.source[:] = drawn, self._source()
        asked = (choice.asks, lab.case.m, choice.groups)
        if asked != self._asked:
            self._asked, self.asked[:] = asked, self._question()
        if lab.shown != self._offered:
            self._offered, self.settings[:] = lab.shown, self._settings()

    # the similarity -----------------------------------------------------------------------------------------

    def _source(self) -> list[Any]:
        choice = self.lab.choice
        found = [self._menu("Similarity", "source", SOURCES, "Where the similarity K comes from.")]
        found.append(pmui.Typography(ABOUT[choice.source], variant="body2", margin=(0, 8)))
        if choice.source == RANDOM:
            found += [self._slider("Items", "size", SIZES, 1, "How many items there are."), self._seed()]
        if choice.source == POINTS:
            shapes = {name[:1].upper() + name[1:]: name for name in SHAPES}
            found.append(
                self._menu("Similarity of two points", "shape", shapes, "How distance becomes similarity.")
            )
            found.append(
                self._slider("Reach", "reach", (0.05, 1.5), 0.05, "The distance within which points attract.")
            )
        if choice.edits or choice.truth:
            found.append(self._button("Undo all edits", lambda: self.lab.choose(edits=(), truth=())))
        return found

    def _seed(self) -> Any:
        seed = pmui.IntInput(
            label="Seed",
            value=self.lab.choice.seed,
            start=0,
            end=LARGEST_SEED,
            description="The same seed draws the same K.",
            **WIDE,
        )
        seed.param.watch(lambda event: event.new is not None and self.lab.choose(seed=event.new), "value")
        return seed

    # the question -------------------------------------------------------------------------------------------

    def _question(self) -> list[Any]:
        choice, m = self.lab.choice, self.lab.case.m
        asks = {text[:1].upper() + text[1:]: name for name, text in ASKS.items()}
        found = [self._menu("Asked for", "asks", asks, "A prediction, or the clustering with the largest H.")]
        if choice.asks == "violated":
            titles = {name[:1].upper() + name[1:]: name for name in LOSSES}
            found.append(self._menu("Loss", "loss", titles, "What a wrong clustering costs."))
            scalings = {name[:1].upper() + name[1:]: name for name in SCALINGS}
            found.append(
                self._menu(
                    "Scaling", "scaling", scalings, "Margin: H adds the loss. Slack: H multiplies by it."
                )
            )
        if m > 1:
            found.append(
                self._slider("Clusters k", "groups", (1, m), 1, "The number of clusters of k-means.")
            )
        return found

    def _menu(self, label: str, name: str, options: Any, doc: str) -> Any:
        made = pmui.Select(
            label=label, options=options, value=getattr(self.lab.choice, name), description=doc, **WIDE
        )
        made.param.watch(lambda event: self.lab.choose(**{name: event.new}), "value")
        return made

    def _slider(self, label: str, name: str, ends: tuple[Any, Any], step: Any, doc: str) -> Any:
        kind = pmui.IntSlider if isinstance(step, int) else pmui.FloatSlider
        value = getattr(self.lab.choice, name)
        made = kind(label=label, start=ends[0], end=ends[1], step=step, value=value, description=doc, **WIDE)
        made.param.watch(lambda event: self.lab.choose(**{name: event.new}), "value_throttled")
        return made

    def _button(self, label: str, act: Any) -> Any:
        made = pmui.Button(label=label, variant="outlined", size="small", margin=(6, 8))
        made.on_click(lambda _: act())
        return made

    # the clusterer ------------------------------------------------------------------------------------------

    def _settings(self) -> list[Any]:
        """The settings of the clusterer that is looked at; a change asks anew."""
        oracle = self.lab.oracle()
        edited = editable(type(oracle))(**{part.name: getattr(oracle, part.name) for part in fields(oracle)})
        names = [name for name in edited.param if name != "name"]
        if names:
            edited.param.watch(lambda *_: self.lab.configure(type(oracle)(**values(edited))), names)
        title = pmui.Typography(
            f"{oracle.title[:1].upper()}{oracle.title[1:]}", variant="subtitle2", margin=(2, 8)
        )
        return [
            title,
            pmui.Typography(oracle.help, variant="body2", margin=(0, 8)),
            *[widget(edited, name) for name in names],
        ]

    def close(self) -> None:
        """Stop listening to the lab."""
        self.lab.param.unwatch(self.watcher)

    def __panel__(self) -> Any:
        cards = [("Similarity", self.source), ("Question", self.asked), ("Clusterer", self.settings)]
        return pmui.Accordion(*cards, active=[0, 1, 2], sizing_mode="stretch_width", margin=(0, 4), sx=FOLDED)
