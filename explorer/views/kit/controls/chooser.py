"""Which example is shown: the one before, a number, the one after; of the training or of the test data."""

from typing import Any

import panel_material_ui as pmui

from explorer.session.state import Session
from explorer.views.kit.controls.inputs import FIELD, INPUT, NO_SPINNER, icon
from explorer.views.kit.controls.tooltips import add_hint
from explorer.views.kit.drawing.pieces import FLAT, choice


class Chooser:
    """Chooses the session's example; `parts` go into the row above a picture."""

    def __init__(self, session: Session, width: int = 74) -> None:
        self.session = session
        self.field = pmui.IntInput(
            start=0, label="Example", width=width, **(INPUT | {"sx": FIELD | NO_SPINNER})
        )
        add_hint(self.field, "Which example is shown, here and in all views.")
        self.field.param.watch(lambda event: self.choose(event.new), ["value"])
        self.split = choice(
            session.param.split, margin=(0, 4), sx={"& button": FLAT | {"padding": "1px 6px"}}
        )
        self.parts: list[Any] = [
            icon("chevron_left", "Previous example", lambda: self.choose(session.example - 1)),
            self.field,
            icon("chevron_right", "Next example", lambda: self.choose(session.example + 1)),
            self.split,
        ]
        self._shows = (session.shown, session.example)

    def choose(self, example: int | None) -> None:
        """Show an example in all views; beyond the last, the last."""
        if example is not None:
            self.session.example = min(max(0, example), max(0, self.session.shown.n - 1))

    def has_moved(self) -> bool:
        """Whether the session has another example or problem than when this was last asked."""
        before, self._shows = self._shows, (self.session.shown, self.session.example)
        return before[0] is not self._shows[0] or before[1] != self._shows[1]

    def show(self, examples: int, example: int) -> None:
        """Show the number of the example on the page, and how far numbers go."""
        self.field.param.update(end=examples - 1, value=example)
        self.split.visible = self.session.test is not None


__all__ = ["Chooser"]
