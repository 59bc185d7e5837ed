"""The clustering lab's numbers are those of the sources' figures and of enumeration: answers, films, losses,
matrices.
"""

import math

import numpy as np
import pytest

from explorer.engine.structures.clusterings.partitions import all_partitions
from explorer.labs.clusterings.comparison import (
    CORRELATION,
    FAMILIES,
    MEANS,
    clusterers,
    compare_clusterings,
    question_of,
)
from explorer.labs.clusterings.film import cluster_words
from explorer.labs.clusterings.instance import (
    POINTS,
    RANDOM,
    ClusterChoice,
    canonical,
    cluster_case,
    connect,
    describe,
    move_on,
    similarity_of,
)
from explorer.labs.clusterings.shift import shift_rows
from explorer.labs.clusterings.state import FIRST, ClusterLab
from explorer.labs.compare import Reply
from explorer.views.cluster_lab import words as clusters_words
from tests.labs.clusterings.sample_labs import NAMES, lab, labels

# Instances.


def test_points_within_reach_attract_and_others_repel() -> None:
    K = similarity_of(np.array([[0.0, 0.0], [0.3, 0.4], [0.0, 0.8]]), "threshold", 0.6)
    assert pytest.approx([1.0, -2.0, 1.0]) == [K[0, 1], K[0, 2], K[1, 2]]
    assert np.diag(K).tolist() == [0.0, 0.0, 0.0]
    soft = similarity_of(np.array([[0.0, 0.0], [0.3, 0.4]]), "Gaussian", 0.5)
    assert soft[0, 1] == pytest.approx(10.0 * (math.exp(-0.5) - 0.5))


def test_the_truth_of_drawn_points_is_what_positive_pairs_connect() -> None:
    K = np.array([[0, 1, -5, -5], [1, 0, 2, -5], [-5, 2, 0, -1], [-5, -5, -1, 0]], dtype=float)
    assert connect(K).tolist() == [0, 0, 0, 1]


def test_a_pressed_item_visits_every_other_cluster_then_is_alone_then_comes_home() -> None:
    for item in range(5):
        now, seen = canonical([0, 0, 1, 1, 2]), []
        for _ in range(5):
            now = canonical(move_on(now, item))
            seen.append(cluster_words(now, NAMES))
        assert len(set(seen[:4])) == (4 if item < 4 else 3)
        assert cluster_words(canonical([0, 0, 1, 1, 2]), NAMES) in seen


def test_edits_overwrite_both_halves_of_k_and_are_brought_into_range() -> None:
    case = cluster_case(ClusterChoice("four-path", edits=((2, 0, 7.5), (0, 9, 3.0), (1, 2, 1e6))))
    assert case.K[0, 2] == case.K[2, 0] == 7.5
    assert case.K[1, 2] == 99.0
    assert len(case.choice.edits) == 2
    assert "2 entries changed" in describe(case)


def test_the_same_seed_draws_the_same_symmetric_similarity() -> None:
    one, two = cluster_case(ClusterChoice(RANDOM, 12, 5)), cluster_case(ClusterChoice(RANDOM, 12, 5))
    assert np.array_equal(one.K, two.K)
    assert np.array_equal(one.K, one.K.T)
    assert not np.array_equal(one.K, cluster_case(ClusterChoice(RANDOM, 12, 6)).K)
    assert (
        cluster_case(ClusterChoice(RANDOM, 500)).m,
        cluster_case(ClusterChoice("figure 3.2", groups=9)).choice.groups,
    ) == (30, 5)


# Answers.


@pytest.mark.spec("C2")
def test_figure_3_1_is_clustered_as_printed_by_every_clusterer_of_pairs() -> None:
    one = lab().compared[CORRELATION]
    assert (one.top, one.proven) == (47.0, True)
    assert {cluster_words(a.labels, NAMES) for a in one.with_answer} == {"abcd / efg / hi"}
    assert "Holds" in clusters_words.check(one)


def test_figure_3_2_with_the_loss_is_most_violated_by_a_bcde() -> None:
    one = lab("figure 3.2", asks="violated").compared[CORRELATION]
    assert one.top == pytest.approx(42.0)
    best = next(a for a in one.with_answer if a.title == "greedy merges")
    assert (cluster_words(best.labels, NAMES), best.loss, best.value) == (
        "a / bcde",
        pytest.approx(60.0),
        pytest.approx(42.0),
    )


