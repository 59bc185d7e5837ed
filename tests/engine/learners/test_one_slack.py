"""The 1-slack cutting plane."""

import numpy as np
import pytest

from explorer.engine.learners import NSlack, OneSlack
from explorer.engine.objective import cut_of, mean_loss, violation
from explorer.engine.pricing import Pricing, Scaling
from tests.engine.learners.toys import circle_toy, line_toy, noisy, run


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


@pytest.mark.spec("F08")
def test_more_precision_or_a_higher_price_never_takes_fewer_iterations() -> None:
    problem = noisy(60, 4)
    counts = np.array(
        [
            [len(run(OneSlack(C=C, eps=eps), problem)[0]) for eps in (0.1, 0.05, 0.01, 0.001)]
            for C in (1.0, 10.0, 100.0)
        ]
    )
    assert np.all(np.diff(counts, axis=0) >= 0)
    assert np.all(np.diff(counts, axis=1) >= 0)


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


@pytest.mark.spec("A21")
def test_it_finds_the_optimum_of_the_line_toy_with_a_gap_that_is_never_negative() -> None:
    steps, _ = run(OneSlack(C=4.0, eps=1e-6), line_toy())
    assert steps[-1].bounds.primal == pytest.approx(1 / 64, rel=0.01)
    assert all(step.bounds.gap >= -1e-12 for step in steps)


def test_it_refuses_squared_slacks() -> None:
    assert "n-slack" in str(OneSlack().refuses(line_toy(Pricing("margin", "squared"))))
