"""The clustering lab's numbers are those of the sources' figures and of enumeration: answers, films, losses,
matrices.
"""

import math
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from explorer.engine.structures.clusterings.oracles import AllPartitions, IntegerProgram
from explorer.engine.structures.clusterings.partitions import all_partitions, from_clusters
from explorer.labs.clusterings.comparison import (
    CORRELATION,
    FAMILIES,
    MEANS,
    clusterers,
    compare_clusterings,
    question_of,
    reply_of,
)
from explorer.labs.clusterings.film import ClusterStep, cluster_words, fractional_pairs
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
from explorer.labs.clusterings.state import FIRST, ClusterLab, ClusterSetup
from explorer.labs.compare import Reply
from explorer.labs.film import Curves, Join, MergeTree, ValueBars
from explorer.views.cluster_lab import cells as cells_of
from explorer.views.cluster_lab import words as clusters_words
from explorer.views.cluster_lab.scene import ClusterScene, colour_numbers, edges, ring, triangles
from explorer.views.over_steps import frame as over_steps

NAMES = tuple("abcdefghi")


def lab(
    source: str = "figure 3.1", shown: str = "greedy merges", family: str = CORRELATION, **more: Any
) -> ClusterLab:
    return ClusterLab(ClusterSetup(ClusterChoice(source, **more), family, shown))


def labels(text: str) -> Any:
    """ "abc/de" as labels."""
    groups = text.split("/")
    return from_clusters([["abcdefghi".index(c) for c in group] for group in groups], sum(map(len, groups)))


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
    assert {cluster_words(a.labels, NAMES) for a in one.given} == {"abcd / efg / hi"}
    assert "Holds" in clusters_words.check(one)


def test_figure_3_2_with_the_loss_is_most_violated_by_a_bcde() -> None:
    one = lab("figure 3.2", asks="violated").compared[CORRELATION]
    assert one.top == pytest.approx(42.0)
    best = next(a for a in one.given if a.title == "greedy merges")
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
    assert not one.broken()
    for answer in one.given:
        assert answer.kind != "under" or answer.value <= max(every) + 1e-6
        assert answer.kind != "over" or answer.value >= max(every) - 1e-6


def test_a_clusterer_on_the_wrong_side_is_named() -> None:
    put = question_of(cluster_case(ClusterChoice("four-path")), CORRELATION)
    right = Reply("right", "exact", labels=labels("ab/cd"), score=8.0, value=8.0, bound=8.0)
    wrong = Reply("wrong", "over", value=7.0, bound=8.0)
    one = compare_clusterings(put, [right, wrong])
    assert one.broken() == ["wrong"]
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


# Films.


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("asks", ["predict", "violated"])
@pytest.mark.parametrize("source", ["figure 1.1 printed", "star", RANDOM, POINTS])
def test_every_film_ends_with_its_answer_and_every_step_has_the_value_it_says(
    source: str, asks: str, family: str
) -> None:
    shown = lab(source, size=6, seed=2, asks=asks, groups=3)
    for answer in shown.compared[family].replies:
        shown.look_at(family, answer.title)
        film = shown.film
        assert len(film) >= 1
        assert all(len(step.labels) == shown.case.m and step.says for step in film.steps)
        if answer.refused:
            assert answer.refused in film.steps[0].says
            continue
        for step in film.steps:
            if step.shares is None and "eigenvalue" not in step.says:
                assert step.value == pytest.approx(shown.question.value(step.labels))
        values = [step.value for step in film.steps]
        if answer.title == "batch k-means":
            assert max(values) == pytest.approx(answer.value)
        else:
            assert values[-1] == pytest.approx(answer.value, abs=1e-6)
        if answer.labels is not None and answer.title != "batch k-means":
            assert np.array_equal(canonical(film.steps[-1].labels), answer.labels)


def test_greedy_merges_of_the_four_path_are_those_of_a_hand_calculation() -> None:
    film = lab("four-path").film
    assert isinstance(film.over, MergeTree)
    assert [(one.gain, one.value) for one in film.over.joins] == [(5.0, 5.0)]
    assert "Join b and c: their cross sum 5 is the largest; score 0 + 5 = 5." in film.steps[1].says
    assert "The best score is 8, 3 higher" in film.verdict
    assert "would add −1" in film.verdict  # a and bc: 4 - 5


