"""`explorer train`: run, show how it goes, say what it proved, and save.

The first Ctrl-C cancels the run, which ends at its next oracle call and is kept; the second kills the
process. With a place to save to, the run is also saved every half minute, so that a crash costs no more
than that.
"""

import contextlib
import signal
import sys
import threading
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from typing import Any

from explorer.command_line.choices import Chosen, choice_options, recipe_of
from explorer.command_line.keeping import Keeper, check_place
from explorer.command_line.progress import watching
from explorer.command_line.wording import clean, last_known, number, pairs, verdict
from explorer.engine.events import NOT_EXACT, Event, Stopped
from explorer.engine.executors.choice import EXECUTORS, parallel_config
from explorer.engine.learners import by_name, name_of
from explorer.engine.refusals import OracleFault, Refused
from explorer.engine.runs.streams import train
from explorer.progress import LiveFigures

TASK = """TASK is a name that `explorer tasks` lists, a data file (.conll, .svmlight, .graphml, .pairs.csv,
.conllu),
or path/to/file.py:name, a problem of your own (or a function without arguments that returns one, alone or
with a test Dataset)."""
CODES = {"cancelled": 130, "failed": 2, NOT_EXACT: 2}
FAULTS = (Refused, OracleFault, ArithmeticError)

WHOLE = ("one-slack", "n-slack", "bundle", "subgradient", "crf")
"""Learners that ask every example at the same w; the others move after each example."""


def options(command: ArgumentParser) -> None:
    """What is trained, when it stops, and where it is kept."""
    command.description = TASK
    command.add_argument(
        "task", nargs="?", metavar="TASK", help="not needed to go on with a saved run, unless it is Python"
    )
    choice_options(command)
    rule = command.add_argument_group("when it stops (whichever comes first; 0 switches a rule off)")
    rule.add_argument(
        "--relative-gap", type=float, metavar="X", help="(primal - dual) / primal; 0.001 if not given"
    )
    rule.add_argument("--gap", type=float, metavar="X", help="primal - dual")
    rule.add_argument("--passes", type=float, metavar="X", help="oracle calls per example")
    rule.add_argument("--seconds", type=float, metavar="X", help="of training")
    rule.add_argument("--steps", type=int, metavar="N", help="of the learner")
    executor_options(command)
    kept = command.add_argument_group("saved runs")
    kept.add_argument("--out", metavar="RUN.zip", help="save the run here, also when it is interrupted")
    kept.add_argument("--resume", metavar="RUN.zip", help="go on from a saved run, bit for bit")


def run(args: Namespace, say: Callable[[str], None]) -> int:
    """Train as the arguments ask; returns the exit code."""
    check_place(args.out)
    choose_whole_passes(args)
    with interrupts() as cancelled, executing(args):
        run = recipe_of(args)
        if reason := run.learner.refuses(run.problem):
            raise Refused(reason)
        sizes = f"{run.problem.n} examples, {run.problem.dim} weights"
        say(f"{run.recipe.task}: {sizes}; {run.learner.title}, {pairs(run.recipe.settings)}")
        for line in notes(args, run):
            say(line)
        keeper = Keeper(args.out, run, say)
        figures = LiveFigures(run.problem.n, run.recipe.make_rule().relative_gap)
        with watching(figures, sys.stdout.isatty(), say) as see:
            stopped = record(run, cancelled.is_set, see, keeper)
        for line in closing(run, stopped):
            say(line)
        keeper.at_the_end()
    return CODES.get(stopped.reason, 0)


def notes(args: Namespace, run: Chosen) -> Iterator[str]:
    """For what the learner was chosen, how many examples are kept apart, and what the data's reader says."""
    if run.recipe.task.why and not (args.learner or args.resume):
        yield f"{run.learner.title} was chosen: {run.recipe.task.why}"
    if run.test is not None and run.recipe.task.source is not None:
        yield f"{len(run.test)} test examples"
    for sentence in run.problem.dataset.meta.get("notes", ()):
        yield clean(sentence)


