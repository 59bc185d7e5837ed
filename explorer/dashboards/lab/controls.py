"""The left side of the oracle lab: which field, which oracles, and the settings of the one that is looked at.

Oracles that refuse the field are greyed, each with its reason. Sliders act when released.
"""

from collections.abc import Callable
from dataclasses import fields
from html import escape
from typing import Any

import panel as pn
import panel_material_ui as pmui

from explorer.dashboards.controls import FOLDED, WIDE, widget
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
from explorer.labs.fields.state import Lab
from explorer.session.knobs import editable, values
from explorer.views.kit.live_html import LiveHTML

PICKER = """
ul { list-style: none; margin: 0; padding: 0 4px; font-size: 0.86rem; }
li { padding: 2px 0; line-height: 1.25; }
label { display: flex; gap: 6px; align-items: baseline; cursor: pointer; }
input { width: 15px; height: 15px; margin: 0; flex: none; position: relative; top: 2px; accent-color: #0b62a4; }
input:focus-visible { outline: 2px solid #0b62a4; outline-offset: 2px; }
small { opacity: 0.85; } li.refused label { font-style: italic; cursor: default; }
li.refused > small { display: block; padding-left: 21px; font-size: 0.78rem; }
"""


def picker_html(asked: set[str], refused: dict[str, str]) -> str:
    """Every oracle as a checkbox with its kind; those that refuse are disabled, with their reason;
    escaped.
    """
    rows = []
    for j, kind in enumerate(FIELD_ORACLES):
        title, reason = escape(kind.title, quote=True), refused.get(kind.title)
        state = ("checked " if kind.title in asked else "") + (
            f"disabled aria-describedby='why{j}' " if reason else ""
        )
        box = f"<input type='checkbox' data-act='{title}' {state}/>"
        label = (
            f"<label title='{escape(kind.help, quote=True)}'>{box}<span>{title} "
            f"<small>({kind.kind})</small></span></label>"
        )
        why = f"<small id='why{j}'>{escape(reason)}.</small>" if reason else ""
        rows.append(f"<li class='{'refused' if reason else ''}'>{label}{why}</li>")
    return f"<div role='group' aria-label='Oracles'><ul>{''.join(rows)}</ul></div>"


class LabControls(pn.viewable.Viewer):
    """All choices of a lab."""

    def __init__(self, lab: Lab, slow: Callable[[], None], **params: Any) -> None:
        super().__init__(**params)
        self.lab = lab
        self.instance = pn.Column(margin=0, sizing_mode="stretch_width")
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
        self.settings = pn.Column(margin=0, sizing_mode="stretch_width")
        self._drawn: Any = None
        self._offered = ""
        self.watcher = lab.param.watch(lambda *_: self.follow(), "tick")
        self.follow()

    def follow(self) -> None:
        """Show what is chosen."""
        lab = self.lab
        if (lab.choice.kind, lab.choice.couplings) != self._drawn:
            self._drawn = (lab.choice.kind, lab.choice.couplings)
            self.instance[:] = self._widgets()
        self.picker.html = picker_html(set(lab.names), refusals(lab.bench.case.field))
        self.more.visible = any(one.waits for one in lab.compared.answers)
        if lab.shown != self._offered:
            self._offered = lab.shown
            self.settings[:] = self._settings()

    # the instance -------------------------------------------------------------------------------------------

    def _widgets(self) -> list[Any]:
        choice, kind = self.lab.choice, kind_named(self.lab.choice.kind)
        kinds = {one.title: name for name, one in KINDS.items()} | (
            {FROM_A_RUN.title: TAKEN} if choice.taken else {}
        )
        found = [self._menu("Instance", "kind", kinds, "What is drawn.")]
        if choice.kind == TAKEN:
            return found
        if kind.sizes[0] < kind.sizes[1]:
            found.append(self._slider(kind.counts, "size", kind.sizes, 1, "How large the field is."))
        if kind.states[0] < kind.states[1]:
            found.append(
                self._slider("States", "states", kind.states, 1, "How many states every node can take.")
            )
        if "scores" in kind.chosen:
            drawn = {f"from {text}": name for name, text in SCORES.items()}
            found.append(self._menu("Scores drawn", "scores", drawn, "What single scores are drawn from."))
            found.append(
                self._menu("Couplings", "couplings", list(COUPLINGS), "Drawn like the scores, or all alike.")
            )
        if "coupling" in kind.chosen or ("couplings" in kind.chosen and choice.couplings == POTTS):
            found.append(
                self._slider("Coupling", "coupling", (0.0, 2.0), 0.05, "What agreeing or differing is worth.")
            )
        if "couplings" in kind.chosen and choice.couplings == POTTS:
            words = "The chance of an edge to attract; the others repel."
            found.append(self._slider("Share of attracting edges", "attraction", (0.0, 1.0), 0.05, words))
        if "seed" in kind.chosen:
            found.append(self._seed())
        return found

    def _menu(self, label: str, name: str, options: Any, doc: str) -> Any:
        made = pmui.Select(
            label=label, options=options, value=getattr(self.lab.choice, name), description=doc, **WIDE
        )
        made.param.watch(lambda event: self.lab.choose(**{name: event.new}), "value")
        return made

    def _slider(self, label: str, name: str, ends: tuple[Any, Any], step: Any, doc: str) -> Any:
        kind = pmui.IntSlider if isinstance(step, int) else pmui.FloatSlider
        made = kind(
            label=label,
            start=ends[0],
            end=ends[1],
            step=step,
            value=getattr(self.lab.choice, name),
            description=doc,
            **WIDE,
        )
        made.param.watch(lambda event: self.lab.choose(**{name: event.new}), "value_throttled")
        return made

    def _seed(self) -> Any:
        doc = "The same seed draws the same field."
        seed = pmui.IntInput(
            label="Seed", value=self.lab.choice.seed, start=0, end=LARGEST_SEED, description=doc, **WIDE
        )
        seed.param.watch(lambda event: event.new is not None and self.lab.choose(seed=event.new), "value")
        return seed

    # the oracles --------------------------------------------------------------------------------------------

    def _ticked(self, title: str, checked: bool | None) -> None:
        asked = set(self.lab.names)
        self.lab.ask(asked | {title} if checked else asked - {title})

    def _settings(self) -> list[Any]:
        """The settings of the oracle that is looked at; a change decodes anew."""
        if not self.lab.shown:
            return []
        oracle = self.lab.oracle()
        about = pmui.Typography(oracle.help, variant="body2", margin=(0, 8))
        edited = editable(type(oracle))(**{part.name: getattr(oracle, part.name) for part in fields(oracle)})
        names = [name for name in edited.param if name not in ("name", "tolerance")]
        edited.param.watch(lambda *_: self.lab.configure(type(oracle)(**values(edited))), names)
        title = pmui.Typography(
            f"{oracle.title[:1].upper()}{oracle.title[1:]}", variant="subtitle2", margin=(2, 8)
        )
        return [title, about, *[widget(edited, name) for name in names]]

    def close(self) -> None:
        """Stop listening to the lab."""
        self.lab.param.unwatch(self.watcher)

    def __panel__(self) -> Any:
        oracles = pn.Column(self.picker, self.more, margin=0, sizing_mode="stretch_width")
        cards = [("Instance", self.instance), ("Settings", self.settings), ("Oracles", oracles)]
        return pmui.Accordion(*cards, active=[0, 1, 2], sizing_mode="stretch_width", margin=(0, 4), sx=FOLDED)
