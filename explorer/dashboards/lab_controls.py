"""The left side of a lab: widgets for its choice, and the settings of the oracle that is looked at.

Sliders act when released.
"""

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import panel as pn
import panel_material_ui as pmui

from explorer.dashboards.controls import FOLDED, WIDE, widget
from explorer.session.knobs import editable, values

HIDDEN = ("name", "tolerance")
"""Settings of oracles that nobody needs in a lab."""


def headline(text: str) -> str:
    """A text with a capital letter."""
    return f"{text[:1].upper()}{text[1:]}"


class LabControls(pn.viewable.Viewer):
    """Groups of widgets; each is made anew when what it depends on has changed."""

    def __init__(self, lab: Any, titles: tuple[str, ...], **params: Any) -> None:
        super().__init__(**params)
        self.lab = lab
        self.groups = {title: pn.Column(margin=0, sizing_mode="stretch_width") for title in titles}
        self._made: dict[str, Any] = {}
        self.watcher = lab.param.watch(lambda *_: self.follow(), "tick")
        self.follow()

    def follow(self) -> None:
        """Show what is chosen."""
        raise NotImplementedError  # every lab has its own choices

    def renew(self, title: str, key: Any, make: Callable[[], list[Any]]) -> None:
        """Make a group's widgets again if the key has changed."""
        if self._made.get(title) != key:
            self._made[title], self.groups[title][:] = key, make()

    # widgets of a choice ------------------------------------------------------------------------------------

    def menu(self, label: str, name: str, options: Any, doc: str) -> Any:
        """A menu for a part of the choice."""
        return self._widget(pmui.Select, "value", name, label=label, options=options, description=doc)

    def slider(self, label: str, name: str, ends: tuple[Any, Any], step: Any, doc: str) -> Any:
        """A slider for a part of the choice, for whole numbers if its step is one."""
        kind = pmui.IntSlider if isinstance(step, int) else pmui.FloatSlider
        look = {"label": label, "start": ends[0], "end": ends[1], "step": step, "description": doc}
        return self._widget(kind, "value_throttled", name, **look)

    def seed(self, largest: int, doc: str) -> Any:
        """An input for the seed."""
        return self._widget(
            pmui.IntInput, "value", "seed", label="Seed", start=0, end=largest, description=doc
        )

    def _widget(self, kind: Any, event: str, name: str, **look: Any) -> Any:
        made = kind(value=getattr(self.lab.choice, name), **look, **WIDE)
        made.param.watch(lambda e: e.new is not None and self.lab.choose(**{name: e.new}), event)
        return made

    def settings(self) -> list[Any]:
        """The settings of the oracle that is looked at; a change asks it anew."""
        if not self.lab.shown:
            return []
        oracle = self.lab.oracle()
        edited = editable(type(oracle))(**{part.name: getattr(oracle, part.name) for part in fields(oracle)})
        names = [name for name in edited.param if name not in HIDDEN]
        if names:
            edited.param.watch(lambda *_: self.lab.configure(type(oracle)(**values(edited))), names)
        title = pmui.Typography(headline(oracle.title), variant="subtitle2", margin=(2, 8))
        about = pmui.Typography(oracle.help, variant="body2", margin=(0, 8))
        return [title, about, *[widget(edited, name) for name in names]]

    def close(self) -> None:
        """Stop listening to the lab."""
        self.lab.param.unwatch(self.watcher)

    def __panel__(self) -> Any:
        every = list(range(len(self.groups)))
        look = {"sizing_mode": "stretch_width", "margin": (0, 4), "sx": FOLDED}
        return pmui.Accordion(*self.groups.items(), active=every, **look)
