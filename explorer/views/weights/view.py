"""The weight vector, what the last step changed in it, and the way it has come, drawn.

Chains of few states also have a diagram of their transitions, and runs of the perceptron the proof that it
ends.
"""

from typing import Any, ClassVar

import numpy as np
import panel as pn
import param
from bokeh.models import HoverTool

from explorer.engine.learners import by_name
from explorer.views.kit.depiction import depiction_of
from explorer.views.kit.drawing.pieces import WHOLE, choice, fill, legend, pane, plot, source
from explorer.views.kit.drawing.theme import Theme, restyle
from explorer.views.kit.drawing.timeline import Timeline
from explorer.views.kit.memory import Memory
from explorer.views.kit.view import View
from explorer.views.weights import diagram_frame, proof_frame
from explorer.views.weights import frame as numbers
from explorer.views.weights.diagram import Diagram
from explorer.views.weights.figures import PairedBars, WeightBars, WeightCells
from explorer.views.weights.frame import WeightsFrame
from explorer.views.weights.proof import Proof
from explorer.views.weights.rival import Rival, rival_of

PARTS = ("weights", "changes", "path", "diagram", "proof")
OWN = {"diagram": diagram_frame, "proof": proof_frame}
"""Parts that have a frame of their own."""

Shown = WeightsFrame | diagram_frame.DiagramFrame | proof_frame.ProofFrame | None


