"""A studio as a query string, and back: the recipe, the layout of the page, and what was chosen inside the
views.

    task=digit-words&...&set.C=20.0&...&cursor=42&view=trellis&theme=dark&...
        &see.trellis.k_best=3&see.path.decades=-2.0:1.0

Recipe and layout are written with their defaults, so that a link still shows the same page when defaults
change; of the choices inside the views, only those that are not at their default. What they mean is known
when the view is made, so they are kept as text until then.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import param

from explorer.dashboards.address import THEME
from explorer.dashboards.studio.transport import SPEEDS
from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.catalogue.tasks import Task
from explorer.engine.knobs import parse
from explorer.session.links import codec
from explorer.session.links.codec import Part, Reading
from explorer.session.links.recipes import recipe_parts, take_recipe
from explorer.session.state import PHASES, Session
from explorer.views import VIEWS
from explorer.views.bounds.frame import CLOCKS
from explorer.views.kit.view import View

LONGEST = 8000
"""A longer query is not read; those of the studio name every setting of a run."""

PARTS = (
    Part("cursor", -1),
    Part("example", 0),
    Part("split", "training", menu=Session.param.split.objects),
    Part("view", "sequence", menu=[view.name_key for view in VIEWS]),
    THEME,
    Part("clock", "iteration", menu=CLOCKS),
    Part("log", True),
    Part("phase", 0, menu=range(len(PHASES))),
    Part("speed", 4.0, menu=SPEEDS.values()),
    Part("hide", ""),
)
CLASS = (Part("follow", ""), Part("lead", ""))
"""The class that a page follows or leads; only said where there is one."""

LAYOUT: dict[str, Any] = {part.name: part.default for part in PARTS}
SEE = "see."
RENAMED = {"most violated": "most tempting"}
"""What earlier links call a choice inside a view."""

FIRST = Recipe(learner="one-slack", settings={"C": 2.0}, rule={"relative_gap": 0.01})
"""What an address without choices shows: the textbook's method, in 60 steps."""

WATCHED = 63
"""The example that is shown then: it is read wrongly up to step 7, and rightly from step 8 on."""


@dataclass(frozen=True, slots=True)
class StudioLink:
    """What a query string says: the recipe, the layout, what could not be read, and choices inside views, as
    text.
    """

    recipe: Recipe
    layout: Mapping[str, Any] = field(default_factory=LAYOUT.copy)
    problems: tuple[str, ...] = ()
    see: Mapping[str, str] = field(default_factory=dict)
    attends: Mapping[str, str] = field(default_factory=dict)


def query(recipe: Recipe, layout: Mapping[str, Any], see: Mapping[str, str] | None = None) -> str:
    """The query string of a studio, without the question mark; `see` holds the choices inside its views."""
    inside = {SEE + name: value for name, value in sorted((see or {}).items())}
    return codec.query(recipe_parts(recipe) | LAYOUT | dict(layout) | inside)


def first_of(opened: Sequence[Task]) -> Recipe:
    """What is shown first."""
    return Recipe(opened[0]) if opened else FIRST


def read(text: str, opened: Sequence[Task] = (), first: Recipe | None = None) -> StudioLink:
    """The studio of a query string, and a sentence for each part that was left out.

    A link that says nothing of a recipe shows the `first` one, or the first task that was opened, if any.
    """
    said = Reading(text, "the default page", LONGEST)
    asked, see = take_recipe(said, opened), said.take_group(SEE)
    layout, attends = said.take_all(PARTS), said.take_all(CLASS)
    if asked is None and first is None and not opened and "example=" not in text:
        layout["example"] = WATCHED
    return StudioLink(asked or first or first_of(opened), layout, said.end(), see, attends)


def own_choices(view: View) -> dict[str, str]:
    """The view's own choices that differ from their defaults, by the names that links give them."""
    values = {name: getattr(view, name) for name in view.linked}
    return {
        f"{view.name_key}.{name}": choice_text(v)
        for name, v in values.items()
        if v != view.param[name].default
    }


def choice_text(value: Any) -> str:
    """A choice as text."""
    return ":".join(map(str, value)) if isinstance(value, tuple) else str(value)


def choose(view: View, see: dict[str, str]) -> list[str]:
    """Take up what a link says of this view; returns a sentence for each part that it cannot take."""
    faults = []
    for key in [key for key in see if key.partition(".")[0] == view.name_key]:
        name, text = key.partition(".")[2], see.pop(key)
        try:
            view.param.update(**{name: parameter_value(view.param[name], text)})
        except (ValueError, TypeError):
            faults.append(Part(key, view.param[name].default, writer=choice_text).fault(text))
    return faults


def parameter_value(declared: Any, text: str) -> Any:
    """The value of a view's parameter that a text stands for; ValueError where there is none."""
    if isinstance(declared, param.Selector):
        objects, text = list(declared.objects), RENAMED.get(text, text)
        return objects[[str(one) for one in objects].index(text)]
    if isinstance(declared, param.Range):
        return tuple(parse(end, float, declared.name) for end in text.split(":"))
    kind = (
        bool if isinstance(declared, param.Boolean) else int if isinstance(declared, param.Integer) else float
    )
    return parse(text, kind, declared.name)


def unknown(see: dict[str, str]) -> list[str]:
    """Take out the parts that no view has, and say of each that it was."""
    known = {f"{view.name_key}.{name}" for view in VIEWS for name in view.linked}
    strange = [key for key in see if key not in known]
    for key in strange:
        del see[key]
    return [codec.unknown(SEE + key) for key in strange]


__all__ = ["FIRST", "LAYOUT", "StudioLink", "choose", "own_choices", "query", "read", "unknown"]
