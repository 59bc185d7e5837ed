"""The bounds over a run, and the marks that every time axis carries."""

from collections.abc import Iterator

import numpy as np
import pytest

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.events import Bounds, Evaluated, Started, Step
from explorer.engine.runs.promises import Promise
from explorer.engine.runs.trace import Trace
from explorer.session.state import Session
from explorer.views.bounds import frame as numbers
from explorer.views.bounds import view as bounds
from explorer.views.bounds.strip import BoundsStrip
from explorer.views.bounds.strip_frame import strip
from explorer.views.kit.drawing.theme import THEMES
from explorer.views.kit.drawing.timeline import changes, uncrowded_texts

SMALL = Recipe(task="circle", settings={"C": 10.0})


def run(primal: list[float], dual: list[float], exact: bool = True, oracle: str = "exact") -> Trace:
    trace = Trace()
    trace.append(Started("p", "n-slack", 3, 2, 0, exact, {"C": 1.0}, oracle))
    for k, (up, low) in enumerate(zip(primal, dual, strict=True)):
        trace.append(Step(k, np.ones(2), bounds=Bounds(up, low, exact), oracle_calls=3 * k, seconds=0.5 * k))
    return trace


def test_the_best_so_far_is_the_running_minimum_and_skips_what_nobody_computed() -> None:
    shown = numbers.frame(run([5.0, np.nan, 4.0, 4.5], [1.0, 2.0, 3.0, 3.5]), 3)
    assert shown.best.tolist() == [5.0, 5.0, 4.0, 4.0]
    assert shown.x.tolist() == [0.0, 1.0, 2.0, 3.0]


@pytest.mark.parametrize(("clock", "last"), [("iteration", 3.0), ("oracle calls", 9.0), ("seconds", 1.5)])
def test_every_clock_places_the_steps(clock: str, last: float) -> None:
    shown = numbers.frame(run([5.0, 4.5, 4.0, 4.0], [1.0, 2.0, 3.0, 3.5]), 3, clock)
    assert shown.x[-1] == last
    assert numbers.table(shown)[clock][-1] == last


@pytest.mark.parametrize(
    ("exact", "oracle", "kind"),
    [
        (True, "exact", "(a certificate)"),
        (False, "under", "not a certificate: the oracle is approximate"),
        (False, "over", "not a certificate: the oracle is relaxed"),
    ],
)
def test_the_sentence_says_what_the_gap_proves(exact: bool, oracle: str, kind: str) -> None:
    told = numbers.sentence(numbers.frame(run([5.0, 4.0], [1.0, 3.0], exact, oracle), 1))
    assert "primal 4, dual 3, gap 25.00%" in told
    assert kind in told


def test_steps_without_a_bound_and_runs_without_steps_are_told() -> None:
    unknown = run([5.0, np.nan], [np.nan, 2.0])
    assert "gives no lower bound" in numbers.sentence(numbers.frame(unknown, 0))
    assert "was not computed" in numbers.sentence(numbers.frame(unknown, 1))
    assert "press play" in numbers.sentence(numbers.frame(Trace(), 0))


def test_ten_thousand_steps_are_thinned_and_the_cursor_still_finds_its_own() -> None:
    n = 10_000
    trace = run(list(np.linspace(9.0, 5.0, n)), list(np.linspace(0.0, 4.9, n)))
    shown = numbers.frame(trace, 4_321)
    assert len(shown.x) <= numbers.MOST_POINTS
    assert shown.step[[0, -1]].tolist() == [0, n - 1]
    assert numbers.at_cursor(shown)[0] == pytest.approx(9.0 - 4.0 * 4_321 / (n - 1), abs=4.0 * 5 / n)
    assert len(trace) == n


