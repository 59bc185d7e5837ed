"""The surface is the objective: at every grid point, in every pricing, in slices, and with the minima of the
source.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.contracts import Dataset, Objective, Problem, Rule
from explorer.engine.data import toys
from explorer.engine.events import Bounds, Started, Step
from explorer.engine.objective import cut_of, value, violation
from explorer.engine.pricing import Pricing
from explorer.engine.refusals import Refused
from explorer.engine.runs.trace import Trace
from explorer.engine.structures.chains.problem import Chain
from explorer.engine.structures.classes.binary import Binary
from explorer.engine.structures.classes.convex_risk import ConvexRisk
from explorer.engine.structures.classes.multiclass import Multiclass
from explorer.session.state import Session
from explorer.views.kit.drawing.theme import DARK, PROJECTOR
from explorer.views.surface import frame as numbers
from explorer.views.surface import risk_grid, slices, words
from explorer.views.surface import view as surface

LINE = Multiclass(toys.four_points(), 2)
REACHES = (10.0, 4.0, 6.0, 5.0)
"""|x| of the four points: slack_i = max(0, 1 - |x_i| u) with u = w1 - w2."""


def walked(problem: Problem, steps: int, size: float = 1.0, **budget: int) -> Trace:
    """A trace of random weights."""
    rng = np.random.default_rng(0)
    trace = Trace(**budget)
    trace.append(Started(problem.name, "Subgradient", problem.n, problem.dim, 0, True, {"C": 3.0}))
    for k in range(steps):
        trace.append(Step(k, size * rng.normal(size=problem.dim), bounds=Bounds(1.0), detail={"moves": k}))
    return trace


def chains(n: int = 6) -> Problem:
    rng = np.random.default_rng(3)
    inputs = tuple(rng.normal(size=(30, 2)) for _ in range(n))
    labels = tuple(rng.integers(0, 3, 30) for _ in range(n))
    return Chain(Dataset("long chains", inputs, labels), 3)


@pytest.fixture
def session() -> Iterator[Session]:
    s = Session(Recipe(task="four-points"))
    s.show_finished()
    yield s
    s.close()


@pytest.fixture
def slice_session() -> Iterator[Session]:
    s = Session(Recipe(task="circle"))
    s.show_finished()
    yield s
    s.close()


# the source's figure ----------------------------------------------------------------------------------------


@pytest.mark.spec("A22")
@pytest.mark.parametrize("C", [0.04, 0.4, 4.0, 20.0])
def test_the_line_toy_has_its_minimum_where_the_closed_form_puts_it(C: float) -> None:
    shown = numbers.frame(LINE, Trace(), 0, C)
    assert (shown.x[0], shown.x[-1], shown.y[0], shown.y[-1]) == (-3.0, 5.0, -2.0, 3.0)
    assert shown.J.shape == (100, 100)
    best, u = (0.0119, 0.18) if C / 4 < 1 / 32 else (1 / 64, 0.25)
    s, t, J = shown.lowest
    cell = np.hypot(shown.x[1] - shown.x[0], shown.y[1] - shown.y[0])
    assert np.hypot(s - u / 2, t + u / 2) <= cell
    around = [(x, y) for x in bracket(shown.x, u / 2) for y in bracket(shown.y, -u / 2)]
    assert best <= J <= max(by_hand(x, y, C / 4) for x, y in around)
    near = numbers.frame(LINE, found_at(u), 0, C, "near path")
    assert near.lowest[2] == pytest.approx(best, rel=0.02)


def bracket(grid: Any, x: float) -> tuple[float, float]:
    """The two grid values around x."""
    j = int(np.searchsorted(grid, x))
    return float(grid[j - 1]), float(grid[j])


def by_hand(w1: float, w2: float, C_sum: float) -> float:
    """1/2 |w|^2 + C sum_i max(0, 1 - |x_i| (w1 - w2))."""
    return 0.5 * (w1**2 + w2**2) + C_sum * sum(max(0.0, 1.0 - a * (w1 - w2)) for a in REACHES)


def found_at(u: float) -> Trace:
    """A run that ended at the optimum."""
    trace = Trace()
    trace.append(Started("multiclass", "NSlack", 4, 2, 0, True, {"C": 1.0}))
    trace.append(Step(0, np.array([u / 2, -u / 2])))
    return trace


@pytest.mark.spec("A22")
@pytest.mark.parametrize("C", [0.04, 4.0])
def test_every_point_of_the_line_toy_is_the_formula(C: float) -> None:
    shown = numbers.frame(LINE, Trace(), 0, C)
    expected = [[by_hand(x, y, C / 4) for x in shown.x] for y in shown.y]
    assert np.allclose(shown.J, expected, rtol=1e-12, atol=1e-12)


def test_regions_of_the_line_toy_end_where_a_hinge_begins() -> None:
    shown = numbers.frame(LINE, Trace(), 0, 4.0)
    assert len(shown.borders) == 4
    found = sorted(float(np.mean(line[:, 0] - line[:, 1])) for line in shown.borders)
    assert found == pytest.approx(sorted(1 / a for a in REACHES))
    assert all(np.ptp(line[:, 0] - line[:, 1]) < 1e-9 for line in shown.borders)


# any problem ------------------------------------------------------------------------------------------------

PRICINGS = (Pricing(), Pricing("slack"), Pricing("margin", "squared"), Pricing("slack", "squared"))
RULES = (
    Rule(np.array([0.0, 1.0, 0.0]), 1.5, weight=2.0),
    Rule(np.array([0.0, 0.0, -1.0]), 0.5, weight=1.0, group=1),
)
PROBLEMS: dict[str, Problem] = {
    **{f"circle, {p.scaling}, {p.penalty}": Multiclass(toys.circle(), 3, pricing=p) for p in PRICINGS},
    "two classes": Binary(toys.overlapping(8)[0], bias="regularised"),
    "two classes with rules": Binary(toys.overlapping(8)[0], bias="regularised", rules=RULES),
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_slice_is_the_objective_at_its_points(name: str) -> None:
    problem = PROBLEMS[name]
    shown = numbers.frame(problem, walked(problem, 5), 2, 3.0)
    assert shown.looked == problem.n
    rng = np.random.default_rng(1)
    for j, i in rng.integers(0, 100, (12, 2)):
        w = shown.where.at(shown.x[i], shown.y[j])
        assert shown.J[j, i] == pytest.approx(value(problem, w, 3.0), rel=1e-10)


def test_a_slice_by_oracle_passes_is_the_objective_at_its_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = chains()
    monkeypatch.setattr(risk_grid, "PLANS", ((7, 1),))
    monkeypatch.setattr(risk_grid, "SECONDS", 60.0)
    shown = numbers.frame(problem, walked(problem, 4), 1, 3.0)
    assert (shown.looked, len(shown.x)) == (problem.n, 6 * risk_grid.BETWEEN + 1)
    nodes = range(0, len(shown.x), risk_grid.BETWEEN)
    for j, i in zip(nodes, reversed(nodes), strict=True):
        w = shown.where.at(shown.x[i], shown.y[j])
        assert shown.J[j, i] == pytest.approx(value(problem, w, 3.0), rel=1e-10)
    assert not shown.borders


def test_between_nodes_the_objective_is_never_drawn_too_low(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = chains(3)
    monkeypatch.setattr(risk_grid, "PLANS", ((5, 1),))
    monkeypatch.setattr(risk_grid, "SECONDS", 60.0)
    shown = numbers.frame(problem, walked(problem, 3), 1, 3.0)
    row = shown.y[2 * risk_grid.BETWEEN]
    for i, x in enumerate(shown.x):
        assert shown.J[2 * risk_grid.BETWEEN, i] >= value(problem, shown.where.at(x, row), 3.0) - 1e-9


def test_a_dear_slice_asks_some_of_the_examples_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = chains(6)
    monkeypatch.setattr(risk_grid, "PLANS", ((3, 2),))
    monkeypatch.setattr(risk_grid, "SECONDS", 60.0)
    shown = numbers.frame(problem, walked(problem, 3), 1, 3.0)
    data = problem.dataset
    some = problem.on(replace(data, inputs=data.inputs[::2], labels=data.labels[::2]))
    assert shown.J[0, 0] == pytest.approx(value(some, shown.where.at(shown.x[0], shown.y[0]), 3.0))
    assert "Estimated from 3 of 6 examples" in words.objective_sentence(shown)


def test_a_slice_that_takes_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = chains()
    monkeypatch.setattr(risk_grid, "SECONDS", 0.0)
    with pytest.raises(Refused, match="oracle passes"):
        numbers.frame(problem, walked(problem, 3), 1, 3.0)


def test_a_smooth_risk_of_two_weights_is_drawn() -> None:
    problem = ConvexRisk(dim=2)
    shown = numbers.frame(problem, walked(problem, 3), 1, 2.0)
    w = shown.where.at(shown.x[7], shown.y[30])
    assert np.array_equal(w, [shown.x[7], shown.y[30]])
    assert shown.J[30, 7] == pytest.approx(0.5 * w @ w + 2.0 * problem.risk(w)[0])


def test_the_slice_holds_zero_the_cursor_and_the_last_step() -> None:
    problem = PROBLEMS["circle, margin, linear"]
    trace = walked(problem, 6)
    for at in range(6):
        shown = numbers.frame(problem, trace, at, 3.0)
        first, second = shown.where.first, shown.where.second
        assert (first @ first, second @ second, first @ second) == pytest.approx((1.0, 1.0, 0.0), abs=1e-12)
        for step in {at, 5}:
            here = shown.path[list(shown.steps).index(step)]
            assert np.allclose(shown.where.at(*here), trace.weights.kept[step])
        x0, x1, y0, y1 = shown.where.box
        assert x0 < min(0.0, *shown.path[:, 0])
        assert x1 > max(0.0, *shown.path[:, 0])
        assert y0 < min(0.0, *shown.path[:, 1])
        assert y1 > max(0.0, *shown.path[:, 1])
        other = "farthest off" if at == 5 else f"the w of step {at}"
        assert other in words.objective_sentence(shown)
        assert "Slice of 9 dimensions" in words.objective_sentence(shown)


def test_a_straight_path_gets_an_axis_across() -> None:
    problem = PROBLEMS["two classes"]
    trace = found = Trace()
    found.append(Started("binary", "NSlack", problem.n, 3, 0, True, {"C": 1.0}))
    for k, size in enumerate((0.0, 1.0)):
        trace.append(Step(k, size * np.array([1.0, 2.0, 0.5])))
    shown = numbers.frame(problem, trace, 1, 1.0)
    assert abs(shown.where.first @ shown.where.second) < 1e-12
    assert "the axis of weight 3" in words.objective_sentence(shown)


def test_borders_part_regions_of_one_most_violated_labelling() -> None:
    problem = PROBLEMS["circle, margin, linear"]
    shown = numbers.frame(problem, walked(problem, 5), 2, 3.0)
    x, y = shown.x, shown.y

    def labels(i: int, j: int) -> list[int]:
        w = shown.where.at(x[i], y[j])
        cuts = [[cut_of(problem, n, k) for k in range(3)] for n in range(problem.n)]
        return [int(np.argmax([violation(problem, w, cut) for cut in own])) for own in cuts]

    crossed = {
        (int(np.searchsorted(x, p)), int(np.searchsorted(y, q))) for line in shown.borders for p, q in line
    }
    rng = np.random.default_rng(5)
    checked = 0
    for i, j in rng.integers(1, 99, (40, 2)):
        if (i + 1, j) in crossed or (i + 1, j + 1) in crossed:
            continue
        assert labels(int(i), int(j)) == labels(int(i) + 1, int(j))
        checked += 1
    assert checked > 10


def test_contours_lie_at_their_height() -> None:
    shown = numbers.frame(LINE, Trace(), 0, 4.0)
    levels = sorted({level for level, _ in shown.contours}, reverse=True)
    span = shown.J.max() - shown.J.min()
    assert levels == pytest.approx([shown.J.min() + span / 2**k for k in range(1, len(levels) + 1)])
    level, line = shown.contours[0]
    heights = [by_hand(s, t, 1.0) for s, t in line]
    assert np.allclose(heights, level, atol=0.02 * span)


# what cannot be drawn, and the page -------------------------------------------------------------------------


def test_what_cannot_be_drawn_is_refused_with_a_reason() -> None:
    circle = PROBLEMS["circle, margin, linear"]
    with pytest.raises(Refused, match="infinite"):
        numbers.frame(LINE, Trace(), 0, np.inf)
    with pytest.raises(Refused, match="Nothing trained yet"):
        numbers.frame(circle, Trace(), 0, 1.0)
    with pytest.raises(Refused, match="still 0"):
        numbers.frame(circle, walked(circle, 2, size=0.0), 1, 1.0)
    with pytest.raises(Refused, match="only one weight"):
        numbers.frame(ConvexRisk(), walked(ConvexRisk(), 2), 1, 1.0)


def test_two_weights_have_a_surface_before_training() -> None:
    s = Session(Recipe(task="four-points"))
    view = surface.Surface(s)
    assert "press play to see the way down" in view.words.object
    assert len(view.sources["image"].data["image"]) == 1
    assert len(view.sources["path"].data["x"]) == 0
    s.close()


def test_an_untrained_slice_says_so_and_shows_nothing() -> None:
    s = Session(Recipe(task="circle"))
    view = surface.Surface(s)
    assert "Nothing trained yet" in view.words.object
    assert not view.figures[0].visible
    s.show_finished()
    assert view.figures[0].visible
    s.close()


def test_a_slice_waits_until_training_pauses(slice_session: Session) -> None:
    view = surface.Surface(slice_session)
    slice_session.status = "running"
    assert "as soon as training pauses" in view.words.object
    assert not view.figures[0].visible
    slice_session.status = "paused"
    assert view.figures[0].visible


def test_the_risk_is_computed_once_per_plane(slice_session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    real = risk_grid.risk_on

    def counted(problem: Problem, where: slices.Slice, objective: Objective) -> risk_grid.Risk:
        asked.append(where)
        return real(problem, where, objective)

    monkeypatch.setattr(risk_grid, "risk_on", counted)
    view = surface.Surface(slice_session)
    for at in (1, 2, 1, 2):
        slice_session.seek(at)
    planes = {where.key for where in asked}
    assert len(asked) == len(planes) <= 2
    slice_session.trace.starts.append((2, replace(slice_session.trace.starts[-1][1], settings={"C": 99.0})))
    view.refresh()
    slice_session.trace.starts.pop()
    assert len(asked) == len(planes)
    assert "C = 99" in view.words.object


def test_the_price_is_that_of_the_steps_own_run(session: Session) -> None:
    view = surface.Surface(session)
    assert view.price(0) == 4.0
    changed = replace(session.trace.starts[0][1], settings={"C": 0.5})
    session.trace.starts.append((1, changed))
    assert (view.price(0), view.price(1)) == (4.0, 0.5)
    session.trace.starts.pop()


def test_the_path_ends_at_the_cursor_and_goes_on_dashed(session: Session) -> None:
    view = surface.Surface(session)
    figures, image = list(view.figures), view.sources["image"]
    session.seek(0)
    assert list(view.sources["path"].data["x"]) == [0.0]
    assert np.allclose(view.sources["ahead"].data["x"], [0.0, 0.125])
    session.seek(1)
    assert np.allclose(view.sources["path"].data["x"], [0.0, 0.125])
    assert np.allclose(
        [view.sources["here"].data["x"][0], view.sources["here"].data["y"][0]], [0.125, -0.125]
    )
    assert view.figures == figures
    assert view.sources["image"] is image
    assert "(0.125, -0.125)" in view.words.object


def test_the_pointer_is_at_the_nearest_step_unless_all_are_far(session: Session) -> None:
    view = surface.Surface(session, zoom="near path")
    assert view._step_at(0.005, 0.005) == 0
    assert view._step_at(0.12, -0.12) == 1
    box = view.figures[0].x_range
    assert view._step_at(box.end, view.figures[0].y_range.end) is None


def test_both_windows_of_the_line_toy_can_be_chosen(session: Session) -> None:
    view = surface.Surface(session)
    assert view.choose.visible
    assert (view.figures[0].x_range.start, view.figures[0].x_range.end) == (-3.0, 5.0)
    view.zoom = "near path"
    assert view.figures[0].x_range.end < 1.0


def test_a_theme_recolours_everything(session: Session) -> None:
    view = surface.Surface(session)
    view.theme = DARK
    assert view.mapper.palette[0] == DARK.background
    assert view.parts["here"].glyph.fill_color == DARK.accent
    assert view.bar.major_label_text_color == DARK.text
    view.theme = PROJECTOR
    assert view.bar.major_label_text_font_size == f"{PROJECTOR.font}px"


def test_a_hidden_view_computes_nothing(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    view = surface.Surface(session, active=False)

    def forbidden(*args: Any) -> None:
        raise AssertionError

    monkeypatch.setattr(numbers, "frame", forbidden)
    session.seek(0)
    view.zoom = "near path"
    view.close()


def test_one_step_and_ten_thousand_steps_are_shown_and_left_alone() -> None:
    for steps in (1, 10_000):
        trace = walked(LINE, steps, size=0.1)
        before = {at: w.copy() for at, w in trace.weights.kept.items()}
        shown = numbers.frame(LINE, trace, steps // 2, 4.0)
        assert len(shown.steps) <= numbers.MOST_POINTS + 1
        assert steps // 2 in shown.steps
        assert len(trace) == steps
        assert trace.weights.kept.keys() == before.keys()
        assert all(np.array_equal(w, before[at]) for at, w in trace.weights.kept.items())


def test_the_table_is_the_path(session: Session) -> None:
    view = surface.Surface(session, table_open=True)
    columns = view.table(view.frame())
    assert list(columns["step"]) == [0, 1]
    assert columns["objective"] == pytest.approx([4.0, 1 / 64])
    assert "objective" in view.data.object
