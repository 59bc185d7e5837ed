"""The runs of a session side by side, laid over each other or each in a small picture of its own; a sweep
trains several at once.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import panel as pn
import param
from bokeh.models import BasicTicker

from explorer.session.history.sweep import KINDS
from explorer.views.kit.controls.inputs import word
from explorer.views.kit.controls.tooltips import add_hint
from explorer.views.kit.drawing.axes import readable
from explorer.views.kit.drawing.pieces import WHOLE, choice, fill, pane, plot, source
from explorer.views.kit.drawing.theme import Theme, css_variables
from explorer.views.kit.tables import TEXT
from explorer.views.kit.view import View
from explorer.views.runs import frame as numbers
from explorer.views.runs import words
from explorer.views.runs.frame import RunLines, RunsFrame
from explorer.views.runs.run_list import RunList

LANES = 8
"""Runs that are drawn at the same time."""

DASHES = ("solid", "dashed", "dotted", "dotdash")
STROKES = {"solid": "", "dashed": "7 4", "dotted": "2 3", "dotdash": "2 3 7 3"}
TITLES = (
    ("run", False),
    ("different", False),
    ("steps", True),
    ("objective", True),
    ("gap", True),
    ("loss", True),
    ("", False),
)
LAID, APART = "laid over each other", "small multiples"


class Runs(View):
    """All runs of the session, and a sweep."""

    title: ClassVar[str] = "Runs"
    name_key: ClassVar[str] = "runs"
    help: ClassVar[str] = (
        "Runs that were put aside, beside the present one: the objective of each, and what was set "
        "differently. Tick runs to compare them; Show brings one back with its choices and its step. A sweep "
        "trains the problem again with other values of C, other losses or other learners."
    )
    follows = ("tick", "kept", "status")
    redraws = ("arranged",)
    linked = ("arranged",)
    sentence = staticmethod(words.sentence)
    table = staticmethod(words.table)

    arranged = param.Selector(
        objects=[LAID, APART], default=LAID, doc="One picture for all runs, or one for each."
    )

    def build(self) -> Any:
        self.laid = plot("oracle calls", "objective", min_border_top=4, y_axis_type="log")
        self.lines = [self._line(self.laid, lane) for lane in range(LANES)]
        self.small = [plot(min_border=2, title=" ", y_axis_type="log") for _ in range(LANES)]
        self.own = [self._line(drawn, lane) for lane, drawn in enumerate(self.small)]
        for drawn in (self.laid, *self.small):
            readable(drawn.yaxis, True, 4)
            drawn.xaxis.ticker = BasicTicker(desired_num_ticks=3)
        self.figures += [self.laid, *self.small]
        self.one = pn.Column(pane(self.laid, 150), **WHOLE)
        self.places = [
            pn.Column(pane(drawn, 110), visible=False, margin=0, sizing_mode="stretch_both")
            for drawn in self.small
        ]
        self.many = pn.GridBox(*self.places, ncols=4, visible=False, **WHOLE)
        self.list = RunList(
            self._told, titles=[list(t) for t in TITLES], sizing_mode="stretch_width", margin=4
        )
        self.list.styles = {"max-height": "36%", "overflow": "auto", "flex": "0 0 auto"}
        sweeps = [self._sweeper(kind) for kind in KINDS]
        told = pn.pane.HTML("Sweep", margin=(8, 2, 0, 8), stylesheets=[TEXT])
        wide = {"sizing_mode": "stretch_width", "margin": 0}
        bar = pn.FlexBox(choice(self.param.arranged), told, *sweeps, align_items="center", **wide)
        return pn.Column(bar, self.one, self.many, self.list, **WHOLE)

    def _sweeper(self, kind: str) -> Any:
        """A button that starts a sweep."""
        button = word(f"over {kind}", lambda: self._sweep(kind))
        return add_hint(button, f"Train the problem again for several choices of {kind}; they are kept here.")

    def _line(self, drawn: Any, lane: int) -> Any:
        """The two bounds of one run."""
        data, dash = source("calls primal dual"), DASHES[lane % len(DASHES)]
        upper = drawn.line("calls", "primal", source=data, line_dash=dash)
        lower = drawn.line("calls", "dual", source=data, line_dash=dash, line_alpha=0.55)
        return data, upper, lower

    # what the user does -------------------------------------------------------------------------------------

    def _told(self, message: Mapping[str, Any]) -> None:
        """Carry out what the list asks for."""
        acts = {"pin": self.session.pin, "show": self.session.bring_back, "drop": self.session.forget_run}
        for name, act in acts.items():
            if isinstance(message.get(name), int):
                act(message[name])

    def _sweep(self, kind: str) -> None:
        self.session.sweep.start(self.session.recipe(), kind)
        self.refresh()

    # drawing ------------------------------------------------------------------------------------------------

    def frame(self) -> RunsFrame:
        session = self.session
        to_come = len(session.sweep.waiting) + session.sweep.active
        return numbers.frame(session.trained_under, session.trace, session.past.runs, to_come)

    def show(self, shown: RunsFrame) -> None:
        drawn = shown.drawn[:LANES]
        apart = self.arranged == APART
        self.one.visible, self.many.visible = not apart, apart
        for lane in range(LANES):
            run = drawn[lane] if lane < len(drawn) else None
            for data, *_ in (self.lines[lane], self.own[lane]):
                fill(data, *((run.calls, run.primal, run.dual) if run else ()))
            self.places[lane].visible = run is not None
            if run is not None:
                name = words.name_of_run(run)
                self.small[lane].title.text = f"{name}: {run.difference}" if run.difference else name
        self._fit(drawn)
        lanes = {run.number: lane for lane, run in enumerate(drawn)}
        self.list.rows = [
            {
                "key": run.number,
                "cells": words.cells(run),
                "pinned": run.pinned,
                "lane": self._sign(lanes[run.number]) if run.number in lanes else "",
                "now": run.number == numbers.NOW,
            }
            for run in shown.runs
        ]

    def _fit(self, drawn: tuple[RunLines, ...]) -> None:
        """The same axes for all, so that pictures can be compared."""
        if not drawn:
            return
        values = np.concatenate([part for run in drawn for part in (run.primal, run.dual)])
        known = values[np.isfinite(values) & (values > 0.0)]
        calls = max(float(np.nanmax(run.calls, initial=1.0)) for run in drawn)
        low, high = (float(known.min()), float(known.max())) if len(known) else (1.0, 10.0)
        low = max(low, high / 1000.0)
        for figure in (self.laid, *self.small):
            figure.x_range.update(start=0.0, end=1.02 * calls)
            figure.y_range.update(start=low / 1.1, end=1.1 * high)

    def _sign(self, lane: int) -> str:
        """The line of a run, for the list."""
        colour, dash = self._colour(lane), STROKES[DASHES[lane % len(DASHES)]]
        return (
            "<svg width='26' height='8' aria-hidden='true'><line x1='0' x2='26' y1='4' y2='4' "
            f"stroke='{colour}' stroke-width='3' stroke-dasharray='{dash}'/></svg>"
        )

    def _colour(self, lane: int) -> str:
        lanes = self.theme.lanes
        return lanes[(lane + lane // len(lanes)) % len(lanes)]

    def recolour(self, theme: Theme) -> None:
        for lane in range(LANES):
            for _, upper, lower in (self.lines[lane], self.own[lane]):
                upper.glyph.update(line_color=self._colour(lane), line_width=theme.line + 0.5)
                lower.glyph.update(line_color=self._colour(lane), line_width=theme.line)
        self.list.look = css_variables(theme)
        if self._watchers:
            self.refresh()
