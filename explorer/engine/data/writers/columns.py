"""Tags in columns: the last word of every line of a token, or one more word after it.

The text is that of the reader (`readers.conll`): the same lines hold tokens here and there. Cost: one look at
every line.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from explorer.engine.data.readers.conll import is_token

LAST = re.compile(r"(\S+)(\s*)$")


def with_tags(text: str, sentences: Iterable[Iterable[str]], add: bool) -> str:
    """The text with these tags in place of its last column; with `add` in a column of their own after it."""
    tags = chain.from_iterable(sentences)
    return "\n".join(_tagged(line, tags, add) for line in text.split("\n"))


def _tagged(line: str, tags: Iterator[str], add: bool) -> str:
    found = LAST.search(line) if is_token(line.split()) else None
    if found is None:
        return line
    blank = "\t" if "\t" in line else " "
    kept = line[: found.end(1)] + blank if add else line[: found.start(1)]
    return f"{kept}{next(tags)}{found[2]}"


__all__ = ["with_tags"]
