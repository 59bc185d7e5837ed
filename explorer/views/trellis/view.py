"""Viterbi's trellis of one example, with its controls.

A click picks a node, whose score can then be changed to see the paths flip; nothing of that reaches the run.
"""

from html import escape
from typing import Any, ClassVar

import numpy as np
import panel as pn
import panel_material_ui as pmui
import param

from explorer.labs.fields.handover import Taken, field_of, row_places, words_at
from explorer.views.kit.controls.inputs import BUTTON, HIDDEN, INPUT, NEVER, TYPE, icon, word
from explorer.views.kit.controls.open_in_lab import ToLab
from explorer.views.kit.controls.tooltips import add_hint
from explorer.views.kit.drawing.pieces import WHOLE, pane
from explorer.views.kit.example_view import ExampleView
from explorer.views.trellis import frame as numbers
from explorer.views.trellis import recursion, words
from explorer.views.trellis.figure import TrellisFigure
from explorer.views.trellis.frame import WINDOW, TrellisFrame
from explorer.views.trellis.glyphs import LEAST

SLIDER = {"& .MuiFormLabel-root": TYPE | {"lineHeight": 1.3}, "& .MuiSlider-root": {"padding": "6px 0"}}
BADGE = """
p { margin: 0; font-size: var(--type-small, 14px) }
mark { color: inherit; background: none; border: 1px solid; border-radius: 8px; padding: 0 6px }
"""
LIST = """
:host { max-height: 3.2rem; overflow-y: auto; flex: 0 0 auto !important }
:host(.one-line) { max-height: 1.5rem }
ol { columns: 200px; column-gap: 32px; margin: 2px 0; padding-left: 24px;
  font-size: var(--type-small, 14px); line-height: 1.35 }
"""


