"""The glyphs of a drawn labelling: cells, nodes, edges, marks, legend, tooltips, and dragging of nodes.

Tooltips look names up in the browser, so that a frame sends numbers only. A node that is dragged takes along
all that is drawn with it; its new place is told to the server when the drag ends.
"""

from typing import Any

from bokeh.models import CustomJS, CustomJSHover, HoverTool, Legend, LegendItem, LinearColorMapper

from explorer.views.kit.drawing.pieces import entry, plot, source
from explorer.views.kit.drawing.theme import Theme

SOURCES = {
    "edges": "x0 y0 x1 y1 a b ya yb score width dash",
    "middles": "x0 y0 x1 y1 a b ya yb score",
    "added": "x0 y0 x1 y1 a b",
    "removed": "x0 y0 x1 y1 a b",
    "wrong": "node x y truth ink",
    "nodes": "node x y shown truth",
    "letters": "node x y text ink",
    "pies": "node x y start end state",
    "seeds": "node x y",
    "picked": "node x y",
    "titles": "node x y text dx dy align baseline",
    "outline": "x0 y0 x1 y1",
    "key": "x state name",
    "names": "node",
    "shape": "columns",
    "moved": "node x y",
}
"""The columns of every source; `nodes` has two more per state: its own score, and with neighbours."""

SIGNS = {
    "truth": "outline",
    "truth (ring)": "rings",
    "wrong": "sign",
    "wrong (cross)": "crosses",
    "fractional": "pies",
    "painted": "seeds",
    "edge put in": "added",
    "edge taken out": "removed",
}
"""Entries of the legend, and the glyphs they explain."""

ENDS = ("x0", "y0", "x1", "y1")

NODE = """
const across = shape.data.columns[0]
if (!across) return nodes.data.node[value] ?? ""
return `row ${Math.floor(value / across) + 1}, column ${value % across + 1}`
"""
"""What a node is called: a cell by its row and column."""

DRAG = """
const [i, nodes] = [held.data.node, layers[0].data]
if (cb_obj.event_name == "panstart") {
  const [across, down] = [plot.inner_width / (plot.x_range.end - plot.x_range.start),
                          plot.inner_height / (plot.y_range.end - plot.y_range.start)]
  const far = Array.from(nodes.x, (x, k) =>
    Math.hypot((x - cb_obj.x) * across, (nodes.y[k] - cb_obj.y) * down))
  const nearest = far.indexOf(Math.min(...far))
  held.data.node = rings.visible && far[nearest] < 24 ? nearest : null
} else if (i != null && cb_obj.event_name == "pan") {
  for (const layer of layers) {
    const data = layer.data
    for (let k = 0; k < data.node.length; k++)
      if (data.node[k] == i) [data.x[k], data.y[k]] = [cb_obj.x, cb_obj.y]
    layer.change.emit()
  }
  for (const line of lines) {
    const data = line.data
    for (let k = 0; k < data.a.length; k++) {
      if (data.a[k] == i) [data.x0[k], data.y0[k]] = [cb_obj.x, cb_obj.y]
      if (data.b[k] == i) [data.x1[k], data.y1[k]] = [cb_obj.x, cb_obj.y]
    }
    line.change.emit()
  }
} else if (i != null && cb_obj.event_name == "panend") {
  held.data.node = null
  moved.data = { node: [i], x: [nodes.x[i]], y: [nodes.y[i]] }
}
"""
"""Moves the node that was taken hold of, and all that is drawn with it."""


