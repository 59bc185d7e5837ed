"""The left side of a studio: one widget per declared setting, each with its one-sentence tooltip.

Widgets are made from the session's parameters alone; a new knob in a learner or a data family shows up by
itself. Learners that refuse the problem are greyed in the menu and listed with their reasons. Sliders act
when released.
"""

import math
from collections.abc import Mapping
from dataclasses import fields
from html import escape
from typing import Any

import panel as pn
import panel_material_ui as pmui
import param

from explorer.engine.catalogue.oracle_names import oracle_named, spell
from explorer.engine.contracts import Problem
from explorer.engine.learners import by_name
from explorer.session.choices import Choices, refusals
from explorer.session.knobs import editable, values
from explorer.session.state import Session

WIDE = {"sizing_mode": "stretch_width", "margin": (4, 8), "size": "small"}
SHOWN = {
    "C": "C (price of slack)",
    "eps": "eps (tolerance of a cut)",
    "n": "Examples",
    "n_test": "Test examples",
}
TITLES = {"data": "Data", "model": "Model", "objective": "Objective", "set": "Learner", "rule": "Stopping"}
OPEN = ("data", "model", "set")
"""The groups that are not folded when a page opens."""

FOLDED = {
    "& .MuiAccordionSummary-root *": {"fontSize": "1rem"},
    "& .MuiAccordionSummary-root": {"minHeight": 40},
    "& .MuiAccordionSummary-content": {"margin": "8px 0"},
    "& .MuiAccordionDetails-root": {"paddingTop": 0},
}


def readable(name: str) -> str:
    """A setting's name as a label."""
    text = name.replace("_", " ")
    return SHOWN.get(name, text[:1].upper() + text[1:])


def widget(owner: param.Parameterized, name: str) -> Any:
    """The widget that edits one parameter."""
    declared = owner.param[name]
    common = {"label": readable(name), "description": declared.doc, **WIDE}
    if isinstance(declared, param.Selector):
        return pmui.Select.from_param(declared, **common)
    if isinstance(declared, param.Boolean):
        common.pop("size")
        return pmui.Checkbox.from_param(declared, **common)
    if name in getattr(owner, "log_scaled", ()):
        return decades(owner, name)
    low, high = declared.bounds or (None, None)
    if low is not None and high is not None and high - low <= 5000 and isinstance(declared, param.Integer):
        return slider_on_release(owner, name, pmui.IntSlider, start=int(low), end=int(high))
    if low is not None and high is not None and not isinstance(declared, param.Integer):
        return slider_on_release(owner, name, pmui.FloatSlider, start=low, end=high, step=(high - low) / 100)
    kind = pmui.IntInput if isinstance(declared, param.Integer) else pmui.FloatInput
    return kind.from_param(declared, **common)


def slider_on_release(owner: param.Parameterized, name: str, kind: Any, **range_: Any) -> Any:
    """A slider that sets the parameter when it is let go."""
    doc = owner.param[name].doc
    slider = kind(label=readable(name), value=getattr(owner, name), description=doc, **range_, **WIDE)
    slider.param.watch(lambda e: owner.param.update(**{name: e.new}), "value_throttled")
    owner.param.watch(lambda e: slider.param.update(value=e.new), name)
    return slider


PROMPT = 10
"""Milliseconds that a slider waits for more to come before it tells the server (Panel: 50); a release is
answered at once.
"""


def decades(owner: param.Parameterized, name: str) -> Any:
    """A slider over powers of ten; its label shows the value itself."""
    low, high = owner.param[name].bounds
    start = max(math.log10(low) if low else -6.0, -6.0)
    end = (
        math.log10(high)
        if high and math.isfinite(high)
        else max(4.0, 1 + math.ceil(math.log10(getattr(owner, name) or 1)))
    )
    doc = owner.param[name].doc

    def label(value: float) -> str:
        return f"{readable(name)}: {value:.3g}"

    def position(value: float) -> float:
        return min(end, max(start, math.log10(value))) if value > 0 else start

    value = getattr(owner, name)
    slider = pmui.FloatSlider(
        label=label(value),
        value=position(value),
        start=start,
        end=end,
        step=0.05,
        show_value=False,
        description=doc,
        **WIDE,
    )
    slider._debounce = PROMPT
    slider.param.watch(lambda e: slider.param.update(label=label(10**e.new)), "value")
    slider.param.watch(lambda e: owner.param.update(**{name: float(f"{10**e.new:.4g}")}), "value_throttled")
    owner.param.watch(lambda e: slider.param.update(value=position(e.new), label=label(e.new)), name)
    return slider


def group(owner: param.Parameterized, prefix: str) -> dict[str, Any]:
    """Widgets for all settings of one record, by the names that links give them."""
    names = [name for name in owner.param if name not in ("name", "qp_tolerance")]
    return {f"{prefix}.{name}": widget(owner, name) for name in names}


