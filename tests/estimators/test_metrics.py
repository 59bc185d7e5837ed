"""Metrics on cases that were counted by hand."""

import numpy as np
import pytest

from explorer.engine.refusals import Refused
from explorer.estimators import metrics


def test_entities_are_read_as_the_shared_tasks_do() -> None:
    # An I- at the start, after O, or of another type opens an entity; B- always does.
    tags = ["I-PER", "I-PER", "O", "I-LOC", "B-LOC", "I-ORG", "I-ORG", "B-ORG"]
    assert metrics.entities(tags) == {
        (0, 2, "PER"),
        (3, 4, "LOC"),
        (4, 5, "LOC"),
        (5, 7, "ORG"),
        (7, 8, "ORG"),
    }
    assert metrics.entities(["O", "O"]) == set()
    assert metrics.entities(["B-a-b", "I-a-b"]) == {(0, 2, "a-b")}


def test_entity_f1_on_a_case_counted_by_hand() -> None:
    # seqeval's definition: exact spans and types. Truth: PER(0,2), LOC(3,4), ORG(0,1); guess: PER(0,2) from
    # an I- start, MISC(3,4) and nothing: 1 right of 3 true and 2 guessed, F1 = 2 / 5.
    truth = [["B-PER", "I-PER", "O", "B-LOC"], ["B-ORG", "O"]]
    guess = [["I-PER", "I-PER", "O", "B-MISC"], ["O", "O"]]
    report = metrics.entity_report(truth, guess)
    assert metrics.entity_f1(truth, guess) == pytest.approx(0.4)
    assert report["all"] == (pytest.approx(1 / 2), pytest.approx(1 / 3), pytest.approx(0.4), 3)
    assert report["PER"] == (1.0, 1.0, 1.0, 1)
    assert report["MISC"] == (0.0, 0.0, 0.0, 0)
    assert set(report) == {"PER", "LOC", "ORG", "MISC", "all"}


def test_shares_of_tokens_heads_and_labels() -> None:
    assert metrics.token_accuracy([["a", "b"], ["c"]], [["a", "x"], ["c"]]) == pytest.approx(2 / 3)
    assert metrics.attachment_score([[2, 0], [0]], [np.array([2, 1]), [0]]) == pytest.approx(2 / 3)
    report = metrics.label_report([["a", "b", "a"]], [["a", "a", "b"]])
    assert report["a"] == (pytest.approx(1 / 2), pytest.approx(1 / 2), pytest.approx(1 / 2), 2)
    assert report["b"] == (0.0, 0.0, 0.0, 1)


def test_jaccard_of_rows_and_of_sets() -> None:
    truth, guess = np.array([[1, 1, 0], [0, 0, 0]]), np.array([[1, 0, 1], [0, 0, 0]])
    assert metrics.jaccard(truth, guess) == pytest.approx((1 / 3 + 1.0) / 2)
    assert metrics.jaccard([{"a", "b"}, set()], [{"a", "c"}, set()]) == pytest.approx((1 / 3 + 1.0) / 2)


def test_the_adjusted_rand_index_is_one_for_the_same_partition_by_other_names() -> None:
    assert metrics.adjusted_rand([["a", "a", "b"]], [[5, 5, 1]]) == 1.0
    # Four items: 0011 against 0101 share no pair; expected index 2 * 2 / 6, maximum 2.
    assert metrics.adjusted_rand([[0, 0, 1, 1]], [[0, 1, 0, 1]]) == pytest.approx((0 - 2 / 3) / (2 - 2 / 3))


def test_lists_that_do_not_fit_are_refused() -> None:
    with pytest.raises(Refused, match="2 truths and 1"):
        metrics.token_accuracy([["a"], ["b"]], [["a"]])
    with pytest.raises(Refused, match="example 0"):
        metrics.entity_f1([["O"]], [["O", "O"]])
