"""The numbers behind a picture: a sheet that is laid over the whole of it, and taken away again.

The picture below keeps its place and size, so that nothing on the page moves.
"""

from typing import Any

import panel as pn

from explorer.views.kit.drawing.theme import LIGHT, Theme
from explorer.views.kit.tables import TEXT, html_table

PLACE = {"position": "absolute", "inset": "0", "z-index": "3", "padding": "0 8px", "box-sizing": "border-box"}


class NumbersSheet:
    """A table that is laid over a picture; `pane` is its part of the page."""

    def __init__(self) -> None:
        whole: dict[str, Any] = {"sizing_mode": "stretch_both", "margin": 0, "stylesheets": [TEXT]}
        self.pane: Any = pn.pane.HTML("", visible=False, **whole)
        self.recolour(LIGHT)

    def over(self, picture: Any) -> Any:
        """The picture with the sheet above it."""
        below = {"position": "relative", "min-height": "0"}
        return pn.Column(picture, self.pane, sizing_mode="stretch_both", margin=0, styles=below)

    def show(self, columns: dict[str, Any], caption: str) -> None:
        """Lay the sheet over the picture, with these numbers."""
        self.pane.param.update(object=html_table(columns, caption), visible=True)

    def hide(self) -> None:
        """Take the sheet away."""
        self.pane.visible = False

    def recolour(self, theme: Theme) -> None:
        """Nothing shines through: the sheet has the ground of the picture."""
        self.pane.styles = PLACE | {"background": theme.background}


__all__ = ["NumbersSheet"]
