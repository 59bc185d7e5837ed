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

    `key` is what has to be equal for two askers to share; by default, what they ask for. At most `most` are
    kept, counted by their `size` (each as one, unless it is given); what was asked for longest ago goes
    first.
    """

    def __init__(
        self,
        make: Callable[[X], T],
        most: int = 32,
        key: Callable[[X], Hashable] = lambda asked: asked,
        size: Callable[[T], int] = lambda value: 1,
    ) -> None:
        self.make, self.most, self.key, self.size = make, most, key, size
        self._lock = threading.Lock()
        self._made: dict[Hashable, Future[T]] = {}
        self._sizes: dict[Hashable, int] = {}

    def __call__(self, asked: X) -> T:
        """The value, made now unless somebody has made or is making it; a failure is not kept."""
        key = self.key(asked)
        with self._lock:
            found = self._made.pop(key, None)
            value = self._made[key] = found or Future()
        if found is None:
            self._fill(key, asked, value)
        return value.result()

    def _fill(self, key: Hashable, asked: X, value: "Future[T]") -> None:
        try:
            made = self.make(asked)
            value.set_result(made)
            self._weigh(key, made)
        except BaseException as fault:  # noqa: BLE001  # handed to whoever waits for the value
            value.set_exception(fault)
            with self._lock:
                self._made.pop(key, None)

    def _weigh(self, key: Hashable, made: T) -> None:
        """Count a value, and forget what was asked for longest ago where all are too much."""
        size = self.size(made)
        with self._lock:
            self._sizes[key] = size
            self._sizes = {key: size for key, size in self._sizes.items() if key in self._made}
            total = sum(self._sizes.values())
            for old in [key for key in self._made if key in self._sizes]:
                if total <= self.most:
                    return
                total -= self._sizes.pop(old)
                del self._made[old]

    def put(self, asked: X, value: T) -> None:
        """Take in a value that was made elsewhere."""
        done: Future[T] = Future()
        done.set_result(value)
        with self._lock:
            self._made[self.key(asked)] = done
        self._weigh(self.key(asked), value)

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
