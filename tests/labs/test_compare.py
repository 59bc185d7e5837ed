"""Oracles on one question: who is asked how often, who waits, what counts as the best, and what is timed."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

from explorer.engine.contracts import Effort
from explorer.engine.data.random_fields import random_field
from explorer.engine.refusals import Refused
from explorer.engine.structures.fields.oracles.branch_and_bound import BranchAndBound
from explorer.labs import compare as labs_compare
from explorer.labs.compare import CALLS, Bench, Reply, ask, compare, hindrance, time_calls


@dataclass(frozen=True)
class Adder:
    """Answers one more than it is asked; its work is the number."""

    title: ClassVar[str] = "adder of the tests"
    by: int = 1

    def refuses(self, question: int) -> str | None:
        return "below zero; ask for more" if question < 0 else None

    def effort(self, question: int) -> Effort:
        return Effort(question, f"{question} are many", 10, 100)

    def solve(self, question: int) -> int:
        if question == 7:
            raise Refused("seven is not for me")
        return question + self.by


def reply(oracle: Any, question: int, patient: bool = False) -> Reply:
    return ask(oracle, question, lambda asked, answer: {"value": answer, "score": answer}, "under", patient)


def given(name: str, kind: str, score: float, bound: float = math.inf) -> Reply:
    return Reply(name, kind, labels=np.zeros(1, dtype=np.int64), score=score, value=score, bound=bound)


def test_a_reply_has_the_oracles_name_with_its_settings_and_what_was_read_of_its_answer() -> None:
    found = reply(Adder(by=3), 5)
    assert (found.name, found.title, found.value) == ("adder of the tests(by=3)", "adder of the tests", 8)


def test_refusals_are_said_whether_they_come_before_or_while_solving() -> None:
    assert reply(Adder(), -1).refused == "below zero; ask for more"
    assert reply(Adder(), 7).refused == "seven is not for me"


def test_much_work_waits_to_be_asked_and_too_much_is_refused() -> None:
    assert hindrance(Adder(), 10, patient=False) == ("", False)
    reason, waits = hindrance(Adder(), 11, patient=False)
    assert waits
    assert reason.startswith("11 are many, so it runs when you press")
    assert hindrance(Adder(), 11, patient=True) == ("", False)
    reason, waits = hindrance(Adder(), 101, patient=True)
    assert (reason, waits) == ("101 are many, so here it takes smaller instances only", False)


def test_a_bench_asks_nobody_twice_but_those_who_waited() -> None:
    asked = []
    bench = Bench(50, lambda oracle, *more: asked.append(oracle.by) or reply(oracle, *more))
    assert [one.waits for one in bench.replies([Adder(), Adder(2)])] == [True, True]
    bench.replies([Adder(), Adder(2)])
    assert asked == [1, 2]
    assert [one.value for one in bench.replies([Adder()], patient=True)] == [51]
    assert [one.waits for one in bench.replies([Adder(), Adder(2)], patient=True)] == [False, False]
    assert asked == [1, 2, 1, 2]


def test_the_first_call_of_a_process_is_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = iter(range(1000))
    monkeypatch.setattr(labs_compare.time, "perf_counter", lambda: 1e-6 * next(ticks))
    monkeypatch.setattr(labs_compare, "WARM", set())
    calls: list[int] = []
    for expected in (CALLS + 1, CALLS):
        calls.clear()
        answer, seconds = time_calls("new", lambda: calls.append(0) or 5)
        assert (answer, seconds, len(calls)) == (5, pytest.approx(1e-6), expected)


def test_the_best_is_proven_by_an_exact_oracle_or_by_a_bound_that_it_reaches() -> None:
    slack = lambda top: 1e-9  # noqa: E731
    exact = compare(0, [given("a", "under", 3.0), given("b", "exact", 4.0, 4.0)], slack)
    assert (exact.top, exact.proven, exact.bound) == (4.0, True, 4.0)
    reached = compare(0, [given("a", "under", 4.0), given("b", "over", 3.0, 4.0)], slack)
    assert (reached.top, reached.proven) == (4.0, True)
    loose = compare(0, [given("a", "under", 4.0), given("b", "over", 3.0, 4.5)], slack)
    assert (loose.proven, loose.bound, loose.gap(loose.replies[1])) == (False, 4.5, 1.0)
    nobody = compare(0, [Reply("a", "exact", refused="no")], slack)
    assert (nobody.best, nobody.proven, nobody.with_answer) == (None, False, [])


def test_whoever_is_on_the_wrong_side_of_a_proven_best_is_named() -> None:
    replies = [given("a", "exact", 4.0, 4.0), given("b", "under", 4.0), given("c", "over", 3.0, 3.0)]
    assert compare(0, replies, lambda top: 1e-9).wrong_side() == ["c"]
    assert compare(0, replies[1:], lambda top: 1e-9).wrong_side() == ["c"], "a bound below an answer"


def test_a_search_that_takes_too_long_waits_to_be_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(labs_compare, "LIMIT", 0.05)
    monkeypatch.setattr(labs_compare, "PATIENT", 0.1)
    tangled = random_field(36, 4)
    oracle = BranchAndBound(most=10_000_000)
    monkeypatch.setattr(BranchAndBound, "effort", lambda self, fields: Effort(1, "", 100))
    reply = ask(oracle, tangled, lambda *_: {}, "exact")
    assert reply.waits
    assert "runs when you press" in reply.refused
    patient = ask(oracle, tangled, lambda *_: {}, "exact", patient=True)
    assert not patient.waits
    assert "was stopped after" in patient.refused
