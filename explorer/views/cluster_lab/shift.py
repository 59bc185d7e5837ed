"""What a number on the diagonal changes: every k-means value by k s, and maybe what batch k-means answers."""

from typing import Any, ClassVar

import panel as pn
import panel_material_ui as pmui

from explorer.labs.clusterings.shift import LARGEST_SHIFT, ShiftRow
from explorer.labs.clusterings.state import ClusterLab
from explorer.views.cluster_lab import words
from explorer.views.kit.drawing.theme import Theme
from explorer.views.kit.tables import TEXT, html_table
from explorer.views.kit.view import View
from explorer.wording import with_sign

LOOK = TEXT.replace("220px", "none")


def rows_of(rows: list[ShiftRow]) -> dict[str, list[Any]]:
    """One row for each clusterer that answered."""
    given = [one for one in rows if not one.refused]
    return {
        "clusterer": [one.title for one in given],
        "K": [one.before for one in given],
        "K + s I": [one.after for one in given],
        "difference": [with_sign(one.after - one.before) for one in given],
        "same answer": ["yes" if one.same else "no" for one in given],
    }


class ShiftView(View[ClusterLab]):
    """K and K + s I side by side."""

    title: ClassVar[str] = "A number on the diagonal"
    name_key: ClassVar[str] = "shift"
    help: ClassVar[str] = (
        "s is added to every K_ii. Each cluster of any size gains exactly s, so k clusters gain k s: the "
        "best ones stay the best, and clusterers that follow the value answer the same. Batch k-means "
        "follows distances, which do change."
    )
    follows = ("tick", "shift")

    def build(self) -> Any:
        self.slider = pmui.FloatSlider(
            label="s on the diagonal",
            start=-LARGEST_SHIFT,
            end=LARGEST_SHIFT,
            step=0.5,
            size="small",
            value=float(self.session.shift),
            sizing_mode="stretch_width",
            margin=(2, 20),
            description="",
        )
        self.slider.param.watch(lambda e: self.session.param.update(shift=e.new), "value_throttled")
        self.list = pn.pane.HTML(
            "", sizing_mode="stretch_both", margin=(0, 8), stylesheets=[LOOK, ":host { overflow: auto; }"]
        )
        return pn.Column(self.slider, self.list, sizing_mode="stretch_both", margin=0)

    def frame(self) -> list[ShiftRow]:
        return self.session.shifts()

    def show(self, frame: list[ShiftRow]) -> None:
        self.list.object = html_table(rows_of(frame), "Values of k-means clusterers")

    def sentence(self, frame: list[ShiftRow]) -> str:
        return words.shift_sentence(frame, self.session.choice.groups, float(self.session.shift))

    def table(self, frame: list[ShiftRow]) -> dict[str, Any]:
        return rows_of(frame)

    def recolour(self, theme: Theme) -> None:
        size = {"light": "13px", "dark": "13px"}.get(theme.name, "16px")
        self.list.styles = {"color": theme.text, "font-size": size}
