"""`explorer warmup`: compile every kernel once, with the array types of real runs, so that nobody waits.

Tiny problems of every kind are run through every learner that takes them, under every price; the kernels
that only the pages ask for are called with the same arrays. What is compiled is cached on disk by numba.
"""

import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
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


def options(command: ArgumentParser) -> None:
    """Kernels, or the gallery's runs."""
    command.add_argument(
        "--runs", action="store_true", help="instead, train the gallery's runs and keep them on disk"
    )


def run(args: Namespace, say: Callable[[str], None]) -> int:
    """Compile, or train the gallery's runs."""
    began = time.perf_counter()
    if args.runs:
        # Loaded here: it needs the extra [app], compiling does not.
        from explorer.dashboards.gallery.page import make_all

        make_all()
        return 0
    say(f"all kernels are compiled: {warm()} small runs in {time.perf_counter() - began:.1f} s")
    return 0


def warm() -> int:
    """Compile; returns the number of small runs that were made."""
    count = 0
    for recipe in recipes():
        count += tried(recipe)
    for_pages(Recipe("blocks", DENSE))
    for_lab()
    for_index()
    return count


def recipes() -> Iterator[Recipe]:
    """Every kind of problem with every learner, every oracle of fields and clusterings, then every loss and
    price.
    """
    kinds = [("blocks", DENSE), ("tagging", SPARSE), ("circle", {}), ("two-gaussians", {"per_class": 3})]
    for task, data in kinds:
        for learner in LEARNERS:
            yield Recipe(task, data, learner=name_of(learner))
    yield Recipe("tagging", WIDE)
    for task, data in (("stripes", PICTURES), ("blobs", PICTURES), ("trees", TREES), ("synth2", SUBSETS)):
        yield Recipe(task, data, learner="sequential-dual")
        for title in task_named(task).oracles:
            yield Recipe(task, data, oracle=title, predictor=title, learner="one-slack")
    for task, data in (("clouds", POINTS), ("synth", POINTS | {"groups": 2, "per_group": 3})):
        for loss, (scaling, penalty) in product(task_named(task).losses, PRICES):
            for title in task_named(task).oracles:
                yield Recipe(task, kept(task, data), loss, scaling, penalty, title, title, "one-slack")
    for scaling, penalty in PRICES:
        yield Recipe("links", loss="mitre", scaling=scaling, penalty=penalty)
    for kernel in INPUT_KERNELS:
        yield Recipe(
            "register-trees", {"n": 3, "n_test": 1}, model={"kernel": kernel}, predictor="greedy heads"
        )
    for title in task_named("micro-trees").oracles:
        yield Recipe("micro-trees", oracle=title, predictor=title)
    yield Recipe("coreference", {"n": 2, "n_test": 1, "entities": 3})
    yield Recipe("web-pages", {"sets": 2, "pages": 8})
    for loss in ("hamming", "hamming-normalised", "zero-one"):
        for scaling, penalty in PRICES:
            yield Recipe("blocks", DENSE, loss, scaling, penalty, learner="n-slack")


def kept(task: str, data: dict[str, int]) -> dict[str, int]:
    """The settings that a task's data has."""
    return {f.name: data[f.name] for f in fields(task_named(task).data) if f.name in data}


def tried(recipe: Recipe) -> bool:
    """Run a few steps; False when the learner refuses."""
    rule = Until(relative_gap=0.0, steps=STEPS)
    try:
        problem, test = recipe.problem()
        for _ in train(problem, recipe.make_learner(), rule=rule, test=test, look_every=0.0):
            pass
    except Refused:
        return False
    return True


def for_lab() -> None:
    """Every oracle on fields that have a fractional relaxation, and the records that show them at work."""
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


def for_index() -> None:
    """The dual form of dependency trees, with and without index."""
    for by_index in (True, False):
        problem = KernelTrees(micro_treebank(), by_index=by_index)
        for _ in train(problem, OneSlack(), rule=Until(steps=STEPS), look_every=0.0):
            pass


def for_pages(recipe: Recipe) -> None:
    """The kernels that show a chain: tables, marginals, the k best paths."""
    problem, _ = recipe.problem()
    assert isinstance(problem, Chain)
    w = np.zeros(problem.dim)
    problem.marginals(w, 0)
    chain = problem.chains(w, 0, 1)
    scores = (chain.unary, chain.trans, chain.start, chain.stop)
    T, K = chain.unary.shape
    viterbi(*scores, np.empty(T, np.int64))
    viterbi_tables(*scores, np.empty((T, K)), np.empty((T, K), np.int64))
    max_marginals(*scores, np.empty((T, K)))
    log_partition(*scores, np.empty((T, K)))
    k_best(*scores, 2, np.empty(2), np.empty((2, T), np.int64))