class Trellis(ExampleView):
    """Viterbi's trellis."""

    title: ClassVar[str] = "Trellis"
    name_key: ClassVar[str] = "trellis"
    help: ClassVar[str] = (
        "Every path from left to right is a labelling; its score is the sum of its nodes and edges. Viterbi "
        "finds "
        "the best one column by column: play it, or click a node and change its score to see the path flip."
    )

    k_best = param.Integer(0, bounds=(0, 10), label="k best", doc="How many of the best paths are drawn.")
    min_marginals = param.Boolean(False, doc="Colour a node by what it costs to force the path through it.")
    with_loss = param.Boolean(
        False, doc="Add the loss to the nodes: the best path is then the most tempting."
    )
    window = param.Integer(0, bounds=(0, None), label="From position", doc="The first position shown.")
    cell = param.Integer(-1, bounds=(-1, None), doc="The move of the recursion that is shown; -1 is off.")
    speed = param.Number(2.0, bounds=(0.5, 20.0), label="Cells a second", doc="How fast the recursion plays.")
    playing = param.Boolean(False, doc="Whether the recursion plays by itself.")
    picked = param.Parameter(None, doc="The node (t, s) whose score can be changed.")
    edits = param.Dict({}, doc="What is added to the scores of nodes (t, s).")

    linked = ("k_best", "min_marginals", "with_loss", "window")
    redraws = ("k_best", "min_marginals", "with_loss", "window", "cell", "picked", "edits")
    fresh: ClassVar[dict[str, Any]] = {"edits": {}, "picked": None, "cell": -1, "window": 0, "playing": False}
    misfit = "The trellis shows label sequences, and this task has none: choose one such as digits as words."
    table = staticmethod(words.table)

    # building -----------------------------------------------------------------------------------------------

    def build(self) -> Any:
        self._timer: Any = None
        self._ranged: Any = None
        self.picture = TrellisFigure(self.refresh)
        self.pictures = (self.picture,)
        self.figures += [self.picture.plot, self.picture.strip]
        self.on_tap(self.picture.plot, self._tapped)
        self.on_tap(self.picture.strip, lambda x, y: self._begin(round(x) - WINDOW // 2))
        self.picture.box.on_change("left", self._dragged)
        bar, self.what_if = self._controls(), self._editor()
        strip = pn.pane.Bokeh(self.picture.strip, sizing_mode="stretch_width", height=48, margin=0)
        self.map = pn.Row(self.first, strip, margin=(0, 4), **HIDDEN)
        self.list = pn.pane.HTML("", margin=(0, 8), stylesheets=[LIST], **HIDDEN)
        self.param.watch(self._clock, ["playing", "speed"])
        self.param.watch(self._rest, ["active"])
        return pn.Column(bar, self.what_if, self.map, pane(self.picture.plot, LEAST), self.list, **WHOLE)

    def _controls(self) -> Any:
        self.ranks = add_hint(
            pmui.IntInput.from_param(self.param.k_best, width=72, **INPUT), self.param.k_best.doc
        )
        self.first = pmui.IntInput.from_param(self.param.window, step=5, width=112, **INPUT)
        self.pace = pmui.FloatInput.from_param(self.param.speed, step=0.5, width=118, **INPUT)
        add_hint(self.first, self.param.window.doc)
        add_hint(self.pace, self.param.speed.doc)
        self.prices = self._toggle("Min-marginals", self.param.min_marginals)
        self.to_lab = ToLab(self._taken, lambda: self.theme.name)
        self.play_button, self.off_button = word("Play cells", self.play), word("End", self.stop)
        add_hint(self.play_button, "Fill the trellis cell by cell, with the recursion's numbers.")
        add_hint(self.off_button, "Leave the recursion.")
        parts = [
            self.ranks,
            self.prices,
            self._toggle("With loss", self.param.with_loss),
            self.play_button,
            icon("skip_next", "Next cell", self.step_cell),
            self.off_button,
            self.pace,
            self.to_lab,
        ]
        return self.bar(*parts, width=66)

    def _toggle(self, label: str, parameter: Any) -> Any:
        """A switch whose name, as it is read aloud, begins with what it shows."""
        about = {"description": f"{label}: {parameter.doc}", "description_delay": NEVER}
        return add_hint(pmui.Toggle.from_param(parameter, label=label, **(BUTTON | about)), parameter.doc)

    def _editor(self) -> Any:
        """The row that changes the score of the picked node."""
        self.about = pn.pane.HTML("", margin=(4, 6), stylesheets=[BADGE])
        self.adjust = pmui.FloatSlider(
            label="Add to score", width=190, size="small", margin=(2, 14), sx=SLIDER
        )
        add_hint(self.adjust, "What is added to the score of the picked node, in this picture alone.")
        self.adjust.param.watch(lambda event: self._edit(event.new), ["value"])
        self.undo = icon("restart_alt", "Take all changes back", self.reset_edits)
        return pn.FlexBox(self.adjust, self.undo, self.about, align_items="center", margin=(0, 4), **HIDDEN)

    def _taken(self) -> Taken | None:
        """The chain that is shown, edits and loss included, for the oracle lab."""
        shown = self.shown
        if shown is None:
            return None
        words = f"{shown.name} {shown.example} of {self.session.choices.task}, {words_at(shown.step)}"
        return Taken(words, field_of(shown.shown), row_places(shown.length))

    # acting -------------------------------------------------------------------------------------------------

    def _tapped(self, x: float, y: float) -> None:
        """Pick the node under a click, or let go of it; while the recursion is shown, go to that cell."""
        length, states = self.shown.shown.unary.shape if self.shown else (0, 0)
        node = (round(x), round(y))
        if not (0 <= node[0] < length and 0 <= node[1] < states):
            return
        if self.cell >= 0:
            self.cell = node[0] * states + node[1]
        else:
            self.picked = None if self.picked == node else node

    def _edit(self, delta: float | None) -> None:
        if self.picked is None or delta is None or delta == self.edits.get(self.picked, 0.0):
            return
        others = {node: value for node, value in self.edits.items() if node != self.picked}
        self.edits = others | ({self.picked: float(delta)} if delta else {})

    def reset_edits(self) -> None:
        """Take all what-if changes back."""
        self.edits = {}

    def _dragged(self, attr: str, old: Any, new: Any) -> None:
        if isinstance(new, int | float):
            self._begin(round(new + 0.5))

    def _begin(self, position: int) -> None:
        last = self.shown.length - WINDOW if self.shown else 0
        self.window = max(0, min(position, last))

    def _last(self) -> int:
        return recursion.cells(self.shown) - 1 if self.shown else -1

    def play(self) -> None:
        """Play the recursion, from the start when it is off or through; when it plays, pause."""
        if not self.playing and self.cell in (-1, self._last()):
            self.cell = min(0, self._last())
        self.playing = not self.playing

    def stop(self) -> None:
        """Leave the recursion."""
        self.param.update(playing=False, cell=-1)

    def step_cell(self) -> None:
        """Show the next move of the recursion; the last one ends the playing."""
        self.cell = min(self.cell + 1, self._last())
        if self.cell == self._last():
            self.playing = False

    def _clock(self, *_: Any) -> None:
        """Start or stop the timer, at the chosen speed."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        if self.playing:
            self._timer = pn.state.add_periodic_callback(self.step_cell, period=round(1000 / self.speed))
        self.play_button.label = "Pause" if self.playing else "Play cells"

    def close(self) -> None:
        """Stop the clock and stop listening to the session."""
        self.playing = False
        super().close()

    def _rest(self, event: Any) -> None:
        """A hidden view does not play."""
        if not event.new:
            self.playing = False

    # showing ------------------------------------------------------------------------------------------------

    def read(self, *where: Any) -> TrellisFrame:
        return numbers.frame(
            *where,
            edits=self.edits,
            k=self.k_best,
            with_loss=self.with_loss,
            window=self.window,
            cell=self.cell,
            phase=self.session.phase,
        )

    def sentence(self, shown: TrellisFrame) -> str:
        told = words.sentence(shown)
        return f"{told} {shown.no_loss_because}" if self.with_loss and shown.no_loss_because else told

    def show(self, shown: TrellisFrame) -> None:
        super().show(shown)
        self.picture.show(shown, self.min_marginals, self.picked)
        self._show_controls(shown)
        self._show_editor(shown)

    def _show_controls(self, shown: TrellisFrame) -> None:
        self.map.visible = shown.long
        self.first.end = max(1, shown.length - WINDOW)
        if shown.lo != self.window:
            self.window = shown.lo
        plays = shown.cell >= 0
        self.off_button.visible = self.pace.visible = plays
        self.ranks.visible = self.prices.visible = not plays
        self.list.visible = bool(len(shown.paths)) and not plays
        self.list.css_classes = ["one-line"] if shown.long else []  # the strip above needs the room
        self.list.object = (
            "<ol>" + "".join(f"<li>{escape(row)}</li>" for row in words.ranking(shown)) + "</ol>"
        )

    def _show_editor(self, shown: TrellisFrame) -> None:
        node, plays = self.picked, shown.cell >= 0
        self.what_if.visible = not plays and (node is not None or bool(shown.edits))
        self.adjust.visible = node is not None
        self.undo.disabled = not shown.edits
        badge = f" <mark>{len(shown.edits)} changed</mark>" if shown.edits else ""
        if node is None:
            self._ranged = None
            self.about.object = f"<p>Click a node to change its score.{badge}</p>"
            return
        digits, far = recursion.decimals(shown), -float(shown.price[node])
        name = f"<b>{escape(words.quote(shown, node[1]))} at {node[0]}</b>"
        where = f"{far:.{digits}f} below the best" if far > 0 else "on a best path"
        self.about.object = f"<p>{name}: {shown.shown.unary[node]:.{digits}f}, {where}{badge}</p>"
        if self._ranged != node:
            largest = float(np.abs(shown.price[np.isfinite(shown.price)]).max(initial=0.0))
            reach = max(1.0, float(np.ceil(2 * largest)), abs(shown.edits.get(node, 0.0)))
            self.adjust.param.update(start=-reach, end=reach, step=reach / 100)
            self._ranged = node
        self.adjust.value = shown.edits.get(node, 0.0)
