"""Shared values are made once, also when several threads ask at the same time."""

import threading

import pytest

from explorer.session.memo import Once


def test_threads_that_ask_together_share_one_piece_of_work() -> None:
    made: list[str] = []

    begun, all_ask = threading.Event(), threading.Event()

    def slow(key: str) -> object:
        made.append(key)
        begun.set()
        all_ask.wait()
        return object()

    once, found = Once(slow), []
    threads = [threading.Thread(target=lambda: found.append(once("a"))) for _ in range(5)]
    for thread in threads:
        thread.start()
    begun.wait()
    all_ask.set()
    for thread in threads:
        thread.join()
    assert made == ["a"]
    assert len(set(map(id, found))) == 1


def test_looking_never_makes_or_waits() -> None:
    held = threading.Event()
    once = Once(lambda key: held.wait())
    assert once.ready("a") is None
    asking = threading.Thread(target=once, args=("a",))
    asking.start()
    assert once.ready("a") is None
    held.set()
    asking.join()
    assert once.ready("a") is True


def test_a_failure_reaches_who_asked_and_is_tried_again() -> None:
    tries: list[int] = []

    def second_time(key: str) -> str:
        tries.append(1)
        if len(tries) == 1:
            raise ValueError("not yet")
        return key

    once = Once(second_time)
    with pytest.raises(ValueError, match="not yet"):
        once("a")
    assert once.ready("a") is None
    assert once("a") == "a"


def test_what_was_asked_for_longest_ago_is_let_go_first() -> None:
    once = Once(str, most=2)
    for key in (1, 2, 1, 3):
        once(key)
    assert (once.ready(1), once.ready(2), once.ready(3)) == ("1", None, "3")
