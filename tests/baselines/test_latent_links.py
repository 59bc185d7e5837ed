"""The alternation of links and weights: what it promises, with exact oracles on tiny sets."""

from itertools import pairwise

import numpy as np
import pytest

from explorer.baselines.latent_links import LinkRound, latent_objective, train
from explorer.engine.contracts import Dataset
from explorer.engine.learners import NSlack, OneSlack, Perceptron
from explorer.engine.pricing import Pricing
from explorer.engine.refusals import Refused
from explorer.engine.runs.streams import Until
from explorer.engine.structures.clusterings.item_sets import ItemSet, item_set
from explorer.engine.structures.clusterings.link_forests import (
    all_forests,
    partition_of,
    single_link,
    trees_inside,
)
from explorer.engine.structures.clusterings.link_oracles import AllForests
from explorer.engine.structures.clusterings.partitions import pair_matrix
from explorer.engine.structures.clusterings.single_link import SingleLink
from tests.referee import optimum


def random_sets(seed: int, n: int = 3, m: int = 5, noise: float = 0.0) -> SingleLink:
    """Pairs with four random features; the truth is what single link makes of a hidden similarity."""
    rng = np.random.default_rng(seed)
    inputs, labels = [], []
    for _ in range(n):
        psi = rng.normal(size=(m * (m - 1) // 2, 4))
        hidden = psi @ [1.0, -1.0, 0.5, -0.3] + noise * rng.normal(size=len(psi))
        inputs.append(item_set(m, pairs=psi))
        labels.append(partition_of(single_link(pair_matrix(hidden, m))))
    return SingleLink(Dataset("random", tuple(inputs), tuple(labels)), separator=AllForests())


def bands(seed: int, n: int = 5) -> SingleLink:
    """Points in two bands: only the height counts, the width is noise; a threshold between the bands
    separates them.
    """
    rng = np.random.default_rng(seed)
    inputs, labels = [], []
    for _ in range(n):
        label = rng.permutation([0, 0, 0, 1, 1, 1])
        place = np.column_stack([rng.uniform(-3, 3, 6), 2.0 * label + rng.uniform(-0.2, 0.2, 6)])
        i, j = np.triu_indices(6, 1)
        inputs.append(
            item_set(6, pairs=np.hstack([-((place[i] - place[j]) ** 2), np.ones((15, 1))]), place=place)
        )
        labels.append(label)
    return SingleLink(Dataset("bands", tuple(inputs), tuple(labels)), separator=AllForests())


def latent_by_hand(problem: SingleLink, w: np.ndarray, C: float) -> float:
    """The latent objective by enumerating all forests and, for the truth, all links."""
    slacks = []
    for i in range(problem.n):
        every = [
            (float(w @ problem.features(i, y)), problem.loss(i, y), y)
            for y in all_forests(problem.dataset.inputs[i].m)
        ]
        truth = max(s for s, _, y in every if np.array_equal(partition_of(y), problem.partitions[i]))
        slacks.append(max(loss + s - truth for s, loss, _ in every))
    return float(0.5 * w @ w + C * np.mean(slacks))


def check_descent(rounds: list[LinkRound], relative: float = 1e-7) -> None:
    """Each convex optimum is at most the latent objective before it and at least the one after it."""
    for now in rounds:
        assert now.objective <= now.convex * (1.0 + relative)
    for before, now in pairwise(rounds):
        assert now.convex <= before.objective * (1.0 + relative)
        assert now.objective <= before.objective * (1.0 + relative)


@pytest.mark.spec("D33")
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("kind", [NSlack, OneSlack])
def test_no_round_raises_the_latent_objective(kind: type, seed: int) -> None:
    problem = random_sets(seed, noise=0.5)
    rounds = list(train(problem, kind(C=100.0, eps=1e-7, qp_tolerance=1e-12)))
    check_descent(rounds)
    assert rounds[-1].changed == 0 or rounds[-1].k > 0


@pytest.mark.spec("D33")
def test_some_runs_take_several_rounds_and_gain_by_them() -> None:
    learner = NSlack(C=1e4, eps=1e-7, qp_tolerance=1e-12)
    runs = [list(train(random_sets(seed, n=4), learner)) for seed in (2, 3, 5)]
    assert max(len(rounds) for rounds in runs) >= 3
    assert all(rounds[-1].objective < 0.9 * rounds[0].objective for rounds in runs)
    for rounds in runs:
        check_descent(rounds)


@pytest.mark.spec("D33")
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("kind", [NSlack, OneSlack])
def test_separable_bands_are_learnt_without_training_loss(kind: type, seed: int) -> None:
    problem = bands(seed)
    assert np.mean(problem.losses(problem.predictions(np.ones(3) / 3.0))) > 0.0, "the first guess is wrong"
    *_, last = train(problem, kind(C=1e4, eps=1e-6))
    assert last.train_loss == 0.0


def test_the_latent_objective_is_that_of_all_forests_and_all_links() -> None:
    problem = random_sets(0, n=2, m=4)
    for w in np.random.default_rng(1).normal(size=(4, 4)):
        assert latent_objective(problem, w, 7.0) == pytest.approx(latent_by_hand(problem, w, 7.0))


def test_a_round_is_the_optimum_with_its_links_and_says_how_far_it_is_from_settled() -> None:
    problem = random_sets(3, n=3, m=4)
    rounds = list(train(problem, NSlack(C=50.0, eps=1e-8, qp_tolerance=1e-12)))
    for told in rounds:
        fixed = problem.on(Dataset("fixed", problem.dataset.inputs, told.links))
        assert told.convex == pytest.approx(optimum(fixed, 50.0).value, rel=1e-6)
        assert told.objective == pytest.approx(latent_by_hand(problem, told.w, 50.0), rel=1e-9)
    assert all(np.array_equal(a, b) for a, b in zip(rounds[0].links, problem.links, strict=True))
    for before, now in pairwise(rounds):
        expected = [trees_inside(problem.similarity(before.w, x), y) for x, y in _sets(problem)]
        assert all(np.array_equal(a, b) for a, b in zip(now.links, expected, strict=True))


def _sets(problem: SingleLink) -> list[tuple[ItemSet, np.ndarray]]:
    return list(zip(problem.dataset.inputs, problem.partitions, strict=True))


def test_slack_scaling_descends_too() -> None:
    problem = random_sets(1)
    scaled = SingleLink(problem.dataset, pricing=Pricing("slack"), separator=AllForests())
    check_descent(list(train(scaled, NSlack(C=10.0, eps=1e-8, qp_tolerance=1e-12))))


def test_the_caller_may_stop_and_a_learner_without_bounds_is_refused() -> None:
    problem = random_sets(2)
    assert len(list(train(problem, NSlack(C=1e4, eps=1e-6), rounds=1))) == 1
    assert list(train(problem, NSlack(C=1e4), rule=Until(steps=1), cancelled=lambda: True)) == []
    with pytest.raises(Refused, match="choose a cutting-plane learner"):
        next(train(problem, Perceptron()))
