"""Piecewise linear emissions: the curves of the thesis, nodes at quantiles, smoothness and monotony."""

from dataclasses import replace

import cvxpy as cp
import numpy as np
import pytest

from explorer.engine.catalogue.chains import SequenceModel, made_of, monotone_rules
from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.contracts import Dataset
from explorer.engine.learners import NSlack
from explorer.engine.refusals import Refused
from explorer.engine.structures.chains.emissions import Pieces
from explorer.engine.structures.chains.emissions.pieces import quantile_nodes
from explorer.engine.structures.chains.problem import Chain
from explorer.engine.vectors import dense
from tests import brute

THESIS = Pieces((np.array([0.0, 1.0, 3.0]),))


def series(seed: int = 0, n: int = 4, longest: int = 4) -> Dataset:
    rng = np.random.default_rng(seed)
    labels = [rng.integers(0, 2, rng.integers(2, longest + 1)) for _ in range(n)]
    signs = np.array([[-1.0, 1.0], [1.0, -1.0]])  # the second number falls where the first one rises
    inputs = [signs[y] + rng.normal(size=(len(y), 2)) for y in labels]
    return Dataset("series", inputs, labels, {"states": ("-", "+")})


def pieces_problem(**model: object) -> Chain:
    train, _ = made_of(series(), None, SequenceModel(emissions="pieces", nodes=3, **model))
    return Chain(train, 2, emissions=train.meta["emissions"])


@pytest.mark.spec("A27")
def test_the_curve_of_the_thesis_takes_its_values() -> None:
    x = np.array([[-1.0], [0.25], [2.0], [9.0]])
    values = np.array([2.0, 4.0, 0.0])
    assert (THESIS.shares(x) @ values).tolist() == [2.0, 2.5, 2.0, 0.0]
    assert THESIS.value(0, values, x[:, 0]).tolist() == [2.0, 2.5, 2.0, 0.0]


@pytest.mark.spec("A27")
def test_the_shares_of_any_number_sum_to_one_for_each_feature() -> None:
    rng = np.random.default_rng(0)
    pieces = Pieces.fit(rng.normal(size=(200, 3)), 7)
    shares = pieces.shares(np.vstack([3.0 * rng.normal(size=(500, 3)), [[0.0, 1e9, -1e9]]])).toarray()
    assert np.all(shares >= 0.0)
    for begin, end in zip(pieces.starts[:-1], pieces.starts[1:], strict=True):
        assert shares[:, begin:end].sum(axis=1) == pytest.approx(np.ones(len(shares)))
        assert np.count_nonzero(shares[:, begin:end], axis=1).max() <= 2


@pytest.mark.spec("A28")
@pytest.mark.parametrize(("n", "count"), [(1000, 20), (997, 20), (50, 6), (21, 20), (7, 1)])
def test_all_intervals_between_nodes_hold_equally_many_observations_within_one(n: int, count: int) -> None:
    x = np.random.default_rng(n).normal(size=n)
    nodes = quantile_nodes(x, count)
    assert len(nodes) == count
    held = np.bincount(np.searchsorted(nodes, x), minlength=count + 1)
    assert held.max() - held.min() <= 1


def test_equal_values_make_fewer_nodes_and_a_constant_one() -> None:
    assert quantile_nodes(np.ones(9), 4).tolist() == [1.0]
    few = quantile_nodes(np.repeat([0.0, 1.0], 10), 5)
    assert few.tolist() == [0.0, 0.5, 1.0]
    assert Pieces((few,)).shares(np.array([[0.25]])).toarray().tolist() == [[0.5, 0.5, 0.0]]


def test_a_node_outside_the_allowed_numbers_is_refused() -> None:
    with pytest.raises(Refused, match="1 to 1000"):
        Pieces.fit(np.ones((2, 1)), 0)


@pytest.mark.parametrize("smooth", [0.0, 0.3, 20.0])
def test_a_smooth_length_is_the_length_and_the_price_of_differences(smooth: float) -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(30, 2))
    pieces = Pieces.fit(x, 5, smooth)
    curves = rng.normal(size=(10, 3))
    w = pieces.weights(curves)
    priced = 0.5 * np.sum(curves**2) + smooth * sum(
        np.sum(np.diff(part, axis=0) ** 2) for part in (curves[:5], curves[5:])
    )
    assert 0.5 * np.sum(w**2) == pytest.approx(priced)
    assert pieces.rows(x) @ w == pytest.approx(pieces.shares(x) @ curves)
    assert pieces.curves(w) == pytest.approx(curves)


