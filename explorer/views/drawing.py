"""Pieces that several figures are made of: plots, sources, legends, switches, colour scales."""

from itertools import pairwise
from typing import Any

import panel as pn
import panel_material_ui as pmui
from bokeh.models import ColumnDataSource, Legend, LegendItem, Range1d
from bokeh.plotting import figure

from explorer.views.hints import hinted

ZOOM = "pan,wheel_zoom,box_zoom,reset,save"
FLAT = {"padding": "1px 8px", "textTransform": "none", "fontSize": "0.8rem", "whiteSpace": "nowrap"}
"""Low buttons: a view may be no more than 260 pixels high."""

WHOLE: dict[str, Any] = {"sizing_mode": "stretch_both", "margin": 0}
FEW_PIXELS = 5
"""A figure whose size changes by less was moved by its own labels, and is not fitted again."""


def plot(x: str | None = None, y: str | None = None, **more: Any) -> Any:
    """A figure that fills its place; ranges are set by whoever fills it."""
    ranges = {"x_range": Range1d(0, 1), "y_range": Range1d(0, 1)}
    made = figure(
        sizing_mode="stretch_both", toolbar_location=None, x_axis_label=x, y_axis_label=y,
        **({"tools": "", "active_scroll": None} | ranges | more),
    )  # fmt: skip
    made.axis.axis_label_standoff = 4
    return made


def pane(drawn: Any, least: int = 130) -> Any:
    """The figure as a part of the page."""
    return pn.pane.Bokeh(drawn, min_height=least, **WHOLE)


def source(columns: str) -> ColumnDataSource:
    """An empty source with these columns."""
    return ColumnDataSource({name: [] for name in columns.split()})


def fill(into: ColumnDataSource, *columns: Any) -> None:
    """New values for all columns of a source, in their order; without any the source is emptied."""
    names = list(into.data)
    into.data = dict(zip(names, columns or [[] for _ in names], strict=True))


def legend(drawn: Any, items: dict[str, list[Any]], **look: Any) -> dict[str, LegendItem]:
    """A legend above the figure; its items by label, so that they can be hidden."""
    made = {label: LegendItem(label=label, renderers=renderers) for label, renderers in items.items()}
    drawn.add_layout(Legend(items=list(made.values()), orientation="horizontal", location="left", **look), "above")
    return made


def choice(parameter: Any, **more: Any) -> Any:
    """A row of low buttons for a selector."""
    more = {"margin": (0, 8), "sx": {"& button": FLAT}} | more
    made = pmui.RadioButtonGroup.from_param(parameter, size="small", label="", description="", **more)
    return hinted(made, parameter.doc)


def blend(a: str, b: str, share: float) -> str:
    """The colour that lies `share` of the way from a to b."""
    pairs = [(int(a[i : i + 2], 16), int(b[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(x + share * (y - x)):02x}" for x, y in pairs)


def ramp(*colours: str) -> list[str]:
    """A palette of 32 colours from each colour to the next."""
    return [blend(a, b, i / 31) for a, b in pairwise(colours) for i in range(32)]
