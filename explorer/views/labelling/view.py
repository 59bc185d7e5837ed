"""The labelling of one example, with its controls.

A click shows what decides a node; painting forces nodes to a state, and edges can be taken out or put in, to
see the prediction change at once. Nothing of that reaches the run.
"""

from typing import Any, ClassVar

import numpy as np
import panel as pn
import panel_material_ui as pmui
import param

from explorer.engine.vectors import Array
from explorer.labs.fields.handover import Taken, words_at
from explorer.views.kit.controls.inputs import BUTTON, INPUT, icon, word
from explorer.views.kit.controls.open_in_lab import ToLab
from explorer.views.kit.controls.tooltips import add_hint
from explorer.views.kit.drawing.pieces import FLAT, WHOLE, pane
from explorer.views.kit.example_view import ExampleView
from explorer.views.kit.memory import Memory
from explorer.views.labelling import frame as numbers
from explorer.views.labelling import words
from explorer.views.labelling.edits import Edits
from explorer.views.labelling.figure import LabellingFigure
from explorer.views.labelling.frame import FILLS, LabellingFrame
from explorer.views.labelling.panel import EDGES, LOOK, PAINT, PANEL, panel

REACH = 16
"""Pixels around a node in which a click means it."""


class Labelling(ExampleView):
    """The labelled grid, graph or set of labels."""

    title: ClassVar[str] = "Labelling"
    name_key: ClassVar[str] = "labelling"
    help: ClassVar[str] = (
        "Fill is what a labelling says, outline or ring the truth; a hatch or cross marks where they "
        "differ. Click a "
        "node to see what decides it, paint it to force its state, drag it to move it; nothing of that "
        "reaches the run."
    )

    fill = param.Selector(objects=list(FILLS), label="Fill", doc="The labelling that fills the nodes.")
    mode = param.Selector(objects=[LOOK, PAINT, EDGES], doc="What a click does.")
    brush = param.Integer(0, bounds=(0, None), doc="The state that painting gives.")
    picked = param.Parameter(None, doc="The node that is looked at, or the first end of an edge.")
    seeds = param.Dict({}, doc="The states that nodes are painted with.")
    toggled = param.Parameter(frozenset(), doc="Pairs of nodes whose edge is taken out or put in.")
    places = param.Dict({}, doc="Where nodes were dragged to.")

    linked = ("fill",)
    redraws = ("fill", "mode", "brush", "picked", "seeds", "toggled", "places")
    fresh: ClassVar[dict[str, Any]] = {"seeds": {}, "toggled": frozenset(), "places": {}, "picked": None}
    misfit = "This task labels no graph: choose one such as striped pictures, or a multi-label one."
    sentence = staticmethod(words.sentence)
    table = staticmethod(words.table)

    # building -----------------------------------------------------------------------------------------------

    def build(self) -> Any:
        self._memory = Memory(48)
        self.picture = LabellingFigure(self.refresh)
        self.pictures = (self.picture,)
        self.figures.append(self.picture.plot)
        self.on_tap(self.picture.plot, self._tapped)
        self.picture.sources["moved"].on_change("data", self._moved)
        self.about = pn.pane.HTML(
            "", width=228, sizing_mode="stretch_height", margin=(0, 4), stylesheets=[PANEL]
        )
        beside = pn.Column(self._by_number(), self.about, width=236, sizing_mode="stretch_height", margin=0)
        return pn.Column(self._controls(), pn.Row(pane(self.picture.plot), beside, **WHOLE), **WHOLE)

    def _by_number(self) -> Any:
        """A node by its number, for those who do not point; the button beside changes it."""
        self.number = pmui.IntInput(start=0, label="Node", width=96, **INPUT)
        add_hint(self.number, "A node by its number: it is looked at, and the button beside changes it.")
        self.number.param.watch(lambda event: self._named(event.new), ["value"])
        self.act = word("", lambda: self._touched(self.number.value))
        return pn.Row(self.number, self.act, margin=0)

    def _controls(self) -> Any:
        self.filling = add_hint(
            pmui.Select.from_param(self.param.fill, width=140, **INPUT), self.param.fill.doc
        )
        self.painting, self.joining = (
            pmui.Toggle(label=label, **BUTTON) for label in ("Paint", "Edit edges")
        )
        for toggle, mode in ((self.painting, PAINT), (self.joining, EDGES)):
            toggle.param.watch(lambda event, mode=mode: self._switch(mode, event.new), ["value"])
        self.palette = pmui.RadioButtonGroup(
            options={"": 0}, value=0, size="small", label="", margin=(0, 4), sx={"& button": FLAT}
        )
        add_hint(self.palette, self.param.brush.doc)
        self.palette.param.watch(lambda event: self.param.update(brush=event.new or 0), ["value"])
        self.undo = icon("restart_alt", "Take all changes back", self.reset_edits)
        self.to_lab = ToLab(self._taken, lambda: self.theme.name)
        parts = (self.filling, self.painting, self.joining, self.undo, self.to_lab, self.palette)
        return self.bar(*parts, width=66)

    # acting -------------------------------------------------------------------------------------------------

    def _switch(self, mode: str, on: bool) -> None:
        """One mode at a time; a mode that is left is looking again."""
        if on:
            self.param.update(mode=mode, picked=None)
        elif self.mode == mode:
            self.param.update(mode=LOOK, picked=None)

    def _tapped(self, x: float, y: float) -> None:
        """Look at, paint or join the node under a click."""
        self._touched(self._node_at(x, y))

    def _named(self, node: int | None) -> None:
        """Look at the node whose number was given; an edge that was begun keeps its first end."""
        if node is not None and self.mode != EDGES and node != self.picked:
            self.picked = node

    def _touched(self, node: int | None) -> None:
        """Look at, paint or join a node."""
        if node is None:
            return
        if self.mode == PAINT:
            self._paint(node)
        elif self.mode == EDGES and self.picked not in (None, node):
            pair = min(node, self.picked), max(node, self.picked)
            self.param.update(toggled=self.toggled ^ {pair}, picked=None, fill=FILLS[0])
        else:
            self.picked = None if self.picked == node else node

    def _node_at(self, x: float, y: float) -> int | None:
        """The cell that holds a point, or the node nearest to it if it is near."""
        shown = self.shown
        if shown is None:
            return None
        if shown.shape is not None:
            row, column = round(y), round(x)
            inside = 0 <= row < shown.shape[0] and 0 <= column < shown.shape[1]
            return row * shown.shape[1] + column if inside else None
        plot = self.picture.plot
        room = self.picture.room
        far = (self._places(shown) - (x, y)) * [
            pixels / (axis.end - axis.start)
            for pixels, axis in ((room.wide, plot.x_range), (room.high, plot.y_range))
        ]
        distance = np.hypot(*far.T)
        node = int(np.argmin(distance))
        return node if distance[node] <= max(REACH, 0.8 * self.picture.size) else None

    def _paint(self, node: int) -> None:
        """Force a node to the chosen state, or let it go again."""
        others = {u: s for u, s in self.seeds.items() if u != node}
        seeds = others if self.seeds.get(node) == self.brush else others | {node: self.brush}
        self.param.update(seeds=seeds, fill=FILLS[0])

    def reset_edits(self) -> None:
        """Take all what-if changes back."""
        self.param.update(**self.fresh)

    def _moved(self, attr: str, old: Any, new: Any) -> None:
        """A node was dragged in the browser."""
        if len(new["node"]):
            self.places = self.places | {int(new["node"][0]): (float(new["x"][0]), float(new["y"][0]))}

    # showing ------------------------------------------------------------------------------------------------

    def read(self, *where: Any) -> LabellingFrame:
        edits = Edits(self.seeds, self.toggled)
        return numbers.frame(
            *where, fill=self.fill, edits=edits, phase=self.session.phase, memory=self._memory
        )

    def _places(self, shown: LabellingFrame) -> Array:
        """Where the nodes lie, those that were dragged included."""
        place = np.array(shown.place)
        for node, spot in self.places.items():
            if shown.shape is None and node < len(place):
                place[node] = spot
        return place

    def show(self, shown: LabellingFrame) -> None:
        super().show(shown)
        self.picture.show(shown, self._places(shown), self.picked)
        self._show_controls(shown)
        self.about.object = panel(shown, self.picked, self.mode, self.theme)

    def _show_controls(self, shown: LabellingFrame) -> None:
        options = {name: s for s, name in enumerate(shown.states)}
        if self.palette.options != options:
            self.palette.param.update(options=options, value=min(self.brush, len(options) - 1))
        self.palette.visible = self.mode == PAINT
        self.number.param.update(label=words.noun(shown).capitalize(), end=len(shown) - 1)
        if self.picked is not None:
            self.number.value = self.picked
        self._name_act(shown)
        self.painting.param.update(
            value=self.mode == PAINT, description=f"Paint: click a {words.noun(shown)} to force its state."
        )
        why = (
            shown.no_edges_because
            or f"click two {words.noun(shown)}s to take their edge out, or to put one in."
        )
        self.joining.param.update(
            value=self.mode == EDGES, disabled=bool(shown.no_edges_because), description=f"Edit edges: {why}"
        )
        self.undo.disabled = not (self.seeds or self.toggled or self.places)

    def _name_act(self, shown: LabellingFrame) -> None:
        """Say on the button beside the number what it does to that node."""
        noun, held = words.noun(shown), self.seeds.get(self.number.value)
        paint = (
            "Let go"
            if held == self.brush
            else f"Paint {shown.states[min(self.brush, len(shown.states) - 1)]}"
        )
        label = {PAINT: paint, EDGES: "From here" if self.picked is None else "To here"}.get(self.mode, "")
        about = {
            PAINT: f"Force this {noun} to the chosen state, or let it go.",
            EDGES: "Take the edge out or put it in.",
        }
        self.act.param.update(label=label, visible=bool(label), description=about.get(self.mode, ""))

    def _taken(self) -> Taken | None:
        """The field that is shown, edits included, for the oracle lab."""
        shown = self.shown
        if shown is None:
            return None
        at = f"{shown.name} {shown.example} of {self.session.choices.task}, {words_at(shown.step)}"
        place = self._places(shown) * ([1.0, -1.0] if shown.shape is not None else [1.0, 1.0])
        return Taken(at, shown.field, place, shown.shape)
