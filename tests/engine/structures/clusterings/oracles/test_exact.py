"""All partitions and the integer program: worked examples, ties, and each against the other."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from explorer.engine.losses import ZeroOne
from explorer.engine.pricing import Pricing
from explorer.engine.refusals import Refused
from explorer.engine.structures.clusterings.losses import Mitre, Normalised, Pairwise
from explorer.engine.structures.clusterings.oracles import (
    CLUSTER_ORACLES,
    AllPartitions,
    IntegerProgram,
    Iterative,
)
from explorer.engine.structures.clusterings.oracles.exhaustive import MOST, partition_values
from explorer.engine.structures.clusterings.partitions import (
    all_partitions,
    bell,
    canonical,
    clusters,
    from_clusters,
    stirling,
    together,
)
from explorer.engine.structures.clusterings.question import Question
from tests.engine.structures.clusterings.oracles.figures import (
    FIG_1_1_PRINTED,
    FIG_1_1_TRUTH,
    FIG_3_1,
    FIG_3_2,
    FIG_3_2_ADJUSTED,
    FIG_3_2_TRUTH,
    STAR,
    fig_1_1,
    gaussian,
    pairs_of,
    spelt,
)

exact = pytest.mark.parametrize("oracle", [AllPartitions(), IntegerProgram()], ids=["enumerated", "branched"])


@pytest.mark.spec("C1")
def test_the_enumerator_makes_every_partition_once() -> None:
    for m, count in ((5, 52), (8, 4140), (9, 21147)):
        assert bell(m) == count
    for m in range(1, 9):
        made = [tuple(labels.tolist()) for labels in all_partitions(m)]
        assert len(made) == len(set(made)) == bell(m)
        assert all(a < b for a, b in pairwise(made)), "in the order of their labels"
        assert sum(stirling(m, k) for k in range(1, m + 1)) == bell(m)
        for k in range(1, m + 1):
            assert [y for y in made if max(y) + 1 == k] == [tuple(y.tolist()) for y in all_partitions(m, k)]
    assert sum(1 for _ in all_partitions(9)) == 21147


@pytest.mark.spec("C1")
def test_clusters_must_hold_every_item_once() -> None:
    assert np.array_equal(from_clusters([[1, 2], [0]], 3), [0, 1, 1])
    assert sorted(np.concatenate(clusters(spelt("ac/b/d"))).tolist()) == [0, 1, 2, 3]
    for bad in ([[0, 1]], [[0, 1], [1, 2]], [[0, 1, 2, 3]]):
        with pytest.raises(Refused):
            from_clusters(bad, 3)


@pytest.mark.spec("C2")
@exact
def test_the_optimum_of_figure_3_1(oracle: AllPartitions | IntegerProgram) -> None:
    question = Question(FIG_3_1)
    found = oracle.solve(question)
    assert np.array_equal(found.label, spelt("abcd/efg/hi"))
    assert question.value(found.label) == 47.0


@pytest.mark.spec("C2")
def test_the_second_best_of_figure_3_1_is_46() -> None:
    upper = FIG_3_1[np.triu_indices(9, 1)]
    best, second = sorted((upper @ together(y) for y in all_partitions(9)), reverse=True)[:2]
    assert (best, second) == (47.0, 46.0)


@pytest.mark.spec("C6")
@exact
def test_the_most_violated_clustering_of_figure_3_2(oracle: AllPartitions | IntegerProgram) -> None:
    question = Question(FIG_3_2, None, FIG_3_2_TRUTH, Pairwise())
    assert np.array_equal(oracle.solve(Question(FIG_3_2)).label, FIG_3_2_TRUTH)
    assert question.score(FIG_3_2_TRUTH) == 21.0
    folded = question.fold()
    assert folded is not None
    assert np.allclose(folded[1], FIG_3_2_ADJUSTED, atol=1e-12)
    label, bound = oracle.solve(question)
    assert np.array_equal(label, spelt("a/bcde"))
    assert Question(FIG_3_2_ADJUSTED).value(label) == 23.0
    assert (question.loss(label), question.score(label)) == (pytest.approx(60.0), 3.0)
    assert question.value(label) == pytest.approx(42.0, abs=1e-9)
    assert bound == pytest.approx(42.0, abs=1e-5)
    runner_up = sorted((Question(FIG_3_2_ADJUSTED).value(y) for y in all_partitions(5)), reverse=True)[1]
    assert runner_up == 21.0


@pytest.mark.spec("C32")
@exact
def test_figure_1_1_as_corrected_and_as_printed(oracle: AllPartitions | IntegerProgram) -> None:
    question = Question(fig_1_1())
    assert np.array_equal(oracle.solve(question).label, FIG_1_1_TRUTH)
    assert sorted((question.value(y) for y in all_partitions(8)), reverse=True)[:2] == [21.0, 20.0]
    right = (fig_1_1()[np.triu_indices(8, 1)] > 0) == (together(FIG_1_1_TRUTH) > 0)
    assert np.count_nonzero(right) == 18
    printed = Question(FIG_1_1_PRINTED)
    assert printed.value(oracle.solve(printed).label) == 14.0
    assert printed.value(FIG_1_1_TRUTH) == 13.0


def test_of_equal_partitions_the_first_is_answered() -> None:
    assert np.array_equal(AllPartitions().solve(Question(np.zeros((4, 4)))).label, np.zeros(4))
    assert np.array_equal(AllPartitions().solve(Question(np.zeros((4, 4)), 3)).label, [0, 0, 1, 2])
    K = STAR.copy()
    values = {tuple(y.tolist()): Question(K).value(y) for y in all_partitions(4)}
    first = min(y for y, value in values.items() if value == max(values.values()))
    assert tuple(AllPartitions().solve(Question(K)).label.tolist()) == first


def test_enumeration_in_python_and_in_compiled_code_answer_alike() -> None:
    class Renamed:
        """The same loss under a name that compiled code does not know."""

        value = staticmethod(Mitre().value)

    for seed in range(5):
        K, truth = gaussian(6, seed, 20.0), pairs_of(6, seed)
        for groups, pricing in ((None, Pricing("slack", "squared")), (3, Pricing())):
            plain = Question(K, groups, truth, Renamed(), pricing)
            known = Question(K, groups, truth, Mitre(), pricing)
            assert np.array_equal(AllPartitions().solve(plain).label, AllPartitions().solve(known).label)


def test_many_partitions_are_refused_before_anyone_waits() -> None:
    assert bell(12) < MOST < bell(13)
    assert AllPartitions().refuses(Question(np.zeros((12, 12)))) is None
    assert "27,644,437 partitions" in (AllPartitions().refuses(Question(np.zeros((13, 13)))) or "")
    slow = Question(np.zeros((11, 11)), None, np.zeros(11, np.int64), ZeroOne())
    assert "choose another oracle" in (AllPartitions().refuses(slow) or "")
    assert "at most 60" in (IntegerProgram().refuses(Question(np.zeros((61, 61)))) or "")


def test_both_exact_oracles_agree_beyond_the_reach_of_the_plain_one() -> None:
    for seed in range(4):
        K = gaussian(10, seed)
        truth = canonical(np.random.default_rng(seed).integers(0, 4, 10))
        for question in (Question(K), Question(10.0 * K, None, truth, Pairwise())):
            one, other = AllPartitions().solve(question), IntegerProgram().solve(question)
            assert question.value(other.label) == pytest.approx(question.value(one.label), abs=1e-5)
            assert other.bound >= one.bound - 1e-9


def test_fourteen_items_without_structure_have_the_value_of_an_outside_integer_solver() -> None:
    """The value is that of HiGHS's own integer solver on the same program with all its triangles."""
    import highspy

    K = gaussian(14, 3)
    m = len(K)
    number = np.zeros((m, m), dtype=int)
    i, j = np.triu_indices(m, 1)
    number[i, j] = number[j, i] = np.arange(len(i))
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    x = [highs.addBinary(obj=-float(K[a, b])) for a, b in zip(i, j, strict=True)]
    for a in range(m):
        for b, c in zip(i, j, strict=True):
            if a not in (b, c):
                highs.addConstr(x[number[a, b]] + x[number[a, c]] - x[number[b, c]] <= 1)
    highs.setOptionValue("mip_rel_gap", 0.0)
    highs.run()
    question = Question(K)
    found = question.value(IntegerProgram().solve(question).label)
    assert found == pytest.approx(-highs.getInfo().objective_function_value, abs=1e-6)


