"""Kernels of pairs against their formulas, one pair at a time."""

from itertools import combinations

import numpy as np
import pytest
from scipy import sparse as sp

from explorer.engine.refusals import Refused
from explorer.engine.structures.clusterings.item_sets import item_set, similarity
from explorer.engine.structures.clusterings.pair_kernels import (
    RBF,
    Linear,
    Polynomial,
    Product,
    pairs_of,
    stack_pairs,
)
from explorer.engine.structures.clusterings.partitions import pair_vector


def items(seed: int = 0, m: int = 5, sparse: bool = False) -> object:
    rng = np.random.default_rng(seed)
    nodes, pairs = rng.normal(size=(m, 3)), rng.normal(size=(m * (m - 1) // 2, 2))
    related = [[(0, 1), (1, 3)], [(2, 4)]]
    return item_set(
        m, sp.csr_array(nodes) if sparse else nodes, related, sp.csr_array(pairs) if sparse else pairs
    )


@pytest.mark.parametrize("sparse", [False, True])
def test_written_out_pairs_have_the_similarity_of_their_set(sparse: bool) -> None:
    x = items(sparse=sparse)
    w = np.random.default_rng(1).normal(size=x.dim)
    K = similarity(x, w)
    both = pairs_of(x, own=True).psi @ w
    assert both == pytest.approx(np.concatenate([pair_vector(K), np.diag(K)]))
    assert pairs_of(x).psi @ w == pytest.approx(pair_vector(K))


def test_every_kernel_is_its_formula() -> None:
    one, other = pairs_of(items(0)), pairs_of(items(2, m=4 + 1))
    grams = {k: k.gram(one, other) for k in (Linear(), Polynomial(3, 0.5, 2.0), RBF(0.3), Product())}
    for a in range(len(one.psi)):
        for b in range(len(other.psi)):
            p, q = one.psi[a], other.psi[b]
            i, j, k, m = one.first[a], one.second[a], other.first[b], other.second[b]
            expected = [
                p @ q,
                (0.5 * (p @ q) + 2.0) ** 3,
                np.exp(-0.3 * sum((s - t) ** 2 for s, t in zip(p, q, strict=True))),
                ((i @ k) * (j @ m) + (i @ m) * (j @ k)) / 2.0,
            ]
            assert [gram[a, b] for gram in grams.values()] == pytest.approx(expected)


@pytest.mark.parametrize("kind", [Linear, Polynomial, RBF, Product])
def test_kernels_are_positive_semidefinite(kind: type) -> None:
    written = stack_pairs([pairs_of(items(seed)) for seed in range(3)])
    gram = kind().gram(written, written)
    assert gram == pytest.approx(gram.T)
    assert np.linalg.eigvalsh(gram).min() >= -1e-9 * np.abs(gram).max()


@pytest.mark.spec("D37")
def test_the_polynomial_of_degree_two_is_not_the_product_kernel() -> None:
    # On products of items' features a polynomial multiplies four numbers, x_ia x_ja x_ib x_jb; x_i' W x_j
    # needs x_ia x_jb.
    x = item_set(3, np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]))
    written = pairs_of(x)
    assert Product().gram(written, written)[0, 0] == 0.5
    assert Polynomial(2, 1.0, 0.0).gram(written, written)[0, 0] == 0.0


def test_pairs_can_be_chosen_and_swapped_items_are_the_same_pair() -> None:
    x = items()
    written = pairs_of(x)
    turned = written._replace(first=written.second, second=written.first)
    assert Product().gram(turned, written) == pytest.approx(Product().gram(written, written))
    assert written.at([0, 3]).psi == pytest.approx(written.psi[[0, 3]])
    order = list(combinations(range(5), 2))
    assert written.first[order.index((1, 3))] == pytest.approx(x.nodes[1])


def test_settings_out_of_range_are_refused() -> None:
    with pytest.raises(Refused, match="degree is 0"):
        Polynomial(degree=0)
    with pytest.raises(Refused, match="sharpness"):
        RBF(sharpness=0.0)
