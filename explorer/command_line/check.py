"""`explorer check`: a saved run looked at again by code that did not train it; exit code 1 when something
disagrees.
"""

import math
import textwrap
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator

from explorer.command_line.choices import Chosen, chosen
from explorer.command_line.main import parser
from explorer.command_line.wording import clean, number
from explorer.engine.objective import HINGE, conventions
from explorer.engine.runs.second_look import second_look
from explorer.engine.runs.streams import price_of

WIDTH = 108
MARKS = {True: "agrees", False: "DIFFERS", None: ""}


def options(command: ArgumentParser) -> None:
    """Which run, and of what where the file does not say."""
    command.add_argument("run", metavar="RUN.zip", help="a file that `train --out` wrote")
    command.add_argument(
        "task", nargs="?", metavar="TASK", help="the file it was trained on, unless it is a task's run"
    )


def run(args: Namespace, say: Callable[[str], None]) -> int:
    """Look again at the last step of a saved run."""
    typed = ["train", *([args.task] if args.task else []), "--resume", args.run]
    found = chosen(parser(["train"]).parse_args(typed))
    task, last = clean(found.recipe.task), len(found.trace) - 1
    say(f"{task}: {found.problem.n} examples; {found.learner.title}, step {last}")
    agrees = True
    for look in second_look(found.problem, found.learner, found.trace):
        show(MARKS[look.holds], f"{look.title}: {clean(look.sentence)}", say)
        agrees = agrees and look.holds is not False
    for line in in_other_texts(found):
        show("", line, say)
    return 0 if agrees else 1


def show(mark: str, text: str, say: Callable[[str], None]) -> None:
    """A sentence beside its mark, on as many lines as it needs."""
    for k, line in enumerate(textwrap.wrap(text, WIDTH, break_on_hyphens=False)):
        say(f"{'' if k else mark:>8}  {line}")


def in_other_texts(found: Chosen) -> Iterator[str]:
    """The price of slack in every convention."""
    C, n = price_of(found.learner), found.problem.n
    if found.learner.objective is HINGE and n and math.isfinite(C):
        same = conventions(C, n)
        yield (
            f"C = {number(same.mean)} on the mean slack is {number(same.sum)} on the sum of slacks, "
            f"lambda = {number(same.lam)} on |w|^2 / 2 or {number(same.lam_unhalved)} on |w|^2, "
            f"and the regularisation {number(same.reg)} of hidden Markov SVMs"
        )
