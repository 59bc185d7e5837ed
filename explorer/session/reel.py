"""A run as a film: its recorded steps, one after the other, at a few steps a second.

It plays from the step that is looked at, from the first one if that is the last. At the end of the record it
goes on training, unless the run has ended. The clock is the caller's: the page asks for the next steps about
ten times a second.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from explorer.session.state import Session

FASTEST = 40.0
"""Steps a second where no speed is asked for: more than these nobody sees."""


class Reel:
    """Plays the steps of a session."""

    def __init__(self, session: "Session") -> None:
        self.session = session
        self._since = -1.0

    def toggle(self) -> None:
        """Play, or pause whatever moves."""
        if self.session.playing or self.session.status == "running":
            self.pause()
        else:
            self.start()

    def start(self) -> None:
        """Play from here; from the beginning where the run has ended here."""
        session = self.session
        if session.cursor >= session.newest and (session.has_next or not len(session.trace)):
            session.play(session.speed)
            return
        if session.cursor >= session.newest:
            session.seek(0)
        self._since = -1.0
        session.glance.forget()
        session.param.update(phase=0, playing=True, following=False)

    def pause(self) -> None:
        """Stay at this step."""
        self.session.playing = False
        self.session.pause()

    def advance(self, now: float) -> bool:
        """Show the steps that are due at this time, in seconds; returns whether anything moved."""
        session = self.session
        if not session.playing:
            return False
        if self._since < 0.0:
            self._since = now
        rate = session.speed or FASTEST
        due = int((now - self._since) * rate)
        if due <= 0:
            return False
        self._since += due / rate
        session.param.update(phase=0, cursor=session.clip(session.cursor + due), following=False)
        if session.cursor >= session.newest:
            session.playing = False
            if session.has_next:
                session.play(session.speed)
        return True


__all__ = ["Reel"]
