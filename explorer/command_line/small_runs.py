"""Small runs that ask for every kernel, with the array types of real runs: what there is to compile.

Tiny problems of every kind are run through every learner that takes them, under every price; the kernels that
only the pages ask for are called with the same arrays. The runs are cut into parts that have few kernels in
common, so that each core can compile a part of its own.
"""

from dataclasses import fields
from itertools import product

import numpy as np

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.catalogue.tasks import task_named
from explorer.engine.catalogue.trees import INPUT_KERNELS
from explorer.engine.data.random_fields import random_fields
from explorer.engine.data.readers.treebank import micro_treebank
from explorer.engine.learners import LEARNERS, OneSlack, name_of
from explorer.engine.refusals import Refused
from explorer.engine.runs.streams import Until, train
from explorer.engine.structures.chains.kernels.forward_backward import log_partition
from explorer.engine.structures.chains.kernels.k_best import k_best
from explorer.engine.structures.chains.kernels.min_marginals import max_marginals
from explorer.engine.structures.chains.kernels.viterbi import viterbi, viterbi_tables
from explorer.engine.structures.chains.problem import Chain
from explorer.engine.structures.fields.oracles import FIELD_ORACLES, Greedy
from explorer.engine.structures.fields.oracles.belief import propagate
from explorer.engine.structures.fields.oracles.expansion import expand
from explorer.engine.structures.fields.oracles.graph_cut import cut_of
from explorer.engine.structures.trees.dual_problem import KernelTrees

DENSE = {"n": 2, "n_test": 1, "length": 10}
SPARSE = {"n": 3, "n_test": 1, "vocabulary": 30, "tags": 2}
WIDE = {"n": 3, "n_test": 1, "vocabulary": 3000, "tags": 2}
PICTURES = {"n": 2, "n_test": 1, "size": 3}
TREES = {"n": 2, "n_test": 1, "nodes": 3}
SUBSETS = {"n": 5, "n_test": 1}
POINTS = {"n": 2, "n_test": 1, "points": 6, "groups": 2}
PRICES = (("margin", "linear"), ("slack", "linear"), ("margin", "squared"))
STEPS = 3


def try_run(recipe: Recipe) -> bool:
    """Run a few steps; False when the learner refuses."""
    rule = Until(relative_gap=0.0, steps=STEPS)
    try:
        problem, test = recipe.problem()
        for _ in train(problem, recipe.make_learner(), rule=rule, test=test, look_every=0.0):
            pass
    except Refused:
        return False
    return True


def first_run() -> None:
    """The run that the first page shows, with fewer words."""
    try_run(Recipe("digit-words", {"n": 5, "n_test": 1}, learner="one-slack"))
    try_run(Recipe("digit-words", {"n": 5, "n_test": 1}))


def first_pictures() -> None:
    """What is seen of a sequence. Before that the steps of the dual: the first run comes to them later, and
    finds them.
    """
    try_run(Recipe("circle", learner="sequential-dual"))
    problem, _ = Recipe("blocks", DENSE).problem()
    assert isinstance(problem, Chain)
    w = np.zeros(problem.dim)
    problem.marginals(w, 0)
    chain, truth = problem.chains(w, 0, 1), problem.dataset.labels[0]
    # To a kernel, labels of the data, which nobody may write to, are another type than what an oracle found.
    problem.features(0, truth)
    chain.scores(truth)
    problem.separator.most_violated(chain, truth, problem.delta, problem.pricing)
    scores = (chain.unary, chain.trans, chain.start, chain.stop)
    T, K = chain.unary.shape
    viterbi(*scores, np.empty(T, np.int64))
    viterbi_tables(*scores, np.empty((T, K)), np.empty((T, K), np.int64))
    max_marginals(*scores, np.empty((T, K)))
    log_partition(*scores, np.empty((T, K)))
    k_best(*scores, 2, np.empty(2), np.empty((2, T), np.int64))