def record(
    run: Chosen, cancelled: Callable[[], bool], see: Callable[[Event], None], keeper: Keeper
) -> Stopped:
    """Train to the end, every event into the trace; a fault after the first step ends the run like a rule,
    and any other error of a user's own oracle is shown after what was reached is saved.
    """
    before = len(run.trace)
    recipe = run.recipe
    events = train(
        run.problem,
        run.learner,
        seed=recipe.seed,
        rule=recipe.make_rule(),
        test=run.test,
        state=run.state,
        cancelled=cancelled,
    )
    try:
        for event in events:
            run.trace.append(event)
            see(event)
            keeper.now_and_then()
    except Exception as fault:
        if len(run.trace) == before:
            raise
        run.trace.append(Stopped("failed", str(fault), int(run.trace.column("k")[-1])))
        if not isinstance(fault, FAULTS):
            keeper.at_the_end()
            raise
    return run.trace.stops[-1][1]


def closing(run: Chosen, stopped: Stopped) -> Iterator[str]:
    """Why it stopped, what it proved, what it learned and what it cost."""
    trace = run.trace
    yield f"stopped: {clean(stopped.sentence)}"
    if not len(trace):
        return
    yield verdict(trace)
    train_loss, test_loss = (last_known(trace, name)[1] for name in ("train_loss", "test_loss"))
    tested = "" if run.test is None else f", test loss {number(test_loss, 4)}"
    yield f"training loss {number(train_loss, 4)}{tested} (mean {run.recipe.loss})"
    calls, seconds, inside = (last_known(trace, n)[1] for n in ("oracle_calls", "seconds", "oracle_seconds"))
    passes = calls / max(run.problem.n, 1)
    yield (
        f"{len(trace)} steps, {passes:.1f} passes, {calls:,.0f} oracle calls, {seconds:.2f} s of training, "
        f"{inside:.2f} s of it in the oracle"
    )


@contextlib.contextmanager
def interrupts() -> Iterator[threading.Event]:
    """An event that Ctrl-C sets; from then on Ctrl-C kills. Only the main thread hears signals."""
    flag = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield flag
        return

    def cancel(*_: Any) -> None:
        flag.set()
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    before = signal.signal(signal.SIGINT, cancel)
    try:
        yield flag
    finally:
        signal.signal(signal.SIGINT, before)


def executor_options(command: ArgumentParser) -> None:
    """Where passes are computed."""
    where = command.add_argument_group("where oracle passes are computed")
    where.add_argument(
        "--executor",
        choices=EXECUTORS,
        help="threads (as it is), processes, or the workers of a Dask cluster",
    )
    where.add_argument("--jobs", type=int, default=0, metavar="N", help="workers; as many as there are")
    where.add_argument("--scheduler", default="", metavar="ADDRESS", help="of the Dask cluster")


def choose_whole_passes(args: Namespace) -> None:
    """Where passes go elsewhere, a learner that makes some: the one that is named, or the 1-slack method."""
    if (args.executor or "threads") == "threads" or getattr(args, "resume", None):
        return
    if args.learner is None:
        args.learner = "n-slack" if args.penalty == "squared" else WHOLE[0]
    if name_of(by_name(args.learner)) not in WHOLE:
        raise Refused(
            f"{args.learner} moves after every example, so there is no pass to share out; choose one of "
            f"{', '.join(WHOLE)}, or leave --executor out"
        )


@contextlib.contextmanager
def executing(args: Namespace) -> Iterator[Any]:
    """Have runs in this block computed as the arguments say."""
    if args.executor is None and not args.jobs and not args.scheduler:
        yield None
        return
    name = args.executor or ("dask" if args.scheduler else EXECUTORS[0])
    with parallel_config(name, args.jobs, args.scheduler) as choice:
        yield choice
