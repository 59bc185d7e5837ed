"""Sets of items as two tables: `x.pairs.csv` with features of every pair, `x.clusters.csv` with the cluster
of every item.

    set,first,second,same sound,shared strokes        set,item,cluster
    print,a,b,0.2,1                                   print,a,vowel
    print,a,c,0.1,2                                   print,b,consonant

The first line names the columns; what comes after `second` are the features, finite numbers. Every pair of
the items of a set is there once, in either order. Sets and items keep the order of the cluster table. At most
MOST_ITEMS items in a set and MOST_NUMBERS numbers in all: what is larger is refused before it is stored.
Cost: one look at every line.
"""

import csv
import io
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from explorer.engine.contracts import Dataset
from explorer.engine.data.item_sets import item_sets
from explorer.engine.data.readers.files import text_of
from explorer.engine.refusals import Refused
from explorer.engine.structures.clusterings.item_sets import ItemSet, item_set
from explorer.engine.structures.clusterings.partitions import pair_count
from explorer.engine.vectors import Array, Ints

PAIRS, CLUSTERS = ".pairs.csv", ".clusters.csv"
MOST_BYTES = 200_000_000
MOST_ITEMS, MOST_NUMBERS = 2000, 5_000_000
PAIR_COLUMNS, CLUSTER_COLUMNS = ["set", "first", "second"], ["set", "item", "cluster"]
Line = tuple[int, list[str]]
"""Number and cells."""


@dataclass(slots=True)
class Items:
    """The items of one set with their clusters, the features of their pairs, and the line of each pair (0:
    none yet).
    """

    at: dict[str, int] = field(default_factory=dict)
    clusters: list[str] = field(default_factory=list)
    rows: Array = field(default_factory=lambda: np.zeros((0, 0)))
    lines: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))


def clusters_beside(path: str | Path) -> Path:
    """The cluster table that belongs to a pair table: x.clusters.csv beside x.pairs.csv."""
    source = Path(path)
    if not source.name.endswith(PAIRS):
        raise Refused(f"{source} does not end in {PAIRS}; name it so, or name the cluster table too")
    return source.with_name(source.name.removesuffix(PAIRS) + CLUSTERS)


def read_pair_table(path: str | Path, clusters: str | Path | None = None) -> Dataset:
    """The sets of a pair table and of its cluster table, which is looked for beside it."""
    second = clusters_beside(path) if clusters is None else Path(clusters)
    text = text_of(path, MOST_BYTES, f"a table of pairs, {', '.join(PAIR_COLUMNS)} and features")
    groups = text_of(second, MOST_BYTES, f"a table of clusters, {', '.join(CLUSTER_COLUMNS)}")
    return parse_pair_table(text, groups, str(path), str(second))


def parse_pair_table(
    text: str, clusters: str, where: str = "the pairs", where_clusters: str = "the clusters"
) -> Dataset:
    """The sets of two texts; the names say where a refusal is."""
    sets = _clusters(clusters, where_clusters)
    features = _fill(sets, text, where, where_clusters)
    labels = [[items.clusters.index(cluster) for cluster in items.clusters] for items in sets.values()]
    about = f"{len(sets)} sets of items with {len(features)} features of each pair, from a file."
    return item_sets(Path(where).name, _inputs(sets), labels, features, about, each={"sets": tuple(sets)})


def read_item_sets(
    path: str | Path, features: Sequence[str]
) -> tuple[dict[str, ItemSet], list[list[str]] | None]:
    """The sets of a pair table by name, and the clusters of their items if there is a cluster table beside
    it; without one, sets and items have the order in which the pairs name them. The features must be these.
    """
    text = text_of(path, MOST_BYTES, f"a table of pairs, {', '.join(PAIR_COLUMNS)} and features")
    second = clusters_beside(path) if str(path).endswith(PAIRS) else None
    known = second is not None and second.exists()
    where = str(second) if known else str(path)
    sets = (
        _clusters(text_of(where, MOST_BYTES, "a table of clusters"), where) if known else _named(text, where)
    )
    found = _fill(sets, text, str(path), where)
    if found != tuple(features):
        raise Refused(
            f"{path}, line 1, names the features {', '.join(found)}; the model wants {', '.join(features)}"
        )
    inputs = dict(zip(sets, _inputs(sets), strict=True))
    return inputs, [items.clusters for items in sets.values()] if known else None


def feature_names(path: str | Path) -> tuple[str, ...]:
    """The features that the first line of a pair table names."""
    text = text_of(path, MOST_BYTES, f"a table of pairs, {', '.join(PAIR_COLUMNS)} and features")
    return _features(_lines(text, str(path)), str(path))


def _named(text: str, where: str) -> dict[str, Items]:
    """The items that the pairs of a text name."""
    sets: dict[str, Items] = {}
    lines = _lines(text, where)
    _features(lines, where)
    for number, cells in lines:
        if len(cells) < 3:
            raise Refused(
                f"{where}, line {number} has {len(cells)} cells; give set, first, second and features"
            )
        items = sets.setdefault(cells[0], Items())
        for item in cells[1:3]:
            if item not in items.at:
                _add_item(items, f"{where}, line {number}", cells[0], item, "")
    if not sets:
        raise Refused(f"{where} names no pair; give a line for each: set, first, second and features")
    return sets


def _fill(sets: dict[str, Items], text: str, where: str, where_items: str) -> tuple[str, ...]:
    """Read the features of all pairs; returns their names."""
    lines = _lines(text, where)
    features = _features(lines, where)
    _make_room(sets, len(features), where_items)
    for number, cells in lines:
        _read_pair(sets, features, number, cells, f"{where}, line {number}", where_items)
    for name, items in sets.items():
        _check_complete(name, items, where)
    return features


