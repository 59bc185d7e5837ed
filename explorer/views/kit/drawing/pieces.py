"""Pieces that several figures are made of: plots, sources, legends, switches, colour scales."""

from itertools import pairwise
from typing import Any

import numpy as np
import panel as pn
import panel_material_ui as pmui
from bokeh.models import ColumnDataSource, Legend, LegendItem, Range1d
from bokeh.plotting import figure

from explorer.views.kit.controls.tooltips import add_hint

ZOOM = "pan,wheel_zoom,box_zoom,reset,save"
FLAT = {
    "padding": "1px 8px",
    "textTransform": "none",
    "fontSize": "var(--type-small, 14px)",
    "whiteSpace": "nowrap",
}
"""Low buttons: a view may be no more than 260 pixels high."""

WHOLE: dict[str, Any] = {"sizing_mode": "stretch_both", "margin": 0}
FEW_PIXELS = 5
"""A figure whose size changes by less was moved by its own labels, and is not fitted again."""


def plot(x: str | None = None, y: str | None = None, **more: Any) -> Any:
    """A figure that fills its place; its caller sets the ranges."""
    ranges = {"x_range": Range1d(0, 1), "y_range": Range1d(0, 1)}
    made = figure(
        sizing_mode="stretch_both",
        toolbar_location=None,
        x_axis_label=x,
        y_axis_label=y,
        **({"tools": "", "active_scroll": None} | ranges | more),
    )
    made.axis.axis_label_standoff = 4
    return made


def pane(drawn: Any, least: int = 130) -> Any:
    """The figure as a part of the page."""
    return pn.pane.Bokeh(drawn, min_height=least, **WHOLE)


def source(columns: str) -> ColumnDataSource:
    """An empty source with these columns."""
    return ColumnDataSource({name: [] for name in columns.split()})


def fill(into: ColumnDataSource, *columns: Any) -> None:
    """New values for all columns of a source, in their order; without any the source is emptied.

    A source that holds them already is left alone: figure and legend are painted again for every source that
    is set.
    """
    names = list(into.data)
    columns = columns or tuple([] for _ in names)
    if not all(map(same, into.data.values(), columns)):
        into.data = dict(zip(names, columns, strict=True))


def same(a: Any, b: Any) -> bool:
    """Whether two columns hold the same values, so that the browser need not be told."""
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and bool(a == b or (a != a and b != b))


def legend(drawn: Any, items: dict[str, list[Any]], **look: Any) -> dict[str, LegendItem]:
    """A legend above the figure; its items by label, so that they can be hidden."""
    made = {label: entry(drawn, label, renderers) for label, renderers in items.items()}
    drawn.add_layout(
        Legend(items=list(made.values()), orientation="horizontal", location="left", **look), "above"
    )
    return made


def entry(drawn: Any, label: str, renderers: list[Any]) -> LegendItem:
    """An entry that looks like these renderers, also while they draw nothing."""
    return LegendItem(label=label, renderers=[sign(drawn, renderer) for renderer in renderers])


LOOKS = {
    "line_width": 2.0,
    "line_alpha": 1.0,
    "fill_alpha": 1.0,
    "line_dash": "solid",
    "size": 8.0,
    "angle": 0.0,
    "start_angle": 0.0,
    "end_angle": 2.0,
    "fill_color": 0.0,
}
"""How an entry looks where the glyph takes its look from the data; a mapper turns numbers into colours."""


def sign(drawn: Any, renderer: Any) -> Any:
    """A renderer of the same glyph at no place, whose data never change.

    Bokeh makes all entries of a legend again whenever anything changes that one of them leads to, data
    included.
    """
    glyph, still = renderer.glyph, {}
    for name in glyph.dataspecs():
        value = getattr(glyph, name)
        column = getattr(value, "field", value)
        if isinstance(column, str) and column in renderer.data_source.data:
            still[column] = [[np.nan]] if name in ("xs", "ys") else [LOOKS.get(name, np.nan)]
    return drawn.add_glyph(ColumnDataSource(still), glyph)


def choice(parameter: Any, **more: Any) -> Any:
    """A row of low buttons for a selector."""
    more = {"margin": (0, 8), "sx": {"& button": FLAT}} | more
    made = pmui.RadioButtonGroup.from_param(parameter, size="small", label="", description="", **more)
    return add_hint(made, parameter.doc)


def blend(a: str, b: str, share: float) -> str:
    """The colour that lies `share` of the way from a to b."""
    pairs = [(int(a[i : i + 2], 16), int(b[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(x + share * (y - x)):02x}" for x, y in pairs)


def ramp(*colours: str) -> list[str]:
    """A palette of 32 colours from each colour to the next."""
    return [blend(a, b, i / 31) for a, b in pairwise(colours) for i in range(32)]
