"""A part of the examples with its problem, as bytes that another process keeps, and what it is asked.

    sweep at w        -> losses and margins of its examples, and the sum of their feature differences
    cuts at w         -> label, feature difference and loss of each
    predictions at w  -> what each prediction loses
    expectation at w  -> log Z of each, and the sum of their expected features

A shard travels once; then w goes out and these come back. Labellings stay where they were found.
Functions of a user's own file travel along by value, since another process cannot import them. Bytes are
read again only by processes that this one started, or that its user named: they run what they hold.
"""

import pickle
import sys
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import cloudpickle

from explorer.engine.contracts import Dataset, Problem
from explorer.engine.enumeration import expectation
from explorer.engine.events import Cut, Expectation, Sweep
from explorer.engine.objective import all_cuts, predictions, sweep
from explorer.engine.refusals import Refused
from explorer.engine.threads import at_most
from explorer.engine.vectors import Array

OWN = "own_"
"""What modules of users' own files are called while they are loaded."""

KEPT = 8
"""Shards that a process keeps ready."""

OPENED: OrderedDict[str, Problem] = OrderedDict()


@dataclass(frozen=True, slots=True)
class Shard:
    """Examples lo .. hi - 1 with their problem; the bytes are here, or in a file that all processes see."""

    name: str
    lo: int
    hi: int
    content: bytes = b""
    place: str = ""
    problem: Problem | None = None
    threads: int = 0

    def open(self) -> Problem:
        """The problem of these examples, kept ready in this process."""
        if self.problem is not None:
            return self.problem
        if self.name not in OPENED:
            content = self.content or Path(self.place).read_bytes()
            OPENED[self.name] = pickle.loads(content)
            while len(OPENED) > KEPT:
                OPENED.popitem(last=False)
        OPENED.move_to_end(self.name)
        return OPENED[self.name]


def cut_shards(problem: Problem, parts: int, name: str, packed: bool) -> list[Shard]:
    """The examples in at most so many parts, one after the other; packed to travel, or as they are."""
    parts = max(1, min(parts, problem.n))
    ends = [problem.n * k // parts for k in range(parts + 1)]
    found = []
    for lo, hi in pairwise(ends):
        part = part_of(problem, lo, hi)
        found.append(
            Shard(f"{name}-{lo}", lo, hi, pack(part))
            if packed
            else Shard(f"{name}-{lo}", lo, hi, problem=part)
        )
    return found


def part_of(problem: Problem, lo: int, hi: int) -> Problem:
    """The problem of some of the examples."""
    data = problem.dataset
    part = problem.on(Dataset(data.name, data.inputs[lo:hi], data.labels[lo:hi], data.meta))
    if part.dim != problem.dim or part.n != hi - lo:
        raise Refused(f"{problem.name} makes other features of a part of its examples; train it on threads")
    return part


def pack(part: Problem) -> bytes:
    """The problem as bytes."""
    own = [module for name, module in sys.modules.items() if name.startswith(OWN)]
    for module in own:
        cloudpickle.register_pickle_by_value(module)
    try:
        return cast("bytes", cloudpickle.dumps(part, protocol=5))
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise Refused(
            f"{part.name} cannot travel to another process ({error}); train it on threads"
        ) from error
    finally:
        for module in own:
            cloudpickle.unregister_pickle_by_value(module)


def answer(shard: Shard, question: str, w: Array, floor: bool = True) -> bytes:
    """What a shard answers at w, as bytes."""
    with at_most(shard.threads):
        return pickle.dumps(QUESTIONS[question](shard.open(), w, floor), protocol=5)


def answer_sweep(problem: Problem, w: Array, floor: bool) -> tuple[Any, ...]:
    """The sums of a pass, without labellings."""
    found = sweep(problem, w, floor=floor)
    return found.losses, found.margins, found.psi


def answer_cuts(problem: Problem, w: Array, floor: bool) -> tuple[Any, ...]:
    """Every example's cut."""
    return tuple((cut.label, cut.psi, cut.loss) for cut in all_cuts(problem, w))


def answer_predictions(problem: Problem, w: Array, floor: bool) -> tuple[Any, ...]:
    """What predictions lose."""
    return (predictions(problem, w)[1],)


def answer_expectation(problem: Problem, w: Array, floor: bool) -> tuple[Any, ...]:
    """The sums of a pass of marginals."""
    found = expectation(problem, w, 0, problem.n)
    return found.log_z, found.psi


QUESTIONS: dict[str, Callable[[Problem, Array, bool], tuple[Any, ...]]] = {
    "sweep": answer_sweep,
    "cuts": answer_cuts,
    "predictions": answer_predictions,
    "expectation": answer_expectation,
}


def read_sweep(found: tuple[Any, ...], count: int) -> Sweep:
    """A sweep whose labellings stayed where they were found."""
    losses, margins, psi = found
    return Sweep((None,) * count, losses, margins, psi)


def read_cuts(found: tuple[Any, ...], lo: int) -> list[Cut]:
    """Cuts, numbered as in the whole problem."""
    return [Cut(lo + at, *cut) for at, cut in enumerate(found)]


def read_expectation(found: tuple[Any, ...]) -> Expectation:
    """Sums of marginals."""
    return Expectation(*found)
