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


UNTITLED = {"light": 1100, "dark": 1100, "projector": 1700}
"""Pixels; on a narrower screen the title makes room for what can be pressed."""


def title_bar(theme: Theme) -> dict[str, Any]:
    """The ground of the page with a thin rule below."""
    root = {
        "backgroundColor": f"{theme.background} !important",
        "backgroundImage": "none",
        "boxShadow": "none",
        "borderBottom": f"1px solid {theme.grid}",
        "color": theme.text,
        "& .MuiIconButton-root": {"color": theme.text},
        f"@media (max-width: {UNTITLED[theme.name]}px)": {
            "& .title, & a:has(.title)": {"display": "none !important"}
        },
        "& .title": {
            "fontSize": "var(--type-large, 20px) !important",
            "fontWeight": 600,
            "whiteSpace": "nowrap",
            "color": f"{theme.text} !important",
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
    }


def type_of(size: str) -> dict[str, str]:
    """One size of our scale; the page knows how large it is in its theme."""
    return {"fontSize": f"var(--type-{size})"}


TYPOGRAPHY = {
    "body1": type_of("text"),
    "body2": type_of("small"),
    "button": type_of("small"),
    "caption": type_of("small"),
    "subtitle2": type_of("small"),
    "h6": type_of("text"),
}
"""Material's kinds of text in our scale."""


def controls() -> dict[str, Any]:
    """Buttons, fields and switches: no size of their own besides the scale, no capitals."""
    icon = {"& .material-icons, & .material-icons-outlined, & .MuiIcon-root": {"fontSize": "1.3em"}}
    button = {"textTransform": "none", "lineHeight": 1.6, **type_of("small"), **icon}
    label = {
        **type_of("small"),
        "&.MuiInputLabel-shrink": {"transform": "translate(12px, -0.7em) scale(0.86)"},
    }
    legend = {"& legend": {"fontSize": "calc(0.86 * var(--type-small))"}}
    return {
        "MuiButton": {"styleOverrides": {"root": button}},
        "MuiToggleButton": {"styleOverrides": {"root": button | {"padding": "4px 10px"}}},
        "MuiInputLabel": {"styleOverrides": {"root": label}},
        "MuiOutlinedInput": {"styleOverrides": {"root": type_of("text"), "notchedOutline": legend}},
        "MuiFormControlLabel": {"styleOverrides": {"label": type_of("small")}},
        "MuiMenuItem": {"styleOverrides": {"root": type_of("text")}},
    }


def material(theme: Theme) -> dict[str, Any]:
    """Material's settings for a theme: our type, our colours."""
    ground = {"paper": theme.background, "default": theme.background}
    return {
        "components": title_bar(theme) | surfaces(theme) | controls() | hints(BELOW),
        "typography": TYPOGRAPHY,
        "palette": {"primary": {"main": PRIMARY[theme.name]}, "background": ground},
        "shape": {"borderRadius": 6},
    }


__all__ = ["BESIDE", "INVERSE", "hints", "material"]
