"""What every problem promises: its oracle is enumeration, and nothing is changed by asking."""

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from explorer.engine.contracts import Batch, Dataset, Enumerates, Geometry, Marginals
from explorer.engine.enumeration import expectation, needs_marginals
from explorer.engine.objective import all_cuts, cut_of, mean_loss, priced_as, slacks, sweep, value
from explorer.engine.pricing import Pricing
from explorer.engine.refusals import Refused
from explorer.engine.structures.chains.problem import Chain
from explorer.engine.structures.classes.binary import Binary
from explorer.engine.structures.classes.multiclass import Multiclass
from explorer.engine.structures.classes.own import Listed, Plain
from explorer.engine.structures.clusterings.item_sets import ItemSet, item_set
from explorer.engine.structures.fields.graphs import Graph
from explorer.engine.structures.trees.sentences import Sentence
from explorer.engine.vectors import dense
from tests.catalogue import (
    PRICINGS,
    PROBLEMS,
    chains,
    every_order,
    labellings,
    listed,
    order_features,
    orders,
    plain,
    points,
    sparse_chains,
    swapped_pairs,
)

every_problem = pytest.mark.parametrize("name", PROBLEMS)


def violation_by_hand(problem: Any, w: Any, i: int, label: Any) -> float:
    """H(label), from features and loss alone."""
    truth = problem.dataset.labels[i]
    margin = float(w @ (dense(problem.features(i, truth)) - dense(problem.features(i, label))))
    r = problem.loss(i, label) ** (0.5 if problem.pricing.penalty == "squared" else 1.0)
    return r * (1.0 - margin) if problem.pricing.scaling == "slack" else r - margin


def all_by_hand(problem: Any) -> list[tuple[Any, Any]]:
    """psi and r of every labelling of every example, from features and loss alone; one row for each."""
    power = 0.5 if problem.pricing.penalty == "squared" else 1.0
    out = []
    for i, truth in enumerate(problem.dataset.labels):
        right, listing = dense(problem.features(i, truth)), list(labellings(problem, i))
        psi = np.array([right - dense(problem.features(i, y)) for y in listing])
        out.append((psi, np.array([problem.loss(i, y) ** power for y in listing])))
    return out


def worst_by_hand(problem: Any, psi: Any, r: Any, w: Any) -> float:
    """The largest H of all labellings."""
    margins = psi @ w
    return float(np.max(r * (1.0 - margins) if problem.pricing.scaling == "slack" else r - margins))


def whole(rows: Any) -> Any:
    """Rows of whole numbers, dense or sparse as they were."""
    return type(rows)(np.round(rows.toarray())) if hasattr(rows, "tocsr") else np.round(rows)


def whole_numbers(problem: Any) -> Any:
    """The same problem with small whole numbers for features: scores are exact, and ties are many."""
    inputs = problem.dataset.inputs
    if isinstance(inputs, tuple) and isinstance(inputs[0], Graph):
        made = tuple(
            replace(x, nodes=np.round(x.nodes), edge_features=np.round(x.edge_features)) for x in inputs
        )
        return problem.on(replace(problem.dataset, inputs=made))
    if isinstance(
        inputs[0], Sentence
    ):  # edges and common words are counted: only the kernel's factor has fractions
        inputs_of = problem.space.inputs
        counted = replace(inputs_of, factor=np.eye(inputs_of.rank))
        return replace(problem, space=replace(problem.space, inputs=counted))
    if isinstance(inputs[0], ItemSet):
        sets = tuple(item_set(x.m, whole(x.nodes), x.relations, whole(x.pairs)) for x in inputs)
        return problem.on(replace(problem.dataset, inputs=sets))
    if problem.name == "box detection":
        return problem
    rounded = np.round(inputs) if isinstance(inputs, np.ndarray) else tuple(np.round(x) for x in inputs)
    if not isinstance(inputs, np.ndarray) and hasattr(inputs[0], "tocsr"):
        rounded = tuple(whole(x) for x in inputs)
    return problem.on(replace(problem.dataset, inputs=rounded))


def weights(problem: Any, count: int, seed: int = 0) -> list[Any]:
    rng = np.random.default_rng(seed)
    some = [10.0 ** rng.uniform(-2, 1) * rng.normal(size=problem.dim) for _ in range(count)]
    return [np.zeros(problem.dim), *some]


