"""Things made once per process and shared by everybody: whoever asks first makes them, others wait or look in later."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Generic, TypeVar

K = TypeVar("K")
T = TypeVar("T")


class Once(Generic[K, T]):
    """A function of a key that never does the same work twice, even when two threads ask at the same time."""

    def __init__(self, make: Callable[[K], T], most: int = 32) -> None:
        self.make = make
        self.most = most
        self._lock = threading.Lock()
        self._made: dict[K, Future[T]] = {}

    def __call__(self, key: K) -> T:
        """The value of a key, made now unless somebody has made or is making it; a failure is not kept."""
        with self._lock:
            found = self._made.pop(key, None)
            value = self._made[key] = found or Future()
            self._let_go()
        if found is None:
            self._fill(key, value)
        return value.result()

    def _fill(self, key: K, value: "Future[T]") -> None:
        try:
            value.set_result(self.make(key))
        except BaseException as fault:  # noqa: BLE001  # handed to whoever waits for the value
            value.set_exception(fault)
            with self._lock:
                self._made.pop(key, None)

    def _let_go(self) -> None:
        """Forget what was asked for longest ago."""
        for key in list(self._made)[: max(0, len(self._made) - self.most)]:
            del self._made[key]

    def ready(self, key: K) -> T | None:
        """The value if it is there; never waits."""
        with self._lock:
            value = self._made.get(key)
        return value.result() if value is not None and value.done() and value.exception() is None else None


__all__ = ["Once"]
