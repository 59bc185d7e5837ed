"""The most violated forest: every forest is the referee."""

from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import pytest

from explorer.engine.losses import ZeroOne
from explorer.engine.pricing import Pricing
from explorer.engine.structures.clusterings.link_forests import all_forests, partition_of
from explorer.engine.structures.clusterings.link_oracles import (
    AllForests,
    LinkQuestion,
    LinkSearch,
    _listed,
    _losses,
)
from explorer.engine.structures.clusterings.losses import Mitre, Normalised, Pairwise
from explorer.engine.structures.clusterings.partitions import all_partitions, canonical

PRICINGS = [Pricing(s, p) for s in ("margin", "slack") for p in ("linear", "squared")]


def question(rng: np.random.Generator, m: int, delta: object, pricing: Pricing) -> LinkQuestion:
    half = np.triu(rng.normal(size=(m, m)), 1) * 10.0 ** rng.uniform(-1, 1.5)
    truth = canonical(rng.integers(0, 3, m))
    return LinkQuestion(half + half.T, truth, float(rng.normal()), delta, pricing)


@dataclass(frozen=True)
class Disguised:
    """A loss of clusterings under a name that compiled code does not know."""

    inner: Pairwise | Mitre | Normalised

    def value(self, truth: object, label: object) -> float:
        return max(0.0, self.inner.value(truth, label))

    def fold(self, truth: np.ndarray, groups: int | None) -> object:
        return None if isinstance(self.inner, Mitre) else self.inner.fold(truth, groups)


def by_hand(asked: LinkQuestion, parents: np.ndarray) -> float:
    """H from its definition, link by link."""
    score = sum(asked.K[i, p] for i, p in enumerate(parents) if p >= 0)
    loss = max(0.0, asked.delta.value(asked.truth, partition_of(parents)))
    r = loss**0.5 if asked.pricing.penalty == "squared" else loss
    margin = asked.own - score
    return r * (1.0 - margin) if asked.pricing.scaling == "slack" else r - margin


@pytest.mark.parametrize("delta", [Pairwise(), Mitre(), Normalised(), ZeroOne()])
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
    # The truth has all of three items together: each link kept costs 100 / 3 in the sum over links, but links
    # that keep
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


@pytest.mark.parametrize("inner", [Pairwise(), Mitre(), Normalised()])
@pytest.mark.parametrize("ties", [False, True])
def test_compiled_and_plain_search_climb_to_the_same_value(
    inner: Pairwise | Mitre | Normalised, ties: bool
) -> None:
    rng = np.random.default_rng(7)
    for pricing, m in product(PRICINGS, (3, 7, 10)):
        asked = question(rng, m, inner, pricing)
        asked = replace(asked, K=np.round(asked.K)) if ties else asked
        plain = replace(asked, delta=Disguised(inner))
        found, expected = by_hand(asked, LinkSearch().solve(asked)), by_hand(asked, LinkSearch().solve(plain))
        assert found == pytest.approx(expected, abs=1e-6)


def test_every_partition_is_listed_once_in_the_order_of_labels() -> None:
    for m in (1, 2, 5, 7):
        labels, subsets = _listed(m)
        assert np.array_equal(labels, np.array(list(all_partitions(m))))
        assert np.all(subsets.sum(axis=1) == (1 << m) - 1)


@pytest.mark.parametrize("delta", [Pairwise(), Mitre(), Normalised(), ZeroOne()])
def test_the_losses_of_all_partitions_are_those_of_each(delta: object) -> None:
    truth = (0, 1, 0, 2, 1, 0)
    expected = [delta.value(np.array(truth), labels) for labels in all_partitions(6)]
    assert _losses(delta, truth) == pytest.approx(expected, abs=1e-10)


def test_a_similarity_of_any_make_is_searched_and_left_alone() -> None:
    asked = question(np.random.default_rng(3), 12, Mitre(), Pricing("slack"))
    expected = LinkSearch().solve(asked)
    kept = np.array(asked.K)
    kept.flags.writeable = False
    assert np.array_equal(LinkSearch().solve(replace(asked, K=kept)), expected)
    assert np.array_equal(LinkSearch().solve(replace(asked, K=np.asfortranarray(kept))), expected)
    assert np.array_equal(asked.K, kept)
