"""Films of clusterers: every step has the value that it says, checked by the sources' figures and by
enumeration.
"""

import math
from itertools import pairwise

import numpy as np
import pytest

from explorer.engine.structures.clusterings.oracles import AllPartitions, IntegerProgram
from explorer.labs.clusterings.comparison import (
    CORRELATION,
    FAMILIES,
    MEANS,
    question_of,
    reply_of,
)
from explorer.labs.clusterings.film import cluster_words, fractional_pairs
from explorer.labs.clusterings.instance import (
    POINTS,
    RANDOM,
    ClusterChoice,
    canonical,
    cluster_case,
)
from explorer.labs.compare import Reply
from explorer.labs.film import Curves, MergeTree, ValueBars
from explorer.views.cluster_lab import words as clusters_words
from tests.labs.clusterings.sample_labs import NAMES, lab


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
    assert not compared.wrong_side()


def test_a_search_that_ended_is_exact_whatever_the_loss_adds_to_the_similarity() -> None:
    for source in ("figure 3.1", "figure 3.2", "figure 1.1 corrected", "star"):
        answers = lab(source, asks="violated").compared[CORRELATION].replies
        program = next(one for one in answers if one.title == "integer program")
        assert (program.kind, math.isnan(program.short)) == ("exact", True)


def cut_short(seed: int) -> Reply:
    """The integer program after one branch."""
    return reply_of(IntegerProgram(), question_of(cluster_case(ClusterChoice(RANDOM, 11, seed)), CORRELATION))
