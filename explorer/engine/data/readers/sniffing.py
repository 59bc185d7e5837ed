"""What a file holds, told by its beginning: the name of a format, and what gives it away.

    sniff("tags.txt", b"Ada NNP B-PER\\nwrote ...")  ->  Guess("columns", "lines of 3 columns, the last ...")

Nothing is read in full, and nothing is believed of a name that the content denies: a name only decides
between formats that look alike (sequences of SVM^hmm and queries of SVMlight). Cost: one look at the first
lines.
"""

import re
import zlib
from collections.abc import Callable, Iterable
from typing import NamedTuple

from explorer.engine.data.readers.files import PACKED
from explorer.engine.refusals import Refused

BEGINNING = 200_000
"""Bytes that are looked at."""
LINES = 400
BINARY = ("picture", "arrays")
PICTURE = b"\x89PNG\r\n\x1a\n"
OTHER_PICTURES = {
    b"\xff\xd8\xff": "JPEG",
    b"GIF8": "GIF",
    b"BM": "BMP",
    b"II*\x00": "TIFF",
    b"MM\x00*": "TIFF",
}
SPARSE = re.compile(
    r"([-+\d.]+(,[-+\d.]+)*)?(\s+qid:\d+)?(\s*\d+:\S+)+\s*(#.*)?|[-+\d.,]+(\s+qid:\d+)?\s*(#.*)?"
)
TREE_LINE = re.compile(r"\d+([-.]\d+)?\t([^\t]*\t){8}[^\t]*")
KNOWN = (
    "words in columns with a tag (CoNLL), CoNLL-U, SVMlight, SVM^hmm, CSV or TSV, GraphML, an edge list, "
    "NPZ, a table of pairs, or a PNG picture"
)


class Guess(NamedTuple):
    """A format, and what gives it away."""

    format: str
    why: str


def sniff(name: str, content: bytes, named: str = "") -> Guess:
    """What a file of this name and content is, `named` being the format that its name speaks of; refused
    where it is none of our formats. Text that fits no format is left to the reader of the named one, which
    knows the line that is wrong.
    """
    start = unpacked_start(name, content)
    for found in (_binary(name, start), _marked_up(start)):
        if found is not None:
            return found
    lines = _lines(name, start)
    guesses = [guess for look in LOOKS if (guess := look(name, lines))]
    if guesses:
        return next((guess for guess in guesses if guess.format == named), guesses[0])
    if named and named not in BINARY:
        return Guess(named, "its name says so")
    shown = next(line for line in lines if line.strip())[:60]
    raise Refused(f"{name}, begins with {shown!r}, which is none of our formats; give {KNOWN}")


def unpacked_start(name: str, content: bytes) -> bytes:
    """The beginning of the content, of a gzip file that of what is packed."""
    if content[:2] != b"\x1f\x8b":
        return content[:BEGINNING]
    try:
        return zlib.decompressobj(wbits=31).decompress(content[:BEGINNING], BEGINNING)
    except zlib.error as error:
        raise Refused(f"{name} is a damaged gzip file ({error}); copy it again") from error


def _binary(name: str, start: bytes) -> Guess | None:
    if start.startswith(PICTURE):
        return Guess("picture", "it begins as a PNG picture")
    if start.startswith(b"PK\x03\x04") and b".npy" in start[:200]:
        return Guess("arrays", "it is a zip of NumPy arrays")
    for mark, kind in OTHER_PICTURES.items():
        if start.startswith(mark):
            raise Refused(f"{name} is a {kind} picture; save it as PNG, without loss")
    for mark, kind in PACKED.items():
        if start.startswith(mark):
            raise Refused(f"{name} is compressed ({kind}); unpack it first")
    if b"\0" in start:
        raise Refused(f"{name} is no text (byte {start.index(0)} is zero); give {KNOWN}")
    return None


def _marked_up(start: bytes) -> Guess | None:
    head = start[:4000].lstrip(b"\xef\xbb\xbf \r\n\t")
    return Guess("graphml", "it is XML with a graph") if head[:1] == b"<" and b"graphml" in head else None


