"""What every learner promises, on every small problem it does not refuse."""

import math
from dataclasses import fields, replace
from functools import lru_cache
from itertools import islice

import numpy as np
import pytest

from explorer.engine.contracts import Dataset
from explorer.engine.data.toys import circle, four_points, two_gaussians
from explorer.engine.events import Step
from explorer.engine.learners import (
    CRF,
    LEARNERS,
    Bundle,
    FrankWolfe,
    NSlack,
    OneSlack,
    PiecewiseField,
    PseudoLikelihoodField,
    SequentialDual,
    StochasticCRF,
    name_of,
)
from explorer.engine.losses import CostMatrix, Hamming, ZeroOne
from explorer.engine.objective import HINGE
from explorer.engine.pricing import Pricing
from explorer.engine.runs.streams import Until, train
from explorer.engine.structures.chains.oracles import Enumerate
from explorer.engine.structures.chains.problem import Chain
from explorer.engine.structures.classes.binary import Binary
from explorer.engine.structures.classes.multiclass import Multiclass
from explorer.engine.structures.classes.own import Listed, Plain
from tests.local_referee import conditional_sums, piece_sums, sums_optimum
from tests.referee import Optimum, likelihood_optimum, optimum

COSTS = CostMatrix(((0, 1, 3), (2, 0, 1), (1, 4, 0)))


def chain_data(seed: int, n: int = 4, states: int = 2, features: int = 2, longest: int = 3) -> Dataset:
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, longest + 1, n)
    labels = tuple(rng.integers(0, states, t) for t in lengths)
    inputs = tuple(np.eye(states, features)[y] + 0.7 * rng.normal(size=(len(y), features)) for y in labels)
    return Dataset("chain", inputs, labels)


def points(seed: int, n: int = 8, classes: int = 3, features: int = 2) -> Dataset:
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, classes, n)
    return Dataset("points", np.eye(classes, features)[labels] + 0.6 * rng.normal(size=(n, features)), labels)


def own_problem() -> Plain:
    """Only a feature map, a loss and two oracles, in plain Python: pick the number that fits."""
    data = Dataset("mine", [0.4, 1.1, 1.9, 0.1, 2.2], [0, 1, 2, 0, 2])

    def psi(x, y):
        return np.array([x * y, -0.5 * y * y])

    def delta(y, guess):
        return abs(y - guess) / 2.0

    def argmax(w, x):
        return max(range(3), key=lambda y: w @ psi(x, y))

    def worst(w, x, y):
        return max(range(3), key=lambda guess: delta(y, guess) + w @ psi(x, guess))

    return Plain(data, psi, delta, argmax, worst, dim=2, exact=True)


def listed() -> Listed:
    mine = own_problem()
    return Listed(mine.dataset, mine.psi, mine.delta, lambda x: range(3), 2)


PROBLEMS = {
    "four points": Multiclass(four_points(), 2),
    "circle": Multiclass(circle(), 3),
    "costs": Multiclass(points(1), 3, delta=COSTS),
    "slack scaled costs": Multiclass(points(2), 3, delta=COSTS, pricing=Pricing("slack")),
    "squared slack": Multiclass(points(3), 3, pricing=Pricing("margin", "squared")),
    "squared slack, slack scaled": Multiclass(points(3), 3, delta=COSTS, pricing=Pricing("slack", "squared")),
    "binary": Binary(two_gaussians(per_class=6, distance=1.0, seed=1)[0], bias="regularised"),
    "chain": Chain(chain_data(0), 2),
    "chain, zero-one": Chain(chain_data(1), 2, delta=ZeroOne()),
    "chain, slack scaled": Chain(chain_data(2), 2, delta=Hamming(normalised=True), pricing=Pricing("slack")),
    "chain, enumerated, no ends": Chain(chain_data(3), 2, ends=False, separator=Enumerate()),
    "own problem": own_problem(),
    "own problem, listed": listed(),
}
C = 3.0
FIELDS = (CRF, StochasticCRF, PseudoLikelihoodField, PiecewiseField)


SUMS = {"PseudoLikelihood": conditional_sums, "PieceLikelihood": piece_sums}


