"""Parts of a lab's link: what cannot be read is left as it was, with a sentence about it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

Choice = TypeVar("Choice", bound=Any)


def with_part(
    choice: Choice,
    name: str,
    text: str,
    ranges: Mapping[str, tuple[float, float]],
    menus: Mapping[str, Any],
    faults: list[str],
) -> Choice:
    """The choice with one more part, or unchanged and one more fault."""
    kind = type(getattr(choice, name))
    try:
        value = kind(text)
    except ValueError:
        value = None
    low, high = ranges.get(name, (0, 1000))
    if value is None or value not in menus.get(name, (value,)) or (kind is not str and not low <= value <= high):
        faults.append(f"The link's {name} cannot be {text[:40]!r}; {getattr(choice, name)} is used.")
        return choice
    return replace(choice, **{name: value})
