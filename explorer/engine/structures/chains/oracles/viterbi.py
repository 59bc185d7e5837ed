"""Viterbi on stacked chains: best labelling, and most violated labelling under any loss that a chain can
carry.

Three exact cases. A loss that is a sum over positions, under margin scaling and linear slacks, is added to
the unary scores and decoded as usual, O(T K^2). Any loss that depends only on the number of wrong positions
(zero-one, Hamming) is decoded once per possible number, O(T^2 K^2) or O(T K^2) for zero-one: that serves
slack scaling and squared slacks too. Anything else is refused; tiny chains can be enumerated instead.
"""

import math
from dataclasses import dataclass
from typing import ClassVar, Protocol, final

import numpy as np

from explorer.engine.contracts import Counts, Decomposes, Loss, Undecomposed
from explorer.engine.pricing import Pricing
from explorer.engine.structures.chains.kernels.counting_viterbi import count_best
from explorer.engine.structures.chains.kernels.features import path_costs, path_scores
from explorer.engine.structures.chains.kernels.viterbi import augment, viterbi_all
from explorer.engine.vectors import Array, Ints


@dataclass(frozen=True, slots=True, eq=False)
class Chains:
    """Scores of many chains below each other: rows offsets[i] .. offsets[i + 1] belong to chain i."""

    unary: Array
    offsets: Ints
    trans: Array
    start: Array
    stop: Array

    @property
    def lengths(self) -> Ints:
        """Positions of each chain."""
        return np.diff(self.offsets)

    def scores(self, paths: Ints) -> Array:
        """The score of each chain's labelling."""
        out = np.empty(len(self.offsets) - 1)
        path_scores(self.unary, self.offsets, paths, self.trans, self.start, self.stop, out)
        return out

    def one(self, i: int) -> "Chains":
        """Chain i alone."""
        lo, hi = self.offsets[i], self.offsets[i + 1]
        return Chains(self.unary[lo:hi], np.array([0, hi - lo]), self.trans, self.start, self.stop)


class ChainOracle(Protocol):
    """A decoder of chains; `kind` is "exact", or "under" where it may miss labellings."""

    title: ClassVar[str]
    help: ClassVar[str]
    kind: ClassVar[str]

    def refuses(self, loss: Loss, pricing: Pricing) -> str | None: ...
    def work(self, length: float, states: int, loss: Loss, pricing: Pricing) -> float: ...
    def best(self, chains: Chains) -> Ints: ...
    def most_violated(self, chains: Chains, truth: Ints, loss: Loss, pricing: Pricing) -> Ints: ...


@final
@dataclass(frozen=True, slots=True)
class Viterbi:
    """Exact decoding of chains by dynamic programming."""

    title: ClassVar[str] = "Viterbi"
    help: ClassVar[str] = "Exact on chains: the best path through the trellis."
    kind: ClassVar[str] = "exact"

    def refuses(self, loss: Loss, pricing: Pricing) -> str | None:
        """A loss that neither adds up over positions (as this pricing needs) nor counts errors."""
        if isinstance(loss, Counts) or (pricing.adds_up and isinstance(loss, Decomposes)):
            return None
        why = "This loss does not only count wrong positions."
        if isinstance(loss, Undecomposed):
            why = loss.undecomposed
        return (
            f"{why} Viterbi cannot fold it in with {pricing.scaling} scaling and {pricing.penalty} slack "
            "cost; "
            "choose Hamming, or the enumeration oracle on tiny chains."
        )

    def work(self, length: float, states: int, loss: Loss, pricing: Pricing) -> float:
        """About how many operations the most violated labelling of one chain takes."""
        if pricing.adds_up and isinstance(loss, Decomposes):
            return length * states**2
        assert isinstance(loss, Counts)
        # A step of the counting recursion takes about as long as six plain ones, and every chain a call of
        # its own.
        return 6.0 * (classes(loss, math.ceil(length)) + 1) * length * states**2 + 40_000.0

    def best(self, chains: Chains) -> Ints:
        """The best labelling of every chain; ties go to the smaller state."""
        paths = np.empty(len(chains.unary), dtype=np.int64)
        viterbi_all(
            chains.unary,
            chains.offsets,
            chains.trans,
            chains.start,
            chains.stop,
            paths,
            np.empty(len(chains.lengths)),
        )
        return paths

    def most_violated(self, chains: Chains, truth: Ints, loss: Loss, pricing: Pricing) -> Ints:
        """The labelling of every chain with the largest H."""
        if pricing.adds_up and isinstance(loss, Decomposes):
            return self.best(with_costs(chains, truth, loss))
        assert isinstance(loss, Counts)
        parts = [
            by_count(chains.one(i), truth[chains.offsets[i] : chains.offsets[i + 1]], loss, pricing)
            for i in range(len(chains.lengths))
        ]
        return np.concatenate(parts)


def with_costs(chains: Chains, truth: Ints, loss: Decomposes) -> Chains:
    """The trellises with every state's cost added to its score."""
    factor = 1.0 / chains.lengths if loss.normalised else np.ones(len(chains.lengths))
    raised = np.empty_like(chains.unary)
    augment(chains.unary, chains.offsets, truth, loss.costs(len(chains.trans)), raised, factor)
    return Chains(raised, chains.offsets, chains.trans, chains.start, chains.stop)


def by_count(chain: Chains, truth: Ints, loss: Counts, pricing: Pricing) -> Ints:
    """The most violated labelling of one chain: the best path for every number of errors, then the best
    number.
    """
    length = len(truth)
    cap = classes(loss, length)
    scores = np.empty(cap + 1)
    paths = np.empty((cap + 1, length), dtype=np.int64)
    count_best(chain.unary, chain.trans, chain.start, chain.stop, truth, cap, scores, paths)
    losses = np.array([loss.of_count(c, length) for c in range(cap + 1)])
    margins = chain.scores(truth)[0] - scores
    possible = np.isfinite(scores)
    H = np.where(possible, pricing.violations(np.where(possible, margins, 0.0), losses), -np.inf)
    return paths[int(np.argmax(H))]


def classes(loss: Counts, length: int) -> int:
    """How many numbers of errors must be told apart: only "some" where one error costs as much as any
    number.
    """
    return (
        1
        if all(loss.of_count(c, length) == loss.of_count(1, length) for c in range(2, length + 1))
        else length
    )


def chain_losses(offsets: Ints, truth: Ints, paths: Ints, loss: Loss, states: int) -> Array:
    """The loss of every stacked chain's labelling."""
    if isinstance(loss, Decomposes):
        out = np.empty(len(offsets) - 1)
        path_costs(offsets, truth, paths, loss.costs(states), out)
        return out / np.diff(offsets) if loss.normalised else out
    pairs = zip(np.split(truth, offsets[1:-1]), np.split(paths, offsets[1:-1]), strict=True)
    return np.array([loss.value(a, b) for a, b in pairs])
