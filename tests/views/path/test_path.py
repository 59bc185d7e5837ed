"""The path view shows what the engine's points prove at every C, says it, and trains only when asked."""

import math
from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pytest

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.runs.path import PathPoint, Trying, at, path
from explorer.engine.vectors import squared_norm
from explorer.session.state import Session
from explorer.views.kit.drawing.theme import DARK
from explorer.views.path import frame as numbers
from explorer.views.path.view import Path
from tests.waiting import wait_until

SMALL = Recipe(task="digit-words", data={"n": 12, "n_test": 5}, settings={"C": 2.0})
SPAN = (0.2, 20.0, 0.02)


@pytest.fixture(scope="module")
def points() -> list[PathPoint]:
    problem, test = SMALL.problem()
    return list(path(problem, SMALL.make_learner(), *SPAN, test=test))


@pytest.fixture
def session() -> Iterator[Session]:
    made = Session(SMALL)
    yield made
    made.close()


def traced(session: Session) -> None:
    wait_until(lambda: session.path.status != "running", session.collect)


def test_the_curves_are_what_the_chosen_point_proves_at_every_c(points: list[PathPoint]) -> None:
    found = numbers.curves(points, *SPAN[:2])
    assert len(found["C"]) >= numbers.PLACES
    for j in range(0, len(found["C"]), 7):
        C = float(found["C"][j])
        chosen = at(points, C)
        assert found["gap"][j] == pytest.approx(chosen.bounds_at(C).relative_gap, abs=1e-12)
        assert found["test_loss"][j] == chosen.test_loss
        assert found["train_loss"][j] == chosen.train_loss
        assert found["norm"][j] == pytest.approx(math.sqrt(squared_norm(chosen.w)))
    assert np.nanmax(found["gap"]) <= SPAN[2] * (1 + 1e-9)
    assert {float(f"{p.C:.9g}") for p in points} <= {float(f"{C:.9g}") for C in found["C"]}


def test_where_no_point_reaches_there_is_nothing_to_draw(points: list[PathPoint]) -> None:
    found = numbers.curves(points[:1], *SPAN[:2])
    assert np.array_equal(np.isnan(found["gap"]), found["C"] > points[0].high)
    assert numbers.reading_at(points[:1], SPAN[1]) is None
    assert "not on the path yet" in numbers.sentence(numbers.frame(points[:1], SPAN, SPAN[1]))


def test_looking_at_a_c_says_the_bounds_of_the_nearest_proof(points: list[PathPoint]) -> None:
    C = 3.2
    chosen, shown = at(points, C), numbers.frame(points, SPAN, C)
    proved = chosen.bounds_at(C)
    assert (shown.look.lower, shown.look.upper) == (proved.dual, proved.primal)
    said = numbers.sentence(shown)
    assert f"At C = 3.2: objective between {proved.dual:.4g} and {proved.primal:.4g}" in said
    assert f"(gap {proved.relative_gap:.2%})" in said
    assert f"test loss {chosen.test_loss:.4g}" in said
    assert said.endswith(f"from the point trained at C = {chosen.C:.3g}.")
    assert f"{len(points)} points" in said
    assert len(numbers.table(shown)["|w|"]) == len(points)


def test_progress_is_told_in_decades(points: list[PathPoint]) -> None:
    shown = numbers.frame(points[:2], SPAN, status="running", trying=Trying(0.7, 0.031))
    share = math.log(max(p.high for p in points[:2]) / 0.2) / math.log(100.0)
    assert f"2 points, {share:.0%} of the way; training at C = 0.7, gap 3.1%." in numbers.sentence(shown)
    stopped = numbers.frame(points[:2], SPAN, status="stopped", message="cancelled")
    assert numbers.sentence(stopped).startswith("Cancelled. 2 points")


