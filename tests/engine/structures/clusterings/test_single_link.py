"""Supervised single link: the problem contract by enumeration of all forests."""

import pickle
from itertools import product

import numpy as np
import pytest

from explorer.engine.contracts import Approximates, Batch, Dataset, Enumerates, oracle_kind
from explorer.engine.learners import NSlack, OneSlack
from explorer.engine.losses import ZeroOne
from explorer.engine.objective import all_cuts, cut_of, mean_loss, sweep, sweep_of, value
from explorer.engine.pricing import Pricing
from explorer.engine.refusals import Refused
from explorer.engine.structures.clusterings.item_sets import item_set
from explorer.engine.structures.clusterings.link_forests import all_forests, forest_count, partition_of
from explorer.engine.structures.clusterings.link_oracles import AllForests, LinkSearch
from explorer.engine.structures.clusterings.losses import Mitre, Pairwise
from explorer.engine.structures.clusterings.single_link import SingleLink
from tests.referee import optimum


def data(seed: int = 0, sizes: tuple[int, ...] = (4, 1, 3, 4)) -> Dataset:
    rng = np.random.default_rng(seed)
    inputs, labels = [], []
    for m in sizes:
        related = [(0, m - 1)] if m > 1 else []
        inputs.append(item_set(m, rng.normal(size=(m, 2)), [related], rng.normal(size=(m * (m - 1) // 2, 2))))
        labels.append(rng.integers(0, 2, m))
    return Dataset("sets", tuple(inputs), tuple(labels))


def made(
    pricing: Pricing = Pricing(),  # noqa: B008
    delta: object = Pairwise(),
    separator: object = AllForests(),
) -> SingleLink:
    return SingleLink(data(), delta, pricing, separator)


def psi(x: object, i: int, j: int) -> np.ndarray:
    """The features of a pair, written out from its definition."""
    i, j = min(i, j), max(i, j)
    node = x.nodes[i] * x.nodes[j]
    holds = float((i, j) in {tuple(ends) for ends in x.relations[0].tolist()})
    at = next(p for p, pair in enumerate(zip(*np.triu_indices(x.m, 1), strict=True)) if pair == (i, j))
    return np.concatenate([node, holds * node, [holds], x.pairs[at]])


CASES = list(
    product(
        [Pricing(s, p) for s in ("margin", "slack") for p in ("linear", "squared")],
        (Pairwise(), Mitre(), ZeroOne()),
    )
)


def test_it_offers_what_problems_of_clustering_offer() -> None:
    problem = made()
    assert isinstance(problem, Batch)
    assert isinstance(problem, Enumerates)
    assert isinstance(problem, Approximates)
    assert (problem.oracle_is_exact, oracle_kind(problem), problem.exact_twin) == (True, "exact", None)
    searched = made(separator=LinkSearch())
    assert (searched.oracle_is_exact, oracle_kind(searched)) == (False, "under")
    assert searched.exact_twin.separator == AllForests()
    assert problem.groups.keys() == {"items", "relation 1", "pairs"}


def test_features_are_the_sum_over_links() -> None:
    problem = made()
    for i, x in enumerate(problem.dataset.inputs):
        for y in all_forests(x.m):
            expected = sum((psi(x, a, b) for a, b in enumerate(y) if b >= 0), np.zeros(problem.dim))
            assert problem.features(i, y) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("pricing", "delta"), CASES)
def test_the_oracle_finds_the_largest_violation_of_all_forests(pricing: Pricing, delta: object) -> None:
    problem, rng = made(pricing, delta), np.random.default_rng(3)
    for w in [np.zeros(problem.dim), *(10.0 ** rng.uniform(-1, 1.5) * rng.normal(size=(3, problem.dim)))]:
        for cut in all_cuts(problem, w):
            every = (cut_of(problem, cut.i, y) for y in problem.labellings(cut.i))
            best = max(pricing.violation(float(w @ c.psi), c.loss) for c in every)
            again = cut_of(problem, cut.i, cut.label)
            assert cut.psi == pytest.approx(again.psi, abs=1e-12)
            assert cut.loss == again.loss
            assert pricing.violation(float(w @ cut.psi), cut.loss) == pytest.approx(best, abs=1e-9)
            assert np.array_equal(problem.oracle(w, cut.i).label, cut.label)
        one, other = sweep(problem, w), sweep_of(problem, w, all_cuts(problem, w))
        assert (one.losses, one.margins, one.psi) == tuple(
            pytest.approx(part, abs=1e-9) for part in (other.losses, other.margins, other.psi)
        )


def test_predictions_score_most_of_all_forests_and_their_loss_is_that_of_their_partition() -> None:
    problem, rng = made(), np.random.default_rng(4)
    for w in rng.normal(size=(5, problem.dim)):
        guesses = problem.predictions(w)
        for i, guess in enumerate(guesses):
            best = max(float(w @ problem.features(i, y)) for y in problem.labellings(i))
            assert float(w @ problem.features(i, guess)) == pytest.approx(best, abs=1e-10)
            assert problem.loss(i, guess) == problem.loss(i, partition_of(guess))
        assert mean_loss(problem, w) == pytest.approx(np.mean(problem.losses(guesses)))


def test_truths_become_links_of_their_partitions_and_lose_nothing() -> None:
    given, problem = data(), made()
    for i, (y, links) in enumerate(zip(given.labels, problem.links, strict=True)):
        assert np.array_equal(
            problem.partitions[i], np.unique(y, return_inverse=True)[1] if y[0] == 0 else 1 - y
        )
        assert np.array_equal(partition_of(links), problem.partitions[i])
        cut = cut_of(problem, i, links)
        assert cut.loss == 0.0
        assert not cut.psi.any()
        assert sum(np.array_equal(links, other) for other in problem.labellings(i)) == 1
        assert (
            len(list(problem.labellings(i))) == problem.labellings_count(i) == forest_count(given.inputs[i].m)
        )


def test_default_links_are_the_best_trees_of_the_mean_feature() -> None:
    problem = made()
    mean = np.full(problem.dim, 1.0 / problem.dim)
    assert all(np.array_equal(a, b) for a, b in zip(problem.links, problem.impute(mean).links, strict=True))


def test_imputed_links_score_most_of_all_links_of_the_true_partition() -> None:
    problem = made()
    for w in np.random.default_rng(5).normal(size=(4, problem.dim)):
        better = problem.impute(w)
        for i, links in enumerate(better.links):
            same = (
                y for y in problem.labellings(i) if np.array_equal(partition_of(y), problem.partitions[i])
            )
            best = max(float(w @ problem.features(i, y)) for y in same)
            assert float(w @ problem.features(i, links)) == pytest.approx(best, abs=1e-10)


@pytest.mark.parametrize("pricing", [Pricing(), Pricing("slack")])
@pytest.mark.parametrize("learner", [NSlack(C=2.0, eps=1e-7), OneSlack(C=2.0, eps=1e-7)])
def test_training_with_fixed_links_ends_at_the_optimum_over_all_forests(
    learner: object, pricing: Pricing
) -> None:
    problem = made(pricing)
    *_, last = learner.steps(problem, np.random.default_rng(0))
    best = optimum(problem, 2.0)
    assert last.bounds.primal == pytest.approx(best.value, rel=1e-5)
    assert value(problem, last.w, 2.0) == pytest.approx(best.value, rel=1e-5)


def test_the_same_problem_elsewhere_and_on_other_data() -> None:
    problem = made()
    again = pickle.loads(pickle.dumps(problem))
    w = np.random.default_rng(6).normal(size=problem.dim)
    assert value(again, w, 3.0) == value(problem, w, 3.0)
    other = problem.on(Dataset("two", problem.dataset.inputs[:2], problem.dataset.labels[:2]))
    assert other.n == 2
    assert np.array_equal(other.links[0], problem.links[0])


def test_what_does_not_fit_is_refused() -> None:
    big = item_set(10, pairs=np.ones((45, 1)))
    with pytest.raises(Refused, match="choose link search"):
        SingleLink(Dataset("big", (big,), (np.zeros(10),)), separator=AllForests())
    assert SingleLink(Dataset("big", (big,), (np.zeros(10),))).exact_twin is None
    with pytest.raises(Refused, match="no forest of 4 items"):
        made().features(0, [0, 0, 0, 0, 0])
    with pytest.raises(Refused, match="circle"):
        SingleLink(Dataset("round", data().inputs[:1], ([1, 0, -1, -1],)))
    with pytest.raises(Refused, match="one cluster for each of the 4 items"):
        SingleLink(Dataset("short", data().inputs[:1], ([0, 0],)))
