"""Cuts found by compiled visits, kept as numbers and made into records only when somebody looks at them."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, overload

import numpy as np

from explorer.engine.contracts import Problem, Visits
from explorer.engine.events import Cut
from explorer.engine.objective import cut_of
from explorer.engine.vectors import Array, Ints
from explorer.engine.visits import Labels


class FoundCuts(Sequence[Cut]):
    """The example and loss of each cut, and their labellings behind each other."""

    def __init__(self, problem: Problem, owner: Ints, size: Array, labels: Labels) -> None:
        self._problem, self._owner, self._size, self._labels = problem, owner, size, labels

    def __len__(self) -> int:
        return len(self._owner)

    @overload
    def __getitem__(self, at: int) -> Cut: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Cut, ...]: ...
    def __getitem__(self, at: int | slice) -> Cut | tuple[Cut, ...]:
        if isinstance(at, slice):
            return tuple(self[j] for j in range(*at.indices(len(self))))
        return cut_of(self._problem, int(self._owner[at]), self._parts[at])

    @cached_property
    def _parts(self) -> list[Any]:
        """The labelling of each cut."""
        assert isinstance(self._problem, Visits)
        ends = np.cumsum(np.diff(self._problem.places)[self._owner])
        parts = zip(self._owner, np.split(self._labels, ends)[:-1], strict=True)
        return [self._problem.labelling(int(i), part) for i, part in parts]

    @staticmethod
    def join(problem: Problem, parts: Sequence["FoundCuts"]) -> "FoundCuts":
        """Several runs of cuts, in order."""
        return FoundCuts(
            problem,
            np.concatenate([part._owner for part in parts]),
            np.concatenate([part._size for part in parts]),
            np.concatenate([part._labels for part in parts]),
        )

    def bare(self) -> tuple[Cut, ...]:
        """The cuts without their features."""
        nothing = np.zeros(0)
        found = zip(self._owner, self._parts, self._size, strict=True)
        return tuple(Cut(int(i), label, nothing, float(r)) for i, label, r in found)
