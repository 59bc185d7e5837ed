"""What was computed lately, so that looking at it again costs nothing."""

from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Self


class Memory:
    """Values that are slow to make, at most `most` in size together; the least recently used goes first."""

    def __init__(self, most: int, size: Callable[[Any], int] = lambda value: 1) -> None:
        self.most, self.size, self.used = most, size, 0
        self.kept: OrderedDict[Any, Any] = OrderedDict()
        self.owners: tuple[Any, ...] = ()

    def of(self, *owners: Any) -> Self:
        """The same memory, emptied when the values would now be about something else."""
        if list(map(id, owners)) != list(map(id, self.owners)):
            self.kept.clear()
            self.owners, self.used = owners, 0
        return self

    def get(self, key: Any, make: Callable[[], Any]) -> Any:
        """What is remembered under the key, or what `make` makes now."""
        if key in self.kept:
            self.kept.move_to_end(key)
            return self.kept[key]
        self.kept[key] = made = make()
        self.used += self.size(made)
        while self.used > self.most and len(self.kept) > 1:
            self.used -= self.size(self.kept.popitem(last=False)[1])
        return made


__all__ = ["Memory"]
