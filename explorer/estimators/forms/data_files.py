"""Data files as estimators take them: what a file holds as examples, X, and their labels, y.

    words, tags = explorer.read("names.conll")
    tagger = explorer.SequenceTagger(features=explorer.TextFeatures()).fit(words, tags)

Tagged text is read as words, so that the features are the caller's; a treebank as sentences, GraphML as
graphs, a table of pairs as sets of items, SVMlight as a matrix: each as the estimator of its structure takes
it. Cost: that of reading the file as a task.
"""

from pathlib import Path
from typing import Any

import numpy as np

from explorer.engine.catalogue.recipe import Recipe


def read(path: str | Path) -> tuple[Any, Any]:
    """The examples of a data file and their labels, by name where the file names them."""
    data = Recipe.of(path).problem()[0].dataset
    names = np.array(data.meta.get("states", ()))
    labels: Any = data.labels
    if "words" in data.meta:
        return [list(words) for words in data.meta["words"]], [names[codes].tolist() for codes in labels]
    if len(names) and not isinstance(labels, np.ndarray):
        labels = [names[codes] for codes in labels]
    return data.inputs, labels


__all__ = ["read"]
