"""Labelled graphs from GraphML files: one attribute of the nodes is the label, numeric ones are the features.

    <node id="n0"> <data key="label">red</data> <data key="size">2.5</data> </node>
        <edge source="n0" target="n1"/>

One graph per file; several files, or a folder of them, make several examples. Labels are text or whole
numbers and become states in sorted order; features are the other attributes that the file declares for nodes
and for edges, in its order, unless they are named. An edge without any has the feature 1. A
value that a node lacks is the default that the file declares. Brandes et al. 2002; nested graphs, hyperedges
and ports are refused.

The files come from outside: their size is bounded, and document types and entities, with which XML can unpack
to any size or name other files, are refused where they begin. Cost: linear in the size of the files.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from explorer.engine.contracts import Dataset
from explorer.engine.data.readers.files import text_of
from explorer.engine.refusals import Refused
from explorer.engine.structures.fields.graphs import Graph, graph, graphs

MOST_BYTES = 20_000_000
MOST_FILES = 10_000
NUMBERS = ("int", "long", "float", "double", "boolean")
TRUTHS = {"true": 1.0, "false": 0.0, "1": 1.0, "0": 0.0}
WHOLE = re.compile("[+-]?[0-9]{1,18}")
STRANGE = ("hyperedge", "port")


class _Undeclared(ElementTree.TreeBuilder):
    """Builds a tree, but stops at a document type, before any entity could be declared."""

    def doctype(self, *_: object) -> None:
        raise Refused("declares a document type, which a graph does not need; remove the declaration")


@dataclass(frozen=True, slots=True)
class GraphKey:
    """An attribute as the file declares it."""

    name: str
    kind: str
    default: str | None


@dataclass(frozen=True, slots=True)
class Source:
    """One file: the identities of its nodes in order, what they carry, and the edges with what they carry."""

    where: str
    nodes: dict[str, dict[str, str]]
    edges: list[tuple[str, str, dict[str, str]]]
    keys: dict[str, dict[str, GraphKey]]


def read_graphml(
    *paths: str | Path,
    label: str = "label",
    features: Sequence[str] | None = None,
    edge_features: Sequence[str] | None = None,
) -> Dataset:
    """The graphs of these files and folders."""
    title = Path(paths[0]).stem if len(paths) == 1 else f"{len(paths)} graphs"
    return graph_data({title: read_sources(*paths)}, label, features, edge_features)[0]


def graph_data(
    parts: Mapping[str, Sequence[Source]],
    label: str = "label",
    features: Sequence[str] | None = None,
    edge_features: Sequence[str] | None = None,
) -> list[Dataset]:
    """A data set for each part, by its title; all have the features of the first and the states of all."""
    first = next(iter(parts.values()))[0]
    wanted = attribute_names(first, "node", label) if features is None else tuple(features)
    marks = attribute_names(first, "edge") if edge_features is None else tuple(edge_features)
    if not wanted:
        raise Refused(
            f"{first.where} declares no attribute of nodes besides {label!r}; give the nodes numbers as "
            "features"
        )
    named = {title: [_labels(one, label) for one in part] for title, part in parts.items()}
    states = _states([labels for part in named.values() for labels in part])
    at = {state: k for k, state in enumerate(states)}
    meta = {"feature_names": wanted, "edge_feature_names": marks}
    return [
        graphs(
            title,
            graph_inputs(part, wanted, marks),
            [[at[text] for text in labels] for labels in named[title]],
            states,
            files=tuple(source.where for source in part),
            **meta,
        )
        for title, part in parts.items()
    ]


def read_sources(*paths: str | Path) -> list[Source]:
    """The graphs of these files and folders, as text."""
    return [read_source(path) for path in graph_files(paths)]


def graph_inputs(
    sources: Sequence[Source], features: Sequence[str], edge_features: Sequence[str]
) -> list[Graph]:
    """The graphs with these attributes of nodes and edges as features."""
    return [_graph(source, features, edge_features) for source in sources]


def node_labels(source: Source, label: str) -> list[str] | None:
    """The label of every node in order; None where one has none."""
    found = [data.get(label, "") for data in source.nodes.values()]
    return found if all(found) else None


def graph_files(paths: Sequence[str | Path]) -> list[Path]:
    """All files, those of a folder in the order of their names."""
    found: list[Path] = []
    for path in map(Path, paths):
        inside = sorted(path.glob("*.graphml")) if path.is_dir() else [path]
        if not inside:
            raise Refused(f"{path} holds no file *.graphml; put the graphs there, or name a file")
        found += inside
    if not 1 <= len(found) <= MOST_FILES:
        raise Refused(f"there are {len(found)} files; give 1 to {MOST_FILES:,}")
    return found


def read_source(path: str | Path) -> Source:
    """The one graph of a file, as text."""
    where = str(path)
    text = text_of(path, MOST_BYTES, "a GraphML file")
    try:
        root = ElementTree.fromstring(text, ElementTree.XMLParser(target=_Undeclared()))
    except (ElementTree.ParseError, ValueError) as error:
        if isinstance(error, Refused):
            raise Refused(f"{where} {error}") from None
        raise Refused(f"{where} is no well-formed XML ({error}); save it again as GraphML") from error
    drawn = [part for part in root.iter() if _tag(part) == "graph"]
    strange = next((_tag(part) for part in root.iter() if _tag(part) in STRANGE), None)
    if len(drawn) != 1 or strange:
        held = f"a {strange}" if strange else f"{len(drawn)} graphs"
        raise Refused(f"{where} holds {held}; give one plain graph of nodes and edges per file")
    return _source(where, root, drawn[0])


def _source(where: str, root: Any, drawn: Any) -> Source:
    keys = _keys(where, root)
    nodes: dict[str, dict[str, str]] = {}
    for part in _parts(drawn, "node"):
        name = part.get("id")
        if name is None or name in nodes:
            raise Refused(
                f"{where}: the id {name!r} of node {len(nodes)} is missing or taken; give each its own id"
            )
        nodes[name] = _data(where, f"node {name!r}", part, keys["node"])
    edges = []
    for e, part in enumerate(_parts(drawn, "edge")):
        a, b = part.get("source"), part.get("target")
        for end in (a, b):
            if end not in nodes:
                raise Refused(
                    f"{where}: edge {e} names the node {end!r}, which is not there; add it or correct the "
                    "edge"
                )
        edges.append((a, b, _data(where, f"edge {a!r}-{b!r}", part, keys["edge"])))
    return Source(where, nodes, edges, keys)


def _keys(where: str, root: Any) -> dict[str, dict[str, GraphKey]]:
    """The declared attributes of nodes and of edges, by identity."""
    found: dict[str, dict[str, GraphKey]] = {"node": {}, "edge": {}}
    for part in _parts(root, "key"):
        name, kind, on = part.get("attr.name"), part.get("attr.type", "string"), part.get("for", "all")
        if name is None or part.get("id") is None:
            raise Refused(f"{where}: a key has no id or no attr.name; give every key both")
        default = next((inner.text or "" for inner in _parts(part, "default")), None)
        for owner in ("node", "edge") if on == "all" else (on,):
            found.setdefault(owner, {})[part.get("id")] = GraphKey(name, kind, default)
    return found


def _data(where: str, who: str, part: Any, keys: dict[str, GraphKey]) -> dict[str, str]:
    """The attributes of a node or an edge, defaults filled in."""
    found = {key.name: key.default for key in keys.values() if key.default is not None}
    for inner in _parts(part, "data"):
        key = keys.get(inner.get("key", ""))
        if key is None:
            raise Refused(
                f"{where}: {who} has data for the key {inner.get('key')!r}; declare it with a <key> element"
            )
        found[key.name] = (inner.text or "").strip()
    return found


def attribute_names(source: Source, owner: str, label: str | None = None) -> tuple[str, ...]:
    """The attributes that a file declares for nodes, or for edges, besides the label; all must be numbers."""
    found = [key for key in source.keys[owner].values() if key.name != label]
    setting = "edges" if owner == "edge" else "features"
    for key in found:
        if key.kind not in NUMBERS:
            raise Refused(
                f"{source.where} declares the attribute {key.name!r} of {owner}s as {key.kind}, but features "
                f"are numbers; leave it out, or name those to use, as in --data {setting}=size"
            )
    return tuple(dict.fromkeys(key.name for key in found))


def _labels(source: Source, label: str) -> list[str]:
    for node, data in source.nodes.items():
        if not data.get(label):
            raise Refused(f"{source.where}: node {node!r} has no {label!r}; give every node its label")
    return [data[label] for data in source.nodes.values()]


def _states(named: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Every label that occurs, numbers by size and text by the alphabet."""
    found = {name for names in named for name in names}
    if all(WHOLE.fullmatch(name) for name in found):
        return tuple(sorted(found, key=int))
    return tuple(sorted(found))


