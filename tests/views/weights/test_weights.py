"""The weights view shows every weight under its right name, and the changes and the path that numpy finds."""

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.contracts import Dataset, Problem
from explorer.engine.data import toys
from explorer.engine.events import Bounds, Started, Step
from explorer.engine.learners import OneSlack
from explorer.engine.runs.streams import Until, train
from explorer.engine.runs.trace import Trace, recorded
from explorer.engine.structures.chains.problem import Chain
from explorer.engine.structures.classes.binary import Binary
from explorer.engine.structures.classes.convex_risk import ConvexRisk
from explorer.engine.structures.classes.multiclass import Multiclass
from explorer.session.state import Session
from explorer.views.kit.depiction import depiction_of
from explorer.views.kit.drawing.theme import DARK, PROJECTOR
from explorer.views.weights import frame as numbers
from explorer.views.weights import view as weights
from explorer.views.weights.figures import STROKED

DIGITS = re.compile(
    r"^(?:pixel \((\d),(\d)\) for (\d)|after (\d) comes (\d)|(begins|ends) with (\d)|constant for (\d))$"
)


def run(problem: Problem, steps: int) -> Trace:
    trace = Trace()
    rule = Until(relative_gap=0.0, steps=steps)
    for _ in recorded(train(problem, OneSlack(C=10.0, eps=0.0), rule=rule), trace):
        pass
    return trace


def walked(problem: Problem, steps: int, **budget: int) -> Trace:
    """A trace of random weights."""
    rng = np.random.default_rng(0)
    trace = Trace(**budget)
    trace.append(Started(problem.name, "Subgradient", problem.n, problem.dim, 0, True, {"C": 1.0}))
    for k in range(steps):
        trace.append(Step(k, rng.normal(size=problem.dim), bounds=Bounds(1.0), detail={"moves": k}))
    return trace


@pytest.fixture(scope="module")
def words() -> tuple[Problem, Trace]:
    problem, _ = Recipe(task="digit-words", data={"n": 8, "n_test": 2}).problem()
    return problem, run(problem, 6)


@pytest.fixture
def session() -> Iterator[Session]:
    s = Session(Recipe(task="digit-words", data={"n": 8, "n_test": 2}, rule={"steps": 5}))
    s.show_finished()
    yield s
    s.close()


def index_of(word: str, states: int = 10) -> int:
    """Where a weight of the digits lies in w, read from its name alone."""
    found = DIGITS.match(word)
    assert found, word
    row, column, digit, first, then, end, at, bias = found.groups()
    if row:
        return ((int(row) - 1) * 8 + int(column) - 1) * states + int(digit)
    if first:
        return 64 * states + int(first) * states + int(then)
    if bias:
        return 64 * states + int(bias)
    return 64 * states + states * states + (0 if end == "begins" else states) + int(at)


def chain(ends: bool) -> Problem:
    rng = np.random.default_rng(1)
    data = Dataset("short", (rng.normal(size=(4, 3)),), (np.array([0, 1, 1, 0]),), {"states": ("a", "b")})
    return Chain(data, 2, ends=ends)


