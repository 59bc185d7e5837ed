"""Sets of items to be clustered, and what is known of each pair of them.

    psi_ij = [ x_i * x_j ;  for every relation r: r_ij [ x_i * x_j ; 1 ] ;  pair features of (i, j) ]

x_i are the items' own features (their product is taken componentwise), a relation says which pairs it holds
for (links, co-citations), pair features are given for every pair i < j, row by row of the upper triangle. Any
of the three may be missing. Finley 2009, section 4.5. The similarity <w, psi_ij> of all pairs and the
weighted sum of all psi_ij are the hot loops of supervised clustering: matrix products for dense features,
compiled loops over stored entries for sparse ones. `names` and `place` are for drawing; `groups` is the
number of clusters where it is known beforehand; `stored_*` are the entries of sparse rows as kernels read
them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse as sp

from explorer.engine.checks import read_only
from explorer.engine.refusals import Refused
from explorer.engine.rows import Rows, csr, is_sparse
from explorer.engine.structures.clusterings.kernels.pair_sums import (
    csr_scores,
    csr_total,
    fill_pairs,
    pair_numbers,
    related_scores,
    related_total,
)
from explorer.engine.structures.clusterings.partitions import pair_count, pair_matrix
from explorer.engine.threads import in_parts
from explorer.engine.vectors import Array, Ints

WORTH_TWO = 20_000
"""Pairs from which a second core is worth its start."""


@dataclass(frozen=True, slots=True, eq=False)
class ItemSet:
    """m items with features of their own, relations, and features of pairs; made by `item_set`."""

    m: int
    nodes: Rows = None
    relations: tuple[Ints, ...] = ()
    pairs: Rows = None
    names: tuple[str, ...] = ()
    place: Array | None = None
    groups: int | None = None
    stored_nodes: Any = None
    stored_pairs: Any = None

    def __len__(self) -> int:
        return self.m

    @property
    def widths(self) -> tuple[int, int, int]:
        """Features of the items, relations, features of the pairs."""
        own = 0 if self.nodes is None else int(self.nodes.shape[1])
        return own, len(self.relations), 0 if self.pairs is None else int(self.pairs.shape[1])

    @property
    def dim(self) -> int:
        """The length of psi_ij."""
        own, relations, pairs = self.widths
        return own + relations * (own + 1) + pairs

    def name_of(self, item: int) -> str:
        """What a sentence calls an item."""
        return self.names[item] if self.names else str(item)


def like_known(x: Any, known: ItemSet, place: str) -> ItemSet:
    """An item set with the features that a known one has, or Refused."""
    if not isinstance(x, ItemSet):
        raise Refused(f"{place} is of type {type(x).__name__}; give an item set, or many to `predict_many`")
    if x.widths != known.widths:
        raise Refused(
            f"{place} has {x.widths} features of items, relations and features of pairs; "
            f"give {known.widths}, as in training"
        )
    return x


def item_set(
    m: int,
    nodes: Any = None,
    relations: Sequence[Any] = (),
    pairs: Any = None,
    names: Sequence[str] = (),
    place: Any = None,
    groups: int | None = None,
    where: str = "the item set",
) -> ItemSet:
    """A checked set of items; `where` names it in refusals."""
    if m < 1:
        raise Refused(f"{where} has no items; leave it out, or give it some")
    if nodes is None and not relations and pairs is None:
        raise Refused(f"{where} has no features; give features of the items, of their pairs, or relations")
    if len(names) not in (0, m):
        raise Refused(f"{where} has {m} items but {len(names)} names; give one for each item, or none")
    if groups is not None and not 1 <= groups <= m:
        raise Refused(f"{where} has {m} items and cannot have {groups} clusters; ask for 1 to {m}")
    own = None if nodes is None else _rows(nodes, m, f"{where}: the features of the items", "item")
    both = (
        None
        if pairs is None
        else _rows(pairs, pair_count(m), f"{where}: the features of the pairs", "pair i < j")
    )
    spots = None if place is None else np.asarray(_rows(place, m, f"{where}: the places", "item"))
    held = tuple(_related(relation, m, f"{where}: relation {r}") for r, relation in enumerate(relations))
    stored_nodes = csr(np.zeros((m, 0)) if own is None else own) if held else None
    stored_pairs = csr(both) if is_sparse(both) else None
    return ItemSet(m, own, held, both, tuple(names), spots, groups, stored_nodes, stored_pairs)


def _rows(values: Any, count: int, what: str, each: str) -> Rows:
    """Finite rows of numbers, dense or CSR, one for each item or pair; or a refusal."""
    packed = is_sparse(values)
    rows: Any = sp.csr_array(values, dtype=np.float64) if packed else np.asarray(values)
    if rows.ndim != 2 or rows.dtype.kind not in "biuf":
        raise Refused(
            f"{what} have shape {rows.shape} and type {rows.dtype}; give rows of numbers, one for each {each}"
        )
    if rows.shape[0] != count:
        raise Refused(f"{what} have {rows.shape[0]} rows; give {count}, one for each {each}")
    if packed:
        rows.sum_duplicates()
    else:
        rows = np.array(rows, dtype=np.float64, order="C")
    stored = rows.data if packed else rows
    if not np.isfinite(stored).all():
        at = int(np.argmin(np.isfinite(stored).reshape(-1)))
        row = int(np.searchsorted(rows.indptr, at, side="right") - 1) if packed else at // rows.shape[1]
        raise Refused(f"{what}, row {row}, hold {stored.reshape(-1)[at]}; give finite numbers")
    return rows if packed else read_only(rows)


def _related(relation: Any, m: int, what: str) -> Ints:
    """The pairs (first < second) for which a relation holds, each once; from (r, 2) numbers or a (m, m)
    matrix.
    """
    if is_sparse(relation) or (np.shape(relation) == (m, m) and m != 2):
        relation = np.argwhere((relation.toarray() if is_sparse(relation) else np.asarray(relation)) != 0)
    ends = np.asarray(relation, dtype=np.int64).reshape(-1, 2)
    if len(ends) and (ends.min() < 0 or ends.max() >= m):
        row = int(np.argmax(np.any((ends < 0) | (ends >= m), axis=1)))
        raise Refused(f"{what}, pair {row}, names item {ends[row].max()}; items are numbered 0 to {m - 1}")
    ends = np.sort(ends[ends[:, 0] != ends[:, 1]], axis=1)
    return read_only(np.ascontiguousarray(np.unique(ends, axis=0)))


def groups_of(items: ItemSet) -> dict[str, slice]:
    """Where each kind of weight lies in w."""
    own, relations, pairs = items.widths
    parts = {"items": own} if own else {}
    parts |= {f"relation {r + 1}": own + 1 for r in range(relations)}
    parts |= {"pairs": pairs} if pairs else {}
    ends = np.cumsum([0, *parts.values()])
    return {name: slice(int(a), int(b)) for name, a, b in zip(parts, ends[:-1], ends[1:], strict=True)}


def pair_rows(items: ItemSet) -> Rows:
    """psi_ij of all pairs i < j, in the order of the weights: CSR where anything is sparse, or only related
    pairs have it.
    """
    i, j = np.triu_indices(items.m, 1)
    nodes = np.zeros((items.m, 0)) if items.nodes is None else items.nodes
    product = _times(nodes[i], nodes[j])
    parts = [product]
    for ends in items.relations:
        holds = sp.csr_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(items.m, items.m))
        related = sp.csr_array(holds[i, j].reshape(-1, 1))
        parts += [sp.csr_array(sp.csr_array(product).multiply(related)), related]
    if items.pairs is not None:
        parts.append(items.pairs)
    if any(is_sparse(part) for part in parts):
        return sp.csr_array(sp.hstack([sp.csr_array(part) for part in parts], format="csr"))
    return np.concatenate(parts, axis=1)


def similarity(items: ItemSet, w: Array) -> Array:
    """<w, psi_ij> of every pair, and <w_items, x_i * x_i> on the diagonal."""
    own, relations, given = items.widths
    K = np.zeros((items.m, items.m))
    if given:
        scores = _pair_scores(items, w[items.dim - given :])
        in_parts(
            lambda a, b: fill_pairs(a, b, scores, K),
            0,
            items.m,
            2 if len(scores) >= WORTH_TWO else items.m + 1,
        )
    if own:
        K += _products(items.nodes, w[:own])
    for r in range(relations):
        part = w[own + r * (own + 1) :][: own + 1]
        start, column, value = items.stored_nodes
        first, second = items.relations[r].T.copy()
        related_scores(start, column, value, first, second, part[:-1], float(part[-1]), K)
    return K


def _pair_scores(items: ItemSet, w: Array) -> Array:
    """<w, row> of all pairs."""
    if items.stored_pairs is None:
        return np.asarray(items.pairs @ w)
    out = np.empty(items.pairs.shape[0])
    start, column, value = items.stored_pairs
    in_parts(lambda a, b: csr_scores(a, b, start, column, value, w, out), 0, len(out), WORTH_TWO)
    return out


def _products(nodes: Rows, w: Array) -> Array:
    """X diag(w) X'."""
    if is_sparse(nodes):
        return np.asarray((sp.csr_array(nodes.multiply(w)) @ nodes.T).toarray())
    return np.asarray((nodes * w) @ nodes.T)


