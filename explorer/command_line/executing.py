"""`--executor`, `--jobs` and `--scheduler`: who computes the passes of a run."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from explorer.engine.executors.choice import EXECUTORS, parallel_config
from explorer.engine.learners import by_name, name_of
from explorer.engine.refusals import Refused

WHOLE = ("one-slack", "n-slack", "bundle", "subgradient", "crf")
"""Learners that ask every example at the same w; the others move after each example."""


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


@contextmanager
def executing(args: Namespace) -> Iterator[Any]:
    """Have runs in this block computed as the arguments say."""
    if args.executor is None and not args.jobs and not args.scheduler:
        yield None
        return
    name = args.executor or ("dask" if args.scheduler else EXECUTORS[0])
    with parallel_config(name, args.jobs, args.scheduler) as choice:
        yield choice


__all__ = ["choose_whole_passes", "executing", "executor_options"]
