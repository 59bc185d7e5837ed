"""Sets of items with their clusterings, as one checked data set.

meta["features"] names every weight in the order of w: features of the items, then for each relation the
items' features and the relation itself, then features of pairs. meta["about"] is one sentence. meta["each"]
names the entries of meta that hold one thing for every set, such as the texts to show for its items. Cost:
one look at every clustering.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from explorer.engine.contracts import Dataset
from explorer.engine.refusals import Refused
from explorer.engine.structures.clusterings.item_sets import ItemSet
from explorer.engine.structures.clusterings.partitions import checked_labels
from explorer.engine.vectors import Array


def item_sets(
    name: str,
    inputs: Sequence[ItemSet],
    labels: Sequence[Any],
    features: Sequence[str],
    about: str,
    each: Mapping[str, Sequence[Any]] | None = None,
    **meta: Any,
) -> Dataset:
    """A data set of clusterings; `each` holds one thing for every set. A wrong number of names or labels is
    refused.
    """
    if not len(inputs):
        raise Refused(f"{name} has no item set; give at least one")
    if len(inputs) != len(labels):
        raise Refused(f"{name} has {len(inputs)} item sets but {len(labels)} clusterings; give one each")
    for i, x in enumerate(inputs):
        if x.dim != len(features):
            raise Refused(
                f"{name}: item set {i} has {x.dim} weights but {len(features)} names; name each weight"
            )
    truth = tuple(
        checked_labels(y, x.m, f"{name}: the clustering of item set {i}")
        for i, (x, y) in enumerate(zip(inputs, labels, strict=True))
    )
    own = {key: tuple(value) for key, value in (each or {}).items()}
    known = {"features": tuple(features), "about": about, "each": tuple(own)}
    return Dataset(name, tuple(inputs), truth, {**known, **own, **meta})


def take_sets(dataset: Dataset, at: Sequence[int], name: str) -> Dataset:
    """The sets at these places; what meta holds for each set is chosen along."""
    own = {key: tuple(dataset.meta[key][i] for i in at) for key in dataset.meta["each"]}
    meta = {**dataset.meta, **own}
    return Dataset(name, tuple(dataset.inputs[i] for i in at), tuple(dataset.labels[i] for i in at), meta)


def left_out(dataset: Dataset, fold: int) -> tuple[Dataset, Dataset]:
    """All sets but one to train on, and that one to test on; folds are counted from 1."""
    n = len(dataset)
    if n < 2:
        raise Refused(f"{dataset.name} has {n} item set; to leave one out there must be at least 2")
    if not 1 <= fold <= n:
        raise Refused(f"fold is {fold}; there are {n} item sets, choose 1 to {n}")
    rest = [i for i in range(n) if i != fold - 1]
    return take_sets(dataset, rest, dataset.name), take_sets(dataset, [fold - 1], f"{dataset.name} (test)")


def halves(dataset: Dataset, n: int) -> tuple[Dataset, Dataset]:
    """The first n sets to train on, the others to test on."""
    return take_sets(dataset, range(n), dataset.name), take_sets(
        dataset, range(n, len(dataset)), f"{dataset.name} (test)"
    )


def related_names(own: Sequence[str], relations: Sequence[str]) -> tuple[str, ...]:
    """The names of the weights of the items' features, and of each relation: its products, then itself."""
    return (*own, *(part for r in relations for part in (*(f"{r}: {each}" for each in own), r)))


def differences(values: Array) -> Array:
    """values_i - values_j of all pairs i < j; one column for each column."""
    i, j = np.triu_indices(len(values), 1)
    return np.asarray(values[i] - values[j])
