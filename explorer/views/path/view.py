"""The regularisation path, drawn: losses, length of w and proved gap at every C, and one C in detail.

It is traced in the worker: at the press of a button, and in a studio when it is first looked at. Moving along
the path asks nobody: the points answer.
"""

import math
from typing import Any, ClassVar

import numpy as np
import panel as pn
import panel_material_ui as pmui
import param
from bokeh.models import HoverTool, NumeralTickFormatter, Range1d, Span

from explorer.engine.contracts import oracle_kind
from explorer.engine.events import DOUBTS
from explorer.engine.runs.path import summary
from explorer.session.path import no_path
from explorer.views.kit.controls.tooltips import add_hint
from explorer.views.kit.drawing.pieces import FLAT, WHOLE, choice, fill, legend, pane, plot, source
from explorer.views.kit.drawing.theme import Theme
from explorer.views.kit.view import View
from explorer.views.path import frame as numbers
from explorer.views.path.frame import COLUMNS, PathFrame
from explorer.wording import number

EPS = (0.005, 0.01, 0.02, 0.05, 0.1)
OVER_C, OVER_NORM = "C", "|w|^2"
TIPS = [
    ("trained at C", "@C{0.000}"),
    ("test loss", "@test_loss{0.0000}"),
    ("training loss", "@train_loss{0.0000}"),
    ("|w|", "@norm{0.000}"),
    ("gap there", "@gap{0.00%}"),
]


