"""`explorer bench`: our learners beside other systems; `explorer.bench` does the measuring."""

from argparse import ArgumentParser

from explorer.bench.running import run

__all__ = ["options", "run"]


def options(command: ArgumentParser) -> None:
    """Which work, how often, and where the tables go."""
    command.add_argument(
        "name", nargs="?", metavar="NAME", help="the work to run, or all; without it they are listed"
    )
    command.add_argument("--json", metavar="FILE", help="also write everything measured here")
    command.add_argument(
        "--out", metavar="FOLDER", help="where tables and curves go (default: bench-results)"
    )
    command.add_argument(
        "--repeats", type=int, metavar="N", help="runs of each contestant (default: 5, or the work's)"
    )
    command.add_argument("--only", metavar="TEXT", help="only contestants with this in their name")
    command.add_argument(
        "--minutes", type=float, metavar="N", help="fewer rounds where all works would take longer (0: any)"
    )
    command.add_argument(
        "--readme", metavar="FILE", help="also put the headlines between the two marks of this page"
    )