@lru_cache
def best_of(problem, price: float, objective=HINGE) -> Optimum:
    if objective is HINGE:
        return optimum(problem, price)
    sums = SUMS.get(type(objective).__name__)
    return sums_optimum(problem, sums(problem), price) if sums else likelihood_optimum(problem, price)


def made(kind: type, **settings: object):
    known = {f.name for f in fields(kind)}
    return kind(**{name: v for name, v in {"C": C, "eps": 1e-6, **settings}.items() if name in known})


CASES = [
    pytest.param(kind, problem, id=f"{name_of(kind)} on {name}")
    for kind in LEARNERS
    for name, problem in PROBLEMS.items()
    if made(kind).refuses(problem) is None
]
REFUSALS = [
    (kind, problem) for kind in LEARNERS for problem in PROBLEMS.values() if made(kind).refuses(problem)
]


def steps(learner, problem, count: int, seed: int = 0, state=None) -> list[Step]:
    return list(islice(learner.steps(problem, np.random.default_rng(seed), state), count))


@pytest.mark.spec("A1")
def test_a_problem_of_plain_python_functions_trains_with_every_learner_that_needs_no_more_than_oracles() -> (
    None
):
    refusing = [name_of(kind) for kind in LEARNERS if made(kind).refuses(own_problem())]
    chains_only = ["pseudo-likelihood", "piecewise", "hidden-markov"]
    assert refusing == ["binary-perceptron", "crf", "stochastic-crf", *chains_only]
    unlisted = [name_of(kind) for kind in LEARNERS if made(kind).refuses(listed())]
    assert unlisted == ["binary-perceptron", *chains_only]


def test_a_refusal_is_one_sentence() -> None:
    assert REFUSALS
    for kind, problem in REFUSALS:
        reason = made(kind).refuses(problem)
        assert reason.endswith(".")
        assert len(reason) < 250
        assert reason[0].isupper()


@pytest.mark.parametrize(("kind", "problem"), CASES)
def test_the_same_seed_makes_the_same_run_and_no_step_changes_afterwards(kind, problem) -> None:
    first = steps(made(kind), problem, 8)
    copies = [step.w.copy() for step in first]
    again = steps(made(kind), problem, 8)
    assert [s.k for s in first] == list(range(len(first)))
    for one, two, copy in zip(first, again, copies, strict=True):
        assert np.array_equal(one.w, two.w)
        assert np.array_equal(one.w, copy)
        assert (one.bounds.dual == two.bounds.dual) or math.isnan(one.bounds.dual)


@pytest.mark.parametrize(("kind", "problem"), CASES)
def test_resuming_from_a_keyframe_goes_on_bit_for_bit(kind, problem) -> None:
    whole = steps(made(kind), problem, 9)
    for cut in range(len(whole) - 1):
        later = steps(made(kind), problem, len(whole) - cut - 1, seed=99, state=whole[cut].state)
        for one, two in zip(whole[cut + 1 :], later, strict=True):
            assert one.k == two.k
            assert np.array_equal(one.w, two.w)


