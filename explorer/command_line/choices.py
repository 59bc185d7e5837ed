"""From the words of a command line to a problem, a learner and a rule, and to a recipe that can be saved.

A task of the catalogue is described by a Recipe. A problem of the user's own, `file.py:name`, is Python:
its recipe only names it, and a saved run goes on when the same file is given again. Values are read as the
type of the setting that they are for, and checked by the same knobs that the page uses.
"""

import importlib.util
import re
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from explorer.command_line.files import file_problem, is_data_file
from explorer.engine.catalogue.recipe import Recipe, made
from explorer.engine.catalogue.tasks import Task, task_named
from explorer.engine.contracts import Dataset, Learner, Problem, lacking, oracle_kind
from explorer.engine.knobs import parse_settings
from explorer.engine.learners import by_name
from explorer.engine.refusals import Refused
from explorer.engine.runs import saved as bundle
from explorer.engine.runs.streams import Until
from explorer.engine.runs.trace import Trace

OWN = re.compile(r"(?P<file>.+\.py):(?P<name>\w+)")
RULES = ("relative_gap", "gap", "passes", "seconds", "steps")
PLAIN = ("loss", "oracle", "predictor", "scaling", "penalty")


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """Everything that a run needs, and what it is called when saved."""

    problem: Problem
    test: Dataset | None
    learner: Learner
    rule: Until
    seed: int
    recipe: Mapping[str, Any]
    trace: Trace
    state: Mapping[str, Any] | None

    @property
    def name(self) -> str:
        """What it trains on."""
        return str(self.recipe.get("task") or self.recipe["own"])


def choice_options(command: ArgumentParser) -> None:
    """The options that say what is trained."""
    run = command.add_argument_group("what is trained")
    run.add_argument("--learner", metavar="NAME", help="see `explorer tasks --learners`")
    run.add_argument("--C", type=float, metavar="X", help="price of the mean slack; short for --set C=X")
    run.add_argument("--loss", metavar="NAME", help="see `explorer tasks TASK`")
    run.add_argument("--oracle", metavar="NAME", help="finds the most violated labelling in training")
    run.add_argument("--predictor", metavar="NAME", help="finds the best labelling afterwards")
    run.add_argument("--scaling", metavar="NAME", help="what the loss scales: margin or slack")
    run.add_argument("--penalty", metavar="NAME", help="what a slack costs: linear or squared")
    run.add_argument("--seed", type=int, metavar="N", help="of the learner's random choices")
    run.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of the learner"
    )
    run.add_argument(
        "--data", action="append", default=[], metavar="NAME=VALUE", help="a setting of the data"
    )
    run.add_argument(
        "--model", action="append", default=[], metavar="NAME=VALUE", help="of the problem made of them"
    )


def chosen(args: Namespace) -> Chosen:
    """What the arguments of `train` ask for."""
    before = bundle.load(args.resume) if args.resume else None
    task = args.task or (before.recipe.get("task", "") if before else "")
    if not task:
        own = before.recipe.get("own") if before else None
        say = f"give {own} again" if own else "name a task, see `explorer tasks`"
        raise Refused(f"it is not known what to train; {say}")
    if is_data_file(str(task)):
        return file_run(args, Path(task), before)
    found = OWN.fullmatch(str(task))
    return own_run(args, found, before) if found else catalogue_run(args, str(task), before)


def catalogue_run(args: Namespace, task: str, before: bundle.SavedRun | None) -> Chosen:
    """A run of the catalogue, anew or from a saved one."""
    chosen = task_named(task)
    base = None if before is None else recipe_of(before)
    said: dict[str, Any] = {} if base is None else base.plain()
    learner = args.learner or said.get("learner", chosen.learner)
    if base is not None:
        check_same(base, task=chosen, learner=learner, seed=base.seed if args.seed is None else args.seed)
    parts = {
        **problem_settings(chosen, args),
        "settings": settings(args, by_name(learner)),
        "rule": given(args, RULES),
    }
    said |= {name: {**said.get(name, {}), **values} for name, values in parts.items()}
    recipe = Recipe(**said | {"task": chosen, "learner": learner} | given(args, (*PLAIN, "seed")))
    if base is not None:
        check_same(base, data=recipe.data, model=recipe.model)
    problem, test = recipe.problem()
    trace, state = continued(before, problem)
    return Chosen(
        problem, test, recipe.make_learner(), recipe.make_rule(), recipe.seed, recipe.plain(), trace, state
    )


def own_run(args: Namespace, task: re.Match[str], before: bundle.SavedRun | None) -> Chosen:
    """A run of the user's own problem, anew or from a saved one."""
    for option in (*PLAIN, "data", "model"):
        if getattr(args, option):
            raise Refused(f"--{option} is for the tasks of the catalogue; set it in {task['file']} instead")
    base = own_base(args, f"{Path(task['file']).name}:{task['name']}", before)
    return named_run(args, base, before, *own_problem(Path(task["file"]), task["name"]))


def file_run(args: Namespace, path: Path, before: bundle.SavedRun | None) -> Chosen:
    """A run on a data file, anew or from a saved one."""
    for option in ("loss", "scaling", "penalty", "data", "model"):
        if getattr(args, option):
            plain = "the Hamming loss of its labels, or the pairwise loss of its clusters"
            raise Refused(f"--{option} is for the tasks of the catalogue; a file is trained with {plain}")
    base = own_base(args, path.name, before)
    return named_run(args, base, before, file_problem(path, args.oracle, args.predictor), None)


