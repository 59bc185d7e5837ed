"""Labelled graphs as a list of edges with a table of nodes beside it (`readers.edge_list`): shared pairwise
weights, decoded by the fast relaxation. A model takes graphs; predictions are a table of nodes.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from explorer.engine.catalogue.formats import graphml
from explorer.engine.catalogue.formats.format import FileChoices, FileContent, Plain, divide, remember
from explorer.engine.catalogue.task import Pair, Task
from explorer.engine.contracts import Dataset
from explorer.engine.data.readers.edge_list import (
    edge_graphs,
    edge_list_data,
    graph_labels,
    graph_rows,
    nodes_beside,
    read_edge_list,
)
from explorer.engine.data.writers.encoding import encode_like
from explorer.engine.data.writers.table import with_column

READING: Mapping[str, type] = {"label": str, "features": list, "edges": list}
SETTINGS = graphml.GraphData


def task(train: Dataset) -> Callable[..., Task]:
    """Labelled graphs."""
    return graphml.task(train)


def pair(path: Path, test: Path | None, choices: FileChoices, settings: graphml.GraphData) -> Pair:
    """The graphs with the labels of both files."""
    label = choices.label or "label"
    sources = [read_edge_list(file) for file in (path, test) if file is not None]
    features, edges = graphml.attributes(settings.features), graphml.attributes(settings.edges)
    train, *others = edge_list_data(sources, label, features, edges)
    names = {"features": train.meta["feature_names"], "edges": train.meta["edge_feature_names"]}
    reading = {what: list(found) for what, found in names.items()}
    return divide(remember(train, "edge_list", label=label, **reading), settings, *others)


def examples(path: Path, reading: Plain) -> FileContent:
    """The graphs, and the labels of their nodes where all have one."""
    source = read_edge_list(path)
    found = edge_graphs(source, reading["features"], reading["edges"])
    return FileContent(found, graph_labels(source, reading["label"]))


def label_file(path: Path, labels: Sequence[Any], reading: Plain) -> Mapping[str, bytes]:
    """The table of nodes with these labels."""
    nodes = read_edge_list(path).nodes
    flat = [""] * len(nodes.rows)
    for members, own in zip(graph_rows(nodes), labels, strict=True):
        for k, label in zip(members, own, strict=True):
            flat[k] = str(label)
    beside = nodes_beside(path)
    return {beside.name: encode_like(beside, with_column(nodes, reading["label"], flat))}
