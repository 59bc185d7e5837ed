"""Keyframes: going on from one is the same run bit for bit, through a file too, and under other prices a
right one.
"""

import pickle
from dataclasses import replace
from functools import cache
from itertools import islice
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from explorer.engine.contracts import Dataset
from explorer.engine.events import Step
from explorer.engine.learners import (
    MIRA,
    SGD,
    Bundle,
    FrankWolfe,
    NSlack,
    OneSlack,
    Perceptron,
    SampledCuts,
    SequentialDual,
    Subgradient,
)
from explorer.engine.losses import CostMatrix, Hamming, ZeroOne
from explorer.engine.objective import value
from explorer.engine.pricing import Pricing
from explorer.engine.runs.streams import metered
from explorer.engine.structures.chains.problem import Chain
from explorer.engine.structures.classes.multiclass import Multiclass
from explorer.engine.vectors import Sparse
from tests import referee
from tests.catalogue import THREE, chains, listed, points


def wide_chains() -> Chain:
    """Sparse rows so wide that planes of many mistakes are dense and those of few are sparse."""
    rng = np.random.default_rng(0)
    inputs, labels = [], []
    for _ in range(30):
        y = rng.integers(0, 4, 6)
        x = (rng.random((6, 1030)) < 0.01) * rng.normal(size=(6, 1030))
        x[np.arange(6), y] += 0.5
        inputs.append(csr_array(x))
        labels.append(y)
    return Chain(Dataset("wide", tuple(inputs), tuple(labels)), 4)


CUTTING = (
    NSlack(C=50.0, eps=1e-6),
    NSlack(C=50.0, eps=1e-6, prune_after=1),
    NSlack(C=50.0, order="solve first", prune_after=2),
    NSlack(C=50.0, order="each", prune_after=3),
    OneSlack(C=50.0, eps=1e-6),
    OneSlack(C=50.0, eps=1e-6, prune_after=1),
    OneSlack(C=50.0, eps=1e-6, prune_after=3, cache=2),
    OneSlack(C=50.0, eps=1e-6, cache=10),
    Bundle(C=50.0, eps=1e-6),
    SampledCuts(C=50.0, fraction=0.5, prune_after=2),
    SampledCuts(C=50.0, fraction=0.5, rest="left out"),
)
OTHERS = (
    SequentialDual(C=50.0),
    SequentialDual(C=50.0, keep=1, moves=1, cached_passes=0, sampling="gap", certify_every=2),
    FrankWolfe(C=50.0),
    FrankWolfe(C=50.0, averaged=True, sampling="gap", passes_per_step=2),
    Subgradient(C=50.0),
    Subgradient(C=50.0, batch="all", average=True, every=2),
    SGD(C=50.0, every=3),
    SGD(cost="plain", order="cyclic"),
    Perceptron(proof=False),
    Perceptron(averaged=True, every="update", proof=False),
    MIRA(averaged=False),
    MIRA(),
)
PLACES = {
    "multiclass": lambda: Multiclass(points(30, seed=1), 3),
    "chains": lambda: Chain(chains(12, longest=6, seed=1), 3),
    "wide chains": wide_chains,
    "listed": lambda: listed(Pricing(), n=12),
}