@pytest.mark.spec("A24")
@every_problem
def test_the_oracle_finds_the_largest_violation_of_all_labellings(name: str) -> None:
    problem = PROBLEMS[name]()
    assert problem.oracle_is_exact
    rows = all_by_hand(problem)
    for w in weights(problem, 6):
        for i in range(problem.n):
            best = worst_by_hand(problem, *rows[i], w)
            cut = problem.oracle(w, i)
            assert cut.i == i
            assert violation_by_hand(problem, w, i, cut.label) == pytest.approx(best, abs=1e-10)
            assert best >= 0.0, "the truth itself is violated by nothing"


@every_problem
def test_ties_do_not_confuse_the_oracle_and_are_always_broken_alike(name: str) -> None:
    problem = whole_numbers(PROBLEMS[name]())
    rng, rows = np.random.default_rng(1), all_by_hand(problem)
    for w in [np.zeros(problem.dim), *rng.integers(-1, 2, (8, problem.dim)).astype(float)]:
        cuts, again = all_cuts(problem, w), sweep(problem, w).labels
        for i, cut in enumerate(cuts):
            best = worst_by_hand(problem, *rows[i], w)
            assert violation_by_hand(problem, w, i, cut.label) == pytest.approx(best, abs=1e-10)
            assert np.array_equal(problem.oracle(w, i).label, cut.label)
            assert np.array_equal(again[i], cut.label)


@every_problem
def test_a_cut_carries_the_feature_difference_and_loss_of_its_labelling(name: str) -> None:
    problem = PROBLEMS[name]()
    for w in weights(problem, 3, seed=2):
        for i in range(problem.n):
            cut = problem.oracle(w, i)
            made = cut_of(problem, i, cut.label)
            assert dense(cut.psi) == pytest.approx(dense(made.psi), abs=1e-12)
            assert cut.loss == pytest.approx(problem.loss(i, cut.label), abs=1e-15)
            assert type(cut.loss) is float
            assert len(dense(cut.psi)) == problem.dim


@every_problem
def test_the_truth_loses_nothing_and_differs_from_itself_in_nothing(name: str) -> None:
    problem = PROBLEMS[name]()
    for i, truth in enumerate(problem.dataset.labels):
        cut = cut_of(problem, i, truth)
        assert cut.loss == 0.0
        assert np.array_equal(dense(cut.psi), np.zeros(problem.dim))
        assert all(problem.loss(i, y) >= 0.0 for y in labellings(problem, i))


@every_problem
def test_many_at_once_are_the_same_as_one_by_one(name: str) -> None:
    problem = PROBLEMS[name]()
    if not isinstance(problem, Batch):
        pytest.skip("This problem is asked one by one.")
    for w in weights(problem, 3, seed=3):
        for lo, hi in ((0, problem.n), (1, 3), (2, 2), (problem.n - 1, problem.n)):
            if lo == hi:
                continue
            together = problem.cuts(w, lo, hi)
            assert [cut.i for cut in together] == list(range(lo, hi))
            for cut in together:
                alone = problem.oracle(w, cut.i)
                assert np.array_equal(cut.label, alone.label)
                assert dense(cut.psi) == pytest.approx(dense(alone.psi), abs=1e-12)
                assert cut.loss == alone.loss


@every_problem
def test_predictions_are_the_best_labellings_of_all(name: str) -> None:
    problem = PROBLEMS[name]()
    for w in weights(problem, 6, seed=4):
        singly = [problem.predict(w, x) for x in problem.dataset.inputs]
        if isinstance(problem, Batch):
            for one, other in zip(singly, problem.predictions(w), strict=True):
                assert np.array_equal(one, other)
        for i, guess in enumerate(singly):
            best = max(float(w @ dense(problem.features(i, y))) for y in labellings(problem, i))
            assert float(w @ dense(problem.features(i, guess))) == pytest.approx(best, abs=1e-10)


