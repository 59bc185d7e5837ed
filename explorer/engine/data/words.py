"""Made-up sentences with sparse token features, as many of them as a part-of-speech tagger has.

Tags follow a hidden Markov model: start and rows of the transition matrix are Dirichlet(0.3). Every word of
the vocabulary has a home tag, and words of a tag are drawn with frequency about 1 / rank; one token in ten
takes a word of any tag. A word is prefix + stem + suffix; four in five suffixes are one of three that belong
to the home tag. With V words a token has these binary features out of 2 V:

    column w                      the word itself                                   0 <= w < V
    column V + hash(kind, v)      prefix, suffix, previous word, next word          hashed to V buckets

Cost: a few stored numbers per token; nothing is ever as large as tokens times features.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from explorer.engine.checks import Csr, sequences
from explorer.engine.contracts import Dataset
from explorer.engine.data.hmm import markov_chains
from explorer.engine.knobs import knob, settings
from explorer.engine.refusals import Refused
from explorer.engine.vectors import Array, Ints

PREFIXES = ("", "un", "dis", "pre", "mis", "out", "over", "sub", "inter")
BARE = 4
"""No prefix is 1 + BARE times as likely as each of the others."""

CONSONANTS, VOWELS = "bdfgjklmnprstvwz", "aeiou"
SUFFIXES_PER_TAG = 3
FAITHFUL_SUFFIX = 0.8
STRAY_WORD = 0.1
EDGE = -1
"""The word before the first and after the last."""

NAMED = 2
"""A bucket is named after this many of the features in it."""


class Grammar(NamedTuple):
    """What the tags are called, and how they follow each other."""

    states: tuple[str, ...]
    start: Array
    transitions: Array


class Vocabulary(NamedTuple):
    """For each word its prefix and suffix; `members[k]` are the words whose home is tag k."""

    prefix: Ints
    suffix: Ints
    members: tuple[Ints, ...]

    @property
    def size(self) -> int:
        return len(self.prefix)


def sparse_tagging(
    n: int = 50,
    n_test: int = 20,
    vocabulary: int = 1000,
    tags: int = 5,
    length: tuple[int, int] = (3, 12),
    seed: int = 0,
    grammar: Grammar | None = None,
) -> tuple[Dataset, Dataset]:
    """Train and test sentences (limits of `length` included) as CSR rows; meta "words" spells the tokens.

    Without a grammar of its own, one of this many tags is drawn.
    """
    tags = len(grammar.states) if grammar else tags
    if not 1 <= length[0] <= length[1]:
        raise Refused(f"length is {length}; give the shortest and the longest sentence, at least 1")
    if not 1 <= tags <= vocabulary:
        raise Refused(f"tags is {tags}; choose between 1 and the {vocabulary} words of the vocabulary")
    rng = np.random.default_rng(seed)
    start, transitions = rng.dirichlet(np.full(tags, 0.3)), rng.dirichlet(np.full(tags, 0.3), size=tags)
    start, transitions = (grammar.start, grammar.transitions) if grammar else (start, transitions)
    states = grammar.states if grammar else tuple(f"T{k + 1}" for k in range(tags))
    lexicon = _vocabulary(rng, vocabulary, tags)
    model = {"start": start, "transitions": transitions}
    labels = _tag_sequences(rng, start, transitions, n + n_test, length)
    tokens = [_tokens(rng, lexicon, y) for y in labels]
    return (
        _dataset("sparse tagging", lexicon, tokens[:n], labels[:n], states, model),
        _dataset("sparse tagging (test)", lexicon, tokens[n:], labels[n:], states, model),
    )


def spelling(lexicon: Vocabulary, word: int) -> str:
    """Prefix, a stem that names the word's number in syllables, suffix; different for every word."""
    syllables = [c + v for c in CONSONANTS for v in VOWELS]
    stem, rest = syllables[word % len(syllables)], word // len(syllables)
    while rest:
        stem, rest = stem + syllables[rest % len(syllables)], rest // len(syllables)
    return PREFIXES[lexicon.prefix[word]] + stem + ending(int(lexicon.suffix[word]))


class FeatureNames:
    """What each column stands for, spelled when asked: a large vocabulary has more columns than anybody
    reads.
    """

    def __init__(self, lexicon: Vocabulary) -> None:
        self.lexicon = lexicon

    def __len__(self) -> int:
        return 2 * self.lexicon.size

    def __getitem__(self, column: int) -> str:
        if column < self.lexicon.size:
            return f"'{spelling(self.lexicon, column)}'"
        found = list(self._in_bucket(column - self.lexicon.size))
        more = ["…"] if len(found) > NAMED else []
        return " or ".join(found[:NAMED] + more) or f"bucket {column - self.lexicon.size}"

    def _in_bucket(self, bucket: int) -> Iterator[str]:
        """The features that share a bucket, prefixes and suffixes first."""
        size, words = self.lexicon.size, np.arange(EDGE, self.lexicon.size)
        values = (np.arange(len(PREFIXES)), np.unique(self.lexicon.suffix), words, words)
        for kind, known in enumerate(values):
            for value in known[_bucket(kind, known, size) == bucket]:
                yield self._hashed(kind, int(value))

    def _hashed(self, kind: int, value: int) -> str:
        if kind == 0:
            return f"prefix {PREFIXES[value]}-" if value else "no prefix"
        if kind == 1:
            return f"suffix -{ending(value)}"
        word = f"'{spelling(self.lexicon, value)}'" if value != EDGE else "the edge"
        return f"after {word}" if kind == 2 else f"before {word}"


