"""Which node of a field is looked at alone: a menu beside the oracle lab's step player."""

from typing import Any

import panel as pn
import panel_material_ui as pmui

from explorer.labs.fields.state import FieldLab

MOST_LISTED = 64
"""Nodes in the menu at most."""


class NodeMenu(pn.viewable.Viewer):
    """All nodes, or one."""

    def __init__(self, lab: FieldLab, **params: Any) -> None:
        super().__init__(**params)
        self.lab = lab
        self.menu = pmui.Select(
            label="Node", options={"all": -1}, value=-1, size="small", width=84, margin=(4, 4), description=""
        )
        self.menu.param.watch(
            lambda e: lab.param.update(picked=None if e.new in (None, -1) else e.new), "value"
        )
        self.watcher = lab.param.watch(lambda *_: self.follow(), ["tick", "picked"])
        self.follow()

    def follow(self) -> None:
        """Offer the nodes there are; in large fields they are clicked."""
        count = self.lab.case.nodes
        picked = -1 if self.lab.picked is None else self.lab.picked
        shown = {"all": -1} | {str(u): u for u in range(count if count <= MOST_LISTED else 0)}
        shown |= {str(picked): picked} if picked >= 0 else {}
        if self.menu.options != shown:
            self.menu.param.update(options=shown, value=picked)
        elif self.menu.value != picked:
            self.menu.value = picked

    def close(self) -> None:
        """Stop listening."""
        self.lab.param.unwatch(self.watcher)

    def __panel__(self) -> Any:
        return self.menu
