"""Cosines of TFIDF vectors of word sequences: how alike two texts are in their words, word pairs or word
triples.

    tfidf(text, g) = (occurrences of g in the text) log(texts / texts with g),
        g a sequence of 1, 2 or 3 words
    cosine(a, b) = <tfidf(a), tfidf(b)> / (|tfidf(a)| |tfidf(b)|),                 0 if either has nothing

Words are numbers below `vocabulary`, so a sequence of them is one number too. `stem` cuts common English
endings: a plain list of endings, the longest first, where at least three letters stay. Cost: one sparse
product of all texts with each other.
"""

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array

from explorer.engine.vectors import Array, Ints

ENDINGS = ("ations", "ation", "ingly", "ings", "edly", "ing", "ers", "ies", "ed", "er", "es", "ly", "s", "e")


def stem(word: str) -> str:
    """The word without the longest known ending."""
    cut = next((end for end in ENDINGS if word.endswith(end) and len(word) - len(end) >= 3), "")
    return word[: len(word) - len(cut)]


def stems_of(words: Sequence[str]) -> Ints:
    """For each word the number of its stem, numbered by first appearance."""
    at: dict[str, int] = {}
    return np.array([at.setdefault(stem(word), len(at)) for word in words], dtype=np.int64)


def grams(texts: Sequence[Ints], order: int, vocabulary: int) -> tuple[Ints, Ints]:
    """All runs of `order` words that lie within one text: its number, and the run as one number."""
    words = np.concatenate(texts)
    text = np.repeat(np.arange(len(texts)), [len(each) for each in texts])
    count = max(len(words) - order + 1, 0)
    runs = np.zeros(count, dtype=np.int64)
    for k in range(order):
        runs = runs * vocabulary + words[k : k + count]
    within = text[:count] == text[len(text) - count :]
    return text[:count][within], runs[within]


def tfidf(texts: Sequence[Ints], order: int, vocabulary: int) -> csr_array:
    """One row of length 1 for every text, or of zeros where nothing tells it from the others."""
    rows, runs = grams(texts, order, vocabulary)
    _, columns = np.unique(runs, return_inverse=True)
    shape = (len(texts), int(columns.max(initial=0)) + 1)
    return tfidf_rows(csr_array((np.ones(len(rows)), (rows, columns.reshape(-1))), shape=shape))


def tfidf_rows(counts: csr_array) -> csr_array:
    """Counts as TFIDF rows of length 1."""
    counts.sum_duplicates()
    having = np.bincount(counts.indices, minlength=counts.shape[1])
    values = counts.data * np.log(counts.shape[0] / np.maximum(having, 1))[counts.indices]
    rows = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    length = np.sqrt(np.bincount(rows, values**2, minlength=counts.shape[0]))[rows]
    scaled = np.divide(values, length, out=np.zeros_like(values), where=length > 0.0)
    return csr_array((scaled, counts.indices, counts.indptr), shape=counts.shape)


def cosines(texts: Sequence[Ints], order: int, vocabulary: int) -> Array:
    """The cosines of all pairs i < j of texts."""
    rows = tfidf(texts, order, vocabulary)
    return np.asarray((rows @ rows.T).toarray()[np.triu_indices(len(texts), 1)])
