"""Max-product on forests against enumeration and Viterbi."""

import numpy as np
import pytest

from explorer.engine.refusals import Refused
from explorer.engine.structures.chains.kernels.viterbi import viterbi
from explorer.engine.structures.fields.fields import Fields
from explorer.engine.structures.fields.oracles.belief import beliefs_from
from explorer.engine.structures.fields.oracles.tree import Tree, downward_labels, upward_messages
from tests import brute
from tests.engine.structures.fields.oracles.sample_fields import (
    Part,
    definition,
    every,
    grid_edges,
    mixed,
    optimum,
    own_labels,
    scored,
    stacked,
    tree_edges,
)


def as_field(chain: brute.Chain) -> Part:
    """A chain as a field: start and stop are part of the ends' own scores."""
    unary = chain.unary.copy()
    unary[0] += chain.start
    unary[-1] += chain.stop
    ends = np.array([(t, t + 1) for t in range(len(unary) - 1)], dtype=np.int64).reshape(-1, 2)
    return Part(unary, ends, np.tile(chain.trans, (len(ends), 1, 1)))


@pytest.mark.parametrize("states", [1, 2, 3, 4])
def test_it_finds_the_best_of_all_labellings_of_trees_and_forests(states: int) -> None:
    for seed, keep, ties in ((0, 1.0, False), (1, 0.7, False), (2, 0.8, True), (3, 0.0, False)):
        rng = np.random.default_rng(seed)
        sizes = rng.integers(1, 7, 40).tolist()
        fields = stacked([scored(rng, m, tree_edges(rng, m, keep), states, ties) for m in sizes])
        found = Tree().solve(fields)
        assert np.allclose(fields.scores(found.labels), optimum(fields), atol=1e-9)
        assert np.array_equal(found.bound, fields.scores(found.labels))


@pytest.mark.spec("A23")
def test_on_500_chains_it_finds_the_labelling_that_enumeration_finds_ties_included() -> None:
    rng = np.random.default_rng(5)
    chains = [
        brute.random_chain(rng, int(rng.integers(1, 6)), int(states), ties=ties)
        for states in (2, 3, 4)
        for ties in (False, True)
        for _ in range(84)
    ]
    for chain in chains:
        assert Tree().solve(stacked([as_field(chain)])).labels.tolist() == brute.best_path(chain)[0].tolist()


@pytest.mark.spec("A23")
def test_the_textbook_hmm_has_the_path_1_0_0_of_probability_0_01344() -> None:
    field = stacked([as_field(brute.textbook_hmm())])
    found = Tree().solve(field)
    assert found.labels.tolist() == [1, 0, 0]
    assert np.exp(found.bound[0]) == pytest.approx(0.01344)


def test_on_a_long_chain_it_is_viterbi() -> None:
    chain = brute.random_chain(np.random.default_rng(6), 300, 5, ties=True)
    path = np.empty(300, dtype=np.int64)
    value = viterbi(*chain, path)
    found = Tree().solve(stacked([as_field(chain)]))
    assert found.labels.tolist() == path.tolist()
    assert found.bound[0] == value


def test_a_field_with_a_cycle_is_refused_by_its_number() -> None:
    rng = np.random.default_rng(8)
    good = [scored(rng, 5, tree_edges(rng, 5), 2), scored(rng, 1, [], 2), scored(rng, 6, [(4, 5)], 2)]
    assert Tree().refuses(stacked(good)) is None
    triangle = scored(rng, 6, [(0, 3), (3, 5), (5, 0)], 2)
    reason = Tree().refuses(stacked([*good, triangle, scored(rng, 4, grid_edges(2, 2), 2)]))
    assert reason is not None
    assert "field 3 has a cycle" in reason
    with pytest.raises(Refused, match="field 0 has a cycle"):
        Tree().solve(stacked([scored(rng, 4, grid_edges(2, 2), 2)]))


def test_two_edges_between_the_same_nodes_are_a_cycle() -> None:
    assert Tree().refuses(stacked([scored(np.random.default_rng(9), 3, [(0, 1), (1, 0)], 2)])) is not None


def test_a_batch_is_answered_as_its_fields_one_by_one_and_tables_may_be_shared() -> None:
    rng = np.random.default_rng(10)
    edges = tree_edges(rng, 7)
    parts = [scored(rng, 7, edges, 3) for _ in range(90)]
    own = stacked(parts)
    shared = Fields(own.unary, own.nodes, own.ends, own.edges, np.tile(np.arange(6), 90), own.pair[:6])
    labels = Tree().solve(shared).labels
    assert np.allclose(
        shared.scores(labels)[:20], optimum(stacked([p._replace(pair=own.pair[:6]) for p in parts[:20]]))
    )
    for field, y in zip(shared, own_labels(shared, labels), strict=True):
        assert Tree().solve(field).labels.tolist() == y.tolist()


def test_graphs_with_cycles_are_among_the_mixed_ones() -> None:
    assert Tree().refuses(mixed(np.random.default_rng(0), 2)) is not None


def test_messages_from_the_leaves_end_as_max_marginals_of_the_root_and_lead_to_the_best_labelling() -> None:
    rng = np.random.default_rng(8)
    for keep in (1.0, 0.6):
        field = stacked([scored(rng, 6, tree_edges(rng, 6, keep), 3)])
        told = list(upward_messages(field))
        assert len(told) == len(field.ends), "every node but the roots has a parent to tell"
        last = told[-1][1] if told else np.zeros((0, 3))
        rows, scores = every(field)
        y = downward_labels(field, last)
        assert definition(field, y[None])[0] == pytest.approx(scores.max())
        if keep == 1.0:
            marginals = [scores[rows[:, 0] == s].max() for s in range(3)]
            assert beliefs_from(field, last)[0] == pytest.approx(marginals)