@pytest.mark.parametrize("loss", ["pairwise", "MITRE", "normalised"])
@pytest.mark.parametrize("scaling", ["margin", "slack"])
@pytest.mark.parametrize("family", FAMILIES)
def test_under_is_below_and_over_above_what_enumeration_finds(family: str, scaling: str, loss: str) -> None:
    shown = lab(RANDOM, size=6, seed=4, asks="violated", loss=loss, scaling=scaling, groups=2)
    one = shown.compared[family]
    every = [one.question.value(y) for y in all_partitions(6, one.question.groups)]
    assert one.top == pytest.approx(max(every))
    assert not one.wrong_side()
    for answer in one.with_answer:
        assert answer.kind != "under" or answer.value <= max(every) + 1e-6
        assert answer.kind != "over" or answer.value >= max(every) - 1e-6


def test_a_clusterer_on_the_wrong_side_is_named() -> None:
    put = question_of(cluster_case(ClusterChoice("four-path")), CORRELATION)
    right = Reply("right", "exact", labels=labels("ab/cd"), score=8.0, value=8.0, bound=8.0)
    wrong = Reply("wrong", "over", value=7.0, bound=8.0)
    one = compare_clusterings(put, [right, wrong])
    assert one.wrong_side() == ["wrong"]
    assert "broken by wrong" in clusters_words.check(one)


def test_refusals_are_listed_with_their_reason_and_strangers_are_not() -> None:
    one = lab("figure 3.2", asks="violated", loss="MITRE").compared[MEANS]
    spectral = next(a for a in one.replies if a.title == "spectral")
    assert "this loss" in spectral.refused
    assert "greedy merges" not in [kind.title for kind in clusterers(MEANS)]
    assert "batch k-means" not in [kind.title for kind in clusterers(CORRELATION)]
    assert ">cannot take this loss" in clusters_words.html(
        lab("figure 3.2", asks="violated", loss="MITRE").compared, NAMES, 2, ""
    )


def test_texts_in_the_table_are_escaped() -> None:
    bad = Reply("<b>", "under", refused="<script>")
    one = compare_clusterings(question_of(cluster_case(ClusterChoice("star")), CORRELATION), [bad])
    assert "<script>" not in clusters_words.html({CORRELATION: one}, ("<i>",) * 4, 2, "")


# Losses.


def test_measures_of_abc_de_against_a_bcde_are_the_printed_ones() -> None:
    assert clusters_words.loss_rows(labels("abc/de"), labels("a/bcde"))[:2] == [
        ("pairwise loss", "60", "6 of 10 pairs differ, Rand index 0.4"),
        ("MITRE loss", "33.33", "R 0.6667, P 0.6667"),
    ]
    third = clusters_words.loss_rows(labels("ac/bde"), labels("ab/cde"))
    assert third[2] == ("normalised loss", "48.61", "2 true clusters, 2 here")
    assert clusters_words.loss_sentence(third).startswith("Pairwise loss 60 (6 of 10 pairs differ")


@pytest.mark.spec("C36")
def test_a_shifted_diagonal_adds_k_s_to_every_clusterer_that_follows_the_value() -> None:
    case = cluster_case(ClusterChoice(RANDOM, 8, 1, groups=3))
    rows = shift_rows(case, 4.0, {})
    for one in rows:
        if one.title != "batch k-means":
            assert one.same
            assert one.after - one.before == pytest.approx(12.0)
    assert "3 × 4 = +12" in clusters_words.shift_sentence(rows, 3, 4.0)


def test_a_large_shift_changes_what_batch_k_means_answers_on_some_similarity() -> None:
    found = []
    for seed in range(8):
        rows = shift_rows(cluster_case(ClusterChoice(RANDOM, 10, seed, groups=3)), 15.0, {})
        batch = next(one for one in rows if one.title == "batch k-means")
        found.append(batch.same)
        assert ("Another answer from batch k-means" in clusters_words.shift_sentence(rows, 3, 15.0)) == (
            not batch.same
        )
    assert not all(found)


# State.


def test_a_lab_starts_finished_and_moves_items_points_and_entries() -> None:
    shown = ClusterLab()
    assert (shown.step, len(shown.film), shown.setup()) == (6, 7, FIRST)
    shown.move_own(0)
    assert cluster_words(shown.measured, NAMES) == "aefg / bcd / hi"
    shown.move_truth(8)
    assert cluster_words(shown.case.truth, NAMES) == "abcd / efg / h / i"
    shown.edit(1, 0, -3.0)
    assert shown.case.K[0, 1] == -3.0
    shown.choose(source=POINTS)
    assert (shown.choice.edits, shown.choice.truth) == ((), ())
    shown.draw((*shown.choice.points, (0.11111, 0.5)))
    assert (shown.case.m, shown.choice.points[-1], shown.own) == (10, (0.111, 0.5), ())
