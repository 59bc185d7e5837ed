"""Problems from data files: `kitchen.svmlight` has rows with any subset of labels, `karate.graphml` a graph
with labelled nodes, `letters.pairs.csv` (with `letters.clusters.csv` beside it) sets of items to be
clustered, `animals.conllu` sentences with trees.

Labels of rows form a fully connected field, decoded by roof duality; graphs have shared pairwise weights,
decoded by the fast relaxation; items are clustered by correlation, with greedy merges; trees compare coarse
tags with bucketed distances and sentences by their words, and are found by Chu-Liu/Edmonds. `--oracle` and
`--predictor` choose others.
"""

from pathlib import Path

from explorer.engine.catalogue.oracle_names import oracle_named
from explorer.engine.contracts import Problem
from explorer.engine.data.readers.graphml import read_graphml
from explorer.engine.data.readers.pair_table import PAIRS, read_pair_table
from explorer.engine.data.readers.svmlight import read_multilabel
from explorer.engine.data.readers.treebank import read_treebank
from explorer.engine.structures.clusterings.problem import Clustering
from explorer.engine.structures.fields.graph_map import GraphMap
from explorer.engine.structures.fields.label_map import LabelMap, all_pairs
from explorer.engine.structures.fields.problem import FieldLabelling
from explorer.engine.structures.trees.dual_problem import KernelTrees
from explorer.engine.structures.trees.input_kernels import BagOfWords

TREES = (".conllu", ".conllx", ".conllu.gz", ".conllx.gz")
KINDS = (".svmlight", ".graphml", PAIRS, *TREES)


def is_data_file(text: str) -> bool:
    """Whether a task is the path of a file that can be read as data."""
    return Path(text).name.endswith(KINDS)


def file_problem(path: Path, oracle: str | None, predictor: str | None) -> Problem:
    """The problem that a data file poses."""
    if path.name.endswith(PAIRS):
        found = [oracle_named(text or "greedy merges") for text in (oracle, predictor)]
        return Clustering(
            read_pair_table(path), separator=found[0], predictor=found[1], normalise=False, name=path.name
        )
    if path.name.endswith(TREES):
        parsers = [oracle_named(text or "Chu-Liu/Edmonds") for text in (oracle, predictor)]
        text = read_treebank(path)
        return KernelTrees(
            text, kernel=BagOfWords(), separator=parsers[0], predictor=parsers[1], name=path.name
        )
    if path.suffix == ".svmlight":
        rows = read_multilabel(path)
        labels = len(rows.labels[0])
        first, data, features = "roof duality", rows, LabelMap(labels, all_pairs(labels))
    else:
        data = read_graphml(path)
        first, features = "fast relaxation", GraphMap(len(data.meta["states"]))
    asked = [oracle_named(text or first) for text in (oracle, predictor)]
    return FieldLabelling(data, features, separator=asked[0], predictor=asked[1], name=path.name)
