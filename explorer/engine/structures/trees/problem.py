"""Dependency parsing with a joint kernel, its features written out: every learner works as it is.

    k((x, y), (x', y')) = k_X(x, x') counts(y) . counts(y')        Psi(x, y) = f(x) (x) counts(y)

f(x) are coordinates of the input kernel (`input_kernels.coordinates`), counts(y) how often each hash occurs
among the edges of the tree y (`atoms`), (x) the Kronecker product: joint tensor kernel with atomic output
kernel (Pfahler 2015, sections 4.2.1 and 4.2.2). Without an input kernel f(x) = 1, and w is one weight for
each hash. `kernel_trees` is the same problem in its dual form. Cost of a pass: sentences x coordinates x
hashes multiplications, then the tree oracle.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from scipy import sparse as sp

from explorer.engine.contracts import Dataset, Loss
from explorer.engine.events import Cut, Sweep
from explorer.engine.losses import Hamming
from explorer.engine.pricing import Pricing
from explorer.engine.refusals import Refused, checked_calls
from explorer.engine.structures.trees.edge_hashes import TAGS, Atoms, EdgeHash, counts, seen_in
from explorer.engine.structures.trees.heads import all_trees, checked_heads, tree_count
from explorer.engine.structures.trees.input_kernels import Constant, Coordinates, InputKernel, coordinates
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
from explorer.engine.vectors import Array, Ints, Vector


@dataclass(frozen=True, slots=True, eq=False)
class Space:
    """What w lies over: the numbered hashes and the coordinates of inputs, made from the training
    sentences.
    """

    atoms: Atoms
    inputs: Coordinates

    @property
    def dim(self) -> int:
        """Coordinates times hashes."""
        return self.inputs.rank * self.atoms.size


MOST_WEIGHTS = 5_000_000
"""Weights that are written out at most: a plane takes 40 MB."""


def check_size(space: Space) -> Space:
    """The space, or a refusal where planes would fill the memory."""
    if space.dim > MOST_WEIGHTS:
        raise Refused(
            f"{space.inputs.rank:,} coordinates of sentences times {space.atoms.size:,} kinds of edges are "
            f"{space.dim:,} "
            f"weights, and {MOST_WEIGHTS:,} are written out at most; take fewer sentences or coarser edges, "
            "or the dual form"
        )
    return space


@checked_calls
@dataclass(frozen=True)
class DependencyTrees:
    """One tree of heads for every sentence."""

    dataset: Dataset
    hashes: tuple[EdgeHash, ...] = TAGS
    kernel: InputKernel = field(default_factory=Constant)
    delta: Loss = field(default_factory=lambda: Hamming(normalised=True))
    pricing: Pricing = field(default_factory=Pricing)
    separator: TreeOracle = field(default_factory=Arborescence)
    predictor: TreeOracle = field(default_factory=Arborescence)
    buckets: int = 0
    space: Space | None = field(default=None, repr=False)
    name: str = "dependency trees"

    def __post_init__(self) -> None:
        data = checked_treebank(self.dataset)
        object.__setattr__(self, "dataset", data)
        if self.space is None:
            made = Space(
                seen_in(data.inputs, self.hashes, self.buckets), coordinates(self.kernel, data.inputs)
            )
            object.__setattr__(self, "space", check_size(made))
        check_oracles(self.layout, self.separator, self.predictor, self.delta, self.pricing)

    @property
    def n(self) -> int:
        return len(self.dataset)

    @property
    def dim(self) -> int:
        return self._space.dim

    @property
    def oracle_is_exact(self) -> bool:
        return self.separator.kind == "exact"

    @property
    def oracle_kind(self) -> str:
        """exact, under (only projective trees) or over (heads that may run in a circle)."""
        return self.separator.kind

    @cached_property
    def exact_twin(self) -> "DependencyTrees | None":
        """The same problem with an exact oracle, where its own is not."""
        return None if self.oracle_is_exact else replace(self, separator=Arborescence())

    @property
    def _space(self) -> Space:
        assert self.space is not None
        return self.space

    @cached_property
    def layout(self) -> TreeLayout:
        """Every possible edge with the numbers of its hashes."""
        return laid_out([self._space.atoms.of(x) for x in self.dataset.inputs], self.dataset.labels)

    @cached_property
    def rows(self) -> Array:
        """The coordinates of every sentence."""
        return self._space.inputs.rows(self.dataset.inputs)

    @cached_property
    def chunk(self) -> int:
        """Sentences whose pass takes some tens of milliseconds."""
        edges, atoms = self.layout.cells[-1] / self.n, self._space.dim
        return max(1, min(1000, int(2e7 / (50.0 * edges + atoms))))

    def on(self, dataset: Dataset) -> Self:
        return replace(self, dataset=dataset)

    def weights(self, w: Array, rows: Array) -> Array:
        """The sufficient weight of every hash for inputs with these coordinates, one row each."""
        return np.asarray(rows @ w.reshape(self._space.inputs.rank, -1))

    def tables(self, w: Array, lo: int, hi: int) -> Tables:
        """The scores of all possible edges of sentences lo .. hi - 1."""
        part, size = self.layout.part(lo, hi), self._space.atoms.size
        first = np.repeat(np.arange(hi - lo) * size, np.diff(part.cells))
        own = replace(part, cell=np.where(part.cell >= 0, part.cell + first, -1))
        return own.tables(self.weights(w, self.rows[lo:hi]).ravel())

    def checked_input(self, x: Any, place: str) -> Sentence:
        return checked_sentence(x, place)

    def check_label(self, i: int, label: Any) -> None:
        checked_heads(label, len(self.dataset.inputs[i]), f"the label of example {i}")

    def predict(self, w: Array, x: Sentence) -> Any:
        space = self._space
        found = self.weights(w, space.inputs.rows([x]))[0]
        return self.predictor.best(one_table(space.atoms.of(x), found))

    def predictions(self, w: Array) -> list[Any]:
        return list(self.layout.split(self.predictor.best(self.tables(w, 0, self.n))))

    def features(self, i: int, label: Any) -> Vector:
        """f(x_i) (x) counts(label)."""
        space, x = self._space, self.dataset.inputs[i]
        heads = checked_heads(label, len(x), f"the label of example {i}")
        return np.outer(self.rows[i], counts(space.atoms.of(x), heads, space.atoms.size)).ravel()

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
        weight = self.pricing.weights(found.losses)
        return Sweep(
            part.split(found.heads), found.losses, found.margins, self._summed(part, found.heads, weight, lo)
        )

    def _summed(self, part: TreeLayout, heads: Ints, weight: Array, lo: int) -> Array:
        """sum_i weight_i f(x_i) (x) (counts(truth_i) - counts(heads_i))."""
        n, size = len(part.places) - 1, self._space.atoms.size
        sentence = np.tile(np.repeat(np.arange(n), np.diff(part.places)), part.width)
        own = np.tile(np.repeat(weight, np.diff(part.places)), part.width)
        right, wrong = part.numbers(part.truth).ravel(), part.numbers(heads).ravel()
        value, at = np.concatenate([own, -own]), np.concatenate([right, wrong])
        known = at >= 0
        where = np.concatenate([sentence, sentence])[known], at[known]
        D = sp.csr_array((value[known], where), shape=(n, size))
        return np.asarray((D.T @ self.rows[lo : lo + n]).T).ravel()

    def labellings(self, i: int) -> Iterable[Ints]:
        return all_trees(len(self.dataset.inputs[i]))

    def labellings_count(self, i: int) -> int:
        return tree_count(len(self.dataset.inputs[i]))

    @cached_property
    def feature_names(self) -> Sequence[str]:
        """What each weight is about: a hash, and which coordinate of the input where there are several."""
        names, rank = self._space.atoms.names, self._space.inputs.rank
        return names if rank == 1 else [f"{name}, coordinate {c + 1}" for c in range(rank) for name in names]