@every_problem
def test_asking_changes_neither_w_nor_the_data(name: str) -> None:
    problem = PROBLEMS[name]()
    before = pickle.dumps((problem.dataset.inputs, problem.dataset.labels))
    w = np.random.default_rng(5).normal(size=problem.dim)
    kept = w.copy()
    w.flags.writeable = False
    for i in range(problem.n):
        problem.oracle(w, i)
    all_cuts(problem, w)
    sweep(problem, w)
    mean_loss(problem, w)
    assert np.array_equal(w, kept)
    assert pickle.dumps((problem.dataset.inputs, problem.dataset.labels)) == before


@every_problem
def test_answers_are_not_changed_by_later_questions(name: str) -> None:
    problem = PROBLEMS[name]()
    first, second = weights(problem, 1, seed=6)
    cuts, part = all_cuts(problem, second), sweep(problem, second)
    kept = [(np.array(cut.label, copy=True), dense(cut.psi).copy()) for cut in cuts]
    labels, psi = [np.array(y, copy=True) for y in part.labels], dense(part.psi).copy()
    all_cuts(problem, first)
    sweep(problem, first)
    for cut, (label, difference) in zip(cuts, kept, strict=True):
        assert np.array_equal(cut.label, label)
        assert np.array_equal(dense(cut.psi), difference)
    assert all(np.array_equal(a, b) for a, b in zip(part.labels, labels, strict=True))
    assert np.array_equal(dense(part.psi), psi)


@every_problem
def test_the_same_problem_on_other_data(name: str) -> None:
    problem = PROBLEMS[name]()
    data = problem.dataset
    other = problem.on(Dataset("other", data.inputs[:3], data.labels[:3]))
    assert (other.n, other.dim, other.pricing, priced_as(other)) == (
        3,
        problem.dim,
        problem.pricing,
        priced_as(problem),
    )
    w = np.random.default_rng(7).normal(size=problem.dim)
    for i in range(3):
        assert np.array_equal(other.oracle(w, i).label, problem.oracle(w, i).label)
    assert problem.n == len(data)


@every_problem
def test_a_problem_survives_the_way_to_a_worker_process(name: str) -> None:
    problem = PROBLEMS[name]()
    again = pickle.loads(pickle.dumps(problem))
    w = np.random.default_rng(8).normal(size=problem.dim)
    assert priced_as(again) == priced_as(problem)
    assert value(again, w, 3.0) == value(problem, w, 3.0)


@every_problem
def test_labellings_are_counted_and_contain_the_truth_once(name: str) -> None:
    problem = PROBLEMS[name]()
    if not isinstance(problem, Enumerates):
        pytest.skip("This problem does not list its labellings.")
    for i, truth in enumerate(problem.dataset.labels):
        listing = list(problem.labellings(i))
        assert len(listing) == problem.labellings_count(i)
        assert sum(np.array_equal(y, truth) for y in listing) == 1


# Bounds that hold for every w.


@pytest.mark.spec("A13", "F04")
@pytest.mark.parametrize("scaling", ["margin", "slack"])
def test_the_slack_of_a_thousand_random_questions_is_at_least_the_loss_of_the_prediction(
    scaling: Any,
) -> None:
    rng = np.random.default_rng(9)
    chosen = [make() for name, make in PROBLEMS.items() if f"{scaling} linear" in name]
    for trial in range(1000):
        problem = chosen[trial % len(chosen)]
        w = 10.0 ** rng.uniform(-2, 1) * rng.normal(size=problem.dim)
        i = int(rng.integers(problem.n))
        hinge = slacks(problem, sweep(problem, w, [i]))[0]
        guess = problem.predict(w, problem.dataset.inputs[i])
        assert hinge >= 0.0
        assert hinge >= problem.loss(i, guess) - 1e-9


@pytest.mark.spec("C14")
def test_squared_slacks_bound_the_loss_too() -> None:
    rng = np.random.default_rng(10)
    for problem in [make() for name, make in PROBLEMS.items() if "squared" in name]:
        for _ in range(10):
            w = 10.0 ** rng.uniform(-2, 1) * rng.normal(size=problem.dim)
            xi = slacks(problem, sweep(problem, w))
            assert np.mean(xi**2) >= mean_loss(problem, w) - 1e-9


