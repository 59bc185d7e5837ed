"""Where atoms occur: the positions over which kernel expansions lie, and products of expansions under an
input kernel.

    position p = (sentence i, atom a),    one for every atom that a possible edge of sentence i has
    vector x over positions stands for  sum_p x_p k_X(x_i(p), .) (x) e_a(p)
    <x, z> = sum over p, q with equal atoms of x_p z_q K[i(p), i(q)] = lifted(x) . z

So H of two 1-slack planes is tr(D' K D') / n^2 over the sparse matrices of counts (Pfahler 2015, section
4.4.2), and lifted(w) holds the sufficient weights of all symbols of all training sentences (equation 4.20).
Without `by_index` every product compares symbols pair by pair, to show what the index saves. Cost: see
`kernels.atom_products`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from explorer.engine.structures.trees.kernels.hash_products import (
    count_product,
    index_product,
    lift,
    lift_pairs,
    pair_product,
)
from explorer.engine.threads import in_parts
from explorer.engine.vectors import Array, Ints, Sparse, Vector, dot

SMALL = 2_000
"""Fewer positions than this are not worth a second thread."""


class Index(NamedTuple):
    """Where each atom's entries begin, their sentences, and their values."""

    ends: Ints
    sentence: Ints
    value: Array


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """Positions sorted by sentence and atom; sentence i has positions ends[i] .. ends[i + 1] - 1."""

    sentence: Ints
    atom: Ints
    ends: Ints
    atoms: int

    @property
    def size(self) -> int:
        """How many positions there are."""
        return len(self.atom)

    @property
    def lengths(self) -> Ints:
        """In how many sentences each atom occurs."""
        return np.bincount(self.atom, minlength=self.atoms).astype(np.int64)

    def lift(self, K: Array, x: Vector, by_index: bool = True) -> Array:
        """g with <x, z> = g . z for every z."""
        return self.weights(K, x, self.sentence, self.atom, by_index)

    def weights(self, K: Array, x: Vector, rows: Ints, atoms: Ints, by_index: bool = True) -> Array:
        """What x weighs each (row of K, atom) with; columns of K are the sentences of the positions."""
        out = np.empty(len(atoms))
        if by_index:
            index = self.index_of(x)
            in_parts(lambda lo, hi: lift(K, *index, rows, atoms, lo, hi, out), 0, len(out), SMALL)
        else:
            at, value = entries(x)
            own = self.sentence[at], self.atom[at], value
            in_parts(lambda lo, hi: lift_pairs(K, *own, rows, atoms, lo, hi, out), 0, len(out), SMALL)
        return out

    def index_of(self, x: Vector) -> Index:
        """For every atom the sentences where x is not 0, and its values there (Algorithm 6)."""
        at, value = entries(x)
        atom = self.atom[at]
        order = np.argsort(atom, kind="stable")
        ends = np.concatenate([[0], np.cumsum(np.bincount(atom, minlength=self.atoms))])
        return Index(ends, self.sentence[at[order]], value[order])

    def by_sentence(self, x: Vector) -> tuple[Ints, Ints, Array]:
        """For every sentence the atoms where x is not 0, and its values there."""
        at, value = entries(x)
        return np.searchsorted(at, self.ends), self.atom[at], value

    def products(self, K: Array, others: Sequence[Vector], a: Vector, by_index: bool = True) -> Array:
        """<other, a> for every one of them."""
        if by_index:
            g = self.lift(K, a)
            return np.array([dot(other, g) for other in others])
        return np.array([self._compared(K, other, a) for other in others])

    def _compared(self, K: Array, other: Vector, a: Vector) -> float:
        """<other, a> by comparing every entry with every entry; summed in the order of the index, so that
        bits agree.
        """
        (at, value), (mine, own) = entries(other), entries(a)
        g = np.empty(len(at))
        lift_pairs(
            K, self.sentence[mine], self.atom[mine], own, self.sentence[at], self.atom[at], 0, len(at), g
        )
        return float(g @ value)

    def pair_product(self, K: Array, x: Vector, z: Vector) -> tuple[float, int]:
        """<x, z> symbol by symbol, and the look-ups of K (Algorithm 4)."""
        return pair_product(K, *self.by_sentence(x), *self.by_sentence(z))

    def count_product(self, K: Array, x: Vector, z: Vector) -> tuple[float, int]:
        """<x, z> with a table of counts, and the look-ups of K (Algorithm 5)."""
        return count_product(K, *self.by_sentence(x), *self.by_sentence(z), self.atoms)

    def index_product(self, K: Array, x: Index, z: Index) -> tuple[float, int]:
        """<x, z> from both indices, and the look-ups of K (Algorithm 7)."""
        return index_product(K, *x, *z)


def entries(x: Vector) -> tuple[Ints, Array]:
    """Where a vector is not 0, and its values there."""
    if isinstance(x, Sparse):
        return x.index, x.value
    at = np.flatnonzero(x)
    return at.astype(np.int64), x[at]


def postings(tables: Sequence[Ints], atoms: int) -> tuple[Postings, list[Ints]]:
    """The positions of sentences given by the atoms of their edges, and every edge's position in place of its
    atom.
    """
    own = [np.unique(table[table >= 0]) for table in tables]
    ends = np.concatenate([[0], np.cumsum([len(part) for part in own])]).astype(np.int64)
    sentence = np.repeat(np.arange(len(own)), np.diff(ends))
    atom = np.concatenate(own).astype(np.int64)
    at = [
        np.where(table >= 0, first + np.searchsorted(part, table), -1)
        for table, part, first in zip(tables, own, ends, strict=False)
    ]
    return Postings(sentence, atom, ends, atoms), at
