"""The triangle relaxation and its rounding: worked examples, all triangles at once by an outside solver, and
bounds.
"""

import sys
from math import comb

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import lil_array

from explorer.engine.pricing import Pricing
from explorer.engine.refusals import Refused
from explorer.engine.structures.clusterings.losses import Mitre, Normalised, Pairwise
from explorer.engine.structures.clusterings.oracles import (
    AllPartitions,
    RoundedRelaxation,
    TriangleRelaxation,
    _program,
)
from explorer.engine.structures.clusterings.oracles.rounded_relaxation import round_shares
from explorer.engine.structures.clusterings.partitions import canonical, is_relaxed, pair_count
from explorer.engine.structures.clusterings.question import Question
from explorer.engine.vectors import Array
from tests.engine.structures.clusterings.oracles.figures import (
    FIG_1_1_PRINTED,
    FIG_3_1,
    FIG_3_2,
    FIG_3_2_TRUTH,
    PATH,
    STAR,
    gaussian,
    spelt,
)


def whole_program(K: Array) -> tuple[float, int]:
    """The optimum with every triangle written down, and how many there are."""
    m = len(K)
    number = np.zeros((m, m), dtype=int)
    i, j = np.triu_indices(m, 1)
    number[i, j] = number[j, i] = np.arange(len(i))
    triples = [(a, b, c) for a in range(m) for b in range(m) for c in range(b + 1, m) if a not in (b, c)]
    rows = lil_array((len(triples), pair_count(m)))
    for n, (a, b, c) in enumerate(triples):
        rows[n, number[a, b]] = rows[n, number[a, c]] = 1.0
        rows[n, number[b, c]] = -1.0
    found = linprog(-K[i, j], A_ub=rows.tocsr(), b_ub=np.ones(len(triples)), bounds=(0, 1), method="highs")
    return -found.fun, len(triples)


@pytest.mark.spec("C4")
def test_figure_3_1_is_whole_and_worth_47() -> None:
    label, bound = TriangleRelaxation().solve(Question(FIG_3_1))
    assert np.array_equal(label, spelt("abcd/efg/hi"))
    assert bound == pytest.approx(47.0, abs=1e-6)


@pytest.mark.spec("C4")
def test_the_star_has_halves_and_value_one_and_a_half() -> None:
    label, bound = TriangleRelaxation().solve(Question(STAR))
    assert is_relaxed(label)
    assert label == pytest.approx(np.array([0.5, 0.5, 0.5, 0.0, 0.0, 0.0]), abs=1e-6)
    assert bound == pytest.approx(1.5, abs=1e-6)
    assert AllPartitions().solve(Question(STAR)).bound == 1.0


def test_other_worked_examples_are_whole() -> None:
    assert TriangleRelaxation().solve(Question(PATH)).bound == pytest.approx(8.0, abs=1e-6)
    assert TriangleRelaxation().solve(Question(FIG_1_1_PRINTED)).bound == pytest.approx(14.0, abs=1e-6)
    question = Question(FIG_3_2, None, FIG_3_2_TRUTH, Pairwise())
    assert np.array_equal(TriangleRelaxation().solve(question).label, spelt("a/bcde"))


@pytest.mark.spec("C4")
def test_triangles_added_as_they_break_make_the_whole_programs_optimum() -> None:
    for m, seed in ((3, 0), (6, 1), (9, 2), (20, 3)):
        K = gaussian(m, seed)
        value, rows = whole_program(K)
        assert rows == 3 * comb(m, 3)
        assert m != 20 or rows == 3420
        question = Question(K)
        label, bound = TriangleRelaxation().solve(question)
        assert question.value(label) == pytest.approx(value, rel=1e-6)
        assert bound == pytest.approx(value, rel=1e-6)
        assert bound >= value - 1e-9


def test_few_triangles_at_a_time_lead_to_the_same_optimum_in_more_rounds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    question = Question(gaussian(20, 3))
    at_once = len(list(TriangleRelaxation().rounds(question)))
    monkeypatch.setattr(_program, "ROWS", 0)
    monkeypatch.setattr(_program, "LEAST", 1)
    assert len(list(TriangleRelaxation().rounds(question))) > at_once
    assert TriangleRelaxation().solve(question).bound == pytest.approx(whole_program(question.K)[0], rel=1e-6)


def test_rounds_fall_from_every_gain_to_the_optimum_and_name_what_was_broken() -> None:
    question = Question(gaussian(12, 5))
    rounds = list(TriangleRelaxation().rounds(question))
    K = question.K[np.triu_indices(12, 1)]
    assert rounds[0].value == pytest.approx(np.sum(np.maximum(K, 0.0)))
    values = [one.value for one in rounds]
    assert values == sorted(values, reverse=True)
    assert len(rounds[-1].triangles) == 0
    at = np.zeros((12, 12), dtype=int)
    at[np.triu_indices(12, 1)] = np.arange(66)
    at += at.T
    for shares, triangles, value in rounds:
        assert value == pytest.approx(K @ shares)
        for i, j, k in triangles:
            assert shares[at[i, j]] + shares[at[i, k]] - shares[at[j, k]] > 1.0 + 1e-7


def test_bounds_hold_at_every_scale() -> None:
    for scale in (1e-9, 1.0, 1e9):
        question = Question(gaussian(8, 4, scale))
        best = AllPartitions().solve(question).bound
        label, bound = TriangleRelaxation().solve(question)
        assert bound >= best * (1.0 - 1e-12)
        assert bound <= question.value(label) + 1e-6 * scale


@pytest.mark.spec("C5")
def test_whole_shares_are_rounded_to_themselves_and_the_star_to_single_items() -> None:
    assert np.array_equal(RoundedRelaxation().solve(Question(FIG_3_1)).label, spelt("abcd/efg/hi"))
    assert np.array_equal(RoundedRelaxation().solve(Question(STAR)).label, np.arange(4))


@pytest.mark.spec("C5")
def test_items_join_the_cluster_that_their_first_companion_is_in() -> None:
    shares = np.array([0.8, 0.1, 0.1, 0.75, 0.1, 0.72])  # ab, ac, ad, bc, bd, cd
    assert np.array_equal(round_shares(shares, 4, 0.7), np.array([0, 0, 0, 0]))
    assert np.array_equal(round_shares(shares, 4, 0.74), np.array([0, 0, 0, 1]))
    assert np.array_equal(round_shares(shares, 4, 0.9), np.arange(4))
    assert np.array_equal(round_shares(shares, 4, 0.78), np.array([0, 0, 1, 2]))
    with pytest.raises(Refused, match="threshold"):
        RoundedRelaxation(threshold=0.2)


def test_losses_that_do_not_fold_are_refused_with_what_to_choose() -> None:
    truth = canonical([0, 0, 1, 1])
    for delta, pricing in ((Mitre(), Pricing()), (Pairwise(), Pricing("slack")), (Normalised(), Pricing())):
        reason = TriangleRelaxation().refuses(Question(gaussian(4, 0), None, truth, delta, pricing)) or ""
        assert "choose the pairwise loss with margin scaling and a linear penalty, or greedy merges" in reason
    assert "iterative k-means" in (TriangleRelaxation().refuses(Question(gaussian(4, 0), 2)) or "")
    assert "at most 300" in (TriangleRelaxation().refuses(Question(np.zeros((301, 301)))) or "")


def test_where_highs_does_not_load_beside_another_the_refusal_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "highspy", None)  # importing it is an ImportError now
    with pytest.raises(Refused, match=r"HiGHS does not load here .*OR-tools.* in a process of its own"):
        TriangleRelaxation().solve(Question(STAR))