@pytest.mark.spec("A13")
@pytest.mark.parametrize("penalty", ["linear", "squared"])
@pytest.mark.parametrize("kind", ["multiclass ZeroOne", "binary regularised ZeroOne", "chains ZeroOne()"])
def test_with_the_zero_one_loss_both_scalings_are_the_same_objective(kind: str, penalty: str) -> None:
    (first,) = [make() for name, make in PROBLEMS.items() if name.startswith(f"{kind} margin {penalty}")][:1]
    second = replace(first, pricing=Pricing("slack", first.pricing.penalty))
    for w in weights(first, 20, seed=11):
        assert value(first, w, 3.0) == pytest.approx(value(second, w, 3.0), rel=1e-12)


# Bad data.


def spoiled(values: Any, at: Any, value: Any) -> Any:
    out = np.array(values, dtype=float)
    out[at] = value
    return out


def broken_chain(data: Dataset, i: int, value: float) -> Dataset:
    rows = list(data.inputs)
    rows[i] = spoiled(rows[i], (0, 1), value)
    return replace(data, inputs=tuple(rows))


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_features_that_are_not_finite_are_refused_with_their_example(value: float) -> None:
    data, two = points(), points(classes=2)
    with pytest.raises(Refused, match="example 4"):
        Multiclass(replace(data, inputs=spoiled(data.inputs, (4, 1), value)), 3)
    with pytest.raises(Refused, match="example 2"):
        Binary(replace(two, inputs=spoiled(two.inputs, (2, 0), value)))
    with pytest.raises(Refused, match="example 3, position 0"):
        Chain(broken_chain(chains(), 3, value), 3)
    damaged = sparse_chains()
    rows = [x.copy() for x in damaged.inputs]
    rows[1].data = spoiled(rows[1].data, 0, value)
    with pytest.raises(Refused, match="example 1"):
        Chain(replace(damaged, inputs=tuple(rows)), 3)


@pytest.mark.parametrize("make", [plain, listed])
def test_features_of_a_users_problem_that_are_no_numbers_are_refused_with_their_example(make: Any) -> None:
    ranked = orders()
    bad = replace(ranked, inputs=spoiled(ranked.inputs, (5, 0, 0), np.nan))
    with pytest.raises(Refused, match="example 5 holds a NaN"):
        replace(make(Pricing()), dataset=bad)


def test_labels_outside_their_range_are_refused_with_their_example() -> None:
    data, two, words = points(), points(classes=2), chains()
    with pytest.raises(Refused, match="example 3"):
        Multiclass(replace(data, labels=[0, 1, 2, 3, 0, 0, 0, 0]), 3)
    with pytest.raises(Refused, match="example 1"):
        Binary(replace(two, labels=[0, -1, 0, 0, 0, 0, 0, 0]))
    labels = [np.array(y) for y in words.labels]
    labels[2][0] = 7
    with pytest.raises(Refused, match="example 2, position 0"):
        Chain(replace(words, labels=tuple(labels)), 3)


@pytest.mark.parametrize("make", [plain, listed])
def test_a_users_problem_is_checked_when_it_is_made(make: Any) -> None:
    good = make(Pricing())
    with pytest.raises(Refused, match="empty"):
        replace(good, dataset=Dataset("none", [], []))
    with pytest.raises(Refused, match=r"6 inputs and 5 labels"):
        replace(good, dataset=Dataset("short", good.dataset.inputs, good.dataset.labels[:5]))
    with pytest.raises(Refused, match=r"example 0 has 3 entries.*dim says 4"):
        replace(good, dim=4)
    with pytest.raises(Refused, match=r"example 0.*the loss of the truth must be 0"):
        replace(good, delta=lambda y, label: 1.0)
    with pytest.raises(Refused, match=r"example 0.*array"):
        replace(good, psi=lambda x, y: "not a vector")


def test_a_loss_that_is_negative_or_not_a_number_is_refused_when_it_is_met() -> None:
    for value_ in (-1.0, float("nan"), float("inf")):

        def delta(truth: Any, label: Any, wrong: float = value_) -> float:
            return 0.0 if truth == label else wrong

        for problem in (replace(plain(Pricing()), delta=delta), replace(listed(Pricing()), delta=delta)):
            wrong = next(y for y in every_order(None) if y != problem.dataset.labels[0])
            with pytest.raises(Refused, match="a loss must be a finite number"):
                cut_of(problem, 0, wrong)
            with pytest.raises(Refused, match="a loss must be a finite number"):
                all_cuts(problem, np.array([30.0, -20.0, 10.0]))


