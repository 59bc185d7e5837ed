"""One look for both of HoloViews' drawing libraries: what a mark is called differs, what it looks like does
not.
"""

from importlib.util import find_spec
from typing import Any

import holoviews as hv
from holoviews.core.dimension import LabelledData
from holoviews.plotting import bokeh as _bokeh  # noqa: F401  # registers its options

from explorer.views.kit.drawing.theme import LIGHT

STATIC = find_spec("matplotlib") is not None
if STATIC:
    from holoviews.plotting import mpl as _matplotlib  # noqa: F401  # registers its options
THEME = LIGHT
WIDTH, HEIGHT = 640, 320
INCH, DPI = 80.0, 96

if not hv.Store.loaded_backends() or hv.Store.current_backend not in hv.Store.loaded_backends():
    hv.Store.set_current_backend("matplotlib" if STATIC else "bokeh")
if STATIC:  # elements that are laid over each other forget how large each was
    together = {"fig_inches": (WIDTH / INCH, HEIGHT / INCH), "aspect": WIDTH / HEIGHT}
    hv.Store.options(backend="matplotlib").Overlay = hv.Options("plot", **together)


def to_png(element: Any) -> tuple[dict[str, bytes], dict[str, Any]]:
    """An element as a picture that a notebook keeps: by MIME type, and what is to be known of it."""
    picture, _ = hv.Store.renderers["matplotlib"].instance(dpi=DPI)(element, fmt="png")
    return {"image/png": picture}, {}


if STATIC and not any(hv.Store.render(hv.Curve([]))):  # hv.extension, where it was called, draws by itself
    hv.Store.set_display_hook("png", LabelledData, to_png)


def with_style(element: Any, *, size: tuple[int, int] = (WIDTH, HEIGHT), **look: Any) -> Any:
    """An element of a size in pixels; `look` are options that both libraries know, and `bokeh` and
    `matplotlib` those of one alone.
    """
    zoomed, still = look.pop("bokeh", {}), look.pop("matplotlib", {})
    element = element.opts(backend="bokeh", clone=True, width=size[0], height=size[1], **look, **zoomed)
    if not STATIC:
        return element
    inches = {"fig_inches": (size[0] / INCH, size[1] / INCH), "aspect": size[0] / size[1]}
    return element.opts(backend="matplotlib", clone=True, **inches, **look, **still)


def line(element: Any, colour: Any, width: float = 2.0, dash: bool = False, **look: Any) -> Any:
    """A curve of one colour, or of the next one of a cycle."""
    return with_style(
        element,
        color=colour,
        bokeh={"line_width": width, "line_dash": "dashed" if dash else "solid", "tools": ["hover"]},
        matplotlib={"linewidth": width, "linestyle": "--" if dash else "-"},
        **look,
    )
