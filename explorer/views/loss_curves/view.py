"""Loss and slack over the run: the mean slack, which training lowers, lies above the mean training loss.

    mean_i Delta(y_i, f(x_i))  <=  mean_i xi_i
        (linear slack, exact oracle: with y = f(x_i), xi_i >= Delta)

Loss and slack are measured by a separate look every few passes; each point is one look. Where the oracle is
approximate the slack found in training may lie below the loss: then the picture shows that, and the sentence
says so.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from bokeh.models import BasicTicker, HoverTool

from explorer.engine.events import MEAN_SLACK
from explorer.engine.runs.trace import Trace
from explorer.engine.vectors import Array
from explorer.views.kit.drawing.pieces import ZOOM, fill, legend, pane, plot, source
from explorer.views.kit.drawing.theme import Theme
from explorer.views.kit.drawing.thinning import evenly
from explorer.views.kit.drawing.timeline import Timeline
from explorer.views.kit.view import View
from explorer.wording import number, quantity

MOST_POINTS = 1000
LINES = {
    "slack": (MEAN_SLACK, "solid", "circle"),
    "train": ("training loss", "dashed", "square"),
    "test": ("test loss", "dotted", "triangle"),
}
"""Of each curve its name, dash and marker."""


@dataclass(frozen=True, slots=True, eq=False)
class LossFrame:
    """The looks of the run: their steps and what they found; `at` is the look at the cursor, or -1."""

    step: Array
    slack: Array
    train: Array
    test: Array
    at: int
    cursor: int
    exact: bool
    squared: bool
    risk: str = MEAN_SLACK


def frame(trace: Trace, cursor: int, squared: bool = False, until: int | None = None) -> LossFrame:
    """The looks of a run up to step `until`, thinned to what a screen can show, with the first, the last and
    the cursor's.
    """
    slack, train, test = (trace.column(name) for name in ("mean_slack", "train_loss", "test_loss"))
    seen = np.flatnonzero(np.isfinite(slack) & np.isfinite(train))
    seen = seen if until is None else seen[seen <= until]
    before = seen[seen <= cursor]
    kept = np.unique(np.append(seen[evenly(len(seen), MOST_POINTS)], before[-1:]))
    at = int(np.searchsorted(kept, before[-1])) if len(before) else -1
    begun = trace.start_of(min(cursor, max(0, len(trace) - 1))) if len(trace) else None
    exact, risk = (begun.exact, begun.risk) if begun else (False, MEAN_SLACK)
    return LossFrame(kept, slack[kept], train[kept], test[kept], at, cursor, exact, squared, risk)


def looks_above_slack(shown: LossFrame) -> Any:
    """The looks whose training loss lies above the slack by more than rounding."""
    return shown.train > shown.slack + 1e-9 * np.maximum(1.0, np.abs(shown.slack))


def sentence(shown: LossFrame) -> str:
    """Loss and slack at the cursor, and whether the one bounds the other."""
    if not len(shown.step):
        return "Loss and slack have not been measured yet: press play."
    if shown.at < 0:
        return f"The first look at loss and slack is at step {int(shown.step[0])}."
    train, slack, test = (float(values[shown.at]) for values in (shown.train, shown.slack, shown.test))
    held_out = "" if np.isnan(test) else f", test loss {number(test)}"
    measured = f"mean training loss {number(train)}{held_out}, {shown.risk} {number(slack)}"
    return f"Step {int(shown.step[shown.at])}: {measured}. {verdict(shown)}"


def verdict(shown: LossFrame) -> str:
    """What all looks together say about slack as a bound."""
    if shown.risk != MEAN_SLACK:
        return (
            f"Training lowers the {shown.risk}, which is no bound of the loss: either may be the larger one."
        )
    if shown.squared:
        return (
            "Under a squared penalty slack is held against the root of the loss, so its mean need not "
            "bound the mean loss."
        )
    wrong = int(np.count_nonzero(looks_above_slack(shown)))
    if not wrong:
        return f"Slack bounds the loss at every one of {quantity(len(shown.step), 'look')}."
    why = "the predictor" if shown.exact else "the oracle"
    return (
        f"The loss lies above the slack at {wrong} of {quantity(len(shown.step), 'look')}: {why} is "
        "approximate."
    )


def table(shown: LossFrame) -> dict[str, Any]:
    """The looks as columns."""
    names = {"step": shown.step, shown.risk: shown.slack, "training loss": shown.train}
    return names if np.all(np.isnan(shown.test)) else names | {"test loss": shown.test}


class Losses(View):
    """Loss and slack over the run."""

    title: ClassVar[str] = "Loss"
    name_key: ClassVar[str] = "losses"
    help: ClassVar[str] = (
        "Training lowers the slack, because the loss itself has no slope to follow. The mean slack always "
        "lies above the mean "
        "training loss; how far above, and what happens to the loss on data never trained on, is to be seen "
        "here."
    )

    sentence = staticmethod(sentence)
    table = staticmethod(table)

    def build(self) -> Any:
        self.source = source("step slack train test")
        self.plot = drawn = plot("iteration", "per example", tools=ZOOM)
        drawn.xaxis.ticker, drawn.yaxis.ticker = BasicTicker(min_interval=1), BasicTicker(desired_num_ticks=4)
        self.band = drawn.varea("step", "train", "slack", source=self.source, fill_alpha=0.12)
        self.parts = {
            name: (
                drawn.line("step", name, source=self.source, line_dash=dash),
                drawn.scatter("step", name, source=self.source, marker=marker, size=6),
            )
            for name, (_, dash, marker) in LINES.items()
        }
        self.tips = HoverTool(renderers=[self.parts["slack"][0]], mode="vline")
        drawn.add_tools(self.tips)
        items = {title: list(self.parts[name]) for name, (title, _, _) in LINES.items()}
        self.items = legend(drawn, items | {"room between": [self.band]})
        self.travels(drawn, lambda x, y: round(x))
        self.timeline = Timeline(drawn)
        self.figures.append(drawn)
        return pane(drawn, 140)

    def frame(self) -> LossFrame:
        session = self.session
        squared = session.problem.pricing.penalty == "squared"
        return frame(session.trace, session.cursor, squared, session.horizon)

    def show(self, shown: LossFrame) -> None:
        fill(self.source, shown.step, shown.slack, shown.train, shown.test)
        titles = {name: title for name, (title, _, _) in LINES.items()} | {"slack": shown.risk}
        self.tips.tooltips = [
            ("step", "@step{0}"),
            *((title, f"@{name}{{0.0000}}") for name, title in titles.items()),
        ]
        self.items[MEAN_SLACK].label = shown.risk
        self.items["room between"].visible = shown.risk == MEAN_SLACK
        self.band.visible = shown.risk == MEAN_SLACK
        self.items["test loss"].visible = bool(np.isfinite(shown.test).any())
        known = np.concatenate([shown.slack, shown.train, shown.test])
        top = float(np.nanmax(known, initial=0.0)) or 1.0
        last = float(max(len(self.session.trace) - 1, 1))
        self.plot.x_range.update(start=-0.02 * last, end=1.02 * last)
        self.plot.y_range.update(start=-0.03 * top, end=1.06 * top)
        self.timeline.show(self.session)

    def recolour(self, theme: Theme) -> None:
        colours = {"slack": theme.primal, "train": theme.dual, "test": theme.truth}
        for name, (line, marks) in self.parts.items():
            line.glyph.update(line_color=colours[name], line_width=theme.line)
            marks.glyph.update(line_color=colours[name], fill_color=theme.background)
        self.band.glyph.fill_color = theme.neutral
        self.plot.legend[0].spacing = theme.font
        self.timeline.recolour(theme)
