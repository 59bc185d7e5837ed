"""Have a step checked by an independent solver: its button, what comes back, and the program as code."""

from typing import Any

import panel as pn
import panel_material_ui as pmui

from explorer.engine.runs.referee.compare import CUTS, LABELLINGS
from explorer.session.jobs.check import Compared
from explorer.session.state import Session
from explorer.views.inspector.check_words import check_page
from explorer.views.kit.controls.clipboard import Clipboard
from explorer.views.kit.controls.inputs import BUTTON, word
from explorer.views.kit.controls.tooltips import add_hint

HINT = (
    "Give the program of this step to cvxpy, an independent solver, and compare both solutions by their "
    "optimality conditions."
)


class CheckPanel:
    """The button "Check this solution" and everything below it."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._offered: list[str] = []
        self.button = pmui.Button(label="Check this solution", variant="outlined", **BUTTON)
        self.button.on_click(lambda _: self._press())
        add_hint(self.button, HINT)
        self.page = pn.pane.HTML("", sizing_mode="stretch_width", margin=(0, 8))
        self.codes = pn.FlexBox(margin=(0, 4), visible=False)
        self.clipboard = Clipboard(width=0, height=0, margin=0)
        self.text = pmui.TextAreaInput(
            label="Python", rows=18, max_length=MOST_CHARACTERS, sizing_mode="stretch_width", sx=MONOSPACED
        )
        self.dialog = pmui.Dialog(
            self.text,
            word("Copy", lambda: self.clipboard.copy(self.text.value)),
            title="The program as cvxpy code",
            width_option="lg",
            show_close_button=True,
            close_on_click=True,
        )

    def parts(self) -> tuple[Any, ...]:
        """What goes below the button, in order."""
        return self.page, self.codes, self.clipboard, self.dialog

    def _press(self) -> None:
        if self.session.check.status == "running":
            self.session.check.stop()
        else:
            self.session.check_step()

    def html(self) -> str:
        """What is to be read; buttons are brought in step with it."""
        check = self.session.check
        running = check.status == "running"
        self.button.label = "Cancel the check" if running else "Check this solution"
        self.button.disabled = not len(self.session.trace)
        shown = [part for part in check.found if isinstance(part, Compared)]
        if [part.over for part in shown] != self._offered:
            self._offered = [part.over for part in shown]
            self.codes[:] = [self._code_button(over) for over in self._offered]
        self.codes.visible = bool(shown)
        return check_page(check, self.session.cursor)

    def _code_button(self, over: str) -> Any:
        button = word(SHORT[over], lambda: self._open(over))
        return add_hint(button, "The program as Python that runs wherever cvxpy is installed.")

    def _open(self, over: str) -> None:
        """Show the code of the program over these rows."""
        found = (part for part in self.session.check.found if isinstance(part, Compared))
        part = next(part for part in found if part.over == over)
        self.text.value = part.code or part.no_code
        self.dialog.open = True


SHORT = {CUTS: "Code: cuts", LABELLINGS: "Code: labellings"}
"""Both fit beside each other."""

MOST_CHARACTERS = 10_000_000
"""The text is shown whole: its numbers are bounded where it is made."""

MONOSPACED = {
    "& textarea": {"fontFamily": "monospace", "fontSize": "var(--type-small, 14px)", "whiteSpace": "pre"}
}
