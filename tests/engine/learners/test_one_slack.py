"""The 1-slack cutting plane."""

import math
from typing import Any

import numpy as np
import pytest

from explorer.engine.catalogue.oracle_names import oracle_named
from explorer.engine.contracts import Dataset
from explorer.engine.data.register import register_treebank
from explorer.engine.learners import NSlack, OneSlack
from explorer.engine.learners.one_slack import ANSWERS, AS_THEY_COME
from explorer.engine.losses import Hamming
from explorer.engine.objective import cut_of, mean_loss, sweep, violation
from explorer.engine.pricing import Pricing, Scaling
from explorer.engine.structures.classes.own import Plain
from explorer.engine.structures.fields.label_map import LabelMap, all_pairs
from explorer.engine.structures.fields.problem import FieldLabelling
from explorer.engine.structures.trees.dual_problem import KernelTrees
from explorer.engine.structures.trees.input_kernels import BagOfWords, Constant
from explorer.engine.vectors import dense
from tests import referee
from tests.engine.learners.toys import circle_toy, line_toy, noisy, run
from tests.referee import optimum


@pytest.mark.spec("F05")
@pytest.mark.parametrize("C", [1.0, 10.0, 100.0])
def test_one_slack_and_n_slacks_have_one_optimum(C: float) -> None:
    one = run(OneSlack(C=C, eps=1e-8), circle_toy())[0][-1]
    n = run(NSlack(C=C, eps=1e-8), circle_toy())[0][-1]
    assert one.bounds.primal == pytest.approx(n.bounds.primal, abs=1e-5)


@pytest.mark.spec("F07")
@pytest.mark.parametrize(
    ("C", "optimum", "norm2", "errors"),
    [(1.0, 0.910317, 0.179366, 2), (10.0, 5.088641, 2.890762, 1), (100.0, 25.275905, 37.778657, 0)],
)
def test_the_circle_toy_has_the_published_optimum(
    C: float, optimum: float, norm2: float, errors: int
) -> None:
    problem = circle_toy()
    last = run(OneSlack(C=C, eps=1e-8), problem)[0][-1]
    assert last.bounds.primal == pytest.approx(optimum, abs=2e-6)
    assert last.bounds.dual == pytest.approx(optimum, abs=2e-6)
    assert last.w @ last.w == pytest.approx(norm2, abs=1e-4)
    assert mean_loss(problem, last.w) == pytest.approx(errors / 12)


@pytest.mark.spec("F55")
@pytest.mark.parametrize(("C", "optimum"), [(1.0, 0.910317), (10.0, 5.088641), (100.0, 25.275905)])
@pytest.mark.parametrize("make", [OneSlack, NSlack])
def test_with_zero_one_loss_slack_rescaling_changes_nothing(make, C: float, optimum: float) -> None:
    last = run(make(C=C, eps=1e-8), circle_toy(Pricing("slack")))[0][-1]
    assert last.bounds.primal == pytest.approx(optimum, abs=2e-6)


@pytest.mark.spec("F08")
def test_the_gap_at_the_end_is_at_most_eps_times_the_price() -> None:
    problem = noisy(60, 4)
    for C in (1.0, 10.0, 100.0):
        for eps in (0.1, 0.05, 0.01, 0.001):
            steps, stopped = run(OneSlack(C=C, eps=eps), problem)
            assert -1e-9 <= steps[-1].bounds.gap <= C * eps + 1e-9
            assert stopped.reason == "eps-violation"


def iterations(problem: Any) -> tuple[Any, Any]:
    """Iterations, and the gap at the end as a share of C eps, for every C (down) and eps (across)."""
    last = [
        [run(OneSlack(C=C, eps=eps), problem)[0][-1] for eps in (0.1, 0.05, 0.01, 0.001)]
        for C in (0.1, 1.0, 10.0, 100.0)
    ]
    counts = np.array([[step.k + 1 for step in row] for row in last])
    allowed = np.outer((0.1, 1.0, 10.0, 100.0), (0.1, 0.05, 0.01, 0.001))
    return counts, np.array([[step.bounds.gap for step in row] for row in last]) / allowed