def test_changes_name_the_settings_that_differ() -> None:
    trace = run([5.0, 4.0], [1.0, 3.0])
    trace.append(Started("p", "n-slack", 3, 2, 0, True, {"C": 4.0}))
    trace.append(Step(2, np.ones(2), bounds=Bounds(7.0, 3.0, True)))
    trace.append(Started("p", "n-slack", 3, 2, 0, True, {"C": 4.0}))
    assert changes(trace) == [(2, "C = 4"), (3, "other loss or oracle")]


def test_of_moments_that_crowd_only_the_newest_is_named() -> None:
    marks = [(0.0, "a"), (10.0, "b"), (10.5, "c"), (11.0, "d"), (50.0, "e")]
    assert uncrowded_texts(marks, 100.0) == ["a", "", "", "d", "e"]
    assert uncrowded_texts(marks, 10.0) == ["a", "b", "c", "d", "e"]
    assert uncrowded_texts([], 0.0) == []


@pytest.fixture
def session() -> Iterator[Session]:
    made = Session(SMALL)
    made.show_finished()
    yield made
    made.close()


def test_the_pointer_takes_the_cursor_along_and_marks_where_it_came_from(session: Session) -> None:
    view = bounds.BoundsView(session)
    plot, timeline, *_ = view._parts[0]
    last = len(session.trace) - 1
    assert (timeline.cursor.location, timeline.left.location) == (last, None)
    session.glance.begin(view._step_at(0.4, 1.0))
    assert (timeline.cursor.location, timeline.left.location) == (0.0, last)
    assert "Step 0" in view.words.object
    session.glance.end()
    assert (timeline.cursor.location, timeline.left.location) == (last, None)
    assert plot in view.figures


def test_the_marks_follow_the_clock_and_the_scale(session: Session) -> None:
    view = bounds.BoundsView(session, clock="oracle calls")
    session.seek(1)
    calls = session.trace.column("oracle_calls")
    view.log_scale = False
    for _, timeline, *_ in view._parts:
        assert timeline.cursor.location == calls[1]
    assert len(view._parts) == 2


def test_every_theme_colours_the_curves_and_the_marks(session: Session) -> None:
    view = bounds.BoundsView(session)
    _, timeline, parts, _, deadline = view._parts[0]
    for theme in THEMES.values():
        view.theme = theme
        assert parts["primal"].glyph.line_color == theme.primal
        assert timeline.rays.glyph.line_color == theme.accent
        assert timeline.labels.text_color == deadline.line_color == theme.muted


def test_a_run_without_data_in_the_legend_still_has_its_signs(session: Session) -> None:
    session.reset()
    view = bounds.BoundsView(session)
    items = view.figures[0].legend[0].items
    assert [item.label.value for item in items] == ["gap", "best so far", "primal (upper)", "dual (lower)"]
    for item in items:
        for sign in item.renderers:
            assert sign.data_source is not view.source
            assert all(len(column) == 1 for column in sign.data_source.data.values())


def test_a_view_that_shows_the_same_again_sends_nothing(session: Session) -> None:
    view = bounds.BoundsView(session)
    before = view.source.data
    view.refresh()
    assert view.source.data is before


def test_a_learner_without_an_objective_is_shown_by_the_slack_of_its_looks() -> None:
    trace = run([np.nan] * 5, [np.nan] * 5)
    shown = numbers.frame(trace, 4)
    assert numbers.sentence(shown).endswith("no objective to bound; no look yet.")
    trace.append(Evaluated(4, Bounds(), 0.5, 0.25))
    trace.append(Step(5, np.ones(2)))
    shown = numbers.frame(trace, 5)
    assert (shown.step.tolist(), shown.primal.tolist()) == ([4.0], [0.5])
    assert "the mean slack at step 4 is 0.5" in numbers.sentence(shown)
    assert numbers.table(shown)["mean slack"].tolist() == [0.5]


