"""The better of greedy search and belief propagation."""

import numpy as np
import pytest

from explorer.engine.structures.fields.oracles.belief import Belief
from explorer.engine.structures.fields.oracles.combine import Combine
from explorer.engine.structures.fields.oracles.greedy import Greedy
from tests.engine.structures.fields.oracles.sample_fields import (
    better,
    complete,
    mixed,
    optimum,
)


@pytest.mark.spec("D8")
def test_on_1000_complete_problems_it_is_optimal_in_91_per_cent_and_rarely_far_off() -> None:
    fields = complete(1000, 10)
    labels = Combine().solve(fields).labels
    worse = better(fields, labels)
    assert 0.87 <= np.mean(worse == 0) <= 0.95
    assert worse.mean() < 2
    own = fields.scores(labels)
    assert np.all(own >= fields.scores(Greedy().solve(fields).labels))
    assert np.all(own >= fields.scores(Belief().solve(fields).labels))


@pytest.mark.parametrize("states", [1, 2, 3, 4])
def test_it_is_the_better_of_both_with_the_same_settings(states: int) -> None:
    fields = mixed(np.random.default_rng(states), states, n=60)
    parents = [Greedy("nodewise").solve(fields), Belief(20, 0.3, 1e-4).solve(fields)]
    labels = Combine("nodewise", 20, 0.3, 1e-4).solve(fields).labels
    best = np.maximum(*(fields.scores(parent.labels) for parent in parents))
    assert np.array_equal(fields.scores(labels), best)
    assert np.all(best <= optimum(fields) + 1e-9)
