"""Numbers of a film over its steps: beliefs that settle or swing, a score that climbs, a flow that grows."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from bokeh.models import BasicTicker, HoverTool, Label, Span

from explorer.engine.vectors import Ints
from explorer.labs.fields.film import Film, Track
from explorer.labs.fields.state import Lab
from explorer.views.kit.drawing import fill, pane, plot, source
from explorer.views.kit.theme import Theme
from explorer.views.kit.view import View

MANY, FEW = 40, 3
"""Longer films have thinner lines; so few lines have their names beside them."""


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """The track, the step, and the lines that end below the level."""

    film: Film
    track: Track
    step: int
    below: Ints
    picked: int | None


def frame(film: Film, step: int, picked: int | None) -> Frame:
    """The track of a film at a step; of lines that belong to nodes, those that end below the level are told
    apart.
    """
    steps = np.array([[one.score] for one in film.steps])
    track = film.track or Track("step", "score", ("score",), steps, float("nan"), "")
    last = track.values[-1] if len(track.nodes) else np.full(track.values.shape[1], np.inf)
    return Frame(film, track, min(step, len(film) - 1), np.flatnonzero(last < track.level), picked)


def sentence(shown: Frame) -> str:
    """How many lines, where they are now and where they end."""
    track, now = shown.track, shown.track.values[shown.step]
    if not len(track.nodes):
        level = f"; {track.level_name} {track.level:.4g}" if np.isfinite(track.level) else ""
        lines = ", ".join(f"{name} {value:.4g}" for name, value in zip(track.names, now, strict=True))
        return f"{lines.capitalize()} at {track.x} {shown.step}{level}."
    wrong, swung = int((now < track.level).sum()), int((late_turns(track) > 1).sum())
    restless = f" {swung} cross 0 again and again." if swung else " In the end each node keeps its side."
    return (
        f"After {track.x} {shown.step}, {wrong} of the {len(now)} nodes drawn are below 0, decoded "
        f"wrongly.{restless}"
    )


def late_turns(track: Track) -> Ints:
    """How often each line crosses the level in the second half."""
    late = track.values[len(track.values) // 2 :]
    return (np.diff(late > track.level, axis=0) != 0).sum(axis=0)


def table(shown: Frame) -> dict[str, Any]:
    """One row per step."""
    track = shown.track
    rows: dict[str, Any] = {track.x: list(range(len(track.values)))}
    return rows | {name: track.values[:, j].tolist() for j, name in enumerate(track.names)}


class TrackView(View[Lab]):
    """Lines over steps."""

    title: ClassVar[str] = "Over the steps"
    name_key: ClassVar[str] = "track"
    help: ClassVar[str] = (
        "What the oracle's numbers do from step to step. For belief propagation: how far the best state of "
        "each node is "
        "ahead of its rivals; below 0 the node is decoded wrongly (dashed: wrong at the end), and lines "
        "that never settle are "
        "an oscillation. Click to go to a step."
    )
    follows = ("tick", "step", "picked")
    sentence = staticmethod(sentence)
    table = staticmethod(table)

    def build(self) -> Any:
        self.plot = plot("step", "score", min_border_right=12)
        self.plot.xaxis.ticker = BasicTicker(min_interval=1)
        self.lines, self.dots = source("xs ys name dash width alpha"), source("x y name")
        self.ends = source("x y text")
        self.level, self.at = Span(dimension="width", line_dash="dotdash"), Span(dimension="height")
        self.called = Label(x=6, y=0, x_units="screen", y_offset=-3, text_baseline="top", padding=2)
        for part in (self.level, self.at, self.called):
            self.plot.add_layout(part)
        self.drawn = self.plot.multi_line(
            "xs", "ys", source=self.lines, line_dash="dash", line_width="width", line_alpha="alpha"
        )
        self.now = self.plot.scatter("x", "y", source=self.dots, size=7)
        self.names = self.plot.text(
            "x", "y", "text", source=self.ends, text_align="right", y_offset=-5, x_offset=-8
        )
        tips = [("", "@name"), ("value", "@y{0.000}")]
        self.plot.add_tools(HoverTool(renderers=[self.now], tooltips=tips))
        self.plot.add_tools(
            HoverTool(renderers=[self.drawn], tooltips=[("", "@name")], line_policy="nearest")
        )
        self.figures.append(self.plot)
        self.on_tap(self.plot, lambda x, y: self.session.look_at_step(round(x)))
        return pane(self.plot)

    def frame(self) -> Frame:
        return frame(self.session.film, self.session.step, self.session.picked)

    def show(self, shown: Frame) -> None:
        track, (steps, count) = shown.track, shown.track.values.shape
        x, below = np.arange(steps), set(shown.below.tolist())
        mine = [
            shown.picked is not None and len(track.nodes) and track.nodes[j] == shown.picked
            for j in range(count)
        ]
        line = self.theme.line * (1.0 if steps <= MANY else 0.6)
        width = [2.2 * self.theme.line if own else line for own in mine]
        alpha = [1.0 if own or shown.picked is None else 0.35 for own in mine]
        dash = ["dashed" if j in below or (j and not len(track.nodes)) else "solid" for j in range(count)]
        fill(self.lines, [x] * count, list(track.values.T), list(track.names), dash, width, alpha)
        fill(self.dots, [shown.step] * count, track.values[shown.step], list(track.names))
        fill(self.ends, *self._named(track))
        self.plot.xaxis.axis_label, self.plot.yaxis.axis_label = track.x, track.y
        self._place(track, shown.step, steps)

    def _named(self, track: Track) -> tuple[Any, Any, Any]:
        """Names at the end of the lines, where there are two or three."""
        few = 1 < len(track.names) <= FEW
        where = [len(track.values) - 1] * len(track.names)
        return (where, track.values[-1], list(track.names)) if few else ([], [], [])

    def _place(self, track: Track, step: int, steps: int) -> None:
        """Ranges, the level and the mark at the step."""
        seen = np.append(track.values.ravel(), track.level)
        seen = seen[np.isfinite(seen)] if np.isfinite(seen).any() else np.zeros(1)
        low, high = float(seen.min()), float(seen.max())
        pad = 0.1 * ((high - low) or max(1.0, abs(high)))
        self.plot.x_range.update(start=-0.03 * max(1, steps - 1) - 0.1, end=1.03 * max(1, steps - 1) + 0.1)
        self.plot.y_range.update(start=low - pad, end=high + pad)
        known = bool(np.isfinite(track.level))
        self.level.update(location=track.level if known else 0.0, visible=known)
        self.called.update(y=track.level if known else 0.0, text=track.level_name, visible=known)
        self.at.location = step

    def recolour(self, theme: Theme) -> None:
        self.drawn.glyph.line_color = theme.dual
        self.now.glyph.update(fill_color=theme.background, line_color=theme.dual, line_width=theme.line)
        self.names.glyph.update(text_color=theme.text, text_font_size=f"{theme.font}px")
        self.level.update(line_color=theme.primal, line_width=theme.line)
        self.at.update(line_color=theme.muted, line_width=theme.line / 2, line_dash="dotted")
        self.called.update(text_color=theme.primal, text_font_size=f"{theme.font}px")
        self.called.update(background_fill_color=theme.background, background_fill_alpha=0.85)
        self.refresh()
