"""Constrained decoding by enumeration, and local learning that constraints make better step by step."""

import numpy as np
import pytest

from explorer.engine.contracts import Dataset
from explorer.engine.learners import SequentialDual
from explorer.engine.refusals import Refused
from explorer.engine.runs.streams import Until, train
from explorer.engine.structures.chains.oracles.viterbi import Chains
from explorer.engine.structures.chains.required import Constraints
from explorer.engine.structures.classes.multiclass import Multiclass
from tests import brute


@pytest.mark.parametrize("seed", range(30))
def test_the_best_labelling_under_constraints_is_that_of_enumeration(seed: int) -> None:
    rng = np.random.default_rng(seed)
    chain = brute.random_chain(rng, rng.integers(1, 6), 3)
    kinds = [frozenset(np.flatnonzero(rng.random(3) < 0.4).tolist()) for _ in range(2)]
    found = Constraints(*kinds).best(Chains(chain.unary, np.array([0, len(chain.unary)]), *chain[1:]))
    paths, scores = brute.all_paths_with_scores(chain)
    good = np.array([Constraints(*kinds).allow(path) for path in paths])
    if not good.any():
        assert found is None
        return
    assert found is not None
    assert brute.path_score(chain, found) == pytest.approx(scores[good].max())
    assert Constraints(*kinds).allow(found)


def roles(n: int, seed: int, length: int = 8) -> Dataset:
    """Sentences with one agent (1), one patient (2) and at most one place (3) among other words (0), and
    noisy signs of them.
    """
    rng = np.random.default_rng(seed)
    inputs, labels = [], []
    for _ in range(n):
        y = np.zeros(length, dtype=np.int64)
        at = rng.permutation(length)
        y[at[0]], y[at[1]] = 1, 2
        if rng.random() < 0.5:
            y[at[2]] = 3
        inputs.append(np.column_stack([np.eye(4)[y] + 0.6 * rng.normal(size=(length, 4)), np.ones(length)]))
        labels.append(y)
    return Dataset("roles", inputs, labels)


@pytest.mark.spec("C26")
def test_a_model_of_single_words_gets_better_with_every_constraint_that_inference_keeps_to() -> None:
    data, other = roles(150, 0), roles(300, 1)
    alone = Multiclass(Dataset("words", np.vstack(data.inputs), np.concatenate(data.labels)), 4)
    rule = Until(relative_gap=0.01)
    *_, last = (e for e in train(alone, SequentialDual(C=100.0), rule=rule) if hasattr(e, "w"))
    W, nothing = last.w.reshape(-1, 4), np.zeros(4)
    steps = [
        Constraints(),
        Constraints(once=frozenset({1, 2, 3})),
        Constraints(once=frozenset({1, 2, 3}), needed=frozenset({1})),
        Constraints(once=frozenset({1, 2, 3}), needed=frozenset({1, 2})),
    ]
    right = []
    for constraints in steps:
        found = []
        for x, y in zip(other.inputs, other.labels, strict=True):
            path = constraints.best(Chains(x @ W, np.array([0, len(x)]), np.zeros((4, 4)), nothing, nothing))
            found.append(path == y)
        right.append(float(np.mean(found)))
    assert right[-1] > right[0] + 0.01
    assert np.all(np.diff(right) >= 0.0)


def test_too_many_counted_labels_are_refused() -> None:
    with pytest.raises(Refused, match="at most 8"):
        Constraints(once=frozenset(range(9)))
