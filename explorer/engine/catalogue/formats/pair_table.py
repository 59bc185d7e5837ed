"""Sets of items in a table of pairs with a table of clusters beside it (`readers.pair_table`): correlation
clustering by greedy merges. A model takes item sets; predictions are a table of clusters.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from explorer.engine.catalogue.clusterings import PLAIN, partitions
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
from explorer.engine.data.readers.pair_table import CLUSTERS, PAIRS, read_item_sets, read_pair_table
from explorer.engine.data.writers.pair_table import cluster_table
from explorer.engine.knobs import settings
from explorer.engine.refusals import Refused

READING: Mapping[str, type] = {"features": list}


@settings
class PairData:
    """Sets of items with their clusters, from two tables."""

    held_out: float = held_out()
    draw: int = draw()


SETTINGS = PairData


def task(train: Dataset) -> Callable[..., Task]:
    """Clusterings."""
    return partial(partitions, model=PLAIN)


def pair(path: Path, test: Path | None, choices: FileChoices, settings: PairData) -> Pair:
    """The sets of both files, which must have the same features."""
    train = read_pair_table(path)
    other = None if test is None else read_pair_table(test)
    names = list(train.meta["features"])
    if other is not None and list(other.meta["features"]) != names:
        raise Refused(f"{test} has other features than {path}: give it {', '.join(names)}")
    return divide(remember(train, "pair_table", features=names), settings, other)


def examples(path: Path, reading: Plain) -> FileContent:
    """The item sets, and the clusters of their items where there is a table of them."""
    sets, clusters = read_item_sets(path, reading["features"])
    return FileContent(list(sets.values()), clusters)


def label_file(path: Path, labels: Sequence[Any], reading: Plain) -> Mapping[str, bytes]:
    """The table of clusters that belongs to the file; clusters are numbered from 1 within each set."""
    sets, _ = read_item_sets(path, reading["features"])
    rows = [
        (name, str(item), str(int(cluster) + 1))
        for (name, x), own in zip(sets.items(), labels, strict=True)
        for item, cluster in zip(x.names, own, strict=True)
    ]
    return {path.name.removesuffix(PAIRS) + CLUSTERS: cluster_table(rows).encode()}
