"""Kernels of inputs: their figures, one computation for each pair, and coordinates with the same inner
products.
"""

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pytest

from explorer.engine.data.readers.treebank import micro_treebank
from explorer.engine.data.register import register_treebank
from explorer.engine.learners import OneSlack
from explorer.engine.refusals import Refused
from explorer.engine.structures.trees.dual_problem import KernelTrees
from explorer.engine.structures.trees.edge_hashes import EdgeHash, counts, matches, seen_in
from explorer.engine.structures.trees.input_kernels import (
    BagOfWords,
    Constant,
    Subsequences,
    between,
    coordinates,
    gram,
)

MICRO = [[3, 1, 1, 2], [1, 3, 0, 1], [1, 0, 4, 1], [2, 1, 1, 4]]
KERNELS = (Constant(), BagOfWords(), BagOfWords(2), Subsequences())


def test_common_lemmas_of_the_micro_treebank() -> None:
    inputs = micro_treebank().inputs
    assert gram(BagOfWords(), inputs).tolist() == MICRO
    assert gram(BagOfWords(2), inputs).tolist() == ((np.array(MICRO) + 1.0) ** 2).tolist()
    assert gram(Constant(), inputs).tolist() == np.ones((4, 4)).tolist()


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_coordinates_have_the_kernel_for_inner_products_also_with_new_sentences(kernel: Any) -> None:
    train, test = register_treebank(30, 10)
    assert test is not None
    made = coordinates(kernel, train.inputs)
    rows, others = made.rows(train.inputs), made.rows(test.inputs)
    table = gram(kernel, train.inputs)
    assert rows @ rows.T == pytest.approx(table, abs=1e-9)
    assert others @ rows.T == pytest.approx(between(kernel, test.inputs, train.inputs), abs=1e-9)
    assert between(kernel, train.inputs, train.inputs) == pytest.approx(table, abs=1e-12)
    assert made.rank == np.linalg.matrix_rank(table)


@pytest.mark.spec("F12")
def test_the_joint_kernel_is_the_inner_product_of_kronecker_products() -> None:
    rng = np.random.default_rng(0)
    for _ in range(100):
        a, b, c, d = rng.normal(size=3), rng.normal(size=3), rng.normal(size=4), rng.normal(size=4)
        assert (a @ b) * (c @ d) == pytest.approx(np.kron(a, c) @ np.kron(b, d), abs=1e-12)
    data, kernel = micro_treebank(), BagOfWords()
    atoms, made = seen_in(data.inputs, (EdgeHash(),)), coordinates(kernel, data.inputs)
    f, tables = made.rows(data.inputs), [atoms.of(x) for x in data.inputs]
    psi = [np.kron(row, counts(t, y, atoms.size)) for row, t, y in zip(f, tables, data.labels, strict=True)]
    edges = [t[0, y, np.arange(len(y))] for t, y in zip(tables, data.labels, strict=True)]
    for i, j in np.ndindex(4, 4):
        assert psi[i] @ psi[j] == pytest.approx(MICRO[i][j] * matches(edges[i], edges[j]), abs=1e-9)


@dataclass
class Counted:
    """A bag of words that notes what it was asked."""

    title: ClassVar[str] = "counted"
    layer: ClassVar[str] = "lemmas"
    normalised: ClassVar[bool] = False

    asked: list[int] = field(default_factory=list)

    def row(self, s: Any, others: Any, ends: Any) -> Any:
        self.asked.append(len(ends) - 1)
        return BagOfWords().row(s, others, ends)


@pytest.mark.spec("F25")
def test_each_pair_of_training_sentences_is_compared_once_in_a_whole_training() -> None:
    data, kernel = register_treebank(20)[0], Counted()
    problem = KernelTrees(data, kernel=kernel)  # type: ignore[arg-type]
    steps = list(OneSlack(C=1.0, eps=0.05).steps(problem, np.random.default_rng(0)))
    assert len(steps) > 3
    assert sorted(kernel.asked) == list(range(1, 21))
    assert sum(kernel.asked) == 20 * 21 // 2


def test_too_many_sentences_are_refused() -> None:
    x = micro_treebank().inputs[0]
    with pytest.raises(Refused, match="at most 5,000 sentences"):
        gram(Constant(), [x] * 5001)
