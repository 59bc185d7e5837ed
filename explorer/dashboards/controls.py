"""The left side of a studio: one widget per declared setting, each with its one-sentence tooltip.

Task, learner, C and loss are there at once; all the others are made when somebody asks for more. Widgets are
made from the session's parameters alone; a new knob in a learner or a data family shows up by itself.
Learners that refuse the problem are greyed in the menu and listed with their reasons. Sliders act when
released.
"""

import math
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from functools import partial
from html import escape
from typing import Any

import panel as pn
import panel_material_ui as pmui
import param
from bokeh.models import CustomJSTickFormatter

from explorer.engine.catalogue.oracle_names import oracle_named, spell
from explorer.engine.contracts import Problem
from explorer.engine.learners import by_name
from explorer.session.choices import Choices, refusals
from explorer.session.knobs import editable, values
from explorer.session.state import Session
from explorer.views.kit.depiction import depiction_of
from explorer.views.kit.drawing.theme import LIGHT, Theme
from explorer.views.kit.thumbnail import thumbnail

WIDE = {"sizing_mode": "stretch_width", "margin": (4, 8), "size": "small"}
SHOWN = {
    "C": "C (price of slack)",
    "eps": "eps (tolerance of a cut)",
    "n": "Examples",
    "n_test": "Test examples",
}
TITLES = {"data": "Data", "model": "Model", "objective": "Objective", "set": "Learner", "rule": "Stopping"}
FIRST = ("task", "about", "learner", "set.C", "loss")
"""What is shown at once; the rest is there for who asks for more."""

OPEN = ("data", "set")
"""The groups that are not folded when somebody asks for more."""

FOLDED = {
    "& .MuiAccordionSummary-root *": {"fontSize": "var(--type-text, 16px)"},
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
    if isinstance(declared, param.String):
        return pmui.TextInput.from_param(declared, **common)
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
        format=CustomJSTickFormatter(
            code="return Number((10 ** tick).toPrecision(3)).toLocaleString('en-US')"
        ),
        description=doc,
        **WIDE,
    )
    slider._debounce = PROMPT
    slider.param.watch(lambda e: slider.param.update(label=label(10**e.new)), "value")
    slider.param.watch(lambda e: owner.param.update(**{name: float(f"{10**e.new:.4g}")}), "value_throttled")
    owner.param.watch(lambda e: slider.param.update(value=position(e.new), label=label(e.new)), name)
    return slider


def makers(owner: param.Parameterized, prefix: str) -> dict[str, Callable[[], Any]]:
    """For each setting of a record, by the name that links give it, what makes its widget."""
    names = [name for name in owner.param if name not in ("name", "qp_tolerance")]
    return {f"{prefix}.{name}": partial(widget, owner, name) for name in names}


def group(owner: param.Parameterized, prefix: str) -> dict[str, Any]:
    """Widgets for all settings of one record, by the names that links give them."""
    return {name: make() for name, make in makers(owner, prefix).items()}


def oracle_choice(choices: Choices, name: str) -> Any:
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
    return pn.Column(menu, box, margin=0, sizing_mode="stretch_width")


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


def picture(problem: Problem, theme: Theme) -> str:
    """A small picture of the data as one element; empty where there is none."""
    drawn = thumbnail(problem, theme).replace("<svg ", "<svg xmlns='http://www.w3.org/2000/svg' ", 1)
    words, _ = depiction_of(problem).thumbnail(problem, theme, 0) if drawn else ("", "")
    data = b64encode(drawn.encode()).decode()
    style = "display:block;width:100%;border-radius:4px"
    return (
        f"<img alt='{escape(words)}' style='{style}' src='data:image/svg+xml;base64,{data}'>" if drawn else ""
    )


