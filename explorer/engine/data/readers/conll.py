"""Tagged text in columns, as the shared tasks of CoNLL give it, and sparse features of its words.

One token per line, its columns separated by blanks: the word first, its tag last; an empty line ends a
sentence. Files may be compressed (gzip) and are UTF-8 or else Latin-1. Tags are what the last
column says: entities (O, B-TYPE, I-TYPE), chunks, parts of speech. A token has these binary features, each
with its text as its name:

    the word, in lower case, its first and last 1 to 4 letters, its shape (Xxx-9), whether it has a capital,
    only capitals, a digit or a hyphen; words and shapes of its neighbours at distance 1, words at distance 2;
    what the columns in between say of it and of its neighbours; a constant

A record `WordFeatures` chooses among them. Columns of the matrix are the features seen in the training file,
in the order of first sight; others are left out. Tags are those of all files: one that only a test file has
is never predicted, and counts as a mistake.
Cost: some thirty stored numbers per token.
"""

import gzip
import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from explorer.engine.checks import Csr, sequences
from explorer.engine.contracts import Dataset
from explorer.engine.knobs import knob, settings
from explorer.engine.refusals import Refused


class TaggedSentence(NamedTuple):
    """Words, their tags, and for each word what the columns in between say."""

    words: tuple[str, ...]
    tags: tuple[str, ...]
    between: tuple[tuple[str, ...], ...] = ()


@settings
class WordFeatures:
    """Which features a word has, beside itself and a constant."""

    prefixes: int = knob(4, "Its first letters, up to this many.", low=0, high=9)
    suffixes: int = knob(4, "Its last letters, up to this many.", low=0, high=9)
    shapes: bool = knob(True, "Its shape (Xxx-9) and those of its neighbours, capitals, digits, hyphens.")
    window: int = knob(2, "Words up to this distance before and after it.", low=0, high=9)
    columns: bool = knob(True, "What the columns in between say of it and of its neighbours.")
    min_count: int = knob(
        1, "Leave out features that fewer words of the training file have.", low=1, high=999
    )


ALL = WordFeatures()
MOST_TAGS = 1_000
EDGE = "<edge>"
SKIPPED = "-DOCSTART-"


def tagged_text(train: str | Path, *others: str | Path, features: WordFeatures = ALL) -> tuple[Dataset, ...]:
    """The files as data sets with the features and tags of the first one; meta "words" holds the tokens."""
    texts = [read_sentences(path) for path in (train, *others)]
    known = {
        tag: at for at, tag in enumerate(sorted({tag for text in texts for one in text for tag in one.tags}))
    }
    if len(known) > MOST_TAGS:
        raise Refused(
            f"{train} has {len(known):,} tags in its last column; give it one of {MOST_TAGS:,} tags at most"
        )
    columns = _columns(texts[0], features)
    names = tuple(columns)
    return tuple(
        _dataset(Path(path), text, columns, known, names, features)
        for path, text in zip((train, *others), texts, strict=True)
    )


def _columns(text: Iterable[TaggedSentence], features: WordFeatures) -> dict[str, int]:
    """The number of every feature of these sentences that is frequent enough, in the order of first sight."""
    counts: dict[str, int] = {}
    for words, _, between in text:
        for row in token_features(words, between, features):
            for name in row:
                counts[name] = counts.get(name, 0) + 1
    kept = (name for name, count in counts.items() if count >= features.min_count)
    return {name: at for at, name in enumerate(kept)}


def read_sentences(path: str | Path, between: int | None = None) -> list[TaggedSentence]:
    """The sentences of one file; a line that does not fit is refused with its number.

    Where it is known how many columns stand between word and tag, a file may also lack the tags: then those
    of its sentences are empty.
    """
    found: list[TaggedSentence] = []
    rows: list[list[str]] = []
    wide = 0
    for number, line in enumerate([*column_text(Path(path))[0].split("\n"), ""], start=1):
        columns = line.split()
        if is_token(columns):
            wide = wide or len(columns)
            _check(columns, wide, between, f"{path}, line {number}")
            rows.append(columns)
        elif rows:
            found.append(_sentence(rows, wide - 1 if between is None else between + 1))
            rows = []
    if not found:
        raise Refused(f"{path} holds no sentence; give a file with one word and its tag per line")
    return found


def words_alone(path: Path) -> bool:
    """Whether the lines of a file hold a word and nothing else."""
    lines = (line.split() for line in column_text(path)[0].split("\n"))
    return len(next(filter(is_token, lines), ())) == 1


def is_token(columns: Sequence[str]) -> bool:
    """Whether a line with these columns is one of a token."""
    return bool(columns) and columns[0] != SKIPPED


def _sentence(rows: Sequence[Sequence[str]], tag: int) -> TaggedSentence:
    """The sentence of these lines, whose tags are in that column, if they have it."""
    words, tags = tuple(row[0] for row in rows), tuple(row[tag] for row in rows if len(row) > tag)
    return TaggedSentence(words, tags, tuple(tuple(row[1:tag]) for row in rows))