def check_iterations(problem: Any) -> None:
    counts, gaps = iterations(problem)
    assert np.all(np.diff(counts, axis=0) >= 0)
    assert np.all(np.diff(counts, axis=1) > 0)
    assert np.all((gaps >= -1e-9) & (gaps <= 1.0))


KERNELS = pytest.mark.parametrize("kernel", [Constant(), BagOfWords()], ids=str)


@pytest.mark.spec("F08")
@KERNELS
def test_on_the_register_corpus_more_precision_or_a_higher_price_never_takes_fewer_iterations(
    kernel: Any,
) -> None:
    check_iterations(KernelTrees(register_treebank(100)[0], kernel=kernel))


@pytest.mark.slow
@pytest.mark.spec("F08")
@KERNELS
def test_on_400_sentences_of_the_register_corpus_too(kernel: Any) -> None:
    check_iterations(KernelTrees(register_treebank(400)[0], kernel=kernel))


@pytest.mark.spec("F11")
def test_planes_idle_for_fifty_iterations_go_and_the_optimum_stays() -> None:
    problem, C, eps = noisy(60, 4, seed=1), 300.0, 1e-4
    kept, _ = run(OneSlack(C=C, eps=eps, prune_after=10_000), problem)
    pruned, _ = run(OneSlack(C=C, eps=eps, prune_after=50), problem)
    assert max(step.state["idle"].max() for step in kept[1:]) >= 50
    assert all(step.state["idle"].max() < 50 for step in pruned[1:])
    assert sum(step.detail["pruned"] for step in pruned) > 0
    assert pruned[-1].bounds.primal == pytest.approx(kept[-1].bounds.primal, abs=C * eps)


def test_the_dual_never_falls_with_or_without_pruning() -> None:
    for longest in (3, 10_000):
        steps, _ = run(OneSlack(C=100.0, prune_after=longest), noisy(40, 4))
        duals = np.array([step.bounds.dual for step in steps])
        assert np.all(np.diff(duals) >= -1e-8 * duals[-1])


@pytest.mark.spec("A18")
@pytest.mark.parametrize("scaling", ["margin", "slack"])
def test_every_labelling_of_an_added_plane_is_the_most_violated_one(scaling: Scaling) -> None:
    problem = noisy(12, 4, pricing=Pricing(scaling))
    for step in run(OneSlack(C=10.0), problem)[0]:
        for i, label in enumerate(step.cuts[0].label):
            found = [violation(problem, step.w, cut_of(problem, i, y)) for y in range(4)]
            assert found[int(label)] == pytest.approx(max(found))


def test_the_cache_saves_oracle_passes_and_ends_at_the_same_optimum() -> None:
    problem, C, eps = noisy(60, 4), 100.0, 1e-3
    plain, _ = run(OneSlack(C=C, eps=eps), problem)
    cached, _ = run(OneSlack(C=C, eps=eps, cache=5), problem)
    assert cached[-1].bounds.primal == pytest.approx(plain[-1].bounds.primal, abs=C * eps)
    assert not cached[-1].detail["cached"]
    assert sum(not step.detail["cached"] for step in cached) < len(plain)


def test_a_step_from_remembered_cuts_proves_no_upper_bound_and_its_dual_is_below_the_optimum() -> None:
    problem = noisy(12, 4)
    best = optimum(problem, 20.0)
    steps, _ = run(OneSlack(C=20.0, eps=1e-3, cache=5), problem)
    remembered = [step for step in steps if step.detail["cached"]]
    assert remembered
    for step in remembered:
        assert math.isnan(step.bounds.primal)
        assert not step.bounds.certificate
        assert step.bounds.dual <= best.upper * (1 + 1e-9)
    for step in (step for step in steps if not step.detail["cached"]):
        assert step.bounds.certificate
        assert step.bounds.primal >= best.lower * (1 - 1e-9)


