"""Data files as tasks: which formats are read, by whom, and what is made of their data.

    kitchen.svmlight     rows with any subset of labels, fully connected, decoded by roof duality
    karate.graphml       a labelled graph (or a folder of them) with shared pairwise weights, by the fast
                         relaxation
    letters.pairs.csv    sets of items, with letters.clusters.csv beside it: correlation clustering by greedy
                         merges
    names.conll          sentences with a tag for each word, in columns: Viterbi
    animals.conllu       sentences with trees, compared by tags, distances and words: Chu-Liu/Edmonds, in the
                         dual

These are what a file begins with: it has the losses, oracles and model settings of all tasks of its
structure. A format is loaded when a file of it is opened. A second file of the same format can be given to
measure the loss on; it is read with the features and labels of the first.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from explorer.engine.catalogue.task import NOTHING, NoSettings, Pair, Task
from explorer.engine.contracts import Dataset
from explorer.engine.refusals import Refused

Opened = tuple[Callable[[Path, Path | None], Pair], Callable[..., Task]]
"""What reads a file and, where there is one, its test file; and what makes a task of their data."""


def alone(path: Path) -> Sequence[Path]:
    """The file, or all files of a folder."""
    return sorted(path.iterdir()) if path.is_dir() else [path]


def with_clusters(path: Path) -> Sequence[Path]:
    """A table of pairs and the table of clusters beside it."""
    from explorer.engine.data.readers.pair_table import clusters_beside

    return [path, clusters_beside(path)]


def alike(read: Callable[..., Dataset]) -> Callable[[Path, Path | None], Pair]:
    """A reader of two files, the second one `like` the first."""

    def pair(path: Path, test: Path | None) -> Pair:
        train = read(path)
        return train, None if test is None else read(test, like=train)

    return pair


def apart(read: Callable[..., Dataset]) -> Callable[[Path, Path | None], Pair]:
    """A reader of two files whose data do not depend on each other."""
    return lambda path, test: (read(path), None if test is None else read(test))


def columns() -> Opened:
    """Tagged words."""
    from explorer.engine.catalogue.chains import sequences
    from explorer.engine.data.readers.conll import tagged_text

    def pair(path: Path, test: Path | None) -> Pair:
        train, *others = tagged_text(path, *([] if test is None else [test]))
        return train, others[0] if others else None

    return pair, sequences


def svmlight() -> Opened:
    """Label sets."""
    from explorer.engine.catalogue.fields import LABEL_SETS, NODES, ROOF, subsets
    from explorer.engine.data.readers.svmlight import read_multilabel

    return alike(read_multilabel), partial(subsets, losses={**NODES, **LABEL_SETS}, oracle_types=ROOF)


def graphml() -> Opened:
    """Labelled graphs."""
    from explorer.engine.catalogue.fields import FAST, SHARED, graphs
    from explorer.engine.data.readers.graphml import read_graphml

    return alike(read_graphml), partial(graphs, oracle_types=FAST, model=SHARED)


def pair_table() -> Opened:
    """Clusterings."""
    from explorer.engine.catalogue.clusterings import PLAIN, partitions
    from explorer.engine.data.readers.pair_table import read_pair_table

    return apart(read_pair_table), partial(partitions, model=PLAIN)


def treebank() -> Opened:
    """Dependency trees."""
    from explorer.engine.catalogue.trees import DUAL, TreeModel, treebanks
    from explorer.engine.data.readers.treebank import read_treebank

    return apart(read_treebank), partial(treebanks, model=TreeModel(form=DUAL))


@dataclass(frozen=True, slots=True)
class Format:
    """Files with these endings, what opens them, and which files belong to one."""

    suffixes: tuple[str, ...]
    open: Callable[[], Opened]
    files: Callable[[Path], Sequence[Path]] = alone
    learner: str = "one-slack"


COLUMNS = tuple(f"{end}{packed}" for end in (".conll", ".iob", ".bio", ".train") for packed in ("", ".gz"))

FORMATS: tuple[Format, ...] = (
    Format(COLUMNS, columns, learner="sequential-dual"),
    Format((".svmlight",), svmlight),
    Format((".graphml",), graphml),
    Format((".pairs.csv",), pair_table, with_clusters),
    Format((".conllu", ".conllx", ".conllu.gz", ".conllx.gz"), treebank),
)


def format_of(name: str) -> Format | None:
    """The format that a file of this name has; None for a name that is none of a data file."""
    return next((found for found in FORMATS if Path(name).name.endswith(found.suffixes)), None)


@dataclass(frozen=True, slots=True)
class DataFile:
    """Where the data of a task are, and what the task is called."""

    path: Path
    name: str = field(compare=False)
    test: Path | None = None

    @property
    def format(self) -> Format:
        """How it is read."""
        found = format_of(self.path.name)
        if found is None:
            endings = ", ".join(suffix for known in FORMATS for suffix in known.suffixes)
            raise Refused(f"{self.name} is no data file; its name must end in one of {endings}")
        return found

    def stamp(self) -> str:
        """Size and time of all that is read: another text when a file has changed."""
        read = (self.path,) if self.test is None else (self.path, self.test)
        return changed_at([file for path in read for file in self.format.files(path)])

    def make(self) -> Pair:
        """The examples, and those of the test file."""
        read, _ = self.format.open()
        return read(self.path, self.test)

    def remake(self) -> tuple[Any, ...]:
        """How another process makes the same task."""
        return file_task, (self.path, self.name, self.test)


def changed_at(files: Sequence[Path]) -> str:
    """Names, sizes and times of files, as text."""
    stats = ((file.name, file.stat()) for file in files if file.exists())
    return " ".join(f"{name} {stat.st_size} {stat.st_mtime_ns}" for name, stat in stats)


SAMPLES = "sample_data"
PLACES = (Path(__file__).parents[2] / SAMPLES, Path(__file__).parents[3] / SAMPLES)
"""Where the samples are: inside an installed package, or beside the sources."""


def sample(path: Path) -> Path:
    """The file itself, or if there is none but it is called sample_data/..., the one that came with us."""
    if path.exists() or path.parts[:1] != (SAMPLES,) or ".." in path.parts:
        return path
    found = (place.joinpath(*path.parts[1:]) for place in PLACES)
    return next((file for file in found if file.exists()), path)


def file_task(path: Path, name: str = "", test: Path | None = None) -> Task:
    """The task that a data file poses, called by its path unless it is given another name."""
    name, path, test = name or str(path), sample(path), None if test is None else sample(test)
    for file in (path, test):
        if file is not None and not file.exists():
            raise Refused(f"there is no file {file}; check its name")
    source = DataFile(path.absolute(), name, None if test is None else test.absolute())
    _, make = source.format.open()
    about = f"Data from the file {path.name}."
    return make(
        source.name, path.name, NoSettings, source.format.learner, NOTHING, source=source, about=about
    )


__all__ = ["FORMATS", "DataFile", "Format", "changed_at", "file_task", "format_of", "sample"]
