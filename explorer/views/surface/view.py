"""The objective as a surface seen from above, with the learner's way down, drawn."""

from collections.abc import Iterable
from functools import partial
from typing import Any, ClassVar

import numpy as np
import panel as pn
import param
from bokeh.models import BasicTicker, ColorBar, HoverTool, LogColorMapper

from explorer.engine.contracts import Objective, Problem
from explorer.engine.refusals import Refused
from explorer.views.kit.drawing.pieces import WHOLE, blend, choice, fill, legend, pane, plot, ramp, source
from explorer.views.kit.drawing.theme import Theme
from explorer.views.kit.memory import Memory
from explorer.views.kit.view import View
from explorer.views.surface import cuts, risk_grid, words
from explorer.views.surface import frame as numbers
from explorer.views.surface.cuts import SHOWS, LowerModel, SurfaceFrame
from explorer.views.surface.risk_grid import Risk
from explorer.views.surface.slices import WINDOWS, ZOOMS, Slice

NEAR = 0.06
"""Part of the figure within which the pointer is at a step."""

SOURCES = {
    "image": "image x y dw dh",
    "contours": "xs ys",
    "borders": "xs ys",
    "path": "x y step J",
    "ahead": "x y",
    "here": "x y",
    "best": "x y",
    "facets": "xs ys",
    "newest": "xs ys",
    "names": "x y text",
    "move": "x y",
    "low": "x y",
}
KEYS = {"newest cut": "newest", "lowest": "low", "lowest J": "best"}
"""What the legend of the model names."""

DEEP = 300.0
"""The model's colours begin at this part of the highest J: without cuts its lowest point is 0."""


