"""Treebanks: four hand-made German sentences, and files in the columns of CoNLL-X and CoNLL-U.

Ten columns separated by tabs: number, word, lemma, coarse tag, fine tag, features, head, relation, and two
more that are not used; an empty line ends a sentence. Lines that begin with # are comments. Multiword tokens
(3-4) and empty nodes (5.1) are left out, as no head points to them. Files may be compressed (gzip). An
underscore stands for nothing: then the word in lower case is the lemma, and the coarse tag the fine one.
Cost: linear in the file.
"""

import gzip
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from explorer.engine.contracts import Dataset
from explorer.engine.data.readers.files import read_bytes
from explorer.engine.knobs import settings
from explorer.engine.refusals import Refused
from explorer.engine.structures.trees.sentences import Sentence, sentence, treebank

MOST_BYTES = 200_000_000
COLUMNS = 10
HEAD = 6
"""The column of the head, from 0."""
WANTED = "a treebank in CoNLL-X or CoNLL-U columns"

MICRO = (
    "Der/der/D/2 Hund/Hund/N/3 bellt/bellen/V/0",
    "Katzen/Katze/N/2 jagen/jagen/V/0 Hunde/Hund/N/2",
    "Sie/sie/P/2 sieht/sehen/V/0 den/der/D/4 Mann/Mann/N/2",
    "Heute/heute/A/2 schläft/schlafen/V/0 der/der/D/4 Hund/Hund/N/2",
)
"""word/lemma/tag/head."""


class Token(NamedTuple):
    """What is read of one line."""

    word: str
    lemma: str
    tag: str
    fine: str
    head: int


def micro_treebank() -> Dataset:
    """Four sentences of three or four words, with 16 + 16 + 125 + 125 trees."""
    rows = [[part.split("/") for part in text.split()] for text in MICRO]
    made = [[Token(word, lemma, tag, tag, int(head)) for word, lemma, tag, head in row] for row in rows]
    return _joined("micro-treebank", made)


def read_treebank(path: str | Path, longest: int = 0) -> Dataset:
    """The sentences of one file, up to a length where one is given; what does not fit is refused with its
    line.
    """
    kept = [tokens for tokens in read_tokens(Path(path)) if not longest or len(tokens) <= longest]
    if not kept:
        short = f" of at most {longest} words" if longest else ""
        raise Refused(f"{path} holds no sentence{short}; give {WANTED}, or allow longer sentences")
    try:
        return _joined(Path(path).name, kept)
    except Refused as refusal:
        raise Refused(f"{path}: {refusal}") from None


def read_parsed(path: str | Path) -> tuple[list[Sentence], list[list[int]] | None]:
    """The sentences of one file and their heads; None where the file says _ for one of them."""
    rows = list(read_tokens(Path(path), unknown=True))
    if not rows:
        raise Refused(f"{path} holds no sentence; give {WANTED}")
    heads = [[token.head for token in tokens] for tokens in rows]
    known = all(head >= 0 for row in heads for head in row)
    return [_sentence(tokens) for tokens in rows], heads if known else None


def _joined(name: str, rows: Sequence[Sequence[Token]]) -> Dataset:
    inputs = [_sentence(tokens) for tokens in rows]
    return treebank(name, inputs, [[token.head for token in tokens] for tokens in rows])


def _sentence(tokens: Sequence[Token]) -> Sentence:
    words, lemmas, tags, fine, _ = zip(*tokens, strict=True)
    return sentence(words, tags, lemmas, fine)


def read_tokens(path: Path, unknown: bool = False) -> Iterator[list[Token]]:
    """The tokens of every sentence; with `unknown` a head may be _, which is read as -1."""
    tokens: list[Token] = []
    first = 0
    for number, line in enumerate([*treebank_text(path).splitlines(), ""], start=1):
        if line.startswith("#"):
            continue
        if line.strip():
            first = first or number
            found = _token(line, len(tokens) + 1, f"{path}, line {number}", unknown)
            tokens += [] if found is None else [found]
        elif tokens:
            _check_heads(tokens, f"{path}, sentence at line {first}")
            yield tokens
            tokens, first = [], 0


def is_word(columns: Sequence[str]) -> bool:
    """Whether a line with these columns is one of a token with a head: no multiword token, no empty node."""
    return len(columns) == COLUMNS and not ("-" in columns[0] or "." in columns[0])


def _token(line: str, wanted: int, place: str, unknown: bool) -> Token | None:
    columns = line.split("\t")
    if len(columns) != COLUMNS:
        raise Refused(f"{place} has {len(columns)} columns; give {COLUMNS}, separated by tabs")
    number, word, lemma, tag, fine, _, head = columns[:7]
    if not is_word(columns):
        return None
    head = "-1" if unknown and head == "_" else head
    if number != str(wanted):
        raise Refused(
            f"{place} has the number {number!r}; tokens are counted from 1, and {wanted} comes next"
        )
    if not (head.isascii() and head.removeprefix("-" if unknown else "").isdigit()):
        raise Refused(f"{place} has the head {head!r}; give the number of a token, or 0 for the root")
    return Token(
        word,
        word.lower() if lemma == "_" and word != "_" else lemma,
        tag,
        tag if fine == "_" else fine,
        int(head),
    )


def _check_heads(tokens: Sequence[Token], place: str) -> None:
    for at, token in enumerate(tokens, start=1):
        if token.head > len(tokens):
            raise Refused(f"{place}: token {at} has the head {token.head} of {len(tokens)} tokens; mend it")


def treebank_text(path: Path) -> str:
    """The whole file as text."""
    found = read_bytes(path, MOST_BYTES, WANTED)
    if found[:2] == b"\x1f\x8b":
        try:
            found = gzip.decompress(found)
        except (OSError, EOFError) as error:
            raise Refused(f"{path} is a damaged gzip file ({error}); copy it again") from error
    try:
        return found.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Refused(f"{path} is not UTF-8 text (byte {error.start}); save it as UTF-8") from error


@settings
class MicroTrees:
    """Four German sentences of three or four words, small enough to list all their 282 trees."""

    def make(self) -> tuple[Dataset, Dataset | None]:
        """The four sentences; there is nothing to test on."""
        return micro_treebank(), None