@pytest.mark.spec("A21")
def test_it_finds_the_optimum_of_the_line_toy_with_a_gap_that_is_never_negative() -> None:
    steps, _ = run(OneSlack(C=4.0, eps=1e-6), line_toy())
    assert steps[-1].bounds.primal == pytest.approx(1 / 64, rel=0.01)
    assert all(step.bounds.gap >= -1e-12 for step in steps)


def test_it_refuses_squared_slacks() -> None:
    assert "n-slack" in str(OneSlack().refuses(line_toy(Pricing("margin", "squared"))))


def poor(oracle: str) -> FieldLabelling:
    """Random rows and labels, which a poor oracle answers for."""
    rng = np.random.default_rng(0)
    data = Dataset("small", rng.normal(size=(6, 3)), rng.integers(0, 2, (6, 4)))
    per_cent = Hamming(normalised=True, times=100.0)
    return FieldLabelling(data, LabelMap(4, all_pairs(4)), per_cent, separator=oracle_named(oracle))


@pytest.mark.parametrize("oracle", ["exhaustive", "roof duality"])
def test_an_oracle_that_knows_the_truth_makes_no_difference_between_the_two_ways_to_take_answers(
    oracle: str,
) -> None:
    problem, C, eps = poor(oracle), 20.0, 1e-4
    kept, raw = (run(OneSlack(C=C, eps=eps, answers=answers), problem)[0] for answers in ANSWERS)
    assert [step.w.tobytes() for step in kept] == [step.w.tobytes() for step in raw]
    if oracle == "exhaustive":
        assert raw[-1].bounds.dual == pytest.approx(referee.optimum(problem, C).value, rel=1e-4)


@pytest.mark.parametrize("cache", [0, 3])
def test_answers_as_they_come_are_planes_of_exactly_these_answers(cache: int) -> None:
    problem, worse = poor("known approximation(rho=0.5)"), 0
    for step in run(OneSlack(C=20.0, eps=1e-3, answers=AS_THEY_COME, cache=cache), problem)[0]:
        if step.detail["cached"]:
            continue
        cuts = [problem.oracle(step.w, i) for i in range(problem.n)]
        each = [violation(problem, step.w, cut) for cut in cuts]
        assert step.detail["violation"] == pytest.approx(np.mean(each), abs=1e-9)
        assert dense(step.cuts[0].psi) == pytest.approx(np.mean([dense(cut.psi) for cut in cuts], axis=0))
        worse += min(each) < -1e-6
    assert worse > 0, "this oracle answers with less than the truth, or the test shows nothing"


@pytest.mark.parametrize("answers", ANSWERS)
def test_bad_answers_cancel_the_violations_of_others_only_where_they_are_taken_as_they_come(
    answers: str,
) -> None:
    problem, hidden = poor("known approximation(rho=0.5)"), 0.0
    for step in run(OneSlack(C=20.0, eps=1e-3, answers=answers), problem)[0]:
        each = [violation(problem, step.w, problem.oracle(step.w, i)) for i in range(problem.n)]
        hidden += np.mean(np.maximum(each, 0.0)) - step.detail["violation"]
    assert hidden > 1.0 if answers == AS_THEY_COME else hidden == pytest.approx(0.0, abs=1e-9)


def test_a_problem_without_batches_gives_its_answers_as_they_come_too() -> None:
    """Its oracle always answers with the third output, however bad that is."""
    mine = Plain(
        Dataset("two", inputs=[1.0, 2.0], labels=[0, 1]),
        psi=lambda x, y: x * np.eye(3)[y],
        delta=lambda y, z: float(y != z),
        argmax=lambda w, x: int(np.argmax(w)),
        worst=lambda w, x, y: 2,
        dim=3,
        exact=False,
    )
    w = np.array([5.0, 5.0, 0.0])
    raw, kept = sweep(mine, w, floor=False), sweep(mine, w)
    assert raw.labels == (2, 2)
    assert raw.margins.tolist() == [5.0, 10.0]
    assert raw.psi.tolist() == [1.0, 2.0, -3.0]
    assert kept.labels == (0, 1)
    assert kept.psi.tolist() == [0.0, 0.0, 0.0]
