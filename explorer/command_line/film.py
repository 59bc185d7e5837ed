"""`explorer film`: a saved run as a page that plays without a server, or as a moving image."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from pathlib import Path

from explorer.engine.refusals import Refused


def options(command: ArgumentParser) -> None:
    """Which run, which example, and where to."""
    command.add_argument("run", help="a file that `train --out` wrote")
    command.add_argument("--example", type=int, default=0, metavar="I", help="the example that is shown")
    command.add_argument("--title", default="", help="what stands above the film")
    command.add_argument("--out", required=True, metavar="FILE", help="film.html or film.gif")


def run(args: Namespace, say: Callable[[str], None]) -> int:
    """Make the film and write it."""
    from explorer.dashboards.past_runs import open_run
    from explorer.player import film

    recipe, trace = open_run(Path(args.run))
    problem, _ = recipe.problem()
    made = film(problem, trace, args.example, args.title or recipe.task.title)
    try:
        made.save(args.out)
    except OSError as error:
        raise Refused(f"{args.out} could not be written ({error.strerror})") from None
    say(f"{args.out}: {len(made.steps)} of {len(trace)} steps, {Path(args.out).stat().st_size / 1e3:.0f} kB")
    return 0
