"""Rooms: one visitor leads, others look at the same step of the same run, until they leave.

A room has a code that followers know and a key that only its leader has, so that both survive a reload.
Nothing is kept of anybody: a room counts who follows and holds what is shown, no names. It lives in this
process, and closes some hours after its leader showed something for the last time.
"""

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.refusals import Refused
from explorer.engine.runs.trace import Trace

MOST_ROOMS = 64
HOURS = 6.0
LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"
"""Without I and O, which are taken for digits."""

SIZE = 6


class TeacherLook(NamedTuple):
    """What a leader looks at; `length` tells that the trace, which is shared, has grown."""

    recipe: Recipe
    trace: Trace
    length: int
    cursor: int
    phase: int
    example: int
    split: str
    view: str


@dataclass(slots=True, eq=False)
class ClassRoom:
    """One leader, what is shown, and who follows."""

    code: str
    key: str
    used: float
    look: TeacherLook | None = None
    version: int = 0
    followers: set[object] = field(default_factory=set)

    def show(self, look: TeacherLook) -> None:
        """Let everybody look at this; the same again changes nothing."""
        if self.look is None or not is_same(self.look, look):
            self.look, self.version = look, self.version + 1


def is_same(a: TeacherLook, b: TeacherLook) -> bool:
    """Whether nothing has moved."""
    return a.trace is b.trace and a.recipe.key() == b.recipe.key() and a[2:] == b[2:]


class Rooms:
    """The rooms of this process."""

    def __init__(self, most: int = MOST_ROOMS, clock: Callable[[], float] = time.monotonic) -> None:
        self.most, self.clock = most, clock
        self._rooms: dict[str, ClassRoom] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._rooms)

    def open(self) -> ClassRoom:
        """A new room; refused where there are too many."""
        with self._lock:
            self._close_unused()
            if len(self._rooms) >= self.most:
                raise Refused(f"{self.most} classes are open already; try again when one of them has ended")
            code = "".join(secrets.choice(LETTERS) for _ in range(SIZE))
            room = self._rooms[code] = ClassRoom(code, secrets.token_urlsafe(12), self.clock())
            return room

    def find(self, code: str) -> ClassRoom:
        """The room of a code; refused where there is none."""
        room = self._rooms.get(code.strip().upper())
        if room is None:
            raise Refused("there is no class with this code; ask for it again, or look on without it")
        return room

    def lead(self, ticket: str) -> ClassRoom:
        """The room that `code.key` leads; refused without the right key."""
        code, _, key = ticket.partition(".")
        room = self.find(code)
        if not secrets.compare_digest(room.key.encode(), key.encode()):
            raise Refused("this link does not lead the class; open a class of your own")
        room.used = self.clock()
        return room

    def keep(self, room: ClassRoom) -> None:
        """The leader is still there."""
        room.used = self.clock()

    def _close_unused(self) -> None:
        """Close what nobody has led for hours."""
        late = self.clock() - HOURS * 3600
        for code in [code for code, room in self._rooms.items() if room.used < late]:
            del self._rooms[code]


ROOMS = Rooms()
"""Those of this server."""

__all__ = ["ROOMS", "ClassRoom", "Rooms", "TeacherLook", "is_same"]
