"""Colours and sizes for figures: light, dark, projector; safe for colour-blind eyes, never colour alone.

The seven hues are those of Okabe and Ito (2008), darkened or lightened per background so that lines keep a
contrast of at least 3 to 1. Every series also has its own dash or marker, given by the views.
"""

from dataclasses import dataclass, replace
from typing import Any

TYPE = {"small": (14, 22), "text": (16, 26), "large": (20, 32), "title": (28, 44)}
"""The one scale of type, in pixels: on a screen, and for those who look at a projection from afar."""

SMALL, SMALL_AFAR = TYPE["small"]


@dataclass(frozen=True, slots=True)
class Theme:
    """What a figure looks like."""

    name: str
    background: str
    panel: str
    text: str
    muted: str
    grid: str
    primal: str
    dual: str
    truth: str
    guess: str
    rival: str
    accent: str
    neutral: str
    low: str
    high: str
    font: int = SMALL
    line: float = 2.0
    lanes: tuple[str, ...] = ("#1b1f24", "#946300", "#c2416f", "#6b7380")
    """Four learners side by side: none in the colour of truth, guess, tempting answer or cursor."""


LIGHT = Theme(
    "light",
    "#ffffff",
    "#fafafa",
    "#1b1f24",
    "#4d5561",
    "#e3e6ea",
    primal="#b84a00",
    dual="#0b62a4",
    truth="#00694b",
    guess="#0b62a4",
    rival="#b84a00",
    accent="#8a2f73",
    neutral="#6b7380",
    low="#2166ac",
    high="#b2182b",
)
DARK = replace(
    LIGHT,
    name="dark",
    background="#14181d",
    panel="#1b2026",
    text="#e8eaed",
    muted="#aeb6c0",
    grid="#333b45",
    primal="#f5a05c",
    dual="#6cb8f0",
    truth="#4fd0a5",
    guess="#6cb8f0",
    rival="#f5a05c",
    accent="#e39bd0",
    neutral="#98a2ae",
    low="#6cb8f0",
    high="#f4877b",
    lanes=("#e8eaed", "#e3b341", "#ff8fa8", "#98a2ae"),
)
PROJECTOR = replace(
    LIGHT, name="projector", text="#000000", muted="#222222", grid="#cfd4da", font=SMALL_AFAR, line=3.5
)

THEMES = {theme.name: theme for theme in (LIGHT, DARK, PROJECTOR)}


def restyle(figure: Any, theme: Theme) -> None:
    """Give a Bokeh figure the theme's background, text and grid; the view recolours its own glyphs."""
    figure.background_fill_color = theme.background
    figure.border_fill_color = theme.background
    figure.outline_line_color = theme.grid
    size = f"{theme.font}px"
    for axis in figure.axis:
        axis.axis_label_text_color = axis.major_label_text_color = theme.text
        axis.axis_line_color = axis.major_tick_line_color = theme.muted
        axis.minor_tick_line_color = None
        axis.axis_label_text_font_size = axis.major_label_text_font_size = size
        axis.axis_label_text_font_style = "normal"
    for grid in figure.grid:
        grid.grid_line_color = theme.grid
    for legend in figure.legend:
        legend.background_fill_color, legend.background_fill_alpha = theme.background, 0.8
        legend.border_line_color = None
        legend.label_text_color, legend.label_text_font_size = theme.text, size
        high = round(
            1.55 * theme.font
        )  # a sign is drawn with the theme's lines: it needs room to be told by its shape
        legend.glyph_width, legend.glyph_height = round(legend.glyph_width / legend.glyph_height * high), high
        legend.spacing, legend.padding, legend.margin = (
            (14 if legend.orientation == "horizontal" else 2),
            4,
            4,
        )
    if figure.title is not None:
        figure.title.text_color, figure.title.text_font_size = theme.text, size


def css_variables(theme: Theme) -> str:
    """The theme for HTML of our own: colours, and the sizes of its type in pixels."""
    names = (
        "text",
        "muted",
        "grid",
        "panel",
        "background",
        "primal",
        "dual",
        "truth",
        "guess",
        "rival",
        "accent",
    )
    colours = "".join(f"--{name}:{getattr(theme, name)};" for name in names)
    small, body, large = (TYPE[name][theme.name == "projector"] for name in ("small", "text", "large"))
    return f"{colours}--link:{theme.dual};--small:{small}px;--body:{body}px;--large:{large}px"
