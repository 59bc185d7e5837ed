"""Data files as tasks: which formats are read, and what is made of their data.

    kitchen.svmlight     rows with any subset of labels, fully connected, decoded by roof duality; with
                         exactly one label on every row: classes
    karate.graphml       a labelled graph (or a folder of them) with shared pairwise weights, by the fast
                         relaxation
    letters.pairs.csv    sets of items, with letters.clusters.csv beside it: correlation clustering by greedy
                         merges
    names.conll          sentences with a tag for each word, in columns: Viterbi
    animals.conllu       sentences with trees, compared by tags, distances and words: Chu-Liu/Edmonds, in the
                         dual
    weather.csv          rows with a class in one of the columns, or with a column that tells sequences apart
    rooms.svmhmm         sequences of sparse rows with a tag each: Viterbi
    streets.edges        a labelled graph, with streets.nodes.csv beside it: the fast relaxation
    petals.npz           NumPy arrays X and y: classes, label sets or sequences
    coast.png            a picture, with coast.labels.png beside it: grids, by the fast relaxation

These are what a file begins with: it has the losses, oracles and model settings of all tasks of its
structure, and the learner that suits the problem. A format is loaded when a file of it is opened. A second
file of the same format, or a share of the first, measures the loss.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, cast

from explorer.engine.catalogue.formats.format import FileChoices, FormatModule, take
from explorer.engine.catalogue.task import NOTHING, Pair, Parts, Task
from explorer.engine.contracts import Dataset
from explorer.engine.learners import name_of, suited_learner
from explorer.engine.pricing import Pricing
from explorer.engine.refusals import Refused

AS_IT_IS = FileChoices()
HEAD = 5
"""Examples of a file from which it is told who learns it: only their kind matters, and how many there are."""


def alone(path: Path) -> Sequence[Path]:
    """The file, or all files of a folder."""
    return sorted(path.iterdir()) if path.is_dir() else [path]


def with_clusters(path: Path) -> Sequence[Path]:
    """A table of pairs and the table of clusters beside it."""
    from explorer.engine.data.readers.pair_table import clusters_beside

    return [path, clusters_beside(path)]


def with_nodes(path: Path) -> Sequence[Path]:
    """A list of edges and the table of nodes beside it."""
    from explorer.engine.data.readers.edge_list import nodes_beside

    return [path, nodes_beside(path)]


def with_labels(path: Path) -> Sequence[Path]:
    """A picture and the picture of labels beside it."""
    from explorer.engine.data.readers.picture import labels_beside

    return [path, labels_beside(path)]


@dataclass(frozen=True, slots=True)
class Format:
    """Files with these endings, the module that reads and writes them, what a user may choose of one, and
    which files belong to one.
    """

    name: str
    suffixes: tuple[str, ...]
    choices: tuple[str, ...] = ()
    files: Callable[[Path], Sequence[Path]] = alone

    def open(self) -> FormatModule:
        """The module of the format."""
        return cast("FormatModule", import_module(f"explorer.engine.catalogue.formats.{self.name}"))


def packable(*endings: str) -> tuple[str, ...]:
    """Endings of files that may be packed."""
    return tuple(f"{end}{packed}" for end in endings for packed in ("", ".gz"))


FORMATS: tuple[Format, ...] = (
    Format("columns", packable(".conll", ".iob", ".bio", ".train")),
    Format("svmlight", (".svmlight",), ("kind",)),
    Format("graphml", (".graphml",), ("label",)),
    Format("pair_table", (".pairs.csv",), files=with_clusters),
    Format("treebank", packable(".conllu", ".conllx")),
    Format("table", (".csv", ".tsv"), ("label", "sequence")),
    Format("hmm", (".svmhmm", ".hmm")),
    Format("edge_list", (".edges", ".edgelist"), ("label",), files=with_nodes),
    Format("arrays", (".npz",)),
    Format("picture", (".png",), files=with_labels),
)


def format_of(name: str) -> Format | None:
    """The format that a file of this name has; None for a name that is none of a data file."""
    return next((found for found in FORMATS if Path(name).name.endswith(found.suffixes)), None)


def format_named(name: str) -> Format:
    """The format of this name."""
    found = next((known for known in FORMATS if known.name == name), None)
    if found is None:
        raise Refused(f"there is no format {name[:40]!r}; choose one of {', '.join(f.name for f in FORMATS)}")
    return found


def checked_reading(found: Any) -> dict[str, Any]:
    """A reading from outside, with the entries that its format needs; refused where it is none."""
    sound = isinstance(found, dict) and isinstance(found.get("format"), str)
    wanted = format_named(found["format"]).open().READING if sound else {}
    if not sound or any(type(found.get(name)) is not kind for name, kind in wanted.items()):
        raise Refused("this model does not say how files are to be read; open a saved model")
    return dict(found)


@dataclass(frozen=True, slots=True)
class DataFile:
    """Where the data of a task are, what the user says of them, and what it and the test file are called
    where saved runs are not to name its folder.
    """

    path: Path
    name: str = field(compare=False)
    test: Path | None = None
    choices: FileChoices = AS_IT_IS
    test_name: str = field(default="", compare=False)

    @property
    def format(self) -> Format:
        """How it is read."""
        found = format_of(self.path.name)
        if found is None:
            endings = ", ".join(suffix for known in FORMATS for suffix in known.suffixes)
            raise Refused(f"{self.name} is no data file; its name must end in one of {endings}")
        for name, value in asdict(self.choices).items():
            if value and name not in found.choices:
                raise Refused(f"{self.name} has no {name} to choose; leave it out")
        return found

    def stamp(self) -> str:
        """Size and time of all that is read, and what is said of it: another text when one has changed."""
        read = (self.path,) if self.test is None else (self.path, self.test)
        changed = changed_at([file for path in read for file in self.format.files(path)])
        return " ".join([changed, *filter(None, asdict(self.choices).values())])

    def make(self, data: Any) -> Pair:
        """The examples, and those of the test file or those kept apart."""
        return read_pair(self, data, self.stamp())

    def checksums(self) -> dict[str, str]:
        """Text that changes with every byte of the data, and of the test file."""
        found = {"sum": checksum_of(self.path)}
        return found if self.test is None else found | {"testsum": checksum_of(self.test)}

    def remake(self) -> tuple[Any, ...]:
        """How another process makes the same task."""
        return task_from, (self,)

    def memo(self) -> dict[str, str]:
        """What a saved run must remember beside the name of the file."""
        said = {name: value for name, value in asdict(self.choices).items() if value}
        if self.test is None:
            return said
        return {"test": self.test_name or str(self.test), "sum": checksum_of(self.test), **said}


@lru_cache(maxsize=2)
def read_pair(source: DataFile, data: Any, stamp: str) -> Pair:
    """The data of a file as these settings have them; kept until the file changes."""
    return source.format.open().pair(source.path, source.test, source.choices, data)


def changed_at(files: Sequence[Path]) -> str:
    """Names, sizes and times of files, as text."""
    stats = ((file.name, file.stat()) for file in files if file.exists())
    return " ".join(f"{name} {stat.st_size} {stat.st_mtime_ns}" for name, stat in stats)


@lru_cache(maxsize=16)
def checksum(files: tuple[Path, ...], stamp: str) -> str:
    """A short checksum of what is in these files; counted once until they change."""
    found = hashlib.sha256()
    for file in files:
        found.update(file.read_bytes())
    return found.hexdigest()[:16]


def checksum_of(path: Path) -> str:
    """The checksum of a data file, as a saved run remembers it of its test file."""
    known = format_of(path.name)
    files = (path,) if known is None else tuple(known.files(path))
    return checksum(files, changed_at(files))


SAMPLES = "sample_data"
PLACES = (Path(__file__).parents[2] / SAMPLES, Path(__file__).parents[3] / SAMPLES)
"""Where the samples are: inside an installed package, or beside the sources."""


def sample(path: Path) -> Path:
    """The file itself, or if there is none but it is called sample_data/..., the one that came with us."""
    if path.exists() or path.parts[:1] != (SAMPLES,) or ".." in path.parts:
        return path
    found = (place.joinpath(*path.parts[1:]) for place in PLACES)
    return next((file for file in found if file.exists()), path)


def file_task(path: Path, name: str = "", test: Path | None = None, choices: FileChoices = AS_IT_IS) -> Task:
    """The task that a data file poses, called by its path unless it is given another name."""
    name, path, test = name or str(path), sample(path), None if test is None else sample(test)
    for file in (path, test):
        if file is not None and not file.exists():
            raise Refused(f"there is no file {file}; check its name")
    return task_from(DataFile(path.absolute(), name, test and test.absolute(), choices))


def task_from(source: DataFile) -> Task:
    """The task of a file; reads it."""
    return sketched_task(*sketch(source))


class Sketch(NamedTuple):
    """What a task of a file needs to know of its data: a few of them, and how many examples there are."""

    few: Dataset
    examples: int


def sketch(source: DataFile) -> tuple[DataFile, Sketch]:
    """A file, and the sketch of its data; reads the file."""
    import numpy as np

    train, _ = source.make(source.format.open().SETTINGS())
    few = take(train, np.arange(min(HEAD, len(train))), train.name)
    return source, Sketch(few, len(train))


def sketched_task(source: DataFile, found: Sketch) -> Task:
    """The task of a file whose data are sketched; reads nothing."""
    module = source.format.open()
    about = f"Data from the file {source.path.name}."
    make = module.task(found.few)

    def task(learner: str = "one-slack", why: str = "") -> Task:
        title = source.path.name
        return make(
            source.name, title, module.SETTINGS, learner, NOTHING, source=source, about=about, why=why
        )

    return task(*suited_to(task(), found))


def suited_to(task: Task, found: Sketch) -> tuple[str, str]:
    """Who learns the task of these data, and why: told by a few of them."""
    parts = Parts(task.losses[task.loss_name("")], Pricing(), task.oracle(""), task.oracle(""), task.model)
    few, _ = task.prepare(found.few, None, task.model)
    learner, why = suited_learner(task.build(few, parts), found.examples)
    return name_of(learner), why


__all__ = [
    "FORMATS",
    "DataFile",
    "Format",
    "Sketch",
    "changed_at",
    "checked_reading",
    "checksum_of",
    "file_task",
    "format_named",
    "format_of",
    "sample",
    "sketch",
    "sketched_task",
]