def _check(columns: Sequence[str], wide: int, between: int | None, place: str) -> None:
    if between is not None and len(columns) == wide and len(columns) not in (between + 1, between + 2):
        more = f", what the column{'s' * (between > 1)} after it said in training" if between else ""
        fix = ", or train without what is missing (--features columns=no)" if between else ""
        raise Refused(
            f"{place} has {len(columns)} column{'s' * (len(columns) > 1)}; give the word{more} and, if it is "
            f"known, the tag{fix}"
        )
    if between is None and len(columns) < 2:
        raise Refused(f"{place} has one column, {columns[0]!r}; give the word first and its tag last")
    if len(columns) != wide:
        raise Refused(
            f"{place} has {len(columns)} columns, the lines before it {wide}; give every line the same"
        )


def column_text(path: Path) -> tuple[str, str]:
    """The whole file as text, and its encoding."""
    try:
        stored = path.read_bytes()
    except OSError as error:
        raise Refused(f"{path} cannot be read ({error.strerror}); give a file of columns") from error
    if stored[:2] == b"\x1f\x8b":
        try:
            stored = gzip.decompress(stored)
        except (OSError, EOFError) as error:
            raise Refused(f"{path} is a damaged gzip file ({error}); copy it again") from error
    try:
        return stored.decode("utf-8-sig"), "utf-8"
    except UnicodeDecodeError:
        return stored.decode("latin-1"), "latin-1"


def shape(word: str) -> str:
    """Capitals as X, other letters as x, digits as 9, runs shortened to two: "Ab-2002" is "Xx-99"."""
    marks = "".join("X" if c.isupper() else "x" if c.isalpha() else "9" if c.isdigit() else c for c in word)
    return re.sub(r"(.)\1\1+", r"\1\1", marks)


def token_features(
    words: Sequence[str], between: Sequence[Sequence[str]] = (), features: WordFeatures = ALL
) -> list[list[str]]:
    """The names of the features of every word of a sentence."""
    small = [word.lower() for word in words]
    own = [_own(word, lower, features) for word, lower in zip(words, small, strict=True)]
    edges = [EDGE] * features.window
    around = [*edges, *small, *edges]
    for d in range(1, features.window + 1):
        for t, row in enumerate(own):
            row += [f"-{d}={around[t + features.window - d]}", f"+{d}={around[t + features.window + d]}"]
    if features.shapes:
        shapes = [EDGE, *(shape(word) for word in words), EDGE]
        for t, row in enumerate(own):
            row += [f"-1s={shapes[t]}", f"+1s={shapes[t + 2]}", f"-1s0s={shapes[t]} {shapes[t + 1]}"]
    for number, column in enumerate(zip(*between, strict=True) if features.columns else (), start=1):
        around = [EDGE, *column, EDGE]
        for t, row in enumerate(own):
            row += [f"c{number}={around[t + 1]}", f"-1c{number}={around[t]}", f"+1c{number}={around[t + 2]}"]
    return own


def _own(word: str, lower: str, features: WordFeatures) -> list[str]:
    """The features that a word has wherever it stands."""
    row = ["1", f"w={word}", f"l={lower}", *([f"s={shape(word)}"] if features.shapes else ())]
    for size in range(1, min(max(features.prefixes, features.suffixes), len(lower)) + 1):
        row += [f"p={lower[:size]}"] if size <= features.prefixes else []
        row += [f"f={lower[-size:]}"] if size <= features.suffixes else []
    if not features.shapes:
        return row
    capital = word != lower
    flags = {"capital": capital, "capitals": capital and word == word.upper(), "hyphen": "-" in word}
    flags["digit"] = any(c.isdigit() for c in word)
    return row + [name for name, has in flags.items() if has]


def rows_of(
    sentences: Iterable[TaggedSentence], columns: dict[str, int], features: WordFeatures = ALL
) -> Csr:
    """One binary row per word of all sentences, below each other."""
    found: list[int] = []
    ends = [0]
    for words, _, between in sentences:
        for row in token_features(words, between, features):
            found += sorted(columns[name] for name in row if name in columns)
            ends.append(len(found))
    index = np.array(found, dtype=np.int32)
    whole: Csr = csr_array(
        (np.ones(len(index)), index, np.array(ends, np.int32)), shape=(len(ends) - 1, len(columns))
    )
    return whole


def _dataset(
    path: Path,
    text: list[TaggedSentence],
    columns: dict[str, int],
    known: dict[str, int],
    names: tuple[str, ...],
    features: WordFeatures,
) -> Dataset:
    whole = rows_of(text, columns, features)
    ends = np.cumsum([0, *(len(one.words) for one in text)])
    inputs = [whole[a:b] for a, b in pairwise(ends)]
    labels = [np.array([known[tag] for tag in one.tags], dtype=np.int64) for one in text]
    meta: dict[str, Any] = {"words": tuple(one.words for one in text), "feature_names": names}
    meta["between"] = len(text[0].between[0])
    return sequences(path.name, inputs, labels, tuple(known), **meta)
