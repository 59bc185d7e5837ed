"""One against the rest and one against one: how many machines, what each is, and how they answer together."""

from typing import Any

import numpy as np
import pytest

from explorer.baselines.binary_machines import Committee, Machine, one_vs_one, one_vs_rest
from explorer.engine.contracts import Dataset
from explorer.engine.data import toys
from explorer.engine.learners import FrankWolfe, NSlack, OneSlack, Perceptron, Subgradient
from explorer.engine.refusals import Refused
from explorer.engine.runs.streams import Until
from explorer.engine.structures.classes.binary import Binary
from tests.catalogue import points


def corners(per_class: int = 10, seed: int = 0) -> Dataset:
    """Four clouds around the corners of a square, well apart."""
    rng = np.random.default_rng(seed)
    centres = 4.0 * np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]])
    labels = np.repeat(np.arange(4), per_class)
    return Dataset("corners", centres[labels] + rng.normal(size=(4 * per_class, 2)), labels)


@pytest.mark.spec("A7")
def test_four_classes_make_four_machines_against_the_rest_and_six_against_each_other() -> None:
    data = corners()
    rest, pairs = (make(data, 4, NSlack(C=10.0)) for make in (one_vs_rest, one_vs_one))
    assert [(m.positive, m.negative) for m in rest.machines] == [(k, None) for k in range(4)]
    assert [(m.positive, m.negative) for m in pairs.machines] == [
        (0, 1),
        (0, 2),
        (0, 3),
        (1, 2),
        (1, 3),
        (2, 3),
    ]
    assert [m.problem.n for m in rest.machines] == [40] * 4
    assert [m.problem.n for m in pairs.machines] == [20] * 6
    assert [int(m.problem.dataset.labels.sum()) for m in (*rest.machines, *pairs.machines)] == [10] * 10


@pytest.mark.spec("A7")
@pytest.mark.parametrize("make", [one_vs_rest, one_vs_one])
@pytest.mark.parametrize(
    "learner", [NSlack(C=10.0), OneSlack(C=10.0), FrankWolfe(C=10.0), Subgradient(C=10.0)]
)
def test_separable_classes_are_learned_with_any_learner(make: Any, learner: Any) -> None:
    committee = make(corners(), 4, learner, bias="regularised", rule=Until(passes=60.0))
    assert committee.mean_loss(corners()) == 0.0
    assert committee.mean_loss(corners(seed=1)) <= 0.05
    assert committee.predict(np.array([4.0, 4.0])) == 0
    assert committee.predict(np.array([-4.0, -4.0])) == 2


def test_every_machine_is_the_binary_machine_of_its_classes() -> None:
    data = corners()
    learner = NSlack(C=3.0, eps=1e-8)
    rule = Until(relative_gap=1e-9)
    two = one_vs_one(data, 4, learner, bias="regularised", rule=rule).machines[3]
    here = (data.labels == 1) | (data.labels == 2)
    alone = Binary(Dataset("1, 2", data.inputs[here], (data.labels[here] == 1).astype(int)), "regularised")
    *_, last = learner.steps(alone, np.random.default_rng(0))
    assert two.w == pytest.approx(last.w, abs=1e-6)
    assert two.scores(data.inputs[:3]) == pytest.approx(alone.row(data.inputs[:3]) @ last.w, abs=1e-5)


def machine(positive: int, negative: int | None, w: list[float]) -> Machine:
    """A machine on two features without a bias."""
    return Machine(positive, negative, Binary(points(features=2, classes=2), "none"), np.array(w))


def test_the_largest_score_wins_and_ties_go_to_the_smaller_class() -> None:
    rest = Committee(
        3, tuple(machine(k, None, w) for k, w in enumerate(([1.0, 0.0], [0.0, 1.0], [-1.0, -1.0])))
    )
    assert rest.predictions(np.array([[2.0, 1.0], [1.0, 2.0], [-1.0, -1.0], [1.0, 1.0], [0.0, 0.0]])) == [
        0,
        1,
        2,
        0,
        0,
    ]


def test_the_most_votes_win_and_ties_go_to_the_smaller_class() -> None:
    # 0 beats 1 where x > 0, 0 beats 2 where y > 0, 1 beats 2 where x + y > 0.
    pairs = Committee(3, (machine(0, 1, [1.0, 0.0]), machine(0, 2, [0.0, 1.0]), machine(1, 2, [1.0, 1.0])))
    assert pairs.tally([[1.0, 1.0]]).tolist() == [[2.0, 1.0, 0.0]]
    assert pairs.predict([1.0, 1.0]) == 0
    assert pairs.tally([[-1.0, 3.0]]).tolist() == [[1.0, 2.0, 0.0]]
    assert pairs.predict([-1.0, 3.0]) == 1
    assert pairs.tally([[-1.0, -1.0]]).tolist() == [[0.0, 1.0, 2.0]]
    # 1 beats 0, 0 beats 2, 2 beats 1: one vote each.
    assert pairs.tally([[-3.0, 1.0]]).tolist() == [[1.0, 1.0, 1.0]]
    assert pairs.predict([-3.0, 1.0]) == 0
    assert pairs.tally([[0.0, 0.0]]).tolist() == [[2.0, 1.0, 0.0]], (
        "on a plane the smaller class has the vote"
    )


def test_the_baselines_do_about_as_well_as_each_other_on_overlapping_classes() -> None:
    train, test = toys.animals_and_cars(seed=0)
    losses = [make(train, 4, NSlack(C=40.0)).mean_loss(test) for make in (one_vs_rest, one_vs_one)]
    assert max(losses) < 0.4, "guessing would be wrong three times in four"


def test_the_same_seed_makes_the_same_machines() -> None:
    first, second = (
        one_vs_rest(corners(), 4, Subgradient(), rule=Until(passes=5.0), seed=3) for _ in range(2)
    )
    for a, b in zip(first.machines, second.machines, strict=True):
        assert np.array_equal(a.w, b.w)


@pytest.mark.parametrize("make", [one_vs_rest, one_vs_one])
def test_what_cannot_be_told_apart_is_refused(make: Any) -> None:
    with pytest.raises(Refused, match="class 2 has no example"):
        make(Dataset("two of three", np.eye(2), [0, 1]), 3, NSlack())
    with pytest.raises(Refused, match="give at least two"):
        make(Dataset("one", np.eye(2), [0, 0]), 1, NSlack())
    with pytest.raises(Refused, match="example 1"):
        make(Dataset("nan", np.array([[0.0], [np.nan]]), [0, 1]), 2, NSlack())
    with pytest.raises(Refused, match="perceptron"):
        make(corners(), 4, Refusing())


class Refusing(Perceptron):
    """A learner that takes nothing."""

    def refuses(self, problem: Any) -> str | None:
        return "This perceptron takes nothing."
