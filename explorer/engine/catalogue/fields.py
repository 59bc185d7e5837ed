"""Labelled graphs and label sets: their models, losses and tasks."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from explorer.engine.catalogue.task import SHOWN, Pair, Parts, Task, with_first
from explorer.engine.contracts import Dataset, Loss
from explorer.engine.data.karate import Clubs
from explorer.engine.data.multilabel import Synth1, Synth2
from explorer.engine.data.stripes import Blobs, Stripes
from explorer.engine.data.trees import Trees
from explorer.engine.knobs import knob, settings
from explorer.engine.losses import FScore, Hamming
from explorer.engine.structures.fields.graph_map import GraphMap
from explorer.engine.structures.fields.graphs import across_and_down
from explorer.engine.structures.fields.label_map import LabelMap, all_pairs, tree_pairs
from explorer.engine.structures.fields.layout import FULL, NONE, SYMMETRIC
from explorer.engine.structures.fields.oracles import FIELD_ORACLES
from explorer.engine.structures.fields.problem import FieldLabelling, FieldMap

DIRECTIONAL = "directional"
PAIRWISE = {"shared": FULL, "symmetric": SYMMETRIC, DIRECTIONAL: FULL, "none": NONE}
"""Which edges share pairwise weights: all, also (a, b) with (b, a), those across and those down a grid,
none.
"""

EDGES = ("full", "tree", "none")
"""Which labels depend on each other: all pairs, a spanning tree, or none."""

NODES: Mapping[str, Loss] = {"hamming": Hamming(), "hamming-normalised": Hamming(normalised=True)}
LABEL_SETS: Mapping[str, Loss] = {
    "hamming-percent": Hamming(normalised=True, times=100.0),
    **NODES,
    "f-score": FScore(),
}


@settings
class GraphModel:
    """The pairwise weights of graphs."""

    pairwise: str = knob(
        "shared",
        "How neighbours are scored; none leaves only the nodes' own weights.",
        choices=tuple(PAIRWISE),
    )


@settings
class LabelSetModel:
    """The pairwise weights of label sets."""

    edges: str = knob("full", "Which labels depend on each other.", choices=EDGES)


def with_directions(train: Dataset, test: Dataset | None, model: GraphModel) -> Pair:
    """The graphs, with edges that tell across from down where the model asks for it."""
    if model.pairwise != DIRECTIONAL:
        return train, test
    return told_apart(train), None if test is None else told_apart(test)


def told_apart(data: Dataset) -> Dataset:
    """The same grids with two kinds of edges."""
    return replace(data, inputs=tuple(across_and_down(x) for x in data.inputs))


def graph(data: Dataset, parts: Parts[GraphModel]) -> FieldLabelling:
    """One state for every node of a graph."""
    return labelling(
        data, GraphMap(len(data.meta["states"]), PAIRWISE[parts.model.pairwise]), parts, "graph labelling"
    )


def label_sets(data: Dataset, parts: Parts[LabelSetModel]) -> FieldLabelling:
    """Any subset of labels for every row."""
    labels = np.asarray(data.labels)
    count = labels.shape[1]
    pairs = {"full": all_pairs(count), "tree": tree_pairs(labels), "none": ()}[parts.model.edges]
    return labelling(data, LabelMap(count, pairs), parts, "multi-label")


def labelling(
    data: Dataset, map: FieldMap, parts: Parts[GraphModel] | Parts[LabelSetModel], name: str
) -> FieldLabelling:
    """A field with these features."""
    return FieldLabelling(data, map, parts.loss, parts.pricing, parts.separator, parts.predictor, name)


graphs = partial(Task, losses=NODES, build=graph, prepare=with_directions)
subsets = partial(
    Task,
    losses=LABEL_SETS,
    oracle_types=with_first("exhaustive", FIELD_ORACLES),
    build=label_sets,
    model=LabelSetModel(),
)
FAST, ROOF, TREE = (
    with_first(title, FIELD_ORACLES) for title in ("fast relaxation", "roof duality", "tree max-product")
)
SHARED, ALIKE = GraphModel(), GraphModel("symmetric")

TASKS = (
    graphs("stripes", "Striped pictures", Stripes, "one-slack", {"C": 10.0}, oracle_types=FAST, model=SHARED),
    graphs("blobs", "Ink blobs", Blobs, "one-slack", {"C": 10.0}, oracle_types=ROOF, model=ALIKE),
    graphs(
        "trees",
        "Labelled trees",
        Trees,
        "sequential-dual",
        {**SHOWN, "C": 10.0},
        oracle_types=TREE,
        model=SHARED,
    ),
    graphs("clubs", "Karate clubs", Clubs, "one-slack", {"C": 10.0}, oracle_types=ROOF, model=ALIKE),
    subsets("synth1", "Synth1: six labels in a row", Synth1, "sequential-dual", {**SHOWN, "C": 1000.0}),
    subsets("synth2", "Synth2: one label of ten", Synth2, "sequential-dual", {**SHOWN, "C": 1000.0}),
)
