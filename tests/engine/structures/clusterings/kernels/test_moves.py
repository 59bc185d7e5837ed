"""Moves of single items: gains by definition, and tables that stay what they would be if made anew."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from explorer.engine.pricing import Pricing
from explorer.engine.structures.clusterings.kernels.moves import (
    best_move,
    group_items,
    least_move,
    move,
    settle,
    sweep,
)
from explorer.engine.structures.clusterings.losses import Mitre, Normalised, Pairwise
from explorer.engine.structures.clusterings.oracles._kernel_question import kernel_question
from explorer.engine.structures.clusterings.partitions import canonical
from explorer.engine.structures.clusterings.question import Question
from tests.engine.structures.clusterings.oracles.figures import gaussian

QUESTIONS = [
    Question(gaussian(9, n, 5.0), 3, canonical(np.arange(9) % 3), delta, Pricing(scaling, penalty))
    for n, (delta, scaling, penalty) in enumerate(
        product((Pairwise(), Mitre(), Normalised()), ("margin", "slack"), ("linear", "squared"))
    )
]


def start(seed: int) -> Any:
    labels = np.random.default_rng(seed).permutation(np.arange(9) % 3)
    return labels.astype(np.int64)


@pytest.mark.parametrize(
    "question", [Question(gaussian(9, 50), 3), *QUESTIONS], ids=lambda q: f"{q.delta} {q.pricing}"
)
def test_the_best_move_is_the_best_of_all_clusters_by_definition(question: Question) -> None:
    told = kernel_question(question)
    assert told is not None
    labels = start(1)
    state = group_items(told.K, 3, told.stake, labels.copy())
    now = question.value(canonical(labels))
    for i in range(9):
        tried = np.repeat(labels[None], 3, axis=0)
        tried[:, i] = np.arange(3)
        gains = [
            question.value(canonical(row)) - now if c != labels[i] else 0.0 for c, row in enumerate(tried)
        ]
        to, gain, _, _ = best_move(told.K, told.stake, state, i, 1e-9)
        assert to == int(np.argmax(gains)) or gains[to] == pytest.approx(max(gains), abs=1e-9)
        if to != labels[i]:
            assert gain == pytest.approx(gains[to], rel=1e-9, abs=1e-9)


def test_tables_after_moves_are_those_of_the_clustering() -> None:
    for question in QUESTIONS[::3]:
        told = kernel_question(question)
        assert told is not None
        state = group_items(told.K, 3, told.stake, start(2))
        for i, b in ((0, 1), (4, 2), (0, 2), (7, 0)):
            if state.labels[i] != b:
                move(told.K, told.stake, state, i, b)
        anew = group_items(told.K, 3, told.stake, state.labels.copy())
        for one, other in zip(state[:-1], anew[:-1], strict=True):
            assert np.allclose(one, other, atol=1e-9)


def test_sweeps_never_empty_a_cluster_and_end_where_settling_ends() -> None:
    for question in QUESTIONS[::2]:
        told = kernel_question(question)
        assert told is not None
        starts = np.stack([start(seed) for seed in range(4)])
        ends = starts.copy()
        best, value = settle(told.K, 3, told.stake, ends)
        values = [question.value(canonical(row)) for row in ends]
        assert value + told.constant == pytest.approx(max(values), abs=1e-8)
        assert values[best] == pytest.approx(max(values), abs=1e-8)
        state = group_items(told.K, 3, told.stake, starts[0])
        logs = np.empty(9, np.int64), np.empty((9, 2), np.int64), np.empty((9, 2))
        while sweep(told.K, told.stake, state, least_move(told.K, told.stake), *logs):
            assert state.size.min() >= 1
        assert np.array_equal(state.labels, ends[0])