def _inputs(sets: dict[str, Items]) -> list[ItemSet]:
    return [
        item_set(len(s.at), pairs=s.rows, names=tuple(s.at), where=f"set {name!r}")
        for name, s in sets.items()
    ]


def _lines(text: str, where: str) -> Iterator[Line]:
    """Every line that is not empty, with its number."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    while True:
        try:
            cells = next(reader, None)
        except csv.Error as error:
            raise Refused(
                f"{where}, line {reader.line_num}, is no CSV ({error}); mend its quotation marks"
            ) from error
        if cells is None:
            return
        if any(cell.strip() for cell in cells):
            yield reader.line_num, [cell.strip() for cell in cells]


def _header(lines: Iterator[Line], where: str, columns: list[str], more: str) -> list[str]:
    """The names of the columns, which begin as they must."""
    number, cells = next(lines, (0, []))
    if not cells:
        raise Refused(f"{where} is empty; give a first line {','.join(columns)}{more} and lines below it")
    if cells[: len(columns)] != columns:
        raise Refused(
            f"{where}, line {number} begins {','.join(cells)[:60]!r}; name the columns "
            f"{','.join(columns)}{more}"
        )
    return cells


def _features(lines: Iterator[Line], where: str) -> tuple[str, ...]:
    named = _header(lines, where, PAIR_COLUMNS, " and the features")[len(PAIR_COLUMNS) :]
    if not named or not all(named) or len(set(named)) < len(named):
        raise Refused(
            f"{where}, line 1, names the features {str(named)[:80]}; give at least one, each its own name"
        )
    return tuple(named)


def _clusters(text: str, where: str) -> dict[str, Items]:
    """The items of every set and their clusters."""
    lines = _lines(text, where)
    _header(lines, where, CLUSTER_COLUMNS, "")
    sets: dict[str, Items] = {}
    for number, cells in lines:
        place = f"{where}, line {number}"
        if len(cells) != 3 or not all(cells):
            raise Refused(
                f"{place} has {len(cells)} cells or an empty one; give a set, an item and its cluster"
            )
        _add_item(sets.setdefault(cells[0], Items()), place, *cells)
    if not sets:
        raise Refused(f"{where} names no item; give a line for each: set, item, cluster")
    return sets


def _add_item(items: Items, place: str, name: str, item: str, cluster: str) -> None:
    if item in items.at:
        known = items.clusters[items.at[item]]
        fix = "leave one line out" if known == cluster else "put it in one only"
        raise Refused(
            f"{place} puts item {item!r} of set {name!r} in {cluster!r}, but it is in {known!r}; {fix}"
        )
    if len(items.at) == MOST_ITEMS:
        raise Refused(
            f"{place}: set {name!r} has more than {MOST_ITEMS:,} items; split it, or leave some out"
        )
    items.at[item] = len(items.at)
    items.clusters.append(cluster)


def _make_room(sets: dict[str, Items], features: int, where: str) -> None:
    numbers = features * sum(pair_count(len(items.at)) for items in sets.values())
    if numbers > MOST_NUMBERS:
        raise Refused(
            f"{where}: all pairs of these items have {numbers:,} features, more than {MOST_NUMBERS:,}; give "
            "fewer items "
            "or features"
        )
    for items in sets.values():
        items.rows = np.full((pair_count(len(items.at)), features), np.nan)
        items.lines = np.zeros(len(items.rows), dtype=np.int64)


def _read_pair(
    sets: dict[str, Items],
    features: tuple[str, ...],
    number: int,
    cells: list[str],
    place: str,
    clusters: str,
) -> None:
    """Store the features of one pair."""
    if len(cells) != 3 + len(features):
        raise Refused(
            f"{place} has {len(cells)} cells; give {3 + len(features)}: set, first, second and the features"
        )
    items = sets.get(cells[0])
    if items is None:
        raise Refused(f"{place} is of set {cells[0]!r}, which has no clusters; add its items to {clusters}")
    row = _row(items, place, cells, clusters)
    if items.lines[row]:
        raise Refused(
            f"{place} repeats the pair of line {items.lines[row]}; give each pair once, in either order"
        )
    items.lines[row] = number
    items.rows[row] = [_number(value, name, place) for name, value in zip(features, cells[3:], strict=True)]


def _row(items: Items, place: str, cells: list[str], clusters: str) -> int:
    """The number of a pair among i < j."""
    for item in cells[1:3]:
        if item not in items.at:
            raise Refused(f"{place} names item {item!r}, which set {cells[0]!r} lacks; add it to {clusters}")
    i, j = sorted(items.at[item] for item in cells[1:3])
    if i == j:
        raise Refused(f"{place} pairs item {cells[1]!r} with itself; leave the line out")
    return i * len(items.at) - i * (i + 1) // 2 + j - i - 1


def _number(text: str, name: str, place: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or "_" in text:
        raise Refused(f"{place} has {text[:40]!r} as {name!r}; give a finite number")
    return value


def _check_complete(name: str, items: Items, where: str) -> None:
    """Refuse a set with a pair that is not there."""
    if not items.lines.all():
        row = int(np.argmin(items.lines != 0))
        i, j = (int(end[row]) for end in np.triu_indices(len(items.at), 1))
        named = list(items.at)
        raise Refused(
            f"{where}: set {name!r} lacks the pair {named[i]!r}, {named[j]!r}; give a line for every pair "
            "of its items"
        )