def _lines(name: str, start: bytes) -> list[str]:
    """The first lines, the empty ones too; a last line that is cut off is left out."""
    text = start.decode("utf-8-sig", errors="replace")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    whole = lines if len(start) < BEGINNING else lines[:-1]
    if not any(line.strip() for line in whole):
        raise Refused(f"{name} holds no line; give {KNOWN}")
    return whole[:LINES]


def _filled(lines: Iterable[str]) -> list[str]:
    return [line for line in lines if line.strip() and not line.startswith("#")]


def _treebank(name: str, lines: list[str]) -> Guess | None:
    filled = _filled(lines)
    if filled and TREE_LINE.fullmatch(filled[0]):
        return Guess("treebank", "lines have ten columns, separated by tabs, and begin with a number")
    return None


def _sparse(name: str, lines: list[str]) -> Guess | None:
    filled = _filled(lines)[:20]
    if not filled or ":" not in "".join(filled) or not all(SPARSE.fullmatch(line.strip()) for line in filled):
        return None
    if all(" qid:" in line for line in filled) and "hmm" in name.lower():
        return Guess("hmm", "lines have a tag, qid:number and index:value pairs, and the name says hmm")
    return Guess("svmlight", "lines have labels and index:value pairs")


def _header(lines: list[str]) -> tuple[str, list[str]]:
    """The separator of cells in the first line, and its cells."""
    first = lines[0]
    mark = max(",;\t", key=first.count)
    cells = [cell.strip(' "') for cell in first.split(mark)]
    return (mark, cells) if mark in first else ("", first.split())


def _pairs(name: str, lines: list[str]) -> Guess | None:
    if _header(lines)[1][:3] == ["set", "first", "second"]:
        return Guess("pair_table", "its first columns are set, first and second")
    return None


def _edges(name: str, lines: list[str]) -> Guess | None:
    """Two names and perhaps numbers on each line; or columns that are called source and target."""
    cells = [cell.lower() for cell in _header(lines)[1][:2]]
    if cells in (["source", "target"], ["from", "to"]):
        return Guess("edge_list", f"its first columns are {' and '.join(cells)}")
    rows = [line.split() for line in _filled(lines)]
    if not all(line.strip() for line in lines[:-1]) or not rows or len({len(row) for row in rows}) > 1:
        return None
    plain = len(rows[0]) >= 2 and all(_is_number(cell) for row in rows for cell in row[2:])
    named = name.lower().endswith((".edges", ".edgelist")) or all(
        c.isdigit() for row in rows for c in row[:2]
    )
    if plain and named:
        return Guess("edge_list", "every line names two nodes")
    return None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _table(name: str, lines: list[str]) -> Guess | None:
    mark, cells = _header(lines)
    filled = [line for line in lines if line.strip()][:30]
    if not mark or len(cells) < 2 or len(filled) < 2:
        return None
    alike = sum(line.count(mark) == lines[0].count(mark) or '"' in line for line in filled)
    words = mark == "\t" and not all(line.strip() for line in lines[:-1])
    if alike > len(filled) // 2 and not words:
        marks = {",": "commas", ";": "semicolons", "\t": "tabs"}
        return Guess("table", f"lines have cells, separated by {marks[mark]}, and the first one names them")
    return None


def _columns(name: str, lines: list[str]) -> Guess | None:
    rows = [line.split() for line in lines if line.strip() and not line.startswith("-DOCSTART-")]
    if rows and len(rows[0]) >= 2 and all(len(row) == len(rows[0]) for row in rows[:10]):
        return Guess("columns", f"lines have {len(rows[0])} columns, and empty lines end sentences")
    return None


LOOKS: tuple[Callable[[str, list[str]], Guess | None], ...] = (
    _treebank,
    _sparse,
    _pairs,
    _edges,
    _table,
    _columns,
)
"""The narrowest first."""


__all__ = ["KNOWN", "Guess", "sniff"]
