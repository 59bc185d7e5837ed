"""Label sequences: emissions, transitions, and weights for the first and last state (hidden Markov SVM).

    Psi(x, y) = [ sum_t x_t e_{y_t}' ;  sum_t e_{y_{t-1}} e_{y_t}' ;  e_{y_first} ;  e_{y_last} ]

so that w . Psi is the score of a path through a trellis with unary scores x_t W. Altun, Tsochantaridis and
Hofmann 2003; degree thesis, equations 3.17 to 3.19. Rows x_t are dense or sparse (CSR): no dense copy of a
sparse row is made, so a quarter of a million features per state is fine. `ends` adds the start and stop
weights. Cost of a pass: one matrix product for all unary scores, then O(T K^2) per chain.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from explorer.engine.checks import check_states, checked_positions, checked_sequences
from explorer.engine.contracts import Dataset, Decomposes, Loss, Rule
from explorer.engine.enumeration import all_labellings
from explorer.engine.events import Cut, Expectation, Sweep
from explorer.engine.losses import Hamming
from explorer.engine.objective import chunks
from explorer.engine.pricing import Pricing
from explorer.engine.refusals import Refused, checked_calls
from explorer.engine.rows import csr, difference, label_sum, scores, stack
from explorer.engine.structures.chains import counting
from explorer.engine.structures.chains.emissions import EmissionMap, Raw
from explorer.engine.structures.chains.hidden_markov import weights_of
from explorer.engine.structures.chains.kernels.cuts import Corpus
from explorer.engine.structures.chains.kernels.features import add_transitions
from explorer.engine.structures.chains.kernels.forward_backward import expect_chains, marginals
from explorer.engine.structures.chains.kernels.visits import rebuild_chains, visit_chains, worst_of_chains
from explorer.engine.structures.chains.local_sums import conditional_costs, draw_paths, piece_costs
from explorer.engine.structures.chains.moves import Moves
from explorer.engine.structures.chains.oracles import ChainOracle, Viterbi
from explorer.engine.structures.chains.oracles.viterbi import Chains, chain_losses
from explorer.engine.threads import in_parts
from explorer.engine.vectors import Array, Ints, Vector
from explorer.engine.visits import Cache, Log, Plan


@checked_calls
@dataclass(frozen=True)
class Chain:
    """One state per position of a sequence; predictions keep to `moves`, where there are some.

    `emissions` says what the rows were made of, `rules` what w must keep to.
    """

    dataset: Dataset
    states: int
    delta: Loss = field(default_factory=Hamming)
    pricing: Pricing = field(default_factory=Pricing)
    ends: bool = True
    separator: ChainOracle = field(default_factory=Viterbi)
    predictor: ChainOracle = field(default_factory=Viterbi)
    emissions: EmissionMap = field(default_factory=Raw)
    moves: Moves | None = None
    rules: tuple[Rule, ...] = ()
    name: str = "chain"

    def __post_init__(self) -> None:
        reason = self.separator.refuses(self.delta, self.pricing)
        if reason:
            raise Refused(reason)
        if isinstance(self.delta, Decomposes):
            self.delta.costs(self.states)  # refuses another number of states here, not in the middle of a run
        x, y = checked_sequences(self.dataset.inputs, self.dataset.labels, self.states)
        object.__setattr__(self, "dataset", replace(self.dataset, inputs=x, labels=y))

    @property
    def n(self) -> int:
        return len(self.dataset)

    @property
    def n_features(self) -> int:
        """F: the length of a row."""
        return int(self.dataset.inputs[0].shape[1])

    @property
    def tail(self) -> int:
        """How many weights follow the emissions."""
        return self.states**2 + (2 * self.states if self.ends else 0)

    @property
    def dim(self) -> int:
        return self.n_features * self.states + self.tail

    @property
    def oracle_is_exact(self) -> bool:
        return self.separator.kind == "exact"

    @property
    def exact_twin(self) -> Self | None:
        """The same problem decoded exactly, where its oracle is not exact."""
        return None if self.oracle_is_exact else replace(self, separator=Viterbi())

    @property
    def groups(self) -> dict[str, slice]:
        """Where each kind of weight lies in w."""
        e, k = self.n_features * self.states, self.states
        found = {"emissions": slice(0, e), "transitions": slice(e, e + k * k)}
        if self.ends:
            found |= {
                "start": slice(e + k * k, e + k * k + k),
                "stop": slice(e + k * k + k, e + k * k + 2 * k),
            }
        return found

    @cached_property
    def rows(self) -> Any:
        """All positions of all chains below each other."""
        return stack(self.dataset.inputs)

    @cached_property
    def truth(self) -> Ints:
        """All labels behind each other."""
        return np.concatenate(self.dataset.labels)

    @cached_property
    def offsets(self) -> Ints:
        """Chain i has rows offsets[i] .. offsets[i + 1]."""
        return np.concatenate([[0], np.cumsum([len(y) for y in self.dataset.labels])]).astype(np.int64)

    @cached_property
    def chunk(self) -> int:
        """Examples whose pass takes some ten milliseconds, or a single one."""
        emissions = self.states * self.rows.size / self.n
        decoding = self.separator.work(len(self.truth) / self.n, self.states, self.delta, self.pricing)
        return max(1, min(500, int(4_000_000 / (emissions + decoding))))

    def on(self, dataset: Dataset) -> Self:
        return replace(self, dataset=dataset)

    def parts(self, w: Array) -> tuple[Array, Array, Array, Array]:
        """Emission matrix F x K, transitions K x K, start and stop weights."""
        found = {name: w[where] for name, where in self.groups.items()}
        nothing = np.zeros(self.states)
        emissions = found["emissions"].reshape(-1, self.states)
        # Copies: a read-only w would be another type to a kernel, and have it compiled again.
        trans = np.array(found["transitions"]).reshape(self.states, self.states)
        return emissions, trans, np.array(found.get("start", nothing)), np.array(found.get("stop", nothing))

    def chains(self, w: Array, lo: int, hi: int) -> Chains:
        """The trellises of examples lo .. hi at w."""
        W, trans, start, stop = self.parts(w)
        a, b = self.offsets[lo], self.offsets[hi]
        return Chains(scores(self.rows[a:b], W), self.offsets[lo : hi + 1] - a, trans, start, stop)

    def trellis(self, w: Array, x: Any) -> Chains:
        """The trellis of any one input."""
        W, trans, start, stop = self.parts(w)
        return Chains(scores(x, W), np.array([0, x.shape[0]]), trans, start, stop)

    def checked_input(self, x: Any, place: str) -> Any:
        return checked_positions(x, self.dataset.inputs[0], place)

    def restrict(self, chains: Chains) -> Chains:
        """The trellises that predictions are read from."""
        return chains if self.moves is None else self.moves.only(chains)

    def predict(self, w: Array, x: Any) -> Ints:
        return self.predictor.best(self.restrict(self.trellis(w, x)))

    def predictions(self, w: Array) -> list[Any]:
        parts = (self.restrict(self.chains(w, lo, hi)) for lo, hi in chunks(self.n, self.chunk))
        return np.split(np.concatenate([self.predictor.best(part) for part in parts]), self.offsets[1:-1])

    def not_generative(self, true: bool) -> str | None:
        return counting.refusal(self.rows, self.dataset.meta, self.emissions, self.ends, true)

    def generative_weights(self, true: bool, pseudo_count: float) -> Array:
        given = self.rows, self.dataset.labels, self.states, self.emissions
        model = counting.true_model(self.dataset.meta) if true else counting.count_model(*given, pseudo_count)
        return weights_of(model, self.emissions.kind, self.ends)

    def marginals(self, w: Array, i: int) -> tuple[Array, Array, float]:
        """Position and edge probabilities under exp(score), and the log of their normaliser."""
        chain = self.chains(w, i, i + 1)
        T, K = chain.unary.shape
        node, edge = np.empty((T, K)), np.empty((max(T - 1, 0), K, K))
        log_z = marginals(chain.unary, chain.trans, chain.start, chain.stop, node, edge)
        return node, edge, log_z

    def expectation(self, w: Array, lo: int, hi: int) -> Expectation:
        """Forward-backward on chains lo .. hi - 1."""
        chains, K = self.chains(w, lo, hi), self.states
        log_z, node, edge = np.empty(hi - lo), np.empty(chains.unary.shape), np.empty((hi - lo, K, K))
        scores = chains.unary, chains.offsets, chains.trans, chains.start, chains.stop
        in_parts(lambda a, b: expect_chains(*scores, a, b, log_z, node, edge), 0, hi - lo)
        rows = self.rows[self.offsets[lo] : self.offsets[hi]]
        parts = [np.ravel(rows.T @ node), edge.sum(axis=0).ravel()]
        if self.ends:
            parts += [node[chains.offsets[:-1]].sum(axis=0), node[chains.offsets[1:] - 1].sum(axis=0)]
        return Expectation(log_z, np.concatenate(parts))

    def conditionals(self, w: Array, lo: int, hi: int) -> Expectation:
        chains, truth = self.chains(w, lo, hi), self.truth[self.offsets[lo] : self.offsets[hi]]
        return self._costs(lo, hi, *conditional_costs(chains, truth))

    def pieces(self, w: Array, lo: int, hi: int) -> Expectation:
        chains, truth = self.chains(w, lo, hi), self.truth[self.offsets[lo] : self.offsets[hi]]
        return self._costs(lo, hi, *piece_costs(chains, truth, self.ends))

    def _costs(self, lo: int, hi: int, costs: Array, off: Array, tail: list[Array]) -> Expectation:
        """Costs of chains, and their gradient: what labels, transitions and ends are expected too often."""
        rows = self.rows[self.offsets[lo] : self.offsets[hi]]
        kept = tail if self.ends else tail[:1]
        return Expectation(costs, np.concatenate([np.ravel(rows.T @ off), *map(np.ravel, kept)]))

    def sample_features(self, w: Array, lo: int, hi: int, sweeps: int, rng: np.random.Generator) -> Vector:
        chains, truth = self.chains(w, lo, hi), self.truth[self.offsets[lo] : self.offsets[hi]]
        paths = draw_paths(chains, truth, sweeps, rng)
        tail = self._counts(chains.offsets, paths, np.ones(hi - lo))
        return label_sum(self.rows[self.offsets[lo] : self.offsets[hi]], paths, self.states, tail)

    def _counts(self, offsets: Ints, paths: Ints, weight: Array) -> Array:
        """Weighted transition, start and stop counts of labellings, as the tail of a feature vector."""
        K = self.states
        trans, start, stop = np.zeros((K, K)), np.zeros(K), np.zeros(K)
        add_transitions(offsets, paths, weight, trans, start, stop)
        return np.concatenate([trans.ravel(), start, stop] if self.ends else [trans.ravel()])

    def check_label(self, i: int, label: Any) -> None:
        path = np.asarray(label)
        if (
            path.dtype.kind not in "biu"
            or path.shape != self.dataset.labels[i].shape
            or np.any((path < 0) | (path >= self.states))
        ):
            raise Refused(
                f"example {i} has {len(self.dataset.labels[i])} positions with states 0 to "
                f"{self.states - 1}; "
                "the labelling given does not fit it"
            )

    def features(self, i: int, label: Any) -> Vector:
        self.check_label(i, label)  # it may come from a file; compiled code would write wherever it says
        path = np.asarray(label, dtype=np.int64)
        tail = self._counts(np.array([0, len(path)]), path, np.ones(1))
        return label_sum(self.dataset.inputs[i], path, self.states, tail)

    def loss(self, i: int, label: Any) -> float:
        return self.delta.value(self.dataset.labels[i], label)

    def losses(self, labels: list[Any]) -> Array:
        return chain_losses(self.offsets, self.truth, np.concatenate(labels), self.delta, self.states)

    def oracle(self, w: Array, i: int) -> Cut:
        return self.cuts(w, i, i + 1)[0]

    def cuts(self, w: Array, lo: int, hi: int) -> list[Cut]:
        chains, truth, paths = self._worst(w, lo, hi)
        losses = chain_losses(chains.offsets, truth, paths, self.delta, self.states)
        rows = self.rows[self.offsets[lo] : self.offsets[hi]]
        cuts = []
        for r in range(hi - lo):
            a, b = chains.offsets[r], chains.offsets[r + 1]
            psi = self._difference(rows[a:b], np.array([0, b - a]), truth[a:b], paths[a:b], np.ones(1))
            cuts.append(Cut(lo + r, paths[a:b].copy(), psi, float(losses[r])))
        return cuts

    def sweep(self, w: Array, lo: int, hi: int) -> Sweep:
        chains, truth, paths = self._worst(w, lo, hi)
        losses = chain_losses(chains.offsets, truth, paths, self.delta, self.states)
        margins = chains.scores(truth) - chains.scores(paths)
        rows = self.rows[self.offsets[lo] : self.offsets[hi]]
        psi = self._difference(rows, chains.offsets, truth, paths, self.pricing.weights(losses))
        labels = tuple(path.copy() for path in np.split(paths, chains.offsets[1:-1]))
        return Sweep(labels, losses, margins, psi)

    def _worst(self, w: Array, lo: int, hi: int) -> tuple[Chains, Ints, Ints]:
        """Trellises, true labels and most violated labels of examples lo .. hi."""
        chains = self.chains(w, lo, hi)
        truth = self.truth[self.offsets[lo] : self.offsets[hi]]
        paths = self.separator.most_violated(chains, truth, self.delta, self.pricing)
        if not self.oracle_is_exact:  # a search may end below the truth, which costs nothing and is known
            losses = chain_losses(chains.offsets, truth, paths, self.delta, self.states)
            below = losses < chains.scores(truth) - chains.scores(paths)
            paths = np.where(np.repeat(below, chains.lengths), truth, paths)
        return chains, truth, paths

    def _difference(self, rows: Any, offsets: Ints, truth: Ints, paths: Ints, weight: Array) -> Vector:
        """sum_i weight_i (Psi(x_i, y_i) - Psi(x_i, path_i))."""
        tail = self._counts(offsets, truth, weight) - self._counts(offsets, paths, weight)
        per_row = np.repeat(weight, np.diff(offsets))
        return difference(rows, truth, paths, per_row, self.states, tail)

    @property
    def visitable(self) -> bool:
        """Compiled visits decode by Viterbi, with a loss that is a sum over positions."""
        return (
            isinstance(self.separator, Viterbi)
            and self.pricing.adds_up
            and isinstance(self.delta, Decomposes)
        )

    @property
    def places(self) -> Ints:
        return self.offsets

    @property
    def alphabet(self) -> int:
        return self.states

    @property
    def revisits(self) -> bool:
        return True

    @cached_property
    def corpus(self) -> Corpus:
        """The data as compiled visits read them."""
        assert isinstance(self.delta, Decomposes)
        lengths = np.diff(self.offsets)
        factor = 1.0 / np.maximum(lengths, 1) if self.delta.normalised else np.ones(self.n)
        costs = np.array(self.delta.costs(self.states), dtype=float)
        return Corpus(*csr(self.rows), self.truth, self.offsets, costs, factor, self.ends)

    def labelling(self, i: int, numbers: Any) -> Ints:
        return np.array(numbers, dtype=np.int64)

    def numbers(self, i: int, label: Any) -> Any:
        return label

    def visit(self, w: Array, order: Ints, cache: Cache, plan: Plan, log: Log, born: int) -> int:
        return visit_chains(self.corpus, order, w, self.n_features, cache, plan, log, born)

    def rebuild(self, cache: Cache) -> Array:
        check_states(cache.labels[: cache.ends[2]], self.states)
        w = np.zeros(self.dim)
        rebuild_chains(self.corpus, self.n_features, cache, w)
        return w

    def worst(self, w: Array) -> Array:
        found = np.empty(self.n)
        in_parts(lambda a, b: worst_of_chains(self.corpus, a, b, w, self.n_features, found), 0, self.n)
        return found

    def labellings(self, i: int) -> Iterable[Ints]:
        return iter(all_labellings(len(self.dataset.labels[i]), self.states))

    def labellings_count(self, i: int) -> int:
        return int(self.states ** len(self.dataset.labels[i]))
