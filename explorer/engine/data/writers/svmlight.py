"""Labels at the beginning of SVMlight lines (`readers.svmlight`). Cost: one look at every line."""

import re
from collections.abc import Iterable, Sequence

FIRST = re.compile(r"(\s*)(\S+)")


def with_labels(text: str, labels: Iterable[Sequence[int]]) -> str:
    """The text with these labels; an example with neither labels nor pairs is given a pair of value 0, since
    otherwise its line would hold no example.
    """
    left = iter(labels)
    return "\n".join(_line(line, left) for line in text.split("\n"))


def _line(line: str, labels: Iterable[Sequence[int]]) -> str:
    body, mark, remark = line.partition("#")
    found = FIRST.match(body)
    if found is None or not body.strip():
        return line
    own = ",".join(map(str, next(iter(labels))))
    bare = ":" in found[2]
    rest = body[found.start(2) if bare else found.end(2) :]
    if not own:
        rest = rest.lstrip() if rest.strip() else f"1:0{rest}"
    return f"{found[1]}{own}{' ' if bare and own else ''}{rest}{mark}{remark}"


__all__ = ["with_labels"]
