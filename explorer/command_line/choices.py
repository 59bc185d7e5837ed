"""From the words of a command line to a recipe, and to a run that begins anew or goes on from a saved one.

Values are read as the type of the setting that they are for, and checked by the same knobs that the page
uses. A data file or a Python file is opened because the user names it; of a saved run only the data file is
looked for by itself.
"""

import atexit
import shutil
import sys
import tempfile
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from explorer.engine.catalogue.files import FORMATS, format_of
from explorer.engine.catalogue.formats.format import FileChoices
from explorer.engine.catalogue.recipe import FILE, Recipe
from explorer.engine.catalogue.tasks import Task, choices_in, measured_on, task_near, task_of
from explorer.engine.contracts import Dataset, Learner, Problem, is_relaxed
from explorer.engine.knobs import parse_settings
from explorer.engine.learners import by_name
from explorer.engine.refusals import Refused
from explorer.engine.runs import saved
from explorer.engine.runs.trace import Trace

RULES = ("relative_gap", "gap", "passes", "seconds", "steps")
PLAIN = ("loss", "oracle", "predictor", "scaling", "penalty", "seed")


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """Everything that a run needs: what is trained, the trace to add to, and the keyframe to go on from."""

    recipe: Recipe
    problem: Problem
    test: Dataset | None
    trace: Trace
    state: Mapping[str, Any] | None

    @property
    def learner(self) -> Learner:
        """Who trains."""
        return self.recipe.make_learner()


def choice_options(command: ArgumentParser) -> None:
    """The options that say what is trained."""
    run = command.add_argument_group("what is trained")
    run.add_argument("--format", metavar="ENDING", help="of what comes from stdin (TASK is -), such as conll")
    run.add_argument(
        "--test",
        metavar="FILE|SHARE",
        help="for a data file: another one to measure the loss on, or a share of it (0.2), drawn by --seed",
    )
    run.add_argument(
        "--label", metavar="NAME", help="the column or attribute with the label, of a table or graph"
    )
    run.add_argument(
        "--sequence", metavar="NAME", help="the column that tells the sequences of a table apart"
    )
    run.add_argument("--as", dest="kind", metavar="KIND", help="rows as classes, or as label-sets")
    run.add_argument(
        "--features",
        action="append",
        default=[],
        metavar="NAME=VALUE,...",
        help="which features are made of a data file, see `explorer tasks FILE`; short for --data",
    )
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


def recipe_of(args: Namespace) -> Chosen:
    """What the arguments of `train` ask for."""
    args.piped = args.task == "-"
    args.task = from_stdin(args.format) if args.piped else args.task
    before = saved.load(args.resume) if args.resume else None
    task = task_asked(args, before)
    base = None if before is None else read_base(args, before, task)
    recipe = recipe_asked(args, task, base)
    if base is not None:
        check_same(base, recipe)
    problem, test = recipe.problem()
    return Chosen(recipe, problem, test, *continuation(before, problem))


def from_stdin(ending: str | None) -> str:
    """A file with what comes from stdin, for as long as the program runs."""
    name = f"stdin.{(ending or '').lstrip('.')}"
    if format_of(name) is None:
        endings = ", ".join(suffix.lstrip(".") for known in FORMATS for suffix in known.suffixes)
        raise Refused(f"it is not known what comes from stdin; give --format, one of {endings}")
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    place = Path(folder) / name
    place.write_bytes(sys.stdin.buffer.read())
    return str(place)


def task_asked(args: Namespace, before: saved.SavedRun | None) -> Task:
    """The task that is named, or that of the saved run; a Python file must be named to be run."""
    file = FileChoices(**given_options(args, ("label", "sequence", "kind")))
    test = Path(args.test) if args.test and share(args.test) is None else None
    if args.task:
        if before is not None:
            test = test or measured_on(before.recipe, Path(args.resume))
            file = replace(choices_in(before.recipe), **given_options(args, ("label", "sequence", "kind")))
        called = Path(args.task).name if args.piped else ""
        return task_of(args.task, test, called, file)
    if before is None:
        raise Refused("it is not known what to train; name a task, see `explorer tasks`")
    return task_near(before.recipe, Path(args.resume), test=test)


def share(text: str | None) -> float | None:
    """The share of the examples that --test asks for; None where it names a file."""
    try:
        return float(text or "")
    except ValueError:
        return None


def read_base(args: Namespace, before: saved.SavedRun, task: Task) -> Recipe:
    """The recipe of a saved run of this task."""
    name = Recipe.named_in(before.recipe)
    if Path(name).name != Path(task.name).name:
        raise Refused(
            f"{args.resume} is a run of {name}, another task than {task}; "
            "name that one, or start anew without --resume"
        )
    return Recipe.read(before.recipe, [task])


def recipe_asked(args: Namespace, task: Task, base: Recipe | None) -> Recipe:
    """The choices of the saved run, where there is one, with those that are given."""
    said: dict[str, Any] = {} if base is None else base.plain()
    said.pop(FILE, None)
    learner = args.learner or said.get("learner", task.learner)
    if learner != said.get("learner", learner):
        said.pop("settings")
    parts = {
        **problem_settings(task, args),
        "settings": settings(args, by_name(learner)),
        "rule": given_options(args, RULES),
    }
    said |= {name: {**said.get(name, {}), **values} for name, values in parts.items()}
    return Recipe(**said | {"task": task, "learner": learner} | given_options(args, PLAIN))


def check_same(base: Recipe, recipe: Recipe) -> None:
    """A keyframe belongs to its data, model, learner and seed; everything else may change."""
    for name in ("data", "model", "learner", "seed"):
        if getattr(recipe, name) != getattr(base, name):
            raise Refused(
                f"the saved run is of another {name}; a run can go on with other settings, another loss or "
                "stopping rule, but not with that: start anew without --resume"
            )


def continuation(before: saved.SavedRun | None, problem: Problem) -> tuple[Trace, Mapping[str, Any] | None]:
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
    if started.relaxed and not is_relaxed(problem):
        raise Refused(
            "the saved run was trained with a relaxed oracle, whose fractional cuts bound nothing under "
            "another; keep that oracle, or start anew without --resume"
        )
    return trace, state


def given_options(args: Namespace, names: Sequence[str]) -> dict[str, Any]:
    """The options that were given at all."""
    return {name: getattr(args, name) for name in names if getattr(args, name) is not None}


def problem_settings(task: Task, args: Namespace) -> dict[str, dict[str, Any]]:
    """--data and --model; the first takes settings of the model too, as it did when they were one."""
    names = {f.name for f in fields(task.model)}
    moved = [text for text in args.data if text.partition("=")[0].strip() in names]
    kind, data = type(task.model), [text for text in args.data if text not in moved]
    model = parse_settings(kind, moved, "--data ") | parse_settings(kind, args.model, "--model ")
    features = [part for text in args.features for part in text.split(",") if part.strip()]
    found = parse_settings(task.data, data, "--data ") | parse_settings(task.data, features, "--features ")
    return {"data": found | kept_apart(args, task), "model": model}


def kept_apart(args: Namespace, task: Task) -> dict[str, Any]:
    """--test with a share, and --seed, which then draws the examples too."""
    part = share(args.test)
    if part is None:
        return {}
    if not format_of(task.name):
        raise Refused(
            f"a share of the examples can be kept apart of a data file; {task} has test data of its own"
        )
    return {"held_out": part} | ({} if args.seed is None else {"draw": args.seed})


def settings(args: Namespace, learner: type) -> dict[str, Any]:
    """--C and every --set, as the learner's settings."""
    return parse_settings(learner, args.set, "--set ") | given_options(args, ("C",))
