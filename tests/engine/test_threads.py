"""Work in parts: every item once, and the same numbers whatever the number of threads."""

import numpy as np
import pytest

from explorer.engine import threads
from explorer.engine.structures.chains.problem import Chain
from tests.catalogue import chains


@pytest.mark.parametrize("count", ["1", "2", "5"])
@pytest.mark.parametrize("size", [0, 1, 63, 64, 1001])
def test_every_item_is_worked_on_once(monkeypatch: pytest.MonkeyPatch, count: str, size: int) -> None:
    monkeypatch.setenv("EXPLORER_THREADS", count)
    seen = np.zeros(size + 3, dtype=int)

    def work(a: int, b: int) -> None:
        seen[a:b] += 1

    threads.in_parts(work, 3, size + 3)
    assert seen.tolist() == [0, 0, 0, *[1] * size]


def test_a_fault_in_a_part_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EXPLORER_THREADS", "2")

    def work(a: int, b: int) -> None:
        if a > 0:
            raise ArithmeticError("in the second part")

    with pytest.raises(ArithmeticError, match="second part"):
        threads.in_parts(work, 0, 100)


def test_the_number_of_threads_changes_no_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = Chain(chains(150, seed=7), 3)
    w = np.random.default_rng(0).normal(size=problem.dim)
    monkeypatch.setenv("EXPLORER_THREADS", "1")
    alone = problem.worst(w)
    monkeypatch.setenv("EXPLORER_THREADS", "4")
    assert np.array_equal(problem.worst(w), alone)


def test_answers_come_in_their_order_whatever_thread_gave_them() -> None:
    assert threads.each(lambda i: i * i, 3, 9) == [9, 16, 25, 36, 49, 64]
    assert threads.each(lambda i: i, 2, 2) == []


def test_a_limit_holds_while_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EXPLORER_THREADS", "5")
    with threads.at_most(1):
        assert threads.workers() == 1
        with threads.at_most(0):
            assert threads.workers() == 1
    assert threads.workers() == 5
