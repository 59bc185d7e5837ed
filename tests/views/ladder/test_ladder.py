"""The margin ladder: its rungs are those of enumeration, its slack that of the objective, and the words say
them.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from explorer.dashboards.studio.link import read
from explorer.dashboards.studio.page import Studio
from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.catalogue.tasks import TASKS
from explorer.engine.contracts import Dataset
from explorer.engine.data import toys
from explorer.engine.events import Bounds, Started, Step
from explorer.engine.losses import CostMatrix
from explorer.engine.objective import slacks, sweep
from explorer.engine.pricing import Pricing
from explorer.engine.refusals import Refused
from explorer.engine.runs.trace import Trace
from explorer.engine.structures.chains.problem import Chain
from explorer.engine.structures.classes.binary import Binary
from explorer.engine.structures.classes.multiclass import Multiclass
from explorer.engine.structures.classes.own import Listed
from explorer.session.runner import InThread
from explorer.session.state import Session
from explorer.views import STRUCTURES, structure_of
from explorer.views.kit.drawing.theme import DARK, PROJECTOR
from explorer.views.kit.memory import Memory
from explorer.views.ladder import frame as numbers
from explorer.views.ladder import words
from explorer.views.ladder.view import Ladder

COSTS = CostMatrix(((0.0, 1.0, 4.0), (2.0, 0.0, 3.0), (0.5, 4.0, 0.0)))
PRICINGS = [Pricing(scaling, penalty) for scaling in ("margin", "slack") for penalty in ("linear", "squared")]
CLASSES = ("digits", "animals", "circle", "four-points", "two-gaussians")

pytestmark = pytest.mark.filterwarnings("ignore:Both .variant. and .button_style.:PendingDeprecationWarning")


def walked(problem: Any, steps: int = 1, seed: int = 0, scale: float = 1.0) -> Trace:
    trace, rng = Trace(), np.random.default_rng(seed)
    trace.append(Started(problem.name, "n-slack", problem.n, problem.dim, 0, True, {"C": 1.0}))
    for k in range(steps):
        trace.append(Step(k, rng.normal(scale=scale, size=problem.dim), bounds=Bounds(1.0)))
    return trace


def own_problem(pricing: Pricing) -> Listed:
    """Words for numbers near one of three places, with a loss that is the distance of the places."""
    places = {"left": -1.0, "middle": 0.5, "right": 2.0}
    data = Dataset("places", inputs=[-1.2, 0.1, 0.9, 2.5], labels=["left", "middle", "middle", "right"])
    return Listed(
        data,
        psi=lambda x, y: np.array([x * places[y], places[y], places[y] ** 2]),
        delta=lambda y, guess: abs(places[y] - places[guess]),
        outputs=lambda x: tuple(places),
        dim=3,
        pricing=pricing,
    )


MADE = {
    "classes": lambda pricing: Multiclass(toys.circle(), 3, delta=COSTS, pricing=pricing),
    "two sides": lambda pricing: Binary(toys.two_gaussians(6, 1.5)[0], "regularised", pricing=pricing),
    "listed": own_problem,
}


def violation_by_hand(pricing: Pricing, loss: float, margin: float) -> float:
    r = loss**0.5 if pricing.penalty == "squared" else loss
    return r * (1.0 - margin) if pricing.scaling == "slack" else r - margin


@pytest.mark.parametrize("pricing", PRICINGS, ids=lambda p: f"{p.scaling} {p.penalty}")
@pytest.mark.parametrize("kind", MADE)
def test_the_rungs_are_those_of_enumeration(kind: str, pricing: Pricing) -> None:
    problem = MADE[kind](pricing)
    trace = walked(problem)
    w = trace.at(0).w
    worst = slacks(problem, sweep(problem, w))
    for i in range(problem.n):
        shown, truth = numbers.frame(problem, trace, 0, i), problem.dataset.labels[i]
        outputs = list(problem.labellings(i))
        scores = [float(w @ problem.features(i, y)) for y in outputs]
        margins = [scores[outputs.index(truth)] - score for score in scores]
        H = [violation_by_hand(pricing, problem.loss(i, y), m) for y, m in zip(outputs, margins, strict=True)]
        assert shown.score == pytest.approx(scores)
        assert shown.violation == pytest.approx(H, abs=1e-12)
        assert words.table(shown)["margin"] == pytest.approx(margins, abs=1e-12)
        assert outputs[shown.truth] == truth
        assert scores[shown.guess] == pytest.approx(max(scores))
        assert H[shown.rival] == pytest.approx(max(H), abs=1e-12)
        assert shown.slack == pytest.approx(worst[i], abs=1e-12)
        assert shown.factor * (shown.reach - shown.own) == pytest.approx(H, abs=1e-12)


@pytest.mark.parametrize("pricing", PRICINGS, ids=lambda p: f"{p.scaling} {p.penalty}")
@pytest.mark.parametrize("kind", MADE)
def test_states_are_counted_as_a_plain_loop_counts_them(kind: str, pricing: Pricing) -> None:
    problem, found = MADE[kind](pricing), np.zeros(3, dtype=int)
    for seed in range(6):
        trace, count = walked(problem, 1, seed), [0, 0, 0]
        w = trace.at(0).w
        for i, x in enumerate(problem.dataset.inputs):
            truth, guess = problem.dataset.labels[i], problem.predict(w, x)
            own = float(w @ problem.features(i, truth))
            wrong = [y for y in problem.labellings(i) if y != truth]
            parts = [(problem.loss(i, y), own - float(w @ problem.features(i, y))) for y in wrong]
            slack = max(0.0, *(violation_by_hand(pricing, *part) for part in parts))
            state = 2 if guess != truth else 1 if slack > 0 else 0
            count[state] += 1
            assert numbers.frame(problem, trace, 0, i).state == state
        assert numbers.frame(problem, trace, 0).counts.tolist() == count
        found += count
    assert (found > 0).all()


def test_many_examples_are_sampled() -> None:
    problem = own_problem(Pricing())
    many = problem.on(
        Dataset("many", inputs=[0.1] * 300 + [2.5] * 100, labels=["middle"] * 300 + ["right"] * 100)
    )
    counts = numbers.frame(many, walked(many), 0).counts
    assert counts.sum() == numbers.MOST_SINGLE
    assert max(counts) == 75


def test_counts_and_regions_are_made_once_for_a_step(monkeypatch: pytest.MonkeyPatch) -> None:
    problem, made = Multiclass(toys.circle(), 3), []
    trace, known = walked(problem, 2), Memory(64)
    monkeypatch.setattr(numbers, "count_states", lambda *args: made.append(1) or np.zeros(3, dtype=int))
    for example, at in ((0, 0), (1, 0), (1, 1), (2, 0)):
        numbers.frame(problem, trace, at, example, known=known)
    assert len(made) == 2


@pytest.mark.parametrize("task", CLASSES)
def test_regions_are_what_the_predictor_says(task: str) -> None:
    problem = Recipe(task).problem()[0]
    trace = walked(problem)
    shown = numbers.frame(problem, trace, 0, aspect=1.5)
    if task == "digits":
        assert shown.plane is None
        assert shown.image is not None
        assert shown.image.ravel().tolist() == problem.dataset.inputs[0][:64].tolist()
        return
    assert shown.image is None
    assert shown.plane is not None
    x0, x1, y0, y1 = shown.plane.box
    rows, columns = shown.plane.regions.shape
    for r, c in ((0, 0), (rows - 1, 3), (rows // 2, columns - 1), (rows // 3, columns // 2)):
        x = problem.dataset.inputs[0].copy()
        x[0] = x0 + (c + 0.5) * (x1 - x0) / columns
        if task != "four-points":
            x[1] = y0 + (r + 0.5) * (y1 - y0) / rows
        assert shown.plane.regions[r, c] == problem.predict(trace.at(0).w, x)
    inside = (shown.plane.points > (x0, y0)) & (shown.plane.points < (x1, y1))
    assert inside.all()
    if task != "four-points":
        assert (x1 - x0) / (y1 - y0) == pytest.approx(1.5)


def at_scores(
    scores: tuple[float, ...], pricing: Pricing, truth: int = 0, **more: Any
) -> numbers.LadderFrame:
    """The ladder of a single point whose classes have these scores; a mistake costs 4."""
    names, size = ("dog", "cat", "bus")[: len(scores)], len(scores)
    data = Dataset("one", np.ones((1, 1)), np.array([truth]), {"states": names})
    problem = Multiclass(
        data, size, delta=CostMatrix(tuple(map(tuple, 4.0 * (1 - np.eye(size))))), pricing=pricing
    )
    trace = Trace()
    trace.append(Started("one", "n-slack", 1, size, 0, True, {"C": 1.0}))
    trace.append(Step(0, np.array(scores), bounds=Bounds(1.0)))
    return numbers.frame(problem, trace, 0, **more)


SENTENCES = {
    "misclassified": (
        ((1.0, 0.5, 1.5), Pricing()),
        "Example 0, step 0: misclassified, 'dog' is taken for 'bus'. 'bus' scores 0.5 above 'dog', the loss "
        "asks for 4 between "
        "them, so the slack is 4.5.",
    ),
    "too small": (
        ((3.0, 0.5, 0.0), Pricing("margin", "squared")),
        "Example 0, step 0: no loss, 'dog' is predicted. 'cat' scores 2.5 below 'dog', the root of the loss "
        "asks for 2 between "
        "them: 0.5 to spare, so the slack is 0.",
    ),
    "slack": (
        ((1.0, 0.5, 0.25), Pricing("slack")),
        "Example 0, step 0: margin too small, 'dog' is predicted. 'cat' scores 0.5 below 'dog', a margin of "
        "1 is asked for, and "
        "the loss of 4 multiplies what lacks, so the slack is 4 × 0.5 = 2.",
    ),
}


@pytest.mark.parametrize("case", SENTENCES)
def test_the_sentence_is_the_sum_that_makes_the_slack(case: str) -> None:
    (scores, pricing), text = SENTENCES[case]
    assert words.sentence(at_scores(scores, pricing)) == text


def test_untrained_it_says_what_to_do() -> None:
    problem = Multiclass(toys.circle(), 3)
    shown = numbers.frame(problem, Trace(), 0, 99, "Test example")
    assert shown.example == 11
    assert shown.score.tolist() == [0.0, 0.0, 0.0]
    assert words.sentence(shown).startswith(
        "Nothing trained yet, all scores are 0: press play. Test example 11, untrained"
    )


def test_the_table_marks_the_three_outputs() -> None:
    found = words.table(at_scores((1.0, 0.5, 1.5), Pricing()))
    assert found["output"] == ["dog", "cat", "bus"]
    assert found["marked"] == ["truth", "", "guess, most tempting"]
    assert found["violation"] == [0.0, 3.5, 4.5]
    assert words.rung_texts(at_scores((1.0, 0.5, 1.5), Pricing()))[2] == (
        "bus (guess, most tempting): score 1.5, loss 4, margin asked 4, violation 4.5"
    )
    nothing = words.table(at_scores((9.0, 0.5, 1.5), Pricing()))
    assert nothing["marked"] == ["truth, guess, most tempting", "", ""]


def test_of_many_outputs_the_marked_and_the_highest_are_drawn() -> None:
    data = Dataset("one", np.ones((1, 1)), np.array([7]), {"states": tuple("abcdefghijklmnopqrst")})
    problem = Multiclass(data, 20)
    trace = Trace()
    trace.append(Started("one", "n-slack", 1, 20, 0, True, {"C": 1.0}))
    trace.append(Step(0, np.arange(20.0)[::-1].copy(), bounds=Bounds(1.0)))
    shown = numbers.frame(problem, trace, 0)
    assert numbers.outputs_to_draw(shown, 5).tolist() == [0, 1, 2, 3, 7]
    assert numbers.outputs_to_draw(shown, 50).tolist() == list(range(20))


def test_outputs_that_cannot_be_listed_are_refused() -> None:
    chain = Recipe("blocks", data={"n": 2, "n_test": 1}).problem()[0]
    assert not numbers.fits(chain)
    with pytest.raises(Refused, match="at most 40"):
        numbers.frame(chain, Trace(), 0)


def test_only_tasks_without_a_picture_of_their_own_get_the_ladder() -> None:
    for task in TASKS:
        problem = Recipe(task.name).problem()[0]
        others = [view for view in STRUCTURES if view is not Ladder and view.fits(problem)]
        assert (structure_of(problem) is Ladder) == (task.name in CLASSES) == (not others), task.name
    short = Chain(Dataset("short", (np.ones((2, 1)),), (np.array([0, 1]),), {"states": ("a", "b")}), 2)
    assert numbers.fits(short)
    assert structure_of(short) is not Ladder


# the view ---------------------------------------------------------------------------------------------------


@pytest.fixture
def session() -> Iterator[Session]:
    made = Session(Recipe("animals", data={"per_class": 5}, rule={"steps": 3}))
    yield made
    made.close()


def test_the_view_shows_an_empty_a_short_and_a_long_run_and_leaves_the_trace_alone(session: Session) -> None:
    view = Ladder(session)
    assert "press play" in view.words.object
    for steps in (1, 40):
        session.replay(trace := walked(session.problem, steps))
        before = [trace.at(k).w.copy() for k in range(steps)]
        session.seek(steps // 2)
        assert f"step {steps // 2}:" in view.words.object
        assert all(np.array_equal(trace.at(k).w, w) for k, w in enumerate(before))
        assert len(trace) == steps
        shown = view.frame()
        assert list(view.picture.sources["dots"].data["x"]) == pytest.approx(shown.score.tolist())
    view.close()


def test_bars_lead_from_score_to_reach_and_the_bracket_from_the_truth_to_the_highest(
    session: Session,
) -> None:
    session.replay(walked(session.problem, 2))
    view = Ladder(session)
    for example in range(session.problem.n):
        session.example = example
        shown, of = view.frame(), view.picture.sources
        wrong = [y for y in range(4) if y != shown.truth]
        assert list(of["bars"].data["y"]) == wrong
        assert list(of["bars"].data["right"] - of["bars"].data["left"]) == pytest.approx([1.0, 1.0, 1.0])
        assert list(of["truth"].data["y"]) == [shown.truth]
        assert list(of["guess"].data["x"]) == [shown.score.max()]
        brackets = of["slack"].data["xs"]
        assert [max(xs) - min(xs) for xs in brackets] == (
            [pytest.approx(shown.slack)] if shown.slack > 0 else []
        )
        over = [y for y in wrong if shown.violation[y] > 0]
        assert list(of["beyond"].data["y"]) == over
    view.close()


def test_controls_points_and_splits_choose_the_example(session: Session) -> None:
    session.replay(walked(session.problem))
    view = Ladder(session)
    view.chooser.choose(7)
    assert view.chooser.field.value == session.example == 7
    for example in (3, 12):
        view._tapped(*session.problem.dataset.inputs[example])
        assert session.example == example
        assert [view.input.ring.data[axis][0] for axis in "xy"] == session.problem.dataset.inputs[
            example
        ].tolist()
    session.split = "test"
    assert "Test example 12" in view.words.object
    own = session.shown.loss(
        12, session.shown.predict(session.trace.at(0).w, session.shown.dataset.inputs[12])
    )
    assert ("misclassified" in view.words.object) == (own > 0)
    view.close()


def test_while_a_step_looks_for_it_the_most_violated_output_stands_out(session: Session) -> None:
    session.replay(walked(session.problem, 2))
    session.seek(0)
    view = Ladder(session)
    draw = view.picture.glyphs
    before = {
        name: (draw[name].glyph.size, draw[name].glyph.line_alpha) for name in ("truth", "guess", "rival")
    }
    session.phase = 1
    after = {
        name: (draw[name].glyph.size, draw[name].glyph.line_alpha) for name in ("truth", "guess", "rival")
    }
    assert after["rival"][0] > before["rival"][0]
    assert after["rival"][1] == before["rival"][1]
    assert after["truth"][1] < before["truth"][1]
    assert after["guess"][1] < before["guess"][1]
    view.close()


def test_themes_change_colours_and_type(session: Session) -> None:
    session.replay(walked(session.problem))
    view = Ladder(session)
    for theme in (DARK, PROJECTOR):
        view.theme = theme
        draw = view.picture.glyphs
        assert draw["truth"].glyph.line_color == theme.truth
        assert draw["rival"].glyph.line_color == theme.rival
        assert theme.accent in view.states.object
    view.table_open = True
    assert "margin asked" in view.data.object
    view.close()


def test_digits_show_their_picture_and_as_many_rows_as_can_be_read() -> None:
    s = Session(Recipe("digits", data={"n": 40}))
    s.replay(walked(s.problem, scale=0.1))
    view = Ladder(s)
    assert np.array_equal(view.input.pixels.data["image"][0][::-1].ravel(), s.problem.dataset.inputs[0][:64])
    assert len(view.picture.sources["dots"].data["x"]) == 10
    view.picture.room.take(view.picture.room.wide, 60)
    assert len(view.picture.sources["dots"].data["x"]) == 6
    assert "the 6 of 10 outputs that reach highest" in view.picture.plot.xaxis[0].axis_label
    view.close()
    s.close()


def test_a_link_to_the_trellis_leads_to_the_ladder() -> None:
    runner = InThread()
    studio = Studio(read("?v=1&task=circle&view=trellis&example=4"), runner)
    assert studio.stage.front is Ladder
    assert studio.layout()["view"] == "ladder"
    assert studio.views[Ladder].frame().example == 4
    studio.shell.close()
    runner.close()


@pytest.mark.spec("A3")
def test_the_distance_from_the_line_is_told_with_its_side() -> None:
    # w = (3, 4), b = -5: the point (3, 4) lies (9 + 16 - 5) / 5 = 4 on the positive side, the origin 1
    # beyond it.
    data = Dataset("two", np.array([[3.0, 4.0], [0.0, 0.0], [0.0, 0.0]]), np.array([1, 1, 0]))
    problem, trace = Binary(data, "regularised"), Trace()
    trace.append(Started("two", "n-slack", 3, 3, 0, True, {"C": 1.0}))
    trace.append(Step(0, np.array([-5.0, 3.0, 4.0]), bounds=Bounds(1.0)))
    told = [(numbers.frame(problem, trace, 0, i)) for i in range(3)]
    assert [shown.distance for shown in told] == [4.0, -1.0, 1.0]
    assert words.side(told[0]) == ", 4 before the line"
    assert ", 1 beyond the line. " in words.sentence(told[1])
    assert ", 1 before the line. " in words.sentence(told[2])
    assert words.side(numbers.frame(problem, Trace(), 0, 0)) == ""  # without weights there is no line
    assert (
        words.side(numbers.frame(Multiclass(toys.circle(), 3), walked(Multiclass(toys.circle(), 3)), 0)) == ""
    )