def test_the_button_traces_around_the_runs_c_and_sliding_trains_nothing(session: Session) -> None:
    view = Path(session)
    assert "Not traced yet" in view.words.object
    assert view.along.disabled
    view.begin.clicks += 1
    assert session.path.span == (0.02, 20.0, 0.02)
    assert (view.begin.disabled, view.cancel.disabled) == (True, False)
    traced(session)
    points = session.path.points
    assert list(view.dots.data["C"]) == sorted(point.C for point in points)
    assert np.nanmax(view.curve.data["gap"]) <= 0.02 * (1 + 1e-9)
    assert "At C = 2:" in view.words.object
    view.along.value = 1.0
    assert "At C = 10:" in view.words.object
    view._ask(1e9)
    assert "At C = 20:" in view.words.object
    assert view.along.value == pytest.approx(math.log10(20.0))
    assert session.path.points is points
    assert len(session.trace) == 0
    view.theme, view.table_open = DARK, True
    assert "test loss" in view.data.object
    view.close()


@pytest.mark.spec("F51")
def test_losses_are_drawn_over_the_squared_norm_with_c_beside_the_points(
    points: list[PathPoint], session: Session
) -> None:
    found = numbers.trail(points)
    by_price = sorted(points, key=lambda point: point.C)
    assert found["C"].tolist() == [point.C for point in by_price]
    assert found["norm2"] == pytest.approx([squared_norm(point.w) for point in by_price])
    assert found["test_loss"].tolist() == [point.test_loss for point in by_price]
    x, y, text = numbers.price_labels(found)
    assert text[-1] == f"{by_price[-1].C:.2g}"
    assert 2 <= len(text) == len(x) == len(y) < len(points)
    wide, high = np.ptp(np.log(found["norm2"])), np.ptp(np.fmax(found["train_loss"], found["test_loss"]))
    for (a, b), (c, d) in combinations(zip(x, y, strict=True), 2):
        assert math.log(c / a) >= 0.22 * wide or abs(d - b) >= 0.15 * high  # no number covers another
    ends = numbers.ends_of(found["norm2"])
    assert ends["start"] < found["norm2"].min() <= found["norm2"].max() < ends["end"]
    view = Path(session, decades=(-1.0, 0.0), eps=0.1)
    assert [one.visible for one in view.panes] == [False, True, True, True]
    view.over = "|w|^2"
    assert [one.visible for one in view.panes] == [True, False, True, True]
    assert not len(view.names.data["text"])
    view.begin.clicks += 1
    traced(session)
    assert list(view.trail.data["C"]) == sorted(point.C for point in session.path.points)
    assert len(view.names.data["text"]) >= 2
    assert view.here.location == pytest.approx(numbers.reading_at(session.path.points, 2.0).norm ** 2)
    view.close()


def test_cancel_keeps_what_was_found_and_frees_the_button(session: Session) -> None:
    view = Path(session, eps=0.005, decades=(-4.0, 4.0))
    view.begin.clicks += 1
    wait_until(lambda: session.path.points, session.collect)
    view.cancel.clicks += 1
    assert (view.begin.disabled, view.cancel.disabled) == (False, True)
    assert "Cancelled." in view.words.object
    assert len(view.dots.data["C"]) == len(session.path.points) > 0
    view.close()


def test_without_a_path_the_view_says_why_and_a_change_clears_it(session: Session) -> None:
    view = Path(session, decades=(-0.5, 0.0), eps=0.1)
    view.begin.clicks += 1
    traced(session)
    assert len(view.dots.data["C"])
    session.choices.penalty = "squared"
    assert "choose the linear penalty" in view.words.object
    assert view.begin.disabled
    assert not len(view.dots.data["C"])
    assert not len(view.curve.data["C"])
    session.choices.penalty = "linear"
    assert "Not traced yet" in view.words.object
    session.choices.learner = "perceptron"
    assert "proves no lower bound, so no path" in view.words.object
    view.close()


def test_an_approximate_oracle_is_promised_no_proof() -> None:
    assert "proves a gap of at most" in numbers.sentence(numbers.frame([], SPAN, status="idle"))
    assert "no certificate" in numbers.sentence(
        numbers.frame([], SPAN, status="idle", doubt="the oracle is approximate")
    )
