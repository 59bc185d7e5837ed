"""Dependency trees of sentences: their model, losses and tasks."""

from collections.abc import Mapping
from functools import partial

from explorer.engine.catalogue.task import Parts, Task
from explorer.engine.contracts import Dataset, Loss
from explorer.engine.data.readers.treebank import MicroTrees
from explorer.engine.data.register import RegisterTrees
from explorer.engine.knobs import knob, settings
from explorer.engine.losses import Hamming
from explorer.engine.structures.trees.dual_problem import KernelTrees
from explorer.engine.structures.trees.edge_hashes import DISTANCES, EdgeHash
from explorer.engine.structures.trees.input_kernels import BagOfWords, Constant, InputKernel, Subsequences
from explorer.engine.structures.trees.oracles import TREE_ORACLES
from explorer.engine.structures.trees.problem import DependencyTrees
from explorer.engine.structures.trees.sentences import LAYERS

INPUT_KERNELS: Mapping[str, InputKernel] = {
    "bag of words": BagOfWords(),
    "polynomial": BagOfWords(2),
    "subsequences": Subsequences(),
    "none": Constant(),
}
"""How two sentences are compared."""

WRITTEN_OUT, DUAL = "written out", "dual"
LOSSES: Mapping[str, Loss] = {"attachment-error": Hamming(normalised=True), "wrong-heads": Hamming()}


@settings
class TreeModel:
    """How two sentences and two edges are compared."""

    kernel: str = knob(
        "bag of words", "How alike two sentences are: the input kernel.", choices=tuple(INPUT_KERNELS)
    )
    layer: str = knob("tags", "What is compared of an edge's head and dependent.", choices=LAYERS)
    distance: str = knob("bucketed", "What is compared of an edge's direction and length.", choices=DISTANCES)
    word_pairs: bool = knob(False, "Compare the words of head and dependent too: a second hash function.")
    buckets: int = knob(
        0, "Hash edges into this many buckets; 0 keeps all kinds of edges apart.", low=0, high=1_000_000
    )
    form: str = knob(
        WRITTEN_OUT,
        "Write the weights out, or keep them as a sum over sentences, which any treebank has room for.",
        choices=(WRITTEN_OUT, DUAL),
    )


def dependency(data: Dataset, parts: Parts[TreeModel]) -> DependencyTrees | KernelTrees:
    """Dependency trees with a joint kernel of sentences and trees."""
    model = parts.model
    own = EdgeHash(model.layer, model.distance)
    kind = KernelTrees if model.form == DUAL else DependencyTrees
    return kind(
        data,
        (own, EdgeHash("words", "none")) if model.word_pairs else (own,),
        INPUT_KERNELS[model.kernel],
        parts.loss,
        parts.pricing,
        parts.separator,
        parts.predictor,
        model.buckets,
    )


treebanks = partial(Task, losses=LOSSES, oracle_types=TREE_ORACLES, build=dependency)

TASKS = (
    treebanks(
        "register-trees",
        "Trees in two registers",
        RegisterTrees,
        "one-slack",
        {"C": 10.0, "eps": 1e-3},
        model=TreeModel(),
    ),
    treebanks(
        "micro-trees",
        "Four German sentences",
        MicroTrees,
        "one-slack",
        {"C": 1.0, "eps": 1e-3},
        model=TreeModel(distance="direction"),
    ),
)