@pytest.mark.parametrize(("kind", "problem"), CASES)
def test_bounds_hold_the_true_optimum_between_them(kind, problem) -> None:
    if not hasattr(problem, "labellings"):
        problem = PROBLEMS["own problem, listed"]
    objective = kind.objective or HINGE
    best = best_of(problem, C, objective)
    assert best.upper - best.lower <= 1e-8 * best.upper
    for step in steps(made(kind), problem, 30):
        assert not step.bounds.dual > best.upper * (1 + 1e-9)
        assert not step.bounds.primal < best.lower * (1 - 1e-9)
        if not math.isnan(step.bounds.primal):
            known = objective.measure(problem, step.w, C).value
            assert step.bounds.primal == pytest.approx(known, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(("kind", "problem"), CASES)
def test_the_lower_bound_never_falls(kind, problem) -> None:
    if kind not in (NSlack, OneSlack, FrankWolfe, SequentialDual, Bundle, *FIELDS):
        return
    duals = np.array([step.bounds.dual for step in steps(made(kind), problem, 30)])
    assert np.all(np.diff(duals) >= -1e-9 * np.abs(duals[:-1]) - 1e-12)


@pytest.mark.parametrize(("kind", "problem"), CASES)
def test_a_closed_generator_ends_at_once(kind, problem) -> None:
    run = made(kind).steps(problem, np.random.default_rng(0))
    next(run)
    run.close()
    with pytest.raises(StopIteration):
        next(run)


EXACT = [
    pytest.param(learner, problem, id=f"{type(learner).__name__} {getattr(learner, 'order', '')} on {name}")
    for learner in (
        *(NSlack(C=C, eps=1e-7, order=order) for order in ("batch", "solve first", "each")),
        OneSlack(C=C, eps=1e-7),
        OneSlack(C=C, eps=1e-7, cache=3),
        Bundle(C=C, eps=1e-7),
        SequentialDual(C=C),
        SequentialDual(C=C, cached_passes=0, keep=1, sampling="gap"),
        CRF(C=C),
        PseudoLikelihoodField(C=C),
        PiecewiseField(C=C),
    )
    for name, problem in PROBLEMS.items()
    if learner.refuses(problem) is None and hasattr(problem, "labellings")
]


def end(learner, problem, state=None) -> Step:
    """The step whose gap is nothing, or the last of 400."""
    for step in islice(learner.steps(problem, np.random.default_rng(0), state), 400):
        if step.bounds.gap <= 1e-9 * max(1.0, abs(step.bounds.dual)):
            break
    return step


@pytest.mark.parametrize(("learner", "problem"), EXACT)
def test_the_last_step_is_the_optimum_and_a_changed_c_goes_on_to_its_own(learner, problem) -> None:
    last = end(learner, problem)
    best = best_of(problem, C, learner.objective)
    assert learner.objective.measure(problem, last.w, C).value == pytest.approx(
        best.value, rel=1e-5, abs=1e-6
    )
    assert last.bounds.dual == pytest.approx(best.value, rel=1e-5, abs=1e-6)
    for price in (0.5 * C, 2.0 * C):
        warm = end(replace(learner, C=price), problem, last.state)
        found = learner.objective.measure(problem, warm.w, price).value
        assert found == pytest.approx(best_of(problem, price, learner.objective).value, rel=1e-5, abs=1e-6)


def random_problem(seed: int):
    rng = np.random.default_rng(seed)
    pricing = Pricing("slack" if seed % 3 == 0 else "margin")
    if seed % 2:
        delta = COSTS if seed % 4 == 1 else ZeroOne()
        return Multiclass(points(seed, n=int(rng.integers(2, 7))), 3, delta=delta, pricing=pricing)
    return Chain(chain_data(seed, n=int(rng.integers(2, 5))), 2, pricing=pricing)


@pytest.mark.parametrize("batch", range(10))
def test_every_exact_learner_finds_the_optimum_of_two_hundred_random_problems(batch: int) -> None:
    for seed in range(20 * batch, 20 * batch + 20):
        problem = random_problem(seed)
        price = float(10.0 ** np.random.default_rng(seed).uniform(-2, 2))
        best = optimum(problem, price)
        learners = [NSlack(C=price, order=order) for order in ("batch", "solve first", "each")]
        for learner in (
            *learners,
            OneSlack(C=price),
            Bundle(C=price),
            SequentialDual(C=price),
            FrankWolfe(C=price),
        ):
            # Frank-Wolfe closes its gap slowly: it must be right about the gap it has, not small.
            rule = Until(passes=40.0 if isinstance(learner, FrankWolfe) else 0.0)
            *_, last, _ = train(problem, replace_eps(learner), rule=rule, look_every=10)
            assert last.bounds.certificate
            assert last.bounds.dual <= best.upper * (1 + 1e-9) + 1e-12
            assert best.lower <= last.bounds.primal * (1 + 1e-9) + 1e-12
            assert last.bounds.primal - best.upper <= max(last.bounds.gap, 0.0) + 1e-9 * best.upper + 1e-12
            assert last.bounds.relative_gap <= 1.001e-3 or isinstance(learner, FrankWolfe)


def replace_eps(learner):
    """A cut tolerance fine enough for the relative gap to be the rule that stops the run."""
    return replace(learner, eps=1e-9) if hasattr(learner, "eps") else learner