def test_moves_never_lower_the_value_and_batch_k_means_may() -> None:
    for seed in range(6):
        shown = lab(RANDOM, "iterative k-means", MEANS, size=9, seed=seed, groups=3)
        values = [step.value for step in shown.film.steps]
        assert all(b >= a - 1e-9 for a, b in pairwise(values))
    films = [lab(RANDOM, "batch k-means", MEANS, size=9, seed=seed, groups=3).film for seed in range(6)]
    fell = [any(b < a - 1e-9 for a, b in pairwise([s.value for s in film.steps])) for film in films]
    assert any(fell)
    assert all(("fell" in film.verdict) == down for film, down in zip(films, fell, strict=True))


def test_the_spectrum_adds_up_to_the_bound_and_its_gap_is_said() -> None:
    film = lab("figure 3.1", "spectral", MEANS, groups=3).film
    values = np.sort(np.linalg.eigvalsh(lab().case.K))[::-1]
    assert isinstance(film.over, ValueBars)
    assert film.over.values == pytest.approx(values)
    assert film.steps[-1].value == pytest.approx(values[:3].sum())
    assert f"{values[2] - values[3]:.4g}" in film.over.note


def test_the_best_partitions_of_figure_3_1_are_47_and_46() -> None:
    film = lab(shown="all partitions").film
    assert isinstance(film.over, ValueBars)
    assert film.over.values[:2].tolist() == [47.0, 46.0]
    assert "21,147 partitions: abcd / efg / hi" in film.steps[-1].says
    assert "a / bcd / efg / hi" in film.steps[-2].says


@pytest.mark.spec("C4")
def test_the_star_is_relaxed_to_halves_and_rounded_to_single_items() -> None:
    shown = lab("star", "triangle relaxation")
    film = shown.film
    assert [step.value for step in film.steps] == pytest.approx([3.0, 1.5])
    assert len(film.steps[0].triangles) == 3
    assert "a with b and c (1 + 1 − 0 > 1)" in film.steps[0].says
    assert fractional_pairs(film.steps[-1].shares) == 3
    assert "0.5 above the best clustering" in film.verdict
    shown.look_at(CORRELATION, "rounded relaxation")
    assert "No share is above 0.7: all items stay alone, score 0" in shown.film.steps[-1].says


def test_rounds_of_figure_3_1_fall_to_the_best_value_and_rounding_finds_its_clusters() -> None:
    shown = lab(shown="triangle relaxation")
    values = [step.value for step in shown.film.steps]
    assert values[0] == 64.0  # all positive pairs: 9 + 1 + 7 + 9 + 8 + 9 + 4 + 7 + 6 + 4
    assert all(b <= a + 1e-9 for a, b in pairwise(values))
    assert values[-1] == pytest.approx(47.0)
    shown.look_at(CORRELATION, "rounded relaxation")
    assert cluster_words(shown.film.steps[-1].labels, NAMES) == "abcd / efg / hi"
    assert "d is alone, and the first share of it above 0.7 is with a" in shown.film.steps[3].says


def test_the_integer_program_shows_its_best_and_its_bound() -> None:
    film = lab(RANDOM, "integer program", size=12, seed=3).film
    assert isinstance(film.over, Curves)
    best, bound = film.over.values[1:].T
    assert np.all(best <= bound + 1e-6)
    assert "proven" in film.verdict


