"""A recipe as parts of a link, and back: the choices by name, and every setting of the data, the learner and
the stopping rule.

    task=digit-words&loss=hamming&...&seed=0&data.n=100&...&set.C=20.0&...&rule.relative_gap=0.001&...

Every setting is written, defaults included, so that a link still shows the same run when defaults change.
"""

from collections.abc import Iterable
from typing import Any

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.knobs import parse, parse_setting
from explorer.engine.refusals import Refused
from explorer.session.links.codec import Reading

CHOICES = ("task", "loss", "scaling", "penalty", "oracle", "predictor", "learner", "seed")
GROUPS = {"data.": ("data", "data"), "set.": ("settings", "learner"), "rule.": ("rule", "rule")}
"""By prefix: the settings of a recipe, and which of its records they belong to."""


def recipe_parts(recipe: Recipe) -> dict[str, Any]:
    """What a link says of a recipe, by the names of its parts."""
    parts = {name: getattr(recipe, name) for name in CHOICES}
    for prefix, (group, _) in GROUPS.items():
        parts |= {prefix + name: value for name, value in getattr(recipe, group).items()}
    return parts


def take_recipe(
    said: Reading, choices: Iterable[str] = CHOICES, groups: Iterable[str] = GROUPS
) -> Recipe | None:
    """The recipe of a link, without what is refused; None if it says nothing of one."""
    texts = {("", name): said.texts.pop(name) for name in choices if name in said.texts}
    texts |= {(prefix, name): text for prefix in groups for name, text in said.take_group(prefix).items()}
    chosen: dict[str, Any] = {}
    for (prefix, name), text in texts.items():
        try:
            chosen = _with(chosen, prefix, name, text)
        except Refused as refusal:
            said.leave_out(name, refusal)
    return Recipe(**chosen) if texts else None


def _with(chosen: dict[str, Any], prefix: str, name: str, text: str) -> dict[str, Any]:
    """The choices with one more of them, or with one more setting of a group; refused if that makes no
    recipe.
    """
    if prefix:
        group, record = GROUPS[prefix]
        value = parse_setting(type(getattr(Recipe(**chosen).records, record)), name, text)
        wider = {**chosen, group: {**chosen.get(group, {}), name: value}}
    else:
        wider = {**chosen, name: parse(text, int if name == "seed" else str, name)}
    Recipe(**wider)
    return wider


__all__ = ["CHOICES", "GROUPS", "recipe_parts", "take_recipe"]
