"""Features of words for taggers: a record says which, a call makes a list of feature dicts of a sentence.

    TextFeatures(prefixes=3, window=1)(["Ana", "ríe"])   ->   [{"word": "Ana", "lower": "ana", ...}, {...}]

Own features (of the word itself: word, lower case, prefixes, suffixes, shape, flags) are made once for every
different
word and kept. Those of neighbours are named by their distance, as in "-1:lower". With `buckets` every
feature is
hash_features (CRC-32) to one of so many columns: a fixed size, whatever the vocabulary. Cost: one dict for
each
token.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from zlib import crc32

from explorer.engine.refusals import Refused

Features = dict[str, Any]
EDGE = "<edge>"
"""What stands before the first and after the last word."""


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


@dataclass(frozen=True, eq=False)
class TextFeatures:
    """Which features a word has. A sentence is a list of words, or of (word, tag) pairs; `more` adds your
    own from
    (words, position).
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
    _known: dict[str, Features] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("prefixes", "suffixes", "window", "window_shape", "buckets"):
            value = getattr(self, name)
            if type(value) is not int or value < 0:
                raise Refused(f"{name} is {value!r}; give a whole number, 0 or more")

    def __call__(self, sentence: Sequence[Any]) -> list[Features]:
        """The features of every word of a sentence."""
        words, tags = split_sentence(sentence)
        rows = [dict(self._own(word)) for word in words]
        for t, row in enumerate(rows):
            self._add_neighbours(row, words, t)
            if tags:
                row["tag"] = tags[t]
                row |= {f"{d:+d}:tag": tags[t + d] if 0 <= t + d < len(tags) else EDGE for d in (-1, 1)}
            if self.more is not None:
                row |= self.more(words, t)
        return [hash_features(row, self.buckets) for row in rows] if self.buckets else rows

    def corpus(self, sentences: Sequence[Sequence[Any]]) -> list[list[Features]]:
        """The features of many sentences."""
        return [self(sentence) for sentence in sentences]

    def _own(self, word: str) -> Features:
        """What a word has wherever it stands; made once for every word."""
        found = self._known.get(word)
        if found is None:
            found = {"constant": True} if self.constant else {}
            found |= {"word": word} if self.word else {}
            found |= {"lower": word.lower()} if self.lower else {}
            found |= affixes(word, self.prefixes, self.suffixes)
            found |= {"shape": shape(word)} if self.shape else {}
            found |= flags(word) if self.flags else {}
            self._known[word] = found
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
