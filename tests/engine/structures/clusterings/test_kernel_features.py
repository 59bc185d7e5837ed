"""Kernel training in written-out coordinates: the same machine as without a kernel, where that can be
compared.
"""

from typing import Any

import numpy as np
import pytest

from explorer.engine.contracts import Dataset
from explorer.engine.events import Step
from explorer.engine.learners import NSlack, OneSlack
from explorer.engine.refusals import Refused
from explorer.engine.structures.clusterings.dual_expansion import expansion
from explorer.engine.structures.clusterings.item_sets import item_set, similarity
from explorer.engine.structures.clusterings.kernel_features import full_matrix, matrix_of, with_kernel
from explorer.engine.structures.clusterings.pair_kernels import (
    RBF,
    Linear,
    Polynomial,
    Product,
    pairs_of,
    stack_pairs,
)
from explorer.engine.structures.clusterings.partitions import pair_vector
from explorer.engine.structures.clusterings.problem import Clustering

C = 300.0
LEARNER = NSlack(C=C, eps=1e-7, qp_tolerance=1e-12)


def data(n: int = 5, m: int = 5, seed: int = 0, width: int = 3) -> Dataset:
    """Random items; the truth groups them by the side of a hidden direction, so that products of features say
    something.
    """
    rng = np.random.default_rng(seed)
    inputs = tuple(
        item_set(m, rng.normal(size=(m, width)), names=[f"item {i}" for i in range(m)]) for _ in range(n)
    )
    labels = tuple((x.nodes @ np.array([1.0, -1.0, 0.5])[:width] > 0.0).astype(int) for x in inputs)
    return Dataset("items", inputs, labels)


def last(problem: Any, learner: Any = LEARNER) -> Step:
    *_, step = learner.steps(problem, np.random.default_rng(0))
    return step


def predictions(problem: Any, w: np.ndarray, others: Dataset) -> list[list[int]]:
    return [y.tolist() for y in (*problem.predictions(w), *problem.on(others).predictions(w))]


@pytest.mark.spec("C20")
@pytest.mark.parametrize("learner", [LEARNER, OneSlack(C=C, eps=1e-7, qp_tolerance=1e-12)])
def test_a_linear_kernel_predicts_exactly_as_the_linear_run(learner: Any) -> None:
    train, test = data(), data(6, 6, seed=1)
    plain = Clustering(train)
    straight = last(plain, learner)
    made, found = with_kernel(train, Linear())
    bent = Clustering(made)
    step = last(bent, learner)
    assert found.dim == 3
    assert step.bounds.primal == pytest.approx(straight.bounds.primal, rel=1e-8)
    for x in test.inputs:
        expected = pair_vector(similarity(x, straight.w))
        assert pair_vector(similarity(found.items(x), step.w)) == pytest.approx(expected, abs=1e-6)
    assert predictions(bent, step.w, found.dataset(test)) == predictions(plain, straight.w, test)


@pytest.mark.spec("D37")
def test_the_product_kernel_is_training_on_all_products_of_features() -> None:
    train, test = data(), data(6, 6, seed=2)
    made, found = with_kernel(train, Product())
    bent, explicit = Clustering(made), Clustering(full_matrix(train))
    one, other = last(bent), last(explicit)
    assert one.bounds.primal == pytest.approx(other.bounds.primal, rel=1e-8)
    W = matrix_of(other.w, 3)
    assert pytest.approx(W.T) == W
    gamma = expansion(bent, one.state).on(train)
    for x in (*train.inputs, *test.inputs):
        expected = pair_vector(x.nodes @ W @ x.nodes.T)
        assert pair_vector(similarity(found.items(x), one.w)) == pytest.approx(expected, abs=1e-6)
        assert pair_vector(gamma.similarity(x, Product())) == pytest.approx(expected, abs=1e-6)
    assert predictions(bent, one.w, found.dataset(test)) == predictions(explicit, other.w, full_matrix(test))


def test_a_full_matrix_is_the_symmetric_outer_product() -> None:
    x = data(1).inputs[0]
    (made,) = full_matrix(Dataset("one", (x,), ([0] * 5,))).inputs
    i, j = np.triu_indices(5, 1)
    outer = np.array([np.outer(x.nodes[a], x.nodes[b]) for a, b in zip(i, j, strict=True)])
    outer = ((outer + outer.transpose(0, 2, 1)) / 2.0).reshape(10, -1)
    assert made.pairs @ made.pairs.T == pytest.approx(outer @ outer.T)
    w = np.random.default_rng(3).normal(size=6)
    assert pair_vector(similarity(made, w)) == pytest.approx(outer @ matrix_of(w, 3).reshape(-1))
    assert made.names == x.names


@pytest.mark.parametrize("kernel", [Linear(), Polynomial(), Polynomial(3, 0.2), RBF(0.3), Product()])
def test_coordinates_have_the_kernel_for_inner_products_and_new_pairs_the_similarity_of_gamma(
    kernel: Any,
) -> None:
    train, fresh = data(), data(2, 7, seed=4)
    made, found = with_kernel(train, kernel)
    written = stack_pairs([pairs_of(x) for x in train.inputs])
    rows = np.vstack([x.pairs for x in made.inputs])
    gram = kernel.gram(written, written)
    assert rows @ rows.T == pytest.approx(gram, abs=1e-9 * np.abs(gram).max())
    assert rows.shape == (50, found.dim)
    problem = Clustering(made)
    step = last(problem, NSlack(C=C, eps=1e-5))
    gamma = expansion(problem, step.state).on(train)
    for x in fresh.inputs:
        expected = pair_vector(gamma.similarity(x, kernel))
        assert pair_vector(similarity(found.items(x), step.w)) == pytest.approx(
            expected, abs=1e-6 * np.abs(expected).max()
        )


def test_an_rbf_kernel_fits_what_no_line_can() -> None:
    # Together where the one feature of a pair is neither small nor large.
    rng = np.random.default_rng(5)
    inputs, labels = [], []
    for _ in range(6):
        y = rng.permutation([0, 0, 1, 1])
        i, j = np.triu_indices(4, 1)
        size = np.where(
            y[i] == y[j], rng.uniform(0.9, 1.1, 6), rng.choice([0.1, 2.0], 6) + rng.uniform(-0.1, 0.1, 6)
        )
        inputs.append(item_set(4, pairs=np.column_stack([size, np.ones(6)])))
        labels.append(y)
    train = Dataset("middle", tuple(inputs), tuple(labels))
    learner = NSlack(C=1e5, eps=1e-2)
    plain, bent = Clustering(train), Clustering(with_kernel(train, RBF(3.0))[0])
    assert np.mean(plain.losses(plain.predictions(last(plain, learner).w))) > 0.0
    assert np.mean(bent.losses(bent.predictions(last(bent, learner).w))) == 0.0


def test_what_cannot_be_had_is_refused() -> None:
    many = Dataset("many", (item_set(111, pairs=np.ones((6105, 1))),), ([0] * 111,))
    with pytest.raises(Refused, match=r"6,105 training pairs.*linear similarity"):
        with_kernel(many, Linear())
    bare = Dataset("bare", (item_set(2, pairs=[[0.0]]),), ([0, 0],))
    with pytest.raises(Refused, match="give them features"):
        with_kernel(bare, Linear())
    with pytest.raises(Refused, match="item set 0 has no features of its items"):
        full_matrix(bare)
