"""The labelling of one example, with its controls.

A click shows what decides a node; painting forces nodes to a state, and edges can be taken out or put in, to see the
prediction change at once. Nothing of that reaches the run.
"""

import time
from html import escape
from typing import Any, ClassVar

import numpy as np
import panel as pn
import panel_material_ui as pmui
import param

from explorer.engine.protocols import Problem, Refused
from explorer.engine.vectors import Array
from explorer.views import labelling_frame as numbers
from explorer.views import labelling_words as words
from explorer.views.drawing import FLAT, WHOLE, choice, pane
from explorer.views.inputs import BUTTON, FIELD, INPUT, NO_SPINNER, icon
from explorer.views.labelling_edits import Edits
from explorer.views.labelling_figure import LabellingFigure
from explorer.views.labelling_frame import FILLS, Frame
from explorer.views.state_colours import fills, ink_on
from explorer.views.theme import Theme
from explorer.views.thinning import Remembered
from explorer.views.view import View, unlocked

LOOK, PAINT, EDGES = "look", "paint", "edges"
REACH = 16
"""Pixels around a node in which a click means it."""

DEAR = 0.05
"""Seconds: a frame that takes longer is drawn less often while training goes on."""

PANEL = """
:host { overflow-y: auto }
p { margin: 2px 0; font-size: 0.84rem; line-height: 1.3 }
table { border-collapse: collapse; font-size: 0.8rem; width: 100%; margin: 3px 0 }
th, td { padding: 1px 5px; text-align: right; border-bottom: 1px solid rgba(128, 128, 128, 0.35); font-weight: normal }
th:first-child { text-align: left }
tr.sum th, tr.sum td { font-weight: 600; border-top: 2px solid currentColor }
td i { display: block; height: 5px; margin: 1px 0 2px auto; background: currentColor; opacity: 0.55 }
td i.least { background: none; border-bottom: 1px solid }
b.state { white-space: nowrap; padding: 0 5px; border-radius: 3px; font-weight: 600 }
"""