def own_base(args: Namespace, name: str, before: bundle.SavedRun | None) -> Mapping[str, Any]:
    """What is known of a run outside the catalogue; a saved one must have the same name."""
    base = {"own": name} if before is None else before.recipe
    if base.get("own") != name:
        raise Refused(f"{args.resume} is not a run of {name}; give the file and name that it was made with")
    return base


def named_run(
    args: Namespace,
    base: Mapping[str, Any],
    before: bundle.SavedRun | None,
    problem: Problem,
    test: Dataset | None,
) -> Chosen:
    """A run of a problem that a recipe can only name."""
    recipe = own_recipe(args, base, "one-slack" if problem.n else "bundle")
    learner = made(by_name(recipe["learner"]), recipe["settings"])
    trace, state = continued(before, problem)
    return Chosen(problem, test, learner, made(Until, recipe["rule"]), recipe["seed"], recipe, trace, state)


def own_recipe(args: Namespace, base: Mapping[str, Any], first: str) -> dict[str, Any]:
    """What can be said about a run of the user's own problem: everything but the problem."""
    learner = args.learner or base.get("learner", first)
    if learner != base.get("learner", learner):
        raise Refused(f"the saved run was made by {base['learner']}; start anew without --resume")
    values = {**base.get("settings", {}), **settings(args, by_name(learner))}
    rule = {**base.get("rule", {}), **given(args, RULES)}
    return {
        "own": base["own"],
        "learner": learner,
        "settings": asdict(made(by_name(learner), values)),
        "seed": base.get("seed", 0) if args.seed is None else args.seed,
        "rule": asdict(made(Until, rule)),
    }


def recipe_of(saved: bundle.SavedRun) -> Recipe:
    """The recipe of a saved run of the catalogue."""
    if "own" in saved.recipe:
        raise Refused(f"this is a run of your own {saved.recipe['own']}; give that file and name as the task")
    return Recipe.read(saved.recipe)


def check_same(base: Recipe, **asked: Any) -> None:
    """A keyframe belongs to its task, data, learner and seed; everything else may change."""
    for name, value in asked.items():
        if value != getattr(base, name):
            raise Refused(
                f"the saved run is of another {name}; a run can go on with other settings, another loss or "
                "stopping rule, but not with that: start anew without --resume"
            )


def continued(before: bundle.SavedRun | None, problem: Problem) -> tuple[Trace, Mapping[str, Any] | None]:
    """The trace to add to and the keyframe to go on from."""
    if before is None:
        return Trace(), None
    trace = before.trace
    state = trace.keyframe()[1] if len(trace) else None
    if not state or not trace.starts:
        raise Refused("the saved run holds no keyframe to go on from; start anew without --resume")
    started = trace.starts[-1][1]
    if (started.n, started.dim) != (problem.n, problem.dim):
        raise Refused(
            f"the saved run has {started.n} examples and {started.dim} weights, this problem {problem.n} and "
            f"{problem.dim}; give the problem that it was made with"
        )
    if started.relaxed and oracle_kind(problem) != "over":
        raise Refused(
            "the saved run was trained with a relaxed oracle, whose fractional cuts bound nothing under "
            "another; "
            "keep that oracle, or start anew without --resume"
        )
    return trace, state


def own_problem(path: Path, name: str) -> tuple[Problem, Dataset | None]:
    """The problem that a user's file calls `name`, or that this function returns; with test data if any."""
    found = getattr(loaded(path), name, None)
    if found is None:
        raise Refused(f"{path} has nothing called {name}; name a problem, or a function that makes one")
    if callable(found) and lacking(found):
        found = found()
    problem, test = found if isinstance(found, tuple) and len(found) == 2 else (found, None)
    missing = lacking(problem)
    if missing:
        raise Refused(
            f"{name} in {path} is of type {type(problem).__name__}, without {missing[0]}; make it a Problem, "
            "or a pair of a Problem and a test Dataset"
        )
    if test is not None and not isinstance(test, Dataset):
        raise Refused(
            f"{name} in {path} comes with test data of type {type(test).__name__}; make it a Dataset"
        )
    return problem, test


def loaded(path: Path) -> Any:
    """The module in a user's file, run once."""
    if not path.is_file():
        raise Refused(f"there is no file {path}; give the path of a Python file")
    spec = importlib.util.spec_from_file_location(f"own_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise Refused(f"{path} cannot be imported; give the path of a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    sys.path.insert(0, str(path.resolve().parent))
    spec.loader.exec_module(module)
    return module


def given(args: Namespace, names: Sequence[str]) -> dict[str, Any]:
    """The options that were given at all."""
    return {name: getattr(args, name) for name in names if getattr(args, name) is not None}


def problem_settings(task: Task, args: Namespace) -> dict[str, dict[str, Any]]:
    """--data and --model; the first takes settings of the model too, as it did when they were one."""
    names = {f.name for f in fields(task.model)}
    moved = [text for text in args.data if text.partition("=")[0].strip() in names]
    kind, data = type(task.model), [text for text in args.data if text not in moved]
    model = parse_settings(kind, moved, "--data ") | parse_settings(kind, args.model, "--model ")
    return {"data": parse_settings(task.data, data, "--data "), "model": model}


def settings(args: Namespace, learner: type) -> dict[str, Any]:
    """--C and every --set, as the learner's settings."""
    return parse_settings(learner, args.set, "--set ") | given(args, ("C",))
