"""The lower model is what plain loops over cuts give, below J, touching it where cuts were found, with exact
regions.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.contracts import Learner, Problem, Rule
from explorer.engine.data import toys
from explorer.engine.events import EVERY_EXAMPLE
from explorer.engine.learners import Bundle, NSlack, OneSlack, SampledCuts, Subgradient
from explorer.engine.objective import cut_of, value
from explorer.engine.pricing import Pricing
from explorer.engine.runs.streams import Until, train
from explorer.engine.runs.trace import Trace, recorded
from explorer.engine.structures.classes.binary import Binary
from explorer.engine.structures.classes.multiclass import Multiclass
from explorer.engine.vectors import Array, dense
from explorer.session.state import Session
from explorer.views.kit.drawing.theme import DARK, PROJECTOR
from explorer.views.surface import cuts
from explorer.views.surface import frame as numbers
from explorer.views.surface import view as surface
from explorer.views.surface import words as surface_words

LINE = Multiclass(toys.four_points(), 2)
CIRCLE = Multiclass(toys.circle(), 3)
RULED = Binary(
    toys.two_gaussians(5, 1.0, 1, 0)[0],
    bias="regularised",
    rules=(Rule(np.array([0.0, 1.0, 0.0]), 0.5, 2.0),),
)
ENDLESS = Until(relative_gap=0.0, steps=60)
C = 4.0


def priced(problem: Any, scaling: str, penalty: str) -> Problem:
    return replace(problem, pricing=Pricing(scaling, penalty))


CASES: dict[str, tuple[Problem, Learner]] = {
    "line, 1-slack": (LINE, OneSlack(C=C)),
    "line, n-slack": (LINE, NSlack(C=C)),
    "line, n-slack, squared": (priced(LINE, "margin", "squared"), NSlack(C=C)),
    "line, bundle": (LINE, Bundle(C=C)),
    "circle, 1-slack": (CIRCLE, OneSlack(C=C)),
    "circle, 1-slack pruned": (CIRCLE, OneSlack(C=C, prune_after=2)),
    "circle, 1-slack, slack scaling": (priced(CIRCLE, "slack", "linear"), OneSlack(C=C)),
    "circle, n-slack": (CIRCLE, NSlack(C=C)),
    "circle, n-slack, slack scaling, squared": (priced(CIRCLE, "slack", "squared"), NSlack(C=C)),
    "circle, bundle, squared": (priced(CIRCLE, "margin", "squared"), Bundle(C=C)),
    "with a rule": (RULED, NSlack(C=C)),
}
FLAT = [name for name in CASES if name.startswith("line")]
JOINT = [name for name in CASES if "1-slack" in name]


def run(problem: Problem, learner: Learner, rule: Until = ENDLESS, **budget: int) -> Trace:
    trace = Trace(**budget)
    for _ in recorded(train(problem, learner, rule=rule), trace):
        pass
    return trace


TRACES = {name: run(*case) for name, case in CASES.items()}


def seen(name: str, at: int, phase: int = 0) -> tuple[numbers.ObjectiveFrame, cuts.LowerModel]:
    """The objective and its model at a step of a case."""
    over = numbers.frame(CASES[name][0], TRACES[name], at, C, "near path")
    model = cuts.frame(CASES[name][0], TRACES[name], over, "model", phase).model
    assert model is not None
    return over, model


def steps(name: str) -> range:
    return range(0, len(TRACES[name]), 2)


def plain_planes(name: str, at: int, added: bool = True) -> list[tuple[int, Array, float, int]]:
    """(example, a, b, number) of every cut that entered up to step `at`, from the labellings that the steps
    found.
    """
    problem, trace = CASES[name][0], TRACES[name]
    planes: list[tuple[int, Array, float, int]] = []
    for step in range(at + 1 if added else at):
        for cut in trace.cuts.kept[step] if trace.column("added")[step] > 0 else ():
            joint = cut.i == EVERY_EXAMPLE
            parts = [
                plain_plane(problem, i, y)
                for i, y in (enumerate(cut.label) if joint else [(cut.i, cut.label)])
            ]
            a, b = np.mean([a for a, _ in parts], axis=0), float(np.mean([b for _, b in parts]))
            planes.append((cut.i, a, b, len(planes)))
    return planes


def plain_plane(problem: Any, i: int, label: Any) -> tuple[Array, float]:
    """a = u psi, b = r, with r = loss or its root and u = 1 or r."""
    cut = cut_of(problem, i, label)
    r = cut.loss**0.5 if problem.pricing.penalty == "squared" else cut.loss
    return dense(cut.psi) * (r if problem.pricing.scaling == "slack" else 1.0), r


def plain_model(name: str, planes: list[tuple[int, Array, float, int]], w: Array) -> float:
    """1/2 |w|^2 + C max(0, max_j b_j - w . a_j), or C / n times the sum of the cost of every example's own
    maximum.
    """
    problem = CASES[name][0]
    best: dict[int, float] = {}
    for i, a, b, _ in planes:
        best[i] = max(best.get(i, 0.0), b - float(w @ a))
    squared = problem.pricing.penalty == "squared"
    costs = [slack**2 / 2 if squared else slack for slack in best.values()]
    share = 1.0 if EVERY_EXAMPLE in best else 1.0 / problem.n
    return 0.5 * float(w @ w) + C * share * sum(costs)


# the model --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CASES)
def test_the_model_never_exceeds_the_objective_and_grows_to_it(name: str) -> None:
    for at in steps(name):
        over, model = seen(name, at)
        _, before = seen(name, at, phase=1)
        assert np.all(model.values <= over.J + 1e-9 * (1.0 + over.J))
        assert np.all(before.values <= model.values + 1e-9)
    over, first = seen(name, 0, phase=1)
    assert np.max(over.J - first.values) > 0.1
    last = len(TRACES[name]) - 1
    assert seen(name, last)[1].after[2] == pytest.approx(float(TRACES[name].column("primal")[last]), rel=2e-3)


@pytest.mark.parametrize("name", [n for n in CASES if not any(w in n for w in ("bundle", "pruned", "rule"))])
def test_every_grid_point_is_the_formula_over_the_cuts_found(name: str) -> None:
    for at in steps(name):
        for phase in (1, 2):
            over, model = seen(name, at, phase)
            planes = plain_planes(name, at, added=phase == 2)
            assert model.size == len(planes)
            for j, i in np.random.default_rng(at).integers(0, 100, (15, 2)):
                w = over.where.at(over.x[i], over.y[j])
                assert model.values[j, i] == pytest.approx(plain_model(name, planes, w), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("name", JOINT)
def test_the_model_touches_the_objective_where_its_cut_was_found(name: str) -> None:
    problem, trace = CASES[name][0], TRACES[name]
    for at in range(len(trace) - 1):
        J = value(problem, trace.at(at).w, C)
        assert seen(name, at)[1].here == pytest.approx(J, rel=1e-9)
        assert seen(name, at, phase=1)[1].here < J - 1e-4


def test_every_earlier_cut_still_touches_where_it_was_found() -> None:
    name, trace = "line, 1-slack", TRACES["line, 1-slack"]
    last = len(trace) - 1
    over, model = seen(name, last)
    for step in range(last):
        s, t = trace.at(step).w
        J = 0.5 * (s * s + t * t) + C / 4 * sum(max(0.0, 1.0 - x * (s - t)) for x in (10.0, 4.0, 6.0, 5.0))
        assert cuts.height(LINE, model.cuts, over, s, t) == pytest.approx(J, rel=1e-9)


@pytest.mark.parametrize("name", FLAT)
def test_with_two_weights_its_minimum_is_the_next_steps_dual_and_w(name: str) -> None:
    trace = TRACES[name]
    for at in range(len(trace) - 1):
        _, model = seen(name, at)
        for low, step in ((model.before, at), (model.after, at + 1)):
            assert low[2] == pytest.approx(float(trace.column("dual")[step]), abs=1e-7)
            assert low[:2] == pytest.approx(tuple(trace.at(step).w), abs=1e-4)
        assert np.all(model.values >= model.after[2] - 1e-9)


@pytest.mark.parametrize("name", [n for n in CASES if n not in FLAT])
def test_on_a_slice_its_minimum_is_that_of_the_slice_and_no_lower_than_the_dual(name: str) -> None:
    for at in steps(name):
        over, model = seen(name, at)
        s, t, low = model.after
        planes = model.cuts
        assert np.all(model.values >= low - 1e-7)
        assert low >= float(TRACES[name].column("dual")[min(at + 1, len(TRACES[name]) - 1)]) - 1e-4
        rng = np.random.default_rng(at)
        near = [
            cuts.height(CASES[name][0], planes, over, s + ds, t + dt)
            for ds, dt in 1e-3 * rng.normal(size=(20, 2))
        ]
        assert min(near) >= low - 1e-7


# regions ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["line, 1-slack", "line, n-slack", "circle, 1-slack", "circle, n-slack"])
def test_regions_are_those_of_the_highest_cut_by_enumeration(name: str) -> None:
    for at in steps(name):
        for phase in (1, 2):
            over, model = seen(name, at, phase)
            every = plain_planes(name, at)
            own = [p for p in plain_planes(name, at, added=phase == 2) if p[0] == every[-1][0]]
            polygons = dict(model.regions)
            assert set(polygons) == set(model.highest.ravel().tolist())
            for j, i in np.random.default_rng(at).integers(0, 100, (25, 2)):
                w = over.where.at(over.x[i], over.y[j])
                asked = {-1: 0.0} | {number: b - float(w @ a) for _, a, b, number in own}
                assert asked[int(model.highest[j, i])] == pytest.approx(max(asked.values()), abs=1e-12)
                holders = [k for k, p in polygons.items() if inside(p, over.x[i], over.y[j])]
                assert all(asked[k] == pytest.approx(max(asked.values()), abs=1e-9) for k in holders)
                assert int(model.highest[j, i]) in holders


def inside(polygon: Array, x: float, y: float) -> bool:
    """Whether a place lies in a convex polygon whose corners go round against the clock."""
    ahead = np.roll(polygon, -1, axis=0) - polygon
    return bool(np.all(ahead[:, 0] * (y - polygon[:, 1]) - ahead[:, 1] * (x - polygon[:, 0]) >= -1e-9))


def area(polygon: Array) -> float:
    x, y = polygon.T
    return 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))


@pytest.mark.parametrize("name", ["line, 1-slack", "circle, 1-slack", "circle, n-slack"])
def test_regions_cover_the_window_and_meet_where_two_cuts_ask_the_same(name: str) -> None:
    for at in steps(name):
        over, model = seen(name, at)
        x0, x1, y0, y1 = over.where.box
        assert sum(area(p) for _, p in model.regions) == pytest.approx((x1 - x0) * (y1 - y0), rel=0.02)
        planes = {number: (a, b) for _, a, b, number in plain_planes(name, at)} | {
            -1: (np.zeros(over.where.first.size), 0.0)
        }
        own = [planes[number] for number, _ in model.regions]
        for _, polygon in model.regions:
            inner = [p for p in polygon if x0 < p[0] < x1 and y0 < p[1] < y1]
            for s, t in inner:
                asked = sorted(b - float(over.where.at(s, t) @ a) for a, b in own)
                assert asked[-1] == pytest.approx(asked[-2], abs=1e-9)


def test_the_newest_cut_is_outlined_before_it_enters_and_leads_there_afterwards() -> None:
    for at in range(len(TRACES["line, 1-slack"]) - 1):
        (_, found), (_, added), (_, solved) = (seen("line, 1-slack", at, phase) for phase in (1, 2, 3))
        assert at not in found.highest
        assert np.allclose(found.newest, added.newest)
        assert np.allclose(added.newest, dict(added.regions)[at])
        assert found.low == found.before == solved.before
        assert added.low is None
        assert solved.low == solved.after != solved.before
    _, last = seen("line, 1-slack", len(TRACES["line, 1-slack"]) - 1)
    assert not len(last.newest)
    assert last.low == last.after == last.before


def test_the_line_toys_first_cut_has_its_region_where_the_hand_calculation_says() -> None:
    """All four points ask: b = 1, a = mean |x| (1, -1) = 6.25 (1, -1); so it leads where w1 - w2 <= 1 /
    6.25.
    """
    _, model = seen("line, 1-slack", 0)
    assert model.cuts.b == pytest.approx([1.0])
    assert model.cuts.a[0] == pytest.approx([6.25, -6.25])
    gaps = model.newest[:, 0] - model.newest[:, 1]
    assert gaps.max() == pytest.approx(0.16)
    assert model.after == pytest.approx((0.08, -0.08, 0.0064))


def test_numbers_keep_away_from_edges_path_and_marks() -> None:
    name = "circle, 1-slack"
    over, model = seen(name, 3)
    x, y, texts = cuts.names(cuts.SurfaceFrame(over, model, ()))
    assert set(texts) <= {"no slack" if j < 0 else str(j) for j, _ in model.regions}
    assert len(texts) >= 2
    polygons = {"no slack" if j < 0 else str(j): p for j, p in model.regions}
    wide, high = np.ptp(over.x) / cuts.WIDE, np.ptp(over.y)
    for s, t, text in zip(x, y, texts, strict=True):
        assert inside(polygons[text], s, t)
        away = np.hypot((over.path[:, 0] - s) / wide, (over.path[:, 1] - t) / high)
        assert away.min() >= cuts.ROOM


# what cannot be told ----------------------------------------------------------------------------------------


def told(problem: Problem, trace: Trace, at: int, **more: Any) -> tuple[cuts.SurfaceFrame, str]:
    over = numbers.frame(problem, trace, at, C, "near path")
    shown = cuts.frame(problem, trace, over, "model", **more)
    return shown, surface_words.sentence(shown)


def test_a_learner_without_cuts_shows_the_objective_and_says_so() -> None:
    shown, words = told(LINE, run(LINE, Subgradient(C=C), Until(relative_gap=0.0, steps=4)), 2)
    assert shown.model is None
    assert words.startswith("No lower model: this learner keeps no cuts. Objective over both weights")
    assert shown.contours is shown.objective.contours


def test_an_untrained_problem_shows_the_objective_and_says_so() -> None:
    shown, words = told(LINE, Trace(), 0)
    assert shown.model is None
    assert words.startswith("No lower model: nothing is trained yet.")


def test_steps_whose_cuts_were_let_go_show_the_objective_and_say_so() -> None:
    trace = run(CIRCLE, OneSlack(C=C))
    trace.cuts._drop(2)
    assert told(CIRCLE, trace, 2)[0].model is not None
    shown, words = told(CIRCLE, trace, 5)
    assert shown.model is None
    assert words.startswith("No lower model: cut 2 of step 5 is no longer on record.")
    trace.details._drop(5)
    assert "the cuts of step 5 were not kept, the nearest are those of step 4" in told(CIRCLE, trace, 5)[1]


def test_cuts_of_another_loss_are_not_drawn_below_todays_objective() -> None:
    trace = run(CIRCLE, OneSlack(C=C))
    trace.starts.append((len(trace), trace.starts[0][1]))
    shown, words = told(CIRCLE, trace, 2)
    assert shown.model is None
    assert "changed after this step" in words


def test_means_of_samples_are_said_to_be_no_lower_bound() -> None:
    trace = run(CIRCLE, SampledCuts(C=C, rest="left out"), Until(relative_gap=0.0, steps=6))
    assert "no lower bound" in told(CIRCLE, trace, 3)[1]


def test_of_many_cuts_those_with_weight_and_the_newest_stay_and_it_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    problem = Recipe(task="animals", data={"per_class": 10}).problem()[0]
    trace = run(problem, NSlack(C=C), Until(relative_gap=0.0, steps=3))
    at = 1
    monkeypatch.setattr(cuts, "PATIENCE", 1e9)
    whole, _ = told(problem, trace, at)
    most = int(trace.column("added")[at]) + 5
    monkeypatch.setattr(cuts, "MOST_CUTS", most)
    few, words = told(problem, trace, at)
    assert whole.model is not None
    assert few.model is not None
    assert len(whole.model.cuts) > len(few.model.cuts) == most
    assert few.model.new == whole.model.new
    assert f"Of {len(whole.model.cuts)} cuts the {most} newest or with weight are drawn" in words
    assert np.all(few.model.values <= whole.model.values + 1e-12)
    detail = trace.details.kept[at]
    weighted = set(np.asarray(detail["ids"])[np.asarray(detail["alpha"]) > 0.0].tolist())
    kept_old = set(few.model.cuts.number[~few.model.cuts.new].tolist())
    assert kept_old <= weighted


def test_a_full_model_has_hundreds_of_cuts() -> None:
    problem = Recipe(task="animals", data={"per_class": 50}).problem()[0]
    trace = run(problem, NSlack(C=C), Until(relative_gap=0.0, steps=3))
    over = numbers.frame(problem, trace, 1, C)
    shown = cuts.frame(problem, trace, over, "model")
    assert shown.model is not None
    assert shown.model.size > 200


# words and page ---------------------------------------------------------------------------------------------


def test_the_sentence_tells_what_the_newest_cut_does_and_the_gap_at_w() -> None:
    verbs = {0: "raises", 1: "would raise", 2: "will, solved again, raise", 3: "raises"}
    for phase, verb in verbs.items():
        words = told(LINE, TRACES["line, 1-slack"], 1, phase=phase)[1]
        assert f"cut 1 {verb} the model's minimum from 0.0064 to 0.01 at (0.100, -0.100)" in words
        gap = "the model 0.0064, 0.6 below" if phase == 1 else "the model touches it"
        assert words.endswith(f"Step 1 at (0.080, -0.080): J = 0.6064, {gap}.")
    assert "no new one, the model's minimum stays 0.01562" in told(LINE, TRACES["line, 1-slack"], 3)[1]
    assert "Regions are those of example 3." in told(LINE, TRACES["line, n-slack"], 0)[1]


@pytest.fixture
def session() -> Iterator[Session]:
    s = Session(Recipe(task="four-points", learner="one-slack"))
    s.show_finished()
    yield s
    s.close()


def test_the_view_colours_the_model_and_walks_through_the_phases(session: Session) -> None:
    view = surface.Surface(session, shows="model", zoom="near path")
    assert {"shows", "zoom"} <= set(view.linked)
    session.seek(1)
    drawn, of = view.figures[0], view.sources
    assert drawn.legend[0].visible
    for phase, regions, lows, label in (
        (1, 2, 1, "cut found"),
        (2, 3, 0, "newest cut"),
        (3, 3, 1, "newest cut"),
    ):
        session.phase = phase
        shown = view.frame()
        assert np.array_equal(of["image"].data["image"][0], shown.model.values)
        assert len(of["facets"].data["xs"]) == regions
        assert len(of["newest"].data["xs"]) == 1
        assert len(of["low"].data["x"]) == lows
        assert view.items["newest cut"].label.value == label
        assert not len(of["borders"].data["xs"])
    assert of["move"].data["x"] == pytest.approx((0.08, 0.1))
    view.shows = "objective"
    assert np.array_equal(of["image"].data["image"][0], view.frame().objective.J)
    assert not drawn.legend[0].visible
    assert not any(
        len(of[name].data[column]) for name, column in (("facets", "xs"), ("newest", "xs"), ("low", "x"))
    )
    assert len(of["borders"].data["xs"])


def test_the_models_colours_end_where_the_objectives_do(session: Session) -> None:
    view = surface.Surface(session, zoom="near path")
    high = view.mapper.high
    view.shows = "model"
    for at in range(len(session.trace)):
        session.seek(at)
        session.phase = 1
        assert view.mapper.high == high
        assert 0.0 < view.mapper.low < high


@pytest.mark.parametrize("theme", [DARK, PROJECTOR])
def test_a_theme_recolours_the_models_marks(session: Session, theme: Any) -> None:
    view = surface.Surface(session, shows="model")
    view.theme = theme
    assert view.parts["newest"].glyph.hatch_color == theme.accent
    assert view.parts["facet"].glyph.line_color == theme.text
    assert view.parts["low"].glyph.line_color == theme.truth
    assert view.parts["name"].glyph.text_font_size == f"{theme.font}px"
