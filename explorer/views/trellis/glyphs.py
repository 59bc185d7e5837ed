"""The glyphs of a drawn trellis: nodes, edges, paths, marks of the recursion, and the overview strip."""

from typing import Any

from bokeh.models import (
    AllLabels,
    BoxAnnotation,
    ColorBar,
    FixedTicker,
    HoverTool,
    LinearColorMapper,
    NoOverlap,
    Range1d,
)

from explorer.views.kit.drawing.pieces import legend, plot, source
from explorer.views.kit.drawing.theme import Theme

PATHS = {
    "truth": ("truth", "square"),
    "guess": ("guess", "circle"),
    "rival": ("most tempting", "triangle"),
}
"""Of each path its name in the legend and its marker."""

EXTRA = {"k best": "ranks", "wrong": "wrong"}
"""Entries of the legend that are there only when there is something to explain, and what they explain."""

SOURCES = {
    "wrong": "x",
    "edges": "x0 y0 x1 y1 width alpha",
    "ranks": "xs ys width",
    "kept": "x0 y0 x1 y1",
    "tried": "x0 y0 x1 y1 width",
    "found": "x y",
    "truth": "x y line",
    "guess": "x y line",
    "rival": "x y line",
    "nodes": "x y size value alpha state score price",
    "now": "x y size",
    "picked": "x y size",
    "notes": "x y text anchor style dx dy",
    "whole": "x truth guess",
    "ticks": "x",
}
"""The columns of every source."""

LEAST = 108
"""Pixels that the figure has at least."""

ENDS = ("x0", "y0", "x1", "y1")


