"""The risk slice: lines, their maximum and the risk are what plain loops over cuts and labellings give."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.contracts import Dataset, Learner, Problem, Rule
from explorer.engine.data import toys
from explorer.engine.events import EVERY_EXAMPLE, Cut, Started
from explorer.engine.learners import Bundle, NSlack, OneSlack, SampledCuts, Subgradient
from explorer.engine.objective import cut_of, touching_plane, violation
from explorer.engine.pricing import Pricing
from explorer.engine.runs.streams import Until, train
from explorer.engine.runs.trace import FIGURES, LOOKS, Trace, recorded
from explorer.engine.structures.classes.binary import Binary
from explorer.engine.structures.classes.convex_risk import ConvexRisk
from explorer.engine.structures.classes.multiclass import Multiclass
from explorer.engine.structures.classes.own import Plain
from explorer.engine.vectors import Array, dense
from explorer.session.state import Session
from explorer.views.kit.drawing.theme import DARK, LIGHT, PROJECTOR
from explorer.views.kit.memory import Memory
from explorer.views.risk_slice import cut_lines, risk, walk, words
from explorer.views.risk_slice import frame as numbers
from explorer.views.risk_slice import view as rs
from explorer.wording import number
from tests.waiting import Clock

CIRCLE = Multiclass(toys.circle(), 3)
SLACK = replace(CIRCLE, pricing=Pricing("slack", "linear"))
SQUARED = replace(CIRCLE, pricing=Pricing("margin", "squared"))
ENDLESS = Until(relative_gap=0.0, steps=60)


def run(problem: Problem, learner: Learner, rule: Until = ENDLESS) -> Trace:
    """The whole trace of a run, keyframes included."""
    trace = Trace()
    for _ in recorded(train(problem, learner, rule=rule), trace):
        pass
    return trace


def blocks() -> Problem:
    return Recipe(task="blocks", data={"n": 5, "n_test": 1, "length": 10}).problem()[0]


def brute_risk(problem: Any, w: Array, examples: Any = None) -> float:
    """Mean cost of the slacks, every labelling listed."""
    chosen = range(problem.n) if examples is None else examples
    worst = [max(violation(problem, w, cut_of(problem, i, y)) for y in problem.labellings(i)) for i in chosen]
    return float(np.mean(problem.pricing.cost(np.maximum(worst, 0.0))))


def brute_model(problem: Problem, planes: Any, w: Array) -> float:
    """The lower model at w by a loop over planes."""
    if all(plane.group == EVERY_EXAMPLE for plane in planes):
        return max([0.0, *(plane.b - float(w @ dense(plane.a)) for plane in planes)])
    slack = np.zeros(problem.n)
    for plane in planes:
        slack[plane.group] = max(slack[plane.group], plane.b - float(w @ dense(plane.a)))
    return float(np.mean(problem.pricing.cost(slack)))


CASES = {
    "1-slack": (CIRCLE, OneSlack(C=10.0)),
    "1-slack pruned": (CIRCLE, OneSlack(C=10.0, prune_after=2)),
    "1-slack, slack scaling": (SLACK, OneSlack(C=10.0)),
    "n-slack": (CIRCLE, NSlack(C=10.0)),
    "n-slack, slack scaling": (SLACK, NSlack(C=10.0)),
    "n-slack, squared": (SQUARED, NSlack(C=10.0)),
    "bundle": (CIRCLE, Bundle(C=10.0)),
    "bundle, squared": (SQUARED, Bundle(C=10.0)),
    "sampled": (CIRCLE, SampledCuts(C=10.0)),
    "chains": (blocks(), OneSlack(C=5.0)),
}


@pytest.fixture
def session() -> Iterator[Session]:
    s = Session(Recipe(task="circle", learner="one-slack"))
    s.show_finished()
    yield s
    s.close()


# model and risk ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("direction", walk.DIRECTIONS)
def test_the_model_never_exceeds_the_risk(name: str, direction: str) -> None:
    problem, learner = CASES[name]
    trace = run(problem, learner)
    for at in range(0, len(trace), 3):
        shown = numbers.frame(problem, trace, at, direction=direction)
        assert len(shown.risk) == risk.POINTS
        model = np.interp(shown.risk_t, shown.t, shown.model)
        assert np.all(model <= shown.risk + 1e-9 * (1.0 + shown.risk))
        assert np.all(shown.before <= shown.model + 1e-12)


@pytest.mark.parametrize(
    "name", ["1-slack", "1-slack, slack scaling", "n-slack", "n-slack, squared", "bundle"]
)
def test_with_the_new_cut_the_model_touches_the_risk_where_it_was_found(name: str) -> None:
    problem, learner = CASES[name]
    trace = run(problem, learner)
    for at in range(len(trace) - 1):
        shown = numbers.frame(problem, trace, at)
        here = [np.interp(0.0, *curve) for curve in ((shown.t, shown.model), (shown.risk_t, shown.risk))]
        assert here[0] == pytest.approx(
            here[1], abs=2e-3
        )  # n-slack leaves out what is violated by less than eps
        if name != "n-slack":
            assert here[0] == pytest.approx(brute_risk(problem, trace.at(at).w), abs=2e-3)


@pytest.mark.parametrize("name", ["1-slack", "1-slack pruned", "n-slack", "n-slack, squared", "chains"])
def test_model_and_risk_are_those_of_plain_loops(name: str) -> None:
    problem, learner = CASES[name]
    trace = run(problem, learner)
    for at in (2, 5, len(trace) - 2):
        at = min(at, len(trace) - 2)
        shown = numbers.frame(problem, trace, at, direction="last step")
        assert shown.way is not None
        planes = trace.states.kept[at]["planes"]
        for j in range(0, numbers.FINE, 80):
            w = shown.way.w + shown.t[j] * shown.way.d
            assert shown.model[j] == pytest.approx(brute_model(problem, planes, w), abs=1e-10)
        if name != "chains":
            for j in (0, 6, 24):
                w = shown.way.w + shown.risk_t[j] * shown.way.d
                assert shown.risk[j] == pytest.approx(brute_risk(problem, w), abs=1e-10)


def test_every_line_is_its_cut() -> None:
    trace = run(CIRCLE, OneSlack(C=10.0))
    for at in range(1, len(trace) - 1):
        shown = numbers.frame(CIRCLE, trace, at)
        assert shown.way is not None
        planes = trace.states.kept[at]["planes"]
        expected = [
            [p.b - float((shown.way.w + t * shown.way.d) @ dense(p.a)) for t in shown.line_t] for p in planes
        ]
        np.testing.assert_allclose(shown.lines, expected, atol=1e-12)
        assert shown.newest.tolist() == [False] * (len(planes) - 1) + [True]


@pytest.mark.parametrize("learner", [OneSlack(C=10.0), NSlack(C=10.0)])
def test_the_next_step_is_the_minimum_of_the_models_objective_and_has_the_dual_as_value(
    learner: Learner,
) -> None:
    trace = run(CIRCLE, learner)
    dual = trace.column("dual")
    for at in range(len(trace) - 1):
        shown = numbers.frame(CIRCLE, trace, at, whole=True)
        if not trace.column("added")[at]:
            continue
        assert shown.low is not None
        assert shown.low.t == pytest.approx(1.0, abs=1e-3)
        assert shown.low.after == pytest.approx(dual[at + 1], rel=1e-6)
        w = trace.at(at + 1).w
        value = 0.5 * w @ w + 10.0 * brute_risk(CIRCLE, w)
        assert shown.low.risk == pytest.approx(value, rel=1e-4)


def test_one_example_has_its_own_cuts_and_its_own_risk() -> None:
    trace = run(CIRCLE, NSlack(C=10.0))
    shown = numbers.frame(CIRCLE, trace, 1, one=3)
    mine = [p for p in trace.states.kept[1]["planes"] if p.group == 3]
    assert shown.cuts == len(mine) == len(shown.lines)
    assert shown.way is not None
    for t, found in zip(shown.risk_t, shown.risk, strict=True):
        assert found == pytest.approx(brute_risk(CIRCLE, shown.way.w + t * shown.way.d, [3]), abs=1e-12)
    assert "of example 3" in words.sentence(shown)
    joint = run(CIRCLE, OneSlack(C=10.0))
    assert numbers.frame(CIRCLE, joint, 1, one=3).scope == numbers.EVERYONE


# the textbook picture ---------------------------------------------------------------------------------------


@pytest.mark.spec("F06")
def test_function_tangents_and_model_of_the_bundle_method() -> None:
    problem, C = ConvexRisk(), 5.0  # lambda = 0.1
    trace = run(problem, Bundle(C=C, eps=1e-9, qp_tolerance=1e-13))
    published = [0.0, 0.065927, 0.227331, 0.296866, 0.304855, 0.309946]
    for at in range(5):
        shown = numbers.frame(problem, trace, at, whole=True)
        assert shown.low is not None
        assert shown.low.after / C == pytest.approx(published[at + 1], abs=1e-6)
        assert shown.low.before / C == pytest.approx(published[at], abs=1e-6)
    curve = numbers.frame(problem, trace, 4)
    values = np.logaddexp(0.0, -2.0 * curve.risk_t) + 0.1 * np.abs(curve.risk_t - 2.0)
    np.testing.assert_allclose(curve.risk, values)
    assert np.all(np.interp(curve.risk_t, curve.t, curve.model) <= curve.risk + 1e-9)
    assert len(curve.lines) == 5
    for j, step in enumerate(range(5)):
        w = float(trace.weights.kept[step][0])
        value, slope = problem.risk(np.array([w]))
        tangent = value + float(slope[0]) * (curve.line_t - w)
        np.testing.assert_allclose(curve.lines[j], tangent, atol=1e-9)
    last = numbers.frame(problem, trace, len(trace) - 1, whole=True)
    assert last.low is not None
    assert last.low.t == pytest.approx(1.253579, abs=1e-3)
    assert last.low.risk / C == pytest.approx(0.310137, abs=1e-6)


@pytest.mark.spec("F06")
def test_slopes_that_the_learner_tells_are_used_as_they_are() -> None:
    problem = ConvexRisk(dim=2)
    trace = run(problem, Bundle(C=5.0))
    at = 4
    shown, detail = numbers.frame(problem, trace, at), trace.details.kept[at]
    assert shown.way is not None
    for j, (slope, offset) in enumerate(zip(detail["slopes"], detail["b"], strict=True)):
        w = [shown.way.w + t * shown.way.d for t in shown.line_t]
        np.testing.assert_allclose(shown.lines[j], [offset + slope @ v for v in w], atol=1e-12)
    deep = ConvexRisk(dim=3)
    trace = run(deep, Bundle(C=5.0))
    shown = numbers.frame(deep, trace, 3)
    assert shown.cuts == 4
    assert np.all(np.interp(shown.risk_t, shown.t, shown.model) <= shown.risk + 1e-9)


# the way ----------------------------------------------------------------------------------------------------


def test_directions_lead_where_they_say() -> None:
    trace = run(CIRCLE, OneSlack(C=10.0))
    w, last = trace.at(3).w, len(trace) - 1
    goals = {"next step": 4, "previous step": 2, "last step": last}
    for name, goal in goals.items():
        walked = walk.way(CIRCLE, trace, 3, name)
        np.testing.assert_allclose(walked.w + walked.d, trace.at(goal).w)
        assert walked.words.endswith(f"from 3 to {goal}")
    down = walk.way(CIRCLE, trace, 3, "negative subgradient")
    steep = 10.0 * dense(touching_plane(CIRCLE, w)[1].a) - w
    assert down.d @ steep == pytest.approx(np.linalg.norm(down.d) * np.linalg.norm(steep))
    one, same, other = (walk.way(CIRCLE, trace, 3, "random", seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.d, same.d)
    assert not np.allclose(one.d, other.d)
    assert walk.way(CIRCLE, trace, last, "next step").goal == f"step {last - 1}"


def test_the_sentence_names_step_cuts_and_what_the_new_one_changes() -> None:
    trace = run(CIRCLE, OneSlack(C=10.0))
    shown = numbers.frame(CIRCLE, trace, 3)
    text = words.sentence(shown)
    assert text.startswith(
        "Along the step from 3 to 4 the model has 4 cuts; the new cut raises its minimum from"
    )
    assert shown.low is not None
    assert f"the true risk there is {number(shown.low.risk)}." in text
    assert "would raise" in words.sentence(numbers.frame(CIRCLE, trace, 3, phase=1))
    table = words.table(shown)
    np.testing.assert_array_equal(table["true risk"], shown.risk)
    assert len({len(column) for column in table.values()}) == 1


def test_a_cut_that_is_only_found_is_not_in_the_model_yet() -> None:
    trace = run(CIRCLE, OneSlack(C=10.0))
    found, added = (numbers.frame(CIRCLE, trace, 3, phase=phase) for phase in (1, 2))
    np.testing.assert_array_equal(found.model, found.before)
    np.testing.assert_array_equal(found.model, added.before)
    assert found.newest.any()
    assert added.model.max() > found.model.max()


# every trace ------------------------------------------------------------------------------------------------


def test_an_empty_trace_says_press_play() -> None:
    shown = numbers.frame(CIRCLE, Trace(), 0)
    assert words.sentence(shown) == "Nothing trained yet: press play."
    assert len(words.table(shown)["true risk"]) == 0


@pytest.mark.parametrize("learner", [OneSlack(C=10.0), NSlack(C=10.0), Bundle(C=10.0), Subgradient(C=10.0)])
def test_one_step_is_enough(learner: Learner) -> None:
    trace = run(CIRCLE, learner, Until(relative_gap=0.0, steps=1))
    for direction in walk.DIRECTIONS:
        for whole in (False, True):
            shown = numbers.frame(CIRCLE, trace, 0, direction=direction, whole=whole)
            assert len(shown.risk) >= 5
            assert "from step 0" in words.sentence(shown)


def test_a_learner_without_cuts_has_its_risk_drawn_and_says_so() -> None:
    trace = run(CIRCLE, Subgradient(C=10.0), Until(relative_gap=0.0, steps=5))
    shown = numbers.frame(CIRCLE, trace, 2)
    assert not shown.keeps
    assert "keeps no cuts" in words.sentence(shown)
    assert shown.risk[6] == pytest.approx(brute_risk(CIRCLE, trace.at(2).w))
    assert list(words.table(shown)) == ["t", "true risk"]


def long_trace(steps: int) -> Trace:
    """A 1-slack run made up for its length: 60 cuts are kept."""
    rng, k = np.random.default_rng(0), np.arange(steps)
    columns = {name: k.astype(float) for name in (*FIGURES, *LOOKS)} | {"added": np.ones(steps)}
    start = Started("multiclass", "OneSlack", 12, 9, 0, True, {"C": 10.0})
    trace = Trace.restore(columns, [True] * steps, [(0, start)], [])
    ids = [np.arange(max(0, at - 60), at) for at in range(steps)]
    details = [{"alpha": np.full(len(j), 0.1), "b": np.full(len(j), 0.5), "ids": j} for j in ids]
    cuts = [(Cut(EVERY_EXAMPLE, tuple(rng.integers(0, 3, 12)), np.zeros(0), 0.5),) for _ in range(steps)]
    trace.details.refill(1, dict(enumerate(details)))
    trace.cuts.refill(1, dict(enumerate(cuts)))
    trace.weights.refill(1, dict(enumerate(rng.normal(size=(steps, 9)))))
    return trace


def test_ten_thousand_steps_make_a_bounded_frame() -> None:
    trace = long_trace(10_000)
    shown = numbers.frame(CIRCLE, trace, 9_998)
    assert shown.cuts == 61
    assert len(shown.lines) <= cut_lines.MOST_LINES
    assert len(shown.t) == len(shown.model) == numbers.FINE
    assert f"The {cut_lines.MOST_LINES} cuts nearest to the model are drawn." in words.sentence(shown)
    assert shown.newest.sum() == 1


def test_looking_changes_nothing_in_the_trace() -> None:
    trace = run(CIRCLE, NSlack(C=10.0))
    columns = {name: trace.column(name) for name in trace.names}
    weights = {at: w.copy() for at, w in trace.weights.kept.items()}
    for at in range(len(trace)):
        for direction in walk.DIRECTIONS:
            numbers.frame(CIRCLE, trace, at, direction=direction)
    for name, before in columns.items():
        np.testing.assert_array_equal(trace.column(name), before)
    for at, w in weights.items():
        np.testing.assert_array_equal(trace.weights.kept[at], w)


# what it costs ----------------------------------------------------------------------------------------------


class Counting:
    """The circle toy, one example at a time, counting what is asked."""

    def __init__(self) -> None:
        self.calls, self.seconds, self.clock = 0, 0.0, Clock()
        data = Dataset("counted", list(CIRCLE.dataset.inputs), list(CIRCLE.dataset.labels))
        self.problem = Plain(data, self.psi, lambda y, z: float(y != z), self.argmax, self.worst, 9, True)

    @staticmethod
    def psi(x: Array, y: int) -> Array:
        out = np.zeros((3, 3))
        out[:, y] = x
        return out.ravel()

    def argmax(self, w: Array, x: Array) -> int:
        return int(np.argmax(x @ w.reshape(3, 3)))

    def worst(self, w: Array, x: Array, y: int) -> int:
        self.calls += 1
        self.clock.sleep(self.seconds)
        return int(np.argmax(x @ w.reshape(3, 3) + (np.arange(3) != y)))


def test_a_slice_asks_for_at_most_a_few_passes_and_never_twice() -> None:
    counting = Counting()
    trace = run(counting.problem, NSlack(C=10.0))
    known = Memory(400)
    counting.calls = 0
    numbers.frame(counting.problem, trace, 1, known=known)
    assert 0 < counting.calls <= (risk.POINTS + 1) * 12
    counting.calls = 0
    numbers.frame(counting.problem, trace, 1, known=known)
    assert counting.calls == 0
    numbers.frame(counting.problem, trace, 1, whole=True, known=known)
    assert counting.calls <= 12


def test_a_slow_oracle_gives_fewer_points_and_the_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    counting = Counting()
    monkeypatch.setattr(risk, "time", counting.clock)
    trace = run(counting.problem, NSlack(C=10.0))
    counting.seconds = 0.01
    walked = walk.way(counting.problem, trace, 1)
    t = np.linspace(walked.lo, walked.hi, risk.POINTS)
    found = risk.risk_along(counting.problem, walked, t, None, None, seconds=1.0)
    reached = ~np.isnan(found)
    assert reached.sum() == 9, "a point takes 12 calls"
    assert reached[[0, 6, 12, 18, 24]].all()
    none = cut_lines.NO_LINES
    few = numbers.notes(counting.problem, trace, 1, none, none, None, found[reached])
    assert few == (f"The oracle is slow: the risk is drawn from {reached.sum()} points.",)


def test_many_examples_are_sampled_and_the_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = Recipe(task="animals", data={"per_class": 50}).problem()[0]
    trace = run(problem, NSlack(C=1.0))
    assert risk.examples_to_ask(problem) is None
    monkeypatch.setattr(risk, "MOST_POSITIONS", 150)
    chosen = risk.examples_to_ask(problem)
    assert chosen is not None
    assert len(chosen) == len(set(chosen.tolist())) == risk.MOST_EXAMPLES
    shown = numbers.frame(problem, trace, 1)
    assert "sample of 100 of 200 examples" in words.sentence(shown)
    assert shown.way is not None
    w = shown.way.w + shown.risk_t[3] * shown.way.d
    assert shown.risk[3] == pytest.approx(brute_risk(problem, w, chosen.tolist()))


@pytest.mark.parametrize("learner", [NSlack(C=1.0), OneSlack(C=1.0)])
def test_rules_are_no_part_of_the_risk(learner: Learner) -> None:
    rule = Rule(np.array([0.0, 1.0, 0.0]), 0.5)
    problem = Binary(toys.two_gaussians(5, 1.0, 1, 0)[0], bias="regularised", rules=(rule,))
    trace = run(problem, learner)
    shown = numbers.frame(problem, trace, len(trace) - 1)
    assert shown.cuts == len(trace.details.kept[len(trace) - 1]["ids"]) - 1
    model = np.interp(shown.risk_t, shown.t, shown.model)
    assert np.all(model <= shown.risk + 1e-9)


def test_a_change_of_loss_since_then_is_said() -> None:
    trace = run(CIRCLE, OneSlack(C=10.0))
    trace.starts.append((len(trace), trace.starts[0][1]))
    assert "changed after this step" in words.sentence(numbers.frame(CIRCLE, trace, 2))


def test_cuts_that_the_trace_let_go_are_counted_as_missing() -> None:
    trace = run(CIRCLE, OneSlack(C=10.0))
    for step in (2, 3):
        trace.cuts._drop(step)
    shown = numbers.frame(CIRCLE, trace, 8)
    assert shown.cuts == 7
    assert "2 cuts are missing" in words.sentence(shown)


# the view ---------------------------------------------------------------------------------------------------


def test_the_view_fills_its_sources_and_never_makes_its_figure_again(session: Session) -> None:
    view = rs.RiskSlice(session)
    plot, sources = view.plot, dict(view.sources)
    for at in range(len(session.trace) - 1):
        session.seek(at)
        shown = numbers.frame(session.problem, session.trace, at)
        np.testing.assert_allclose(view.sources["curve"].data["model"], shown.model)
        np.testing.assert_allclose(view.sources["risk"].data["risk"], shown.risk)
        assert len(view.sources["new"].data["ys"]) == shown.new
        assert view.plot.y_range.end > shown.risk.max()
    view.direction = "random"
    view.whole = True
    view.table_open = True
    assert "In random direction 0" in view.words.object
    assert "true objective" in view.data.object
    assert view.plot is plot
    assert view.sources == sources
    view.close()


def test_an_empty_session_has_an_empty_slice() -> None:
    s = Session(Recipe(task="circle"))
    view = rs.RiskSlice(s)
    assert "press play" in view.words.object
    s.close()


def test_the_slice_rests_while_steps_rush_by(session: Session) -> None:
    view = rs.RiskSlice(session)
    before = view.sources["curve"].data["model"]
    session.param.update(status="running", cursor=2)
    assert "when training pauses" in view.words.object
    assert view.sources["curve"].data["model"] is before
    session.speed = 1.0
    session.seek(3)
    assert "from 3 to 4" in view.words.object
    session.param.update(speed=0.0, status="paused", cursor=2)
    assert "from 2 to 3" in view.words.object


def test_one_example_follows_the_sessions_choice() -> None:
    s = Session(Recipe(task="circle", learner="n-slack"))
    s.show_finished()
    s.seek(1)
    view = rs.RiskSlice(s, alone=True)
    s.example = 7
    assert "of example 7" in view.words.object
    assert view.plot.yaxis[0].axis_label == "risk, example 7"
    s.close()


@pytest.mark.parametrize("theme", [LIGHT, DARK, PROJECTOR])
def test_a_theme_recolours_every_mark(session: Session, theme: Any) -> None:
    view = rs.RiskSlice(session, theme=DARK if theme is LIGHT else LIGHT)
    view.theme = theme
    ours = {getattr(theme, name) for name in theme.__slots__ if isinstance(getattr(theme, name), str)}
    for renderer in view.parts.values():
        assert renderer.glyph.line_color in ours
        assert not hasattr(renderer.glyph, "fill_color") or renderer.glyph.fill_color in ours
    assert all(span.line_color in ours for span in view.spans)
    assert view.plot.xaxis[0].major_label_text_font_size == f"{theme.font}px"