class Path(View):
    """The regularisation path."""

    title: ClassVar[str] = "Path"
    name_key: ClassVar[str] = "path"
    help: ClassVar[str] = (
        "Every C at once: a solution trained at one C proves how good it is at its neighbours, so a few "
        "points cover "
        "the whole range. Dots are trained points; the dashed line is the C of the run. Click or slide to "
        "look at a C. Losses may be drawn over the squared length of w instead, with C beside the points."
    )

    # A refused choice changes nothing but what is said.
    follows = ("traced", "tick", "status", "message")
    linked = ("decades", "eps", "over")
    redraws = ("decades", "eps", "over", "asked")
    sentence = staticmethod(numbers.sentence)
    table = staticmethod(numbers.table)

    decades = param.Range(
        (-2.0, 1.0), bounds=(-4.0, 4.0), doc="How many decades below and above the run's C to trace."
    )
    eps = param.Selector(
        objects=list(EPS), default=0.02, doc="The relative gap that is proved everywhere on the path."
    )
    over = param.Selector(
        objects=[OVER_C, OVER_NORM], doc="What losses are drawn over: C, or the squared length of w."
    )
    asked = param.Number(0.0, doc="The C that is looked at, as a power of ten.")

    def build(self) -> Any:
        self._drawn: Any = None
        self.marks: list[tuple[Span, Span]] = []
        self.asked = math.log10(self.price)
        self.curve, self.dots = source(" ".join(COLUMNS)), source(" ".join(COLUMNS))
        self.axis = Range1d(0.1, 10.0)
        self.losses, self.norms, self.gaps = (self._figure(name) for name in ("loss", "|w|", "proved gap"))
        self.parts = {
            "train_loss": self._line(self.losses, "train_loss", line_dash="dashed"),
            "test_loss": self._line(self.losses, "test_loss"),
            "norm": self._line(self.norms, "norm"),
            "gap": self._line(self.gaps, "gap", size=4),
        }
        legend(self.losses, {"training": self.parts["train_loss"], "test": self.parts["test_loss"]})
        self.limit = Span(dimension="width", line_dash="dotted", line_width=1.5)
        self.gaps.add_layout(self.limit)
        self.gaps.yaxis.formatter = NumeralTickFormatter(format="0.0%")
        self._build_against()
        self.panes = [pn.Column(pane(drawn), **WHOLE) for drawn in self.figures]
        self.pictures = pn.Row(*self.panes, **WHOLE)
        return pn.Column(self._tools(), self.pictures, **WHOLE)

    def _figure(self, name: str) -> Any:
        drawn = plot("C", name, x_axis_type="log", x_range=self.axis)
        run, look = Span(dimension="height", line_dash="dashed"), Span(dimension="height", line_width=2)
        for mark in (run, look):
            drawn.add_layout(mark)
        self.marks.append((run, look))
        self.on_tap(drawn, lambda x, y: self._ask(x))
        self.figures.append(drawn)
        return drawn

    def _build_against(self) -> None:
        """Losses over |w|^2, from point to point along C, which stands beside them."""
        self.against = drawn = plot(OVER_NORM, "loss", x_axis_type="log", x_range=Range1d(0.1, 10.0))
        self.trail, self.names = source("norm2 train_loss test_loss C"), source("x y text")
        for name, dash in (("train_loss", "dashed"), ("test_loss", "solid")):
            line = drawn.line("norm2", name, source=self.trail, line_dash=dash)
            dots = drawn.scatter("norm2", name, source=self.trail, size=6)
            self.parts[f"{name} over |w|^2"] = line, dots
        tips = [("trained at C", "@C{0.000}"), (OVER_NORM, "@norm2{0.0000}"), *TIPS[1:3]]
        drawn.add_tools(HoverTool(renderers=[dots], tooltips=tips))
        self.label = drawn.text("x", "y", "text", source=self.names, x_offset=4, y_offset=-4)
        self.here = Span(dimension="height", line_width=2)
        drawn.add_layout(self.here)
        self.figures.insert(0, drawn)

    def _line(self, drawn: Any, name: str, size: int = 6, **look: Any) -> Any:
        line = drawn.line("C", name, source=self.curve, **look)
        dots = drawn.scatter("C", name, source=self.dots, size=size)
        drawn.add_tools(HoverTool(renderers=[dots], tooltips=TIPS))
        return line, dots

    def _tools(self) -> Any:
        small = {"size": "small", "margin": (8, 4, 8, 8), "sx": FLAT}
        self.begin = pmui.Button(label="Trace the path", variant="contained", **small)
        self.begin.on_click(lambda _: self._trace())
        self.cancel = pmui.Button(label="Cancel", variant="outlined", disabled=True, **small)
        self.cancel.on_click(lambda _: self.session.path.stop())
        self.reach = pmui.RangeSlider.from_param(
            self.param.decades,
            label="",
            step=0.5,
            show_value=False,
            size="small",
            width=170,
            margin=(0, 12),
            tooltips=False,
        )
        gap = pmui.Select.from_param(
            self.param.eps,
            label="gap",
            options={f"{100 * eps:g}%": eps for eps in EPS},
            description="",
            size="small",
            width=90,
            margin=(6, 8),
        )
        add_hint(gap, self.param.eps.doc)
        add_hint(
            self.begin,
            "Train at a few values of C, each from its neighbour, until every C between is covered.",
        )
        add_hint(self.cancel, "Stop tracing; what has been traced stays.")
        self.axes = choice(self.param.over, margin=(12, 4))
        parts = (self.begin, self.cancel, self.reach, gap, self.axes, self._slider())
        return pn.Row(*parts, sizing_mode="stretch_width", margin=0)

    def _slider(self) -> Any:
        self.along = pmui.FloatSlider(
            label="C",
            value=0.0,
            start=-1.0,
            end=1.0,
            step=0.01,
            show_value=False,
            disabled=True,
            size="small",
            tooltips=False,
            sizing_mode="stretch_width",
            margin=(0, 16),
        )
        add_hint(self.along, "The C that is looked at; the points answer, nothing is trained.")
        self.along.param.watch(lambda e: self.param.update(asked=e.new), "value")
        return self.along

    @property
    def price(self) -> float:
        """The run's C; 1 for a learner that has none, or an infinite one."""
        C = float(getattr(self.session.choices.settings, "C", 1.0))
        return C if 0.0 < C < math.inf else 1.0

    def span(self) -> tuple[float, float, float]:
        """What a press of the button would trace."""
        low, high = (float(f"{self.price * 10.0**decade:.4g}") for decade in self.decades)
        return low, high, self.eps

    def trace_first(self) -> None:
        """Begin to trace where nothing is known of the path yet and there is one: empty axes tell nothing."""
        known = self.session.path.status != "idle" or self.session.path.points
        if not known and len(self.session.trace) and not no_path(self.session.recipe()):
            self._trace()

    def _trace(self) -> None:
        self.asked = math.log10(self.price)
        self.session.trace_path(*self.span())

    def _ask(self, C: float) -> None:
        """Look at a C on the path."""
        low, high, _ = self.session.path.span
        if self.session.path.points:
            self.asked = math.log10(min(max(C, low), high))

    def frame(self) -> PathFrame:
        path, reason = self.session.path, no_path(self.session.recipe())
        span = self.span() if path.status == "idle" else path.span
        asked = min(max(10.0**self.asked, span[0]), span[1])
        doubt = DOUBTS[oracle_kind(self.session.problem)]
        return numbers.frame(path.points, span, asked, path.status, path.message, path.trying, reason, doubt)

    def show(self, shown: PathFrame) -> None:
        (low, high, eps), running, some = shown.span, shown.status == "running", bool(shown.points)
        self.begin.disabled, self.cancel.disabled = running or bool(shown.refusal), not running
        self.pictures.visible = not shown.refusal
        planned = self.span()
        self.reach.label = f"C {number(planned[0])} to {number(planned[1])}"
        ends = {"start": math.log10(low), "end": max(math.log10(high), math.log10(low) + 0.01)}
        where = math.log10(shown.asked)
        if abs(where - self.along.value) > 1e-6:  # never push back at the hand that slides
            ends["value"] = where
        self.along.param.update(label=f"At C = {shown.asked:.3g}", disabled=not some, **ends)
        self.axis.update(start=low / 1.1, end=high * 1.1)
        for run, look in self.marks:
            run.location, look.location, look.visible = self.price, shown.asked, some
        self.limit.location, self.losses.legend[0].visible = eps, some
        for drawn, name in ((self.against, OVER_NORM), (self.losses, OVER_C)):
            self.panes[self.figures.index(drawn)].visible = self.over == name
        self.here.update(visible=shown.look is not None, location=shown.look.norm**2 if shown.look else 0.0)
        if shown.points is not self._drawn:
            self._drawn = shown.points
            self._fill(shown)
        self.gaps.y_range.update(start=0.0, end=1.15 * eps)

    def _fill(self, shown: PathFrame) -> None:
        """New points: draw all curves again."""
        low, high, _ = shown.span
        drawn, rows = numbers.curves(shown.points, low, high), summary(shown.points)
        fill(self.curve, *(drawn[name] if shown.points else [] for name in COLUMNS))
        fill(self.dots, *(rows[name] for name in COLUMNS))
        trail = numbers.trail(shown.points)
        fill(self.trail, *(trail[name] for name in self.trail.data))
        fill(self.names, *numbers.price_labels(trail))
        self.against.x_range.update(**numbers.ends_of(trail["norm2"]))
        self.against.y_range.update(start=0.0, end=1.15 * numbers.top(trail) or 1.0)
        for figure, names in ((self.losses, ("train_loss", "test_loss")), (self.norms, ("norm",))):
            values = np.concatenate([rows[name] for name in names])
            most = float(np.nanmax(values, initial=0.0)) if len(values) else 0.0
            figure.y_range.update(start=0.0, end=1.08 * most or 1.0)

    def recolour(self, theme: Theme) -> None:
        colours = {
            "train_loss": theme.dual,
            "test_loss": theme.primal,
            "norm": theme.truth,
            "gap": theme.dual,
        }
        colours |= {f"{name} over |w|^2": colours[name] for name in ("train_loss", "test_loss")}
        for name, (line, dots) in self.parts.items():
            line.glyph.update(
                line_color=colours[name], line_width=theme.line * (0.6 if name == "gap" else 1.0)
            )
            dots.glyph.update(line_color=colours[name], fill_color=theme.background)
        self.limit.line_color, self.here.line_color = theme.muted, theme.accent
        self.label.glyph.update(text_color=theme.text, text_font_size=f"{theme.font - 1}px")
        for run, look in self.marks:
            run.line_color, look.line_color = theme.text, theme.accent
