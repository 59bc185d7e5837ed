"""Trees of heads: how many there are, which are projective, what is refused."""

from itertools import product

import networkx as nx
import numpy as np
import pytest

from explorer.engine.losses import Hamming
from explorer.engine.refusals import Refused
from explorer.engine.structures.trees.heads import (
    all_trees,
    checked_heads,
    crossing_edges,
    cycle,
    edges,
    is_projective,
    is_tree,
    symbol_loss,
    tree_count,
)


def crosses(heads: tuple[int, ...]) -> bool:
    """Whether two arcs cross when drawn above the words, or one spans the root's word line: the root stands
    at 0.
    """
    arcs = [(min(h, d), max(h, d)) for d, h in enumerate(heads, start=1)]
    return any(a < c < b < d for (a, b), (c, d) in product(arcs, arcs))


@pytest.mark.spec("F02")
def test_there_are_as_many_trees_as_cayley_says_and_networkx_agrees() -> None:
    for n, (every, single) in enumerate(zip((1, 3, 16, 125, 1296), (1, 2, 9, 64, 625), strict=True), start=1):
        found = [tuple(y.tolist()) for y in all_trees(n)]
        assert len(set(found)) == len(found) == tree_count(n) == every
        assert sum(heads.count(0) == 1 for heads in found) == single
        graphs = (nx.DiGraph([(h, d) for d, h in enumerate(heads, start=1)]) for heads in found)
        assert all(nx.is_arborescence(graph) and 0 in graph for graph in graphs)
    assert next(all_trees(6)).tolist() == [0] * 6
    with pytest.raises(Refused, match="7 tokens have"):
        next(all_trees(7))


@pytest.mark.spec("F03")
def test_projective_trees_are_those_without_crossing_arcs() -> None:
    for n, (every, single) in enumerate(zip((1, 3, 12, 55, 273), (1, 2, 7, 30, 143), strict=True), start=1):
        found = [tuple(y.tolist()) for y in all_trees(n)]
        flat = [heads for heads in found if is_projective(heads)]
        assert len(flat) == every
        assert sum(heads.count(0) == 1 for heads in flat) == single
        assert flat == [heads for heads in found if not crosses(heads)]


@pytest.mark.spec("F19")
def test_the_loss_of_symbol_sets_is_the_share_of_wrong_heads_on_trees() -> None:
    four = frozenset("abcd")
    assert symbol_loss(four, frozenset("abcx")) == 0.25
    assert symbol_loss(four, frozenset()) == 0.5
    assert symbol_loss(four, frozenset("wxyz")) == 1.0
    assert symbol_loss(four, frozenset("efghijklmnop")) == 2.0
    trees, delta = list(all_trees(3)), Hamming(normalised=True)
    for y in trees:
        for other in trees:
            wanted = sum(a != b for a, b in zip(y, other, strict=True)) / 3
            assert symbol_loss(edges(y), edges(other)) == pytest.approx(wanted, abs=1e-15)
            assert delta.value(y, other) == pytest.approx(wanted, abs=1e-15)


def test_an_edge_over_what_does_not_hang_on_it_is_named() -> None:
    assert crossing_edges((3, 0, 0)) == [(3, 1)]
    assert crossing_edges((2, 0, 2)) == []


def test_circles_are_found_and_named() -> None:
    assert is_tree([2, 0, 2])
    assert cycle([2, 1, 0]) == [1, 2]
    assert cycle([0, 3, 4, 2]) == [2, 3, 4]
    assert cycle([1]) == [1]
    for heads in product(range(4), repeat=3):
        graph = nx.DiGraph([(h, d) for d, h in enumerate(heads, start=1)])
        assert is_tree(heads) == nx.is_directed_acyclic_graph(graph)


@pytest.mark.parametrize(
    ("label", "said"),
    [
        ([0, 1], "no list of 3"),
        ([0.0, 1.0, 1.0], "no list of 3 whole numbers"),
        ([0, 2, 1], "token 2 has the head 2"),
        ([0, 4, 1], "token 2 has the head 4; give another token from 1 to 3"),
        ([0, 3, 2], r"tokens \[2, 3\] run in a circle"),
    ],
)
def test_what_is_no_tree_is_refused(label: list[int], said: str) -> None:
    with pytest.raises(Refused, match=said):
        checked_heads(label, 3, "the tree", tree=True)
    assert not checked_heads(np.array([2, 0, 2]), 3, "the tree", tree=True).flags.writeable