def run(learner: Any, problem: Any, count: int, state: Any = None, seed: int = 0) -> list[Step]:
    return list(islice(metered(problem, learner, np.random.default_rng(seed), state), count))


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("learner", [*CUTTING, *OTHERS], ids=repr)
def test_a_resumed_run_is_the_same_run_bit_for_bit(learner: Any, place: str) -> None:
    problem = PLACES[place]()
    many_planes = not isinstance(learner, OneSlack | Bundle | SampledCuts)
    whole = run(learner, problem, 4 if many_planes and place == "wide chains" else 16)
    for cut in {0, 1, len(whole) // 2, len(whole) - 2} & set(range(len(whole) - 1)):
        again = run(learner, PLACES[place](), len(whole) - cut - 1, whole[cut].state, seed=99)
        for first, second in zip(whole[cut + 1 :], again, strict=True):
            assert np.array_equal(first.w, second.w), (cut, first.k)
            assert (first.k, first.oracle_calls) == (second.k, second.oracle_calls)
            assert repr(first.bounds) == repr(second.bounds)


def test_the_wide_chains_do_mix_dense_and_sparse_planes() -> None:
    *_, last = run(OneSlack(C=50.0, eps=1e-6), PLACES["wide chains"](), 16)
    kinds = {isinstance(plane.a, Sparse) for plane in last.state["planes"]}
    assert kinds == {True, False}


@pytest.mark.parametrize("learner", [*CUTTING, *OTHERS], ids=repr)
def test_a_keyframe_survives_being_stored(learner: Any) -> None:
    problem = PLACES["chains"]()
    whole = run(learner, problem, 6)
    stored = pickle.loads(pickle.dumps(whole[min(2, len(whole) - 1)].state))
    again = run(learner, problem, max(0, len(whole) - 3), stored)
    for first, second in zip(whole[3:], again, strict=True):
        assert np.array_equal(first.w, second.w)


def frozen(value_: Any) -> Any:
    """A deep copy in which nothing is shared."""
    return pickle.loads(pickle.dumps(value_))


def same(first: Any, second: Any) -> bool:
    if isinstance(first, np.ndarray):
        return np.array_equal(first, second, equal_nan=first.dtype.kind == "f")
    if isinstance(first, dict):
        return first.keys() == second.keys() and all(same(first[name], second[name]) for name in first)
    if isinstance(first, list | tuple):
        return len(first) == len(second) and all(map(same, first, second))
    if hasattr(first, "__slots__"):
        return all(same(getattr(first, name), getattr(second, name)) for name in first.__slots__)
    return bool(first == second) or first != first


@pytest.mark.parametrize("learner", [*CUTTING, *OTHERS], ids=repr)
def test_nothing_that_was_said_changes_afterwards(learner: Any) -> None:
    said, kept = [], []
    for step in islice(learner.steps(PLACES["chains"](), np.random.default_rng(0)), 8):
        said.append((step.w, step.state, step.detail, step.cuts))
        kept.append(frozen(said[-1]))
    assert all(map(same, said, kept))


# Another loss, another scaling: the cuts stay, their prices change, and no bound of the old prices survives.

PRICED = {
    "hamming": Chain(chains(6, seed=2), 3),
    "hamming, normalised": Chain(chains(6, seed=2), 3, Hamming(normalised=True)),
    "zero-one": Chain(chains(6, seed=2), 3, ZeroOne()),
    "cost matrix": Chain(chains(6, seed=2), 3, CostMatrix(THREE)),
    "slack scaling": Chain(chains(6, seed=2), 3, pricing=Pricing("slack")),
    "squared": Chain(chains(6, seed=2), 3, pricing=Pricing("margin", "squared")),
}
WARM = (
    NSlack(C=5.0, eps=1e-7, qp_tolerance=1e-12),
    OneSlack(C=5.0, eps=1e-7),
    OneSlack(C=5.0, eps=1e-7, cache=3),
    Bundle(C=5.0, eps=1e-7),
    FrankWolfe(C=5.0),
    FrankWolfe(C=5.0, averaged=True),
    SampledCuts(C=5.0, fraction=0.5, eps=1e-7),
    SequentialDual(C=5.0, certify_every=1),
)


@cache
def optimum_of(priced: str) -> referee.Optimum:
    return referee.optimum(PRICED[priced], 5.0)


@pytest.mark.parametrize("learner", WARM, ids=repr)
def test_going_on_under_other_prices_keeps_every_bound_true(learner: Any) -> None:
    for old, before in PRICED.items():
        if learner.refuses(before):
            continue
        state = run(learner, before, 12)[-1].state
        for new, after in PRICED.items():
            if old == new or learner.refuses(after):
                continue
            best = optimum_of(new)
            *_, last = later = run(learner, after, 300 if hasattr(learner, "eps") else 8, state)
            for step in later:
                assert not step.bounds.dual > best.upper * (1 + 1e-9), (old, new, step.k)
                assert not step.bounds.primal < best.lower * (1 - 1e-9), (old, new, step.k)
            if hasattr(learner, "eps") and learner.certifies:
                assert value(after, last.w, 5.0) == pytest.approx(best.value, rel=1e-5), (old, new)


@pytest.mark.parametrize("learner", WARM, ids=repr)
@pytest.mark.parametrize("factor", [0.5, 2.0, 1e3])
def test_going_on_with_another_c_keeps_every_bound_true(learner: Any, factor: float) -> None:
    problem = PRICED["hamming"]
    state = run(learner, problem, 12)[-1].state
    C = factor * 5.0
    best = referee.optimum(problem, C)
    for step in run(replace(learner, C=C), problem, 40, state):
        assert not step.bounds.dual > best.upper * (1 + 1e-9)
        assert not step.bounds.primal < best.lower * (1 - 1e-9)
