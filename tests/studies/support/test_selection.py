"""The price by cross validation: folds, the curve, the choice, and planes that are kept from price to
price.
"""

import numpy as np
import pytest

from explorer.engine.refusals import Refused
from explorer.studies import CSelection, OracleGrid
from explorer.studies.support import tables
from explorer.studies.support.fitting import cutting_planes, final_step
from explorer.studies.support.rows import value, where
from explorer.studies.support.selection import Validated, best_price, cross_validate, curve, folds_of
from explorer.studies.support.sets import examples, examples_at, problem_of


def test_every_example_is_held_out_once_and_folds_are_alike_in_size() -> None:
    folds = folds_of(23, 5, seed=1)
    assert sorted(np.concatenate(folds).tolist()) == list(range(23))
    assert {len(fold) for fold in folds} == {4, 5}
    assert not np.array_equal(folds[0], np.arange(5))
    with pytest.raises(Refused, match="3 examples cannot make 5 folds"):
        folds_of(3, 5, seed=0)


@pytest.mark.spec("D28")
def test_the_grid_has_fourteen_prices_and_ten_folds() -> None:
    assert len(tables.PRICES) == 14
    assert (tables.PRICES[0], tables.PRICES[-1]) == (0.01, 3e4)
    assert np.diff(np.log10(tables.PRICES)) == pytest.approx(13 * [0.5], abs=0.03)
    assert (CSelection().folds, OracleGrid().folds) == (10, 10)


@pytest.mark.spec("D28")
def test_a_held_out_loss_is_that_of_a_model_trained_on_the_other_folds_alone() -> None:
    train, _ = examples("synth2", 0.04)
    problem = problem_of(train, "exhaustive", "exhaustive")
    found = list(cross_validate(problem, (300.0, 3.0), 2, 0.01, seed=0))
    assert [(v.fold, v.C) for v in found] == [(0, 3.0), (0, 300.0), (1, 3.0), (1, 300.0)]
    held = folds_of(problem.n, 2, 0)[1]
    rest = np.setdiff1d(np.arange(problem.n), held)
    alone = final_step(cutting_planes(problem.on(examples_at(train, rest)), 300.0, 0.01))
    other = problem.on(examples_at(train, held))
    by_hand = float(np.mean(other.losses(other.predictions(alone.w))))
    # Both models are within 300 * 0.01 of the optimum, not equal: a label of 200 may differ.
    assert found[3].loss == pytest.approx(by_hand, abs=1.5)


def test_the_curve_has_means_and_errors_and_the_smallest_of_equal_prices_is_chosen() -> None:
    losses = {1.0: (4.0, 6.0), 10.0: (4.0, 6.0), 0.1: (8.0, 8.0)}
    found = [Validated(fold, C, loss, 1) for C, pair in losses.items() for fold, loss in enumerate(pair)]
    points = curve(found)
    assert [p.C for p in points] == [0.1, 1.0, 10.0]
    assert [p.loss for p in points] == [8.0, 5.0, 5.0]
    assert [p.error for p in points] == pytest.approx([0.0, 1.0, 1.0])
    assert best_price(found) == 1.0


@pytest.mark.spec("D28")
def test_the_study_shows_the_curve_and_marks_the_choice() -> None:
    study = CSelection.quick()
    rows = list(study.rows())
    assert len(rows) == study.total == 28
    table = study.table(rows)
    assert [r.number("C") for r in table] == sorted(tables.PRICES)
    assert len(where(table, chosen="chosen")) == 1
    least = min(r.number("loss") for r in table)
    assert value(table, "loss", chosen="chosen") == least


@pytest.mark.spec("D28")
def test_the_grid_of_oracles_takes_the_price_that_was_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def told(problem, prices, folds, eps, seed, pulse):
        asked.append((problem.separator.title, problem.predictor.title, len(prices), folds))
        return [Validated(0, 1.0, 9.0, 1), Validated(0, 30.0, 3.0, 1)]

    monkeypatch.setattr("explorer.studies.fields.oracle_grid.cross_validate", told)
    study = OracleGrid(data="synth1", share=0.05, select=True)
    rows = list(study.rows())
    assert {r["C"] for r in rows[1:]} == {30.0}
    titles = ["independent", "greedy", "belief propagation", "combine", "exhaustive", "roof duality"]
    assert asked == [(title, title, 14, 10) for title in titles], (
        "one choice for each oracle, none for predictors"
    )
