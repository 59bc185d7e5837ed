"""Names in 300 sentences: a hidden Markov model against the same model trained as a structural SVM.

Lecture "Structured Output Prediction" (Cornell, 2013): Spanish newswire, nine tags, 300 sentences for
training; test error 9.36 % for a generative hidden Markov model, 5.08 % for SVM-HMM. Which 300 sentences,
which test part and which features it took is not printed; here they are the first ones, all of testa, and the
features of `readers.conll`. Settings are chosen by folds of the training sentences. Without the text a
made-up corpus stands in. Cost: a minute.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar, final

from explorer.engine.contracts import Dataset
from explorer.engine.data.entities import Names
from explorer.engine.data.readers.conll import tagged_text
from explorer.engine.knobs import knob, settings
from explorer.studies.support.rows import judge, row, value
from explorer.studies.support.sequence_fits import parts_of
from explorer.studies.support.study import Column, Finding, Plot, Pulse, Row, at_place, quiet
from explorer.studies.support.tagging_ways import HMM, SVM_HMM, WAYS, error_on, tag_by

SPANISH, MADE_UP = "Spanish news", "made up"
TRAIN, TEST = "esp.train.gz", "esp.testa.gz"
PRINTED = {HMM: 9.36, SVM_HMM: 5.08}
"""Wrong tags on the test text, in per cent."""


@final
@settings
class NamesInText:
    """Wrong tags of four ways."""

    name: ClassVar[str] = "names-in-text"
    title: ClassVar[str] = "Names in 300 sentences"
    source: ClassVar[str] = "Lecture Structured Output Prediction, Cornell 2013"
    about: ClassVar[str] = (
        "People, places and organisations are found in Spanish news after 300 sentences. A counted hidden "
        "Markov model stands beside one trained as a structural SVM, a random field and a perceptron."
    )
    beside: ClassVar[str] = "published"
    columns: ClassVar[tuple[Column, ...]] = (
        Column("corpus", "corpus", key=True),
        Column("way", "way", key=True),
        Column("error", "wrong tags, %", form=".2f"),
        Column("chosen", "chosen on the training sentences"),
        Column("features", "features", form="d"),
        Column("baseline", "tagging all O, %", form=".2f"),
    )
    plot: ClassVar[Plot] = Plot("bars", "way", ("error",), series="corpus")

    corpus: str = knob(SPANISH, "The text; without EXPLORER_DATA made up.", choices=(SPANISH, MADE_UP))
    n: int = knob(300, "Training sentences.", low=4, high=20_000)
    n_test: int = knob(0, "Test sentences; 0: all there are.", low=0, high=20_000)
    folds: int = knob(5, "Folds of the choice.", low=2, high=20)
    gap: float = knob(0.02, "Relative gap of training.", low=1e-6, high=0.5, log=True)
    seed: int = knob(0, "Which draw of made-up text, and of the folds.", low=0, high=9999)

    @classmethod
    def quick(cls) -> "NamesInText":
        return cls(corpus=MADE_UP, n=20, n_test=20, folds=2, gap=0.3)

    @property
    def total(self) -> int:
        return len(WAYS)

    @property
    def published(self) -> tuple[Row, ...]:
        """The two errors of the lecture."""
        return tuple(row(corpus=SPANISH, way=way, error=error) for way, error in PRINTED.items())

    def rows(self, pulse: Pulse = quiet) -> Iterator[Row]:
        """Way by way."""
        return self.rows_after(0, pulse)

    def rows_after(self, count: int, pulse: Pulse = quiet) -> Iterator[Row]:
        """The rows but for the first `count`."""
        name, train, test = self._texts()
        outside = list(test.meta["states"]).index("O")
        other = sum(int((y != outside).sum()) for y in test.labels) / sum(map(len, test.labels))
        for way in WAYS[count:]:
            found = tag_by(way, train, self.folds, self.gap, self.seed, at_place(pulse, way))
            yield row(
                corpus=name,
                way=way,
                error=error_on(found, test),
                chosen=found.chosen,
                features=len(found.columns),
                baseline=100.0 * other,
            )

    def _texts(self) -> tuple[str, Dataset, Dataset]:
        """The corpus, its training and its test sentences."""
        folder = spanish_folder()
        if self.corpus == MADE_UP or folder is None:
            train, test = Names(
                n=self.n, n_test=self.n_test or 1000, vocabulary=min(3000, 10 * self.n), seed=self.seed
            ).make()
            assert test is not None
            return MADE_UP, train, test
        return SPANISH, *first_sentences(folder, self.n, self.n_test)

    def table(self, rows: Sequence[Row]) -> tuple[Row, ...]:
        """All rows."""
        return tuple(rows)

    def findings(self, rows: Sequence[Row]) -> tuple[Finding, ...]:
        """The lecture's comparison."""
        hmm, svm = (value(rows, "error", way=way) for way in (HMM, SVM_HMM))
        return (
            judge(
                "Trained as a structural SVM the model makes fewer mistakes than counted (printed: 5.08 and "
                "9.36 %).",
                (hmm, svm),
                svm < hmm,
                f"{svm:.2f} % against {hmm:.2f} %: {svm / hmm if hmm else 0.0:.2f} of it (printed: 0.54)",
            ),
        )


def spanish_folder() -> Path | None:
    """Where the Spanish text is, if it is here."""
    named = os.environ.get("EXPLORER_DATA", "")
    folder = Path(named) / "conll2002-es"
    return folder if named and (folder / TRAIN).is_file() else None


def first_sentences(folder: Path, n: int, n_test: int) -> tuple[Dataset, Dataset]:
    """The first sentences, with the features that these have."""
    whole, test = tagged_text(folder / TRAIN, folder / TEST)
    train = parts_of(whole, range(min(n, len(whole))))
    seen = sorted({int(c) for x in train.inputs for c in x.indices})
    names = whole.meta["feature_names"]
    meta = {"states": whole.meta["states"], "feature_names": [names[c] for c in seen]}
    test = parts_of(test, range(min(n_test or len(test), len(test))))
    return tuple(  # type: ignore[return-value]
        Dataset(part.name, [x[:, seen] for x in part.inputs], part.labels, meta) for part in (train, test)
    )
