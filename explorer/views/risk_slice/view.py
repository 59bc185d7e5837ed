"""The risk, the cuts below it and their maximum, drawn along a line through the step's w."""

from typing import Any, ClassVar

import numpy as np
import panel as pn
import panel_material_ui as pmui
import param
from bokeh.models import BasicTicker, FixedTicker, HoverTool, Span

from explorer.engine.refusals import Refused
from explorer.views.kit.controls.tooltips import add_hint
from explorer.views.kit.drawing.pieces import FLAT, WHOLE, ZOOM, choice, fill, legend, pane, plot, source
from explorer.views.kit.drawing.theme import Theme
from explorer.views.kit.memory import Memory
from explorer.views.kit.view import View
from explorer.views.risk_slice import frame as numbers
from explorer.views.risk_slice import words
from explorer.views.risk_slice.frame import EVERYONE, RiskSliceFrame
from explorer.views.risk_slice.walk import DIRECTIONS
from explorer.wording import number

FIELD = {
    "& input": {"fontSize": "var(--type-small, 14px)", "padding": "3px 6px"},
    "& .MuiInputLabel-root": {"fontSize": "var(--type-small, 14px)"},
    "& .MuiInputAdornment-root": {"display": "none"},
}
SOURCES = {
    "curve": "t model before",
    "risk": "t risk",
    "dots": "t risk",
    "low": "t y",
    "here": "t y",
    "lines": "xs ys",
    "new": "xs ys",
}


