"""`explorer demo`: a first run, and where to go from there."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable

from explorer.command_line import train
from explorer.command_line.main import parser

NEXT = (
    "",
    "Next: `explorer tasks` lists the tasks, `explorer train blocks --C 5` trains another one,",
    "and `explorer train digit-words --out run.zip` keeps a run for `explorer show run.zip`.",
)


def options(command: ArgumentParser) -> None:
    """None."""


def run(args: Namespace, say: Callable[[str], None]) -> int:
    """Train on digit-words; returns the exit code."""
    code = train.run(parser(["train"]).parse_args(["train", "digit-words"]), say)
    for line in NEXT:
        say(line)
    return code