class Surface(View):
    """The objective surface."""

    title: ClassVar[str] = "Surface"
    name_key: ClassVar[str] = "surface"
    help: ClassVar[str] = (
        "The height of the objective over two directions of weight space. The line is the learner's way, the "
        "diamond the current step, the cross the lowest grid point. Dotted: there, another labelling becomes "
        "the most tempting one. Model: what the cuts of this step know of it; numbers say which cut is the "
        "highest."
    )

    # A pause brings nothing new to draw, except here: slices wait for it.
    follows = (*View.follows, "status")
    linked = ("zoom", "shows")
    redraws = ("zoom", "shows")
    sentence = staticmethod(words.sentence)

    zoom = param.Selector(objects=list(ZOOMS), default=ZOOMS[0], doc="The source's window, or the path's.")
    shows = param.Selector(
        objects=list(SHOWS),
        default=SHOWS[0],
        doc="Coloured: the true objective, or the lower model its cuts make.",
    )

    def build(self) -> Any:
        self._risks = Memory(8)
        self.sources = {name: source(columns) for name, columns in SOURCES.items()}
        self.mapper = LogColorMapper(palette=["#000000"], low=0.1, high=1.0)
        self.figures.append(self._figure(self.sources))
        self.choose, self.colours = choice(self.param.zoom), choice(self.param.shows)
        row = pn.Row(
            self.colours, self.choose, sizing_mode="stretch_width", margin=0, styles={"flex-wrap": "wrap"}
        )
        return pn.Column(row, pane(self.figures[0], 140), **WHOLE)

    def _figure(self, of: dict[str, Any]) -> Any:
        drawn = plot("w1", "w2")
        heat = drawn.image("image", "x", "y", "dw", "dh", source=of["image"], color_mapper=self.mapper)
        self.parts = {
            "contour": drawn.multi_line("xs", "ys", source=of["contours"], line_alpha=0.55),
            "border": drawn.multi_line("xs", "ys", source=of["borders"], line_dash="dotted"),
            "facet": drawn.multi_line("xs", "ys", source=of["facets"]),
            "newest": drawn.patches("xs", "ys", source=of["newest"], hatch_pattern="right_diagonal_line"),
            "ahead": drawn.line("x", "y", source=of["ahead"], line_dash="dashed", line_alpha=0.7),
            "line": drawn.line("x", "y", source=of["path"]),
            "dots": drawn.scatter("x", "y", source=of["path"], size=5),
            "move": drawn.line("x", "y", source=of["move"], line_dash="dotted"),
            "low": drawn.scatter("x", "y", source=of["low"], marker="inverted_triangle", size=24),
            "here": drawn.scatter("x", "y", source=of["here"], marker="diamond", size=16),
            "best": drawn.scatter("x", "y", source=of["best"], marker="x", size=9),
            "name": drawn.text("x", "y", "text", source=of["names"], text_baseline="middle", anchor="center"),
        }
        self.items = legend(drawn, {label: [self.parts[name]] for label, name in KEYS.items()})
        self.height = HoverTool(renderers=[heat], tooltips="J = @image", point_policy="follow_mouse")
        drawn.add_tools(self.height)
        drawn.add_tools(HoverTool(renderers=[self.parts["dots"]], tooltips="step @step: J = @J{0.0000}"))
        self.bar = ColorBar(color_mapper=self.mapper, width=10, padding=4, margin=2)
        drawn.add_layout(self.bar, "right")
        drawn.grid.visible = False
        drawn.yaxis.ticker = BasicTicker(desired_num_ticks=3)
        self.travels(drawn, self._step_at)
        return drawn

    @staticmethod
    def table(shown: SurfaceFrame) -> dict[str, Any]:
        """The path in the picture's coordinates."""
        return words.table(shown.objective)

    def _step_at(self, x: float, y: float) -> int | None:
        """The step whose point is nearest to a place, measured on the screen; none where all are far."""
        box, shown = self.figures[0], self._shown
        if shown is None or not len(shown.steps):
            return None
        wide, high = box.x_range.end - box.x_range.start, box.y_range.end - box.y_range.start
        far = ((shown.path[:, 0] - x) / wide) ** 2 + ((shown.path[:, 1] - y) / high) ** 2
        return int(shown.steps[int(np.argmin(far))]) if far.min() < NEAR**2 else None

    def frame(self) -> SurfaceFrame:
        session = self.session
        try:
            if session.status == "running" and session.problem.dim != 2:
                raise Refused("The slice is drawn as soon as training pauses.")
            at = min(session.cursor, max(0, len(session.trace) - 1))
            over = numbers.frame(session.problem, session.trace, at, self.price(at), self.zoom, self._risk)
            return cuts.frame(session.problem, session.trace, over, self.shows, session.phase)
        except Refused:
            self._clear()
            raise

    def price(self, at: int) -> float:
        """The C under which step `at` was trained; before training the chosen one, 1 without any."""
        started = self.session.trace.start_of(at)
        settings = self.session.recipe().settings if started is None else started.settings
        return float(settings.get("C", 1.0))

    def _risk(self, problem: Problem, where: Slice, objective: Objective) -> Risk:
        """R on the slice, kept for the last few slices of this problem."""
        make = partial(risk_grid.risk_on, problem, where, objective)
        return self._risks.of(problem).get((*where.key, objective.name), make)

    def _clear(self) -> None:
        self._shown = None
        self.figures[0].visible = self.choose.visible = False
        for data in self.sources.values():
            fill(data)

    def show(self, shown: SurfaceFrame) -> None:
        over, drawn = shown.objective, self.figures[0]
        self._shown, (x0, x1, y0, y1) = over, over.where.box
        drawn.visible, self.choose.visible = True, self.session.problem.dataset.name in WINDOWS
        dx, dy = (x1 - x0) / (len(over.x) - 1), (y1 - y0) / (len(over.y) - 1)
        J = over.J if shown.model is None else shown.model.values
        self._scale(over, shown.model)
        self._fill("image", [J], [x0 - dx / 2], [y0 - dy / 2], [x1 - x0 + dx], [y1 - y0 + dy])
        drawn.x_range.update(start=x0, end=x1)
        drawn.y_range.update(start=y0, end=y1)
        names = ("w1", "w2") if over.dim == 2 else ("along the last w", "across it")
        drawn.xaxis.axis_label, drawn.yaxis.axis_label = names
        self._lines("contours", [line for _, line in shown.contours])
        self._lines("borders", over.borders if shown.model is None else ())
        self._show_path(over)
        self._show_model(shown)

    def _scale(self, over: numbers.ObjectiveFrame, model: LowerModel | None) -> None:
        """Colours from the lowest to the highest J; the model's reach further down and end with J's."""
        high = float(np.max(over.J[np.isfinite(over.J)]))
        low = over.lowest[2] if model is None else max(float(model.values.min()), high / DEEP)
        self.mapper.update(low=max(low, 1e-12), high=high)
        self.height.tooltips = "J = @image" if model is None else "model = @image"

    def _lines(self, name: str, lines: Iterable[Any]) -> None:
        lines = tuple(lines)
        self._fill(name, [line[:, 0] for line in lines], [line[:, 1] for line in lines])

    def _show_model(self, shown: SurfaceFrame) -> None:
        """Regions with their cuts' numbers, the newest cut's hatched, and how the minimum moved."""
        model = shown.model
        self.figures[0].legend[0].visible = model is not None
        low, newest = (
            (None, []) if model is None else (model.low, [model.newest] if len(model.newest) > 2 else [])
        )
        self._lines("facets", [np.concatenate([p, p[:1]]) for _, p in (model.regions if model else ())])
        self._lines("newest", newest)
        self._fill("names", *cuts.names(shown))
        self._fill("low", *([low[0]], [low[1]]) if low else ())
        left = model.before if model and low else low
        self._fill("move", *zip(left[:2], low[:2], strict=True) if left and low and left != low else ())
        waits = model is not None and model.phase == 1
        self.parts["newest"].glyph.line_dash = "dashed" if waits else "solid"
        self.items["newest cut"].update(
            visible=bool(newest), label={"value": "cut found" if waits else "newest cut"}
        )
        self.items["lowest"].visible = low is not None

    def _fill(self, name: str, *columns: Any) -> None:
        fill(self.sources[name], *columns)

    def _show_path(self, shown: numbers.ObjectiveFrame) -> None:
        cut = shown.here + 1 if len(shown.steps) else 0
        x, y = shown.path[:, 0], shown.path[:, 1]
        self._fill("best", [shown.lowest[0]], [shown.lowest[1]])
        self._fill("path", x[:cut], y[:cut], shown.steps[:cut], shown.primal[:cut])
        self._fill("ahead", x[max(0, cut - 1) :], y[max(0, cut - 1) :])
        self._fill("here", x[cut - 1 : cut], y[cut - 1 : cut])

    def recolour(self, theme: Theme) -> None:
        self.mapper.palette = ramp(theme.background, blend(theme.background, theme.dual, 0.75))
        part, size = self.parts, f"{theme.font}px"
        part["contour"].glyph.line_color = theme.muted
        part["border"].glyph.update(line_color=theme.text, line_width=theme.line * 0.5, line_alpha=0.55)
        part["line"].glyph.update(line_color=theme.primal, line_width=theme.line)
        part["ahead"].glyph.update(line_color=theme.primal, line_width=theme.line * 0.6)
        part["dots"].glyph.update(line_color=theme.primal, fill_color=theme.background)
        part["best"].glyph.update(line_color=theme.text, line_width=2)
        part["here"].glyph.update(fill_color=theme.accent, line_color=theme.background, line_width=1.5)
        part["facet"].glyph.update(line_color=theme.text, line_width=theme.line * 0.6)
        part["newest"].glyph.update(
            fill_color=theme.accent,
            fill_alpha=0.08,
            hatch_color=theme.accent,
            hatch_alpha=0.4,
            hatch_scale=16,
            line_color=theme.accent,
            line_width=theme.line * 1.3,
        )
        part["name"].glyph.update(
            text_color=theme.text,
            text_font_size=size,
            background_fill_color=theme.background,
            background_fill_alpha=0.75,
            padding=2,
            border_radius=4,
        )
        part["move"].glyph.update(line_color=theme.truth, line_width=theme.line)
        part["low"].glyph.update(
            fill_color=theme.background, fill_alpha=0.6, line_color=theme.truth, line_width=theme.line * 1.3
        )
        self.bar.update(
            background_fill_color=theme.background,
            major_label_text_color=theme.text,
            major_label_text_font_size=size,
            bar_line_color=theme.muted,
            major_tick_line_color=theme.muted,
        )