@pytest.mark.parametrize(("value", "said"), [(np.nan, "nan"), (np.inf, "inf")])
def test_every_clusterer_refuses_a_similarity_that_is_not_finite_and_says_where(
    value: float, said: str
) -> None:
    K = np.zeros((4, 4))
    K[1, 3] = K[3, 1] = value
    for kind in CLUSTER_ORACLES:
        reasons = [kind().refuses(Question(K, groups)) for groups in (None, 2)]
        assert (
            f"the similarity of items 1 and 3 is {said}, not a finite number; lower the weights, or C"
            in reasons
        )


def test_more_clusters_than_items_are_refused_with_what_can_be_asked() -> None:
    assert (
        Iterative().refuses(Question(np.zeros((3, 3)), 4)) == "3 items cannot make 4 clusters; ask for 1 to 3"
    )


@pytest.mark.parametrize(
    ("groups", "loss"), [(None, Pairwise()), (3, Normalised()), (2, Mitre()), (None, None)]
)
def test_listed_values_are_the_questions_own(groups: int | None, loss: Any) -> None:
    rng = np.random.default_rng(8)
    truth = None if loss is None else canonical(rng.integers(0, 2, size=6))
    put = Question(gaussian(6, 8), groups, truth, loss)
    values = [put.value(row) for row in all_partitions(6, groups)]
    assert partition_values(put) == pytest.approx(np.array(values))
    assert AllPartitions().effort(put).size == len(values)


@pytest.mark.parametrize("seed", [29, 33, 34])
def test_an_integer_program_whose_time_is_up_says_how_far_the_optimum_may_be(seed: int) -> None:
    upper = np.triu(np.random.default_rng(seed).normal(size=(11, 11)), 1)
    put = Question(upper + upper.T)
    early, best = IntegerProgram().solve_within(put, -1.0), put.value(AllPartitions().solve(put).label)
    assert put.value(early.label) <= best + 1e-6
    assert put.value(early.label) + 1e-3 < early.bound, "one branch proves nothing here"
    assert best <= early.bound + 1e-6
