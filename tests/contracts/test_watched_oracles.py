"""A user's oracle that is not what it is said to be is found out by every learner, and certifies nothing."""

from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from explorer.engine.contracts import Dataset
from explorer.engine.events import NOT_EXACT, Evaluated, Step, Stopped
from explorer.engine.learners import LEARNERS, NSlack, OneSlack, SequentialDual, name_of
from explorer.engine.pricing import Pricing
from explorer.engine.refusals import NotExact, Refused
from explorer.engine.runs import saved
from explorer.engine.runs.path import path
from explorer.engine.runs.streams import Until, train
from explorer.engine.runs.trace import Trace
from explorer.engine.structures.classes.own import Plain
from tests.catalogue import PRICINGS, plain

CLASSES = 4


def features(x: Any, y: int) -> Any:
    return np.kron(np.eye(CLASSES)[y], x)


def distance(y: int, z: int) -> float:
    return 3.0 * abs(y - z)


def best(w: Any, x: Any) -> int:
    return max(range(CLASSES), key=lambda y: w @ features(x, y))


def ranked(choose: Callable[..., int], w: Any, x: Any, y: int) -> int:
    return choose(range(CLASSES), key=lambda z: distance(y, z) + w @ features(x, z))


def problem_with(worst: Callable[..., int], exact: bool = True) -> Plain:
    rng = np.random.default_rng(0)
    data = Dataset("mine", list(rng.normal(size=(12, 2))), [int(y) for y in rng.integers(0, CLASSES, 12)])
    return Plain(data, features, distance, best, worst, 2 * CLASSES, exact)


RIGHT = problem_with(lambda w, x, y: ranked(max, w, x, y))
MISTAKES = {
    "forgets the loss": lambda w, x, y: best(w, x),
    "always the truth": lambda w, x, y: y,
    "minimises": lambda w, x, y: ranked(min, w, x, y),
    "always the first": lambda w, x, y: 0,
}
WATCHED = [kind for kind in LEARNERS if kind().refuses(RIGHT) is None]


def made(kind: type, **settings: object) -> Any:
    known = {f.name for f in fields(kind)}
    return kind(**{name: value for name, value in {"C": 5.0, **settings}.items() if name in known})


def run(problem: Plain, learner: Any, passes: float = 30.0, **how: Any) -> Trace:
    trace = Trace()
    for event in train(problem, learner, rule=Until(passes=passes), look_every=5.0, **how):
        trace.append(event)
    return trace


@pytest.mark.parametrize("mistake", MISTAKES)
@pytest.mark.parametrize("kind", WATCHED, ids=name_of)
def test_a_wrong_oracle_that_is_said_to_be_exact_certifies_nothing(kind: type, mistake: str) -> None:
    trace = run(problem_with(MISTAKES[mistake]), made(kind))
    certified = [at for at in range(len(trace)) if trace.certified(at)]
    bounded = np.isfinite(trace.column("primal")) & np.isfinite(trace.column("dual"))
    assert not any(bounded[at] for at in certified)
    if kind.certifies or mistake != "forgets the loss":
        assert trace.stops[-1][1].reason == NOT_EXACT
        assert not certified
        assert "does not return the most violated labelling" in trace.disproof
        assert "explorer check" in trace.disproof


@pytest.mark.parametrize("kind", WATCHED, ids=name_of)
def test_a_right_oracle_is_never_accused(kind: type) -> None:
    for pricing in PRICINGS:
        problem = plain(pricing)
        if made(kind).refuses(problem) is None:
            assert run(problem, made(kind)).disproof == ""


@pytest.mark.parametrize("kind", WATCHED, ids=name_of)
def test_what_nobody_claims_is_no_certificate_and_no_fault(kind: type) -> None:
    trace = run(replace(RIGHT, exact=False), made(kind))
    assert trace.disproof == ""
    assert not any(trace.certified(at) for at in range(len(trace)))
    assert trace.doubt(len(trace) - 1) == "the oracle is not claimed exact"


