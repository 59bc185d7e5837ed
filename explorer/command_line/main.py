"""The command line itself: which commands there are, and what becomes of their refusals.

A command is the module of its name: `options(parser)` declares what it takes, `run(args, say)` does it and
returns the exit code. Only the module of the command that was typed is loaded, so that `explorer --version`
answers at once. A refusal is one sentence on stderr and exit code 2; a run that was interrupted is kept, and
its exit code is 130.
"""

import argparse
import contextlib
import os
import sys
from collections.abc import Collection, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

from explorer import __version__
from explorer.extras import how_to_get

COMMANDS = {
    "tasks": "list the tasks, tell about one, or list the learners",
    "train": "train on a task and say what was proved",
    "predict": "label the examples of a file with a model",
    "score": "measure a model on a file with the right labels",
    "inspect": "tell what a model holds: settings, certificate, largest weights",
    "path": "every optimum from one C to another, each with its certificate",
    "validate": "cross-validate over a grid of settings, nested if asked, and go on where it ended",
    "show": "tell what a saved run holds",
    "check": "look again at a saved run, or try a problem of your own before training",
    "reproduce": "run a published experiment again; lists them",
    "film": "a saved run as a page that plays without a server, or as a moving image",
    "warmup": "compile all kernels now, so that nothing compiles later",
    "serve": "open the explorer in the browser",
    "bench": "measure our learners beside other systems; lists the works",
    "new": "write a commented file to begin a problem of your own with",
    "hooks": "learn and classify with the hooks of a module, as SVM-python does",
    "demo": "train on digit-words and say what to try next",
}
TRAINING = ("train", "hooks", "predict", "score", "path", "validate", "check", "reproduce", "demo")
COMPILING = (
    "Compiling what this needs, once on this machine (`explorer warmup` compiles everything beforehand)."
)
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence, without the usage."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}; see {self.prog} --help\n")


def parser(loaded: Collection[str] = tuple(COMMANDS)) -> argparse.ArgumentParser:
    """All commands; those that are loaded know their options."""
    top = Parser(
        prog="explorer", description="See, step by step, how structural support vector machines learn."
    )
    top.add_argument("--version", action="version", version=f"explorer {__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, sentence in COMMANDS.items():
        command = commands.add_parser(name, help=sentence)
        if name in loaded:
            module(name).options(command)
    return top


def module(name: str) -> Any:
    """The module of a command."""
    return import_module(f"explorer.command_line.{name}")


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit code."""
    typed = sys.argv[1:] if argv is None else argv
    one_thread()
    args = parser(typed[:1]).parse_args(typed)
    try:
        with compiling_named() if args.command in TRAINING else contextlib.nullcontext():
            return int(module(args.command).run(args, say))
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader (head, say) has gone: nothing may be written any more, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except ModuleNotFoundError as missing:
        return missing_extra(missing)
    except (ValueError, RuntimeError, ArithmeticError) as error:
        return refusal(error)


def say(line: str) -> None:
    """One line to stdout, at once."""
    print(line, flush=True)


@contextlib.contextmanager
def compiling_named() -> Iterator[None]:
    """Say on stderr when the compiler begins, and in the end how long it worked: that is not training."""
    from explorer.engine.compiled import COMPILER, cache_root, is_kept

    def note(line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    COMPILER.announce = lambda: note(COMPILING if is_kept() else f"{COMPILING} {cache_note(cache_root())}")
    before = COMPILER.seconds
    try:
        yield
    finally:
        COMPILER.announce = None
        if (took := COMPILER.seconds - before) >= 0.1:
            note(f"Compiling took {took:.1f} s, which are not counted as training.")


def cache_note(folder: Path) -> str:
    """Where kernels go when no folder of the user's own can be written."""
    return f"No cache folder can be written, so they are in {folder}; set NUMBA_CACHE_DIR to keep them."


def one_thread() -> None:
    """Ask the matrix library, which is not loaded yet, for one thread, unless the user asks for more.

    Our products are small: threads cost more than they gain, and with one of them a run repeats bit for bit.
    """
    for name in THREADS:
        os.environ.setdefault(name, "1")


def missing_extra(missing: ModuleNotFoundError) -> int:
    """What to install, if the package that is missing comes with an extra; otherwise the fault is shown."""
    sentence = how_to_get(missing.name)
    if sentence is None:
        raise missing
    print(f"explorer: {sentence}", file=sys.stderr)
    return 2


def refusal(error: Exception) -> int:
    """A refusal in one sentence; any other error is a fault of ours or of a user's problem, and shown."""
    from explorer.engine.refusals import OracleFault, Refused

    if not isinstance(error, Refused | OracleFault | ArithmeticError):
        raise error
    print(f"explorer: {error}", file=sys.stderr)
    return 2