class LabellingGlyphs:
    """One plot for grids and graphs, empty."""

    def __init__(self) -> None:
        self.sources = {name: source(columns) for name, columns in SOURCES.items()}
        self.mapper = LinearColorMapper(palette=["#000000"], low=-0.5, high=0.5)
        self.draw: dict[str, Any] = {}
        self.plot = self._figure()

    def _figure(self) -> Any:
        drawn = plot(min_border=4)
        drawn.grid.visible = drawn.axis.visible = False
        self._draw_grid(drawn)
        self._draw_graph(drawn)
        self._draw_common(drawn)
        self._legend(drawn)
        self._hovers(drawn)
        self._drags(drawn)
        return drawn

    def _colour(self, column: str) -> Any:
        return {"field": column, "transform": self.mapper}

    def _draw_grid(self, drawn: Any) -> None:
        draw, of, empty = self.draw, self.sources, {"fill_color": None}
        draw["cells"] = drawn.rect("x", "y", 1, 1, source=of["nodes"], fill_color=self._colour("shown"))
        draw["hatch"] = drawn.rect(
            "x",
            "y",
            1,
            1,
            source=of["wrong"],
            hatch_pattern="right_diagonal_line",
            hatch_color="ink",
            **empty,
        )
        draw["inner"] = drawn.rect("x", "y", 0.56, 0.56, source=of["wrong"], fill_color=self._colour("truth"))
        draw["sign"] = drawn.rect(
            "x", "x", 1, 1, source=of["key"], hatch_pattern="right_diagonal_line", **empty
        )
        draw["halo"] = drawn.segment(*ENDS, source=of["outline"], line_cap="round")
        draw["outline"] = drawn.segment(*ENDS, source=of["outline"], line_cap="round")
        draw["seed cells"] = drawn.rect("x", "y", 0.8, 0.8, source=of["seeds"], **empty)
        draw["picked cell"] = drawn.rect("x", "y", 1, 1, source=of["picked"], **empty)

    def _draw_graph(self, drawn: Any) -> None:
        draw, of = self.draw, self.sources
        draw["edges"] = drawn.segment(*ENDS, source=of["edges"], line_width="width", line_dash="dash")
        draw["middles"] = drawn.segment(*ENDS, source=of["middles"], line_width=9, line_alpha=0)
        draw["crosses"] = drawn.scatter("x", "y", source=of["wrong"], marker="x")
        draw["rings"] = drawn.scatter("x", "y", source=of["nodes"], line_color=self._colour("truth"))
        draw["nodes"] = drawn.scatter("x", "y", source=of["nodes"], fill_color=self._colour("shown"))
        for name, marker in (("seeds", "square"), ("picked", "diamond")):
            draw[name] = drawn.scatter("x", "y", source=of[name], marker=marker, fill_color=None)

    def _draw_common(self, drawn: Any) -> None:
        draw, of = self.draw, self.sources
        draw["added"] = drawn.segment(*ENDS, source=of["added"], line_dash="dashed")
        draw["removed"] = drawn.segment(*ENDS, source=of["removed"], line_dash="dotted")
        pie = {"start_angle": "start", "end_angle": "end", "fill_color": self._colour("state")}
        draw["pies"] = drawn.wedge("x", "y", radius=8, radius_units="screen", source=of["pies"], **pie)
        middle = {"text_align": "center", "text_baseline": "middle"}
        draw["letters"] = drawn.text("x", "y", "text", source=of["letters"], text_color="ink", **middle)
        draw["titles"] = drawn.text(
            "x",
            "y",
            "text",
            source=of["titles"],
            x_offset="dx",
            y_offset="dy",
            text_align="align",
            text_baseline="baseline",
        )
        draw["key"] = drawn.scatter("x", "x", source=of["key"], fill_color=self._colour("state"))

    def _legend(self, drawn: Any) -> None:
        """The states, and every sign that is in use."""
        self.items = {name: entry(drawn, name, [self.draw[of]]) for name, of in SIGNS.items()}
        states = LegendItem(label={"field": "name"}, renderers=[self.draw["key"]])
        drawn.add_layout(
            Legend(items=[states, *self.items.values()], glyph_width=18, glyph_height=18), "right"
        )

    def _hovers(self, drawn: Any) -> None:
        """Tooltips that look names up in the browser: numbers are all that is sent."""
        named = {
            "states": self.sources["key"],
            "nodes": self.sources["names"],
            "shape": self.sources["shape"],
        }
        state = CustomJSHover(args=named, code="return states.data.name[value] ?? ''")
        node = CustomJSHover(args=named, code=NODE)
        self.hover = HoverTool(
            renderers=[self.draw["cells"], self.draw["nodes"]],
            formatters={"@node": node, "@shown": state, "@truth": state},
        )
        tips = [
            ("edge", "@a{c} - @b{c}"),
            ("states", "@ya{c} - @yb{c}"),
            ("pairwise score in use", "@score{0.000}"),
        ]
        edges = HoverTool(
            renderers=[self.draw["middles"]],
            tooltips=tips,
            line_policy="interp",
            limit=1,
            formatters={"@a": node, "@b": node, "@ya": state, "@yb": state},
        )
        drawn.add_tools(self.hover, edges)

    def _drags(self, drawn: Any) -> None:
        of = self.sources
        layers = [of[name] for name in ("nodes", "letters", "wrong", "pies", "seeds", "picked", "titles")]
        lines, held = [of[name] for name in ("edges", "added", "removed")], source("node")
        told = {"layers": layers, "lines": lines, "held": held, "moved": of["moved"], "plot": drawn}
        for event in ("panstart", "pan", "panend"):
            drawn.js_on_event(event, CustomJS(args=told | {"rings": self.draw["rings"]}, code=DRAG))

    def recolour(self, theme: Theme) -> None:
        """Give all glyphs the theme's colours."""
        draw, line = self.draw, theme.line
        draw["cells"].glyph.line_width = 0.5
        draw["hatch"].glyph.update(line_color=None, hatch_alpha=0.75, hatch_weight=line / 2)
        draw["sign"].glyph.update(line_color=theme.text, hatch_color=theme.text, hatch_scale=6)
        draw["inner"].glyph.update(line_color=theme.text, line_width=line / 2)
        draw["halo"].glyph.update(line_color=theme.background, line_width=2.75 * line)
        draw["outline"].glyph.update(line_color=theme.text, line_width=1.5 * line)
        for name in ("seed cells", "seeds", "picked cell", "picked"):
            draw[name].glyph.update(line_color=theme.accent, line_width=1.5 * line)
        draw["edges"].glyph.update(line_color=theme.neutral, line_alpha=0.75)
        draw["rings"].glyph.fill_color = theme.background
        draw["nodes"].glyph.update(line_color=theme.text, line_width=0.75)
        for name in ("added", "removed"):
            draw[name].glyph.update(line_color=theme.accent, line_width=1.75 * line)
        draw["pies"].glyph.update(line_color=theme.text, line_width=0.75)
        draw["titles"].glyph.text_color = theme.text
        draw["key"].glyph.update(line_color=theme.text, line_width=0.75)
