"""Models and files: the examples of a file as a model takes them, and its predictions in the file's format.

A model that was trained on a file remembers how that was read (`reading_`). One that was fitted in Python
does not: then the file says it, as far as it can. The words of a tagger are then given all features that
`TextFeatures` knows, of which the tagger takes those that it was fitted to. Cost: that of reading.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from explorer.engine.catalogue.files import Format, format_named, format_of
from explorer.engine.refusals import Refused
from explorer.estimators.chains import SequenceTagger
from explorer.estimators.classes import StructuredClassifier
from explorer.estimators.clusterings import ItemClusterer
from explorer.estimators.graphs import GraphLabeller
from explorer.estimators.label_sets import LabelSetClassifier
from explorer.estimators.text_features import TextFeatures
from explorer.estimators.trees import DependencyParser

WIDE = TextFeatures(prefixes=9, suffixes=9, window=9, window_shape=9)
"""Every feature of a word that a tagger may have been fitted to; others are left out."""

MADE = re.compile(
    r"constant|word|lower|shape|capitals?|digit|hyphen|tag|(prefix|suffix)[1-9]|[+-][1-9]:(lower|shape|tag)"
)


class FileExamples(NamedTuple):
    """The examples of a file, their labels (None: it has none), and what writes labels into a copy of it."""

    inputs: Any
    labels: Any
    write: Callable[[Sequence[Any]], Mapping[str, bytes]]


def read_examples(model: Any, path: Path) -> FileExamples:
    """The examples of a file as this model takes them; refused where it cannot take them."""
    reading, found = getattr(model, "reading_", None), format_of(path.name)
    if reading is None:
        if found is None:
            raise Refused(f"{path} has no known ending, and the model was fitted in Python; rename the file")
        if isinstance(model, SequenceTagger) and found.name == "columns":
            return _words(model, path)
        reading = _guess(model, path, found)
    elif found is not None and found.name != reading["format"]:
        endings = ", ".join(format_named(reading["format"]).suffixes)
        raise Refused(f"the model was trained on another format than that of {path}; give a file {endings}")
    module = format_named(reading["format"]).open()
    try:
        examples = module.examples(path, reading)
    except (LookupError, TypeError, AttributeError) as error:
        raise Refused(f"this model does not say how to read {path} ({error!r}); train it again") from error
    return FileExamples(*examples, lambda labels: module.label_file(path, labels, reading))


def _guess(model: Any, path: Path, found: Format) -> dict[str, Any]:
    """How a file is read for a model that was fitted in Python."""
    readers: dict[tuple[str, type], Callable[[Any, Path], dict[str, Any]]] = {
        ("svmlight", StructuredClassifier): partial(_rows, kind="classes"),
        ("svmlight", LabelSetClassifier): partial(_rows, kind="label-sets"),
        ("graphml", GraphLabeller): _graphs,
        ("pair_table", ItemClusterer): _pairs,
        ("treebank", DependencyParser): lambda model, path: {},
    }
    reader = readers.get((found.name, type(model)))
    if reader is None:
        raise Refused(f"{path} holds no examples for a {type(model).__name__}; give another file")
    return {"format": found.name, **reader(model, path)}


def _words(model: SequenceTagger, path: Path) -> FileExamples:
    """The words of a file, as feature dicts unless the tagger makes these itself."""
    from explorer.engine.catalogue.formats.columns import label_file
    from explorer.engine.data.readers.conll import read_sentences

    if model.columns_ is None:
        raise Refused("the tagger was fitted to rows of numbers, which no file of words has; use Python")
    names = [*model.columns_.texts, *model.columns_.numbers]
    own = model.features is not None
    strange = None if own else next((name for name in names if not MADE.fullmatch(name)), None)
    if strange is not None:
        raise Refused(
            f"the tagger was fitted to the feature {strange!r}, which no file has; predict in Python, or "
            "train it on a file"
        )
    reading = {"between": int("tag" in names)}
    sentences = read_sentences(path, reading["between"])
    texts = [
        list(zip(s.words, *zip(*s.between, strict=True), strict=True) if "tag" in names else s.words)
        for s in sentences
    ]
    rows = texts if own else WIDE.transform(texts)
    tags = [list(s.tags) for s in sentences] if sentences[0].tags else None
    return FileExamples(rows, tags, lambda labels: label_file(path, labels, reading))


def _rows(model: Any, path: Path, kind: str) -> dict[str, Any]:
    from explorer.engine.data.readers.svmlight import first_index, read_lines

    return {"first": first_index(read_lines(path)), "width": int(model.n_features_in_), "kind": kind}


def _graphs(model: GraphLabeller, path: Path) -> dict[str, Any]:
    from explorer.engine.data.readers.graphml import attribute_names, read_sources

    first = read_sources(path)[0]
    edges = list(attribute_names(first, "edge")) if model.edge_attribute is not None else []
    return {"label": "label", "features": list(attribute_names(first, "node", "label")), "edges": edges}


def _pairs(model: ItemClusterer, path: Path) -> dict[str, Any]:
    from explorer.engine.data.readers.pair_table import feature_names

    return {"features": list(feature_names(path))}


__all__ = ["FileExamples", "read_examples"]
