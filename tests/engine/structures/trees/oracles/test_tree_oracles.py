"""Decoders of trees: exact ones equal enumeration, the others stay on their side of it."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from explorer.engine.losses import FScore, Hamming, ZeroOne
from explorer.engine.pricing import Pricing
from explorer.engine.structures.trees.heads import all_trees, cycle, is_projective, is_tree
from explorer.engine.structures.trees.oracles import (
    TREE_ORACLES,
    Arborescence,
    EveryTree,
    GreedyHeads,
    Projective,
    TreeProgram,
    stack_tables,
)

SAW = np.array([[9.0, 10.0, 9.0], [0.0, 20.0, 3.0], [30.0, 0.0, 30.0], [11.0, 0.0, 0.0]])
"""root, John, saw, Mary in rows; John, saw, Mary in columns."""


def score(table: Any, heads: Any) -> float:
    """The sum over edges, by definition."""
    return float(sum(table[h, d] for d, h in enumerate(heads)))


def random_tables(count: int, seed: int = 0, longest: int = 5) -> Iterator[Any]:
    """Normal scores and, every other time, small whole numbers with many ties."""
    rng = np.random.default_rng(seed)
    for at in range(count):
        n = int(rng.integers(1, longest + 1))
        yield rng.normal(size=(n + 1, n)) if at % 2 else rng.integers(-2, 3, (n + 1, n)).astype(float)


@lru_cache(maxsize=16)
def trees(n: int, projective: bool = False) -> Any:
    """Every (projective) tree over n tokens, one row each."""
    return np.array([heads for heads in all_trees(n) if not projective or is_projective(heads)])


def scores(table: Any, every: Any) -> Any:
    return table[every, np.arange(table.shape[1])].sum(axis=1)


def best_of(table: Any, projective: bool = False) -> float:
    return float(scores(table, trees(table.shape[1], projective)).max())


@pytest.mark.spec("F26")
def test_john_saw_mary() -> None:
    tables = stack_tables([SAW])
    assert Arborescence().best(tables).tolist() == [2, 0, 2]
    values = sorted((score(SAW, heads) for heads in all_trees(3)), reverse=True)
    assert values[:2] == [70.0, 59.0]
    assert tables.totals(np.array([2, 0, 2])).tolist() == [70.0]


@pytest.mark.spec("F26")
def test_chu_liu_edmonds_equals_enumeration() -> None:
    given = list(random_tables(1000))
    tables = stack_tables(given)
    parts = np.split(Arborescence().best(tables), tables.places[1:-1])
    for table, heads in zip(given, parts, strict=True):
        assert is_tree(heads)
        assert score(table, heads) == pytest.approx(best_of(table), abs=1e-9)


def test_nested_circles_are_opened_again() -> None:
    """Two pairs love each other, both pairs love each other too, and the root is far away."""
    table = np.full((5, 4), -50.0)
    table[2, 0] = table[1, 1] = table[4, 2] = table[3, 3] = 10.0
    table[3, 1] = table[2, 2] = 8.0
    table[0, 3] = -20.0
    heads = Arborescence().best(stack_tables([table]))
    assert is_tree(heads)
    assert score(table, heads) == best_of(table)


@pytest.mark.spec("F27")
def test_greedy_heads_run_in_a_circle_that_is_named() -> None:
    tables = stack_tables([SAW])
    heads = GreedyHeads().best(tables)
    assert tables.totals(heads).tolist() == [80.0]
    assert cycle(heads) == [1, 2]
    assert not is_tree(heads)


@pytest.mark.spec("F27")
def test_greedy_heads_never_score_less_than_the_best_tree_and_ties_go_to_the_smallest() -> None:
    for table in random_tables(100, seed=1):
        assert score(table, GreedyHeads().best(stack_tables([table]))) >= best_of(table) - 1e-12
    assert GreedyHeads().best(stack_tables([np.zeros((4, 3))])).tolist() == [0, 0, 0]
    assert Arborescence().best(stack_tables([np.zeros((4, 3))])).tolist() == [0, 0, 0]


@pytest.mark.spec("F28")
def test_eisner_finds_the_best_projective_tree() -> None:
    for table in random_tables(300, seed=2):
        heads = Projective().best(stack_tables([table]))
        assert is_tree(heads)
        assert is_projective(heads)
        assert score(table, heads) == pytest.approx(best_of(table, projective=True), abs=1e-9)
        assert score(table, heads) <= best_of(table) + 1e-12


@pytest.mark.spec("F29")
def test_the_integer_program_equals_chu_liu_edmonds() -> None:
    for table in random_tables(100, seed=3, longest=6):
        tables = stack_tables([table])
        heads = TreeProgram().best(tables)
        assert is_tree(heads)
        assert score(table, heads) == pytest.approx(score(table, Arborescence().best(tables)), abs=1e-6)


@pytest.mark.spec("F20")
@pytest.mark.parametrize("oracle", [Arborescence(), EveryTree()], ids=lambda oracle: oracle.title)
def test_the_most_violated_tree_is_the_best_of_all_125(oracle: Any) -> None:
    rng, delta, every = np.random.default_rng(4), Hamming(normalised=True), trees(4)
    for _ in range(200):
        table = rng.normal(scale=0.3, size=(5, 4))
        truth = every[int(rng.integers(len(every)))]
        found = oracle.most_violated(stack_tables([table]), truth, delta, Pricing())
        worth = scores(table, every) + (every != truth).mean(axis=1)
        assert score(table, found) + np.mean(found != truth) == pytest.approx(worth.max(), abs=1e-12)
        half = table + 0.25 * 0.5  # the other published form: 1/2 - 1[edge of the truth], over the size
        half[truth, np.arange(4)] -= 0.25
        other = Arborescence().best(stack_tables([half]))
        assert score(table, other) + np.mean(other != truth) == pytest.approx(worth.max(), abs=1e-12)


@pytest.mark.parametrize("pricing", [Pricing("slack"), Pricing("margin", "squared"), Pricing()])
def test_all_trees_serve_losses_and_prices_that_others_refuse(pricing: Pricing) -> None:
    rng = np.random.default_rng(5)
    table, truth = rng.normal(size=(4, 3)), np.array([2, 0, 2])
    found = EveryTree().most_violated(stack_tables([table]), truth, ZeroOne(), pricing)

    def violation(y: Any) -> float:
        r, margin = float(np.any(y != truth)), score(table, truth) - score(table, y)
        return r * (1.0 - margin) if pricing.scaling == "slack" else r - margin

    assert violation(found) == pytest.approx(max(map(violation, trees(3))), abs=1e-12)
    for kind in TREE_ORACLES[:-1]:
        assert kind().refuses(3, ZeroOne(), pricing)
        assert "; choose" in str(kind().refuses(3, FScore(), pricing))
    assert EveryTree().refuses(6, ZeroOne(), pricing) is None
    assert "A sentence has 7 tokens" in str(EveryTree().refuses(7, ZeroOne(), pricing))


def test_stacked_sentences_are_decoded_as_one_by_one() -> None:
    given = list(random_tables(150, seed=6))
    tables = stack_tables(given)
    for kind in (Arborescence, GreedyHeads, Projective):
        together = kind().best(tables)
        assert (
            together.tolist()
            == np.concatenate([kind().best(stack_tables([table])) for table in given]).tolist()
        )
