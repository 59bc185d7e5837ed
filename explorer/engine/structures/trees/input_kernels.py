"""Kernels of inputs k_X(x, x'): how alike two sentences are, whatever their trees.

    constant        1: every sentence learns from every other alike, "no input kernel"
    bag of words    sum over lemmas of count(x) count(x')
    polynomial      (bag of words + 1)^degree
    subsequences    common word sequences up to a length, gaps decayed by lam, divided by sqrt(k(x, x) k(x',
                    x'))

The joint kernel is the tensor kernel k_X(x, x') k_Y(y, y') (Pfahler 2015, sections 4.2.1 and 6.3.2). `gram`
asks for each pair of training sentences once and mirrors it. `coordinates` writes a kernel out: with G = F F'
(Cholesky with pivots) row i of F are features of sentence i whose inner products are the kernel's, and a new
x has those f with f F_S' = k(x, S). Cost: n^2 / 2 values.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol, final

import numpy as np
from scipy.linalg import lapack, solve_triangular

from explorer.engine.knobs import knob, settings
from explorer.engine.refusals import Refused
from explorer.engine.structures.trees.kernels.subsequences import common_row, subsequence_row
from explorer.engine.structures.trees.sentences import Sentence
from explorer.engine.threads import in_parts
from explorer.engine.vectors import Array, Ints

TINY = 1e-11
"""What is left of a sentence, in parts of the largest k(x, x), when it counts as explained by others."""

MOST = 5_000
"""Sentences of which every two are compared: the table takes 200 MB."""


class InputKernel(Protocol):
    """Compares sequences of numbers that stand for the symbols of one layer; `normalised` kernels have k(x,
    x) = 1.
    """

    title: ClassVar[str]

    @property
    def layer(self) -> str: ...
    @property
    def normalised(self) -> bool: ...
    def row(self, s: Ints, others: Ints, ends: Ints) -> Array:
        """s against each of the sequences that lie below each other, not yet normalised."""
        ...


@final
@dataclass(frozen=True, slots=True)
class Constant:
    """1 for all pairs."""

    title: ClassVar[str] = "none"
    layer: ClassVar[str] = "words"
    normalised: ClassVar[bool] = False

    def row(self, s: Ints, others: Ints, ends: Ints) -> Array:
        """Ones."""
        return np.ones(len(ends) - 1)


@final
@settings
class BagOfWords:
    """Common lemmas, counted; to a power after adding 1, where a degree is given."""

    title: ClassVar[str] = "bag of words"
    layer: ClassVar[str] = "lemmas"
    normalised: ClassVar[bool] = False

    degree: int = knob(0, "0: as it is; else (k + 1) to this power.", low=0, high=9)

    def row(self, s: Ints, others: Ints, ends: Ints) -> Array:
        """The number of pairs of equal lemmas, or its polynomial."""
        found = np.empty(len(ends) - 1)
        common_row(s, others, ends, found)
        return (found + 1.0) ** self.degree if self.degree else found


@final
@settings
class Subsequences:
    """Common sequences of words with gaps."""

    title: ClassVar[str] = "subsequences"
    layer: ClassVar[str] = "words"

    longest: int = knob(6, "Longest sequence that is looked for.", low=1, high=20)
    lam: float = knob(0.5, "Factor for each word that a sequence spans.", low=1e-3, high=1.0)
    normalised: bool = knob(True, "Divide by the root of both sentences' own values.")

    def row(self, s: Ints, others: Ints, ends: Ints) -> Array:
        """The sum over common sequences with each of the others."""
        out = np.empty(len(ends) - 1)
        subsequence_row(s, others, ends, self.longest, self.lam, out)
        return out


@dataclass(frozen=True, slots=True, eq=False)
class Numbered:
    """Sequences of numbers below each other, and the number of every symbol."""

    flat: Ints
    ends: Ints
    number: dict[str, int]

    def __len__(self) -> int:
        return len(self.ends) - 1

    def one(self, i: int) -> Ints:
        """Sequence i."""
        return self.flat[self.ends[i] : self.ends[i + 1]]


def layer_numbers(inputs: Sequence[Sentence], layer: str, number: dict[str, int] | None = None) -> Numbered:
    """One layer of these sentences as numbers, in the order of first sight."""
    known = {} if number is None else dict(number)
    parts = [[known.setdefault(word, len(known)) for word in x.layer(layer)] for x in inputs]
    ends = np.cumsum([0, *map(len, parts)]).astype(np.int64)
    return Numbered(np.array([at for part in parts for at in part], dtype=np.int64), ends, known)


def gram(kernel: InputKernel, inputs: Sequence[Sentence]) -> Array:
    """k of every two inputs, each pair asked for once."""
    n = len(inputs)
    if n > MOST:
        raise Refused(
            f"a kernel compares every two of at most {MOST:,} sentences, and there are {n:,}; take fewer"
        )
    given, out = layer_numbers(inputs, kernel.layer), np.empty((n, n))

    def work(lo: int, hi: int) -> None:
        for i in range(lo, hi):
            out[i, : i + 1] = kernel.row(given.one(i), given.flat[: given.ends[i + 1]], given.ends[: i + 2])

    in_parts(work, 0, n)
    above = np.triu_indices(n, 1)
    out[above] = out.T[above]
    return _divided(out, np.diag(out), np.diag(out)) if kernel.normalised else out


def between(kernel: InputKernel, inputs: Sequence[Sentence], basis: Sequence[Sentence]) -> Array:
    """k of every input with every sentence of the basis."""
    held = layer_numbers(basis, kernel.layer)
    asked = layer_numbers(inputs, kernel.layer, held.number)
    out = np.empty((len(asked), len(held)))

    def work(lo: int, hi: int) -> None:
        for i in range(lo, hi):
            out[i] = kernel.row(asked.one(i), held.flat, held.ends)

    in_parts(work, 0, len(asked))
    return _divided(out, _own(kernel, asked), _own(kernel, held)) if kernel.normalised else out


def _own(kernel: InputKernel, given: Numbered) -> Array:
    parts = (given.one(i) for i in range(len(given)))
    return np.array([kernel.row(s, s, np.array([0, len(s)]))[0] for s in parts])


def _divided(table: Array, rows: Array, columns: Array) -> Array:
    return np.asarray(table / np.sqrt(rows[:, None] * columns))


@dataclass(frozen=True, slots=True, eq=False)
class Coordinates:
    """The kernel, the training sentences on which its features stand, and their triangular factor."""

    kernel: InputKernel
    basis: tuple[Sentence, ...]
    factor: Array

    @property
    def rank(self) -> int:
        """How many coordinates there are."""
        return len(self.factor)

    def rows(self, inputs: Sequence[Sentence]) -> Array:
        """The coordinates of every input, one row each."""
        met = between(self.kernel, inputs, self.basis)
        return np.ascontiguousarray(solve_triangular(self.factor, met.T, lower=True).T)


def coordinates(kernel: InputKernel, inputs: Sequence[Sentence]) -> Coordinates:
    """Features of inputs whose inner products on these training sentences are the kernel."""
    table = gram(kernel, inputs)
    largest = float(np.max(np.diag(table)))
    if not np.isfinite(table).all() or largest <= 0.0:
        raise Refused("the input kernel is 0 or not finite on the training sentences; choose another")
    lower, order, rank, _ = lapack.dpstrf(
        np.asfortranarray(table), tol=TINY * largest, lower=1, overwrite_a=1
    )
    kept = order[:rank] - 1
    return Coordinates(kernel, tuple(inputs[int(i)] for i in kept), np.tril(lower[:rank, :rank]))
