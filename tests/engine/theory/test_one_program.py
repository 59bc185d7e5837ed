"""The oracle's program folded into training, held against cutting planes."""

import numpy as np
import pytest

from explorer.engine.catalogue.oracle_names import oracle_named
from explorer.engine.contracts import Dataset
from explorer.engine.losses import Hamming
from explorer.engine.refusals import Refused
from explorer.engine.structures.fields.fields import flatten
from explorer.engine.structures.fields.graph_map import GraphMap
from explorer.engine.structures.fields.graphs import graph, graphs
from explorer.engine.structures.fields.label_map import LabelMap, all_pairs
from explorer.engine.structures.fields.problem import FieldLabelling
from explorer.engine.theory import one_program as folding
from explorer.engine.theory.one_program import kind_of, local_polytope, markov_network, train_as_one_program
from explorer.studies.support.fitting import cutting_planes, final_step
from tests import referee


def chains(seed: int, oracle: str = "tree max-product") -> FieldLabelling:
    """Four chains of three states, of up to six nodes, with random features and labels."""
    rng = np.random.default_rng(seed)
    inputs, labels = [], []
    for m in rng.integers(1, 7, 4):
        along = np.stack([np.arange(m - 1), np.arange(1, m)], axis=1)
        inputs.append(graph(rng.normal(size=(m, 2)), along))
        labels.append(rng.integers(0, 3, m))
    data = graphs("chains", inputs, labels, ("a", "b", "c"))
    return FieldLabelling(data, GraphMap(3), separator=oracle_named(oracle), predictor=oracle_named(oracle))


def loops(seed: int, oracle: str, labels: int = 4) -> FieldLabelling:
    """Five examples of a complete field over a few labels."""
    rng = np.random.default_rng(seed)
    data = Dataset("loops", rng.normal(size=(5, 2)), rng.integers(0, 2, (5, labels)))
    pairs = LabelMap(labels, all_pairs(labels))
    return FieldLabelling(data, pairs, Hamming(normalised=True, times=10.0), separator=oracle_named(oracle))


@pytest.mark.spec("C21")
@pytest.mark.parametrize("seed", range(3))
def test_on_chains_the_markov_network_is_the_cutting_plane_optimum(seed: int) -> None:
    problem, C = chains(seed), 10.0
    last = final_step(cutting_planes(problem, C, 1e-4))
    found = markov_network(problem, C)
    assert found.kind == "exact"
    assert found.value == pytest.approx(last.bounds.dual, rel=1e-3)
    assert found.value == pytest.approx(referee.optimum(problem, C).value, rel=1e-3)
    assert np.linalg.norm(found.w - last.w) <= 1e-2 * np.linalg.norm(last.w)


@pytest.mark.spec("C21")
def test_with_cycles_the_markov_network_is_marked_relaxed_and_lies_above() -> None:
    problem = loops(0, "exhaustive")
    found = markov_network(problem, 20.0)
    assert found.kind == "relaxed"
    assert kind_of(chains(0)) == "exact"
    assert found.value >= referee.optimum(problem, 20.0).lower * (1.0 - 1e-6)


@pytest.mark.spec("C22")
@pytest.mark.parametrize("oracle", ["linear program", "roof duality"])
def test_folding_finds_the_weights_of_cutting_planes_with_a_relaxed_oracle(oracle: str) -> None:
    for seed in range(3):
        problem, C = loops(seed, oracle), 5.0
        last = final_step(cutting_planes(problem, C, 1e-5))
        found = train_as_one_program(problem, C)
        assert found.kind == "relaxed"
        assert np.linalg.norm(found.w - last.w) <= 1e-2 * np.linalg.norm(last.w)
        assert found.value == pytest.approx(last.bounds.dual, rel=1e-4)


def test_both_sides_of_the_folded_program_meet() -> None:
    for problem in (chains(1), loops(1, "roof duality")):
        above, below = train_as_one_program(problem, 3.0), markov_network(problem, 3.0)
        assert below.value <= above.value * (1.0 + 1e-6)
        assert below.value == pytest.approx(above.value, rel=1e-5)
        assert above.w == pytest.approx(below.w, abs=1e-3)


def test_the_local_polytope_holds_every_labelling_and_the_half_and_half_point() -> None:
    ends = np.array([[0, 1], [1, 2], [0, 2]])
    A, b = local_polytope(3, ends, 2)
    assert A.shape == (3 + 3 * 2 * 2, 3 * 2 + 3 * 4)
    for y in np.ndindex(2, 2, 2):
        node = np.eye(2)[list(y)]
        edge = np.stack([np.outer(node[a], node[c]) for a, c in ends])
        assert A @ flatten(node, edge) == pytest.approx(b)
    half = np.full((3, 2), 0.5)
    apart = np.tile(np.array([[0.0, 0.5], [0.5, 0.0]]), (3, 1, 1))
    assert A @ flatten(half, apart) == pytest.approx(b)
    assert A @ flatten(half, 0.0 * apart) != pytest.approx(b)


def test_a_large_problem_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folding, "LARGEST", 100)
    with pytest.raises(Refused, match="160 shares; folding takes at most 100"):
        train_as_one_program(loops(0, "exhaustive"), 1.0)
