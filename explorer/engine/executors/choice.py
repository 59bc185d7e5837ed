"""Which executor computes passes: the one that `parallel_config` names, for as long as its block lasts."""

import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TypeVar, cast

from joblib import Parallel, delayed

from explorer.engine.contracts import Batch, Problem
from explorer.engine.executors.local import ProcessExecutor, ThreadExecutor
from explorer.engine.executors.passes import PassExecutor, SpreadProblem
from explorer.engine.executors.shards import cut_shards
from explorer.engine.refusals import Refused
from explorer.engine.threads import at_most

X = TypeVar("X")
Y = TypeVar("Y")

EXECUTORS = ("threads", "processes", "dask")
"""The first is what happens if nothing is said: compiled oracles then use all cores."""


@dataclass(frozen=True, slots=True)
class ExecutorChoice:
    """Who computes passes, on how many workers (0: as many as there are), and for Dask where."""

    executor: str = EXECUTORS[0]
    jobs: int = 0
    scheduler: str = ""

    def __post_init__(self) -> None:
        if self.executor not in EXECUTORS:
            raise Refused(f"there is no executor {self.executor!r}; choose one of {', '.join(EXECUTORS)}")
        if self.jobs < 0:
            raise Refused(f"{self.jobs} workers are asked for; give 1 or more, or 0 for as many as there are")
        if self.executor == "dask" and not self.scheduler:
            raise Refused("it is not known where the Dask cluster is; give the address of its scheduler")
        if self.executor != "dask" and self.scheduler:
            raise Refused(f"{self.executor} need no scheduler; leave it out, or choose the executor dask")

    def open(self) -> PassExecutor:
        """The executor, ready for shards."""
        if self.executor == "dask":
            from explorer.engine.executors.dask_cluster import DaskExecutor

            return DaskExecutor(self.scheduler, self.jobs)
        return ThreadExecutor(self.jobs) if self.executor == "threads" else ProcessExecutor(self.jobs)


CHOSEN: ContextVar[ExecutorChoice | None] = ContextVar("CHOSEN", default=None)


@contextmanager
def parallel_config(
    executor: str = "threads", jobs: int = 0, scheduler: str = ""
) -> Iterator[ExecutorChoice]:
    """Have this executor compute the passes of every run that begins in this block."""
    choice = ExecutorChoice(executor, jobs, scheduler)
    token = CHOSEN.set(choice)
    try:
        yield choice
    finally:
        CHOSEN.reset(token)


@contextmanager
def spread(problem: Problem, executor: PassExecutor | None = None) -> Iterator[Problem]:
    """The problem with its passes spread as `parallel_config` says, or over this executor, which stays
    open; the problem itself where nothing is said.
    """
    choice = CHOSEN.get()
    if isinstance(problem, SpreadProblem) or (executor is None and choice is None):
        yield problem
        return
    if choice is not None and choice.executor == "threads" and isinstance(problem, Batch):
        with at_most(choice.jobs):  # its compiled passes share themselves out
            yield problem
        return
    opened = cast("ExecutorChoice", choice).open() if executor is None else executor
    try:
        made, here = SpreadProblem(problem, opened), isinstance(opened, ThreadExecutor)
        opened.place(cut_shards(problem, opened.jobs, uuid.uuid4().hex, packed=not here))
        yield cast("Problem", made)
    finally:
        if executor is None:
            opened.close()


def map_each(work: Callable[[X], Y], items: Iterable[X]) -> list[Y]:
    """work(item) for whole runs that do not depend on each other, as `parallel_config` says; one after
    the other where nothing is said. The order is that of the items.
    """
    choice = CHOSEN.get()
    if choice is None:
        return [work(item) for item in items]
    if choice.executor == "dask":
        from distributed import Client

        with Client(choice.scheduler, set_as_default=False) as client:
            return list(client.gather(client.map(work, list(items), pure=False)))
    backend = {"threads": "threading", "processes": "loky"}[choice.executor]
    return list(Parallel(n_jobs=choice.jobs or -1, backend=backend)(delayed(work)(item) for item in items))
