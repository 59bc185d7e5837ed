"""What every clusterer promises, for both models, every loss and pricing, held against enumeration.

Exact: the best value. Under-generating: a clustering, never above the best. Over-generating: a relaxed one,
never below it.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pytest

from explorer.engine.losses import ZeroOne
from explorer.engine.pricing import Pricing
from explorer.engine.structures.clusterings.losses import Mitre, Normalised, Pairwise
from explorer.engine.structures.clusterings.oracles import CLUSTER_ORACLES
from explorer.engine.structures.clusterings.partitions import (
    all_partitions,
    canonical,
    is_relaxed,
    pair_matrix,
)
from explorer.engine.structures.clusterings.question import Question
from tests.engine.structures.clusterings.oracles.figures import FIG_3_2, STAR, gaussian, pairs_of

every_oracle = pytest.mark.parametrize("oracle", CLUSTER_ORACLES, ids=lambda kind: kind.title)

PRICINGS = [
    Pricing(scaling, penalty) for scaling, penalty in product(("margin", "slack"), ("linear", "squared"))
]


class Case(NamedTuple):
    """A question, the best value by enumeration, and the size of the numbers that it is made of."""

    question: Question
    best: float
    size: float


def similarities() -> list[Any]:
    whole = np.random.default_rng(4).integers(-2, 3, (5, 5)).astype(float)
    return [
        np.array([[2.0]]),
        np.array([[1.0, -3.0], [-3.0, 2.0]]),
        np.array([[0.0, 0.5], [0.5, 0.0]]),
        whole + whole.T,
        np.zeros((4, 4)),
        gaussian(5, 0, 1e9),
        gaussian(5, 1, 1e-9),
        gaussian(5, 2, 10.0),
        gaussian(6, 3, 30.0),
        FIG_3_2,
        STAR,
    ]


def questions() -> Iterator[Question]:
    for n, K in enumerate(similarities()):
        truth = pairs_of(len(K), n)
        for groups in (None, int(truth.max()) + 1):
            yield Question(K, groups)
            for delta, pricing in product((Pairwise(), Mitre(), Normalised()), PRICINGS):
                yield Question(K, groups, truth, delta, pricing)
        yield Question(K, len(K))
        yield Question(K, 1)
        yield Question(K, None, truth, ZeroOne())
    for groups in (None, 4):
        yield Question(gaussian(8, 5), groups)
        yield Question(gaussian(8, 6), groups, pairs_of(8, 1), Pairwise() if groups is None else Normalised())
    yield Question(gaussian(7, 7, 20.0), None, pairs_of(7, 2), Mitre())
    yield Question(gaussian(6, 8, 20.0), 3, pairs_of(6, 2), ZeroOne(), Pricing("slack"))


@cache
def cases() -> list[Case]:
    found = []
    for question in questions():
        values = [question.value(label) for label in all_partitions(question.m, question.groups)]
        size = max(100.0 * question.asks_loss, np.max(np.abs(question.K)), *map(abs, values))
        found.append(Case(question, max(values), size))
    return found


def taken(oracle: Any) -> list[Case]:
    found = [case for case in cases() if oracle().refuses(case.question) is None]
    assert len(found) > 10, "every oracle takes some questions of one model at least"
    return found


def check_clustering(question: Question, label: Any) -> None:
    """A canonical partition with as many clusters as asked for, or shares that keep the relaxation's rows."""
    m, k = question.m, question.groups
    if not is_relaxed(label):
        assert label.shape == (m,)
        assert label.dtype == np.int64
        assert np.array_equal(label, canonical(label))
        assert k is None or label.max() + 1 == k
    elif k is not None:
        Y = label.reshape(m, k)
        assert np.allclose(Y.T @ Y, np.eye(k), atol=1e-9)
    else:
        e = pair_matrix(label, m, 1.0)
        assert np.all((e >= 0.0) & (e <= 1.0))
        assert np.all(e[:, :, None] + e[:, None, :] - e[None, :, :] <= 1.0 + 1e-5)


@pytest.mark.spec("C7", "C40")
@every_oracle
def test_values_are_right_for_the_oracles_kind(oracle: Any) -> None:
    for question, best, size in taken(oracle):
        label, bound = oracle().solve(question)
        found, room = question.value(label), 1e-7 * size
        check_clustering(question, label)
        assert bound >= best - 1e-9 * size
        assert oracle.kind == "over" or not is_relaxed(label)
        assert oracle.kind == "over" or found <= best + 1e-9 * size, "a clustering never beats the best one"
        assert oracle.kind == "under" or found >= best - room
        assert is_relaxed(label) or found <= best + 1e-9 * size, "a hard answer of a relaxation is optimal"
        assert bound >= found - 1e-9 * size


@every_oracle
def test_a_question_is_left_as_it_was_and_answered_the_same_way_again(oracle: Any) -> None:
    for question, _, _ in taken(oracle)[::5]:
        K, truth = question.K.copy(), None if question.truth is None else question.truth.copy()
        question.K.setflags(write=False)
        one, other = oracle().solve(question), oracle().solve(question)
        question.K.setflags(write=True)
        assert np.array_equal(question.K, K)
        assert truth is None or np.array_equal(question.truth, truth)
        assert np.array_equal(one.label, other.label)
        assert one.bound == other.bound


@every_oracle
def test_threads_do_not_change_answers(oracle: Any) -> None:
    asked = [case.question for case in taken(oracle)[::3]]
    alone = [oracle().solve(question) for question in asked]
    with ThreadPoolExecutor(4) as pool:
        for one, other in zip(alone, pool.map(oracle().solve, asked), strict=True):
            assert np.array_equal(one.label, other.label)
            assert one.bound == other.bound


@every_oracle
def test_what_cannot_be_answered_is_refused_with_the_fix(oracle: Any) -> None:
    K = gaussian(4, 0)
    assert any(fix in oracle().refuses(Question(K, 5)) for fix in ("ask for 1 to 4", "choose"))
    broken = K.copy()
    broken[1, 2] = np.nan
    for groups in (None, 2):
        assert oracle().refuses(Question(broken, groups))
    for case in cases():
        reason = oracle().refuses(case.question)
        assert reason is None or "choose" in reason


def test_each_model_has_exact_under_and_over_generating_oracles_for_its_own_loss() -> None:
    truth = pairs_of(6, 0)
    for question in (
        Question(gaussian(6, 0), None, truth, Pairwise()),
        Question(gaussian(6, 0), 3, truth, Normalised()),
    ):
        assert {oracle.kind for oracle in CLUSTER_ORACLES if not oracle().refuses(question)} == {
            "exact",
            "under",
            "over",
        }


def test_other_losses_are_left_to_the_oracles_that_can_take_any() -> None:
    truth = pairs_of(6, 0)
    free = Question(gaussian(6, 0), None, truth, Mitre())
    assert [oracle.title for oracle in CLUSTER_ORACLES if not oracle().refuses(free)] == [
        "all partitions",
        "greedy merges",
    ]
    kept = Question(gaussian(6, 0), 3, truth, Pairwise())
    assert [oracle.title for oracle in CLUSTER_ORACLES if not oracle().refuses(kept)] == [
        "all partitions",
        "iterative k-means",
    ]
