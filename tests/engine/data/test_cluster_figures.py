"""The figures: their best clusterings by enumeration."""

from functools import cache

import numpy as np
import pytest

from explorer.engine.data.cluster_figures import FIGURES, figure, figure_set
from explorer.engine.refusals import Refused
from explorer.engine.structures.clusterings.item_sets import similarity
from explorer.engine.structures.clusterings.losses import Pairwise
from explorer.engine.structures.clusterings.partitions import (
    all_partitions,
    from_clusters,
    pair_vector,
    spoken,
    together,
)


@cache
def ranked(name: str) -> list[tuple[float, str]]:
    """The best 200 clusterings with their scores, best first."""
    K, _, names = figure(name)
    every = np.array(list(all_partitions(len(names))))
    i, j = np.triu_indices(len(names), 1)
    scores = (every[:, i] == every[:, j]) @ pair_vector(K)
    best = np.argsort(-scores, kind="stable")[:200]
    return [(float(scores[b]), spoken(every[b], names).replace(" ", "")) for b in best]


def right_signs(name: str) -> int:
    """Pairs whose similarity has the sign of the truth."""
    K, truth, _ = figure(name)
    return int(np.sum((pair_vector(K) > 0) == (together(truth) > 0)))


@pytest.mark.spec("C32")
def test_the_corrected_figure_1_1_is_best_at_the_truth_although_ten_pairs_have_the_wrong_sign() -> None:
    best = ranked("figure 1.1 corrected")
    assert best[0] == (21.0, "abcde/fgh")
    assert best[1][0] == 20.0
    assert right_signs("figure 1.1 corrected") == 18


@pytest.mark.spec("C32")
def test_the_printed_figure_1_1_has_three_clusterings_above_the_truth() -> None:
    best = ranked("figure 1.1 printed")
    assert {name for score, name in best if score == best[0][0]} == {"ab/cde/fgh", "abc/de/fgh", "abc/def/gh"}
    assert best[0][0] == 14.0
    assert {name: score for score, name in best}["abcde/fgh"] == 13.0
    assert right_signs("figure 1.1 printed") == 20


@pytest.mark.spec("C2")
def test_figure_3_1_is_best_at_47() -> None:
    best = ranked("figure 3.1")
    assert best[:2] == [(47.0, "abcd/efg/hi"), (46.0, "a/bcd/efg/hi")]
    K, _, names = figure("figure 3.1")
    assert K[names.index("a"), names.index("c")] == -9.0
    assert K[names.index("b"), names.index("h")] == 8.0


@pytest.mark.spec("C6")
def test_figure_3_2_with_the_loss_is_worst_at_a_and_bcde() -> None:
    K, truth, names = figure("figure 3.2")
    assert ranked("figure 3.2")[0] == (21.0, "abc/de")
    adjusted = pair_vector(K) + 10.0 * (1.0 - 2.0 * together(truth))
    assert adjusted.tolist() == [-1, -14, 9, 3, -3, 7, 2, 12, 6, -1]
    values = {spoken(y, names).replace(" ", ""): float(together(y) @ adjusted) for y in all_partitions(5)}
    order = sorted(values, key=lambda name: -values[name])
    assert (order[0], values[order[0]]) == ("a/bcde", 23.0)
    assert (order[1], values[order[1]]) == ("abd/ce", 21.0)
    other = from_clusters([[0], [1, 2, 3, 4]], 5)
    loss, raw = Pairwise().value(truth, other), float(together(other) @ pair_vector(K))
    assert (loss, raw, loss + raw - 21.0) == (60.0, 3.0, 42.0)


def test_star_and_four_path_have_their_best_values() -> None:
    assert ranked("star")[0][0] == 1.0
    assert ranked("four-path")[0] == (8.0, "ab/cd")


@pytest.mark.parametrize("name", FIGURES)
def test_the_truth_of_a_figure_is_among_the_best_but_for_the_printed_one(name: str) -> None:
    K, truth, _ = figure(name)
    best = ranked(name)[0][0]
    assert float(together(truth) @ pair_vector(K)) == best - (name == "figure 1.1 printed")


@pytest.mark.parametrize("name", FIGURES)
def test_weight_one_on_the_printed_similarity_shows_the_figure(name: str) -> None:
    data = figure_set(name)
    assert len(data) == 1
    assert np.array_equal(similarity(data.inputs[0], np.array([1.0, 0.0])), figure(name).K)
    assert data.inputs[0].names == figure(name).names
    assert np.array_equal(data.labels[0], figure(name).truth)


def test_an_unknown_figure_is_refused() -> None:
    with pytest.raises(Refused, match=r"there is no figure '9.9'; choose one of figure 1.1 corrected"):
        figure("9.9")
