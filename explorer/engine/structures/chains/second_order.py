"""Second-order chains: a weight for every three states in a row, beside those of a first-order chain.

    Psi(x, y) = [ first-order features ;  sum_t e_{y_{t-2}} e_{y_{t-1}} e_{y_t} ]

Decoded as a first-order chain whose states are pairs: (a, b) may only be followed by (b, c), at the price of
the weight of (a, b, c). So Viterbi, the k best labellings and all marginals are those of pairs, exact, in
O(T K^4) time (Iglesias 2013, chapter 5, names it as the next step). With weights 0 for the triples everything
is the first-order chain.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from explorer.engine.contracts import Dataset, Decomposes, Loss
from explorer.engine.events import Cut, Expectation
from explorer.engine.losses import Hamming
from explorer.engine.pricing import Pricing
from explorer.engine.refusals import Refused, checked_calls
from explorer.engine.structures.chains.kernels.forward_backward import marginals
from explorer.engine.structures.chains.kernels.k_best import k_best
from explorer.engine.structures.chains.kernels.viterbi import viterbi
from explorer.engine.structures.chains.oracles.viterbi import Chains, with_costs
from explorer.engine.structures.chains.problem import Chain
from explorer.engine.vectors import Array, Ints, Vector, dense

MOST_STATES = 30
"""More states make more than 900 pairs, which nobody waits for."""

Pairs = tuple[Array, Array, Array, Array]


@checked_calls
@dataclass(frozen=True)
class SecondOrderChain:
    """One state per position, scored three in a row."""

    dataset: Dataset
    states: int
    delta: Loss = field(default_factory=Hamming)
    pricing: Pricing = field(default_factory=Pricing)
    ends: bool = True
    name: str = "second-order chain"
    oracle_is_exact: bool = True

    def __post_init__(self) -> None:
        if self.states > MOST_STATES:
            raise Refused(f"{self.states} states make {self.states**2} pairs; at most {MOST_STATES} states")
        if not (self.pricing.adds_up and isinstance(self.delta, Decomposes)):
            raise Refused("second-order chains add up losses over positions; choose Hamming, margin scaling")
        object.__setattr__(self, "dataset", self.first.dataset)

    @cached_property
    def first(self) -> Chain:
        """The first-order chain of the same data."""
        return Chain(self.dataset, self.states, self.delta, self.pricing, self.ends)

    @property
    def n(self) -> int:
        return len(self.dataset)

    @property
    def dim(self) -> int:
        return self.first.dim + self.states**3

    @property
    def groups(self) -> dict[str, slice]:
        """Where each kind of weight lies in w."""
        return {**self.first.groups, "triples": slice(self.first.dim, self.dim)}

    def on(self, dataset: Dataset) -> Self:
        return replace(self, dataset=dataset)

    def checked_input(self, x: Any, place: str) -> Any:
        return self.first.checked_input(x, place)

    def check_label(self, i: int, label: Any) -> None:
        self.first.check_label(i, label)

    def pairs(self, w: Array, chain: Chains) -> Pairs:
        """One chain of at least two positions as a chain of pairs: unary, transitions, start, stop."""
        K, triples = self.states, w[self.first.dim :].reshape((self.states,) * 3)
        unary = chain.unary[1:, None, :] + chain.trans[None]
        unary[0] += (chain.start + chain.unary[0])[:, None]
        trans = np.full((K, K, K, K), -np.inf)
        trans[:, np.arange(K), np.arange(K), :] = triples
        stop = np.tile(chain.stop, K)
        return unary.reshape(-1, K * K), trans.reshape(K * K, K * K), np.zeros(K * K), stop

    def states_of(self, codes: Ints) -> Ints:
        """The labelling that a path of pairs stands for."""
        return np.concatenate([codes[:1] // self.states, codes % self.states])

    def best(self, w: Array, chain: Chains) -> Ints:
        """The best labelling of one chain."""
        if len(chain.unary) == 1:
            return np.array([int(np.argmax(chain.unary[0] + chain.start + chain.stop))])
        codes = np.empty(len(chain.unary) - 1, dtype=np.int64)
        viterbi(*self.pairs(w, chain), codes)
        return self.states_of(codes)

    def predict(self, w: Array, x: Any) -> Ints:
        return self.best(w, self.first.trellis(w[: self.first.dim], x))

    def most_likely(self, w: Array, x: Any, k: int) -> tuple[list[Ints], Array]:
        """The k best labellings, or as many as there are, and their scores."""
        chain = self.first.trellis(w[: self.first.dim], x)
        if len(chain.unary) == 1:
            scores = chain.unary[0] + chain.start + chain.stop
            order = np.argsort(-scores, kind="stable")[:k]
            return [np.array([s]) for s in order], scores[order]
        paths, scores = np.empty((k, len(chain.unary) - 1), dtype=np.int64), np.empty(k)
        count = int(k_best(*self.pairs(w, chain), k, scores, paths))
        return [self.states_of(codes) for codes in paths[:count]], scores[:count]

    def features(self, i: int, label: Any) -> Vector:
        own = dense(self.first.features(i, label))
        return np.concatenate([own, self._triples(np.asarray(label, dtype=np.int64))])

    def _triples(self, y: Ints) -> Array:
        """How often each three states stand in a row."""
        K = self.states
        return np.bincount((y[:-2] * K + y[1:-1]) * K + y[2:], minlength=K**3).astype(float)

    def loss(self, i: int, label: Any) -> float:
        return self.delta.value(self.dataset.labels[i], label)

    def oracle(self, w: Array, i: int) -> Cut:
        truth = self.dataset.labels[i]
        assert isinstance(self.delta, Decomposes)
        chain = with_costs(self.first.chains(w[: self.first.dim], i, i + 1), truth, self.delta)
        label = self.best(w, chain)
        psi = dense(self.features(i, truth)) - dense(self.features(i, label))
        return Cut(i, label, psi, self.loss(i, label))

    def marginals(self, w: Array, i: int) -> tuple[Array, Array, Array, float]:
        """Probabilities of states, pairs and triples at each position, and log Z."""
        K, chain = self.states, self.first.chains(w[: self.first.dim], i, i + 1)
        T = len(chain.unary)
        if T == 1:
            scores = chain.unary[0] + chain.start + chain.stop
            log_z = float(np.logaddexp.reduce(scores))
            return np.exp(scores - log_z)[None], np.zeros((0, K, K)), np.zeros((0, K, K, K)), log_z
        node, edge = np.empty((T - 1, K * K)), np.empty((T - 2, K * K, K * K))
        log_z = float(marginals(*self.pairs(w, chain), node, edge))
        pair = node.reshape(-1, K, K)
        codes = np.arange(K)
        triple = edge.reshape(-1, K, K, K, K)[:, :, codes, codes, :]
        return np.concatenate([pair[:1].sum(axis=2), pair.sum(axis=1)]), pair, triple, log_z

    def expectation(self, w: Array, lo: int, hi: int) -> Expectation:
        """Forward-backward over pairs."""
        total, log_z = np.zeros(self.dim), np.zeros(hi - lo)
        for i in range(lo, hi):
            node, pair, triple, log_z[i - lo] = self.marginals(w, i)
            tail = [pair.sum(axis=0).ravel(), *([node[0], node[-1]] if self.ends else [])]
            rows = self.dataset.inputs[i]
            total += np.concatenate([np.ravel(rows.T @ node), *tail, triple.sum(axis=0).ravel()])
        return Expectation(log_z, total)

    def labellings(self, i: int) -> Iterable[Ints]:
        return self.first.labellings(i)

    def labellings_count(self, i: int) -> int:
        return self.first.labellings_count(i)