class RiskSlice(View):
    """The risk, its cuts and their maximum along a line through w."""

    title: ClassVar[str] = "Risk slice"
    name_key: ClassVar[str] = "risk_slice"
    help: ClassVar[str] = (
        "Walk from this step's w in a straight line. Each cut is a line below the risk and touches it where "
        "it was found; their maximum is what the learner knows of the risk."
    )

    direction = param.Selector(
        objects={name.removeprefix("negative ").removesuffix(" step"): name for name in DIRECTIONS},
        default=DIRECTIONS[0],
        doc="Where the line leads: to the next, previous or last step, down the subgradient, or anywhere.",
    )
    seed = param.Integer(0, bounds=(0, 9999), doc="Which random direction.")
    whole = param.Boolean(False, doc="The whole objective, 1/2 |w|^2 + C times the risk.")
    alone = param.Boolean(False, doc="One example with cuts of its own instead of the mean.")
    follows = (*View.follows, "status")
    linked = ("direction", "seed", "whole", "alone")
    redraws = ("direction", "seed", "whole", "alone")
    sentence = staticmethod(words.sentence)
    table = staticmethod(words.table)

    def build(self) -> Any:
        self._known = Memory(400)
        self.sources = of = {name: source(columns) for name, columns in SOURCES.items()}
        self.plot = drawn = plot("t", "risk", tools=ZOOM)
        self.spans = [Span(dimension="height", line_width=2, line_dash=dash) for dash in ("solid", "dotted")]
        for span in self.spans:
            drawn.add_layout(span)
        self.parts = parts = {
            "lines": drawn.multi_line("xs", "ys", source=of["lines"]),
            "before": drawn.line("t", "before", source=of["curve"], line_dash="dotted"),
            "model": drawn.line("t", "model", source=of["curve"]),
            "new": drawn.multi_line("xs", "ys", source=of["new"], line_dash=[10, 8]),
            "risk": drawn.line("t", "risk", source=of["risk"]),
            "dots": drawn.scatter("t", "risk", source=of["dots"], marker="circle", size=6),
            "low": drawn.scatter("t", "y", source=of["low"], marker="diamond", size=13),
            "here": drawn.scatter("t", "y", source=of["here"], marker="square", size=10),
        }
        items = {"risk": ("risk", "dots"), "model": ("model",), "before": ("before",), "cuts": ("lines",)}
        items |= {"newest": ("new",), "lowest": ("low",)}
        self.items = legend(drawn, {label: [parts[name] for name in names] for label, names in items.items()})
        for name, tips in (
            ("dots", [("true value", "@risk{0.0000}")]),
            ("model", [("model", "@model{0.0000}"), ("before", "@before{0.0000}")]),
        ):
            drawn.add_tools(HoverTool(renderers=[parts[name]], tooltips=[("t", "@t{0.00}"), *tips]))
        drawn.yaxis.ticker = BasicTicker(desired_num_ticks=3)
        self.step_ticks, self.free_ticks = FixedTicker(ticks=[0, 0.5, 1]), BasicTicker()
        drawn.visible = False  # until there is something on it
        self.figures.append(drawn)
        return pn.Column(self._controls(), pane(drawn, 140), **WHOLE)

    def _controls(self) -> Any:
        small = {"size": "small", "margin": (0, 4), "description": ""}
        hidden = small | {"visible": False}
        self.seed_field = pmui.IntInput.from_param(self.param.seed, width=56, sx=FIELD, **hidden)
        self.alone_button = pmui.Toggle.from_param(self.param.alone, label="This example", sx=FLAT, **hidden)
        add_hint(self.seed_field, self.param.seed.doc)
        add_hint(self.alone_button, self.param.alone.doc)
        whole = pmui.Toggle.from_param(self.param.whole, label="Objective", sx=FLAT, **small)
        return pn.Row(
            choice(self.param.direction, margin=(0, 4)),
            self.seed_field,
            add_hint(whole, self.param.whole.doc),
            self.alone_button,
            sizing_mode="stretch_width",
            margin=(0, 4),
            styles={"flex-wrap": "wrap", "row-gap": "2px"},
        )

    def frame(self) -> RiskSliceFrame | None:
        s = self.session
        if s.status == "running" and not 0.0 < s.speed <= 2.0:
            raise Refused(
                "The slice is drawn when training pauses, or while it makes at most two steps a second."
            )
        known, one = self._known.of(s.trace, s.problem), s.trained_on if self.alone else None
        return numbers.frame(
            s.problem, s.trace, s.cursor, s.phase, self.direction, self.seed, self.whole, one, known
        )

    def show(self, shown: RiskSliceFrame | None) -> None:
        self.seed_field.visible = self.direction == "random"
        # Without a run there is nothing to draw: the sentence says what to do.
        self.plot.visible = shown is not None
        if shown is None:
            return
        fill(self.sources["curve"], shown.t, shown.model, shown.before)
        fill(self.sources["risk"], shown.risk_t, shown.risk)
        for name, which in (("lines", ~shown.newest), ("new", shown.newest)):
            ys = list(shown.lines[which])
            fill(self.sources[name], [shown.line_t] * len(ys), ys)
        self.alone_button.visible = shown.apart
        self._show_marks(shown)
        self._show_axes(shown)

    def _show_marks(self, shown: RiskSliceFrame) -> None:
        models, low, walked = shown.keeps and shown.cuts > 0, shown.low, shown.way
        marked = models and low.inside and not shown.waits
        fill(self.sources["low"], *([low.t], [low.after]) if marked else ())
        every = 1 + len(shown.risk_t) // 30
        fill(self.sources["dots"], shown.risk_t[::every], shown.risk[::every])
        fill(self.sources["here"], [walked.here], [float(np.interp(walked.here, shown.risk_t, shown.risk))])
        for span, t in zip(self.spans, (walked.here, walked.there), strict=True):
            span.location = None if np.isnan(t) else float(t)
        changed = models and shown.new > 0 and not shown.waits and not np.allclose(shown.before, shown.model)
        self.parts["model"].visible, self.parts["before"].visible = models, changed
        shows = {"model": models, "before": changed, "lowest": marked}
        shows |= {"cuts": bool((~shown.newest).any()), "newest": bool(shown.newest.any())}
        for name, visible in shows.items():
            self.items[name].visible = visible

    def _show_axes(self, shown: RiskSliceFrame) -> None:
        drawn, walked = self.plot, shown.way
        drawn.yaxis.axis_label = shown.what if shown.scope == EVERYONE else f"{shown.what}, {shown.scope}"
        self.items["risk"].label = {"value": shown.what}
        drawn.x_range.update(start=walked.lo, end=walked.hi)
        curves = [shown.risk, *([shown.model, shown.before] if shown.keeps and shown.cuts else [])]
        top, bottom = max(float(c.max()) for c in curves), min(float(c.min()) for c in curves)
        room = 0.06 * ((top - bottom) or max(abs(top), 1.0))
        drawn.y_range.update(start=bottom - room, end=top + room)
        line = len(walked.w) == 1
        drawn.xaxis.ticker = self.free_ticks if line or not walked.goal else self.step_ticks
        names = {0: f"step {walked.step}", 0.5: "half way", 1: walked.goal}
        drawn.xaxis.major_label_overrides = names if walked.goal and not line else {}
        length = f"t, 0 = step {walked.step}, 1 = a distance of {number(float(np.linalg.norm(walked.d)))}"
        drawn.xaxis.axis_label = "w" if line else None if walked.goal else length

    def recolour(self, theme: Theme) -> None:
        colours = {"lines": theme.neutral, "before": theme.dual, "model": theme.dual, "new": theme.accent}
        for name, colour in (colours | {"risk": theme.primal}).items():
            self.parts[name].glyph.update(line_color=colour, line_width=theme.line)
        self.parts["lines"].glyph.update(line_width=theme.line / 2, line_alpha=0.6)
        self.parts["model"].glyph.line_width = 1.8 * theme.line
        for name, colour in (("dots", theme.primal), ("low", theme.dual), ("here", theme.text)):
            glyph = self.parts[name].glyph
            glyph.update(fill_color=theme.background, line_color=colour, line_width=theme.line)
        for span in self.spans:
            span.line_color = theme.accent
        self.plot.legend[0].update(spacing=9, glyph_width=17, label_standoff=3)
