"""The pair classifier on sparse rows is the pair classifier."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from explorer.engine.contrast import PairClassifier
from explorer.engine.data.cluster_synth import make_synth
from explorer.engine.data.web_pages import all_pages
from explorer.engine.items import ItemSet, item_set, similarity
from explorer.engine.protocols import Dataset
from explorer.engine.studies.pair_machine import pair_rows, pair_weights


def mixed(seed: int) -> ItemSet:
    """Nodes, two relations and pair features together."""
    rng = np.random.default_rng(seed)
    nodes = csr_array(rng.random((5, 4)) * (rng.random((5, 4)) < 0.6))
    return item_set(5, nodes, ([[0, 1], [3, 2]], [[0, 4]]), rng.random((10, 3)))


@pytest.mark.parametrize("x", [mixed(0), mixed(1), *make_synth(1, 3, 4, 5, 2).inputs, *all_pages(1, 12, 20).inputs])
@pytest.mark.spec("C44")
def test_rows_times_weights_are_the_similarities_of_all_pairs(x: ItemSet) -> None:
    w = np.random.default_rng(2).normal(size=x.dim)
    assert pair_rows(x).shape == (x.m * (x.m - 1) // 2, x.dim)
    assert pair_rows(x) @ w == pytest.approx(similarity(x, w)[np.triu_indices(x.m, 1)], abs=1e-12)


@pytest.mark.parametrize("C", [1.0, 100.0])
def test_weights_are_those_of_the_dense_pair_classifier_with_an_offset(C: float) -> None:
    data = make_synth(2, 3, 5, 6, 2, noise=0.3)
    dense = [pair_rows(x).toarray() for x in data.inputs]
    machine = PairClassifier(C=C, offset=True).fit(dense, data.labels)
    assert pair_weights(data, C) == pytest.approx(machine.w, abs=1e-3 * np.abs(machine.w).max())


def test_pairs_of_one_kind_give_a_constant_answer() -> None:
    x = mixed(0)
    assert set(pair_weights(Dataset("alone", (x,), (np.arange(5),)), 1.0)) == {-1.0}
    assert set(pair_weights(Dataset("together", (x,), (np.zeros(5, dtype=int),)), 1.0)) == {1.0}
