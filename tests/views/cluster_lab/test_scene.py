"""Matrices and items as columns: blocks are outlined, cells are found, shares are drawn."""

from dataclasses import replace

import numpy as np
import pytest

from explorer.labs.clusterings.film import ClusterStep, fractional_pairs
from explorer.views.cluster_lab import cells as cells_of
from explorer.views.cluster_lab.scene import ClusterScene, colour_numbers, edges, ring, triangles
from tests.labs.clusterings.sample_labs import NAMES, lab, labels


@pytest.mark.spec("C6")
def test_the_loss_adds_and_takes_ten_in_figure_3_2() -> None:
    shown = lab("figure 3.2", asks="violated")
    last = shown.film.steps[-1].labels
    frame = cells_of.frame(shown.question, shown.now, last, shown.case.names, None)
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
