"""The race's picture: best bounds so far, signs that need no colour, and ranges also before anything runs."""

import numpy as np
import pytest
from bokeh.plotting import figure

from explorer.engine.tasks import Recipe
from explorer.engine.trace import Trace
from explorer.session.state import shared_run
from explorer.views.race import FAR, RaceBounds, frame, sentence, standings, table
from explorer.views.theme import DARK
from explorer.views.view import blank


@pytest.fixture(scope="module")
def traces() -> dict[str, Trace]:
    rule = {"passes": 20.0}
    learners = ("n-slack", "subgradient")
    return {name: shared_run(Recipe(task="circle", learner=name, settings={"C": 10.0}, rule=rule)) for name in learners}


def test_curves_are_the_best_bounds_so_far(traces: dict[str, Trace]) -> None:
    exact, _ = frame(traces, "oracle_calls")
    assert np.all(np.diff(exact.primal) <= 0)
    assert exact.best == np.nanmin(traces["n-slack"].column("primal"))
    low = exact.dual[np.isfinite(exact.dual)]
    assert np.all(np.diff(low) >= 0)
    assert low[0] >= exact.best / FAR


def test_the_sentence_and_the_table_name_who_leads(traces: dict[str, Trace]) -> None:
    lanes = frame(traces, "seconds")
    assert sentence(lanes).startswith("n-slack cutting plane has the lowest objective")
    assert table(lanes)["relative gap"][1] == "no lower bound"
    assert sentence(frame({}, "seconds")) == "All learners are at the start."


def test_every_lane_has_a_sign_that_needs_no_colour(traces: dict[str, Trace]) -> None:
    text = standings(frame(traces, "seconds"), DARK)
    assert "solid line, circles" in text
    assert "dashed line, squares" in text


def test_who_has_not_moved_yet_is_named_and_stands_at_the_start() -> None:
    lanes = frame({"n-slack": Trace(), "subgradient": Trace()}, "seconds")
    assert table(lanes)["objective"] == ["at the start", "at the start"]
    assert table(lanes)["relative gap"] == table(lanes)["why it stopped"] == ["", ""]
    view = RaceBounds()
    view.show(lanes, "seconds")
    assert [item.label.value for item in view.legend.items] == ["n-slack cutting plane", "Subgradient descent"]
    assert "All learners are at the start." in view.words.object


def test_the_figure_names_its_learners_and_empties_again(traces: dict[str, Trace]) -> None:
    view = RaceBounds()
    view.show(frame(traces, "oracle_calls"), "oracle calls")
    view.theme = DARK
    assert [item.label.value for item in view.legend.items] == ["n-slack cutting plane", "Subgradient descent"]
    assert len(view.lines[0][0].data_source.data["x"]) > 0
    view.show([], "seconds")
    assert view.legend.items == []
    assert all(len(upper.data_source.data["x"]) == 0 for upper, *_ in view.lines)


def test_an_empty_figure_still_has_something_to_take_its_ranges_from() -> None:
    plot = figure(y_axis_type="log")
    tell = blank(plot)
    unseen = plot.renderers[0].data_source
    assert len(unseen.data["x"]) == 2
    tell([np.array([np.nan, 3.0])])
    assert len(unseen.data["x"]) == 0
    tell([np.array([np.nan, -1.0]), np.zeros(0)])
    assert len(unseen.data["x"]) == 2