def test_such_a_run_has_one_line_and_says_so_on_its_axis() -> None:
    made = Session(Recipe(task="circle", learner="perceptron"))
    made.show_finished()
    view = bounds.BoundsView(made)
    plot, _, _, items, _ = view._parts[0]
    assert plot.yaxis[0].axis_label == "mean slack"
    assert [name for name, item in items.items() if item.visible] == ["best so far"]
    assert len(view.source.data["x"]) > 1
    made.close()


@pytest.mark.spec("C17", "D2")
def test_a_theorem_ends_the_run_by_a_step_that_is_marked_and_told() -> None:
    # The circle toy has R = 2, D = 1; at C = 10, eps = 0.1 Theorem 4 allows 8 * 10 * 4 / 0.01 = 32,000 passes
    # with new cuts.
    made = Session(Recipe(task="circle", settings={"C": 10.0, "eps": 0.1}))
    made.show_finished()
    view = bounds.BoundsView(made)
    plot, *_, deadline = view._parts[0]
    assert deadline.location == 32_000
    assert plot.xaxis[0].axis_label == "iteration; Theorem 4: ends by 32,000 \N{RIGHTWARDS ARROW}"
    view.clock = "seconds"
    assert (deadline.location, plot.xaxis[0].axis_label) == (None, "seconds")
    made.close()


def test_a_deadline_within_sight_needs_no_arrow() -> None:
    shown = numbers.frame(run([5.0, 4.0], [1.0, 3.0]), 1, due=Promise("Theorem 7", "planes", 1, 1, 1))
    assert numbers.axis_words(shown) == "iteration; Theorem 7: ends by 1"


def test_nothing_is_promised_of_problems_too_large_to_list() -> None:
    made = Session(
        Recipe(task="blocks", data={"n": 2, "n_test": 1, "length": 30}, settings={"C": 1.0, "eps": 0.1})
    )
    made.show_finished()
    view = bounds.BoundsView(made)
    assert view.extents.of(made.problem) is None
    assert view._parts[0][0].xaxis[0].axis_label == "iteration"
    made.close()


def test_looks_are_no_steps() -> None:
    trace = run([5.0, 4.0], [1.0, 3.0])
    trace.append(Evaluated(1, Bounds(4.0, 3.0, True), 0.5, 0.25))
    assert len(numbers.frame(trace, 1).x) == 2


def test_the_strip_ends_where_it_is_told_to_and_its_bounds_close() -> None:
    trace = run([10.0, 5.0, 6.0, 4.0], [-1.0, 1.0, 2.0, 4.0])
    shown = strip(trace, 3)
    assert shown.steps.tolist() == [0.0, 1.0, 2.0, 3.0]
    assert np.all(np.diff(shown.best) <= 0.0)
    assert np.all(np.diff(shown.lower) >= 0.0)
    assert shown.best[-1] == shown.lower[-1]
    assert shown.value[2] > shown.best[2]
    assert strip(trace, 1).steps.tolist() == [0.0, 1.0]
    assert np.isfinite(np.concatenate([shown.best, shown.lower])).all()


@pytest.mark.parametrize("dual", [[np.nan, np.nan], [0.0, 0.0]])
def test_the_strip_of_a_run_without_bounds_or_above_zero_is_drawn_too(dual: list[float]) -> None:
    shown = strip(run([0.0, 0.0], dual), 1)
    assert np.isfinite(shown.value).all()
    assert len(strip(Trace(), 0).steps) == 0


def test_while_a_step_is_walked_through_the_strip_stops_before_it() -> None:
    session = Session(SMALL)
    session.show_finished()
    shown = BoundsStrip(session)
    assert shown.steps[-1] == session.newest
    session.seek(1)
    assert (shown.at, shown.steps[-1]) == (1, session.newest)
    session.step_phase()
    assert (shown.at, shown.steps[-1], shown.last) == (1, 1, session.newest)
    shown._handle_msg({"seek": 2})
    assert (session.cursor, session.phase, shown.steps[-1]) == (2, 0, session.newest)
    shown.close()
    session.close()
