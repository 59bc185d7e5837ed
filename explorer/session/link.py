"""The whole state of a page as a query string, and back: every setting, the seed, the cursor and the layout.

    ?v=1&task=digit-words&data.n=100&...&learner=one-slack&set.C=20&...&rule.gap=0&cursor=42&view=trellis&theme=dark

Every field is written, defaults included, so that a link still shows the same page when defaults change; parts that begin with
`see.` are choices inside the views, which the page reads. Reading never fails as a whole: what cannot be used is left at its
default and reported, each with one sentence.
"""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any
from urllib.parse import parse_qsl, urlencode

from explorer.engine.catalogue.tasks import Recipe, made, task_named
from explorer.engine.learners import by_name
from explorer.engine.refusals import Refused
from explorer.engine.runs.streams import Until

VERSION = 1
LONGEST = 8000
"""A longer query is not read."""

CHOICES = ("task", "loss", "scaling", "penalty", "oracle", "predictor", "learner", "seed")
GROUPS = {"data": "data", "set": "settings", "rule": "rule"}
LAYOUT: Mapping[str, Any] = {
    "cursor": -1,
    "example": 0,
    "split": "training",
    "view": "trellis",
    "theme": "light",
    "clock": "iteration",
    "log": True,
    "phase": 0,
    "speed": 0.0,
    "hide": "",
}
SEE = "see."


@dataclass(frozen=True, slots=True)
class Link:
    """What a query string says: the recipe, the layout, and what could not be read."""

    recipe: Recipe
    layout: Mapping[str, Any] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    see: Mapping[str, str] = field(default_factory=dict)


def query(recipe: Recipe, layout: Mapping[str, Any], see: Mapping[str, str] | None = None) -> str:
    """The query string of a page, without the question mark; `see` holds the choices inside its views."""
    full = recipe.filled()
    pairs: list[tuple[str, Any]] = [("v", VERSION)]
    pairs += [(name, getattr(full, name)) for name in CHOICES]
    for prefix, group in GROUPS.items():
        pairs += [(f"{prefix}.{name}", value) for name, value in getattr(full, group).items()]
    pairs += [(name, layout.get(name, default)) for name, default in LAYOUT.items()]
    pairs += [(SEE + name, value) for name, value in sorted((see or {}).items())]
    return urlencode(pairs)


FIRST = Recipe(rule={"relative_gap": 0.005})
"""What an address without choices shows: the eye can tell no more than half a percent, and changes are answered at once."""


def read(text: str) -> Link:
    """The recipe and layout of a query string; unusable parts are left out and listed."""
    text = text.removeprefix("?")
    if len(text) > LONGEST:
        return Link(FIRST, dict(LAYOUT), (f"The link is longer than {LONGEST} characters; the default page is shown.",))
    pairs = dict(parse_qsl(text, keep_blank_values=True))
    problems: list[str] = []
    version = pairs.pop("v", str(VERSION))
    if version != str(VERSION):
        problems.append(
            f"The link is of version {version[:20]}, this program reads version {VERSION}; what fits is used."
        )
    see = {name.removeprefix(SEE): pairs.pop(name) for name in [*pairs] if name.startswith(SEE)}
    recipe = Recipe() if set(pairs) - set(LAYOUT) else FIRST
    for name in CHOICES:
        if name in pairs:
            recipe = _tried(recipe, name, pairs.pop(name), problems)
    for prefix, group in GROUPS.items():
        for key in [k for k in pairs if k.startswith(f"{prefix}.")]:
            recipe = _tried_setting(recipe, group, key.partition(".")[2], pairs.pop(key), problems)
    layout = dict(LAYOUT)
    for name in LAYOUT:
        if name in pairs:
            text = pairs.pop(name)
            value = _like(LAYOUT[name], text)
            if value is None:
                problems.append(f"The link's {name} cannot be {text[:40]!r} and was left out.")
            else:
                layout[name] = value
    problems += [f"The link's part {name[:40]!r} is not known and was left out." for name in pairs]
    return Link(recipe, layout, tuple(problems), see)


def _like(default: Any, text: str) -> Any:
    """The text as a value of the default's kind; None when it is not one."""
    if isinstance(default, bool):
        return {"True": True, "False": False}.get(text)
    try:
        return type(default)(text)
    except ValueError:
        return None


def _tried(recipe: Recipe, name: str, text: str, problems: list[str]) -> Recipe:
    """The recipe with one more choice, or unchanged and a sentence."""
    value = _like(getattr(Recipe(seed=0), name), text)
    try:
        if value is None:
            raise Refused(f"{name} cannot be {text[:40]!r}")
        changed = replace(recipe, **{name: value})
        changed.filled()
    except Refused as refusal:
        problems.append(f"The link's {name} was left out: {refusal}.")
        return recipe
    return changed


def _tried_setting(recipe: Recipe, group: str, name: str, text: str, problems: list[str]) -> Recipe:
    """The recipe with one more setting of the data, the learner or the rule, or unchanged and a sentence."""
    full = recipe.filled()
    record = {"data": task_named(full.task).data, "settings": by_name(full.learner), "rule": Until}[group]
    defaults = {f.name: getattr(full, group).get(f.name) for f in fields(record)}
    try:
        if name not in defaults:
            made(record, {name: 0})
        value = _like(defaults[name], text)
        if value is None:
            raise Refused(f"{name} cannot be {text[:40]!r}")
        chosen = {**getattr(recipe, group), name: value}
        made(record, {**getattr(full, group), **chosen})
    except Refused as refusal:
        problems.append(f"The link's {name[:40]} was left out: {refusal}.")
        return recipe
    return replace(recipe, **{group: chosen})


def command_line(recipe: Recipe) -> str:
    """The same run as a shell command."""
    full = recipe.filled()
    words = ["explorer", "train", full.task]
    for name in ("learner", "loss", "scaling", "penalty", "oracle", "predictor", "seed"):
        words += [f"--{name}", str(getattr(full, name))]
    for option, group in (("--data", full.data), ("--set", full.settings)):
        for name, value in group.items():
            words += [option, f"{name}={value}"]
    for name, value in full.rule.items():
        words += ["--" + name.replace("_", "-"), str(value)] if value else []
    return shlex.join(words)


def notebook_cell(recipe: Recipe) -> str:
    """The same page as a notebook cell."""
    full = recipe.filled()
    given = {f.name: getattr(full, f.name) for f in fields(Recipe)}
    inside = ",\n    ".join(f"{name}={dict(v) if isinstance(v, Mapping) else v!r}" for name, v in given.items())
    return f"import explorer\n\nexplorer.explore(explorer.Recipe(\n    {inside},\n))"
