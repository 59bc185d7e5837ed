"""Words in columns with a tag each (`readers.conll`): chains, decoded by Viterbi. A model takes the names of
the features of every word.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from explorer.engine.catalogue.chains import sequences
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
from explorer.engine.data.readers.conll import (
    WordFeatures,
    column_text,
    read_sentences,
    tagged_text,
    token_features,
    words_alone,
)
from explorer.engine.data.writers.columns import with_tags
from explorer.engine.data.writers.encoding import encode_like
from explorer.engine.knobs import settings

READING: Mapping[str, type] = {"between": int, "features": dict}


@settings
class ColumnData(WordFeatures):
    """Sentences with a tag for every word, from a file of columns."""

    held_out: float = held_out()
    draw: int = draw()


SETTINGS = ColumnData


def word_features(chosen: Mapping[str, Any]) -> WordFeatures:
    """The features of words among all settings."""
    return WordFeatures(**{name: chosen[name] for name in asdict(WordFeatures())})


def task(train: Dataset) -> Callable[..., Task]:
    """Label sequences."""
    return sequences


def pair(path: Path, test: Path | None, choices: FileChoices, settings: ColumnData) -> Pair:
    """The sentences, with the features and tags of all of them."""
    features = word_features(asdict(settings))
    train, *others = tagged_text(path, *([] if test is None else [test]), features=features)
    found = remember(train, "columns", between=train.meta["between"], features=asdict(features))
    return divide(found, settings, *others)


def examples(path: Path, reading: Plain) -> FileContent:
    """For every word the names of its features, and its tag where the file has tags."""
    sentences = read_sentences(path, between(path, reading))
    features = word_features(reading["features"])
    rows = [token_features(one.words, one.between, features) for one in sentences]
    return FileContent(rows, [list(one.tags) for one in sentences] if sentences[0].tags else None)


def between(path: Path, reading: Plain) -> int:
    """How many columns stand between word and tag: those of the training file, or none where no feature is
    made of them and there are words alone.
    """
    used = reading.get("features", {}).get("columns", True)
    return 0 if not used and words_alone(path) else int(reading["between"])


def label_file(path: Path, labels: Sequence[Sequence[Any]], reading: Plain) -> Mapping[str, bytes]:
    """The file with these tags in its last column; one is added where it has none."""
    text, encoding = column_text(path)
    add = not read_sentences(path, between(path, reading))[0].tags
    tagged = with_tags(text, [list(map(str, tags)) for tags in labels], add)
    return {path.name: encode_like(path, tagged, encoding)}