class TrellisGlyphs:
    """The plot of the trellis and the strip above it, with their sources."""

    def __init__(self) -> None:
        self.sources = {name: source(columns) for name, columns in SOURCES.items()}
        self.draw: dict[str, Any] = {}
        self.plot, self.strip = self._figure(), self._overview()

    def _figure(self) -> Any:
        drawn = plot(None, "state", min_border=2, min_height=LEAST)
        drawn.grid.visible = False
        self.policies = {True: AllLabels(), False: NoOverlap(min_distance=3)}
        for axis in (drawn.xaxis[0], drawn.yaxis[0]):
            axis.ticker, axis.major_label_policy = FixedTicker(ticks=[]), self.policies[False]
            axis.axis_label_standoff, axis.major_label_standoff = 2, 3
        self.mapper = LinearColorMapper(palette=["#000000"], low=-1, high=1)
        self.bar = ColorBar(color_mapper=self.mapper, width=8, margin=2, padding=4, label_standoff=4)
        drawn.add_layout(self.bar, "right")
        self._draw_edges(drawn)
        self._draw_nodes(drawn)
        items = {name: [self.draw[key], self.draw[key + " marks"]] for key, (name, _) in PATHS.items()}
        items |= {name: [self.draw[key]] for name, key in EXTRA.items()}
        self.items = legend(drawn, items, glyph_width=36)
        return drawn

    def _draw_edges(self, drawn: Any) -> None:
        draw, of = self.draw, self.sources
        draw["wrong"] = drawn.vbar("x", 0.9, top=0, source=of["wrong"], hatch_pattern="right_diagonal_line")
        draw["wrong"].glyph.update(line_color=None, fill_alpha=0.08, hatch_alpha=0.25, hatch_scale=10)
        draw["edges"] = drawn.segment(*ENDS, line_width="width", line_alpha="alpha", source=of["edges"])
        draw["ranks"] = drawn.multi_line("xs", "ys", line_width="width", source=of["ranks"])
        draw["kept"] = drawn.segment(*ENDS, source=of["kept"])
        draw["tried"] = drawn.segment(*ENDS, line_width="width", line_dash="dotted", source=of["tried"])
        draw["found"] = drawn.line("x", "y", source=of["found"])
        for name in PATHS:
            draw[name] = drawn.line("x", "line", source=of[name])

    def _draw_nodes(self, drawn: Any) -> None:
        draw, of = self.draw, self.sources
        fade = {"fill_alpha": "alpha", "line_alpha": "alpha"}
        colour = {"field": "value", "transform": self.mapper}
        draw["nodes"] = drawn.scatter("x", "y", size="size", fill_color=colour, source=of["nodes"], **fade)
        for name, (_, marker) in PATHS.items():
            draw[name + " marks"] = drawn.scatter("x", "y", marker=marker, fill_color=None, source=of[name])
        for name, marker in (("now", "circle"), ("picked", "diamond")):
            ring = {"size": "size", "marker": marker, "fill_color": None}
            draw[name] = drawn.scatter("x", "y", source=of[name], **ring)
        draw["notes"] = drawn.text(
            "x",
            "y",
            "text",
            anchor="anchor",
            text_font_style="style",
            x_offset="dx",
            y_offset="dy",
            padding=1,
            background_fill_alpha=0.8,
            source=of["notes"],
        )
        scores = [("score", "@score{0.0000}"), ("min-marginal", "@price{0.0000}")]
        tips = [("position", "@x"), ("state", "@state"), *scores]
        drawn.add_tools(HoverTool(renderers=[draw["nodes"]], tooltips=tips))

    def _overview(self) -> Any:
        strip = plot(
            y_range=Range1d(1.3, -0.7), height=48, min_border=0, min_border_left=8, min_border_right=8
        )
        strip.sizing_mode = "stretch_width"
        strip.grid.visible = strip.yaxis.visible = False
        strip.xaxis.ticker.desired_num_ticks = 12
        strip.xaxis.major_label_policy = NoOverlap(min_distance=6)
        for name in ("truth", "guess"):
            self.draw[name + " strip"] = strip.step("x", name, source=self.sources["whole"], mode="center")
        self.draw["guess strip"].glyph.line_dash = "dashed"
        ticks = strip.scatter("x", -0.35, marker="inverted_triangle", size=6, source=self.sources["ticks"])
        self.draw["ticks"] = ticks
        self.box = BoxAnnotation(
            left=0, right=1, editable=True, movable="x", resizable="none", fill_alpha=0.15
        )
        strip.add_layout(self.box)
        return strip

    def recolour(self, theme: Theme) -> None:
        """Give all glyphs the theme's colours."""
        draw, size = self.draw, f"{theme.font}px"
        for name in PATHS:
            colour = getattr(theme, name)
            draw[name].glyph.line_color = colour
            draw[name + " marks"].glyph.update(line_color=colour, line_width=theme.line)
        draw["rival marks"].glyph.update(fill_color=theme.background, line_width=0.75 * theme.line)
        for name in ("truth", "guess"):
            draw[name + " strip"].glyph.update(line_color=getattr(theme, name), line_width=theme.line / 2)
        draw["ticks"].glyph.update(line_color=theme.text, fill_color=theme.text)
        draw["wrong"].glyph.update(fill_color=theme.neutral, hatch_color=theme.text)
        for name, colour, width in (
            ("edges", theme.muted, None),
            ("kept", theme.muted, 0.75 * theme.line),
            ("ranks", theme.accent, None),
            ("tried", theme.accent, None),
            ("found", theme.accent, 2 * theme.line),
            ("nodes", theme.text, 1.0),
            ("now", theme.accent, 1.5 * theme.line),
            ("picked", theme.accent, 1.5 * theme.line),
        ):
            draw[name].glyph.line_color = colour
            if width is not None:
                draw[name].glyph.line_width = width
        draw["notes"].glyph.update(
            text_color=theme.text, text_font_size=size, background_fill_color=theme.background
        )
        self.bar.update(
            background_fill_color=theme.background,
            bar_line_color=theme.muted,
            title_text_color=theme.text,
            title_text_font_size=size,
            title_text_font_style="normal",
            major_label_text_color=theme.text,
            major_label_text_font_size=size,
        )
        self.box.update(fill_color=theme.accent, line_color=theme.accent)
