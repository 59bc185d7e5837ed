"""Features of words for taggers: a record says which, a call makes a list of feature dicts of a sentence.

    TextFeatures(prefixes=3, window=1)(["Ana", "ríe"])   ->   [{"word": "Ana", "lower": "ana", ...}, {...}]

Own features (of the word itself: word, lower case, prefixes, suffixes, shape, flags) are made once for every
different word and kept, up to some thousands of them. Those of neighbours are named by their distance, as in
"-1:lower". With `buckets` every feature is hashed (CRC-32) to one of so many columns: a fixed size, whatever
the vocabulary. Cost: one dict for each token.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self
from zlib import crc32

from sklearn.base import BaseEstimator, TransformerMixin

from explorer.engine.refusals import Refused

Features = dict[str, Any]
EDGE = "<edge>"
"""What stands before the first and after the last word."""

MOST_KNOWN = 10_000
"""Different words whose own features are kept."""

NOTHING_KNOWN: tuple[tuple[Any, ...], dict[str, Features]] = ((), {})

KINDS: dict[str, type] = dict.fromkeys(("word", "lower", "shape", "flags", "constant"), bool) | dict.fromkeys(
    ("prefixes", "suffixes", "window", "window_shape", "buckets"), int
)
"""The settings that are numbers or switches, as a model file can hold them."""


def shape(word: str) -> str:
    """Capitals as X, other letters as x, digits as 9, runs shortened to two: "Ab-2002" is "Xx-99"."""
    marks = "".join("X" if c.isupper() else "x" if c.isalpha() else "9" if c.isdigit() else c for c in word)
    return re.sub(r"(.)\1\1+", r"\1\1", marks)


def affixes(word: str, prefixes: int, suffixes: int) -> Features:
    """The first and last letters of a word in lower case, up to these numbers."""
    lower, size = word.lower(), len(word)
    found = {f"prefix{k}": lower[:k] for k in range(1, min(prefixes, size) + 1)}
    return found | {f"suffix{k}": lower[-k:] for k in range(1, min(suffixes, size) + 1)}


def flags(word: str) -> Features:
    """Whether a word has a capital, only capitals, a digit or a hyphen; only what holds is named."""
    capital = word != word.lower()
    held = {
        "capital": capital,
        "capitals": capital and word == word.upper(),
        "digit": any(c.isdigit() for c in word),
        "hyphen": "-" in word,
    }
    return {name: True for name, holds in held.items() if holds}


def hash_features(features: Mapping[str, Any], buckets: int) -> Features:
    """The same features under at most this many names."""
    found: Features = {}
    for name, value in features.items():
        text = f"{name}={value}" if isinstance(value, str) else name
        bucket = f"h{crc32(text.encode()) % buckets}"
        found[bucket] = found.get(bucket, 0.0) + (1.0 if isinstance(value, str) else float(value))
    return found


@dataclass(eq=False, repr=False, kw_only=True)
class TextFeatures(TransformerMixin, BaseEstimator):
    """Which features a word has. A sentence is a list of words, or of (word, tag) pairs.

    Call it with a sentence, give it to a tagger as `SequenceTagger(features=TextFeatures())`, or put it first
    in a pipeline: there its input is a list of sentences.

    Parameters
    ----------
    word, lower : the word as it is written, and in lower case.
    prefixes, suffixes : its first and last letters, up to so many.
    shape, flags : its shape (Xx-99), and whether it has a capital, only capitals, a digit or a hyphen.
    constant : a feature that every word has.
    window, window_shape : words and shapes of neighbours, up to this distance.
    buckets : hash all features into this many columns; 0: every feature has a column of its own.
    more : a function of (words, position) that returns further features.
    """

    word: bool = True
    lower: bool = True
    prefixes: int = 4
    suffixes: int = 4
    shape: bool = True
    flags: bool = True
    constant: bool = True
    window: int = 2
    window_shape: int = 1
    buckets: int = 0
    more: Callable[[Sequence[str], int], Mapping[str, Any]] | None = None

    def __post_init__(self) -> None:
        for name, kind in KINDS.items():
            value = getattr(self, name)
            if type(value) is not kind or value < 0:  # type: ignore[operator]  # an int or a bool
                fix = "a whole number, 0 or more" if kind is int else "True or False"
                raise Refused(f"{name} is {value!r}; give {fix}")

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def fit(self, X: Any, y: Any = None) -> Self:
        """Nothing is learned from sentences."""
        return self

    def transform(self, X: Sequence[Sequence[Any]]) -> list[list[Features]]:
        """The features of many sentences."""
        return [self(sentence) for sentence in X]

    corpus = transform

    def __call__(self, sentence: Sequence[Any]) -> list[Features]:
        """The features of every word of a sentence."""
        words, tags = split_sentence(sentence)
        known = self._known_words()
        rows = [dict(known.get(word) or self._own(word, known)) for word in words]
        for t, row in enumerate(rows):
            self._add_neighbours(row, words, t)
            if tags:
                row["tag"] = tags[t]
                row |= {f"{d:+d}:tag": tags[t + d] if 0 <= t + d < len(tags) else EDGE for d in (-1, 1)}
            if self.more is not None:
                row |= self.more(words, t)
        return [hash_features(row, self.buckets) for row in rows] if self.buckets else rows

    def _known_words(self) -> dict[str, Features]:
        """What was made of words so far with these settings; few enough of them to cost little memory."""
        settings = tuple(getattr(self, name) for name in KINDS)
        made_with, found = getattr(self, "_known", NOTHING_KNOWN)
        if made_with != settings or len(found) > MOST_KNOWN:
            found = {}
            self._known: tuple[tuple[Any, ...], dict[str, Features]] = (settings, found)
        return found

    def __getstate__(self) -> Any:
        return {name: value for name, value in vars(self).items() if name != "_known"}

    def _own(self, word: str, known: dict[str, Features]) -> Features:
        """What a word has wherever it stands; made once for every word."""
        found: Features = {"constant": True} if self.constant else {}
        found |= {"word": word} if self.word else {}
        found |= {"lower": word.lower()} if self.lower else {}
        found |= affixes(word, self.prefixes, self.suffixes)
        found |= {"shape": shape(word)} if self.shape else {}
        found |= flags(word) if self.flags else {}
        known[word] = found
        return found

    def _add_neighbours(self, row: Features, words: Sequence[str], t: int) -> None:
        for d in range(1, self.window + 1):
            row[f"-{d}:lower"] = words[t - d].lower() if t >= d else EDGE
            row[f"+{d}:lower"] = words[t + d].lower() if t + d < len(words) else EDGE
        for d in range(1, self.window_shape + 1):
            row[f"-{d}:shape"] = shape(words[t - d]) if t >= d else EDGE
            row[f"+{d}:shape"] = shape(words[t + d]) if t + d < len(words) else EDGE


def split_sentence(sentence: Sequence[Any]) -> tuple[list[str], list[str]]:
    """The words of a sentence, and their tags where it has some."""
    if isinstance(sentence, str):
        raise Refused(
            f"the sentence {sentence[:40]!r} is one text; give a list of words, as sentence.split() makes"
        )
    if all(isinstance(token, str) for token in sentence):
        return list(sentence), []
    try:
        words, tags = zip(*sentence, strict=True)
    except (TypeError, ValueError):
        raise Refused("a sentence is no list of words, nor of (word, tag) pairs; give one") from None
    return list(words), list(tags)


__all__ = ["TextFeatures", "affixes", "flags", "hash_features", "shape"]