@pytest.mark.parametrize("smooth", [0.0, 2.0])
def test_monotone_curves_are_the_optimum_of_the_program_with_all_labellings(smooth: float) -> None:
    problem = pieces_problem(smooth=smooth)
    problem = replace(problem, rules=monotone_rules(problem))
    *_, last = NSlack(C=5.0, eps=1e-8).steps(problem, np.random.default_rng(0))
    pieces = problem.emissions
    curves = pieces.curves(last.w[: problem.groups["emissions"].stop].reshape(-1, 2))
    for part in (curves[:3], curves[3:]):
        assert np.all(np.diff(part[:, 0]) <= 1e-6)
        assert np.all(np.diff(part[:, 1]) >= -1e-6)
    assert last.bounds.primal == pytest.approx(_outside(problem, 5.0), rel=1e-5)
    loose = replace(problem, rules=())
    *_, free = NSlack(C=5.0, eps=1e-8).steps(loose, np.random.default_rng(0))
    assert free.bounds.primal < last.bounds.primal - 1e-3, "the rules matter here"


def _outside(problem: Chain, C: float) -> float:
    """The optimum by cvxpy over every labelling, in curves, with the regulariser written out."""
    pieces, size = problem.emissions, problem.groups["emissions"].stop
    v, tail = cp.Variable((size // 2, 2)), cp.Variable(problem.dim - size)
    xi = cp.Variable(problem.n, nonneg=True)
    rules, length = [], cp.sum_squares(v) / 2 + cp.sum_squares(tail) / 2
    for begin, end in zip(pieces.starts[:-1], pieces.starts[1:], strict=True):
        steps = v[begin + 1 : end] - v[begin : end - 1]
        length += pieces.smooth * cp.sum_squares(steps)
        rules += [steps[:, 0] <= 0, steps[:, 1] >= 0]
    plain = replace(problem, dataset=Dataset("shares", _shares(problem), problem.dataset.labels))
    for i, y in enumerate(problem.dataset.labels):
        truth = dense(plain.features(i, y))
        for path in brute.all_paths(len(y), 2):
            psi = truth - dense(plain.features(i, path))
            loss = float(np.count_nonzero(path != y))
            rules.append(cp.vec(v, order="C") @ psi[:size] + tail @ psi[size:] >= loss - xi[i])
    program = cp.Problem(cp.Minimize(length + C / problem.n * cp.sum(xi)), rules)
    return float(program.solve(solver=cp.CLARABEL))


def _shares(problem: Chain) -> list[object]:
    return [problem.emissions.shares(x).toarray() for x in problem.dataset.meta["observed"]]


def test_curves_smooth_enough_score_the_same_everywhere() -> None:
    problem = pieces_problem(smooth=1e6)
    *_, last = NSlack(C=5.0).steps(problem, np.random.default_rng(0))
    curves = problem.emissions.curves(last.w[: problem.groups["emissions"].stop].reshape(-1, 2))
    assert np.ptp(curves[:3], axis=0).max() < 1e-3


def test_start_and_stop_states_leave_out_both_ends_of_every_sequence() -> None:
    recipe = Recipe("blocks", data={"n": 3, "length": 20}, model={"ends": "start and stop"})
    whole = Recipe("blocks", data={"n": 3, "length": 20}).problem()[0]
    problem, test = recipe.problem()
    assert problem.dim == whole.dim - 4
    for x, y, full in zip(problem.dataset.inputs, problem.dataset.labels, whole.dataset.inputs, strict=True):
        assert len(y) == 18
        assert np.array_equal(x, full[1:-1])
    assert test is not None
    assert {len(y) for y in test.labels} == {18}


def test_settings_that_do_not_fit_are_refused_in_a_sentence() -> None:
    with pytest.raises(Refused, match="emissions=pieces"):
        Recipe("blocks", model={"monotone": True})
    with pytest.raises(Refused, match="three"):
        made_of(series(n=1, longest=2), None, SequenceModel(ends="start and stop"))