class Controls(pn.viewable.Viewer):
    """All choices of a session, but those that a lecturer hid.

    What is hidden keeps its value and is named as in links: a setting (`set.C`, `loss`) or a whole group
    (`data`, `set`). `files` makes the part for files, below the rest.
    """

    theme = param.Parameter(LIGHT)
    more = param.Boolean(
        False, doc="All other settings of data, objective, learner and stopping rule; files."
    )

    def __init__(
        self,
        session: Session,
        hidden: tuple[str, ...] = (),
        files: Callable[[], Any] | None = None,
        **params: Any,
    ) -> None:
        super().__init__(**params)
        self.session = session
        self.hidden, self.files = with_model(hidden), files
        self.picture = pn.pane.HTML("", sizing_mode="stretch_width", margin=(0, 8), height=122)
        self.reasons = pn.pane.HTML("", sizing_mode="stretch_width", margin=(0, 8))
        self.first = pn.Column(sizing_mode="stretch_width", margin=0)
        self.rest = pn.Column(sizing_mode="stretch_width", margin=0, visible=False)
        self.choices = choices = session.choices
        self.watchers = [
            (choices, choices.param.watch(lambda *_: self.fill(), ["data", "model", "settings"])),
            (choices, choices.param.watch(lambda *_: self.grey(), ["scaling", "penalty", "loss"])),
            (session, session.param.watch(lambda *_: self.grey(), ["tick"])),
        ]
        self.param.watch(lambda *_: self._unfold(), "more")
        self.param.watch(lambda *_: self._picture(), "theme")
        self.fill()

    def fill(self) -> None:
        """Make the widgets for the current task and learner: the first ones, and the others if they are
        asked for.
        """
        self._made: dict[str, Any] = {}
        groups = self._groups()
        self.first[:] = [self._widget(groups, name) for name in self._order(groups)]
        if "task" in self._made:
            self.first.insert(1, self.picture)
        self._checked: Problem | None = None
        self.grey()
        self._unfold()

    def _order(self, groups: Mapping[str, Mapping[str, Any]]) -> list[str]:
        """Which of the first widgets there are, in their order."""
        known = {name for members in groups.values() for name in members}
        return [name for name in FIRST if name in known]

    def _every(self) -> dict[str, dict[str, Callable[[], Any]]]:
        """What makes each widget of this task, by group and by its name in links."""
        groups = {"data": self._data, "model": self._model, "objective": self._objective}
        groups |= {"set": self._learner, "rule": self._rule}
        if self.choices.chosen_task.whole:
            groups.pop("objective")
        return {name: make() for name, make in groups.items()}

    def _groups(self) -> dict[str, dict[str, Callable[[], Any]]]:
        """The same without what is hidden."""
        return {
            name: {key: make for key, make in members.items() if key not in self.hidden}
            for name, members in self._every().items()
            if name not in self.hidden
        }

    def faults(self, hidden: Sequence[str]) -> list[str]:
        """A sentence for each name that hides nothing here."""
        known = {"files", *TITLES, *(name for members in self._every().values() for name in members)}
        return [
            f"The link hides {name[:40]!r}, which nothing here is called; a group ({', '.join(TITLES)}, "
            "files) or a setting as links name it (task, learner, set.C) can be hidden."
            for name in hidden
            if not with_model((name,)) & known
        ]

    def _widget(self, groups: Mapping[str, Mapping[str, Any]], name: str) -> Any:
        """A widget, made once."""
        if name not in self._made:
            self._made[name] = next(members[name] for members in groups.values() if name in members)()
        return self._made[name]

    @property
    def shown(self) -> dict[str, dict[str, Any]]:
        """Every widget by group and name; those that nobody has asked for yet are made."""
        groups = self._groups()
        return {
            title: {name: self._widget(groups, name) for name in members} for title, members in groups.items()
        }

    def _unfold(self) -> None:
        """Show the other settings, or put them away."""
        if self.more:
            rest = {
                title: [made for name, made in members.items() if name not in FIRST]
                for title, members in self.shown.items()
            }
            full = [title for title, members in rest.items() if members]
            cards = [(TITLES[title], pn.Column(*rest[title], margin=0)) for title in full]
            cards += [("Files", self.files())] if self.files is not None else []
            active = [j for j, title in enumerate(full) if title in OPEN]
            self.rest[:] = [
                pmui.Accordion(
                    *cards, active=active, sizing_mode="stretch_width", margin=(0, 4), sx=FOLDED, dynamic=True
                )
            ]
        self.rest.visible = self.more

    def _data(self) -> dict[str, Callable[[], Any]]:
        choices = self.choices

        def task() -> Any:
            titles = {task.title: name for name, task in choices.tasks.items()}
            made = pmui.Select(
                label="Task", options=titles, value=choices.task, description=choices.param.task.doc, **WIDE
            )
            made.param.watch(lambda e: choices.param.update(task=e.new), "value")
            return made

        def about() -> Any:
            return pmui.Typography(choices.chosen_task.help, variant="body2", margin=(4, 8))

        return {"task": task, "about": about, **makers(choices.data, "data")}

    def _model(self) -> dict[str, Callable[[], Any]]:
        return makers(self.choices.model, "model")

    def _objective(self) -> dict[str, Callable[[], Any]]:
        simple = {name: partial(widget, self.choices, name) for name in ("loss", "scaling", "penalty")}
        return simple | {name: partial(oracle_choice, self.choices, name) for name in ("oracle", "predictor")}

    def _learner(self) -> dict[str, Callable[[], Any]]:
        own = {"learner": self._learners, "reasons": lambda: self.reasons}
        return {**own, **makers(self.choices.settings, "set"), "seed": partial(widget, self.choices, "seed")}

    def _learners(self) -> Any:
        choices = self.choices
        names = {by_name(n).title: n for n in choices.param.learner.objects}
        doc = choices.param.learner.doc
        made = pmui.Select(label="Learner", options=names, value=choices.learner, description=doc, **WIDE)
        made.param.watch(lambda e: choices.param.update(learner=e.new), "value")
        return made

    def _rule(self) -> dict[str, Callable[[], Any]]:
        return makers(self.choices.rule, "rule")

    def grey(self) -> None:
        """Another problem: draw it, disable the learners that refuse it, and say why."""
        if self.session.problem is self._checked:
            return
        self._checked = self.session.problem
        self._picture()
        if "learner" in self._made:
            refused = refusals(self.session.problem)
            self._made["learner"].disabled_options = [n for n in refused if n != self.choices.learner]
            self.reasons.object = refusing_learners(refused)

    def _picture(self) -> None:
        """Draw the data, where the task is shown."""
        if "task" in self._made:
            self.picture.object = picture(self.session.problem, self.theme)
            self.picture.visible = bool(self.picture.object)

    def close(self) -> None:
        """Stop listening to the session."""
        for watched, watcher in self.watchers:
            watched.param.unwatch(watcher)

    def __panel__(self) -> Any:
        button = pmui.Toggle.from_param(
            self.param.more,
            label="More settings",
            icon="tune",
            size="small",
            variant="text",
            description="",
            margin=(4, 8),
        )
        return pn.Column(self.first, button, self.rest, sizing_mode="stretch_width", margin=0)
