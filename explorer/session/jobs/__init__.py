"""The kinds of work that a worker takes turns on, by the order that begins one."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from explorer.engine.events import Event
from explorer.session.jobs.errand import ErrandAnswer, ErrandJob
from explorer.session.jobs.parcel import sentence_of
from explorer.session.jobs.path import PathJob
from explorer.session.jobs.race import InLane, RaceJob
from explorer.session.jobs.run import Keyframe, RunJob, keeps_cuts


class Job(Protocol):
    """Work in progress for one session; `cancelled` is set by other threads."""

    cancelled: bool

    def pull(self, seconds: float, most: int) -> list[Event]:
        """Up to `most` steps, or what fits in about `seconds`; a Stopped at the very end."""
        ...

    def end(self) -> None:
        """Let go of everything now."""
        ...


def study_job(*args: Any) -> Job:
    """A published experiment; its code is loaded by the workers that run one."""
    from explorer.session.jobs.study import StudyJob

    return StudyJob(*args)


def check_job(*args: Any) -> Job:
    """A step beside an independent solver; its code is loaded by the workers that check one."""
    from explorer.session.jobs.check import CheckJob

    return CheckJob(*args)


JOBS: Mapping[str, Callable[..., Job]] = {
    "open": RunJob,
    "race": RaceJob,
    "path": PathJob,
    "study": study_job,
    "check": check_job,
    "errand": ErrandJob,
}

__all__ = [
    "JOBS",
    "ErrandAnswer",
    "ErrandJob",
    "InLane",
    "Job",
    "Keyframe",
    "PathJob",
    "RaceJob",
    "RunJob",
    "keeps_cuts",
    "sentence_of",
]
