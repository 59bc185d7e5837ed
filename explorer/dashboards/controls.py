"""The left side of a studio: one widget per declared setting, each with its one-sentence tooltip.

Widgets are made from the session's parameters alone; a new knob in a learner or a data family shows up by itself.
Learners that refuse the problem are greyed in the menu and listed with their reasons. Sliders act when released.
"""

import math
from html import escape
from typing import Any

import panel as pn
import panel_material_ui as pmui
import param

from explorer.engine.learners import by_name
from explorer.engine.tasks import TASKS, task_named
from explorer.session.state import Session

WIDE = {"sizing_mode": "stretch_width", "margin": (4, 8), "size": "small"}
SHOWN = {"C": "C (price of slack)", "eps": "eps (tolerance of a cut)", "n": "examples", "n_test": "test examples"}


def readable(name: str) -> str:
    """A setting's name as a label."""
    return SHOWN.get(name, name.replace("_", " "))


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
        return released(owner, name, pmui.IntSlider, start=int(low), end=int(high))
    if low is not None and high is not None and not isinstance(declared, param.Integer):
        return released(owner, name, pmui.FloatSlider, start=low, end=high, step=(high - low) / 100)
    kind = pmui.IntInput if isinstance(declared, param.Integer) else pmui.FloatInput
    return kind.from_param(declared, **common)


def released(owner: param.Parameterized, name: str, kind: Any, **range_: Any) -> Any:
    """A slider that sets the parameter when it is let go."""
    doc = owner.param[name].doc
    slider = kind(label=readable(name), value=getattr(owner, name), description=doc, **range_, **WIDE)
    slider.param.watch(lambda e: owner.param.update(**{name: e.new}), "value_throttled")
    owner.param.watch(lambda e: slider.param.update(value=e.new), name)
    return slider


def decades(owner: param.Parameterized, name: str) -> Any:
    """A slider over powers of ten; its label shows the value itself."""
    low, high = owner.param[name].bounds
    start = max(math.log10(low) if low else -6.0, -6.0)
    end = math.log10(high) if high and math.isfinite(high) else 4.0
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
    slider.param.watch(lambda e: slider.param.update(label=label(10**e.new)), "value")
    slider.param.watch(lambda e: owner.param.update(**{name: float(f"{10**e.new:.4g}")}), "value_throttled")
    owner.param.watch(lambda e: slider.param.update(value=position(e.new), label=label(e.new)), name)
    return slider


def group(owner: param.Parameterized, hidden: tuple[str, ...] = ()) -> list[Any]:
    """Widgets for all settings of one record."""
    return [widget(owner, name) for name in owner.param if name != "name" and name not in hidden]


class Controls(pn.viewable.Viewer):
    """All choices of a session."""

    def __init__(self, session: Session, hidden: tuple[str, ...] = (), **params: Any) -> None:
        super().__init__(**params)
        self.session = session
        self.hidden = hidden
        self.column = pn.Column(sizing_mode="stretch_width", margin=0)
        self.reasons = pn.pane.HTML("", sizing_mode="stretch_width", margin=(0, 8))
        self.watchers = [session.param.watch(lambda *_: self.fill(), ["data", "settings"])]
        self.watchers.append(session.param.watch(lambda *_: self.grey(), ["tick", "scaling", "penalty", "loss"]))
        self.fill()

    def fill(self) -> None:
        """Make the widgets for the current task and learner."""
        session = self.session
        titles = {task.title: task.name for task in TASKS}
        task = pmui.Select(label="Task", options=titles, value=session.task, description=session.param.task.doc, **WIDE)
        task.param.watch(lambda e: session.param.update(task=e.new), "value")
        names = {by_name(n).title: n for n in session.param.learner.objects}
        self.learner = pmui.Select(
            label="Learner", options=names, value=session.learner, description=session.param.learner.doc, **WIDE
        )
        self.learner.param.watch(lambda e: session.param.update(learner=e.new), "value")
        about = pmui.Typography(task_named(session.task).help, variant="body2", margin=(0, 8))
        objective = [widget(session, name) for name in ("loss", "scaling", "penalty", "oracle", "predictor")]
        parts = {
            "Data": [task, about, *group(session.data)],
            "Objective": objective,
            "Learner": [
                self.learner,
                self.reasons,
                *group(session.settings, ("qp_tolerance",)),
                widget(session, "seed"),
            ],
            "Stopping": group(session.rule),
        }
        if session.own is not None:
            parts = {"Learner": parts["Learner"], "Stopping": parts["Stopping"]}
        shown = [(title, pn.Column(*ws, margin=0)) for title, ws in parts.items() if title.lower() not in self.hidden]
        first = [j for j, (title, _) in enumerate(shown) if title != "Stopping"]
        small = {
            "& .MuiAccordionSummary-root *": {"fontSize": "1rem"},
            "& .MuiAccordionSummary-root": {"minHeight": 40},
        }
        cards = [pmui.Accordion(*shown, active=first, sizing_mode="stretch_width", margin=(0, 4), sx=small)]
        self.column[:] = cards
        self.grey()

    def grey(self) -> None:
        """Disable the learners that refuse this problem, and say why."""
        refused = self.session.refusals()
        self.learner.disabled_options = [n for n in refused if n != self.session.learner]
        rows = "".join(f"<li><b>{escape(by_name(n).title)}</b>: {escape(r)}</li>" for n, r in refused.items())
        text = (
            f"<details class='refused'><summary>{len(refused)} learners not for this</summary><ul>{rows}</ul></details>"
        )
        self.reasons.object = text if refused else ""

    def close(self) -> None:
        """Stop listening to the session."""
        for watcher in self.watchers:
            self.session.param.unwatch(watcher)

    def __panel__(self) -> Any:
        return self.column
