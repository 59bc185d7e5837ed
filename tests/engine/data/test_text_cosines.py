"""Cosines of texts, by scikit-learn's counts and by hand."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.feature_extraction.text import CountVectorizer

from explorer.engine.data.text_cosines import cosines, grams, stem, stems_of, tfidf, tfidf_rows


@pytest.mark.parametrize(
    ("word", "cut"),
    [
        ("walks", "walk"),
        ("walking", "walk"),
        ("walked", "walk"),
        ("walker", "walk"),
        ("walk", "walk"),
        ("sing", "sing"),
    ],
)
def test_endings_are_cut_where_three_letters_stay(word: str, cut: str) -> None:
    assert stem(word) == cut


def test_words_of_one_stem_share_its_number() -> None:
    assert stems_of(["walks", "talk", "walking", "talked"]).tolist() == [0, 1, 0, 1]


def test_runs_of_words_are_numbered_apart_and_end_with_their_text() -> None:
    texts = [np.array([1, 2, 3]), np.array([4]), np.zeros(0, dtype=np.int64), np.array([5, 6])]
    for order, wanted in (
        (1, ([0, 0, 0, 1, 3, 3], [1, 2, 3, 4, 5, 6])),
        (2, ([0, 0, 3], [12, 23, 56])),
        (3, ([0], [123])),
    ):
        text, run = grams(texts, order, 10)
        assert (text.tolist(), run.tolist()) == wanted
    assert len(grams([np.array([1, 2])], 3, 10)[1]) == 0


@pytest.mark.parametrize("order", [1, 2, 3])
def test_cosines_are_those_of_counts_times_log_of_rarity(order: int) -> None:
    rng = np.random.default_rng(0)
    texts = [rng.integers(6, size=size) for size in (20, 15, 30, 12, 8)]
    spoken = [" ".join("abcdef"[w] for w in text) for text in texts]
    counts = (
        CountVectorizer(ngram_range=(order, order), token_pattern="[a-f]").fit_transform(spoken).toarray()
    )
    rows = counts * np.log(5 / np.maximum((counts > 0).sum(axis=0), 1))
    length = np.linalg.norm(rows, axis=1)
    i, j = np.triu_indices(5, 1)
    wanted = np.sum(rows[i] * rows[j], axis=1) / np.maximum(length[i] * length[j], 1e-300)
    assert cosines(texts, order, 6) == pytest.approx(wanted, abs=1e-12)


def test_a_text_without_words_is_like_none() -> None:
    empty = np.zeros(0, dtype=np.int64)
    shared, own = np.log(3 / 2), np.log(3)
    found = cosines([np.array([1, 2]), empty, np.array([1, 3])], 1, 5)
    assert found == pytest.approx([0.0, shared**2 / (shared**2 + own**2), 0.0])
    assert cosines([empty, empty], 2, 5).tolist() == [0.0]
    assert tfidf([empty, empty], 1, 5).nnz == 0


def test_rows_have_length_one_and_words_of_every_text_count_nothing() -> None:
    rows = tfidf_rows(csr_array(np.array([[1.0, 2.0, 0.0], [1.0, 0.0, 3.0], [1.0, 0.0, 0.0]])))
    assert rows.toarray() == pytest.approx(np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]))
