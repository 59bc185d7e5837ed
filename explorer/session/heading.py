"""Where a link leads: a step that is looked at as soon as it has been trained, and not left again.

It is reached together with the events that bring it, so that no page ever shows the run's last step in
between. Whatever stops or replaces the run ends the way there; another speed does not.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from explorer.session.state import Session


class Heading:
    """At most one step that a session is on its way to."""

    def __init__(self, session: "Session") -> None:
        self.session = session
        self._to: tuple[int, int] | None = None

    def take(self, at: int, phase: int = 0) -> None:
        """Look at this step, and that far into the next one: now, or as soon as the run has come there."""
        self._to = at, phase
        self.session.param.update(**self.arrive(self.session.status != "running"))

    def arrive(self, ended: bool) -> dict[str, Any]:
        """What is looked at now, if the step is on record or never will be."""
        session = self.session
        if self._to is None or (len(session.trace) <= self._to[0] and not ended):
            return {}
        (at, phase), self._to = self._to, None
        cursor = session.clip(at)
        return {"cursor": cursor, "following": False, "phase": phase if cursor < session.newest else 0}

    def forget(self) -> None:
        """Go nowhere."""
        self._to = None


__all__ = ["Heading"]