def _graph(source: Source, features: Sequence[str], edge_features: Sequence[str]) -> Graph:
    where, at = source.where, {node: k for k, node in enumerate(source.nodes)}
    if not source.nodes:
        raise Refused(f"{where} has no nodes; leave it out, or give it some")
    rows = [[_number(where, f"node {n!r}", data, f) for f in features] for n, data in source.nodes.items()]
    pairs = [(at[a], at[b]) for a, b, _ in source.edges]
    marks = [
        [_number(where, f"edge {a!r}-{b!r}", data, f) for f in edge_features] for a, b, data in source.edges
    ]
    return graph(rows, pairs, marks if edge_features else None, names=tuple(source.nodes), where=where)


def _number(where: str, who: str, data: dict[str, str], name: str) -> float:
    """One feature."""
    if name not in data:
        raise Refused(f"{where}: {who} has no {name!r}; give every one its features, or declare a default")
    text = data[name]
    try:
        value = TRUTHS[text.lower()] if text.lower() in TRUTHS else float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise Refused(f"{where}: {who} has {text[:40]!r} as {name!r}; give a finite number")
    return value


def _tag(part: Any) -> str:
    """The name of an element without its namespace."""
    return str(part.tag).rpartition("}")[2]


def _parts(parent: Any, tag: str) -> list[Any]:
    return [part for part in parent if _tag(part) == tag]
