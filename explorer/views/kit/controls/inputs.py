"""Small inputs above a picture: numbers, flat buttons and icons, low enough for a view of 260 pixels."""

from typing import Any

import panel_material_ui as pmui

from explorer.views.kit.controls.tooltips import add_hint

TYPE = {"fontSize": "var(--type-small, 14px)"}
FIELD = {
    "& input": TYPE | {"padding": "6px 0", "textAlign": "center"},
    "& .MuiInputBase-root": {"height": "33px"},
    "& .MuiInputLabel-root": TYPE,
    "& .MuiInputAdornment-root": {"margin": 0},
    "& .MuiInputAdornment-root button": {"padding": "3px"},
    "& .MuiInputAdornment-root svg": {"fontSize": "16px"},
}
NO_SPINNER = {"& .MuiInputAdornment-root": {"display": "none"}}
INPUT = {"size": "small", "margin": (4, 2), "description": "", "sx": FIELD}
LATE = {"size": "small", "description_delay": 1500}
"""A tooltip covers the neighbours: it comes late."""

NEVER = 3_600_000
"""Milliseconds that nobody rests on a button."""

BUTTON = LATE | {
    "margin": (4, 2),
    "sx": TYPE | {"padding": "3px 5px", "minWidth": 0, "textTransform": "none"},
}
HIDDEN = {"sizing_mode": "stretch_width", "visible": False}


def icon(name: str, label: str, act: Any) -> Any:
    """A button with a picture, named for screen readers; its hint covers no neighbour."""
    button = pmui.IconButton(
        icon=name, icon_size="21px", margin=0, size="small", description=label, description_delay=NEVER
    )
    button.on_click(lambda _: act())
    return add_hint(button, label)


def word(label: str, act: Any) -> Any:
    """A flat button with a word."""
    button = pmui.Button(label=label, variant="text", **BUTTON)
    button.on_click(lambda _: act())
    return button
