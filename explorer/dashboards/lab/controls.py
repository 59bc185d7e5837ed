"""The left side of the oracle lab: which field, which oracles, and the settings of the one that is looked at.

Oracles that refuse the field are greyed, each with its reason.
"""

from collections.abc import Callable
from html import escape
from typing import Any

import panel_material_ui as pmui

from explorer.dashboards.lab_controls import LabControls
from explorer.engine.structures.fields.oracles import FIELD_ORACLES
from explorer.labs.fields.comparison import refusals
from explorer.labs.fields.instance import (
    COUPLINGS,
    FROM_A_RUN,
    KINDS,
    LARGEST_SEED,
    POTTS,
    SCORES,
    TAKEN,
    kind_named,
)
from explorer.labs.fields.state import FieldLab
from explorer.views.kit.controls.live_html import LiveHTML

PICKER = """
ul { list-style: none; margin: 0; padding: 0 4px; font-size: var(--type-small, 14px); }
li { padding: 2px 0; line-height: 1.25; }
label { display: flex; gap: 6px; align-items: baseline; cursor: pointer; }
input { width: 15px; height: 15px; margin: 0; flex: none; position: relative; top: 2px; }
input { accent-color: #0b62a4; }
input:focus-visible { outline: 2px solid #0b62a4; outline-offset: 2px; }
small { opacity: 0.85; } li.refused label { font-style: italic; cursor: default; }
li.refused > small { display: block; padding-left: 21px; font-size: var(--type-small, 14px); }
"""


def picker_html(asked: set[str], refused: dict[str, str]) -> str:
    """Every oracle as a checkbox with its kind; those that refuse are disabled, with a reason; escaped."""
    rows = []
    for j, kind in enumerate(FIELD_ORACLES):
        title, reason = escape(kind.title, quote=True), refused.get(kind.title)
        state = ("checked " if kind.title in asked else "") + (
            f"disabled aria-describedby='why{j}' " if reason else ""
        )
        box = f"<input type='checkbox' data-act='{title}' {state}/>"
        text = f"<span>{title} <small>({kind.kind})</small></span>"
        label = f"<label title='{escape(kind.help, quote=True)}'>{box}{text}</label>"
        why = f"<small id='why{j}'>{escape(reason)}.</small>" if reason else ""
        rows.append(f"<li class='{'refused' if reason else ''}'>{label}{why}</li>")
    return f"<div role='group' aria-label='Oracles'><ul>{''.join(rows)}</ul></div>"


class FieldControls(LabControls):
    """All choices of an oracle lab; `slow` runs the oracles that wait."""

    lab: FieldLab

    def __init__(self, lab: FieldLab, slow: Callable[[], None], **params: Any) -> None:
        self.picker = LiveHTML(self._ticked, sizing_mode="stretch_width", margin=(0, 4), stylesheets=[PICKER])
        self.more = pmui.Button(
            label="Also run the slow ones",
            icon="hourglass_empty",
            variant="outlined",
            size="small",
            margin=(6, 8),
            description="Runs the oracles that wait; it may take some seconds.",
        )
        self.more.on_click(lambda _: slow())
        super().__init__(lab, ("Instance", "Settings", "Oracles"), **params)

    def follow(self) -> None:
        lab = self.lab
        self.renew("Instance", (lab.choice.kind, lab.choice.couplings), self._instance)
        self.renew("Settings", lab.shown, self.settings)
        self.renew("Oracles", True, lambda: [self.picker, self.more])
        self.picker.html = picker_html(set(lab.names), refusals(lab.case.field))
        self.more.visible = any(one.waits for one in lab.compared.replies)

    def _instance(self) -> list[Any]:
        choice, kind = self.lab.choice, kind_named(self.lab.choice.kind)
        kinds = {one.title: name for name, one in KINDS.items()} | (
            {FROM_A_RUN.title: TAKEN} if choice.taken else {}
        )
        found = [self.menu("Instance", "kind", kinds, "What is drawn.")]
        if choice.kind == TAKEN:
            return found
        if kind.sizes[0] < kind.sizes[1]:
            found.append(self.slider(kind.counts, "size", kind.sizes, 1, "How large the field is."))
        if kind.states[0] < kind.states[1]:
            found.append(
                self.slider("States", "states", kind.states, 1, "How many states every node can take.")
            )
        if "scores" in kind.chosen:
            scores = {f"from {text}": name for name, text in SCORES.items()}
            found.append(self.menu("Scores drawn", "scores", scores, "What single scores are drawn from."))
            found.append(
                self.menu("Couplings", "couplings", list(COUPLINGS), "Drawn like the scores, or all alike.")
            )
        potts = "couplings" in kind.chosen and choice.couplings == POTTS
        if "coupling" in kind.chosen or potts:
            found.append(
                self.slider("Coupling", "coupling", (0.0, 2.0), 0.05, "What agreeing or differing is worth.")
            )
        if potts:
            words = "The chance of an edge to attract; the others repel."
            found.append(self.slider("Share of attracting edges", "attraction", (0.0, 1.0), 0.05, words))
        if "seed" in kind.chosen:
            found.append(self.seed(LARGEST_SEED, "The same seed draws the same field."))
        return found

    def _ticked(self, title: str, checked: bool | None) -> None:
        asked = set(self.lab.names)
        self.lab.ask(asked | {title} if checked else asked - {title})
