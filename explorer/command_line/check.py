"""`explorer check`: a saved run looked at again by code that did not train it, exit code 1 when something
disagrees; or a problem, a user's own above all, tried out before it is trained, exit code 2 when something is
wrong.

The last step of a run is also given to an independent solver, and both solutions are shown beside each other;
`--code` writes that program as Python which needs nothing but cvxpy.
"""

import math
import textwrap
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from pathlib import Path

from explorer.command_line.choices import Chosen, recipe_of
from explorer.command_line.main import parser
from explorer.command_line.wording import clean, number
from explorer.engine.objective import HINGE, conventions
from explorer.engine.refusals import Refused
from explorer.engine.runs.problem_check import check
from explorer.engine.runs.referee.claim import claim_of
from explorer.engine.runs.referee.code import code
from explorer.engine.runs.referee.compare import Comparison, Declined, compare
from explorer.engine.runs.referee.conditions import NAMES
from explorer.engine.runs.second_look import second_look
from explorer.engine.runs.streams import price_of

WIDTH = 108
MARKS = {True: "agrees", False: "DIFFERS", None: ""}

Say = Callable[[str], None]


def options(command: ArgumentParser) -> None:
    """Which run, and of what where the file does not say; or which problem."""
    command.add_argument(
        "run", metavar="RUN.zip|TASK", help="a file that `train --out` wrote, or a task, such as file.py:name"
    )
    command.add_argument(
        "task", nargs="?", metavar="TASK", help="the file it was trained on, unless it is a task's run"
    )
    command.add_argument(
        "--code",
        metavar="FILE.py",
        type=Path,
        help="write the program that cvxpy solved, as code: over all labellings if these can be listed",
    )


def run(args: Namespace, say: Say) -> int:
    """Look again at the last step of a saved run, or try a problem."""
    if Path(args.run).suffix != ".zip":
        return try_problem(args.run, say)
    typed = ["train", *([args.task] if args.task else []), "--resume", args.run]
    found = recipe_of(parser(["train"]).parse_args(typed))
    task, last = clean(found.recipe.task), len(found.trace) - 1
    say(f"{task}: {found.problem.n} examples; {found.learner.title}, step {last}")
    agrees = True
    for look in second_look(found.problem, found.learner, found.trace):
        show(MARKS[look.holds], f"{look.title}: {clean(look.sentence)}", say)
        agrees = agrees and look.holds is not False
    agrees = referee(found, args.code, say) and agrees
    for line in in_other_texts(found):
        show("", line, say)
    return 0 if agrees else 1


def try_problem(name: str, say: Say) -> int:
    """Try the problem of a task, and say what is wrong with it."""
    problem = recipe_of(parser(["train"]).parse_args(["train", name])).problem
    say(f"{clean(name)}: {problem.n} examples, {problem.dim} weights")
    looks = check(problem)
    for look in looks:
        mark = {True: "fine", False: "WRONG", None: ""}[look.holds]
        show(mark, f"{look.title}: {clean(look.sentence)}", say)
    return 2 if any(look.holds is False for look in looks) else 0


def referee(found: Chosen, path: Path | None, say: Say) -> bool:
    """The last step beside cvxpy: whether they agree; the last program solved is written to `path`."""
    try:
        claim = claim_of(found.trace, len(found.trace) - 1)
    except Refused as reason:
        show("", f"cvxpy: {reason}", say)
        claim = None
    agrees, last = True, None
    for said in compare(found.problem, claim) if claim else ():
        if isinstance(said, Declined):
            show("", f"cvxpy, over {said.over}: {said.reason}", say)
        elif isinstance(said, Comparison):
            last, agrees = said, agrees and said.agrees
            show(MARKS[said.agrees], f"cvxpy, over {said.over}: {said.sentence}", say)
            side_by_side(said, say)
    if path is not None:
        write(last, f"Step {len(found.trace) - 1} of {clean(found.recipe.task)}", path)
        show("", f"the last program is in {path}", say)
    return agrees


def side_by_side(found: Comparison, say: Say) -> None:
    """Both solutions by their optimality conditions."""
    say(f"{'':10}{'':26}{'this step':>16}{'cvxpy':>16}")
    for name, title in NAMES.items():
        mine, others = getattr(found.ours, name), getattr(found.theirs, name)
        if not (math.isnan(mine) and math.isnan(others)):
            say(f"{'':10}{title:26}{figure(mine):>16}{figure(others):>16}")


def figure(value: float) -> str:
    """A number with eight digits; a dash where there is none."""
    return "-" if math.isnan(value) else f"{value:.8g}"


def write(found: Comparison | None, title: str, path: Path) -> None:
    """Write a program as code."""
    if found is None:
        raise Refused("no program was solved, so there is none to write; leave out --code")
    path.write_text(code(found.program, f"{title}: the program over {found.over}"))


def show(mark: str, text: str, say: Say) -> None:
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