class Weighting(NamedTuple):
    """One number for each pair i < j and each item; `factor` V, where there is one, has V V' = beta off the
    diagonal.
    """

    beta: Array
    own: Array | None = None
    factor: Array | None = None


def total(items: ItemSet, weighting: Weighting) -> Array:
    """sum_{i < j} beta_ij psi_ij + sum_i own_i psi_ii."""
    own, relations, given = items.widths
    out, beta = np.zeros(items.dim), weighting.beta
    if given and items.stored_pairs is None:
        out[items.dim - given :] = beta @ items.pairs
    elif given:
        start, column, value = items.stored_pairs
        csr_total(start, column, value, beta, out[items.dim - given :])
    if own:
        out[:own] = _product_total(items.nodes, weighting)
    for r in range(relations):
        part = out[own + r * (own + 1) :][: own + 1]
        first, second = items.relations[r].T.copy()
        shares = beta[pair_numbers(first, second, items.m)]
        part[-1] = shares.sum()
        start, column, value = items.stored_nodes
        related_total(start, column, value, first, second, shares, part[:-1])
    return out


def _product_total(nodes: Rows, weighting: Weighting) -> Array:
    """The sum of x_i * x_j: from the factor, sum_c (X' V_c)^2 is each pair twice and each item once."""
    V, own = weighting.factor, weighting.own
    if V is None:
        doubled = np.sum(_times(nodes, pair_matrix(weighting.beta, nodes.shape[0]) @ nodes), axis=0)
        left = np.zeros(nodes.shape[0]) if own is None else own
    else:
        doubled = np.sum(np.asarray(V.T @ nodes) ** 2, axis=0)
        left = (0.0 if own is None else own) - 0.5 * np.sum(V**2, axis=1)
    return np.asarray(0.5 * doubled + left @ _times(nodes, nodes)).reshape(-1)


def _times(a: Rows, b: Rows) -> Rows:
    return a.multiply(b).tocsr() if is_sparse(a) else a * b
