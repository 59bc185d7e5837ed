"""How views write numbers, counts and labellings."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from explorer.engine.protocols import Problem

MOST_LETTERS = 36
"""A labelling in a table or tooltip is no longer than this."""


def number(value: Any) -> str:
    """A figure as a person writes it: four significant digits, words for what is unknown."""
    if isinstance(value, float):
        return "unknown" if value != value else f"{value:,.4g}"
    return str(value)


def counted(count: float, thing: str) -> str:
    """A number and its noun."""
    return f"{count:,.0f} {thing}{'' if count == 1 else 's'}"


def state_names(problem: Problem) -> tuple[str, ...]:
    """What the states or classes are called: the data's names, else their numbers."""
    named = problem.dataset.meta.get("states", ())
    count = int(getattr(problem, "states", getattr(problem, "classes", len(named))))
    return tuple(str(name) for name in (named if len(named) == count else range(count)))


def are_states(label: Any, count: int) -> bool:
    """Whether the entries are numbers of states."""
    return label.dtype.kind in "iu" and bool(np.all((label >= 0) & (label < count)))


def spelled(label: Any, states: Sequence[str]) -> str:
    """A labelling in the names of its states, shortened; other labels as they print."""
    part, text = np.ravel(label)[: MOST_LETTERS + 1], str(label)
    if are_states(part, len(states)):
        names = [states[y] for y in part]
        text = ("" if all(len(name) == 1 for name in names) else " ").join(names)
    return text if len(text) <= MOST_LETTERS else text[: MOST_LETTERS - 1] + "…"
