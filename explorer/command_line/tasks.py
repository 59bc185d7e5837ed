"""`explorer tasks`: the tasks of the catalogue, one task in detail, and the learners with their settings."""

import textwrap
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator

from explorer.command_line.wording import pairs, setting_lines
from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.catalogue.tasks import TASKS, Task, task_of
from explorer.engine.contracts import Problem
from explorer.engine.learners import LEARNERS, name_of


def options(command: ArgumentParser) -> None:
    """One task, or the learners."""
    command.add_argument(
        "name", nargs="?", metavar="TASK", help="tell about this task or file, and which learners refuse it"
    )
    command.add_argument("--learners", action="store_true", help="list the learners with their settings")


def run(args: Namespace, say: Callable[[str], None]) -> int:
    """Say what there is to train, or with which learners."""
    for line in learners() if args.learners else one_task(args.name) if args.name else tasks():
        say(line)
    return 0


def tasks() -> Iterator[str]:
    """Every task: name, title, sentence, losses, and what it begins with."""
    for task in TASKS:
        yield f"{task.name:14} {task.title}. {task.help}"
        yield f"{'':14} losses: {', '.join(task.losses)}; oracles: {', '.join(task.oracles)}"
        yield f"{'':14} begins with {task.learner}, {pairs(task.settings)}"
    yield ""
    yield "`explorer tasks NAME` tells more about one, `explorer tasks --learners` about the learners."


def one_task(name: str) -> Iterator[str]:
    """A task, the settings of its data and model, and which learners take it; makes the data to find out."""
    task = task_of(name)
    problem, test = Recipe(task).problem()
    tests = "none" if test is None else len(test)
    yield f"{task.name}: {task.title}. {task.help}"
    yield f"  {problem.n} examples, {tests} to test on, {problem.dim} weights"
    yield f"  --loss    {', '.join(task.losses)}"
    yield f"  --oracle, --predictor    {', '.join(task.oracles)}"
    for line in setting_lines(task.data):
        yield f"  --data {line}"
    for line in setting_lines(task.model):
        yield f"  --model {line}"
    yield "  learners:"
    yield from answers(task, problem)


def answers(task: Task, problem: Problem) -> Iterator[str]:
    """Every learner, with the reason of those that refuse the task."""
    for learner in LEARNERS:
        reason = Recipe(task, learner=name_of(learner)).make_learner().refuses(problem)
        yield f"    {name_of(learner):18} {'refuses: ' + reason if reason else learner.title}"


def learners() -> Iterator[str]:
    """Every learner: name, title, paper, whether it certifies, and its settings."""
    for learner in LEARNERS:
        proof = "certifies its gap" if learner.certifies else "certifies nothing"
        yield f"{name_of(learner)}: {learner.title} ({learner.paper}); {proof}"
        for line in setting_lines(learner):
            yield from textwrap.wrap(line, 108, initial_indent="  --set ", subsequent_indent="        ")
