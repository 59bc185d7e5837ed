"""Every problem refuses, in one sentence, what does not fit it, and predicts many inputs at once."""

from typing import Any

import numpy as np
import pytest

from explorer import predict_many
from explorer.engine.contracts import Dataset, members
from explorer.engine.data.toys import circle
from explorer.engine.learners import NSlack
from explorer.engine.pricing import Pricing
from explorer.engine.refusals import Refused
from explorer.engine.runs.streams import Until, train
from explorer.engine.structures.chains.problem import Chain
from explorer.engine.structures.classes.binary import Binary
from explorer.engine.structures.classes.convex_risk import ConvexRisk
from explorer.engine.structures.classes.multiclass import Multiclass
from explorer.engine.structures.classes.own import Listed, Plain
from explorer.engine.structures.clusterings.problem import Clustering
from explorer.engine.structures.clusterings.single_link import SingleLink
from explorer.engine.structures.fields.graph_map import GraphMap
from explorer.engine.structures.fields.problem import FieldLabelling
from explorer.engine.structures.trees.dual_problem import KernelTrees
from explorer.engine.structures.trees.problem import DependencyTrees
from tests.catalogue import PROBLEMS, listed, plain, small_graphs, small_sets

KINDS = {type(make()): make for make in PROBLEMS.values()}


def problems() -> list[Any]:
    return [pytest.param(make, id=kind.__name__) for kind, make in KINDS.items()]


def test_every_structure_is_asked() -> None:
    structures = {Binary, Multiclass, Chain, FieldLabelling, Clustering, DependencyTrees, Listed}
    assert structures <= set(KINDS)


@pytest.mark.parametrize("make", problems())
def test_weights_that_do_not_fit_are_refused_with_the_number_that_does(make: Any) -> None:
    problem = make()
    x = problem.dataset.inputs[0]
    good, broken = np.zeros(problem.dim), np.zeros(problem.dim)
    broken[-1] = np.nan
    for w in (good[:-1], np.append(good, 0.0), good[None], good[0], "weights"):
        for ask in (lambda w: problem.predict(w, x), lambda w: problem.oracle(w, 0)):
            with pytest.raises(Refused, match=str(problem.dim)):
                ask(w)
    for ask in (lambda w: problem.predict(w, x), lambda w: problem.oracle(w, 0)):
        with pytest.raises(Refused, match=f"nan at place {problem.dim - 1}"):
            ask(broken)
    assert problem.loss(0, problem.predict(list(good), x)) >= 0.0, "a list of numbers is a vector"


@pytest.mark.parametrize("make", problems())
def test_examples_that_are_not_there_are_refused(make: Any) -> None:
    problem = make()
    truth, w = problem.dataset.labels[0], np.zeros(problem.dim)
    for i in (-1, problem.n, 1.5, "first"):
        for ask in (
            lambda i: problem.oracle(w, i),
            lambda i: problem.features(i, truth),
            lambda i: problem.loss(i, truth),
        ):
            with pytest.raises(Refused, match=f"examples 0 to {problem.n - 1}"):
                ask(i)


@pytest.mark.parametrize("make", [m for m in problems() if m.id not in ("Listed", "Plain")])
def test_inputs_and_labels_that_do_not_fit_are_refused(make: Any) -> None:
    problem = make()
    w = np.zeros(problem.dim)
    for x in (
        np.zeros((2, 3, 4)),
        "input",
        None,
        np.full(np.shape(problem.dataset.inputs[0]) or (1,), np.nan),
    ):
        with pytest.raises(Refused, match="the input"):
            problem.predict(w, x)
    for label in (np.zeros(99, int), "label", None):
        for ask in (problem.features, problem.loss):
            with pytest.raises(Refused, match="example 0"):
                ask(0, label)


