"""No page waits for data: a worker makes what is larger than usual, and refuses what is too large."""

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.catalogue.tasks import TASKS
from explorer.engine.knobs import knobs
from explorer.session import problem_cache
from explorer.session.memo import Once
from explorer.session.pool import Pool
from explorer.session.problem_cache import is_at_hand, larger_settings, problem_of
from explorer.session.problems.weight import weigh
from explorer.session.runner import InThread
from explorer.session.state import Session
from tests.waiting import wait_until


class Elsewhere(InThread):
    """A runner whose page is waited for by others, in one process."""

    elsewhere = True


@pytest.fixture
def runner() -> Iterator[Elsewhere]:
    made = Elsewhere()
    yield made
    made.close()


def largest(name: str) -> Recipe:
    """A task with all numbers of its data as large as they may be; refused ones as they usually are."""
    data: dict[str, Any] = {}
    for setting, default, declared in knobs(next(task for task in TASKS if task.name == name).data):
        if not isinstance(default, bool | str) and declared.high is not None:
            data[setting] = type(default)(declared.high)
    return Recipe(name, data)


@pytest.mark.parametrize("name", [task.name for task in TASKS])
def test_a_page_makes_no_larger_data_than_usual_and_costs_little_time(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Orders go nowhere here: what is counted is the work of the page's own thread."""
    monkeypatch.setattr(Elsewhere, "order", lambda *args: None)
    runner, made = Elsewhere(), list[list[str]]()
    build = Recipe.problem
    monkeypatch.setattr(
        Recipe, "problem", lambda recipe: made.append(larger_settings(recipe)) or build(recipe)
    )
    fresh = Once(lambda recipe: recipe.problem(), 10**9, problem_cache._problem_key)
    monkeypatch.setattr(problem_cache, "_problems", fresh)
    problem_of(Recipe(name))  # code is loaded
    began = time.thread_time()
    session = Session(largest(name), runner)
    session.play()
    assert time.thread_time() - began < 0.1
    assert all(larger == [] for larger in made)
    session.close()
    runner.close()


def test_larger_data_arrive_from_a_worker_and_what_was_asked_meanwhile_is_done() -> None:
    pool = Pool(1)
    session = Session(Recipe("circle"), pool)
    session.apply(Recipe("two-gaussians", {"per_class": 30}))
    assert session.problem.n == 40
    assert session.message == "Making the data …"
    session.play()
    assert session.status == "running"
    wait_until(lambda: len(session.trace) > 0, session.collect)
    assert session.problem.n == 60
    assert session.trained_under.data["per_class"] == 30
    session.close()
    pool.close()


def test_an_edit_keeps_the_run_until_its_data_are_there(runner: Elsewhere) -> None:
    session = Session(Recipe("two-gaussians"), runner)
    session.choices.data.per_class = 35
    assert session.problem.n == 40
    wait_until(lambda: session.problem.n == 70, session.collect)
    session.close()


def test_data_that_hold_too_much_are_refused_with_what_to_lower(
    runner: Elsewhere, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(problem_cache, "PAGE", 2000)
    session = Session(Recipe("two-gaussians", {"per_class": 33}), runner)
    session.play()
    wait_until(lambda: session.status == "failed", session.collect)
    assert "a page works with 0 MB; lower per_class" in session.message
    assert not is_at_hand(Recipe("two-gaussians", {"per_class": 33}))
    session.close()


def test_a_combination_that_is_refused_shows_its_sentence(runner: Elsewhere) -> None:
    for data in ({"points": 120}, {"points": 18}):
        session = Session(Recipe("clouds", data, oracle="integer program", loss="pairwise"), runner)
        session.play()
        if data["points"] == 120:
            wait_until(lambda s=session: s.status == "failed", session.collect)
            assert "integer program takes at most 60 items, not 120" in session.message
        assert session.problem.n == 6
        session.close()


def test_values_are_kept_by_their_size() -> None:
    once = Once(lambda n: "x" * n, most=10, size=len)
    for n in (4, 5, 6):
        once(n)
    assert (once.ready(4), once.ready(5), once.ready(6)) == (None, None, "xxxxxx")
    assert once(11) == "x" * 11
    assert once.ready(11) is None


def test_arrays_count_once_and_views_with_what_they_show() -> None:
    whole = np.zeros(1000)
    assert 8000 <= weigh({"a": whole, "b": [whole, whole]}) < 9000
    assert 8000 <= weigh([whole, whole[:10]]) < 9000
