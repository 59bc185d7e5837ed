"""Hash functions of edges and the atomic kernel that they make."""

import numpy as np
import pytest

from explorer.engine.data.readers.treebank import micro_treebank
from explorer.engine.data.register import register_treebank
from explorer.engine.refusals import Refused
from explorer.engine.structures.trees.edge_hashes import EdgeHash, bucket, counts, hashes_of, matches, seen_in
from explorer.engine.structures.trees.sentences import sentence


@pytest.mark.spec("F13")
def test_the_kernel_of_two_strings_is_the_number_of_equal_pairs_and_the_product_of_counts() -> None:
    assert matches([ord(c) for c in "aba"], [ord(c) for c in "aac"]) == 4
    rng = np.random.default_rng(0)
    for _ in range(1000):
        a, b = (rng.integers(0, 6, int(rng.integers(0, 9))) for _ in range(2))
        assert matches(a, b) == np.bincount(a, minlength=6) @ np.bincount(b, minlength=6)


@pytest.mark.spec("F13")
def test_its_table_over_trees_is_positive_semidefinite() -> None:
    data, _ = register_treebank(40)
    atoms = seen_in(data.inputs, (EdgeHash(),))
    tables = [atoms.of(x) for x in data.inputs]
    symbols = [hashes_of(t, y) for t, y in zip(tables, data.labels, strict=True)]
    gram = np.array([[matches(a, b) for a in symbols] for b in symbols], dtype=float)
    rows = np.array([counts(t, y, atoms.size) for t, y in zip(tables, data.labels, strict=True)])
    assert np.array_equal(gram, rows @ rows.T)
    values = np.linalg.eigvalsh(gram)
    assert values.min() >= -1e-9 * values.max()


@pytest.mark.spec("F14")
def test_one_bucket_counts_symbols_and_many_buckets_change_nothing() -> None:
    data = micro_treebank()
    plain = seen_in(data.inputs, (EdgeHash("tags", "direction"),))
    for buckets, size in ((1, 1), (plain.size, plain.size), (plain.size + 7, plain.size)):
        hashed = seen_in(data.inputs, plain.hashes, buckets)
        assert hashed.size == size == len(hashed.names)
        for x, y in zip(data.inputs, data.labels, strict=True):
            for z, v in zip(data.inputs, data.labels, strict=True):
                found = matches(hashes_of(hashed.of(x), y), hashes_of(hashed.of(z), v))
                free = matches(hashes_of(plain.of(x), y), hashes_of(plain.of(z), v))
                assert found == (len(y) * len(v) if buckets == 1 else free)


def test_what_an_edge_hash_keeps_of_the_distance() -> None:
    far = {
        kind: [EdgeHash("tags", kind).far(h, d) for h, d in ((1, 3), (9, 2), (0, 12))]
        for kind in ("none", "direction", "bucketed", "exact")
    }
    assert far == {"none": [0, 0, 0], "direction": [1, -1, 1], "bucketed": [2, -6, 11], "exact": [2, -7, 12]}
    assert [bucket(m) for m in (1, 5, 6, 10, 11)] == [1, 5, 6, 6, 11]
    with pytest.raises(Refused, match="layer"):
        EdgeHash("letters")


def test_the_root_is_no_word_and_what_was_never_seen_has_no_number() -> None:
    x = sentence(["root", "barks"], ["N", "V"])
    atoms = seen_in([x], (EdgeHash("words", "none"),))
    table = atoms.of(x)[0]
    assert table[0, 1] != table[1, 1]  # the root's barks is not the word root's
    assert table[1, 0] == table[2, 1] == -1  # no edge to itself
    assert atoms.names == ("root > root", "root > barks", "root > barks", "barks > root")
    assert (atoms.of(sentence(["cats", "barks"], ["N", "V"]))[0] >= 0).sum() == 1
