"""The race's picture: best bounds so far, signs that need no colour, and ranges also before anything runs."""

import numpy as np
import pytest
from bokeh.plotting import figure

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.runs.trace import Trace
from explorer.session.shared_runs import shared_run
from explorer.views.kit.drawing.axes import blank
from explorer.views.kit.drawing.theme import DARK
from explorer.views.race.frame import FAR, frame, sentence, table
from explorer.views.race.view import RaceBounds, standings


@pytest.fixture(scope="module")
def traces() -> dict[str, Trace]:
    rule = {"passes": 20.0}
    learners = ("n-slack", "subgradient")
    return {
        name: shared_run(Recipe(task="circle", learner=name, settings={"C": 10.0}, rule=rule))
        for name in learners
    }


def test_curves_are_the_best_bounds_so_far(traces: dict[str, Trace]) -> None:
    exact, _ = frame(traces, "oracle_calls")
    assert np.all(np.diff(exact.primal) <= 0)
    assert exact.best == np.nanmin(traces["n-slack"].column("primal"))
    low = exact.dual[np.isfinite(exact.dual)]
    assert np.all(np.diff(low) >= 0)
    assert low[0] >= exact.best / FAR


def test_the_sentence_and_the_table_name_who_leads(traces: dict[str, Trace]) -> None:
    lanes = frame(traces, "seconds")
    assert (
        sentence(lanes)
        == "n-slack cutting plane has the lowest objective so far, 5.089; none below 5.089 is possible."
    )
    assert sentence(lanes[1:]).endswith("; how low it can get is not proved.")
    assert table(lanes)["relative gap"][1] == "no lower bound"
    assert sentence(frame({}, "seconds")) == "All learners are at the start."


def test_a_gap_that_proves_nothing_says_so() -> None:
    approximate = Recipe(task="clouds", data={"n": 2}, learner="one-slack", rule={"passes": 5.0})
    lanes = frame({"one-slack": shared_run(approximate)}, "seconds")
    assert table(lanes)["relative gap"][0].endswith(", no certificate")
    assert sentence(lanes).endswith("; how low it can get is not proved.")


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
    assert named(view) == [["n-slack cutting plane", "Subgradient descent"]]
    assert "All learners are at the start." in view.words.object


def named(view: RaceBounds) -> list[list[str]]:
    return [[item.label.value for item in drawn.legend.items] for drawn in view.drawn.values()]


def test_the_figure_names_its_learners_and_empties_again(traces: dict[str, Trace]) -> None:
    view = RaceBounds()
    view.show(frame(traces, "oracle_calls"), "oracle calls")
    view.theme = DARK
    assert named(view) == [["n-slack cutting plane", "Subgradient descent"]]
    assert len(view.sources[0][0].data["x"]) > 0
    view.show([], "seconds")
    assert named(view) == [[]]
    assert all(len(source.data["x"]) == 0 for pair in view.sources for source in pair)


def test_what_has_not_changed_is_not_sent_again(traces: dict[str, Trace]) -> None:
    view = RaceBounds()
    view.show(frame(traces, "seconds"), "seconds")
    sent = [source.data for pair in view.sources for source in pair]
    view.show(frame(traces, "seconds"), "seconds")
    assert all(source.data is before for source, before in zip(sum(view.sources, ()), sent, strict=True))
    view.show(frame(traces, "oracle_calls"), "oracle calls")
    assert view.sources[0][0].data is not sent[0]


def test_every_scale_has_its_own_figure_of_the_same_lanes_in_the_same_theme(traces: dict[str, Trace]) -> None:
    view = RaceBounds(theme=DARK)
    view.show(frame(traces, "seconds"), "seconds")
    for objective in (True, False):
        for clock in (True, False):
            view.param.update(log_objective=objective, log_clock=clock)
            plot = view.pane.object
            kinds = [type(scale).__name__ for scale in (plot.x_scale, plot.y_scale)]
            assert kinds == ["LogScale" if log else "LinearScale" for log in (clock, objective)]
            assert plot.xaxis[0].axis_label == "seconds"
            assert plot.background_fill_color == DARK.background
            assert len(plot.renderers[0].data_source.data["x"]) == 0, (
                "the points that keep an empty figure's range"
            )
    assert named(view) == [["n-slack cutting plane", "Subgradient descent"]] * 4
    view.show([], "oracle calls")
    assert named(view) == [[]] * 4
    assert {drawn.plot.xaxis[0].axis_label for drawn in view.drawn.values()} == {"oracle calls"}


def test_the_standings_can_be_hidden() -> None:
    view = RaceBounds(standings_shown=False)
    assert not view.standings.visible
    view.standings_shown = True
    assert view.standings.visible


def test_an_empty_figure_still_has_something_to_take_its_ranges_from() -> None:
    plot = figure(y_axis_type="log")
    tell = blank(plot)
    unseen = plot.renderers[0].data_source
    assert len(unseen.data["x"]) == 2
    tell([np.array([np.nan, 3.0])])
    assert len(unseen.data["x"]) == 0
    tell([np.array([np.nan, -1.0]), np.zeros(0)])
    assert len(unseen.data["x"]) == 2


def test_the_numbers_lie_over_the_picture_and_leave_the_standings(traces: dict[str, Trace]) -> None:
    view = RaceBounds()
    view.show(frame(traces, "oracle_calls"), "oracle calls")
    assert not view.numbers.pane.visible
    view.table_open = True
    assert view.numbers.pane.visible
    assert "lower bound" in view.numbers.pane.object
    assert view.standings.visible
    view.table_open = False
    assert not view.numbers.pane.visible