def sequences() -> None:
    """Chains and classes with every learner, loss and price."""
    kinds = [("blocks", DENSE), ("tagging", SPARSE), ("circle", {}), ("two-gaussians", {"per_class": 3})]
    for (task, data), learner in product(kinds, LEARNERS):
        try_run(Recipe(task, data, learner=name_of(learner)))
    try_run(Recipe("tagging", WIDE))
    for loss, (scaling, penalty) in product(("hamming", "hamming-normalised", "zero-one"), PRICES):
        try_run(Recipe("blocks", DENSE, loss, scaling, penalty, learner="n-slack"))


def with_every_oracle(task: str, data: dict[str, int]) -> None:
    """A task of labelled graphs, block by block and with each of its oracles."""
    try_run(Recipe(task, data, learner="sequential-dual"))
    for title in task_named(task).oracles:
        try_run(Recipe(task, data, oracle=title, predictor=title, learner="one-slack"))


def pictures() -> None:
    """Grids of two states."""
    with_every_oracle("blobs", PICTURES)


def boxes() -> None:
    """Boxes in pictures, by both searches."""
    for title in task_named("detection").oracles:
        try_run(Recipe("detection", {**PICTURES, "size": 8}, oracle=title, predictor=title))


def label_sets() -> None:
    """Complete graphs, whose relaxations are fractional."""
    with_every_oracle("synth2", SUBSETS)


def graphs() -> None:
    """Grids of several states, trees, and what the lab shows of the oracles at work."""
    with_every_oracle("stripes", PICTURES)
    with_every_oracle("trees", TREES)
    for states, edges in ((2, "complete"), (3, "complete"), (2, "tree")):
        fields = random_fields(2, 6, states, edges=edges)
        for oracle in FIELD_ORACLES:
            if oracle().refuses(fields) is None:
                oracle().solve(fields)
    attracting = random_fields(1, 4, 2, attraction=1.0)
    cut_of(attracting)
    expand(attracting)
    propagate(attracting, 2, 0.0, 0.0, record=True)
    Greedy().path(attracting)


def clusterings() -> None:
    """Item sets with every loss, price and oracle."""
    for task, data in (("clouds", POINTS), ("synth", POINTS | {"groups": 2, "per_group": 3})):
        known = {f.name: data[f.name] for f in fields(task_named(task).data) if f.name in data}
        for loss, (scaling, penalty) in product(task_named(task).losses, PRICES):
            for title in task_named(task).oracles:
                try_run(Recipe(task, known, loss, scaling, penalty, title, title, "one-slack"))
    try_run(Recipe("coreference", {"n": 2, "n_test": 1, "entities": 3}))
    try_run(Recipe("web-pages", {"sets": 2, "pages": 8}))


def links_and_trees() -> None:
    """Clusterings as forests of links, and dependency trees, in the dual form with and without index."""
    for scaling, penalty in PRICES:
        try_run(Recipe("links", loss="mitre", scaling=scaling, penalty=penalty))
    for kernel in INPUT_KERNELS:
        model = {"kernel": kernel}
        try_run(Recipe("register-trees", {"n": 3, "n_test": 1}, model=model, predictor="greedy heads"))
    for title in task_named("micro-trees").oracles:
        try_run(Recipe("micro-trees", oracle=title, predictor=title))
    for by_index in (True, False):
        problem = KernelTrees(micro_treebank(), by_index=by_index)
        for _ in train(problem, OneSlack(), rule=Until(steps=STEPS), look_every=0.0):
            pass


FIRST = {"the first run": first_run, "its pictures": first_pictures}
"""What the first page asks for."""

OTHERS = {
    "sequences": sequences,
    "pictures": pictures,
    "boxes": boxes,
    "label sets": label_sets,
    "graphs": graphs,
    "clusterings": clusterings,
    "links and trees": links_and_trees,
}
"""What other tasks and pages ask for: first what stands nearest to the first page, then the longest."""
