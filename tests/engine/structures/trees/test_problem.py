"""Dependency trees with written-out kernels, and their tasks."""

from typing import Any

import numpy as np
import pytest

from explorer.__main__ import main
from explorer.engine.contracts import Approximates, Dataset, Geometry, oracle_kind
from explorer.engine.data.readers.treebank import micro_treebank
from explorer.engine.data.register import register_treebank
from explorer.engine.learners import OneSlack
from explorer.engine.losses import ZeroOne
from explorer.engine.objective import mean_loss
from explorer.engine.pricing import Pricing
from explorer.engine.refusals import Refused
from explorer.engine.structures.trees import problem as dependency
from explorer.engine.structures.trees.edge_hashes import EdgeHash
from explorer.engine.structures.trees.heads import is_tree
from explorer.engine.structures.trees.input_kernels import BagOfWords, Constant
from explorer.engine.structures.trees.oracles import Arborescence, EveryTree, GreedyHeads, Projective
from explorer.engine.structures.trees.problem import DependencyTrees


def trained(problem: Any, C: float, eps: float = 0.01) -> Any:
    *_, last = OneSlack(C=C, eps=eps).steps(problem, np.random.default_rng(0))
    return last


@pytest.mark.spec("F50")
def test_only_the_words_tell_the_register() -> None:
    train, test = register_treebank(400, 400)
    errors = {}
    for kernel in (Constant(), BagOfWords(), BagOfWords(2)):
        problem = DependencyTrees(train, kernel=kernel)
        errors[str(kernel)] = 100.0 * mean_loss(problem.on(test), trained(problem, 1.0).w)
    none, words, squared = errors.values()
    assert 9.0 <= none <= 12.0
    assert words <= 2.0
    assert squared <= 2.0


@pytest.mark.spec("F14")
def test_with_more_buckets_less_is_lost() -> None:
    train, _ = register_treebank(60)
    plain = DependencyTrees(train)
    sizes = (1, 4, 16, plain.space.atoms.size)
    losses = []
    for buckets in sizes:
        problem = DependencyTrees(train, buckets=buckets)
        assert problem.dim == buckets
        losses.append(mean_loss(problem, trained(problem, 10.0, eps=0.02).w))
    assert losses[0] > losses[1] > losses[2] > losses[3]
    assert losses[3] == mean_loss(plain, trained(plain, 10.0, eps=0.02).w)


def test_oracles_say_what_kind_they_are_and_what_they_refuse() -> None:
    data = micro_treebank()
    for oracle, kind in ((Arborescence(), "exact"), (GreedyHeads(), "over"), (Projective(), "under")):
        problem = DependencyTrees(data, separator=oracle)
        assert isinstance(problem, Approximates)
        assert not isinstance(problem, Geometry)
        assert (oracle_kind(problem), problem.oracle_is_exact) == (kind, kind == "exact")
        assert (problem.exact_twin is None) == (kind == "exact")
    with pytest.raises(Refused, match="margin scaling and linear slacks"):
        DependencyTrees(data, pricing=Pricing("slack"))
    with pytest.raises(Refused, match="choose the attachment error"):
        DependencyTrees(data, delta=ZeroOne())
    with pytest.raises(Refused, match="tokens, and all trees are listed"):
        DependencyTrees(register_treebank(5)[0], separator=EveryTree())
    assert DependencyTrees(
        data, delta=ZeroOne(), pricing=Pricing("slack"), separator=EveryTree()
    ).oracle_is_exact


def test_greedy_heads_in_training_bound_a_relaxed_problem() -> None:
    train, test = register_treebank(40, 20)
    exact, relaxed = (DependencyTrees(train, separator=oracle) for oracle in (Arborescence(), GreedyHeads()))
    low, high = (trained(problem, 1.0, eps=1e-4) for problem in (exact, relaxed))
    assert high.bounds.primal >= low.bounds.dual - 1e-9
    assert not high.bounds.certificate
    assert all(is_tree(y) for y in relaxed.on(test).predictions(high.w))


def test_sentences_and_trees_that_do_not_fit_are_refused() -> None:
    data = micro_treebank()
    for inputs, labels, said in (
        ((), (), "empty"),
        (data.inputs, data.labels[:3], "4 sentences and 3 trees"),
        (("Hund bellt",), ([0, 1],), "make it with sentences.sentence"),
        (data.inputs[:1], ([2, 1, 0],), "run in a circle"),
    ):
        with pytest.raises(Refused, match=said):
            DependencyTrees(Dataset("bad", inputs, labels))


def test_what_would_fill_the_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dependency, "MOST_WEIGHTS", 100)
    with pytest.raises(Refused, match="4 coordinates of sentences times 36 kinds of edges are 144 weights"):
        DependencyTrees(micro_treebank(), kernel=BagOfWords())
    assert DependencyTrees(micro_treebank(), kernel=BagOfWords(), buckets=10).dim == 40


def test_hashes_have_names() -> None:
    problem = DependencyTrees(micro_treebank(), (EdgeHash("tags", "direction"),))
    assert problem.feature_names[0] == "root > D +1"
    assert len(problem.feature_names) == problem.dim
    wide = DependencyTrees(micro_treebank(), kernel=BagOfWords())
    assert wide.feature_names[-1].endswith("coordinate 4")


def test_the_task_trains_from_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["train", "micro-trees", "--data", "kernel=none", "--relative-gap", "1e-6", "--set", "eps=1e-6"])
        == 0
    )
    out = capsys.readouterr().out
    assert float(out.split("primal ")[1].split(",")[0]) == pytest.approx(0.200465, abs=1e-6)
    assert "a certificate, the oracle is exact" in out
    asked = ["train", "register-trees", "--data", "n=30", "--data", "n_test=10", "--oracle", "greedy heads"]
    assert main([*asked, "--steps", "3"]) == 0
    assert "the oracle is relaxed" in capsys.readouterr().out