@pytest.mark.parametrize("pricing", PRICINGS)
def test_a_listed_and_a_plain_problem_are_the_same_problem(pricing: Pricing) -> None:
    one, other = plain(pricing), listed(pricing)
    assert isinstance(one, Plain)
    assert isinstance(other, Listed)
    for w in weights(one, 10, seed=12):
        assert value(one, w, 2.0) == pytest.approx(value(other, w, 2.0), rel=1e-12)
        assert [one.predict(w, x) for x in one.dataset.inputs] == [
            other.predict(w, x) for x in other.dataset.inputs
        ]


def test_two_losses_written_at_the_same_place_are_not_taken_for_the_same_prices() -> None:
    def made(cost: float) -> Any:
        def delta(truth: Any, label: Any) -> float:
            return cost * swapped_pairs(truth, label)

        return Listed(orders(), order_features, delta, every_order, 3)

    assert priced_as(made(1.0)) == priced_as(made(1.0))
    assert priced_as(made(1.0)) != priced_as(made(5.0))


# Marginals: the problem's own, and those of a list of all labellings.


def summed(problem: Any, w: Any, i: int) -> tuple[float, Any]:
    """log Z and expected features of example i, written out."""
    every = [dense(problem.features(i, label)) for label in problem.labellings(i)]
    scores = np.array([w @ psi for psi in every])
    return float(np.log(np.sum(np.exp(scores)))), np.exp(scores) @ np.array(every) / np.sum(np.exp(scores))


def test_chains_points_and_listed_problems_have_marginals() -> None:
    own = {type(PROBLEMS[name]()).__name__ for name in PROBLEMS if isinstance(PROBLEMS[name](), Marginals)}
    assert own == {"Chain", "Multiclass", "Binary"}
    assert all(needs_marginals(PROBLEMS[name]()) is None for name in PROBLEMS if "plain" not in name)
    assert needs_marginals(plain(Pricing())) is not None


@every_problem
def test_marginals_are_those_of_enumeration_and_a_batch_is_the_sum_of_its_examples(name: str) -> None:
    problem = PROBLEMS[name]()
    if needs_marginals(problem) or isinstance(problem, Geometry):
        return
    for w in np.random.default_rng(21).normal(size=(3, problem.dim)):
        parts = [summed(problem, w, i) for i in range(problem.n)]
        found = expectation(problem, w, 0, problem.n)
        assert found.log_z == pytest.approx([log_z for log_z, _ in parts], rel=1e-10)
        assert dense(found.psi) == pytest.approx(np.sum([psi for _, psi in parts], axis=0), abs=1e-9)
        last = expectation(problem, w, problem.n - 1, problem.n)
        assert last.log_z == pytest.approx(found.log_z[-1:], rel=1e-12)
        assert dense(last.psi) == pytest.approx(parts[-1][1], abs=1e-9)


@every_problem
def test_expected_features_are_the_slope_of_log_z(name: str) -> None:
    problem = PROBLEMS[name]()
    if needs_marginals(problem) or isinstance(problem, Geometry):
        return
    w, h = np.random.default_rng(22).normal(size=problem.dim), 1e-5
    found = dense(expectation(problem, w, 0, problem.n).psi)
    for direction in np.random.default_rng(23).normal(size=(3, problem.dim)):
        up, down = (expectation(problem, w + t * direction, 0, problem.n).log_z.sum() for t in (h, -h))
        assert found @ direction == pytest.approx((up - down) / (2.0 * h), rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("size", [1e3, 1e6])
def test_no_exponential_of_marginals_overflows(size: float) -> None:
    for name in ("multiclass ZeroOne margin linear", "listed margin linear"):
        problem = PROBLEMS[name]()
        w = size * np.random.default_rng(24).normal(size=problem.dim)
        found = expectation(problem, w, 0, problem.n)
        best = [
            max(w @ dense(problem.features(i, y)) for y in problem.labellings(i)) for i in range(problem.n)
        ]
        assert found.log_z == pytest.approx(best, rel=1e-6)
        assert np.all(np.isfinite(dense(found.psi)))
