"""Labelled graphs in GraphML files, or in a folder of them (`readers.graphml`): graphs with shared pairwise
weights, decoded by the fast relaxation. A model takes graphs.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from explorer.engine.catalogue.fields import FAST, SHARED, graphs
from explorer.engine.catalogue.formats.format import (
    FileChoices,
    FileContent,
    Plain,
    divide,
    draw,
    held_out,
    remember,
)
from explorer.engine.catalogue.task import Pair, Task
from explorer.engine.contracts import Dataset
from explorer.engine.data.readers.files import read_bytes
from explorer.engine.data.readers.graphml import (
    MOST_BYTES,
    graph_data,
    graph_files,
    graph_inputs,
    node_labels,
    read_sources,
)
from explorer.engine.data.writers.graphml import with_node_labels
from explorer.engine.knobs import knob, settings

READING: Mapping[str, type] = {"label": str, "features": list, "edges": list}
ALL, NONE = "all", "none"


@settings
class GraphData:
    """Graphs with a label at every node, from a file or a folder."""

    features: str = knob(ALL, "Attributes of nodes to use, separated by commas.")
    edges: str = knob(ALL, "Attributes of edges to use, separated by commas; none: every edge is alike.")
    held_out: float = held_out()
    draw: int = draw()


SETTINGS = GraphData


def task(train: Dataset) -> Callable[..., Task]:
    """Labelled graphs."""
    return partial(graphs, oracle_types=FAST, model=SHARED)


def pair(path: Path, test: Path | None, choices: FileChoices, settings: GraphData) -> Pair:
    """The graphs with the labels of both files."""
    label = choices.label or "label"
    parts = {path.stem: read_sources(path)}
    if test is not None:
        parts[f"{test.stem} (test)"] = read_sources(test)
    train, *others = graph_data(parts, label, attributes(settings.features), attributes(settings.edges))
    names = {"features": train.meta["feature_names"], "edges": train.meta["edge_feature_names"]}
    reading = {what: list(found) for what, found in names.items()}
    return divide(remember(train, "graphml", label=label, **reading), settings, *others)


def attributes(text: str) -> tuple[str, ...] | None:
    """The names in a setting; None for all that the file declares."""
    if text == ALL:
        return None
    return () if text == NONE else tuple(name.strip() for name in text.split(",") if name.strip())


def examples(path: Path, reading: Plain) -> FileContent:
    """The graphs, and the labels of their nodes where all have one."""
    sources = read_sources(path)
    labels = [node_labels(source, reading["label"]) for source in sources]
    inputs = graph_inputs(sources, reading["features"], reading["edges"])
    return FileContent(inputs, None if None in labels else labels)


def label_file(path: Path, labels: Sequence[Any], reading: Plain) -> Mapping[str, bytes]:
    """Every file with these labels at its nodes."""
    files = zip(graph_files([path]), labels, strict=True)
    return {
        file.name: with_node_labels(
            read_bytes(file, MOST_BYTES, "a GraphML file"), reading["label"], [str(label) for label in own]
        )
        for file, own in files
    }
