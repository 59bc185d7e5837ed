"""A recipe as parts of a link, and back: the choices by name, and every setting of data, model, learner and
stopping rule.

    task=digit-words&loss=hamming&...&seed=0&data.n=100&...&model.form=dual&...&set.C=20.0&...&rule.gap=0.0

Every setting is written, defaults included, so that a link still shows the same run when defaults change.
"""

from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.catalogue.tasks import Task, task_named
from explorer.engine.knobs import parse, parse_setting
from explorer.engine.refusals import Refused
from explorer.session.links.codec import Reading
from explorer.session.links.files import file_parts, take_file

CHOICES = ("task", "loss", "scaling", "penalty", "oracle", "predictor", "learner", "seed")
GROUPS = {
    "data.": ("data", "data"),
    "model.": ("model", "model"),
    "set.": ("settings", "learner"),
    "rule.": ("rule", "rule"),
}
"""By prefix: the settings of a recipe, and which of its records they belong to."""


def recipe_parts(recipe: Recipe) -> dict[str, Any]:
    """What a link says of a recipe, by the names of its parts."""
    parts = {name: getattr(recipe, name) for name in CHOICES}
    for prefix, (group, _) in GROUPS.items():
        parts |= {prefix + name: value for name, value in getattr(recipe, group).items()}
    return parts | file_parts(recipe.task)


def take_recipe(
    said: Reading,
    opened: Iterable[Task] = (),
    choices: Iterable[str] = CHOICES,
    groups: Iterable[str] = GROUPS,
) -> Recipe | None:
    """The recipe of a link, without what is refused; None if it says nothing of one.

    A link names tasks of the catalogue and those that were `opened` where it is read: it opens no file.
    """
    texts = {("", name): said.texts.pop(name) for name in choices if name in said.texts}
    texts |= {(prefix, name): text for prefix in groups for name, text in said.take_group(prefix).items()}
    chosen: dict[str, Any] = {}
    for (prefix, name), text in texts.items():
        try:
            chosen = _with(chosen, prefix, name, text, opened)
        except Refused as refusal:
            said.leave_out(name, refusal)
    take_file(said, chosen.get("task"))
    return Recipe(**chosen) if texts else None


def _with(
    chosen: dict[str, Any], prefix: str, name: str, text: str, opened: Iterable[Task]
) -> dict[str, Any]:
    """The choices with one more of them, or with one more setting of a group; refused if that makes no
    recipe.
    """
    if prefix:
        records = Recipe(**chosen).records
        # Earlier versions wrote settings of the model among those of the data.
        moved = prefix == "data." and name in {f.name for f in fields(records.model)}
        group, record = GROUPS["model." if moved else prefix]
        value = parse_setting(type(getattr(records, record)), name, text)
        wider = {**chosen, group: {**chosen.get(group, {}), name: value}}
    elif name == "task":
        wider = {**chosen, name: task_named(text, opened)}
    else:
        wider = {**chosen, name: parse(text, int if name == "seed" else str, name)}
    Recipe(**wider)
    return wider


__all__ = ["CHOICES", "GROUPS", "recipe_parts", "take_recipe"]
