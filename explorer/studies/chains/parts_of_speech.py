"""Parts of speech in English text: four taggers with the same features.

Lecture "Structured Output Prediction" (Cornell, 2013) reports such an experiment on the Penn Treebank, with
7,966 sentences and some 250,000 features, as a chart whose numbers are not in its text; so none stand beside
ours. Here the sentences are those of the universal dependencies in EXPLORER_DATA (EWT dev for training, its
test part for testing), with the universal tags; without them made-up sentences stand in. Settings are chosen
by folds of the training sentences. Cost: minutes.
"""

import os
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import ClassVar, final

import numpy as np

from explorer.engine.checks import sequences
from explorer.engine.contracts import Dataset
from explorer.engine.data.readers.conll import TaggedSentence, rows_of, token_features
from explorer.engine.data.readers.treebank import read_parsed
from explorer.engine.data.words import sparse_tagging
from explorer.engine.knobs import knob, settings
from explorer.studies.support.rows import judge, row, value
from explorer.studies.support.study import Column, Finding, Plot, Pulse, Row, at_place, quiet
from explorer.studies.support.tagging_ways import HMM, SVM_HMM, WAYS, error_on, tag_by

ENGLISH, MADE_UP = "English web text", "made up"
FILES = ("en_ewt-ud-dev.conllu.gz", "en_ewt-ud-test.conllu.gz")


@final
@settings
class PartsOfSpeech:
    """Wrong tags of four ways."""

    name: ClassVar[str] = "parts-of-speech"
    title: ClassVar[str] = "Parts of speech"
    source: ClassVar[str] = "Lecture Structured Output Prediction, Cornell 2013 (a chart without numbers)"
    about: ClassVar[str] = (
        "English words are tagged with their parts of speech by a counted hidden Markov model, a structural "
        "SVM, a random field and a perceptron. Prefixes, suffixes, shapes and neighbours are their features."
    )
    beside: ClassVar[str] = "published"
    columns: ClassVar[tuple[Column, ...]] = (
        Column("corpus", "corpus", key=True),
        Column("way", "way", key=True),
        Column("error", "wrong tags, %", form=".2f"),
        Column("chosen", "chosen on the training sentences"),
        Column("features", "features", form="d"),
    )
    plot: ClassVar[Plot] = Plot("bars", "way", ("error",), series="corpus")

    corpus: str = knob(ENGLISH, "The text; without EXPLORER_DATA made up.", choices=(ENGLISH, MADE_UP))
    n: int = knob(1000, "Training sentences.", low=4, high=20_000)
    n_test: int = knob(1000, "Test sentences.", low=2, high=20_000)
    folds: int = knob(3, "Folds of the choice.", low=2, high=20)
    gap: float = knob(0.05, "Relative gap of training.", low=1e-6, high=0.5, log=True)
    seed: int = knob(0, "Which draw of made-up text, and of the folds.", low=0, high=9999)

    @classmethod
    def quick(cls) -> "PartsOfSpeech":
        return cls(corpus=MADE_UP, n=20, n_test=20, folds=2, gap=0.3)

    @property
    def total(self) -> int:
        return len(WAYS)

    @property
    def published(self) -> tuple[Row, ...]:
        """No numbers were printed."""
        return ()

    def rows(self, pulse: Pulse = quiet) -> Iterator[Row]:
        """Way by way."""
        return self.rows_after(0, pulse)

    def rows_after(self, count: int, pulse: Pulse = quiet) -> Iterator[Row]:
        """The rows but for the first `count`."""
        name, train, test = self._texts()
        for way in WAYS[count:]:
            found = tag_by(way, train, self.folds, self.gap, self.seed, at_place(pulse, way))
            size = len(found.columns)
            yield row(corpus=name, way=way, error=error_on(found, test), chosen=found.chosen, features=size)

    def _texts(self) -> tuple[str, Dataset, Dataset]:
        """The corpus, its training and its test sentences."""
        folder = Path(os.environ.get("EXPLORER_DATA", "")) / "ud-en"
        if self.corpus == MADE_UP or not all((folder / file).is_file() for file in FILES):
            return MADE_UP, *sparse_tagging(
                self.n, self.n_test, vocabulary=min(2000, 10 * self.n), tags=12, seed=self.seed
            )
        return ENGLISH, *tagged_treebanks(folder / FILES[0], folder / FILES[1], self.n, self.n_test)

    def table(self, rows: Sequence[Row]) -> tuple[Row, ...]:
        """All rows."""
        return tuple(rows)

    def findings(self, rows: Sequence[Row]) -> tuple[Finding, ...]:
        """Discriminative training helps."""
        hmm, svm = (value(rows, "error", way=way) for way in (HMM, SVM_HMM))
        return (
            judge(
                "Trained as a structural SVM the model makes fewer mistakes than counted.",
                (hmm, svm),
                svm < hmm,
                f"{svm:.2f} % against {hmm:.2f} %",
            ),
        )


def tagged_treebanks(train: Path, test: Path, n: int, n_test: int) -> tuple[Dataset, Dataset]:
    """The first sentences of two treebanks with a tag for every word, and the features of the first."""
    texts = [tagged_sentences(path, count) for path, count in ((train, n), (test, n_test))]
    names = list(
        dict.fromkeys(f for words, *_ in texts[0] for features in token_features(words) for f in features)
    )
    columns = {name: at for at, name in enumerate(names)}
    tags = sorted({tag for text in texts for one in text for tag in one.tags})
    known = {tag: at for at, tag in enumerate(tags)}
    made = []
    for path, text in zip((train, test), texts, strict=True):
        ends = np.cumsum([0, *(len(one.words) for one in text)])
        whole = rows_of(text, columns)
        labels = [np.array([known[tag] for tag in one.tags]) for one in text]
        meta = {"words": tuple(one.words for one in text), "feature_names": tuple(names)}
        inputs = [whole[a:b] for a, b in pairwise(ends)]
        made.append(sequences(path.name, inputs, labels, tuple(tags), **meta))
    return made[0], made[1]


def tagged_sentences(path: Path, most: int) -> list[TaggedSentence]:
    """The first sentences: words and their tags."""
    found, _ = read_parsed(path)
    return [TaggedSentence(tuple(one.words), tuple(one.tags)) for one in found[:most]]
