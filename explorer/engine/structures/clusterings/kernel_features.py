"""Training with a kernel of pairs by writing its features out: every learner works as it is.

    G = kappa(training pairs, training pairs) = F F'        features of pair p: row p of F
    a new pair q has the features f with  f F_S' = kappa(q, S),  S the pairs on which F stands

The factor is Cholesky's with pivots: it takes the pair least explained by those before, until what is left of
every kappa(p, p) is rounding. It is exact on the training pairs; w, being a sum over them, has no part
outside their span, so the similarity <w, f> of new pairs is exact too (Finley 2009, section 6.4, equation
6.13). With the linear kernel this is plain training in other coordinates of the same length. `full_matrix`
writes the product kernel out directly:

    x_i' W x_j = <w, phi_ij>,   phi_ij = (x_ia x_ja for all a;
        (x_ia x_jb + x_ib x_ja) / sqrt 2 for all a < b)

Features of an item with itself are not carried over: problems with `diagonal` need plain features. Cost:
pairs x pairs kernels once, pairs x rank^2 for the factor.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from scipy.linalg import lapack, solve_triangular

from explorer.engine.contracts import Dataset
from explorer.engine.refusals import Refused
from explorer.engine.structures.clusterings.item_sets import ItemSet, item_set
from explorer.engine.structures.clusterings.pair_kernels import PairKernel, Pairs, pairs_of, stack_pairs
from explorer.engine.structures.clusterings.partitions import pair_count
from explorer.engine.vectors import Array

MOST_PAIRS = 6_000
"""Training pairs of which every two are compared: the table takes 288 MB."""

TINY = 1e-11
"""What is left of a pair, in parts of the largest kappa(p, p), when it counts as explained by others."""

MOST_NUMBERS = 20_000_000
"""Numbers that `full_matrix` writes out at most: 160 MB."""


@dataclass(frozen=True, slots=True, eq=False)
class KernelMap:
    """Coordinates of pairs in the span of the training pairs: the kernel, the pairs they stand on, and their
    factor.
    """

    kernel: PairKernel
    basis: Pairs
    factor: Array

    @property
    def dim(self) -> int:
        """How many coordinates there are: the rank of the kernel on the training pairs."""
        return len(self.factor)

    def features(self, written: Pairs) -> Array:
        """One row of coordinates for each pair."""
        met = self.kernel.gram(self.basis, written)
        return np.ascontiguousarray(solve_triangular(self.factor, met, lower=True).T)

    def items(self, x: ItemSet) -> ItemSet:
        """The same items with the coordinates of their pairs for features."""
        return item_set(x.m, pairs=self.features(pairs_of(x)), names=x.names, place=x.place, groups=x.groups)

    def dataset(self, data: Dataset) -> Dataset:
        """The same data with the coordinates of pairs for features."""
        named = {**data.meta, "features": tuple(f"coordinate {c + 1}" for c in range(self.dim))}
        return replace(data, inputs=tuple(self.items(x) for x in data.inputs), meta=named)


def with_kernel(dataset: Dataset, kernel: PairKernel) -> tuple[Dataset, KernelMap]:
    """The data with features whose inner products are the kernel, and the map that takes new data there."""
    count = sum(pair_count(x.m) for x in dataset.inputs)
    if count > MOST_PAIRS:
        raise Refused(
            f"{dataset.name} has {count:,} training pairs, and a kernel compares at most {MOST_PAIRS:,}; "
            "take fewer or smaller item sets, or a linear similarity"
        )
    written = stack_pairs([pairs_of(x) for x in dataset.inputs])
    found = _pivoted(kernel, written)
    return found.dataset(dataset), found


def _pivoted(kernel: PairKernel, written: Pairs) -> KernelMap:
    """The map of these pairs, by pivoted Cholesky."""
    gram = kernel.gram(written, written)
    largest = float(np.max(np.diag(gram), initial=0.0))
    if not np.isfinite(gram).all() or largest <= 0.0:
        raise Refused(
            "the kernel of the training pairs is 0 or not finite; give them features, or another kernel"
        )
    lower, order, rank, _ = lapack.dpstrf(np.asfortranarray(gram), tol=TINY * largest, lower=1, overwrite_a=1)
    chosen = order[:rank] - 1
    return KernelMap(kernel, written.at(chosen), np.tril(lower[:rank, :rank]))


def full_matrix(dataset: Dataset) -> Dataset:
    """The data with all products of two items' features for pair features, in front of what else is known of
    the pairs.
    """
    count = sum(matrix_numbers(x.m, x.widths[0], x.dim) for x in dataset.inputs)
    if count > MOST_NUMBERS:
        raise Refused(
            f"{dataset.name} has {count:,} products of two features, more than {MOST_NUMBERS:,}; "
            f"{_what_fits(dataset)}"
        )
    inputs = tuple(_squared(x, i) for i, x in enumerate(dataset.inputs))
    return replace(dataset, inputs=inputs, meta=_products_named(dataset))


def _what_fits(dataset: Dataset) -> str:
    """How the products of a data set that is too large could be made fewer."""

    def numbers(own: int) -> int:
        sizes = ((x.m, *x.widths[1:]) for x in dataset.inputs)
        return sum(
            matrix_numbers(m, own, own + relations * (own + 1) + pairs) for m, relations, pairs in sizes
        )

    most = bisect_right(range(dataset.inputs[0].widths[0]), MOST_NUMBERS, key=numbers) - 1
    fewer = "take fewer or smaller item sets"
    return f"take at most {most} features of an item, or {fewer[5:]}" if most > 0 else fewer


def matrix_numbers(m: int, features: int, dim: int) -> int:
    """How many numbers `full_matrix` writes out for m items with this many features, whose pairs had dim."""
    return pair_count(m) * (dim + features * (features - 1) // 2)


def _products_named(dataset: Dataset) -> dict[str, Any]:
    """The names of the features, where they are known, with those of products behind the items' own."""
    names, meta = tuple(dataset.meta.get("features", ())), dict(dataset.meta)
    own = names[: dataset.inputs[0].widths[0]] if len(dataset) else ()
    mixed = (f"{a} x {b}" for a, b in combinations(own, 2))
    return {**meta, "features": (*own, *mixed, *names[len(own) :])} if names else meta


def _squared(x: ItemSet, at: int) -> ItemSet:
    if x.nodes is None:
        raise Refused(f"item set {at} has no features of its items; a full matrix lies between such features")
    written = pairs_of(x)
    d = written.first.shape[1]
    a, b = np.triu_indices(d, 1)
    mixed = (
        written.first[:, a] * written.second[:, b] + written.first[:, b] * written.second[:, a]
    ) / np.sqrt(2.0)
    both = np.hstack([written.psi[:, :d], mixed, written.psi[:, d:]])
    return item_set(x.m, pairs=both, names=x.names, place=x.place, groups=x.groups)


def matrix_of(w: Sequence[float] | Array, features: int) -> Array:
    """The symmetric W with x_i' W x_j = <w, phi_ij>, from the weights of `full_matrix` for this many features
    of an item.
    """
    given = np.asarray(w, dtype=np.float64)
    a, b = np.triu_indices(features, 1)
    out = np.diag(given[:features])
    out[a, b] = out[b, a] = given[features : features + len(a)] / np.sqrt(2.0)
    return out