def test_an_integer_program_whose_time_is_up_shows_its_best_and_how_far_the_optimum_may_be(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("explorer.labs.compare.LIMIT", -1.0)
    shown = next(seed for seed in range(30) if not math.isnan(cut_short(seed).short))
    answer, put = cut_short(shown), question_of(cluster_case(ClusterChoice(RANDOM, 11, shown)), CORRELATION)
    best = AllPartitions().solve(put)
    assert answer.kind == "under"
    assert answer.value == pytest.approx(put.value(answer.labels))
    assert answer.value <= put.value(best.label) <= answer.value + answer.short + 1e-6
    assert "cut short, not proved: the best is at most" in clusters_words.answer_words(
        answer, CORRELATION, tuple("abcdefghijk")
    )
    compared = lab(RANDOM, size=11, seed=shown).compared[CORRELATION]
    assert compared.proven, "all partitions were looked at"
    assert not compared.broken()


def test_a_search_that_ended_is_exact_whatever_the_loss_adds_to_the_similarity() -> None:
    for source in ("figure 3.1", "figure 3.2", "figure 1.1 corrected", "star"):
        answers = lab(source, asks="violated").compared[CORRELATION].replies
        program = next(one for one in answers if one.title == "integer program")
        assert (program.kind, math.isnan(program.short)) == ("exact", True)


def cut_short(seed: int) -> Reply:
    """The integer program after one branch."""
    return reply_of(IntegerProgram(), question_of(cluster_case(ClusterChoice(RANDOM, 11, seed)), CORRELATION))


# Over the steps.


def test_a_tree_has_no_crossing_lines_and_grows_with_the_value() -> None:
    joins = Join(np.array([1]), np.array([3]), 2.0, 2.0), Join(np.array([0]), np.array([1, 3]), 1.0, 3.0)
    tree = MergeTree(0.0, joins, tuple("abcd"), "score")
    assert over_steps.leaf_order(tree).tolist() == [0, 1, 3, 2]
    held = over_steps.joints(tree, 1)
    assert held["xs"] == [[1.0, 1.0, 2.0, 2.0], [0.0, 0.0, 1.5, 1.5]]
    assert held["ys"] == [[0.0, 2.0, 2.0, 0.0], [0.0, 3.0, 3.0, 2.0]]
    assert (held["text"], held["now"]) == (["+2", "+1"], [True, False])


def test_gains_at_the_same_height_that_would_cover_each_other_are_left_to_the_pointer() -> None:
    pairs = [Join(np.array([2 * n]), np.array([2 * n + 1]), 1.0, 1.0 + 1e-3 * n) for n in range(26)]
    held = over_steps.joints(MergeTree(0.0, tuple(pairs), tuple("x" * 52), "score"), 5)
    assert held["hover"] == ["+1"] * 26
    assert held["text"][4] == "+1", "the merge that is looked at is written in any case"
    written = [x for x, text in zip(held["tx"], held["text"], strict=True) if text]
    assert 1 < len(written) < 26
    assert np.diff(written).min() * over_steps.ACROSS / 52 >= 2.0, "two characters each"


def test_ranges_hold_all_finite_values() -> None:
    low, high = over_steps.span([1.0, math.nan, 3.0])
    assert low < 1.0 < 3.0 < high
    assert over_steps.span([math.nan]) == pytest.approx((-0.12, 0.12))


def test_the_picture_over_the_steps_is_said_and_listed() -> None:
    for title, family in (("greedy merges", CORRELATION), ("iterative k-means", MEANS), ("spectral", MEANS)):
        shown = lab(shown=title, family=family)
        over = over_steps.OverFrame(shown.film, shown.step)
        assert len(over_steps.sentence(over)) > 20
        assert len({len(column) for column in over_steps.table(over).values()}) == 1
    assert "0 +9 +10 +7 +7 +10 +4 = 47" in over_steps.sentence(over_steps.OverFrame(lab().film, 6))
    assert isinstance(lab(shown="iterative k-means", family=MEANS).film.over, Curves)


# Matrices and items.


@pytest.mark.spec("C6")
def test_the_loss_adds_and_takes_ten_in_figure_3_2() -> None:
    shown = lab("figure 3.2", asks="violated")
    frame = cells_of.frame(
        shown.case.K, shown.question, shown.now, shown.film.steps[-1].labels, shown.case.names, None
    )
    raw, adjusted = frame.panels
    printed = [-1, -14, 9, 3, -3, 7, 2, 12, 6, -1]
    assert adjusted.values[np.triu_indices(5, 1)].tolist() == pytest.approx(printed)
    assert raw.values[0, 1] == 9.0
    assert "100/T = 10" in cells_of.adjustment(shown.question)
    assert cells_of.adjustment(shown.question.without_loss()) == ""


def cells(text: str, m: int, order: list[int]) -> cells_of.MatrixCells:
    K = np.arange(m * m, dtype=float).reshape(m, m)
    return cells_of.MatrixCells(
        (cells_of.MatrixPanel("K", K + K.T),), labels(text), np.array(order), NAMES[:m], None
    )


def test_outlines_run_around_blocks_and_around_scattered_cells() -> None:
    block = cells_of.outlines(cells("ab/c", 3, [0, 1, 2]))
    assert len(block["x0"]) == 8 + 4  # a square of four cells and one of one, each with its own border
    assert len(cells_of.outlines(cells("a/b/c", 3, [0, 1, 2]))["x0"]) == 0
    scattered = cells_of.outlines(cells("ac/b", 3, [0, 1, 2]))
    assert len(scattered["x0"]) == 4 * 5
    assert (min(block["x0"]), max(block["x1"]), min(block["y0"]), max(block["y1"])) == (-0.5, 2.5, -2.5, 0.5)


def test_a_click_finds_the_entry_under_it_whatever_the_order() -> None:
    frame = cells("ac/b", 3, [0, 2, 1])
    assert cells_of.entry_at(frame, 1.2, -1.9) == (1, 2)
    assert cells_of.entry_at(frame, 3.2, 0.0) is None
    held = cells_of.picked_cells(replace(frame, picked=(1, 2)))
    assert (held["x"], held["y"]) == ([2, 1], [-1, -2])


def test_cells_carry_their_numbers_in_small_matrices_and_a_minus_in_large_ones() -> None:
    assert cells_of.cell_text(-9.0, False, False, False) == "−9"
    assert cells_of.cell_text(0.0, True, False, False) == ""
    assert cells_of.cell_text(0.5, False, True, False) == "0.5"
    assert (cells_of.cell_text(-0.2, False, False, True), cells_of.cell_text(0.5, False, True, True)) == (
        "−",
        "·",
    )
    assert cells_of.levels(np.array([-4.0, 1.0]), False).tolist() == [-1.0, 0.5]


def test_single_items_are_pale_and_other_clusters_are_numbered() -> None:
    assert colour_numbers(labels("a/bc/d/ef")).tolist() == [-1, 0, 0, -1, 1, 1]
    places = ring(np.array([0, 1] * 8))
    assert np.linalg.norm(places[0] - places[2]) < np.linalg.norm(places[0] - places[1])


def test_edges_join_what_is_together_and_fractional_ones_are_dashed() -> None:
    place = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    hard = edges(ClusterScene(ClusterStep("", labels("ab/c"), 0.0), NAMES, place, labels("ab/c"), False))
    assert (hard["pair"], hard["dash"]) == (["a, b"], ["solid"])
    shares = np.array([[1.0, 0.5, 1.0], [0.5, 1.0, 0.0], [1.0, 0.0, 1.0]])
    step = ClusterStep("", labels("a/b/c"), 0.0, shares, triangles=np.array([[0, 1, 2]]))
    soft = edges(ClusterScene(step, NAMES, place, labels("ab/c"), False))
    assert dict(zip(soft["pair"], soft["dash"], strict=True)) == {"a, b": "dashed", "a, c": "solid"}
    assert fractional_pairs(step.shares) == 1
    assert triangles(ClusterScene(step, NAMES, place, labels("ab/c"), False))["name"] == ["abc"]


def test_of_very_many_edges_those_with_small_shares_are_faint() -> None:
    e = np.full((14, 14), 0.1)
    e[0, 1] = e[1, 0] = 0.9
    scene = ClusterScene(
        ClusterStep("", np.arange(14), 0.0, e),
        tuple("abcdefghijklmn"),
        ring(np.arange(14)),
        np.arange(14),
        False,
    )
    found = edges(scene)
    strength = dict(zip(found["pair"], found["alpha"], strict=True))
    assert len(strength) == 91
    assert strength["a, b"] > 10.0 * strength["c, d"] > 0.0


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
