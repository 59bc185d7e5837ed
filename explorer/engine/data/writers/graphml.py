"""Labels at the nodes of a GraphML file (`readers.graphml`): what the attribute's <data> elements say.

A parser tells at which bytes nodes and their data begin and end, and only those bytes are changed: a node
without the attribute is given it, a file that does not declare it a <key>. Cost: one pass of the parser.
"""

import re
from collections.abc import Sequence
from xml.parsers import expat
from xml.sax.saxutils import escape

from explorer.engine.refusals import Refused

TAG = re.compile(rb"""<(?:[^>"']|"[^"]*"|'[^']*')*>""")
Splice = tuple[int, int, bytes]
"""The bytes from here to there become these."""


class _Places:
    """Where things are in a file: for every node the place of its label, or where that could be put."""

    def __init__(self, content: bytes, label: str) -> None:
        self.content, self.label = content, label
        self.key: str | None = None
        self.ids: set[str] = set()
        self.graph = -1
        self.nodes: list[tuple[int, int, str]] = []
        self._inside: tuple[int, int, str] | None = None
        self._data, self._node = -1, -1
        self._parser = expat.ParserCreate(namespace_separator=" ")
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.Parse(content, True)

    def _start(self, tag: str, given: dict[str, str]) -> None:
        name, at = tag.rpartition(" ")[2], self._parser.CurrentByteIndex
        if name == "key":
            self.ids.add(given.get("id", ""))
            if given.get("attr.name") == self.label and given.get("for", "all") in ("node", "all"):
                self.key = given["id"]
        elif name == "graph":
            self.graph = at
        elif name == "node":
            self._inside, self._node = None, at
        elif name == "data" and given.get("key") == self.key and self.key is not None:
            self._data = at

    def _end(self, tag: str) -> None:
        name, at = tag.rpartition(" ")[2], self._parser.CurrentByteIndex
        if name == "data" and self._data >= 0:
            first = self._tag_end(self._data)
            closed = self.content[first - 2 : first] == b"/>"
            self._inside = (first - 2, first, "><") if closed else (first, at, "")
            self._data = -1
        elif name == "node":
            self.nodes.append(self._inside or self._empty(at))

    def _empty(self, at: int) -> tuple[int, int, str]:
        """Where a label goes in a node without one: before its end, or in place of its "/>"."""
        end = self._tag_end(self._node)
        return (end - 2, end, "node") if self.content[end - 2 : end] == b"/>" else (at, at, "data")

    def _tag_end(self, at: int) -> int:
        """The place after the tag that begins here; a quoted value may hold any sign."""
        found = TAG.match(self.content, at)
        assert found is not None  # the parser has read it
        return found.end()


def with_node_labels(content: bytes, label: str, labels: Sequence[str]) -> bytes:
    """The file with these labels of its nodes, in order."""
    places = _Places(content, label)
    if len(places.nodes) != len(labels):
        raise Refused(f"there are {len(places.nodes)} nodes and {len(labels)} labels; give one for each node")
    key = places.key or _new_key(places.ids)
    changes = [_splice(place, key, text) for place, text in zip(places.nodes, labels, strict=True)]
    if places.key is None:
        declared = f'<key id="{key}" for="node" attr.name="{escape(label)}" attr.type="string"/>\n  '
        changes.insert(0, (places.graph, places.graph, declared.encode()))
    return _joined(content, changes)


def _splice(place: tuple[int, int, str], key: str, text: str) -> Splice:
    first, last, around = place
    inner = escape(text)
    if around == "><":
        return first, last, f">{inner}</data>".encode()
    if around:
        element = f'<data key="{key}">{inner}</data>'
        inner = element if around == "data" else f">{element}</node>"
    return first, last, inner.encode()


def _new_key(ids: set[str]) -> str:
    return next(name for name in (f"label{k or ''}" for k in range(len(ids) + 1)) if name not in ids)


def _joined(content: bytes, changes: Sequence[Splice]) -> bytes:
    out, at = [], 0
    for first, last, text in changes:
        out += [content[at:first], text]
        at = last
    return b"".join([*out, content[at:]])


__all__ = ["with_node_labels"]