@pytest.mark.parametrize("make", problems())
def test_many_inputs_are_predicted_in_one_call_as_one_by_one(make: Any) -> None:
    problem = make()
    w = np.random.default_rng(0).normal(size=problem.dim)
    together = predict_many(problem, w, problem.dataset.inputs)
    for x, label in zip(problem.dataset.inputs, together, strict=True):
        assert np.array_equal(label, problem.predict(w, x))
    with pytest.raises(Refused, match=str(problem.dim)):
        predict_many(problem, w[:-1], problem.dataset.inputs)


def test_a_matrix_is_many_points_and_no_point() -> None:
    problem = Multiclass(circle(), 3)
    w = np.random.default_rng(0).normal(size=9)
    rows = np.random.default_rng(1).normal(size=(5, 3))
    with pytest.raises(
        Refused, match=r"shape \(5, 3\); give one row of 3 features, or many to `predict_many`"
    ):
        problem.predict(w, rows)
    assert predict_many(problem, w, rows) == [int(np.argmax(x @ w.reshape(3, 3))) for x in rows]
    with pytest.raises(Refused, match=r"input 1, row 0 has the value nan in feature 2"):
        predict_many(problem, w, [rows[0], np.array([0.0, 1.0, np.nan])])


def test_a_chain_of_one_dimension_is_refused_in_one_sentence() -> None:
    problem = Chain(Dataset("two", (np.eye(2), np.eye(2)), ([0, 1], [1, 0])), 2)
    with pytest.raises(Refused, match=r"the input has 1 dimensions; give \(T, F\)"):
        problem.predict(np.zeros(problem.dim), np.zeros(2))
    with pytest.raises(Refused, match="3 features a position; give 2"):
        problem.predict(np.zeros(problem.dim), np.zeros((4, 3)))


@pytest.mark.parametrize(
    "problem",
    [
        SingleLink(small_sets()),
        FieldLabelling(small_graphs(), GraphMap(3)),
        ConvexRisk(),
    ],
    ids=lambda problem: type(problem).__name__,
)
def test_weights_of_the_others_are_refused_too(problem: Any) -> None:
    ask = problem.risk if isinstance(problem, ConvexRisk) else lambda w: problem.oracle(w, 0)
    with pytest.raises(Refused, match="weights"):
        ask(np.zeros(problem.dim + 1))


def test_learners_call_without_the_checks() -> None:
    for make in KINDS.values():
        problem = make()
        given = members(problem)
        for name in ("predict", "oracle", "features", "loss"):
            assert hasattr(getattr(problem, name), "unchecked")
            assert not hasattr(given[name], "unchecked")
            assert given[name].__self__ is problem


def test_every_problem_has_its_calls_checked() -> None:
    own = (Plain, Listed, ConvexRisk)
    for kind in (*KINDS, SingleLink, KernelTrees, *own):
        assert all(
            hasattr(vars(kind)[name], "unchecked") for name in ("predict", "oracle", "features", "loss")
        )


def test_features_of_a_users_own_are_looked_at_for_every_labelling() -> None:
    good = listed(Pricing())
    truths = {tuple(y) for y in good.dataset.labels}

    def only_truths(x: Any, y: Any) -> Any:
        return good.psi(x, y) if tuple(y) in truths else np.full(3, np.nan)

    wrong = next(y for y in good.outputs(None) if tuple(y) not in truths)
    with pytest.raises(Refused, match="NaN"):
        Listed(good.dataset, only_truths, good.delta, good.outputs, 3).features(0, wrong)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((object(), NSlack()), "without name; give a Problem"),
        ((plain(Pricing()), NSlack), "the learner is NSlack; give one of LEARNERS with its settings"),
        ((plain(Pricing()), "n-slack"), "the learner is str"),
    ],
)
def test_training_refuses_what_is_no_problem_or_no_learner(arguments: Any, sentence: str) -> None:
    with pytest.raises(Refused, match=sentence):
        next(train(*arguments))


def test_training_refuses_a_rule_that_is_none() -> None:
    with pytest.raises(Refused, match=r"of type int; give Until"):
        next(train(plain(Pricing()), NSlack(), rule=3))
    assert next(train(plain(Pricing()), NSlack(), rule=Until(steps=1))).n == 6
