"""The catalogue, and what every learner promises: keyframes, reasons, refusals."""

import pickle
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

import explorer.engine.learners as folder
from explorer.engine.contracts import Learner, Problem
from explorer.engine.data.toys import two_gaussians
from explorer.engine.learners import (
    CRF,
    LEARNERS,
    MIRA,
    SGD,
    BinaryPerceptron,
    Bundle,
    FrankWolfe,
    HiddenMarkovModel,
    NSlack,
    OneSlack,
    Perceptron,
    PiecewiseField,
    PseudoLikelihoodField,
    SampledCuts,
    SequentialDual,
    StochasticCRF,
    Subgradient,
    by_name,
    name_of,
    suited_learner,
)
from explorer.engine.pricing import Pricing
from explorer.engine.refusals import Refused
from explorer.engine.structures.chains.problem import Chain
from explorer.engine.structures.classes.binary import Binary
from explorer.engine.structures.classes.convex_risk import ConvexRisk
from tests.catalogue import chains
from tests.engine.learners.toys import circle_toy, first, noisy

RUNS: tuple[tuple[Learner, Problem], ...] = (
    (
        BinaryPerceptron(init="random", eta=0.3),
        Binary(two_gaussians(30, 1.5, swapped=3)[0], bias="regularised"),
    ),
    (Perceptron(), noisy()),
    (Perceptron(averaged=True, every="update"), noisy()),
    (Subgradient(), noisy()),
    (Subgradient(average=True, every=7), noisy()),
    (Subgradient(batch="all", rule="1/t"), noisy()),
    (Subgradient(batch="all", rule="constant", average=True, every=3), noisy()),
    (SGD(), noisy()),
    (SGD(cost="plain", regularised=False, order="cyclic", every=11), noisy()),
    (NSlack(C=50.0), noisy()),
    (OneSlack(C=50.0), noisy()),
    (FrankWolfe(C=50.0), noisy()),
    (SequentialDual(C=50.0), noisy()),
    (FrankWolfe(C=50.0, averaged=True, sampling="gap", passes_per_step=2), noisy()),
    (Bundle(C=50.0), noisy()),
    (Bundle(C=5.0, eps=1e-9), ConvexRisk()),
    (SampledCuts(C=50.0), noisy()),
    (SampledCuts(C=50.0, rest="left out"), noisy()),
    (MIRA(), noisy()),
    (CRF(C=50.0), noisy()),
    (CRF(C=5.0, memory=2), circle_toy()),
    (StochasticCRF(C=5.0), noisy()),
    (StochasticCRF(C=5.0, expected="samples", eta=0.1), Chain(chains(), 3)),
    (PseudoLikelihoodField(C=5.0), Chain(chains(), 3)),
    (PiecewiseField(C=5.0), Chain(chains(), 3)),
)
ONCE = (HiddenMarkovModel(),)
"""Done after one step, so that there is nothing to take up."""


@pytest.mark.parametrize(("learner", "problem"), RUNS, ids=[repr(learner) for learner, _ in RUNS])
def test_a_run_taken_up_from_any_keyframe_is_the_same_run(learner: Learner, problem: Problem) -> None:
    whole = first(learner, problem, 7)
    shown = [step.w.copy() for step in whole]
    for at in (0, 2, 3):
        state = pickle.loads(pickle.dumps(dict(whole[at].state)))
        again = first(learner, problem, len(whole) - 1 - at, seed=99, state=state)
        for step, expected in zip(again, whole[at + 1 :], strict=True):
            assert step.k == expected.k
            assert np.array_equal(step.w, expected.w)
            assert repr(step.bounds) == repr(expected.bounds)
    assert all(np.array_equal(step.w, w) for step, w in zip(whole, shown, strict=True))


@pytest.mark.parametrize(("learner", "problem"), RUNS, ids=[repr(learner) for learner, _ in RUNS])
def test_the_same_seed_makes_the_same_run_and_problem_and_keyframe_stay_untouched(
    learner: Learner, problem: Problem
) -> None:
    once = first(learner, problem, 5)
    kept = pickle.dumps([dict(step.state) for step in once])
    again = first(learner, problem, 5)
    first(learner, problem, 3, state=once[1].state)
    assert [step.w.tolist() for step in once] == [step.w.tolist() for step in again]
    assert pickle.dumps([dict(step.state) for step in once]) == kept


def test_every_learner_of_the_folder_is_in_the_menu() -> None:
    files = {path.stem for path in Path(str(folder.__file__)).parent.glob("*.py")} - {"__init__"}
    assert sorted(name_of(learner) for learner in LEARNERS) == sorted(f.replace("_", "-") for f in files)
    assert {*(type(learner) for learner, _ in RUNS), *map(type, ONCE)} == set(LEARNERS)


def test_learners_are_found_by_name_or_refused_with_the_names_there_are() -> None:
    assert by_name("n-slack") is NSlack
    assert by_name("frank-wolfe") is FrankWolfe
    with pytest.raises(Refused, match="one-slack"):
        by_name("adam")


@pytest.mark.parametrize("learner", LEARNERS)
def test_every_setting_has_a_sentence_and_a_default_that_it_accepts(learner: type[Learner]) -> None:
    made = learner()
    assert all(f.metadata["knob"].help.endswith(".") for f in fields(made))  # type: ignore[arg-type]
    assert made.title
    assert made.paper


MINE = (BinaryPerceptron, Perceptron, Subgradient, SGD, FrankWolfe, SampledCuts, MIRA, CRF)


@pytest.mark.parametrize("learner", MINE)
def test_a_risk_without_examples_is_refused_with_one_sentence(learner: type[Learner]) -> None:
    reason = learner().refuses(ConvexRisk())
    assert reason is not None
    assert reason.count(".") == 1


def test_settings_out_of_range_are_refused() -> None:
    with pytest.raises(Refused, match="rule"):
        Subgradient(rule="adam")
    with pytest.raises(Refused, match="fraction"):
        SampledCuts(fraction=0.0)


def test_circle_toy_is_taken_by_every_structured_learner() -> None:
    others = {"binary-perceptron", "pseudo-likelihood", "piecewise", "hidden-markov"}
    assert {name_of(t) for t in LEARNERS if t().refuses(circle_toy())} == others


def test_a_problem_is_learned_by_who_suits_it() -> None:
    few, many = Chain(chains(20, seed=1), 3), Chain(chains(120, seed=1), 3)
    wide = Chain(chains(20, features=400, seed=1), 3)
    assert suited_learner(few)[0] is NSlack
    assert suited_learner(few, n=120)[0] is suited_learner(wide)[0] is SequentialDual
    assert suited_learner(many)[0] is SequentialDual
    assert (
        suited_learner(replace(many, pricing=Pricing(scaling="slack")))[0] is OneSlack
    )  # no compiled passes for that
    assert suited_learner(ConvexRisk())[0] is Bundle
    for problem in (few, many, ConvexRisk()):
        kind, why = suited_learner(problem)
        assert kind().refuses(problem) is None
        assert why
