"""How far relaxed answers reach: by hand, beside every labelling, and beside answers that oracles gave."""

import numpy as np
import pytest

from explorer.engine.catalogue.oracle_names import oracle_named
from explorer.engine.contracts import Dataset, Problem
from explorer.engine.losses import Hamming
from explorer.engine.structures.clusterings.item_sets import item_set
from explorer.engine.structures.clusterings.losses import Normalised
from explorer.engine.structures.clusterings.oracles import Spectral, TriangleRelaxation
from explorer.engine.structures.clusterings.problem import Clustering
from explorer.engine.structures.fields.fields import is_relaxed
from explorer.engine.structures.fields.graph_map import GraphMap
from explorer.engine.structures.fields.label_map import LabelMap, all_pairs
from explorer.engine.structures.fields.problem import FieldLabelling
from explorer.engine.theory.bounds import extent
from explorer.engine.theory.relaxed_extent import known_extent, reach
from explorer.engine.vectors import dense
from tests.catalogue import small_graphs

PER_CENT = Hamming(normalised=True, times=100.0)


def labelled(labels: int, oracle: str = "roof duality", seed: int = 0, n: int = 3) -> FieldLabelling:
    rng = np.random.default_rng(seed)
    data = Dataset("labels", rng.normal(size=(n, 3)), rng.integers(2, size=(n, labels)))
    return FieldLabelling(data, LabelMap(labels, all_pairs(labels)), PER_CENT, separator=oracle_named(oracle))


def items(seed: int = 0) -> Clustering:
    rng = np.random.default_rng(seed)
    sets = tuple(item_set(6, pairs=rng.normal(size=(15, 4))) for _ in range(3))
    truths = tuple(rng.integers(3, size=6) for _ in sets)
    return Clustering(Dataset("items", sets, truths), separator=TriangleRelaxation())


CASES = {
    "labels, roof duality": lambda: labelled(4),
    "labels, linear program": lambda: labelled(4, "linear program"),
    "labels, fast relaxation": lambda: labelled(4, "fast relaxation"),
    "graphs": lambda: FieldLabelling(small_graphs(), GraphMap(3), separator=oracle_named("linear program")),
    "pairs of items": items,
}


def test_two_labels_and_their_pair_by_hand() -> None:
    # q_1 x, q_2 x and q_12, each at most entirely on: |Psi|^2 <= 2 |x|^2 + 1; entirely changed: the same.
    found = known_extent(labelled(2))
    assert found is not None
    squared = max(2.0 * float(x @ x) + 1.0 for x in labelled(2).dataset.inputs)
    assert (found.longest**2, found.radius**2, found.loss) == pytest.approx((squared, squared, 100.0))
    assert found.relaxed


def test_rows_at_right_angles_add_their_squares_and_parallel_ones_their_lengths() -> None:
    apart = np.array([[3.0, 0.0], [0.0, 4.0]])
    assert reach(apart, np.array([0, 1])) == pytest.approx(5.0)
    assert reach(apart, np.array([0])) == pytest.approx(4.0), "one group takes one of its rows, or a mixture"
    assert reach(np.array([[3.0], [4.0]]), np.array([0, 1])) == pytest.approx(7.0)


@pytest.mark.spec("D2")
@pytest.mark.parametrize("case", CASES)
def test_no_labelling_and_no_relaxed_answer_reaches_further(case: str) -> None:
    problem: Problem = CASES[case]()
    found = known_extent(problem)
    assert found is not None
    whole = extent(problem)
    assert found.radius >= whole.radius - 1e-9
    assert found.longest >= whole.longest - 1e-9
    assert found.loss >= whole.loss - 1e-9
    rng, fractional = np.random.default_rng(0), 0
    for _ in range(40):
        w = rng.normal(size=problem.dim) * 10.0 ** rng.uniform(0, 3)
        for i in range(problem.n):
            cut = problem.oracle(w, i)
            fractional += is_relaxed(cut.label)
            assert np.linalg.norm(dense(cut.psi)) <= found.radius + 1e-9
            assert np.linalg.norm(dense(problem.features(i, cut.label))) <= found.longest + 1e-9
            assert cut.loss <= found.loss + 1e-9
    assert fractional > 0


def test_changed_pairs_of_items_cost_everything() -> None:
    found = known_extent(items())
    assert found is not None
    assert found.loss == pytest.approx(100.0)
    for x in items().dataset.inputs:
        assert found.longest >= np.linalg.norm(x.pairs.sum(axis=0)) / 36.0, "all in one cluster"


def test_eigenvectors_are_no_mixture_of_parts_and_large_problems_are_left_alone() -> None:
    sets = tuple(item_set(6, pairs=np.random.default_rng(0).normal(size=(15, 4)), groups=2) for _ in range(2))
    data = Dataset("items", sets, (np.arange(6) % 2,) * 2)
    spectral = Clustering(data, "k-means", Normalised(), separator=Spectral(), predictor=Spectral())
    assert known_extent(spectral) is None
    assert known_extent(labelled(4), 1e-6) is None
