"""A glance: the step under the pointer, looked at for as long as the pointer is there.

Whatever moves on from the glanced step - a click, a step, the run - ends the glance without a return.
"""

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from explorer.session.state import Session


class Position(NamedTuple):
    """Where a page stands: the step, how far into the next one, and whether it moves on with the run."""

    cursor: int
    phase: int
    following: bool


class Glance:
    """At most one glance of a session."""

    def __init__(self, session: "Session") -> None:
        self.session = session
        self._at = self._before = Position(-1, 0, False)

    def _now(self) -> Position:
        return Position(self.session.cursor, self.session.phase, self.session.following)

    def begin(self, at: int) -> None:
        """Look at a recorded step; `end` returns to the step looked at before the first of several."""
        if not self.active:
            self._before = self._now()
        self._at = Position(self.session.clip(at), 0, False)
        self.session.param.update(**self._at._asdict())

    @property
    def active(self) -> bool:
        """Whether the step is only glanced at: nothing has moved on from there since."""
        return self._now() == self._at

    @property
    def settled(self) -> int:
        """The step to which the page returns; without a glance, the step that is looked at."""
        return self._before.cursor if self.active else int(self.session.cursor)

    def end(self) -> None:
        """Return; to the newest step if the page followed the run."""
        if self.active:
            at = self.session.newest if self._before.following else self._before.cursor
            self.forget()
            self.session.param.update(**self._before._replace(cursor=at)._asdict())

    def forget(self) -> None:
        """Stay where the page is."""
        self._at = Position(-1, 0, False)


__all__ = ["Glance", "Position"]