def test_an_oracle_of_a_users_own_is_not_claimed_exact_unless_its_user_says_so() -> None:
    mine = Plain(RIGHT.dataset, RIGHT.psi, RIGHT.delta, RIGHT.argmax, RIGHT.worst, RIGHT.dim)
    assert not mine.oracle_is_exact
    assert mine.oracle_kind == "unclaimed"


def test_a_proof_takes_the_certificate_from_the_steps_before_it_too_also_after_saving(tmp_path: Path) -> None:
    calls = 0

    def tires(w: Any, x: Any, y: int) -> int:
        nonlocal calls
        calls += 1
        return ranked(max, w, x, y) if calls < 50 else y

    trace = Trace()
    was_certified = False
    for event in train(problem_with(tires), OneSlack(C=5.0, eps=1e-9), rule=Until(relative_gap=0.0)):
        trace.append(event)
        was_certified |= len(trace) > 0 and trace.certified(0)
    assert was_certified
    assert not trace.certified(0)
    saved.save(tmp_path / "run.zip", {}, trace)
    loaded = saved.load(tmp_path / "run.zip").trace
    assert loaded.disproof == trace.disproof != ""
    assert not any(loaded.certified(at) for at in range(len(loaded)))


@pytest.mark.parametrize("kind", [NSlack, OneSlack, SequentialDual])
def test_a_path_of_a_wrong_oracle_ends_with_the_proof(kind: type) -> None:
    with pytest.raises(NotExact, match="most violated"):
        list(path(problem_with(MISTAKES["forgets the loss"]), made(kind, eps=0.0), 0.1, 10.0, 0.1))


def test_the_truth_alone_is_disproved_by_the_last_look_although_both_bounds_are_zero() -> None:
    events = list(train(problem_with(MISTAKES["always the truth"]), OneSlack(), rule=Until(relative_gap=0.1)))
    first = next(event for event in events if isinstance(event, Step))
    assert (first.bounds.primal, first.bounds.dual) == (0.0, 0.0)
    assert isinstance(events[-1], Stopped)
    assert events[-1].reason == NOT_EXACT
    assert "the prediction for example" in events[-1].sentence
    assert not any(isinstance(event, Evaluated) for event in events)


def test_a_wrong_oracle_under_slack_scaling_is_found_out() -> None:
    good = plain(Pricing("slack"))
    trace = run(replace(good, worst=lambda w, x, y: y), OneSlack(C=5.0))
    assert trace.stops[-1][1].reason == NOT_EXACT


def test_answers_are_compared_with_a_few_earlier_ones_at_no_oracle_call_of_their_own() -> None:
    asked: list[Any] = []

    def counted(w: Any, x: Any, y: int) -> int:
        asked.append(y)
        return ranked(max, w, x, y)

    trace = run(problem_with(counted), OneSlack(C=5.0), passes=10.0)
    looks = int(np.isfinite(trace.column("mean_slack")).sum())
    assert len(asked) == trace.column("oracle_calls")[-1] + looks * RIGHT.n


BROKEN = {
    "wrong size": {"psi": lambda x, y: features(x, y) if y == 0 else np.zeros(3)},
    "NaN": {"psi": lambda x, y: features(x, y) * (1.0 if y == 0 else np.nan)},
    "no vector": {"psi": lambda x, y: features(x, y) if y == 0 else None},
    "negative loss": {"delta": lambda y, z: -distance(y, z)},
    "loss that is no number": {"delta": lambda y, z: distance(y, z) and np.nan},
}


@pytest.mark.parametrize("mistake", BROKEN)
@pytest.mark.parametrize("kind", WATCHED, ids=name_of)
def test_features_and_losses_that_are_none_are_refused_by_every_learner(kind: type, mistake: str) -> None:
    """All truths are class 0, so that the problem can be made; learners ask about other classes."""
    zeros = Dataset("zeros", RIGHT.dataset.inputs, [0] * RIGHT.n)
    problem = replace(RIGHT, dataset=zeros, worst=lambda w, x, y: 3, argmax=lambda w, x: 3, **BROKEN[mistake])
    with pytest.raises(Refused, match=r"psi of example|delta is"):
        list(train(problem, made(kind), rule=Until(passes=3.0)))
