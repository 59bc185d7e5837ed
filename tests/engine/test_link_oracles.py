"""The most violated forest: every forest is the referee."""

from itertools import product

import numpy as np
import pytest

from explorer.engine.forests import all_forests, partition_of
from explorer.engine.link_oracles import AllForests, LinkQuestion, LinkSearch
from explorer.engine.losses import Mitre, Pairwise, ZeroOne
from explorer.engine.partitions import canonical
from explorer.engine.protocols import Pricing

PRICINGS = [Pricing(s, p) for s in ("margin", "slack") for p in ("linear", "squared")]


def question(rng: np.random.Generator, m: int, delta: object, pricing: Pricing) -> LinkQuestion:
    half = np.triu(rng.normal(size=(m, m)), 1) * 10.0 ** rng.uniform(-1, 1.5)
    truth = canonical(rng.integers(0, 3, m))
    return LinkQuestion(half + half.T, truth, float(rng.normal()), delta, pricing)


def by_hand(asked: LinkQuestion, parents: np.ndarray) -> float:
    """H from its definition, link by link."""
    score = sum(asked.K[i, p] for i, p in enumerate(parents) if p >= 0)
    loss = asked.delta.value(asked.truth, partition_of(parents))
    r = loss**0.5 if asked.pricing.penalty == "squared" else loss
    margin = asked.own - score
    return r * (1.0 - margin) if asked.pricing.scaling == "slack" else r - margin


@pytest.mark.parametrize("delta", [Pairwise(), Mitre(), ZeroOne()])
def test_all_forests_finds_the_best_of_all_forests_and_link_search_never_more(delta: object) -> None:
    rng = np.random.default_rng(0)
    met = 0
    for pricing, m in product(PRICINGS, (1, 2, 4, 5)):
        asked = question(rng, m, delta, pricing)
        best = max(by_hand(asked, y) for y in all_forests(m))
        exact, near = AllForests().solve(asked), LinkSearch().solve(asked)
        assert by_hand(asked, exact) == pytest.approx(best)
        assert asked.value(exact) == pytest.approx(by_hand(asked, exact))
        assert by_hand(asked, near) <= best + 1e-9
        met += by_hand(asked, near) >= best - 1e-9
    assert met >= 15, "of 16; a search that often misses the best forest is no use"


def test_link_search_ends_where_no_single_link_helps() -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        asked = question(rng, 8, Pairwise(), Pricing())
        found = LinkSearch().solve(asked)
        for i in np.flatnonzero(found >= 0):
            cut = np.array(found)
            cut[i] = -1
            assert asked.value(cut) <= asked.value(found) + 1e-9
        assert asked.value(found) >= asked.value(np.full(8, -1)) - 1e-9


def test_adding_the_loss_to_each_link_is_not_the_loss() -> None:
    # The truth has all of three items together: each link kept costs 100 / 3 in the sum over links, but links that keep
    # the partition cost nothing, and one cut link costs 2 / 3 of 100.
    asked = LinkQuestion(np.full((3, 3), 30.0), np.zeros(3, dtype=np.int64), 60.0, Pairwise(), Pricing())
    apart, one, whole = (asked.value(np.array(y)) for y in ([-1, -1, -1], [-1, 0, -1], [-1, 0, 0]))
    assert [apart, one, whole] == pytest.approx([40.0, 200.0 / 3.0 - 30.0, 0.0])
    assert asked.value(LinkSearch().solve(asked)) == pytest.approx(40.0)


def test_too_many_items_are_refused_by_the_exact_oracle_alone() -> None:
    assert "choose link search" in str(AllForests().refuses(10))
    assert AllForests().refuses(9) is None
    assert LinkSearch().refuses(100) is None
    assert (AllForests.kind, LinkSearch.kind) == ("exact", "under")
