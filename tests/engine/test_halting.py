"""A search ends inside when the flag of whoever it works for goes up."""

import threading
from collections.abc import Callable

import numpy as np
import pytest

from explorer.engine.data.random_fields import random_field
from explorer.engine.halting import Cancelled, Flag, flag, halt, new_flag, under, within
from explorer.engine.structures.clusterings.oracles.integer_program import IntegerProgram
from explorer.engine.structures.clusterings.question import Question
from explorer.engine.structures.fields.oracles.branch_and_bound import BranchAndBound
from explorer.engine.threads import at_most, in_parts
from tests.waiting import wait_until


def tangled_field() -> object:
    """Every labelling of a field of 60 nodes, all joined, would take ages."""
    return BranchAndBound(most=10_000_000).solve(random_field(60, 4))


def tangled_items() -> object:
    """So would every clustering of 60 items without any structure."""
    K = np.random.default_rng(0).normal(size=(60, 60))
    return IntegerProgram().solve(Question(K + K.T))


@pytest.mark.parametrize("search", [tangled_field, tangled_items])
def test_a_search_for_ages_is_cancelled(search: Callable[[], object]) -> None:
    raised, ends = new_flag(), list[str]()

    def work() -> None:
        with under(raised):
            try:
                search()
                ends.append("answer")
            except Cancelled:
                ends.append("cancelled")

    thread = threading.Thread(target=work)
    thread.start()
    raised[0] = 1
    wait_until(lambda: not thread.is_alive())
    assert ends == ["cancelled"]


def test_parts_on_other_threads_have_the_flag_of_the_thread_that_hands_them_out() -> None:
    raised, seen = new_flag(), list[Flag]()
    with under(raised), at_most(2):
        in_parts(lambda a, b: seen.append(flag()), 0, 2, small=1)
    assert len(seen) >= 1
    assert all(one is raised for one in seen)


def test_without_anybodys_flag_nothing_is_cancelled() -> None:
    halt()
    raised = new_flag()
    raised[0] = 1
    with under(raised), pytest.raises(Cancelled):
        halt()
    halt()


def test_a_search_ends_when_its_time_is_up() -> None:
    with pytest.raises(Cancelled), within(0.05):
        tangled_field()
