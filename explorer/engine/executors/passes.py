"""A problem whose whole passes are a map over shards and a sum; all else is asked of the problem itself.

    sweep(w) = sum over shards of sweep_s(w),   in their order

Every shard sends back one sum of features and two numbers for each example, so a pass costs one w and one
sum per shard on the wire. Compiled passes that go from example to example, w moving all the time, are no
map: a spread problem does not have them.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Protocol, overload

import numpy as np

from explorer.engine.contracts import Batch, Geometry, Marginals, Problem, RawSweeps, Visits, members
from explorer.engine.enumeration import expectation
from explorer.engine.events import Cut, Expectation, Sweep
from explorer.engine.executors.shards import Shard, read_cuts, read_expectation, read_sweep
from explorer.engine.objective import all_cuts, join_sweeps, predictions, priced_as, sweep
from explorer.engine.refusals import Refused
from explorer.engine.vectors import Array, total


class PassExecutor(Protocol):
    """Asks shards, wherever they are; `sent` and `received` count the bytes of all answers so far."""

    sent: int
    received: int

    @property
    def jobs(self) -> int: ...
    def place(self, shards: list[Shard]) -> None: ...
    def ask(self, question: str, w: Array, floor: bool) -> list[tuple[Any, ...]]: ...
    def close(self) -> None: ...


class SpreadProblem:
    """A problem whose passes an executor computes; made of its contract and capabilities, as `Metered` is."""

    def __init__(self, problem: Problem, executor: PassExecutor) -> None:
        if isinstance(problem, Geometry):
            raise Refused(
                f"{problem.name} multiplies sums of kernels, which do not travel; train it on threads"
            )
        if not problem.n:
            raise Refused(f"{problem.name} has no examples to share out; train it on threads")
        mine = {*vars(Visits), *vars(SpreadProblem)}
        vars(self).update({name: value for name, value in members(problem).items() if name not in mine})
        self._inner, self._executor, self.chunk = problem, executor, problem.n
        self.priced_as = priced_as(problem)
        if isinstance(problem, Marginals):
            self.expectation = partial(self._expectation, problem)
        if isinstance(problem, RawSweeps) or not isinstance(problem, Batch):
            self.raw_sweep = partial(self.sweep, floor=False)

    def cuts(self, w: Array, lo: int, hi: int) -> list[Cut]:
        """Every example's cut."""
        if (lo, hi) != (0, self._inner.n):
            return part_of_cuts(self._inner, w, lo, hi)
        answers = self._executor.ask("cuts", w, True)
        starts = np.cumsum([0, *(len(found) for found in answers)])
        return [cut for lo, found in zip(starts, answers, strict=False) for cut in read_cuts(found, int(lo))]

    def sweep(self, w: Array, lo: int, hi: int, floor: bool = True) -> Sweep:
        """A pass, joined; a part of one is made here."""
        if (lo, hi) != (0, self._inner.n):
            return sweep(self._inner, w, range(lo, hi), floor=floor)
        answers = self._executor.ask("sweep", w, floor)
        return join_sweeps([read_sweep(found, len(found[0])) for found in answers], self._inner.dim)

    def predictions(self, w: Array) -> "LosingLabels":
        """Predictions that stay where they were made; what they lose is known here."""
        answers = self._executor.ask("predictions", w, True)
        return LosingLabels(self._inner, w, np.concatenate([losses for (losses,) in answers]))

    def losses(self, labels: Any) -> Array:
        """What labels lose."""
        if isinstance(labels, LosingLabels):
            return labels.losses
        return np.array([self._inner.loss(i, label) for i, label in enumerate(labels)])

    def loss(self, i: int, label: Any) -> float:
        """What one label loses."""
        if label is None:
            raise Refused("the labellings of this run stayed with its workers; begin anew to change the loss")
        return self._inner.loss(i, label)

    def on(self, dataset: Any) -> Problem:
        """Other data are not spread."""
        return self._inner.on(dataset)

    def _expectation(self, problem: Problem, w: Array, lo: int, hi: int) -> Expectation:
        if (lo, hi) != (0, problem.n):
            return expectation(problem, w, lo, hi)
        parts = [read_expectation(found) for found in self._executor.ask("expectation", w, True)]
        psi = total([part.psi for part in parts], problem.dim)
        return Expectation(np.concatenate([part.log_z for part in parts]), psi)


class LosingLabels(Sequence[Any]):
    """The labels predicted at w, each of which is made again here when somebody looks at it."""

    def __init__(self, problem: Problem, w: Array, losses: Array) -> None:
        self.problem, self.w, self.losses = problem, w, losses

    def __len__(self) -> int:
        return len(self.losses)

    @overload
    def __getitem__(self, at: int) -> Any: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Any]: ...
    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return [self[i] for i in range(*at.indices(len(self)))]
        return self.problem.predict(self.w, self.problem.dataset.inputs[at])

    def __iter__(self) -> Iterator[Any]:
        return iter(predictions(self.problem, self.w)[0])


def part_of_cuts(problem: Problem, w: Array, lo: int, hi: int) -> list[Cut]:
    """The cuts of some examples, made here."""
    if isinstance(problem, Batch):
        return problem.cuts(w, lo, hi)
    return (
        [problem.oracle(w, i) for i in range(lo, hi)] if (lo, hi) != (0, problem.n) else all_cuts(problem, w)
    )
