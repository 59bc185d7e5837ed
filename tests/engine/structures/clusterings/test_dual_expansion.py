"""The dual expansion: w and K as sums over training pairs, for every model and learner of cuts."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from explorer.engine.contracts import Dataset
from explorer.engine.data.toys import four_points
from explorer.engine.events import Step
from explorer.engine.learners import NSlack, OneSlack, SequentialDual
from explorer.engine.pricing import Pricing
from explorer.engine.refusals import Refused
from explorer.engine.structures.classes.multiclass import Multiclass
from explorer.engine.structures.clusterings.dual_expansion import expansion
from explorer.engine.structures.clusterings.item_sets import item_set, similarity
from explorer.engine.structures.clusterings.link_forests import single_link
from explorer.engine.structures.clusterings.losses import Mitre, Normalised
from explorer.engine.structures.clusterings.pair_kernels import Linear
from explorer.engine.structures.clusterings.partitions import pair_vector
from explorer.engine.structures.clusterings.problem import Clustering
from explorer.engine.structures.clusterings.single_link import SingleLink

C = 30.0


def data(n: int = 4, m: int = 5, seed: int = 0) -> Dataset:
    rng = np.random.default_rng(seed)
    inputs = tuple(
        item_set(m, rng.normal(size=(m, 3)), [[(0, 1), (1, m - 1)]], rng.normal(size=(m * (m - 1) // 2, 2)))
        for _ in range(n)
    )
    return Dataset("sets", inputs, tuple(np.append([0, 1], rng.integers(0, 2, m - 2)) for _ in range(n)))


def last(problem: Any, learner: Any) -> Step:
    *_, step = learner.steps(problem, np.random.default_rng(0))
    return step


def hidden() -> Dataset:
    """Sets whose truth is what single link makes of a similarity; labels by chance leave w = 0, which shows
    nothing.
    """
    made = data(seed=5)
    w = np.random.default_rng(7).normal(size=made.inputs[0].dim)
    return replace(made, labels=tuple(single_link(similarity(x, w), 1.0) for x in made.inputs))


PROBLEMS = {
    "correlation": Clustering(data()),
    "correlation, slack scaling, MITRE": Clustering(
        data(seed=1), delta=Mitre(), pricing=Pricing("slack"), normalise=False
    ),
    "squared slack": Clustering(data(seed=2), pricing=Pricing("slack", "squared")),
    "k-means": Clustering(data(seed=3), "k-means", Normalised()),
    "k-means with diagonal": Clustering(data(seed=4), "k-means", Normalised(), diagonal=True),
    "single link": SingleLink(hidden()),
}
CASES = [
    pytest.param(problem, kind(C=C, eps=1e-6), id=f"{kind.__name__} {name}")
    for name, problem in PROBLEMS.items()
    for kind in (NSlack, OneSlack)
    if kind(C=C).refuses(problem) is None
]


@pytest.mark.spec("D36")
@pytest.mark.parametrize(("problem", "learner"), CASES)
def test_w_and_the_similarity_are_sums_over_training_pairs(problem: Any, learner: Any) -> None:
    step = last(problem, learner)
    found = expansion(problem, step.state)
    assert np.linalg.norm(step.w) > 1e-3
    assert found.w() == pytest.approx(step.w, abs=1e-6)
    fresh = data(1, 7, seed=9).inputs[0]
    for x in (*problem.dataset.inputs, fresh):
        expected = pair_vector(similarity(x, step.w))
        assert pair_vector(found.similarity(x, Linear())) == pytest.approx(expected, abs=1e-8)
        assert pair_vector(found.similarity(x)) == pytest.approx(expected, abs=1e-8)
    assert 0.0 <= step.bounds.gap <= C * 1e-6 * (1.0 + 1e-6), (
        "strong duality, within the tolerance of the cuts"
    )


@pytest.mark.spec("D36")
def test_the_shares_of_pairs_are_those_of_the_table() -> None:
    rng, x = np.random.default_rng(6), data(1).inputs[0]
    y = np.array([0, 0, 1, 1, 1])
    i, j = np.triu_indices(5, 1)
    same, size = y[i] == y[j], np.where(y[i] == 0, 2.0, 3.0)
    shares = rng.uniform(size=10)
    Y = np.linalg.qr(rng.normal(size=(5, 2)))[0]
    one = Dataset("one", (x,), (y,))
    correlation, means = Clustering(one), Clustering(one, "k-means", Normalised())
    table = [
        (correlation, y, same / 25.0),
        (correlation, shares, shares / 25.0),
        (means, y, same / size),
        (means, Y.reshape(-1), np.sum(Y[i] * Y[j], axis=1)),
    ]
    psi = np.array([[float(v) for v in _psi(x, a, b)] for a, b in zip(i, j, strict=True)])
    for problem, label, beta in table:
        assert problem.weighting(x, label).beta == pytest.approx(beta, abs=1e-12)
        assert problem.features(0, label) == pytest.approx(beta @ psi, abs=1e-12)


def _psi(x: Any, i: int, j: int) -> Any:
    """One pair's features: similarities under the unit weights."""
    return (similarity(x, unit)[i, j] for unit in np.eye(x.dim))


def test_gamma_is_of_the_cuts_with_mass_and_adds_up_by_hand() -> None:
    # One set of two items, together in the truth; one cut (apart, loss 100): w = alpha psi / 4, alpha = C / n
    # = 8.
    problem = Clustering(Dataset("two", (item_set(2, pairs=[[0.5]]),), ([0, 0],)))
    step = last(problem, NSlack(C=8.0, eps=1e-9))
    found = expansion(problem, step.state)
    assert found.pairs[0] == pytest.approx([2.0])
    assert found.w() == pytest.approx([1.0])


def test_what_has_no_expansion_is_refused() -> None:
    ruled = Clustering(data(seed=3), "k-means", Normalised(), nonnegative=True)
    with pytest.raises(Refused, match="train without `nonnegative`"):
        expansion(ruled, last(ruled, NSlack(C=C)).state)
    plain = PROBLEMS["correlation"]
    step = next(SequentialDual(C=C).steps(plain, np.random.default_rng(0)))
    with pytest.raises(Refused, match="train with a cutting-plane learner"):
        expansion(plain, step.state)
    with pytest.raises(Refused, match="give a clustering problem"):
        expansion(Multiclass(four_points(), 2), {})
