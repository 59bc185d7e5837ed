"""Which hook was called when: what the running flowchart shows."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from explorer.engine.compiled import clock

MOST = 50_000
"""Calls that are kept in their order; all are counted."""


class HookCall(NamedTuple):
    """One call of a hook, or one `solve` of the engine, by one of the two programs."""

    program: str
    hook: str


class CallLog:
    """Calls in their order, how many there were of each, and how long they took."""

    def __init__(self) -> None:
        self.program = "learn"
        self.calls: list[HookCall] = []
        self.counts: Counter[HookCall] = Counter()
        self.seconds: Counter[HookCall] = Counter()

    @contextmanager
    def note(self, hook: str) -> Iterator[None]:
        """Count a call, and time it."""
        call = HookCall(self.program, hook)
        self.counts[call] += 1
        if len(self.calls) < MOST:
            self.calls.append(call)
        began = clock()
        try:
            yield
        finally:
            self.seconds[call] += clock() - began  # type: ignore[assignment]

    def hooks(self, program: str = "learn") -> list[str]:
        """The hooks that a program called, in order."""
        return [call.hook for call in self.calls if call.program == program]
