"""The command line: tasks, train, path, show, reproduce, serve, warmup, bench, demo.

Subcommands load what they need when they run, so that `explorer --version` answers at once. A refusal is
one sentence on stderr and exit code 2; a run that was interrupted is kept, and its exit code is 130.
"""

import argparse
import os
import sys
import time
from collections.abc import Iterable, Sequence
from typing import NoReturn

from explorer import __version__

TRAIN = """TASK is a name that `explorer tasks` lists, or path/to/file.py:name, a problem of your own (or a
function without arguments that returns one, alone or with a test Dataset)."""


THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence, without the usage."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}; see {self.prog} --help\n")


def parser() -> argparse.ArgumentParser:
    """All subcommands and their options."""
    top = Parser(prog="explorer", description="See, step by step, how structural support vector machines learn.")
    top.add_argument("--version", action="version", version=f"explorer {__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    add_tasks(commands.add_parser("tasks", help="list the tasks, tell about one, or list the learners"))
    add_train(commands.add_parser("train", help="train on a task and say what was proved", description=TRAIN))
    add_path(commands.add_parser("path", help="every optimum from one C to another, each with its certificate"))
    show = commands.add_parser("show", help="tell what a saved run holds")
    show.add_argument("run", help="a file that `train --out` wrote")
    show.add_argument("--json", action="store_true", help="as JSON")
    add_reproduce(commands.add_parser("reproduce", help="run a published experiment again; lists them"))
    warm = commands.add_parser("warmup", help="compile all kernels now, so that nothing compiles later")
    warm.add_argument("--runs", action="store_true", help="instead, train the gallery's runs and keep them on disk")
    add_serve(commands.add_parser("serve", help="open the explorer in the browser"))
    add_bench(commands.add_parser("bench", help="measure our learners beside other systems; lists the works"))
    commands.add_parser("demo", help="train on digit-words and say what to try next")
    return top


def add_tasks(command: argparse.ArgumentParser) -> None:
    """Options of `tasks`."""
    command.add_argument("name", nargs="?", metavar="TASK", help="tell about this task, and which learners refuse it")
    command.add_argument("--learners", action="store_true", help="list the learners with their settings")


def add_serve(command: argparse.ArgumentParser) -> None:
    """Options of `serve`."""
    command.add_argument("--port", type=int, default=5006, help="where to listen (default: 5006)")
    command.add_argument("--address", default="127.0.0.1", help="who can reach it (default: this machine alone)")
    command.add_argument(
        "--allow", action="append", metavar="HOST:PORT", help="an address under which browsers may come"
    )
    command.add_argument("--show", action="store_true", help="open a browser window")
    command.add_argument("--window", action="store_true", help="open a window of its own (this machine alone)")


def add_bench(command: argparse.ArgumentParser) -> None:
    """Options of `bench`."""
    command.add_argument("name", nargs="?", metavar="NAME", help="the work to run, or all; without it they are listed")
    command.add_argument("--json", metavar="FILE", help="also write everything measured here")
    command.add_argument("--out", metavar="FOLDER", help="where tables and curves go (default: bench-results)")
    command.add_argument("--repeats", type=int, metavar="N", help="runs of each contestant (default: 5, or the work's)")
    command.add_argument("--only", metavar="TEXT", help="only contestants with this in their name")


def add_reproduce(command: argparse.ArgumentParser) -> None:
    """Options of `reproduce`."""
    command.add_argument("name", nargs="?", metavar="NAME", help="the study to run; without it they are listed")
    command.add_argument("--settings", action="store_true", help="tell what the study's settings mean, and run nothing")
    command.add_argument("--quick", action="store_true", help="begin with settings that take a few seconds")
    command.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of the study")
    command.add_argument("--json", metavar="FILE", help="also write rows, table, published numbers and findings here")
    command.add_argument("--csv", metavar="FILE", help="also write the rows here")


def add_path(command: argparse.ArgumentParser) -> None:
    """Options of `path`."""
    command.add_argument("task", metavar="TASK", help="a task of the catalogue, or file.py:name")
    command.add_argument("--from", dest="low", type=float, default=0.01, metavar="X", help="the smallest C (0.01)")
    command.add_argument("--to", dest="high", type=float, default=100.0, metavar="X", help="the largest C (100)")
    command.add_argument("--eps", type=float, default=0.01, metavar="X", help="the relative gap along the path (0.01)")
    command.add_argument("--out", metavar="PATH.json", help="save the table here")
    add_choices(command)
    command.set_defaults(resume=None, relative_gap=None, gap=None, passes=None, seconds=None, steps=None)


def add_train(command: argparse.ArgumentParser) -> None:
    """Options of `train`."""
    command.add_argument("task", nargs="?", metavar="TASK", help="not needed to go on with a run of the catalogue")
    add_choices(command)
    rule = command.add_argument_group("when it stops (whichever comes first; 0 switches a rule off)")
    rule.add_argument("--relative-gap", type=float, metavar="X", help="(primal - dual) / primal; 0.001 if not given")
    rule.add_argument("--gap", type=float, metavar="X", help="primal - dual")
    rule.add_argument("--passes", type=float, metavar="X", help="oracle calls per example")
    rule.add_argument("--seconds", type=float, metavar="X", help="of training")
    rule.add_argument("--steps", type=int, metavar="N", help="of the learner")
    kept = command.add_argument_group("saved runs")
    kept.add_argument("--out", metavar="RUN.zip", help="save the run here, also when it is interrupted")
    kept.add_argument("--resume", metavar="RUN.zip", help="go on from a saved run, bit for bit")


def add_choices(command: argparse.ArgumentParser) -> None:
    """What is trained."""
    run = command.add_argument_group("what is trained")
    run.add_argument("--learner", metavar="NAME", help="see `explorer tasks --learners`")
    run.add_argument("--C", type=float, metavar="X", help="price of the mean slack; short for --set C=X")
    run.add_argument("--loss", metavar="NAME", help="see `explorer tasks TASK`")
    run.add_argument("--oracle", metavar="NAME", help="finds the most violated labelling in training")
    run.add_argument("--predictor", metavar="NAME", help="finds the best labelling afterwards")
    run.add_argument("--scaling", metavar="NAME", help="what the loss scales: margin or slack")
    run.add_argument("--penalty", metavar="NAME", help="what a slack costs: linear or squared")
    run.add_argument("--seed", type=int, metavar="N", help="of the learner's random choices")
    run.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of the learner")
    run.add_argument("--data", action="append", default=[], metavar="NAME=VALUE", help="a setting of the data")


def say(line: str) -> None:
    """One line to stdout, at once."""
    print(line, flush=True)


def tasks(args: argparse.Namespace) -> int:
    """What there is to train."""
    from explorer.command_line import tasks as catalogue

    found: Iterable[str] = catalogue.one_task(args.name) if args.name else catalogue.tasks()
    for line in catalogue.learners() if args.learners else found:
        say(line)
    return 0


def train(args: argparse.Namespace) -> int:
    """Train."""
    from explorer.command_line.train import run

    return run(args, sys.stdout.isatty(), say)


def path(args: argparse.Namespace) -> int:
    """Follow the regularisation path."""
    from explorer.command_line.path import run

    return run(args, say)


def show(args: argparse.Namespace) -> int:
    """What a saved run holds."""
    import json

    from explorer.command_line import show as showing
    from explorer.engine.runs.saved import load

    run = load(args.run)
    if args.json:
        say(json.dumps(showing.tree(run), indent=1, allow_nan=False))
        return 0
    for line in showing.lines(run):
        say(line)
    return 0


def reproduce(args: argparse.Namespace) -> int:
    """Run a published experiment again."""
    from explorer.command_line.reproduce import run

    return run(args, sys.stdout.isatty(), say)


def warmup(args: argparse.Namespace) -> int:
    """Compile."""
    began = time.perf_counter()
    if args.runs:
        from explorer.dashboards.gallery.page import make_all

        make_all()
        return 0
    from explorer.command_line.warmup import warm

    count = warm()
    say(f"all kernels are compiled: {count} small runs in {time.perf_counter() - began:.1f} s")
    return 0


def bench(args: argparse.Namespace) -> int:
    """Measure."""
    from explorer.bench.running import run

    return run(args, say)


def demo(args: argparse.Namespace) -> int:
    """A first run, and where to go from there."""
    code = train(parser().parse_args(["train", "digit-words"]))
    say("")
    say("Next: `explorer tasks` lists the tasks, `explorer train blocks --C 5` trains another one,")
    say("and `explorer train digit-words --out run.zip` keeps a run for `explorer show run.zip`.")
    return code


def serve(args: argparse.Namespace) -> int:
    """`explorer serve`."""
    try:
        from explorer.dashboards.app import serve as run
        from explorer.dashboards.window import open_window
    except ImportError as missing:
        raise ValueError(f"the app needs {missing.name}: install it with pip install 'ssvm-explorer[app]'") from missing
    if args.window:
        open_window(args.port)
        return 0
    if args.address not in ("127.0.0.1", "localhost", "::1"):
        print("Anyone who can reach this address can use the explorer: put a proxy with a password in front of it.")
    origins = {"websocket_origin": args.allow} if args.allow else {}
    run(port=args.port, address=args.address, show=args.show, **origins)
    return 0


COMMANDS = {
    "tasks": tasks,
    "train": train,
    "path": path,
    "show": show,
    "reproduce": reproduce,
    "warmup": warmup,
    "serve": serve,
    "bench": bench,
    "demo": demo,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run a subcommand; returns the exit code."""
    args = parser().parse_args(argv)
    one_thread()
    try:
        return COMMANDS[args.command](args)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader (head, say) has gone: nothing may be written any more, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (ValueError, RuntimeError, ArithmeticError) as error:
        return refusal(error)


def one_thread() -> None:
    """Ask the matrix library, which is not loaded yet, for one thread, unless the user asks for more.

    Our products are small: threads cost more than they gain, and with one of them a run repeats bit for bit.
    """
    for name in THREADS:
        os.environ.setdefault(name, "1")


def refusal(error: Exception) -> int:
    """A refusal in one sentence; any other error is a fault of ours or of a user's problem, and shown."""
    from explorer.engine.refusals import OracleFault, Refused

    if not isinstance(error, Refused | OracleFault | ArithmeticError):
        raise error
    print(f"explorer: {error}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