def oracle_choice(choices: Choices, name: str) -> dict[str, Any]:
    """A menu of oracles, and below it the settings of the one that is chosen."""
    declared, chosen = choices.param[name], oracle_named(getattr(choices, name))
    menu = pmui.Select(
        label=readable(name),
        options=list(declared.objects),
        value=chosen.title,
        description=f"{declared.doc} {chosen.help}",
        **WIDE,
    )
    box = pn.Column(margin=(0, 0, 0, 12), sizing_mode="stretch_width")

    def offer(oracle: Any) -> None:
        """Show the settings of this oracle; a change of one names the oracle anew."""
        record = editable(type(oracle))
        edited = record(**{f.name: getattr(oracle, f.name) for f in fields(oracle)})
        names = [n for n in edited.param if n != "name"]
        edited.param.watch(
            lambda *_: choices.param.update(**{name: spell(type(oracle)(**values(edited)))}), names
        )
        box[:] = [widget(edited, n) for n in names]
        menu.description = f"{declared.doc} {oracle.help}"

    def picked(event: Any) -> None:
        oracle = oracle_named(event.new)
        offer(oracle)
        choices.param.update(**{name: spell(oracle)})

    offer(chosen)
    menu.param.watch(picked, "value")
    return {name: menu, f"{name}.settings": box}


def refusing_learners(refused: Mapping[str, str]) -> str:
    """The learners that refuse a problem, folded away, each with its reason; escaped."""
    rows = "".join(
        f"<li><b>{escape(by_name(n).title)}</b>: {escape(reason)}</li>" for n, reason in refused.items()
    )
    count = f"{len(refused)} learner{'s' if len(refused) > 1 else ''} not for this"
    return f"<details class='refused'><summary>{count}</summary><ul>{rows}</ul></details>" if refused else ""


def with_model(hidden: tuple[str, ...]) -> frozenset[str]:
    """What is hidden; earlier links name settings of the model as settings of the data."""
    moved = {
        name.replace("data", "model", 1) for name in hidden if name == "data" or name.startswith("data.")
    }
    return frozenset(hidden) | moved


class Controls(pn.viewable.Viewer):
    """All choices of a session, but those that a lecturer hid.

    What is hidden keeps its value and is named as in links: a setting (`set.C`, `loss`) or a whole group
    (`data`, `set`).
    """

    def __init__(self, session: Session, hidden: tuple[str, ...] = (), **params: Any) -> None:
        super().__init__(**params)
        self.session = session
        self.hidden = with_model(hidden)
        self.column = pn.Column(sizing_mode="stretch_width", margin=0)
        self.reasons = pn.pane.HTML("", sizing_mode="stretch_width", margin=(0, 8))
        self.choices = choices = session.choices
        self.watchers = [
            (choices, choices.param.watch(lambda *_: self.fill(), ["data", "model", "settings"])),
            (choices, choices.param.watch(lambda *_: self.grey(), ["scaling", "penalty", "loss"])),
            (session, session.param.watch(lambda *_: self.grey(), ["tick"])),
        ]
        self.fill()

    def fill(self) -> None:
        """Make the widgets for the current task and learner."""
        groups = {"data": self._data, "model": self._model, "objective": self._objective}
        groups |= {"set": self._learner, "rule": self._rule}
        if self.choices.chosen_task.whole:
            groups.pop("objective")
        made = {name: make() for name, make in groups.items() if name not in self.hidden}
        self.shown = {
            name: {key: w for key, w in ws.items() if key.removesuffix(".settings") not in self.hidden}
            for name, ws in made.items()
        }
        full = [name for name, ws in self.shown.items() if ws]
        cards = [(TITLES[name], pn.Column(*self.shown[name].values(), margin=0)) for name in full]
        active = [j for j, name in enumerate(full) if name in OPEN]
        self.column[:] = [
            pmui.Accordion(
                *cards, active=active, sizing_mode="stretch_width", margin=(0, 4), sx=FOLDED, dynamic=True
            )
        ]
        self._checked: Problem | None = None
        self.grey()

    def _data(self) -> dict[str, Any]:
        choices = self.choices
        titles = {task.title: name for name, task in choices.tasks.items()}
        task = pmui.Select(
            label="Task", options=titles, value=choices.task, description=choices.param.task.doc, **WIDE
        )
        task.param.watch(lambda e: choices.param.update(task=e.new), "value")
        about = pmui.Typography(choices.chosen_task.help, variant="body2", margin=(0, 8))
        return {"task": task, "about": about, **group(choices.data, "data")}

    def _model(self) -> dict[str, Any]:
        return group(self.choices.model, "model")

    def _objective(self) -> dict[str, Any]:
        found = {name: widget(self.choices, name) for name in ("loss", "scaling", "penalty")}
        for name in ("oracle", "predictor"):
            found |= oracle_choice(self.choices, name)
        return found

    def _learner(self) -> dict[str, Any]:
        choices = self.choices
        names = {by_name(n).title: n for n in choices.param.learner.objects}
        self.learner = pmui.Select(
            label="Learner",
            options=names,
            value=choices.learner,
            description=choices.param.learner.doc,
            **WIDE,
        )
        self.learner.param.watch(lambda e: choices.param.update(learner=e.new), "value")
        own = {"learner": self.learner, "reasons": self.reasons, **group(choices.settings, "set")}
        return {**own, "seed": widget(choices, "seed")}

    def _rule(self) -> dict[str, Any]:
        return group(self.choices.rule, "rule")

    def grey(self) -> None:
        """Disable the learners that refuse this problem, and say why."""
        if self.session.problem is self._checked or "learner" not in self.shown.get("set", {}):
            return
        self._checked = self.session.problem
        refused = refusals(self.session.problem)
        self.learner.disabled_options = [n for n in refused if n != self.choices.learner]
        self.reasons.object = refusing_learners(refused)

    def close(self) -> None:
        """Stop listening to the session."""
        for watched, watcher in self.watchers:
            watched.param.unwatch(watcher)

    def __panel__(self) -> Any:
        return self.column
