"""The kernel machine on trees: published optima, explicit features beside it, an independent solver above
it.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from explorer.engine.contracts import Batch, Dataset, Enumerates, Geometry
from explorer.engine.data.readers.treebank import micro_treebank, read_treebank
from explorer.engine.data.register import register_treebank
from explorer.engine.learners import LEARNERS, NSlack, OneSlack
from explorer.engine.objective import mean_loss, mean_plane, norm2, sweep, value
from explorer.engine.refusals import Refused
from explorer.engine.structures.trees.dual_problem import KernelTrees
from explorer.engine.structures.trees.edge_hashes import EdgeHash
from explorer.engine.structures.trees.input_kernels import BagOfWords, Constant, Subsequences, between
from explorer.engine.structures.trees.kernels.hash_products import symbol_product
from explorer.engine.structures.trees.problem import DependencyTrees
from explorer.engine.structures.trees.sentences import treebank
from explorer.engine.vectors import dense
from tests.referee import optimum

DIRECTED = (EdgeHash("tags", "direction"),)
TWO = (*DIRECTED, EdgeHash("words", "none"))


def trained(problem: Any, C: float, eps: float = 1e-6) -> Any:
    *_, last = OneSlack(C=C, eps=eps).steps(problem, np.random.default_rng(0))
    return last


@pytest.mark.spec("F16")
@pytest.mark.parametrize(
    ("kernel", "C", "J", "norm", "xi"),
    [
        (Constant(), 0.1, 0.084159, 0.031681, 0.683187),
        (Constant(), 1.0, 0.200465, 2 * 0.200465, 0.0),
        (Constant(), 100.0, 0.200465, 2 * 0.200465, 0.0),
        (BagOfWords(), 0.1, 0.067748, 2 * (0.067748 - 0.0360562), 0.360562),
        (BagOfWords(), 1.0, 0.086013, 2 * 0.086013, 0.0),
        (BagOfWords(2), 0.1, 0.016068, 2 * 0.016068, 0.0),
    ],
    ids=str,
)
def test_the_published_optima_of_the_micro_treebank(
    kernel: Any, C: float, J: float, norm: float, xi: float
) -> None:
    problem = KernelTrees(micro_treebank(), DIRECTED, kernel)
    last = trained(problem, C)
    assert last.bounds.certificate
    assert last.bounds.primal == pytest.approx(J, abs=1e-5)
    assert last.bounds.dual == pytest.approx(J, abs=1e-5)
    assert norm2(problem, last.w) == pytest.approx(norm, abs=1e-5)
    assert last.detail["xi"] == pytest.approx(xi, abs=1e-5)
    assert mean_loss(problem, last.w) == 0.0
    assert value(problem, last.w, C) == pytest.approx(J, abs=1e-5)


@pytest.mark.spec("F16")
@pytest.mark.parametrize("kernel", [Constant(), BagOfWords(), Subsequences()], ids=str)
def test_an_independent_solver_with_all_282_trees_finds_the_same_optimum(kernel: Any) -> None:
    data = micro_treebank()
    explicit = DependencyTrees(data, DIRECTED, kernel)
    assert sum(explicit.labellings_count(i) for i in range(4)) == 282
    wanted = optimum(explicit, 0.3)
    for learner in (OneSlack(C=0.3, eps=1e-7), NSlack(C=0.3, eps=1e-7)):
        for problem in (explicit, KernelTrees(data, DIRECTED, kernel)):
            *_, last = learner.steps(problem, np.random.default_rng(0))
            assert last.bounds.primal == pytest.approx(wanted.value, abs=1e-6)


@pytest.mark.spec("F15")
def test_weights_of_two_hashes_add_up_and_their_optimum_is_the_published_one() -> None:
    data = micro_treebank()
    both = KernelTrees(data, TWO, BagOfWords())
    assert trained(KernelTrees(data, TWO), 1.0).bounds.primal == pytest.approx(0.123847, abs=1e-5)
    rng = np.random.default_rng(0)
    w = rng.normal(size=both.dim)
    atoms, post = both.basis.atoms, both.basis.postings
    first = np.array([atom[0] == 0 for atom in atoms.known])[post.atom]
    parts = []
    for f, one in enumerate(TWO):
        alone = KernelTrees(data, (one,), BagOfWords())
        assert alone.dim == int(np.count_nonzero(first == (f == 0)))
        parts.append(alone.tables(w[first == (f == 0)], 0, alone.n).scores)
    assert both.tables(w, 0, both.n).scores == pytest.approx(parts[0] + parts[1], abs=1e-12)


@pytest.mark.spec("F17")
@pytest.mark.parametrize("kernel", [Constant(), BagOfWords()], ids=str)
def test_explicit_features_and_kernels_make_the_same_planes_and_scores(kernel: Any) -> None:
    data = micro_treebank()
    both = [cls(data, DIRECTED, kernel) for cls in (DependencyTrees, KernelTrees)]
    runs = [list(OneSlack(C=1.0, eps=1e-3).steps(problem, np.random.default_rng(0))) for problem in both]
    assert len(runs[0]) == len(runs[1]) > 5
    for explicit, implicit in zip(*runs, strict=True):
        a, b = explicit.cuts[0].label, implicit.cuts[0].label
        assert [y.tolist() for y in a] == [y.tolist() for y in b]
        scores = both[0].tables(explicit.w, 0, 4).scores, both[1].tables(implicit.w, 0, 4).scores
        assert scores[0] == pytest.approx(scores[1], abs=1e-8)
        assert explicit.bounds.primal == pytest.approx(implicit.bounds.primal, abs=1e-8)


@pytest.mark.spec("F18")
def test_the_weights_of_a_trees_edges_add_up_to_its_kernel_expansion() -> None:
    train, test = register_treebank(25, 5)
    assert test is not None
    problem = KernelTrees(train, TWO, BagOfWords())
    state = trained(problem, 1.0, eps=0.05).state
    w = trained(problem, 1.0, eps=0.05).w
    atoms, n = problem.basis.atoms, problem.n
    K = between(BagOfWords(), test.inputs, train.inputs)
    for t, (x, y) in enumerate(zip(test.inputs, test.labels, strict=True)):
        mine = atoms.of(x)[:, y, np.arange(len(y))].ravel()
        wanted = 0.0
        for plane, alpha in zip(state["planes"], np.append(state["alpha"], 0.0), strict=False):
            for i, label in enumerate(plane.label):
                table, m = atoms.of(train.inputs[i]), np.arange(len(label))
                both = (table[:, heads, m].ravel() for heads in (train.labels[i], label))
                right, wrong = (
                    int(np.sum((mine[:, None] == found) & (mine[:, None] >= 0))) for found in both
                )
                wanted += alpha / n * K[t, i] * (right - wrong)
        on = problem.on(Dataset("one", (x,), (y,)))
        assert on.tables(w, 0, 1).totals(y)[0] == pytest.approx(wanted, abs=1e-10)


@pytest.mark.spec("F23", "F53")
def test_with_and_without_index_the_model_is_the_same() -> None:
    data, _ = register_treebank(30)
    runs = [trained(KernelTrees(data, TWO, BagOfWords(), by_index=by), 1.0, eps=0.02) for by in (True, False)]
    assert runs[0].k == runs[1].k
    assert runs[0].w == pytest.approx(runs[1].w, abs=1e-10)
    assert [y.tolist() for y in runs[0].cuts[0].label] == [y.tolist() for y in runs[1].cuts[0].label]


@pytest.mark.spec("F25")
def test_one_and_two_threads_make_the_identical_model(monkeypatch: pytest.MonkeyPatch) -> None:
    data, _ = register_treebank(120)
    runs = []
    for threads in ("1", "2"):
        monkeypatch.setenv("EXPLORER_THREADS", threads)
        problem = KernelTrees(data, kernel=BagOfWords())
        assert problem.dim > 2_000  # enough for two threads
        runs.append(list(OneSlack(C=1.0, eps=0.05).steps(problem, np.random.default_rng(0))))
    assert len(runs[0]) == len(runs[1])
    for one, two in zip(*runs, strict=True):
        assert np.array_equal(one.w, two.w)
        assert one.bounds == two.bounds


def both_ways(data: Any, hashes: Any) -> tuple[Any, Any, int]:
    """An entry of the Gram matrix by pairs of symbols and by the index, to be called, and n."""
    problem = KernelTrees(data, hashes, BagOfWords())
    rng = np.random.default_rng(0)
    planes = [
        mean_plane(problem, sweep(problem, w)) for w in (np.zeros(problem.dim), rng.normal(size=problem.dim))
    ]
    post, K, layout = problem.basis.postings, problem.basis.K, problem.layout
    heads = [layout.truth, *(np.concatenate(plane.label) for plane in planes)]
    symbols = [post.atom[layout.numbers(y)].T.ravel() for y in heads]
    one, other = (post.index_of(plane.a) for plane in planes)

    def naive() -> Any:
        return symbol_product(K, layout.places, *symbols, len(hashes))

    def indexed() -> Any:
        return post.index_product(K, one, other)

    return naive, indexed, problem.n


@pytest.mark.spec("F24")
def test_at_400_sentences_the_index_looks_up_a_fifth_of_all_pairs_at_most_for_the_same_value() -> None:
    naive, indexed, n = both_ways(register_treebank(400)[0], (EdgeHash("words", "bucketed"),))
    (slow, pairs), (fast, looked) = naive(), indexed()
    assert abs(slow / n**2 - fast) <= 1e-10
    assert pairs == 400**2
    assert looked < pairs / 5


@pytest.mark.spec("F24")
def test_so_it_is_on_400_german_sentences_with_fine_tags_and_distances(data_dir: Path) -> None:
    whole = read_treebank(data_dir / "ud-de" / "de_gsd-ud-dev.conllu.gz")
    data = treebank("400", whole.inputs[:400], whole.labels[:400])
    naive, indexed, n = both_ways(data, (EdgeHash("fine tags", "bucketed"),))
    assert abs(naive()[0] / n**2 - indexed()[0]) <= 1e-10


def test_only_learners_that_ask_for_inner_products_take_it() -> None:
    problem = KernelTrees(micro_treebank())
    assert isinstance(problem, Geometry)
    assert isinstance(problem, Batch)
    assert isinstance(problem, Enumerates)
    takers = {kind.__name__ for kind in LEARNERS if kind().refuses(problem) is None}
    assert takers == {"OneSlack", "NSlack"}
    assert isinstance(DependencyTrees(micro_treebank()), Geometry) is False


def test_a_run_goes_on_from_a_keyframe_bit_for_bit() -> None:
    problem = KernelTrees(register_treebank(20)[0], kernel=BagOfWords())
    learner, rng = OneSlack(C=1.0, eps=0.02, cache=2), np.random.default_rng(0)
    whole = list(learner.steps(problem, rng))
    rest = list(learner.steps(problem, rng, whole[3].state))
    assert len(rest) == len(whole) - 4
    assert np.array_equal(rest[-1].w, whole[-1].w)
    assert rest[-1].bounds == whole[-1].bounds


def test_lifted_products_and_predictions_fit_together() -> None:
    train, test = register_treebank(30, 10)
    assert test is not None
    problem = KernelTrees(train, TWO, BagOfWords())
    rng = np.random.default_rng(1)
    x, z = rng.normal(size=problem.dim), rng.normal(size=problem.dim)
    assert problem.lift(x) @ z == pytest.approx(problem.lift(z) @ x, rel=1e-10)
    assert problem.products([x, z], z) == pytest.approx([problem.lift(x) @ z, problem.lift(z) @ z], rel=1e-10)
    together = problem.on(test).predictions(x)
    assert [y.tolist() for y in together] == [problem.predict(x, one).tolist() for one in test.inputs]
    own = problem.predictions(x)
    assert [y.tolist() for y in own] == [problem.predict(x, one).tolist() for one in train.inputs]
    with pytest.raises(Refused, match="scores but no features"):
        problem.on(test).features(0, test.labels[0])
    cut = problem.oracle(x, 3)
    part = sweep(problem, x)
    assert part.margins[3] == pytest.approx(problem.lift(x) @ dense(cut.psi), abs=1e-9)
