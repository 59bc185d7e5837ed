"""The multi-label sets, their errors and what counts as undecided."""

import numpy as np
import pytest

from explorer.engine.contracts import Dataset
from explorer.engine.refusals import Refused
from explorer.engine.structures.fields.fields import flatten
from explorer.studies.fields.oracle_grid import printed_figures
from explorer.studies.support import tables
from explorer.studies.support.sets import (
    REAL,
    default_loss,
    examples,
    losses_of,
    predicting,
    printed_error,
    problem_of,
    standard_error,
    undecided_share,
)


@pytest.mark.spec("D29")
def test_the_printed_errors_follow_a_formula_without_its_root() -> None:
    assert round(printed_error(11.43, 1196), 2) == 0.29
    assert round(printed_error(20.91, 917), 2) == 0.55
    # A few cells of Tables 5.2 and 5.3 as printed.
    for loss, n, error in (
        (10.67, 1196, 0.28),
        (13.94, 10_000, 0.12),
        (27.92, 10_000, 0.20),
        (5.83, 10_000, 0.05),
    ):
        assert round(printed_error(loss, n), 2) == error


@pytest.mark.spec("D29")
def test_the_correct_error_is_the_deviation_over_the_root_of_the_count() -> None:
    losses = np.array([0.0, 10.0, 20.0, 10.0])
    # Deviations -10, 0, 10, 0: variance 200 / 3.
    assert standard_error(losses) == pytest.approx(np.sqrt(200.0 / 3.0 / 4.0))
    assert np.isnan(standard_error(losses[:1]))


def test_the_constant_labelling_is_the_best_one_on_the_training_labels() -> None:
    train = Dataset("t", np.zeros((3, 1)), np.array([[1, 0], [1, 1], [0, 0]]))
    test = Dataset("t", np.zeros((2, 1)), np.array([[1, 0], [0, 1]]))
    assert default_loss(train, test) == 50.0


def test_an_undecided_label_counts_half_in_the_loss() -> None:
    data = Dataset("d", np.ones((1, 1)), np.array([[1, 0]]))
    problem = problem_of(data, "roof duality", "roof duality")
    half = flatten(np.array([[0.5, 0.5], [1.0, 0.0]]), np.array([[[0.5, 0.0], [0.5, 0.0]]]))
    assert undecided_share(half, problem) == 0.5
    assert undecided_share(np.array([1, 0]), problem) == 0.0
    assert problem.loss(0, half) == 25.0


def test_relaxed_prediction_leaves_a_frustrated_triangle_undecided() -> None:
    # Every label is worth 1 alone and every pair costs 4: one label on is best, all half on is better still.
    data = Dataset("d", np.ones((1, 1)), np.array([[1, 0, 0]]))
    problem = problem_of(data, "exhaustive", "roof duality")
    w = np.array([1.0, 1.0, 1.0, -4.0, -4.0, -4.0])
    losses, left = losses_of(problem, w)
    assert (losses[0], left) == (50.0, 100.0)
    losses, left = losses_of(predicting(problem, data, "exhaustive"), w)
    assert (losses[0], left) == (0.0, 0.0)


def test_a_share_of_the_examples_and_their_number() -> None:
    train, test = examples("synth1", 0.1, seed=3)
    assert (len(train), len(test)) == (47, 504)
    train, test = examples("synth2", 0.1, constant=False)
    assert (len(train), len(test), train.inputs.shape[1]) == (100, 1000, 40)
    assert problem_of(train, "exhaustive", "greedy", edges=False).dim == 400
    assert problem_of(train, "exhaustive", "greedy").dim == 445


def test_a_set_that_is_not_here_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EXPLORER_DATA", raising=False)
    with pytest.raises(Refused, match="EXPLORER_DATA"):
        examples("scene")
    with pytest.raises(Refused, match=r"yeast\.npz"):
        examples("yeast")
    with pytest.raises(Refused, match="there is no set 'emotions'"):
        examples("emotions")


@pytest.mark.spec("D27")
def test_real_sets_are_quoted_with_the_sizes_and_the_headlines_of_the_source() -> None:
    sizes = {name: (len(tables.GRID[name]), tables.TEST_SIZE[name]) for name in REAL}
    assert sizes == {"scene": (5, 1196), "yeast": (5, 917), "reuters": (5, 2914), "mediamill": (5, 12_168)}
    features = {"scene": 294, "yeast": 103, "reuters": 47_236, "mediamill": 120, "synth1": 6000, "synth2": 40}
    for name, F in features.items():
        labels = tables.LABELS[name]
        assert tables.WEIGHTS[name] == labels * F + labels * (labels - 1) // 2
        assert len(tables.SWEEP[name]) == len(tables.RHO) == 11
        # Training exactly is the first row of Table 5.5 and the diagonal of Tables 5.2 and 5.3.
        assert tables.SWEEP[name][0][1] == tables.GRID[name][3][3]
    yeast = {(r["oracle"], r["predictor"]): r.number("loss") for r in printed_figures("yeast")}
    assert yeast["exhaustive", "exhaustive"] == 20.23
    assert yeast["exhaustive", "relaxed"] == 45.90
    assert yeast["relaxed", "relaxed"] == 20.49
    assert yeast["no edges", "no edges"] == 20.91


@pytest.mark.spec("D26")
def test_every_published_cell_is_there_with_the_error_that_was_printed() -> None:
    for name in tables.GRID:
        found = printed_figures(name)
        assert len(found) == 27
        assert len({(r["oracle"], r["predictor"]) for r in found}) == 27
    exact = [
        r for r in printed_figures("synth2") if r["oracle"] == "exhaustive" and r["predictor"] == "relaxed"
    ]
    assert (exact[0]["loss"], exact[0]["undecided"], round(exact[0].number("printed_error"), 2)) == (
        17.80,
        27.92,
        0.15,
    )
