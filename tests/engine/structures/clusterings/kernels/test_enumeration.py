"""The best of all partitions against a plain list of them."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from explorer.engine.pricing import Pricing
from explorer.engine.structures.clusterings.kernels.enumeration import best_partition
from explorer.engine.structures.clusterings.losses import Mitre, Normalised, Pairwise
from explorer.engine.structures.clusterings.oracles._kernel_question import kernel_question
from explorer.engine.structures.clusterings.partitions import all_partitions
from explorer.engine.structures.clusterings.question import Question
from tests.engine.structures.clusterings.oracles.figures import gaussian, pairs_of

PRICINGS = [Pricing(a, b) for a, b in product(("margin", "slack"), ("linear", "squared"))]


@pytest.mark.parametrize("delta", [None, Pairwise(), Mitre(), Normalised()], ids=repr)
def test_the_best_partition_is_the_first_best_of_the_list(delta: Any) -> None:
    for m, groups in ((1, None), (2, None), (5, None), (1, 1), (4, 1), (5, 2), (5, 3), (4, 4)):
        for seed, pricing in enumerate(PRICINGS):
            truth = pairs_of(m, seed)
            question = Question(
                gaussian(m, seed, 8.0), groups, None if delta is None else truth, delta, pricing
            )
            told = kernel_question(question)
            assert told is not None
            found, value = best_partition(told.K, groups or 0, told.stake)
            best = max(all_partitions(m, groups), key=question.value)
            assert value + told.constant == pytest.approx(question.value(best), abs=1e-9)
            assert question.value(found) == pytest.approx(question.value(best), abs=1e-9)


def test_ties_go_to_the_first_partition() -> None:
    told = kernel_question(Question(np.zeros((5, 5))))
    assert told is not None
    for k in (0, 2, 3, 5):
        found, value = best_partition(told.K, k, told.stake)
        assert value == 0.0
        assert np.array_equal(found, next(all_partitions(5, k or None)))
