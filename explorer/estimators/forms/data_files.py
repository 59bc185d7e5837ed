"""Data files as estimators take them: what a file holds as examples, X, and their labels, y.

    words, tags = explorer.read("names.conll")
    tagger = explorer.SequenceTagger(features=explorer.TextFeatures()).fit(words, tags)

Tagged text is read as words (with their part of speech, where the file has such a column), so that the
features are the caller's; a treebank as sentences, GraphML as graphs, a table of pairs as sets of items,
SVMlight as a matrix: each as the estimator of its structure takes it. Cost: that of reading the file.
"""

from pathlib import Path
from typing import Any

import numpy as np

from explorer.engine.catalogue.files import format_named, format_of, sample
from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.data.readers.conll import TaggedSentence, read_sentences

COLUMNS = "columns"


def read(path: str | Path, form: str = "") -> tuple[Any, Any]:
    """The examples of a data file and their labels, by name where the file names them. The format is that of
    the file's ending; form="columns" reads tagged text whatever the file is called.
    """
    found = format_named(form) if form else format_of(str(path))
    if found is not None and found.name == COLUMNS:
        sentences = read_sentences(sample(Path(path)))
        return [_words(sentence) for sentence in sentences], [list(sentence.tags) for sentence in sentences]
    data = Recipe.of(path).problem()[0].dataset
    names, labels = np.array(data.meta.get("states", ())), data.labels
    if len(names) and not isinstance(labels, np.ndarray):
        return data.inputs, [names[codes] for codes in labels]
    if len(names) and labels.ndim == 1:
        return data.inputs, names[labels]
    return data.inputs, labels


def _words(sentence: TaggedSentence) -> list[Any]:
    """The words, each with what the column after it says where there is one."""
    if not sentence.between or not sentence.between[0]:
        return list(sentence.words)
    return [(word, marks[0]) for word, marks in zip(sentence.words, sentence.between, strict=True)]


__all__ = ["read"]
