"""A problem of its user's own: plain functions, exact or not, trained, resumed and found out when they
lie.
"""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from explorer.engine.contracts import Dataset
from explorer.engine.events import Stopped
from explorer.engine.learners import NSlack, OneSlack
from explorer.engine.objective import value
from explorer.engine.pricing import Pricing, fingerprint
from explorer.engine.refusals import OracleFault
from explorer.engine.runs.streams import Until, train
from explorer.engine.structures.classes.own import Listed, Plain
from explorer.engine.vectors import Sparse
from tests import referee
from tests.catalogue import PRICINGS, every_order, listed, order_features, orders, plain, swapped_pairs


@pytest.mark.spec("A1")
@pytest.mark.parametrize("pricing", PRICINGS)
def test_four_plain_functions_train_to_the_optimum_of_the_enumerated_program(pricing: Pricing) -> None:
    best = referee.optimum(listed(pricing), 4.0)
    *_, last = NSlack(C=4.0, eps=1e-8, qp_tolerance=1e-12).steps(plain(pricing), np.random.default_rng(0))
    assert last.bounds.dual == pytest.approx(best.value, rel=1e-6)
    assert value(plain(pricing), last.w, 4.0) == pytest.approx(best.value, rel=1e-6)


def test_sparse_features_of_a_users_own_make_the_same_problem() -> None:
    def sparse_features(x: Any, y: Any) -> Sparse:
        whole = order_features(x, y)
        index = np.flatnonzero(whole)
        return Sparse(index, whole[index], len(whole))

    dense_, sparse_ = listed(Pricing()), replace(listed(Pricing()), psi=sparse_features)
    for w in np.random.default_rng(0).normal(size=(5, 3)):
        assert value(dense_, w, 1.0) == pytest.approx(value(sparse_, w, 1.0), rel=1e-12)


def test_inputs_and_labels_may_be_anything() -> None:
    def psi(x: str, y: str) -> Any:
        return np.array([float(x.count(c) * (y == "vowels") - (y == "rest")) for c in "aeiou"])

    words = ["banana", "rhythm", "queue", "crwth"]
    data = Dataset("words", words, ["vowels", "rest", "vowels", "rest"])
    problem = Listed(data, psi, lambda a, b: float(a != b), lambda x: ("vowels", "rest"), 5)
    *_, last = OneSlack(C=100.0).steps(problem, np.random.default_rng(0))
    assert [problem.predict(last.w, x) for x in words] == list(data.labels)


def test_an_oracle_that_forgets_what_it_knew_is_found_out_with_its_example() -> None:
    good = plain(Pricing())
    calls = {"count": 0}

    def tired(w: Any, x: Any, y: Any) -> Any:
        calls["count"] += 1
        return y if calls["count"] > 20 else good.worst(w, x, y)

    with pytest.raises(OracleFault, match=r"example \d"):
        list(NSlack(C=100.0, eps=1e-6).steps(replace(good, worst=tired), np.random.default_rng(0)))
    calls["count"] = 0
    approximate = replace(good, worst=tired, exact=False)
    *_, last = NSlack(C=100.0, eps=1e-6).steps(approximate, np.random.default_rng(0))
    assert not last.bounds.certificate


def test_a_fault_of_the_users_own_oracle_comes_through_unchanged() -> None:
    def broken(w: Any, x: Any, y: Any) -> Any:
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        list(train(replace(plain(Pricing()), worst=broken), OneSlack()))


def test_an_approximate_oracle_never_certifies() -> None:
    def lazy(w: Any, x: Any, y: Any) -> Any:
        return max(every_order(x)[:3], key=lambda z: swapped_pairs(y, z) + w @ order_features(x, z))

    problem = replace(plain(Pricing()), worst=lazy, exact=False)
    events = list(train(problem, OneSlack(C=5.0, eps=1e-6), rule=Until(relative_gap=1e-4), look_every=0.0))
    assert isinstance(events[-1], Stopped)
    for event in events[1:-1]:
        assert not event.bounds.certificate


# Prices are told apart.


def scaled_loss(factor: float, truth: Any, label: Any) -> float:
    return factor * swapped_pairs(truth, label)


def test_a_loss_made_again_with_another_factor_has_other_prices() -> None:
    first, second = partial(scaled_loss, 1.0), partial(scaled_loss, 2.0)
    assert fingerprint(first) != fingerprint(second)
    assert fingerprint(first) == fingerprint(partial(scaled_loss, 1.0))


def test_a_loss_that_was_edited_has_other_prices() -> None:
    namespace: dict[str, Any] = {}
    exec("def delta(a, b):\n    return 0.0 if a == b else 1.0", namespace)
    before = namespace["delta"]
    exec("def delta(a, b):\n    return 0.0 if a == b else 2.0", namespace)
    assert before.__qualname__ == namespace["delta"].__qualname__
    assert fingerprint(before) != fingerprint(namespace["delta"])


def test_a_method_is_told_apart_by_the_record_it_belongs_to() -> None:
    class Priced:
        def __init__(self, price: float) -> None:
            self.price = price

        def __repr__(self) -> str:
            return f"Priced({self.price})"

        def delta(self, a: Any, b: Any) -> float:
            return self.price * (a != b)

    assert fingerprint(Priced(1.0).delta) == fingerprint(Priced(1.0).delta)
    assert fingerprint(Priced(1.0).delta) != fingerprint(Priced(2.0).delta)


@pytest.mark.parametrize("learner", [NSlack(C=5.0, eps=1e-8), OneSlack(C=5.0, eps=1e-8)])
def test_going_on_with_another_loss_ends_at_its_own_optimum(learner: Any) -> None:
    def priced(factor: float) -> Plain | Listed:
        delta = partial(scaled_loss, factor)
        return Listed(orders(), order_features, delta, every_order, 3)

    *_, last = learner.steps(priced(3.0), np.random.default_rng(0))
    best = referee.optimum(priced(1.0), 5.0)
    for step in learner.steps(priced(1.0), np.random.default_rng(0), last.state):
        assert step.bounds.dual <= best.upper * (1 + 1e-9), "no lower bound from the old prices"
    assert step.bounds.dual == pytest.approx(best.value, rel=1e-6)
