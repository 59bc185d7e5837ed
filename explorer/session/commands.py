"""What a page shows as text to take away: shell commands, and notebook cells that run the same."""

import shlex
from collections.abc import Mapping
from typing import Any

from explorer.engine.catalogue.python import HERE
from explorer.engine.catalogue.recipe import Recipe
from explorer.session.race import CLOCKS, Setup
from explorer.session.study_store import settings
from explorer.studies import study_named


def train_command(recipe: Recipe) -> str:
    """A run as a shell command."""
    words = ["explorer", "train", recipe.task.name]
    for name in ("learner", "loss", "scaling", "penalty", "oracle", "predictor", "seed"):
        words += [f"--{name}", str(getattr(recipe, name))]
    for option, values in (("--data", recipe.data), ("--model", recipe.model), ("--set", recipe.settings)):
        words += _options(option, values)
    for name, value in recipe.rule.items():
        words += ["--" + name.replace("_", "-"), str(value)] if value else []
    return shlex.join(words)


def race_commands(setup: Setup) -> str:
    """The runs of a race as shell commands, one for each learner."""
    return "\n".join(map(train_command, setup.lanes().values()))


def study_command(study: str, knobs: Mapping[str, Any]) -> str:
    """A study as a shell command: what differs from the source's settings."""
    usual = settings(study_named(study)())
    changed = {name: value for name, value in knobs.items() if value != usual[name]}
    return shlex.join(["explorer", "reproduce", study, *_options("--set", changed)])


def _options(option: str, values: Mapping[str, Any]) -> list[str]:
    """Settings as words of a command."""
    return [word for name, value in values.items() for word in (option, f"{name}={value}")]


def studio_cell(recipe: Recipe) -> str:
    """A cell that shows the studio with the same run; a problem of this process is called `problem` there."""
    choices = recipe.plain()
    name = choices.pop("task")
    first = "problem" if name.endswith(HERE) else repr(name)
    inside = ",\n    ".join([first, *(f"{name}={value!r}" for name, value in choices.items())])
    return f"import explorer\n\nexplorer.explore(explorer.Recipe.of(\n    {inside},\n))"


CELL = """import numpy as np

from explorer import Recipe, Trace, train
from explorer.engine.runs.streams import lockstep

same = {same}
settings = {settings}

recipes = {{name: Recipe.of(**same, learner=name, settings=chosen) for name, chosen in settings.items()}}
problem, test = next(iter(recipes.values())).problem()
runs = {{
    name: train(
        problem, recipe.make_learner(), seed=recipe.seed, rule=recipe.make_rule(), test=test, look_every=2.0
    )
    for name, recipe in recipes.items()
}}
traces = {{name: Trace() for name in runs}}
for name, event in lockstep(runs, by={clock!r}):
    traces[name].append(event)
for name, trace in traces.items():
    best = np.fmin.reduce(trace.column("primal"))
    print(f"{{name}}: objective {{best:.6g}}; {{trace.stops[-1][1].sentence}}")"""


def race_cell(setup: Setup) -> str:
    """A cell that runs the same race and keeps every learner's trace."""
    recipes = [recipe.plain() for recipe in setup.lanes().values()]
    recipes[0] = {"what": recipes[0].pop("task"), **recipes[0]}
    own = {full.pop("learner"): full.pop("settings") for full in recipes}
    return CELL.format(same=_lines(recipes[0]), settings=_lines(own), clock=CLOCKS[setup.clock])


def _lines(record: Mapping[str, Any]) -> str:
    """A dictionary as Python, a line for each entry."""
    return "{\n" + "".join(f"    {name!r}: {value!r},\n" for name, value in record.items()) + "}"


__all__ = ["race_cell", "race_commands", "studio_cell", "study_command", "train_command"]
