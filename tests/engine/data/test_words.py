"""Sparse sentences: small, binary, informative."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from explorer.engine.contracts import Dataset
from explorer.engine.data import words
from explorer.engine.data.words import sparse_tagging
from explorer.engine.refusals import Refused


def stored_bytes(data: Dataset) -> int:
    return sum(x.data.nbytes + x.indices.nbytes + x.indptr.nbytes for x in data.inputs)


def test_sentences_have_the_asked_size() -> None:
    train, test = sparse_tagging(n=200, n_test=20)
    assert (len(train), len(test)) == (200, 20)
    assert {len(y) for y in train.labels} == set(range(3, 13))
    assert {x.shape[1] for x in train.inputs} == {2000}
    rows = [x.shape[0] for x in train.inputs]
    assert rows == [len(y) for y in train.labels] == [len(s) for s in train.meta["words"]]


def test_rows_are_binary_csr_with_sorted_columns_and_several_features_per_token() -> None:
    for x in sparse_tagging()[0].inputs:
        assert isinstance(x, csr_array)
        assert x.has_canonical_format
        assert set(x.data) == {1.0}
        assert np.diff(x.indptr).min() >= 3
        assert np.diff(x.indptr).max() <= 5


def test_every_token_has_exactly_one_word_column_and_equal_words_share_it() -> None:
    train, _ = sparse_tagging(n=200)
    columns: dict[str, set[int]] = {}
    for x, sentence in zip(train.inputs, train.meta["words"], strict=True):
        for t, word in enumerate(sentence):
            identity = [c for c in x.indices[x.indptr[t] : x.indptr[t + 1]].tolist() if c < 1000]
            assert len(identity) == 1
            columns.setdefault(word, set()).update(identity)
    assert all(len(found) == 1 for found in columns.values())


def test_a_quarter_of_a_million_features_take_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: Any, **__: Any) -> None:
        raise AssertionError("densified")

    for dense in ("toarray", "todense"):
        monkeypatch.setattr(csr_array, dense, never)
    train, _ = sparse_tagging(n=500, n_test=100, vocabulary=125_000, tags=45)
    assert train.inputs[0].shape[1] == 250_000
    assert stored_bytes(train) < 2_000_000


def test_no_two_words_are_spelled_alike() -> None:
    lexicon = words._vocabulary(np.random.default_rng(0), 20_000, 12)
    assert len({words.spelling(lexicon, w) for w in range(20_000)}) == 20_000


def test_words_and_neighbours_tell_tags() -> None:
    train, _ = sparse_tagging(n=800, vocabulary=300)
    tags = Counter(tag for y in train.labels for tag in y.tolist())
    by_word: dict[str, Counter[int]] = {}
    by_tag: dict[int, Counter[int]] = {}
    for y, sentence in zip(train.labels, train.meta["words"], strict=True):
        for word, tag in zip(sentence, y.tolist(), strict=True):
            by_word.setdefault(word, Counter())[tag] += 1
        for a, b in zip(y[:-1].tolist(), y[1:].tolist(), strict=True):
            by_tag.setdefault(a, Counter())[b] += 1
    best = sum(c.most_common(1)[0][1] for c in by_word.values()) / sum(tags.values())
    assert 0.8 < best < 1.0
    after = sum(c.most_common(1)[0][1] for c in by_tag.values()) / sum(c.total() for c in by_tag.values())
    assert after > 1.2 * max(tags.values()) / sum(tags.values())


def test_the_hash_is_the_same_in_every_process() -> None:
    assert words._bucket(1, np.array([-1, 0, 7]), 1000).tolist() == [
        ((v + 1) * 8 + 1) * 0x9E3779B97F4A7C15 % 2**64 // 2**32 % 1000 for v in (-1, 0, 7)
    ]


@pytest.mark.parametrize(
    ("settings", "reason"),
    [({"length": (5, 3)}, "length is"), ({"tags": 0}, "tags is"), ({"tags": 2000}, "tags is")],
)
def test_impossible_settings_are_refused(settings: dict[str, Any], reason: str) -> None:
    with pytest.raises(Refused, match=reason):
        sparse_tagging(**settings)


def test_every_column_of_a_token_is_named_after_the_token_and_its_neighbours() -> None:
    data = sparse_tagging(n=20)[0]
    names, x, words = data.meta["feature_names"], data.inputs[0], data.meta["words"][0]
    assert len(names) == x.shape[1]
    for t, word in enumerate(words):
        told = [names[int(column)] for column in x[[t]].indices]
        assert f"'{word}'" in told
        assert any(name == "no prefix" or f"prefix {word[:2]}" in name or "…" in name for name in told)
        before = f"after '{words[t - 1]}'" if t else "after the edge"
        assert any(before in name or name.endswith("…") for name in told)