class Weights(View):
    """The weight vector."""

    title: ClassVar[str] = "Weights"
    name_key: ClassVar[str] = "weights"
    help: ClassVar[str] = (
        "What has been learned: one weight per feature and state. Red speaks for a state, blue with a minus "
        "stroke against it."
    )

    linked = ("part",)
    redraws = ("part", "theme")

    part = param.Selector(
        objects=list(PARTS),
        doc="The weights, this step's changes, the path so far; of chains the states, of perceptrons the "
        "proof.",
    )

    def build(self) -> Any:
        self._awaited: Any = None
        self._known = Memory(1)
        self.diagram: Diagram | None = None
        self.proof: Proof | None = None
        self.cells, self.side, self.bars = (
            WeightCells(self.refresh),
            WeightCells(self.refresh),
            WeightBars(self.refresh),
        )
        self.paired = PairedBars(self.refresh)
        self.figures += [self.cells.plot, self.side.plot, self.bars.plot, self._lines()]
        self.pictures = pn.Row(*map(pane, [*self.figures, self.paired.plot]), **WHOLE)
        return pn.Column(choice(self.param.part), self.pictures, **WHOLE)

    def _lines(self) -> Any:
        self.lines = drawn = plot("step")
        self.line_source = source("step length cosine norm")
        data = {"source": self.line_source}
        length = drawn.line("step", "length", **data)
        dots = drawn.scatter("step", "length", size=5, **data)
        cosine = drawn.line("step", "cosine", line_dash="dashed", **data)
        squares = drawn.scatter("step", "cosine", size=5, marker="square", **data)
        tips = [("step", "@step{0}"), ("|w|", "@norm{0.0000}"), ("cosine", "@cosine{0.0000}")]
        drawn.add_tools(HoverTool(renderers=[length], tooltips=tips, mode="vline"))
        legend(drawn, {"|w| / last |w|": [length, dots], "cosine to last w": [cosine, squares]})
        self.travels(drawn, lambda x, y: round(x))
        self.timeline = Timeline(drawn)
        self.line_parts = (length, dots, cosine, squares)
        return drawn

    def _offer(self) -> None:
        """Offer each part that fits problem and learner; from one that does not, go to the weights."""
        trace, problem = self.session.trace, self.session.problem
        chosen = by_name(self.session.choices.learner).__name__
        learner = trace.starts[-1][1].learner if trace.starts else chosen
        fits = {"diagram": diagram_frame.fits(problem), "proof": proof_frame.fits(learner)}
        offered = [part for part in PARTS if fits.get(part, True)]
        if offered != self.param.part.objects:
            if self.part not in offered:
                self.part = PARTS[0]
            self.param.part.objects = offered

    def frame(self) -> Shown:
        self._offer()
        session, aspect = self.session, self.cells.aspect
        if self.part == "diagram":
            return diagram_frame.frame(session.problem, session.trace, session.cursor)
        if self.part == "proof":
            return proof_frame.frame(session.problem, session.trace, session.cursor, self._known)
        rival = self._rival() if self.part == "weights" and len(session.trace) else None
        return numbers.frame(
            session.problem, session.trace, session.cursor, aspect, self.part == "path", rival
        )

    def _rival(self) -> Rival | None:
        """A classifier of pairs where items are clustered; None while it is trained, then drawn again."""
        problem = self.session.problem
        if not depiction_of(problem).weighs_pairs:
            return None
        found, page = rival_of(problem), pn.state.curdoc
        if page is None or page.session_context is None:
            return found.result()
        if not found.done() and self._awaited is not found:
            self._awaited = found
            found.add_done_callback(lambda _: page.add_next_tick_callback(self.refresh))
        return found.result() if found.done() else None

    def sentence(self, shown: Shown) -> str:
        return (numbers if shown is None else OWN.get(self.part, numbers)).sentence(shown)

    def table(self, shown: Shown) -> dict[str, Any]:
        return (numbers if shown is None else OWN.get(self.part, numbers)).table(shown)

    def show(self, shown: Shown) -> None:
        self._show_own(shown)
        if self.part in OWN:
            for drawn in (self.cells.plot, self.side.plot, self.bars.plot, self.lines, self.paired.plot):
                drawn.visible = False
        else:
            self._show_weights(shown)

    def _show_own(self, shown: Shown) -> None:
        """The diagram or the proof, made when first looked at; the one that is not looked at is hidden."""
        if self.part == "diagram" and self.diagram is None:
            self.diagram = Diagram(self.refresh)
            self._add(self.diagram, self.diagram.plot)
        if self.part == "proof" and self.proof is None:
            self.proof = Proof()
            self._add(self.proof, *self.proof.plots.values())
            for drawn in self.proof.plots.values():
                self.travels(drawn, self.proof.step_at)
        if self.diagram is not None:
            self.diagram.plot.visible = self.part == "diagram"
        if self.proof is not None and self.part != "proof":
            self.proof.hide()
        if self.part == "diagram":
            self.diagram.show(shown, self.theme.font)
        elif self.part == "proof":
            self.proof.show(shown, self.session)

    def _add(self, made: Diagram | Proof, *plots: Any) -> None:
        """Put figures on the page that were not there before."""
        for drawn in plots:
            restyle(drawn, self.theme)
        made.recolour(self.theme)
        self.figures += plots
        self.pictures.extend([pane(drawn) for drawn in plots])

    def _show_weights(self, shown: WeightsFrame | None) -> None:
        barred = shown is None or shown.sheet is None
        on = {"weights": (not barred, not barred and shown.side is not None, barred, False)}
        visible = on.get(self.part, (False, False, self.part == "changes", self.part == "path"))
        paired = self.part == "weights" and shown is not None and shown.rivalry is not None
        visible = (*visible[:2], visible[2] and not paired, visible[3])
        self.paired.plot.visible = paired
        for drawn, seen in zip(self.figures[: len(visible)], visible, strict=True):
            drawn.visible = seen
        if visible[0]:
            self.cells.show(shown.sheet, self.theme.font)
        if visible[1]:
            self.side.show(shown.side, self.theme.font)
            self.side.plot.max_width = int(np.clip(70 + 22 * len(shown.side.across), 160, 300))
        if visible[2]:
            rows = () if shown is None else shown.changes if self.part == "changes" else shown.top
            self.bars.show(self._title(shown, rows), rows, self.theme.font)
        if visible[3]:
            self._show_path(shown)
        if paired:
            self.paired.show(shown.rivalry, self.theme.font)

    def _title(self, shown: WeightsFrame | None, rows: numbers.Named) -> str:
        if shown is None:
            return ""
        if self.part == "weights":
            return "largest weights" if len(shown.w) > len(rows) else "all weights"
        return f"biggest changes {shown.since}" if rows else f"nothing changed {shown.since}"

    def _show_path(self, shown: WeightsFrame | None) -> None:
        if shown is None:
            fill(self.line_source)
            return
        length = shown.norms / (shown.norms[-1] or 1.0)
        fill(self.line_source, shown.steps, length, shown.cosines, shown.norms)
        values = np.concatenate([length, shown.cosines, [0.0, 1.0]])
        low, high, last = float(np.nanmin(values)), float(np.nanmax(values)), float(shown.steps[-1])
        self.lines.x_range.update(start=-0.03 * max(last, 1.0), end=1.03 * max(last, 1.0))
        self.lines.y_range.update(start=low - 0.05, end=high + 0.3 * (high - low))
        self.timeline.show(self.session)

    def recolour(self, theme: Theme) -> None:
        self.cells.recolour(theme)
        self.side.recolour(theme)
        self.bars.recolour(theme)
        restyle(self.paired.plot, theme)
        self.paired.recolour(theme)
        for made in filter(None, (self.diagram, self.proof)):
            made.recolour(theme)
        length, dots, cosine, squares = self.line_parts
        self.timeline.recolour(theme)
        self.lines.legend.spacing = theme.font
        for line, marks, colour in ((length, dots, theme.primal), (cosine, squares, theme.dual)):
            line.glyph.line_color = marks.glyph.line_color = colour
            marks.glyph.fill_color, line.glyph.line_width = theme.background, theme.line
