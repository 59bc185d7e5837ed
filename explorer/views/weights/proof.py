"""The proof that the perceptron ends, drawn: three curves over the updates, the impossible part shaded.

On logarithmic axes both straight lines of the proof rise one decade per decade; the cosine's bound reaches 1
at the promised end.
"""

from typing import Any

import numpy as np
from bokeh.models import HoverTool, Label, Range1d, Span

from explorer.session.state import Session
from explorer.views.kit.drawing.axes import readable
from explorer.views.kit.drawing.pieces import fill, plot, source
from explorer.views.kit.drawing.theme import Theme
from explorer.views.kit.drawing.timeline import Timeline
from explorer.views.weights.proof_frame import ProofFrame

TITLES = {"along": "ŵ·w ≥ k δ", "norm2": "|w|² ≤ k R²", "cosine": "cos(ŵ, w) ≥ √k δ / R"}
"""What each of the three figures shows."""

LEFT = 0.8
"""The axis of updates begins a little before the first."""

BOUND_POINTS = 60


class Proof:
    """Three figures over the same updates; filled from a frame."""

    def __init__(self) -> None:
        self.x_range = Range1d(LEFT, 10)
        self.place = np.zeros(0)
        self.source, self.now, self.bound = source("k along norm2 cosine"), source("k along norm2 cosine"), {}
        self.plots: dict[str, Any] = {}
        self.glyphs: dict[str, tuple[Any, ...]] = {}
        self.ends: dict[str, Span] = {}
        self.timelines: list[Timeline] = []
        for name in TITLES:
            self._figure(name)
        # At the bottom right of |w|² nothing is ever drawn: the curve rises, and what is shaded lies above.
        self.promise = Label(
            x=0, y=12, y_units="screen", x_offset=-4, text="", angle=np.pi / 2, text_baseline="bottom"
        )
        self.plots["norm2"].add_layout(self.promise)

    def _figure(self, name: str) -> None:
        log = name != "cosine"
        drawn = plot(
            "updates k",
            title=TITLES[name],
            x_range=self.x_range,
            x_axis_type="log",
            y_axis_type="log" if log else "linear",
            min_border=2,
        )
        readable(drawn.xaxis, True, 4)
        if log:
            readable(drawn.yaxis, True, 4)
        else:
            drawn.yaxis.ticker.desired_num_ticks = 4
        self.bound[name] = data = source("k edge side")
        area = drawn.varea("k", "edge", "side", source=data, fill_alpha=0.16)
        edge = drawn.line("k", "edge", source=data, line_dash="dashed")
        line = drawn.line("k", name, source=self.source)
        dots = drawn.scatter("k", name, source=self.source, size=6)
        here = drawn.scatter("k", name, source=self.now, size=11, marker="diamond")
        tips = [
            ("updates", "@k{0}"),
            ("ŵ·w", "@along{0.0000}"),
            ("|w|²", "@norm2{0.0000}"),
            ("cosine", "@cosine{0.0000}"),
        ]
        drawn.add_tools(HoverTool(renderers=[dots], tooltips=tips))
        self.ends[name] = Span(dimension="height", line_dash="dotted")
        drawn.add_layout(self.ends[name])
        self.timelines.append(Timeline(drawn))
        self.plots[name], self.glyphs[name] = drawn, (area, edge, line, dots, here)

    def step_at(self, x: float, y: float) -> int | None:
        """The first step with the number of updates that is nearest to a place on the axis."""
        if not len(self.place):
            return None
        return int(np.argmin(np.abs(np.log(np.maximum(self.place, LEFT)) - np.log(max(x, LEFT)))))

    def show(self, shown: ProofFrame | None, session: Session) -> None:
        """Put a frame into the sources; a figure without anything known is left out."""
        self.place = np.zeros(0) if shown is None else shown.place
        known = {"along", "norm2", "cosine"} if shown is None else self._known(shown)
        for name, drawn in self.plots.items():
            drawn.visible = name in known
        if shown is None or not (len(shown.k) or np.isfinite(shown.sizes.R)):
            for data in (self.source, self.now, *self.bound.values()):
                fill(data)
        else:
            self._show_run(shown)
        bounded = shown is None or np.isfinite(shown.sizes.R)
        self.plots["norm2"].title.text = TITLES["norm2"] if bounded else "|w|²"
        end = None if shown is None or not np.isfinite(shown.sizes.end) else shown.sizes.end
        for span in self.ends.values():
            span.location = end
        self.promise.update(x=end or 1.0, text="" if end is None else "(R/δ)²")
        for timeline in self.timelines:
            timeline.show(session, np.maximum(self.place, LEFT))

    def hide(self) -> None:
        """Show none of the figures."""
        for drawn in self.plots.values():
            drawn.visible = False

    def _known(self, shown: ProofFrame) -> set[str]:
        """Without a separator only the length is drawn; without a fitting run only the theorem's bounds."""
        return {"norm2"} if np.isnan(shown.sizes.delta) else set(TITLES)

    def _show_run(self, shown: ProofFrame) -> None:
        """The curves, the bounds up to the promised end, and axes that hold both."""
        columns = shown.k, shown.along, shown.norm2, shown.cosine
        fill(self.source, *columns)
        fill(
            self.now,
            *[column[shown.now : shown.now + 1] if shown.now >= 0 else column[:0] for column in columns],
        )
        sizes, last = shown.sizes, float(np.max(shown.place, initial=1.0))
        end = sizes.end if np.isfinite(sizes.end) else last
        right = 1.25 * max(last, end, 2.0)
        self.x_range.update(start=LEFT, end=right)
        k = np.geomspace(LEFT, right, BOUND_POINTS)
        edges = {
            "along": k * sizes.delta,
            "norm2": k * sizes.R**2,
            "cosine": np.sqrt(k) * sizes.delta / sizes.R,
        }
        for name, values in (("along", shown.along), ("norm2", shown.norm2)):
            seen = np.concatenate([values, edges[name]])
            low, high = (
                0.6 * float(np.nanmin(seen, initial=np.inf)),
                1.7 * float(np.nanmax(seen, initial=0.0)),
            )
            if np.isfinite(low) and high > 0.0:
                self.plots[name].y_range.update(start=low, end=high)
            side = np.full(len(k), high if name == "norm2" else low)
            fill(self.bound[name], k, edges[name], side)
        least = float(np.nanmin(np.append(shown.cosine, 0.0), initial=0.0))
        self.plots["cosine"].y_range.update(start=1.1 * least, end=1.08)
        fill(self.bound["cosine"], k, edges["cosine"], np.full(len(k), 1.1 * least))

    def recolour(self, theme: Theme) -> None:
        """The run in the colour of the primal, the bounds in that of the dual."""
        for area, edge, line, dots, here in self.glyphs.values():
            area.glyph.fill_color = theme.neutral
            edge.glyph.update(line_color=theme.dual, line_width=theme.line)
            line.glyph.update(line_color=theme.primal, line_width=theme.line)
            dots.glyph.update(line_color=theme.primal, fill_color=theme.background)
            here.glyph.update(line_color=theme.accent, fill_color=theme.accent)
        for span in self.ends.values():
            span.update(line_color=theme.text, line_width=theme.line)
        self.promise.update(text_color=theme.text, text_font_size=f"{theme.font}px")
        for timeline in self.timelines:
            timeline.recolour(theme)
        for drawn in self.plots.values():
            drawn.title.text_font_style = "normal"


__all__ = ["Proof"]
