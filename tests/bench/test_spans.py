"""Entities and F1, counted by hand."""

import pytest

from explorer.bench.spans import f1, spans


def test_an_entity_goes_from_its_b_to_the_last_i_of_its_type() -> None:
    assert spans(["O", "B-PER", "I-PER", "O", "B-LOC"]) == {(1, 3, "PER"), (4, 5, "LOC")}


def test_a_second_b_opens_a_second_entity() -> None:
    assert spans(["B-PER", "B-PER", "I-PER"]) == {(0, 1, "PER"), (1, 3, "PER")}


def test_an_i_of_another_type_or_without_a_beginning_opens_an_entity() -> None:
    assert spans(["I-LOC", "I-PER", "O", "I-PER"]) == {(0, 1, "LOC"), (1, 2, "PER"), (3, 4, "PER")}


def test_no_tags_have_no_entities() -> None:
    assert spans([]) == spans(["O", "O"]) == set()


def test_f1_counts_only_exact_entities() -> None:
    truth = [["B-PER", "I-PER", "O", "B-LOC"], ["B-ORG"]]
    guess = [["B-PER", "O", "O", "B-LOC"], ["B-LOC"]]
    # 3 true, 3 guessed, 1 right
    assert f1(truth, guess) == pytest.approx(2 * 1 / (3 + 3))
    assert f1(truth, truth) == 1.0


def test_f1_of_nothing_is_zero() -> None:
    assert f1([["O"]], [["O"]]) == 0.0
