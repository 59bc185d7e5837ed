"""Kernels of pairs of items: inner products of pair features after a map that need not be written out.

    linear        kappa = psi_ij . psi_kl
    polynomial    kappa = (scale psi_ij . psi_kl + constant)^degree
    RBF           kappa = exp(-sharpness |psi_ij - psi_kl|^2)
    product       kappa = 1/2 [(x_i . x_k)(x_j . x_l) + (x_i . x_l)(x_j . x_k)]

Finley 2009, section 6.4. The product kernel is the inner product of the symmetric matrices (x_i x_j' + x_j
x_i') / 2, hence a similarity x_i' W x_j with a full symmetric W; the source names a polynomial kernel of
degree 2 for that, which is another one. It looks at the items' own features only. Cost of a block: pairs
times pairs times features.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Protocol, final

import numpy as np

from explorer.engine.knobs import knob, settings
from explorer.engine.rows import is_sparse
from explorer.engine.structures.clusterings.item_sets import ItemSet, pair_rows
from explorer.engine.vectors import Array


class Pairs(NamedTuple):
    """Pairs written out: the features of their first and second items, and psi_ij."""

    first: Array
    second: Array
    psi: Array

    def at(self, rows: Any) -> "Pairs":
        """Some of the pairs."""
        return Pairs(self.first[rows], self.second[rows], self.psi[rows])


def pairs_of(x: ItemSet, own: bool = False) -> Pairs:
    """All pairs i < j of an item set, row by row of the upper triangle; with `own` every item with itself
    after them.
    """
    nodes = np.zeros((x.m, 0)) if x.nodes is None else _dense(x.nodes)
    i, j = np.triu_indices(x.m, 1)
    found = Pairs(nodes[i], nodes[j], _dense(pair_rows(x)))
    if not own:
        return found
    alone = np.hstack([nodes**2, np.zeros((x.m, x.dim - nodes.shape[1]))])
    return stack_pairs([found, Pairs(nodes, nodes, alone)])


def stack_pairs(parts: list[Pairs]) -> Pairs:
    """Pairs of many sets below each other."""
    return Pairs(*(np.vstack(columns) for columns in zip(*parts, strict=True)))


def _dense(rows: Any) -> Array:
    return np.asarray(rows.toarray() if is_sparse(rows) else rows, dtype=np.float64)


class PairKernel(Protocol):
    """A positive semidefinite function of two pairs, for all pairs of two lists at once."""

    title: ClassVar[str]
    help: ClassVar[str]

    def gram(self, a: Pairs, b: Pairs) -> Array: ...


@final
@dataclass(frozen=True, slots=True)
class Linear:
    """The features as they are."""

    title: ClassVar[str] = "linear"
    help: ClassVar[str] = "The pair features as they are."

    def gram(self, a: Pairs, b: Pairs) -> Array:
        """psi . psi'."""
        return np.asarray(a.psi @ b.psi.T)


@final
@settings
class Polynomial:
    """All products of up to `degree` pair features."""

    title: ClassVar[str] = "polynomial"
    help: ClassVar[str] = "Products of up to this many pair features."

    degree: int = knob(2, "How many features are multiplied at most.", low=1, high=10)
    scale: float = knob(1.0, "Factor on the inner product.", low=1e-6, log=True)
    constant: float = knob(1.0, "Added to the inner product: larger favours low degrees.", low=0.0)

    def gram(self, a: Pairs, b: Pairs) -> Array:
        """(scale psi . psi' + constant)^degree."""
        return np.asarray((self.scale * (a.psi @ b.psi.T) + self.constant) ** self.degree)


@final
@settings
class RBF:
    """Likeness of pairs that falls with the distance of their features."""

    title: ClassVar[str] = "RBF"
    help: ClassVar[str] = "Pairs with close features are treated alike."

    sharpness: float = knob(1.0, "How fast likeness falls with squared distance.", low=1e-9, log=True)

    def gram(self, a: Pairs, b: Pairs) -> Array:
        """exp(-sharpness |psi - psi'|^2)."""
        sizes = np.sum(a.psi**2, axis=1)[:, None] + np.sum(b.psi**2, axis=1)[None, :]
        return np.asarray(np.exp(-self.sharpness * np.maximum(sizes - 2.0 * (a.psi @ b.psi.T), 0.0)))


@final
@dataclass(frozen=True, slots=True)
class Product:
    """A full symmetric matrix between the features of both items."""

    title: ClassVar[str] = "product"
    help: ClassVar[str] = "Every feature of one item with every feature of the other: a similarity x' W x."

    def gram(self, a: Pairs, b: Pairs) -> Array:
        """1/2 [(x_i . x_k)(x_j . x_l) + (x_i . x_l)(x_j . x_k)]."""
        straight = (a.first @ b.first.T) * (a.second @ b.second.T)
        return np.asarray(0.5 * (straight + (a.first @ b.second.T) * (a.second @ b.first.T)))
