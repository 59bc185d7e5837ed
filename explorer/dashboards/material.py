"""How Material components look in our themes: a quiet title bar, one scale of type, hints that do not get in
the way.
"""

from typing import Any

from explorer.views.kit.drawing.theme import Theme

WIDEST_HINT = 280
"""Pixels; a hint is as wide as its words up to this."""

REST = 600
"""Milliseconds that the pointer rests on a control before its hint comes."""

PRIMARY = {"light": "#0b62a4", "dark": "#6cb8f0", "projector": "#0b62a4"}

INVERSE = {".MuiAppBar-root": {"bgcolor": "primary.contrastText", "color": "primary.main"}}
"""What a page says so that the components of its title bar keep their colours."""

BELOW, BESIDE = "bottom", "right"
"""Where a hint stands: below what stands in a row, beside what stands in a column; it covers no neighbour."""


def hints(placement: str) -> dict[str, Any]:
    """Hints that are readable, come late, lie above everything and never catch the pointer."""
    popper = {"placement": placement, "popperOptions": {"strategy": "fixed"}}
    look = {
        "maxWidth": f"min({WIDEST_HINT}px, calc(100vw - 24px))",
        "width": "max-content",
        "fontSize": "var(--type-small, 14px)",
        "lineHeight": 1.4,
        "fontWeight": 400,
        "padding": "8px 10px",
    }
    return {
        "MuiTooltip": {
            "defaultProps": {
                "enterDelay": REST,
                "enterNextDelay": REST,
                "disableInteractive": True,
                "slotProps": {"popper": popper},
            },
            "styleOverrides": {"popper": {"pointerEvents": "none !important"}, "tooltip": look},
        }
    }


def title_bar(theme: Theme) -> dict[str, Any]:
    """The ground of the page with a thin rule below."""
    root = {
        "backgroundColor": f"{theme.background} !important",
        "backgroundImage": "none",
        "boxShadow": "none",
        "borderBottom": f"1px solid {theme.grid}",
        "color": theme.text,
        "& .MuiIconButton-root": {"color": theme.text},
        "& .title": {
            "fontSize": "var(--type-large, 20px) !important",
            "fontWeight": 600,
            "whiteSpace": "nowrap",
            "color": f"{theme.text} !important",
            "@media (max-width: 1100px)": {"display": "none"},
        },
    }
    return {
        "MuiAppBar": {"styleOverrides": {"root": root}},
        "MuiToolbar": {"styleOverrides": {"root": {"minHeight": "52px !important"}}},
    }


def surfaces(theme: Theme) -> dict[str, Any]:
    """Cards and tabs; a shadow is not seen on a dark ground, so cards have a line around there."""
    line = {"boxShadow": f"0 0 0 1px {theme.grid}"}
    tab = {"textTransform": "none", "minWidth": 0, "padding": "6px 9px", "minHeight": 40}
    return {
        "MuiPaper": {"styleOverrides": {"root": {"backgroundImage": "none"}, "elevation1": line}},
        "MuiTab": {"styleOverrides": {"root": tab}},
        "MuiTabs": {"styleOverrides": {"root": {"minHeight": 40}}},
        "MuiButton": {"styleOverrides": {"root": {"textTransform": "none"}}},
    }


def material(theme: Theme) -> dict[str, Any]:
    """Material's settings for a theme: our type, our colours."""
    ground = {"paper": theme.background, "default": theme.background}
    return {
        "components": title_bar(theme) | surfaces(theme) | hints(BELOW),
        "typography": {"fontSize": theme.font},
        "palette": {"primary": {"main": PRIMARY[theme.name]}, "background": ground},
        "shape": {"borderRadius": 6},
    }


__all__ = ["BESIDE", "INVERSE", "hints", "material"]
