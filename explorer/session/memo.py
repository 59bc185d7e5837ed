"""Things made once per process and shared by everybody: whoever asks first makes them, others wait or look in
later.
"""

import threading
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import Generic, TypeVar

X = TypeVar("X")
T = TypeVar("T")


class Once(Generic[X, T]):
    """A function that never does the same work twice, even when two threads ask at the same time.

    `key` is what has to be equal for two askers to share; by default, what they ask for.
    """

    def __init__(
        self, make: Callable[[X], T], most: int = 32, key: Callable[[X], Hashable] = lambda asked: asked
    ) -> None:
        self.make, self.most, self.key = make, most, key
        self._lock = threading.Lock()
        self._made: dict[Hashable, Future[T]] = {}

    def __call__(self, asked: X) -> T:
        """The value, made now unless somebody has made or is making it; a failure is not kept."""
        key = self.key(asked)
        with self._lock:
            found = self._made.pop(key, None)
            value = self._made[key] = found or Future()
            self._let_go()
        if found is None:
            self._fill(key, asked, value)
        return value.result()

    def _fill(self, key: Hashable, asked: X, value: "Future[T]") -> None:
        try:
            value.set_result(self.make(asked))
        except BaseException as fault:  # noqa: BLE001  # handed to whoever waits for the value
            value.set_exception(fault)
            with self._lock:
                self._made.pop(key, None)

    def _let_go(self) -> None:
        """Forget what was asked for longest ago."""
        for key in list(self._made)[: max(0, len(self._made) - self.most)]:
            del self._made[key]

    def put(self, asked: X, value: T) -> None:
        """Take in a value that was made elsewhere."""
        done: Future[T] = Future()
        done.set_result(value)
        with self._lock:
            self._made[self.key(asked)] = done
            self._let_go()

    def forget(self, matches: Callable[[Hashable], bool]) -> None:
        """Let go of the values whose keys match."""
        with self._lock:
            for key in [key for key in self._made if matches(key)]:
                del self._made[key]

    def ready(self, asked: X) -> T | None:
        """The value if it is there; never waits."""
        with self._lock:
            value = self._made.get(self.key(asked))
        return value.result() if value is not None and value.done() and value.exception() is None else None


__all__ = ["Once"]