def ending(suffix: int) -> str:
    """A vowel and a consonant."""
    vowel, consonant = divmod(suffix, len(CONSONANTS))
    return VOWELS[vowel % len(VOWELS)] + CONSONANTS[consonant]


def token_features(lexicon: Vocabulary, words: Ints) -> Csr:
    """One binary CSR row of 2 V columns per token of a sentence."""
    neighbours = np.concatenate([[EDGE], words, [EDGE]])
    hashed = (lexicon.prefix[words], lexicon.suffix[words], neighbours[:-2], neighbours[2:])
    columns = [words, *(lexicon.size + _bucket(kind, v, lexicon.size) for kind, v in enumerate(hashed))]
    indices = np.stack(columns, axis=1).ravel()
    indptr = np.arange(0, indices.size + 1, len(columns))
    rows: Csr = csr_array((np.ones(indices.size), indices, indptr), shape=(len(words), 2 * lexicon.size))
    rows.sum_duplicates()
    rows.data[:] = 1.0  # two features in one bucket still count once
    return rows


def _bucket(kind: int, values: Ints, buckets: int) -> Ints:
    """A fixed multiplicative hash, the same in every process."""
    keys = (values + 1).astype(np.uint64) * np.uint64(8) + np.uint64(kind)
    mixed = (keys * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32)
    return (mixed % np.uint64(buckets)).astype(np.int64)


def _vocabulary(rng: np.random.Generator, size: int, tags: int) -> Vocabulary:
    home = np.arange(size) % tags
    own = home * SUFFIXES_PER_TAG + rng.integers(0, SUFFIXES_PER_TAG, size)
    suffix = np.where(
        rng.uniform(size=size) < FAITHFUL_SUFFIX, own, rng.integers(0, SUFFIXES_PER_TAG * tags, size)
    )
    members = tuple(np.flatnonzero(home == tag) for tag in range(tags))
    return Vocabulary(np.maximum(rng.integers(-BARE, len(PREFIXES), size), 0), suffix, members)


def _tag_sequences(
    rng: np.random.Generator, start: Array, transitions: Array, n: int, length: tuple[int, int]
) -> list[Ints]:
    chains = markov_chains(rng, start, transitions, n, length[1])
    sizes = rng.integers(length[0], length[1] + 1, n)
    return [chain[:size] for chain, size in zip(chains, sizes, strict=True)]


def _tokens(rng: np.random.Generator, lexicon: Vocabulary, tags: Ints) -> Ints:
    """A word for each tag: rank r of m words comes up with probability log(1 + 1/r) / log(m + 1)."""
    stray = rng.integers(0, len(lexicon.members), len(tags))
    source = np.where(rng.uniform(size=len(tags)) < STRAY_WORD, stray, tags)
    sizes = np.array([len(words) for words in lexicon.members])[source]
    rank = np.floor((sizes + 1.0) ** rng.uniform(size=len(tags))).astype(np.int64) - 1
    return np.array(
        [lexicon.members[k][min(r, len(lexicon.members[k]) - 1)] for k, r in zip(source, rank, strict=True)]
    )


def _dataset(
    name: str,
    lexicon: Vocabulary,
    tokens: list[Ints],
    labels: list[Ints],
    states: tuple[str, ...],
    model: dict[str, Array],
) -> Dataset:
    inputs = tuple(token_features(lexicon, words) for words in tokens)
    spelled = tuple(tuple(spelling(lexicon, int(word)) for word in words) for words in tokens)
    meta = {"words": spelled, "feature_names": FeatureNames(lexicon)} | model
    return sequences(name, inputs, tuple(labels), states, **meta)


@settings
class Tagging:
    """Sentences with sparse word features, tagged by a hidden grammar."""

    n: int = knob(100, "Training sentences.", low=2, high=20_000)
    n_test: int = knob(50, "Test sentences.", low=1, high=5000)
    vocabulary: int = knob(1000, "Different words.", low=10, high=200_000)
    tags: int = knob(5, "Different tags.", low=2, high=50)
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    def make(self) -> tuple[Dataset, Dataset | None]:
        """Training and test sentences."""
        return sparse_tagging(self.n, self.n_test, self.vocabulary, self.tags, seed=self.seed)
