"""Item sets: similarities and feature sums equal loops over pairs; what is wrong is refused with its
place.
"""

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from explorer.engine.refusals import Refused
from explorer.engine.structures.clusterings.item_sets import (
    ItemSet,
    Weighting,
    groups_of,
    item_set,
    pair_rows,
    similarity,
    total,
)
from explorer.engine.structures.clusterings.partitions import indicator, pair_count, together

LINKS = [(0, 1), (3, 2), (4, 1)]


def made(
    m: int = 6, sparse: bool = False, nodes: bool = True, pairs: bool = True, relation: bool = True
) -> ItemSet:
    rng = np.random.default_rng(m)
    kept: Any = csr_array if sparse else np.asarray
    own = kept(rng.normal(size=(m, 4)) * (rng.random((m, 4)) < 0.7)) if nodes else None
    both = kept(rng.normal(size=(pair_count(m), 3))) if pairs else None
    return item_set(m, own, [LINKS] if relation else [], both)


def by_hand(x: ItemSet, i: int, j: int) -> Any:
    """psi_ij, from its definition; items themselves have neither relations nor pair features."""
    full = [
        None if rows is None else np.asarray(rows.todense() if hasattr(rows, "todense") else rows)
        for rows in (x.nodes, x.pairs)
    ]
    product = np.zeros(0) if full[0] is None else full[0][i] * full[0][j]
    parts = [product]
    for relation in x.relations:
        holds = float((min(i, j), max(i, j)) in {tuple(pair) for pair in relation.tolist()})
        parts.append(holds * np.append(product, 1.0))
    if full[1] is not None:
        listed = [(a, b) for a in range(x.m) for b in range(a + 1, x.m)]
        parts.append(np.zeros(full[1].shape[1]) if i == j else full[1][listed.index((min(i, j), max(i, j)))])
    return np.concatenate(parts)


KINDS = [
    {"sparse": sparse, "nodes": nodes, "pairs": pairs, "relation": relation}
    for sparse in (False, True)
    for nodes, pairs, relation in (
        (True, True, True),
        (True, False, False),
        (False, True, False),
        (False, True, True),
    )
]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_the_similarity_is_w_times_the_features_of_each_pair(kind: dict[str, bool]) -> None:
    x = made(**kind)
    w = np.random.default_rng(1).normal(size=x.dim)
    expected = [[w @ by_hand(x, i, j) for j in range(x.m)] for i in range(x.m)]
    assert np.allclose(similarity(x, w), expected)


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.spec("C44")
def test_rows_of_all_pairs_are_their_features_and_sparse_where_something_is(kind: dict[str, bool]) -> None:
    x = made(**kind)
    rows = pair_rows(x)
    assert hasattr(rows, "indptr") == (kind["sparse"] or kind["relation"])
    expected = [by_hand(x, i, j) for i in range(x.m) for j in range(i + 1, x.m)]
    assert np.allclose(rows.toarray() if hasattr(rows, "indptr") else rows, expected)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_totals_are_weighted_sums_over_pairs(kind: dict[str, bool]) -> None:
    x = made(**kind)
    rng = np.random.default_rng(2)
    beta, own = rng.normal(size=pair_count(x.m)), rng.normal(size=x.m)
    pairs = [(i, j) for i in range(x.m) for j in range(i + 1, x.m)]
    expected = sum(b * by_hand(x, i, j) for b, (i, j) in zip(beta, pairs, strict=True))
    assert np.allclose(total(x, Weighting(beta)), expected)
    with_items = expected + sum(own[i] * by_hand(x, i, i) for i in range(x.m))
    assert np.allclose(total(x, Weighting(beta, own)), with_items)


@pytest.mark.parametrize("sparse", [False, True])
def test_a_factor_gives_the_same_total_as_its_pairs(sparse: bool) -> None:
    x, labels = made(sparse=sparse), np.array([0, 1, 0, 2, 1, 0])
    together_only = Weighting(together(labels))
    assert np.allclose(
        total(x, together_only._replace(factor=(indicator(labels) > 0).astype(float))),
        total(x, together_only),
    )


def test_two_cores_fill_a_large_matrix_like_one(monkeypatch: pytest.MonkeyPatch) -> None:
    m = 220
    x = item_set(m, pairs=csr_array(np.random.default_rng(0).normal(size=(pair_count(m), 2))))
    w = np.array([1.0, -2.0])
    found = similarity(x, w)
    monkeypatch.setenv("EXPLORER_THREADS", "1")
    assert np.array_equal(found, similarity(x, w))


@pytest.mark.spec("C44")
def test_features_of_items_relations_and_pairs_lie_behind_each_other() -> None:
    x = made()
    assert x.widths == (4, 1, 3)
    assert x.dim == 4 + 5 + 3
    assert groups_of(x) == {"items": slice(0, 4), "relation 1": slice(4, 9), "pairs": slice(9, 12)}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"m": 0, "pairs": np.zeros((0, 1))}, "has no items"),
        ({"m": 3}, "has no features"),
        ({"m": 3, "pairs": np.zeros((2, 1))}, "have 2 rows; give 3, one for each pair i < j"),
        ({"m": 2, "nodes": [[1.0], [np.nan]]}, "features of the items, row 1, hold nan"),
        ({"m": 3, "pairs": csr_array([[0.0], [0.0], [np.inf]])}, "features of the pairs, row 2, hold inf"),
        ({"m": 2, "nodes": [["a"], ["b"]]}, "give rows of numbers"),
        ({"m": 2, "nodes": [[1.0], [2.0]], "names": ["a"]}, "2 items but 1 names"),
        ({"m": 2, "nodes": [[1.0], [2.0]], "groups": 3}, "cannot have 3 clusters; ask for 1 to 2"),
        ({"m": 2, "nodes": [[1.0], [2.0]], "relations": [[(0, 2)]]}, "relation 0, pair 0, names item 2"),
    ],
)
def test_what_is_wrong_is_refused_with_its_place(given: dict[str, Any], said: str) -> None:
    with pytest.raises(Refused, match=said):
        item_set(**given)
