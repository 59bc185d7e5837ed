"""The working-set view says what the learner's own record says, and finds every cut's labelling again."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from bokeh.events import Tap

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.contracts import Learner, Problem, Rule
from explorer.engine.data import toys
from explorer.engine.events import EVERY_EXAMPLE, Cut, Started
from explorer.engine.learners import Bundle, NSlack, OneSlack, Perceptron, SampledCuts, Subgradient
from explorer.engine.objective import cut_of, plane_of, violation
from explorer.engine.pricing import Pricing
from explorer.engine.runs import kept_cuts
from explorer.engine.runs.streams import Until, train
from explorer.engine.runs.trace import FIGURES, LOOKS, Trace, recorded
from explorer.engine.structures.classes.binary import Binary
from explorer.engine.structures.classes.convex_risk import ConvexRisk
from explorer.engine.structures.classes.multiclass import Multiclass
from explorer.engine.vectors import dense
from explorer.session.state import Session
from explorer.views.kit import cuts as cuts_of
from explorer.views.kit.depiction import depiction_of
from explorer.views.kit.drawing.theme import DARK, LIGHT, PROJECTOR
from explorer.views.kit.words.label_words import state_text
from explorer.views.working_set import frame as numbers
from explorer.views.working_set import rows, words
from explorer.views.working_set import view as ws

CIRCLE = Multiclass(toys.circle(), 3)
ENDLESS = Until(relative_gap=0.0, steps=120)


def run(problem: Problem, learner: Learner, rule: Until = ENDLESS, **more: Any) -> Trace:
    """The whole trace of a run, keyframes included."""
    trace = Trace(**more)
    for _ in recorded(train(problem, learner, rule=rule), trace):
        pass
    return trace


def tap(figure: Any, x: float, y: float) -> None:
    """Click on a figure."""
    figure._trigger_event(Tap(figure, x=x, y=y))


def blocks() -> Problem:
    return Recipe(task="blocks", data={"n": 6, "n_test": 1, "length": 12}).problem()[0]


@pytest.fixture
def session() -> Iterator[Session]:
    s = Session(Recipe(task="circle", learner="n-slack"))
    s.show_finished()
    yield s
    s.close()


@pytest.fixture
def joint_session() -> Iterator[Session]:
    s = Session(Recipe(task="circle", learner="one-slack"))
    s.show_finished()
    yield s
    s.close()


# what the trace knows ---------------------------------------------------------------------------------------


@pytest.mark.spec("F11")
@pytest.mark.parametrize(
    "learner",
    [
        OneSlack(C=10.0, prune_after=2),
        OneSlack(C=10.0, prune_after=2, cache=3),
        NSlack(C=10.0, prune_after=1),
        NSlack(C=10.0, prune_after=1, order="each"),
        SampledCuts(C=10.0, prune_after=2),
        Bundle(C=10.0),
    ],
    ids=["1-slack", "1-slack with cache", "n-slack", "n-slack each", "sampled", "bundle"],
)
def test_a_number_finds_its_labelling_and_its_vector_after_pruning(learner: Learner) -> None:
    trace = run(CIRCLE, learner)
    pruned = 0
    for at in range(len(trace)):
        cuts = kept_cuts.cuts_at(trace, at)
        state = trace.states.kept[at]
        assert cuts is not None
        planes = {int(j): plane for j, plane in zip(state["ids"], state["planes"], strict=True)}
        pruned = max(pruned, state["found"] - len(planes))
        for j in range(len(cuts)):
            cut, a = kept_cuts.recorded_cut(trace, cuts, j), cuts_of.slope(CIRCLE, trace, cuts, j)
            plane = planes[int(cuts.ids[j])]
            assert cut is not None
            assert a is not None
            assert cuts.b[j] == plane.b
            assert np.array_equal(cut.label, plane.label)
            np.testing.assert_allclose(dense(a), dense(plane.a), atol=1e-12)
    assert pruned > 0 or isinstance(learner, Bundle)


@pytest.mark.spec("F11")
def test_a_cut_without_weight_in_the_last_solves_is_no_longer_shown_and_the_optimum_stays() -> None:
    problem, longest = blocks(), 3
    trace = run(problem, OneSlack(C=5.0, prune_after=longest), Until(relative_gap=1e-4))
    whole = run(problem, OneSlack(C=5.0, prune_after=10_000), Until(relative_gap=1e-4))
    idle: dict[int, int] = {}
    for at in range(len(trace)):
        cuts = kept_cuts.cuts_at(trace, at)
        assert cuts is not None
        gone = {j for j, age in idle.items() if age >= longest - 1 and j not in cuts.ids}
        for j, alpha in zip(cuts.ids.tolist(), cuts.alpha, strict=True):
            idle[j] = 0 if alpha > 0 else idle.get(j, 0) + 1
            assert idle[j] < longest
        assert gone == set(idle) - set(cuts.ids.tolist())
        idle = {j: age for j, age in idle.items() if j in cuts.ids}
    shown = numbers.frame(problem, trace, len(trace) - 1)
    assert shown.growth.pruned[-1] > 0
    assert numbers.growth(whole).pruned[-1] == 0
    best = [np.nanmin(t.column("primal")) for t in (trace, whole)]
    assert best[0] == pytest.approx(best[1], abs=5.0 * 1e-3)  # C eps


def test_labellings_that_the_trace_let_go_are_said_to_be_gone() -> None:
    trace = run(CIRCLE, OneSlack(C=10.0))
    for step in range(1, len(trace) - 1):
        trace.cuts._drop(step)
    cuts = kept_cuts.cuts_at(trace, len(trace) - 1)
    assert cuts is not None
    texts = [rows.claim_text(CIRCLE, trace, cuts, j) for j in range(len(cuts))]
    assert texts[0].endswith("examples wrong")
    assert set(texts[1:]) == {"not kept"}
    found = rows.rows_of(CIRCLE, trace, cuts, trace.at(-1).w)
    assert np.isnan(found.margin).sum() == len(cuts) - 1


@pytest.mark.parametrize("learner", [NSlack(C=1.0), OneSlack(C=1.0)])
def test_a_rule_is_called_a_rule(learner: Learner) -> None:
    rule = Rule(np.array([0.0, 1.0, 0.0]), 0.5)
    problem = Binary(toys.two_gaussians(5, 3.0, 0, 0)[0], bias="regularised", rules=(rule,))
    trace = run(problem, learner)
    shown = numbers.frame(problem, trace, len(trace) - 1)
    assert "rule" in shown.bars.names
    where = shown.rows.labelling.index("rule")
    w = trace.at(-1).w
    assert shown.rows.violation[where] == pytest.approx(0.5 - w[1])
    assert shown.growth.pruned[-1] == 0


# the frame --------------------------------------------------------------------------------------------------


def test_bars_are_the_weights_of_the_record_and_the_newest_cut_is_marked() -> None:
    trace = run(CIRCLE, OneSlack(C=10.0))
    for at in range(len(trace)):
        detail, shown = trace.details.kept[at], numbers.frame(CIRCLE, trace, at).bars
        np.testing.assert_array_equal(shown.top - shown.bottom, detail["alpha"])
        assert shown.names == tuple(str(j) for j in detail["ids"])
        assert np.flatnonzero(shown.newest).tolist() == ([len(detail["ids"]) - 1] if at else [])


def test_the_bars_of_an_example_pile_up_to_at_most_its_capacity() -> None:
    trace = run(CIRCLE, NSlack(C=10.0))
    for at in range(len(trace)):
        detail, shown = trace.details.kept[at], numbers.frame(CIRCLE, trace, at).bars
        assert shown.of == "example"
        assert shown.capacity == pytest.approx(10.0 / 12)
        for place, name in enumerate(shown.names):
            mine = shown.x == place
            alpha = detail["alpha"][detail["example"] == int(name)]
            np.testing.assert_allclose((shown.top - shown.bottom)[mine], alpha, atol=1e-15)
            assert shown.top[mine].max() == pytest.approx(alpha.sum())
            assert alpha.sum() <= shown.capacity * (1 + 1e-9)


def test_a_squared_penalty_has_no_capacity() -> None:
    problem = replace(CIRCLE, pricing=Pricing(penalty="squared"))
    shown = numbers.frame(problem, run(problem, NSlack(C=10.0)), 1)
    assert np.isnan(shown.bars.capacity)


@pytest.mark.parametrize("learner", [OneSlack(C=10.0, prune_after=2, cache=2), NSlack(C=10.0, prune_after=1)])
def test_growth_is_what_the_steps_recorded(learner: Learner) -> None:
    problem = blocks()
    trace = run(problem, learner)
    shown = numbers.growth(trace)
    details = [trace.details.kept[at] for at in range(len(trace))]
    states = [trace.states.kept[at] for at in range(len(trace))]
    entered_later = 1 if isinstance(learner, OneSlack) else 0
    found = [s["found"] - (d["added"] if entered_later else 0) for s, d in zip(states, details, strict=True)]
    np.testing.assert_array_equal(shown.kept, [len(d["ids"]) for d in details])
    np.testing.assert_array_equal(shown.active, [np.count_nonzero(d["alpha"]) for d in details])
    np.testing.assert_array_equal(shown.pruned, np.array(found) - shown.kept)
    np.testing.assert_array_equal(shown.cached, [bool(d.get("cached")) for d in details])
    if isinstance(learner, OneSlack):
        assert shown.cached.any()
        assert not shown.cached.all()


@pytest.mark.parametrize("scaling", ["margin", "slack"])
@pytest.mark.parametrize("penalty", ["linear", "squared"])
def test_margin_and_violation_of_a_cut_are_those_of_the_objective(scaling: Any, penalty: Any) -> None:
    problem = replace(CIRCLE, pricing=Pricing(scaling, penalty))
    trace = run(problem, NSlack(C=10.0))
    at = len(trace) - 1
    rows, w, cuts = numbers.frame(problem, trace, at).rows, trace.at(at).w, kept_cuts.cuts_at(trace, at)
    assert cuts is not None
    place = {int(j): r for r, j in enumerate(rows.number)}
    for j in range(len(cuts)):
        light = kept_cuts.recorded_cut(trace, cuts, j)
        assert light is not None
        cut, r = cut_of(problem, light.i, light.label), place[int(cuts.ids[j])]
        assert rows.violation[r] == pytest.approx(violation(problem, w, cut), abs=1e-12)
        assert rows.margin[r] == pytest.approx(float(w @ dense(cut.psi)), abs=1e-12)
        assert rows.loss[r] == pytest.approx(cut.loss)
        assert rows.example[r] == light.i


def test_a_joint_cut_has_the_mean_loss_margin_and_violation_of_its_labellings() -> None:
    problem = blocks()
    trace = run(problem, OneSlack(C=5.0))
    at = len(trace) // 2
    rows, w = numbers.frame(problem, trace, at).rows, trace.at(at).w
    for r in range(len(rows)):
        labels = trace.cuts.kept[int(rows.found[r])][0].label
        cuts = [cut_of(problem, i, y) for i, y in enumerate(labels)]
        assert rows.loss[r] == pytest.approx(np.mean([c.loss for c in cuts]))
        assert rows.margin[r] == pytest.approx(np.mean([w @ dense(c.psi) for c in cuts]), abs=1e-10)
        expected = np.mean([violation(problem, w, c) for c in cuts])
        assert rows.violation[r] == pytest.approx(expected, abs=1e-10)
        wrong = sum(not np.array_equal(y, z) for y, z in zip(labels, problem.dataset.labels, strict=True))
        assert rows.labelling[r] == f"{wrong} of 6 examples wrong"


@pytest.mark.spec("A18")
def test_every_new_cut_is_the_most_violated_labelling_by_enumeration() -> None:
    trace = run(CIRCLE, NSlack(C=10.0))
    seen = 0
    for at in range(len(trace)):
        rows, w = numbers.frame(CIRCLE, trace, at).rows, trace.at(at).w
        for r in np.flatnonzero(rows.found == at):
            i = int(rows.example[r])
            every = [violation(CIRCLE, w, cut_of(CIRCLE, i, y)) for y in CIRCLE.labellings(i)]
            assert rows.violation[r] == pytest.approx(max(every), abs=1e-12)
            seen += 1
    assert seen == int(np.sum(trace.column("added"))) > 12


@pytest.mark.spec("A18")
def test_phases_show_the_set_before_the_cut_with_it_and_solved_again() -> None:
    trace, at = run(CIRCLE, OneSlack(C=10.0)), 4
    now, then = trace.details.kept[at], trace.details.kept[at + 1]
    one, two, three = (kept_cuts.cuts_in_phase(trace, at, phase) for phase in (1, 2, 3))
    assert one is not None
    assert two is not None
    assert three is not None
    assert one.ids.tolist() == now["ids"].tolist()
    assert two.ids.tolist() == [*now["ids"], int(np.sum(trace.column("added")[:at]))]
    assert two.alpha[-1] == 0.0
    assert two.newest.tolist() == [False] * (len(two) - 1) + [True]
    np.testing.assert_array_equal(three.alpha, then["alpha"])
    trace = run(CIRCLE, NSlack(C=10.0))
    one, two, three = (kept_cuts.cuts_in_phase(trace, 1, phase) for phase in (1, 2, 3))
    assert one is not None
    assert two is not None
    assert three is not None
    assert len(two) - len(one) == trace.column("added")[1] > 0
    assert three.ids.tolist() == [j for j in trace.details.kept[2]["ids"] if j < len(two)]


def test_rows_sort_by_any_column_with_unknown_values_last() -> None:
    trace = run(CIRCLE, NSlack(C=10.0))
    found = numbers.frame(CIRCLE, trace, len(trace) - 1).rows
    assert np.all(np.diff(found.alpha) <= 0)
    for name in rows.COLUMNS:
        values = np.array(getattr(found, name))
        up, down = values[rows.row_order(found, name, False)], values[rows.row_order(found, name, True)]
        assert up.tolist() == sorted(values.tolist())
        assert down.tolist() == sorted(values.tolist(), reverse=True)
    holes = replace(found, margin=np.where(np.arange(len(found)) % 2, np.nan, found.margin))
    for falling in (False, True):
        last = holes.margin[rows.row_order(holes, "margin", falling)][-(len(found) // 2) :]
        assert np.isnan(last).all()


def test_labellings_are_written_in_the_names_of_their_states() -> None:
    animals = Recipe(task="animals", data={"per_class": 3}).problem()[0]
    assert rows.labelling_text(animals, Cut(0, 2, np.zeros(0), 1.0)) == "bus for dog"
    assert rows.labelling_text(animals, Cut(0, 0, np.zeros(0), 0.0)) == "dog, the truth"
    chain = blocks()
    label = chain.dataset.labels[0].copy()
    label[:2] = 1 - label[:2]
    words = rows.labelling_text(chain, Cut(0, label, np.zeros(0), 2.0))
    assert words.endswith("(2 of 12 wrong)")
    assert set(words.split()[0]) <= {"+", "-"}
    tags = Recipe(task="tagging", data={"n": 2, "n_test": 1}).problem()[0]
    long = state_text(np.zeros(200, dtype=np.int64), depiction_of(tags).states(tags))
    assert long.startswith("T1 T1")
    assert long.endswith("…")
    assert len(long) <= 36


def test_the_cuts_of_a_risk_without_examples_are_its_tangents() -> None:
    problem = ConvexRisk()
    trace = run(problem, Bundle(C=5.0))
    at = 4
    shown, w = numbers.frame(problem, trace, at), float(trace.at(at).w[0])
    detail = trace.details.kept[at]
    for number, value in zip(shown.rows.number, shown.rows.violation, strict=True):
        assert value == pytest.approx(detail["b"][number] + detail["slopes"][number, 0] * w)
    assert set(shown.rows.labelling) == {"tangent of the risk"}
    assert "4 cuts kept" in words.sentence(shown)


# every trace ------------------------------------------------------------------------------------------------


def test_an_empty_trace_says_press_play() -> None:
    shown = numbers.frame(CIRCLE, Trace(), 0)
    assert words.sentence(shown) == "Nothing trained yet: press play."
    assert len(shown.rows) == len(shown.bars.x) == len(words.table(shown)["step"]) == 0


@pytest.mark.parametrize(
    "learner", [OneSlack(), NSlack(), Bundle(), SampledCuts(), Subgradient(), Perceptron()]
)
def test_one_step_is_enough(learner: Learner) -> None:
    trace = run(CIRCLE, learner, Until(relative_gap=0.0, steps=1))
    for phase in range(4):
        shown = numbers.frame(CIRCLE, trace, 0, phase)
        assert words.sentence(shown).startswith("Step 0")
        assert len(rows.cells(shown.rows)) == len(shown.rows)
        assert len(words.table(shown)["step"]) == 1


def long_trace(steps: int) -> Trace:
    """A 1-slack run made up for its length: every step finds a cut, 60 are kept, each third has weight."""
    rng, k = np.random.default_rng(0), np.arange(steps)
    ids = [np.arange(max(0, at - 60), at) for at in range(steps)]
    alpha = [np.where(mine % 3 == 0, 0.5, 0.0) for mine in ids]
    columns = {name: k.astype(float) for name in (*FIGURES, *LOOKS)}
    columns |= {"added": np.ones(steps), "dropped": np.maximum(0.0, k - 60.0), "planes": np.minimum(k, 60.0)}
    columns |= {"active": np.array([float(np.count_nonzero(a)) for a in alpha])}
    start = Started("multiclass", "OneSlack", 12, 9, 0, True, {"C": 10.0})
    trace = Trace.restore(columns, [True] * steps, [(0, start)], [])
    details = [{"alpha": a, "b": np.full(len(a), 0.5), "ids": j} for a, j in zip(alpha, ids, strict=True)]
    cuts = [(Cut(EVERY_EXAMPLE, tuple(rng.integers(0, 3, 12)), np.zeros(0), 0.5),) for _ in range(steps)]
    trace.details.refill(1, dict(enumerate(details)))
    trace.cuts.refill(1, dict(enumerate(cuts)))
    trace.weights.refill(1, dict(enumerate(rng.normal(size=(steps, 9)))))
    return trace


def test_ten_thousand_steps_make_a_bounded_frame() -> None:
    trace = long_trace(10_000)
    shown = numbers.frame(CIRCLE, trace, 9_999)
    assert len(shown.growth.step) <= numbers.MOST_POINTS
    assert len(shown.rows) <= rows.MOST_ROWS
    assert len(shown.bars.names) <= numbers.MOST_BARS
    assert shown.growth.step[-1] == 9_999
    assert shown.growth.pruned[-1] == 9_999 - 60


def test_many_cuts_are_shown_in_part_and_the_words_say_so() -> None:
    problem = Recipe(task="animals", data={"per_class": 60}).problem()[0]
    trace = run(problem, NSlack(C=10.0))
    at = len(trace) - 1
    shown = numbers.frame(problem, trace, at, example=239)
    total = len(trace.details.kept[at]["ids"])
    assert len(shown.rows) == rows.MOST_ROWS < total
    assert len(shown.bars.names) == numbers.MOST_BARS
    assert "239" in shown.bars.names
    text = words.sentence(shown)
    assert words.left_out(shown.rows) == [f"{rows.MOST_ROWS} of {total:,} cuts, largest weights"]
    assert f"{numbers.MOST_BARS} of 240 examples have bars" in text
    alpha = trace.details.kept[at]["alpha"]
    np.testing.assert_array_equal(shown.rows.alpha, np.sort(alpha)[::-1][: rows.MOST_ROWS])


def test_looking_changes_nothing_in_the_trace() -> None:
    trace = run(CIRCLE, OneSlack(C=10.0, cache=2))
    columns = {name: trace.column(name) for name in trace.names}
    kept = {at: {k: np.copy(v) for k, v in d.items()} for at, d in trace.details.kept.items()}
    for at in range(len(trace)):
        for phase in range(4):
            numbers.frame(CIRCLE, trace, at, phase)
    for name, before in columns.items():
        np.testing.assert_array_equal(trace.column(name), before)
    for at, detail in kept.items():
        for name, before in detail.items():
            np.testing.assert_array_equal(trace.details.kept[at][name], before)


@pytest.mark.parametrize("learner", [Subgradient(C=10.0), Perceptron(), Perceptron(every="update")])
def test_a_learner_without_a_working_set_still_has_a_cut_to_show(learner: Learner) -> None:
    trace = run(CIRCLE, learner, Until(relative_gap=0.0, steps=4))
    shown = numbers.frame(CIRCLE, trace, 2, example=5)
    assert not shown.keeps
    assert "keeps no cuts" in words.sentence(shown)
    assert len(shown.rows) == 1
    w, i = trace.at(2).w, int(shown.rows.example[0])
    if trace.at(2).cuts:
        label = trace.at(2).cuts[0].label
        assert "the 1 cut met at step 2" in words.sentence(shown)
        assert shown.rows.violation[0] == pytest.approx(violation(CIRCLE, w, cut_of(CIRCLE, i, label)))
    else:
        assert i == 5
        every = [violation(CIRCLE, w, cut_of(CIRCLE, i, y)) for y in range(3)]
        assert shown.rows.violation[0] == pytest.approx(max(every))


# the view ---------------------------------------------------------------------------------------------------


def test_the_view_fills_its_sources_and_never_makes_a_figure_again(session: Session) -> None:
    view = ws.WorkingSetView(session)
    figures, sources = list(view.figures), (view.growth_source, view.old_source, view.new_source)
    for at in range(len(session.trace)):
        session.seek(at)
        assert view.timeline.cursor.location == at
        alpha = session.trace.details.kept[at]["alpha"]
        shown = np.concatenate([view.old_source.data["alpha"], view.new_source.data["alpha"]])
        np.testing.assert_allclose(np.sort(shown), np.sort(alpha[alpha > 0]))
    assert view.figures == figures
    assert sources == (view.growth_source, view.old_source, view.new_source)
    assert "Step 2" in view.words.object
    view.close()
    session.seek(0)
    assert view.timeline.cursor.location == len(session.trace) - 1


def test_a_click_on_the_growth_travels(session: Session) -> None:
    view = ws.WorkingSetView(session)
    tap(view.figures[0], 0.8, 3.0)
    assert session.cursor == 1
    tap(view.figures[0], 99.0, 3.0)
    assert session.cursor == len(session.trace) - 1


def test_headings_sort_the_table(session: Session) -> None:
    view = ws.WorkingSetView(session)
    view.cut_table._handle_msg({"sort": "violation"})
    column = list(rows.COLUMNS).index("violation")
    down = [float(row[column]) for row in view.cut_table.rows]
    assert down == sorted(down, reverse=True)
    view.cut_table._handle_msg({"sort": "violation"})
    assert [float(row[column]) for row in view.cut_table.rows] == sorted(down)
    view.cut_table._handle_msg({"sort": "no such column"})
    view.cut_table._handle_msg({"open": "12"})
    assert view.sort == "violation"


def test_opening_a_row_opens_its_example(session: Session) -> None:
    view = ws.WorkingSetView(session)
    for key, row in list(zip(view.cut_table.keys, view.cut_table.rows, strict=True))[:5]:
        view.cut_table._handle_msg({"open": key})
        assert session.example == int(row[1])
        assert view.cut_table.chosen == key


def test_opening_a_joint_cut_opens_the_example_it_is_most_violated_by(joint_session: Session) -> None:
    view = ws.WorkingSetView(joint_session)
    trace, problem = joint_session.trace, joint_session.problem
    w = trace.at(joint_session.cursor).w
    for key in view.cut_table.keys[:3]:
        view.cut_table._handle_msg({"open": key})
        labels = trace.cuts.kept[key][0].label
        slack = [plane_of(problem, cut_of(problem, i, y)) for i, y in enumerate(labels)]
        assert joint_session.example == int(np.argmax([p.b - w @ dense(p.a) for p in slack]))


def test_a_row_without_a_number_opens_its_example_too() -> None:
    s = Session(Recipe(task="circle", learner="perceptron", settings={"every": "update"}, rule={"steps": 3}))
    s.show_finished()
    view = ws.WorkingSetView(s)
    (key,), (row,) = view.cut_table.keys, view.cut_table.rows
    view.cut_table._handle_msg({"open": key})
    assert s.example == int(row[1])
    s.close()


def test_a_click_on_a_bar_opens_its_example(session: Session) -> None:
    view = ws.WorkingSetView(session)
    view._pick(4.2, 0.1)
    assert session.example == int(view._drawn.names[4])
    view._pick(-3.0, 0.1)
    assert session.example == int(view._drawn.names[4])
    assert view.here.location == 4


def test_without_a_working_set_only_the_table_is_on_the_page() -> None:
    s = Session(Recipe(task="circle", learner="subgradient", rule={"steps": 3}))
    view = ws.WorkingSetView(s)
    assert view.pictures.visible
    s.show_finished()
    assert not view.pictures.visible
    assert view.cut_table.visible
    assert len(view.cut_table.rows) == 1
    s.close()


def test_parts_can_be_shown_alone(session: Session) -> None:
    view = ws.WorkingSetView(session)
    for part in ("growth", "weights", "growth", "cuts", "weights", "all"):
        view.part = part
        assert view.cut_table.visible == (part in ("all", "cuts"))
        assert view.pictures.visible == (part != "cuts")
        assert view.figures[0].visible == (part in ("all", "growth"))
        assert view.figures[1].visible == (part in ("all", "weights"))


@pytest.mark.parametrize("theme", [LIGHT, DARK, PROJECTOR])
def test_a_theme_recolours_every_mark(session: Session, theme: Any) -> None:
    view = ws.WorkingSetView(session, theme=DARK if theme is LIGHT else LIGHT)
    view.theme = theme
    ours = {getattr(theme, name) for name in theme.__slots__ if isinstance(getattr(theme, name), str)}
    for renderer in (*view._growth.values(), *view._bars.values()):
        assert renderer.glyph.line_color in ours
        assert not hasattr(renderer.glyph, "fill_color") or renderer.glyph.fill_color in ours
    assert view._bars["new"].glyph.hatch_color in ours
    for mark in (view.timeline.cursor, view.capacity, view.here):
        assert mark.line_color in ours
    assert view.cut_table.look["back"] == theme.background
    assert view.cut_table.look["font"] == f"{theme.font}px"


def test_while_steps_rush_by_nothing_is_asked_of_the_problem(session: Session) -> None:
    view = ws.WorkingSetView(session)
    column = list(rows.COLUMNS).index("margin")
    session.status = "running"
    assert {row[column] for row in view.cut_table.rows} == {"unknown"}
    assert "pauses" in view.cut_table.caption
    session.status = "paused"
    assert "unknown" not in {row[column] for row in view.cut_table.rows}
