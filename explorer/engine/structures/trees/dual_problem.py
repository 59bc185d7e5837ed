"""Dependency parsing with a joint kernel in its dual form: w is a sum over training sentences, never written
out.

    w = sum_p w_p k_X(x_i(p), .) (x) e_a(p),    p = (training sentence i, hash a)
    psi of a cut = counts(truth) - counts(label) at the positions of its sentence
    S_i[edge] = sum over sentences j of k_X(x_j, x_i) w_(j, hash of edge)             (sufficient weights)

Algorithm 3 of Pfahler 2015 is the 1-slack learner on this problem: H of two planes comes from `products`, the
weights of all symbols from `lift` (see `postings`). With `by_index` False symbols are compared pair by pair
instead (Algorithm 4): the same model, later. A sentence outside the training data has scores but no position
of its own, so it has no features. Cost of a pass: the posting lists of all possible edges, then the tree
oracle; n^2 / 2 input kernels once.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from explorer.engine.contracts import Dataset, Loss
from explorer.engine.events import Cut, Sweep
from explorer.engine.losses import Hamming
from explorer.engine.pricing import Pricing
from explorer.engine.refusals import Refused, checked_calls
from explorer.engine.structures.trees.edge_hashes import TAGS, Atoms, EdgeHash, seen_in
from explorer.engine.structures.trees.heads import all_trees, checked_heads, tree_count
from explorer.engine.structures.trees.input_kernels import Constant, InputKernel, between, gram
from explorer.engine.structures.trees.inverted_index import Postings, postings
from explorer.engine.structures.trees.layout import (
    TreeLayout,
    answers,
    check_oracles,
    cuts,
    laid_out,
    losses_of,
    one_table,
)
from explorer.engine.structures.trees.oracles import Arborescence, Tables, TreeOracle
from explorer.engine.structures.trees.sentences import Sentence, checked_sentence, checked_treebank
from explorer.engine.vectors import Array, Ints, Sparse, Vector, sparse


@dataclass(frozen=True, slots=True, eq=False)
class Basis:
    """What w lies over: training sentences with their hashes, positions and kernel table."""

    inputs: tuple[Sentence, ...]
    atoms: Atoms
    postings: Postings
    edges: tuple[Ints, ...]
    K: Array


def basis_of(
    inputs: Sequence[Sentence], hashes: Sequence[EdgeHash], buckets: int, kernel: InputKernel
) -> Basis:
    """The basis that training sentences make; every input kernel value is computed here, and once."""
    atoms = seen_in(inputs, hashes, buckets)
    found, edges = postings([atoms.of(x) for x in inputs], atoms.size)
    return Basis(tuple(inputs), atoms, found, tuple(edges), gram(kernel, inputs))


@checked_calls
@dataclass(frozen=True)
class KernelTrees:
    """One tree of heads for every sentence, learnt in the dual."""

    dataset: Dataset
    hashes: tuple[EdgeHash, ...] = TAGS
    kernel: InputKernel = field(default_factory=Constant)
    delta: Loss = field(default_factory=lambda: Hamming(normalised=True))
    pricing: Pricing = field(default_factory=Pricing)
    separator: TreeOracle = field(default_factory=Arborescence)
    predictor: TreeOracle = field(default_factory=Arborescence)
    buckets: int = 0
    by_index: bool = True
    basis: Basis | None = None
    name: str = "dependency trees, dual"

    def __post_init__(self) -> None:
        object.__setattr__(self, "dataset", checked_treebank(self.dataset))
        if self.basis is None:
            made = basis_of(self.dataset.inputs, self.hashes, self.buckets, self.kernel)
            object.__setattr__(self, "basis", made)
        check_oracles(self.layout, self.separator, self.predictor, self.delta, self.pricing)

    @property
    def n(self) -> int:
        return len(self.dataset)

    @property
    def dim(self) -> int:
        return self._basis.postings.size

    @property
    def oracle_is_exact(self) -> bool:
        return self.separator.kind == "exact"

    @property
    def oracle_kind(self) -> str:
        """exact, under (only projective trees) or over (heads that may run in a circle)."""
        return self.separator.kind

    @property
    def _basis(self) -> Basis:
        assert self.basis is not None
        return self.basis

    @cached_property
    def trained_on(self) -> bool:
        """Whether the examples are those on which w stands."""
        mine, theirs = self.dataset.inputs, self._basis.inputs
        return len(mine) == len(theirs) and all(a is b for a, b in zip(mine, theirs, strict=True))

    @cached_property
    def layout(self) -> TreeLayout:
        """Every possible edge with its positions, or (of other sentences) with places in a list of their
        own.
        """
        edges = self._basis.edges if self.trained_on else self._foreign[1]
        return laid_out(edges, self.dataset.labels)

    @cached_property
    def _foreign(self) -> tuple[Postings, list[Ints]]:
        """The (sentence, hash) pairs of examples that w does not stand on."""
        atoms = self._basis.atoms
        return postings([atoms.of(x) for x in self.dataset.inputs], atoms.size)

    @cached_property
    def _cross(self) -> Array:
        """k of those examples with the training sentences."""
        return between(self.kernel, self.dataset.inputs, self._basis.inputs)

    @property
    def chunk(self) -> int:
        """All sentences at once: their weights are made together."""
        return max(1, self.n)

    def on(self, dataset: Dataset) -> Self:
        return replace(self, dataset=dataset)

    def lift(self, x: Vector) -> Array:
        """The weights of all positions under x: <x, z> = lifted(x) . z."""
        return self._basis.postings.lift(self._basis.K, x, self.by_index)

    def products(self, others: Sequence[Vector], a: Vector) -> Array:
        """<other, a> for every one of them."""
        return self._basis.postings.products(self._basis.K, others, a, self.by_index)

    def tables(self, w: Array, lo: int, hi: int) -> Tables:
        """The scores of all possible edges of sentences lo .. hi - 1; those of all sentences are made
        together.
        """
        part, (a, b) = self.layout.part(lo, hi), self.layout.cells[[lo, hi]]
        return Tables(self._scores(w).scores[a:b], part.cells, part.places)

    def _scores(self, w: Array) -> Tables:
        if self.trained_on:
            return self.layout.tables(self.lift(w))
        own, held = self._foreign[0], self._basis.postings
        return self.layout.tables(held.weights(self._cross, w, own.sentence, own.atom, self.by_index))

    def checked_input(self, x: Any, place: str) -> Sentence:
        return checked_sentence(x, place)

    def check_label(self, i: int, label: Any) -> None:
        checked_heads(label, len(self.dataset.inputs[i]), f"the label of example {i}")

    def predict(self, w: Array, x: Sentence) -> Any:
        basis = self._basis
        own, edges = postings([basis.atoms.of(x)], basis.atoms.size)
        k = between(self.kernel, (x,), basis.inputs)
        found = basis.postings.weights(k, w, own.sentence, own.atom, self.by_index)
        return self.predictor.best(one_table(edges[0], found))

    def predictions(self, w: Array) -> list[Any]:
        return list(self.layout.split(self.predictor.best(self._scores(w))))

    def features(self, i: int, label: Any) -> Vector:
        """counts(label) at the positions of training sentence i."""
        if not self.trained_on:
            raise Refused(
                "sentences that were not trained on have scores but no features; ask the training problem"
            )
        m = len(self.dataset.inputs[i])
        heads = checked_heads(label, m, f"the label of example {i}")
        at = self._basis.edges[i][:, heads, np.arange(m)].ravel()
        return sparse(at, np.ones(len(at)), self.dim)

    def loss(self, i: int, label: Any) -> float:
        return self.delta.value(self.dataset.labels[i], label)

    def losses(self, labels: list[Any]) -> Array:
        return losses_of(self.layout, np.concatenate(labels), self.delta)

    def oracle(self, w: Array, i: int) -> Cut:
        return self.cuts(w, i, i + 1)[0]

    def cuts(self, w: Array, lo: int, hi: int) -> list[Cut]:
        return cuts(self, w, lo, hi)

    def sweep(self, w: Array, lo: int, hi: int) -> Sweep:
        found, part = answers(self, w, lo, hi), self.layout.part(lo, hi)
        own = np.tile(np.repeat(self.pricing.weights(found.losses), np.diff(part.places)), part.width)
        right, wrong = part.numbers(part.truth).ravel(), part.numbers(found.heads).ravel()
        summed = np.asarray(
            np.bincount(right, own, self.dim) - np.bincount(wrong, own, self.dim), dtype=np.float64
        )
        at = np.flatnonzero(summed)
        psi = Sparse(at.astype(np.int64), summed[at], self.dim)
        return Sweep(part.split(found.heads), found.losses, found.margins, psi)

    def labellings(self, i: int) -> Iterable[Ints]:
        return all_trees(len(self.dataset.inputs[i]))

    def labellings_count(self, i: int) -> int:
        return tree_count(len(self.dataset.inputs[i]))
