"""The whole state of a page as a query string, and back: every setting, the seed, the cursor and the layout.

    ?v=1&task=digit-words&data.n=100&...&learner=one-slack&set.C=20&...&rule.gap=0&cursor=42&view=trellis&theme=dark

Every field is written, defaults included, so that a link still shows the same page when defaults change; parts that begin with
`see.` are choices inside the views, which the page reads. Reading never fails as a whole: what cannot be used is left at its
default and reported, each with one sentence.
"""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.refusals import Refused

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
    pairs: list[tuple[str, Any]] = [("v", VERSION)]
    pairs += [(name, getattr(recipe, name)) for name in CHOICES]
    for prefix, group in GROUPS.items():
        pairs += [(f"{prefix}.{name}", value) for name, value in getattr(recipe, group).items()]
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
    said: dict[str, Any] = {} if set(pairs) - set(LAYOUT) else FIRST.plain()
    for name in CHOICES:
        if name in pairs:
            said = _tried(said, name, pairs.pop(name), problems)
    for prefix, group in GROUPS.items():
        for key in [k for k in pairs if k.startswith(f"{prefix}.")]:
            said = _tried_setting(said, group, key.partition(".")[2], pairs.pop(key), problems)
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
    return Link(Recipe(**said), layout, tuple(problems), see)


def _like(default: Any, text: str) -> Any:
    """The text as a value of the default's kind; None when it is not one."""
    if isinstance(default, bool):
        return {"True": True, "False": False}.get(text)
    try:
        return type(default)(text)
    except ValueError:
        return None


def _tried(said: dict[str, Any], name: str, text: str, problems: list[str]) -> dict[str, Any]:
    """What was said with one more choice, or unchanged and a sentence."""
    value = _like(0 if name == "seed" else "", text)
    if value is None:
        problems.append(f"The link's {name} was left out: {name} cannot be {text[:40]!r}.")
        return said
    return _checked(said, said | {name: value}, name, problems)


def _tried_setting(said: dict[str, Any], group: str, name: str, text: str, problems: list[str]) -> dict[str, Any]:
    """What was said with one more setting of the data, the learner or the rule, or unchanged and a sentence."""
    defaults = getattr(Recipe(**said), group)
    value = _like(defaults[name], text) if name in defaults else text
    if value is None:
        problems.append(f"The link's {name[:40]} was left out: {name} cannot be {text[:40]!r}.")
        return said
    return _checked(said, said | {group: {**said.get(group, {}), name: value}}, name, problems)


def _checked(before: dict[str, Any], after: dict[str, Any], name: str, problems: list[str]) -> dict[str, Any]:
    """What is said afterwards if a recipe can be made of it, else what was said before."""
    try:
        Recipe(**after)
    except Refused as refusal:
        problems.append(f"The link's {name[:40]} was left out: {refusal}.")
        return before
    return after


def command_line(recipe: Recipe) -> str:
    """The same run as a shell command."""
    words = ["explorer", "train", recipe.task.name]
    for name in ("learner", "loss", "scaling", "penalty", "oracle", "predictor", "seed"):
        words += [f"--{name}", str(getattr(recipe, name))]
    for option, group in (("--data", recipe.data), ("--set", recipe.settings)):
        for name, value in group.items():
            words += [option, f"{name}={value}"]
    for name, value in recipe.rule.items():
        words += ["--" + name.replace("_", "-"), str(value)] if value else []
    return shlex.join(words)


def notebook_cell(recipe: Recipe) -> str:
    """The same page as a notebook cell."""
    inside = ",\n    ".join(f"{name}={value!r}" for name, value in recipe.plain().items())
    return f"import explorer\n\nexplorer.explore(explorer.Recipe(\n    {inside},\n))"