PROBLEMS: dict[str, Problem] = {
    "chain": chain(True),
    "chain without ends": chain(False),
    "classes": Multiclass(toys.circle(), 3),
    "two classes": Binary(toys.two_points(), bias="regularised"),
    "a risk": ConvexRisk(dim=3),
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_groups_together_are_the_weight_vector(name: str) -> None:
    problem = PROBLEMS[name]
    w = np.arange(problem.dim, dtype=float)
    parts = depiction_of(problem).weights(problem)
    assert np.array_equal(np.concatenate([part.cells(w).ravel() for part in parts]), w)
    assert len({numbers.word_of(parts, j) for j in range(problem.dim)}) == problem.dim


def test_every_cell_is_the_weight_that_its_words_name(words: tuple[Problem, Trace]) -> None:
    problem, trace = words
    shown = numbers.frame(problem, trace, 5)
    assert shown
    assert shown.sheet
    assert shown.side
    cells = [
        *zip(shown.sheet.word, shown.sheet.value, strict=True),
        *zip(shown.side.word, shown.side.value, strict=True),
    ]
    w = trace.weights.kept[5]
    assert sorted(index_of(word) for word, _ in cells) == list(range(760))
    assert all(value == w[index_of(word)] for word, value in cells)


def test_a_digit_image_stands_upright_in_its_tile(words: tuple[Problem, Trace]) -> None:
    problem, trace = words
    shown = numbers.frame(problem, trace, 5)
    assert shown
    assert shown.sheet
    sheet = shown.sheet
    place = {word: (x, y) for word, x, y in zip(sheet.word, sheet.x, sheet.y, strict=True)}
    for digit in range(10):
        x0, y0 = place[f"pixel (1,1) for {digit}"]
        assert place[f"pixel (1,8) for {digit}"] == (x0 + 7, y0)
        assert place[f"pixel (8,1) for {digit}"] == (x0, y0 + 7)
    assert len(set(place.values())) == 640
    assert [text for *_, text in sheet.tiles] == list("0123456789")


def test_transitions_go_from_row_to_column(words: tuple[Problem, Trace]) -> None:
    problem, trace = words
    shown = numbers.frame(problem, trace, 5)
    assert shown
    assert shown.side
    side = shown.side
    at = dict(zip(side.word, zip(side.x, side.y, strict=True), strict=True))
    assert at["after 3 comes 7"] == (7.0, 3.0)
    across, down = dict(side.across), dict(side.down)
    assert (across[at["ends with 4"][0]], down[at["ends with 4"][1]]) == ("stop", "4")
    assert (across[at["begins with 4"][0]], down[at["begins with 4"][1]]) == ("4", "start")


def test_the_images_of_single_digits_leave_the_constant_beside_them() -> None:
    problem, _ = Recipe(task="digits", data={"n": 30}).problem()
    shown = numbers.frame(problem, walked(problem, 2), 1)
    assert shown
    assert shown.sheet
    assert shown.side
    assert sorted(shown.side.word) == [f"constant for {k}" for k in range(10)]
    assert all(
        v == shown.w[index_of(word)] for word, v in zip(shown.side.word, shown.side.value, strict=True)
    )


def test_the_biggest_changes_are_those_of_the_difference(words: tuple[Problem, Trace]) -> None:
    problem, trace = words
    for at in range(1, 6):
        change = trace.weights.kept[at] - trace.weights.kept[at - 1]
        shown = numbers.frame(problem, trace, at)
        assert shown
        assert len(shown.changes) == 12
        biggest = np.sort(np.abs(change))[::-1][:12]
        assert np.array_equal(np.abs([v for _, v in shown.changes]), biggest)
        assert all(value == change[index_of(name)] for name, value in shown.changes)
        name, value = shown.changes[0]
        assert f"{name} {'rose' if value > 0 else 'fell'} by" in numbers.sentence(shown)


def test_the_first_step_is_compared_with_zero() -> None:
    problem = PROBLEMS["two classes"]
    shown = numbers.frame(problem, walked(problem, 1), 0)
    assert shown
    assert shown.sheet is None
    assert shown.before == -1
    assert dict(shown.changes) == dict(zip(("bias", "feature 1", "feature 2"), shown.w, strict=True))
    assert "from 0" in numbers.sentence(shown)


def test_too_many_features_leave_those_with_the_largest_weights() -> None:
    problem, _ = Recipe(task="tagging", data={"n": 5, "n_test": 1, "vocabulary": 2000}).problem()
    trace = walked(problem, 1)
    shown = numbers.frame(problem, trace, 0)
    assert shown
    assert shown.sheet
    assert shown.side
    assert len(shown.sheet.value) + len(shown.side.value) <= numbers.MOST_CELLS
    matrix = np.abs(trace.weights.kept[0][: 4000 * 5].reshape(4000, 5))
    names = problem.dataset.meta["feature_names"]
    kept = {word.rpartition(" for ")[0] for word in shown.sheet.word}
    assert kept == {names[int(r)] for r in np.argsort(-matrix.max(axis=1))[: numbers.FEW]}
    assert "40 of 4,000 features" in numbers.sentence(shown)


def test_names_given_by_the_data_are_used() -> None:
    data = Dataset(
        "named", np.eye(2), np.array([0, 1]), {"states": ("no", "yes"), "feature_names": ("red", "<b>")}
    )
    shown = numbers.frame(problem := Multiclass(data, 2), walked(problem, 1), 0)
    assert shown
    assert shown.sheet
    assert shown.sheet.word == ("red for no", "red for yes", "<b> for no", "<b> for yes")


def test_the_path_is_that_of_the_kept_weights() -> None:
    problem = PROBLEMS["chain"]
    trace = walked(problem, 300, weight_bytes=problem.dim * 8 * 50)
    shown = numbers.frame(problem, trace, 250)
    assert shown
    kept = trace.weights.kept
    assert set(shown.steps) == set(kept)
    assert len(kept) < 60
    last = kept[max(kept)]
    for step, norm, cosine in zip(shown.steps, shown.norms, shown.cosines, strict=True):
        assert norm == pytest.approx(np.linalg.norm(kept[step]))
        assert cosine == pytest.approx(kept[step] @ last / np.linalg.norm(kept[step]) / np.linalg.norm(last))
    assert shown.w_at < 250
    assert f"of step {shown.w_at}, the nearest one kept" in numbers.sentence(shown)


def test_ten_thousand_steps_are_thinned_and_left_alone() -> None:
    problem = PROBLEMS["chain"]
    trace = walked(problem, 10_000)
    before = {at: w.copy() for at, w in trace.weights.kept.items()}
    shown = numbers.frame(problem, trace, 9_999)
    assert shown
    assert len(shown.steps) <= numbers.MOST_POINTS
    assert shown.steps[-1] == 9_999
    assert len(trace) == 10_000
    assert trace.weights.kept.keys() == before.keys()
    assert all(np.array_equal(w, before[at]) for at, w in trace.weights.kept.items())


def test_an_untrained_session_gets_a_friendly_sentence() -> None:
    session = Session(Recipe(task="four-points"))
    view = weights.Weights(session, table_open=True)
    assert numbers.frame(session.problem, Trace(), 0) is None
    assert "Nothing trained yet" in view.words.object
    assert view.param.part.objects == ["weights", "changes", "path"]
    for view.part in ("weights", "changes", "path"):
        assert "Nothing trained yet" in view.words.object
    session.close()


def test_the_view_shows_one_part_at_a_time_and_keeps_its_figures(session: Session) -> None:
    view = weights.Weights(session)
    view.part = "diagram"
    figures, source = list(view.figures), view.cells.source
    seen = {}
    for view.part in ("weights", "changes", "path", "diagram"):
        seen[view.part] = [plot.visible for plot in view.figures]
    assert seen == {
        "weights": [True, True, False, False, False],
        "changes": [False, False, True, False, False],
        "path": [False, False, False, True, False],
        "diagram": [False, False, False, False, True],
    }
    view.part = "weights"
    session.seek(2)
    assert view.figures == figures
    assert view.cells.source is source
    w = session.trace.weights.kept[2]
    assert all(
        v == w[index_of(word)] for word, v in zip(source.data["word"], source.data["value"], strict=True)
    )


def test_the_parts_follow_problem_and_learner_and_a_part_that_is_gone_gives_way_to_the_weights() -> None:
    session = Session(Recipe(task="digit-words", data={"n": 5, "n_test": 1}))
    view = weights.Weights(session, part="diagram")
    assert view.param.part.objects == ["weights", "changes", "path", "diagram"]
    assert view.part == "diagram"
    session.choices.task = "circle"
    view.refresh()
    assert view.part == "weights"
    assert view.param.part.objects == ["weights", "changes", "path"]
    session.choices.learner = "perceptron"
    view.refresh()
    assert view.param.part.objects == ["weights", "changes", "path", "proof"]
    view.part = "proof"
    session.choices.learner = "one-slack"
    view.refresh()
    assert view.part == "weights"
    assert weights.Weights(session, part="diagram").part == "weights"
    session.close()


def test_negative_cells_carry_a_stroke(session: Session) -> None:
    view = weights.Weights(session)
    data, strokes = view.cells.source.data, view.cells.strokes.data
    negative = np.flatnonzero(data["value"] < -STROKED * np.abs(data["value"]).max())
    assert len(negative)
    assert len(strokes["y"]) == len(negative)
    assert np.allclose((strokes["x0"] + strokes["x1"]) / 2, data["x"][negative])


def test_bars_rise_and_fall_on_their_own_sides() -> None:
    session = Session(Recipe(task="four-points"))
    session.replay(walked(session.problem, 20))
    view = weights.Weights(session, part="changes")
    rises = 0
    for at in range(1, 20):
        session.seek(at)
        change = session.trace.weights.kept[at] - session.trace.weights.kept[at - 1]
        for sign, way in (("rise", 1.0), ("fall", -1.0)):
            data = view.bars.parts[sign].data
            assert sorted(data["value"]) == sorted(v for v in change if v * way > 0)
            assert all(text[0] == ("+" if way > 0 else "−") for text in data["end"])
            ends = data["right"] if way > 0 else data["left"]
            assert np.allclose(np.asarray(ends) * np.abs(change).max(), data["value"])
        rises += len(view.bars.parts["rise"].data["value"])
    assert 0 < rises < 38
    session.close()


def test_a_theme_recolours_everything(session: Session) -> None:
    view = weights.Weights(session)
    light = list(view.cells.mapper.palette)
    view.theme = DARK
    assert view.cells.mapper.palette != light
    assert view.cells.mapper.palette[0] == DARK.low
    assert view.cells.mapper.palette[-1] == DARK.high
    assert view.cells.mapper.palette[32] == DARK.background
    assert {plot.background_fill_color for plot in view.figures} == {DARK.background}
    view.theme = PROJECTOR
    assert view.bars.glyphs["rise"][1].glyph.text_font_size == f"{PROJECTOR.font}px"


def test_a_hidden_view_computes_nothing(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    view = weights.Weights(session, active=False)

    def forbidden(*args: Any) -> None:
        raise AssertionError

    monkeypatch.setattr(numbers, "frame", forbidden)
    session.seek(1)
    view.part = "path"
    view.close()


def test_the_table_names_weights_and_changes(words: tuple[Problem, Trace]) -> None:
    shown = numbers.frame(*words, 5)
    columns = numbers.table(shown)
    assert {len(column) for column in columns.values()} == {12}
    w = words[1].weights.kept[5]
    pairs = zip(columns["largest weights"], columns["weight"], strict=True)
    assert all(value == w[index_of(name)] for name, value in pairs)