class Labelling(View):
    """The labelled grid, graph or set of labels."""

    title: ClassVar[str] = "Labelling"
    name_key: ClassVar[str] = "labelling"
    help: ClassVar[str] = (
        "Fill is what a labelling says, outline or ring the truth; a hatch or cross marks where they differ. Click a "
        "node to see what decides it, paint it to force its state, drag it to move it; nothing of that reaches the run."
    )

    follows = (*View.follows, "status")
    fill = param.Selector(objects=list(FILLS), label="Fill", doc="The labelling that fills the nodes.")
    mode = param.Selector(objects=[LOOK, PAINT, EDGES], doc="What a click does.")
    brush = param.Integer(0, bounds=(0, None), doc="The state that painting gives.")
    picked = param.Parameter(None, doc="The node that is looked at, or the first end of an edge.")
    seeds = param.Dict({}, doc="The states that nodes are painted with.")
    toggled = param.Parameter(frozenset(), doc="Pairs of nodes whose edge is taken out or put in.")
    places = param.Dict({}, doc="Where nodes were dragged to.")

    redraws = ("fill", "mode", "picked", "seeds", "toggled", "places")
    sentence = staticmethod(words.sentence)
    table = staticmethod(words.table)

    @classmethod
    def fits(cls, problem: Problem) -> bool:
        return numbers.fits(problem)

    # building --------------------------------------------------------------------------------------------------

    def build(self) -> Any:
        self._seen: Frame | None = None
        self._shows = (self.session.shown, self.session.example)
        self._memory, self._took, self._drawn_at = Remembered(48), 0.0, 0.0
        self.picture = LabellingFigure()
        self.figures.append(self.picture.plot)
        self.on_tap(self.picture.plot, self._tapped)
        self.picture.sources["moved"].on_change("data", self._moved)
        for size in self.picture.room:
            self.picture.plot.on_change(size, self._resized)
        self.about = pn.pane.HTML("", width=228, sizing_mode="stretch_height", margin=(0, 4), stylesheets=[PANEL])
        return pn.Column(self._controls(), pn.Row(pane(self.picture.plot), self.about, **WHOLE), **WHOLE)

    def _controls(self) -> Any:
        session = self.session
        self.chooser = pmui.IntInput(start=0, width=96, **(INPUT | {"sx": FIELD | NO_SPINNER}))
        self.chooser.param.watch(lambda event: self._choose(event.new), ["value"])
        self.split = choice(session.param.split)
        self.filling = pmui.Select.from_param(self.param.fill, width=150, **INPUT)
        self.painting, self.joining = (pmui.Toggle(label=label, **BUTTON) for label in ("Paint", "Edit edges"))
        for toggle, mode in ((self.painting, PAINT), (self.joining, EDGES)):
            toggle.param.watch(lambda event, mode=mode: self._switch(mode, event.new), ["value"])
        self.palette = pmui.RadioButtonGroup(
            options={"": 0}, value=0, size="small", label="", margin=(0, 4), sx={"& button": FLAT}
        )
        self.palette.param.watch(lambda event: self.param.update(brush=event.new or 0), ["value"])
        self.undo = icon("restart_alt", "Take all changes back", self.reset_edits)
        parts = [
            icon("chevron_left", "Previous example", lambda: self._choose(session.example - 1)), self.chooser,
            icon("chevron_right", "Next example", lambda: self._choose(session.example + 1)), self.split, self.filling,
            self.painting, self.joining, self.undo, self.palette,
        ]  # fmt: skip
        return pn.FlexBox(*parts, align_items="center", sizing_mode="stretch_width", margin=(0, 4))

    # acting ----------------------------------------------------------------------------------------------------

    def _choose(self, example: int | None) -> None:
        if example is not None:
            self.session.example = min(max(0, example), max(0, self.session.shown.n - 1))

    def _switch(self, mode: str, on: bool) -> None:
        """One mode at a time; a mode that is left is looking again."""
        if on:
            self.param.update(mode=mode, picked=None)
        elif self.mode == mode:
            self.param.update(mode=LOOK, picked=None)

    def _tapped(self, x: float, y: float) -> None:
        """Look at, paint or join the node under a click."""
        node = self._node_at(x, y)
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
        shown = self._seen
        if shown is None:
            return None
        if shown.shape is not None:
            row, column = round(y), round(x)
            inside = 0 <= row < shown.shape[0] and 0 <= column < shown.shape[1]
            return row * shown.shape[1] + column if inside else None
        plot = self.picture.plot
        far = (self._places(shown) - (x, y)) * [
            self.picture.room[size] / (axis.end - axis.start)
            for size, axis in (("inner_width", plot.x_range), ("inner_height", plot.y_range))
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
        self.param.update(seeds={}, toggled=frozenset(), places={}, picked=None)

    def _moved(self, attr: str, old: Any, new: Any) -> None:
        """A node was dragged in the browser."""
        if len(new["node"]):
            self.places = self.places | {int(new["node"][0]): (float(new["x"][0]), float(new["y"][0]))}

    def _resized(self, attr: str, old: Any, new: Any) -> None:
        if new:
            self.picture.room[attr] = new
            self.refresh()

    # showing ---------------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Draw the current step; another example or problem starts without edits."""
        if unlocked():
            pn.state.execute(self.refresh, schedule=True)
            return
        shows = (self.session.shown, self.session.example)
        if shows[0] is not self._shows[0] or shows[1] != self._shows[1]:
            self._shows = shows
            self.param.update(seeds={}, toggled=frozenset(), places={}, picked=None)
        if not self._too_soon():
            began = time.monotonic()
            super().refresh()
            self._drawn_at = time.monotonic()
            self._took = self._drawn_at - began

    def _too_soon(self) -> bool:
        """Whether training goes on and drawing every step would leave no time for anything else."""
        waits = self.session.status == "running" and self._took > DEAR
        return waits and time.monotonic() - self._drawn_at < 4 * self._took

    def frame(self) -> Frame:
        session = self.session
        name = "Example" if session.shown is session.problem else "Test example"
        try:
            self._seen = numbers.frame(
                session.shown, session.trace, session.cursor, session.example, fill=self.fill,
                edits=Edits(self.seeds, self.toggled), phase=session.phase, name=name, memory=self._memory,
            )  # fmt: skip
        except Refused:
            self._seen, self.body.visible = None, False
            raise
        self.body.visible = True
        return self._seen

    def _places(self, shown: Frame) -> Array:
        """Where the nodes lie, those that were dragged included."""
        place = np.array(shown.place)
        for node, spot in self.places.items():
            if shown.shape is None and node < len(place):
                place[node] = spot
        return place

    def show(self, shown: Frame) -> None:
        self.picture.show(shown, self._places(shown), self.picked)
        self._show_controls(shown)
        self.about.object = self._panel(shown)

    def _show_controls(self, shown: Frame) -> None:
        self.chooser.param.update(label=shown.name, end=shown.examples - 1, value=shown.example)
        self.split.visible = self.session.test is not None
        options = {name: s for s, name in enumerate(shown.states)}
        if self.palette.options != options:
            self.palette.param.update(options=options, value=min(self.brush, len(options) - 1))
        self.palette.visible = self.mode == PAINT
        self.painting.param.update(
            value=self.mode == PAINT, description=f"Paint: click a {words.noun(shown)} to force its state."
        )
        why = shown.no_edges_because or f"click two {words.noun(shown)}s to take their edge out, or to put one in."
        self.joining.param.update(
            value=self.mode == EDGES, disabled=bool(shown.no_edges_because), description=f"Edit edges: {why}"
        )
        self.undo.disabled = not (self.seeds or self.toggled or self.places)

    # beside the picture ------------------------------------------------------------------------------------------

    def _panel(self, shown: Frame) -> str:
        """What decides the picked node; or how often each state is right, and what a click does."""
        noun, node = words.noun(shown), self.picked
        if node is not None and node < len(shown):
            if self.mode == EDGES:
                return f"<p>From <b>{escape(words.node_name(shown, node))}</b>: click the other {noun}.</p>"
            return self._decision(shown, node)
        told = {
            LOOK: f"Click a {noun} to see what decides its state.",
            PAINT: f"Click {noun}s to force their state; click again to let go.",
            EDGES: f"Click two {noun}s to take the edge between them out, or to put one in.",
        }  # fmt: skip
        columns = words.counts(shown)
        cells = [[f"{part[s]}" for part in columns.values()] for s in range(len(shown.states))]
        rows = [self._row(self._chip(shown, s), cells[s]) for s in range(len(shown.states))]
        return f"<p>{told[self.mode]}</p>" + self._table(list(columns), rows)

    def _decision(self, shown: Frame, node: int) -> str:
        """The scores of a node and what its neighbours add, with the sum that decides."""
        made = words.decision(shown, node)
        some = words.shown_states(made.total)
        rows = [self._row(escape(name), [f"{part[s]:.2f}" for s in some]) for name, part in made.rows]
        least, reach = made.total[some].min(), float(np.ptp(made.total[some])) or 1.0
        bars = [f"<i style='width:{100 * (made.total[s] - least) / reach:.0f}%'></i>" for s in some]
        last = [f"{made.total[s]:.2f}{bar}" for s, bar in zip(some, bars, strict=True)]
        table = self._table([self._chip(shown, s) for s in some], [*rows, self._row("sum", last, " class='sum'")])
        return f"<p><b>{escape(made.title)}</b></p>{table}<p>{escape(made.verdict)}</p>"

    def _chip(self, shown: Frame, s: int) -> str:
        colour = fills(shown.states, self.theme)[s]
        return f"<b class='state' style='background:{colour};color:{ink_on(colour)}'>{escape(shown.states[s])}</b>"

    def _row(self, name: str, cells: list[str], more: str = "") -> str:
        return f"<tr{more}><th scope='row'>{name}</th>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"

    def _table(self, heads: list[str], rows: list[str]) -> str:
        head = "".join(f"<th scope='col'>{name}</th>" for name in heads)
        return f"<table><tr><th></th>{head}</tr>{''.join(rows)}</table>"

    def recolour(self, theme: Theme) -> None:
        self.picture.recolour(theme)
        if self._seen is not None:
            self.refresh()
