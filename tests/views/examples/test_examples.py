"""The examples view agrees with enumeration: losses, confusions, and which example is the hardest."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.contracts import Dataset, Problem
from explorer.engine.data import toys
from explorer.engine.events import Bounds, Started, Step
from explorer.engine.losses import CostMatrix
from explorer.engine.runs.trace import Trace
from explorer.engine.structures.chains.problem import Chain
from explorer.engine.structures.classes.binary import Binary
from explorer.engine.structures.classes.convex_risk import ConvexRisk
from explorer.engine.structures.classes.multiclass import Multiclass
from explorer.engine.structures.classes.own import Listed
from explorer.engine.vectors import dense
from explorer.session.state import Session
from explorer.views.examples import frame as numbers
from explorer.views.examples import view as examples
from explorer.views.kit.drawing.theme import DARK, PROJECTOR
from explorer.views.kit.words.label_words import MOST_LETTERS, state_text


def walked(problem: Problem, steps: int, **budget: int) -> Trace:
    """A trace of random weights."""
    rng = np.random.default_rng(0)
    trace = Trace(**budget)
    trace.append(Started(problem.name, "Subgradient", problem.n, problem.dim, 0, True, {"C": 1.0}))
    for k in range(steps):
        trace.append(Step(k, rng.normal(size=problem.dim), bounds=Bounds(1.0), detail={"moves": k}))
    return trace


def chains(n: int = 7, states: int = 3, length: int = 4) -> Problem:
    rng = np.random.default_rng(3)
    lengths = [1, *rng.integers(1, length + 1, n - 1)]
    inputs = tuple(rng.normal(size=(t, 2)) for t in lengths)
    labels = tuple(rng.integers(0, states, t) for t in lengths)
    return Chain(Dataset("short chains", inputs, labels, {"states": ("a", "b", "c")}), states)


def ordered(n: int = 6) -> Problem:
    """Which of three items comes first: a problem that predicts one example at a time."""
    rng = np.random.default_rng(4)
    outputs = ((0, 1, 2), (1, 2, 0), (2, 0, 1))
    x = tuple(rng.normal(size=(3, 2)) for _ in range(n))
    return Listed(
        Dataset("orders", x, tuple(outputs[i % 3] for i in range(n))),
        psi=lambda x, y: x[y[0]] - x[y[2]],
        delta=lambda y, z: float(sum(a != b for a, b in zip(y, z, strict=True))),
        outputs=lambda x: outputs,
        dim=2,
    )


def best_by_listing(problem: Any, w: Any, i: int) -> Any:
    """The labelling of the highest score, found by looking at all of them."""
    return max(problem.labellings(i), key=lambda y: float(w @ dense(problem.features(i, y))))


PROBLEMS: dict[str, Problem] = {
    "chains": chains(),
    "classes": Multiclass(toys.circle(), 3),
    "costly classes": Multiclass(toys.circle(), 3, delta=CostMatrix(((0, 1, 4), (2, 0, 3), (0.5, 4, 0)))),
    "two classes": Binary(toys.two_gaussians(6, 1.0)[0], bias="regularised"),
    "orders": ordered(),
}


@pytest.fixture
def session() -> Iterator[Session]:
    s = Session(Recipe(task="digit-words", data={"n": 12, "n_test": 5}, rule={"steps": 3}))
    s.show_finished()
    yield s
    s.close()


@pytest.mark.parametrize("name", PROBLEMS)
def test_losses_are_those_of_the_best_labellings_found_by_listing(name: str) -> None:
    problem = PROBLEMS[name]
    trace = walked(problem, 3)
    for at in range(3):
        shown = numbers.frame(problem, trace, at)
        assert shown
        w = trace.weights.kept[at]
        losses = np.array([problem.loss(i, best_by_listing(problem, w, i)) for i in range(problem.n)])
        order = sorted(range(problem.n), key=lambda i: (-losses[i], i))
        assert shown.example.tolist() == order
        assert np.array_equal(shown.loss, losses[order])
        assert shown.mean == pytest.approx(losses.mean())
        assert shown.wrong == np.count_nonzero(losses)
        assert (shown.n, shown.looked) == (problem.n, problem.n)


@pytest.mark.parametrize("name", ["chains", "classes", "two classes"])
def test_confusions_are_counted_over_positions(name: str) -> None:
    problem = PROBLEMS[name]
    trace = walked(problem, 1)
    shown = numbers.frame(problem, trace, 0)
    assert shown
    count: dict[tuple[int, int], list[int]] = {}
    for i in range(problem.n):
        guess = np.ravel(best_by_listing(problem, trace.weights.kept[0], i))
        for a, b in zip(np.ravel(problem.dataset.labels[i]), guess, strict=True):
            count.setdefault((int(a), int(b)), []).append(i)
    rank = {int(i): r for r, i in enumerate(shown.example)}
    for a, b in product(range(len(shown.states)), repeat=2):
        found = count.get((a, b), [])
        assert shown.confusion[a, b] == len(found)
        assert shown.worst[a, b] == (min(found, key=rank.__getitem__) if found else -1)
    assert shown.confusion.sum() == sum(np.size(y) for y in problem.dataset.labels)


def test_labels_that_are_not_states_have_losses_but_no_matrix() -> None:
    problem = ordered()
    shown = numbers.frame(problem, walked(problem, 1), 0)
    assert shown
    assert shown.confusion.size == 0
    assert shown.truth[0].startswith("(")
    assert "taken for" not in numbers.sentence(shown)


def test_large_data_are_looked_at_through_evenly_spaced_examples() -> None:
    problem, _ = Recipe(task="blocks", data={"n": 60, "n_test": 1, "length": 100}).problem()
    trace = walked(problem, 1)
    shown = numbers.frame(problem, trace, 0)
    assert shown
    assert shown.looked == 40
    assert sorted(shown.example) == sorted(set(np.linspace(0, 59, 40).astype(int)))
    guesses = problem.predictions(trace.weights.kept[0])
    for i, loss in zip(shown.example, shown.loss, strict=True):
        assert loss == np.count_nonzero(guesses[i] != problem.dataset.labels[i])
    assert "40 examples of 60 evenly sampled" in numbers.sentence(shown)


def test_the_sentence_names_the_hardest_example_and_the_worst_confusion() -> None:
    problem = PROBLEMS["chains"]
    shown = numbers.frame(problem, walked(problem, 1), 0)
    assert shown
    off = [(shown.confusion[a, b], a, b) for a in range(3) for b in range(3) if a != b]
    most = max(count for count, *_ in off)
    told = numbers.sentence(shown)
    assert f"Hardest is example {shown.example[0]}" in told
    named = [f"{shown.states[a]} is taken for {shown.states[b]}" for count, a, b in off if count == most]
    assert any(name in told for name in named)


def test_a_labelling_is_spelled_and_cut_short() -> None:
    assert state_text(np.array([0, 1, 1]), ("a", "b")) == "abb"
    assert state_text(np.array([0, 1]), ("T1", "T2")) == "T1 T2"
    assert len(state_text(np.zeros(100, dtype=int), ("a",))) == MOST_LETTERS
    assert state_text((2, 0), ()) == "(2, 0)"


def test_no_more_than_sixty_are_listed() -> None:
    problem, _ = Recipe(task="digits", data={"n": 200}).problem()
    shown = numbers.frame(problem, walked(problem, 1), 0)
    assert shown
    assert (len(shown.example), shown.looked) == (numbers.TOP, 200)
    assert (np.diff(shown.loss) <= 0).all()


def test_training_and_test_data_can_be_switched(session: Session) -> None:
    view = examples.Examples(session)
    assert view.shown
    assert (view.shown.n, view.shown.split) == (12, "training")
    session.split = "test"
    assert (view.shown.n, view.shown.split) == (5, "test")
    w = session.trace.at(2).w
    held_out = session.problem.on(session.test)
    losses = [held_out.loss(i, held_out.predict(w, x)) for i, x in enumerate(session.test.inputs)]
    assert view.shown.mean == pytest.approx(np.mean(losses))
    assert "test data" in view.words.object


def test_without_test_data_there_is_no_switch() -> None:
    s = Session(Recipe(task="circle"))
    s.show_finished()
    s.split = "test"
    view = examples.Examples(s)
    assert not view.choose.visible
    assert "training data" in view.words.object
    s.close()


def test_a_click_opens_the_example(session: Session) -> None:
    session.seek(0)
    view = examples.Examples(session)
    assert view.shown
    view._pick(3.2, 0.0)
    assert session.example == view.shown.example[3]
    assert list(view.picked.data["x"]) == [3]
    a, b = np.argwhere((view.shown.worst >= 0) & ~np.eye(10, dtype=bool))[0]
    view._pick_cell(float(b) + 0.3, float(a) - 0.3)
    assert session.example == view.shown.worst[a, b]
    chosen = session.example
    view._pick(-3.0, 0.0)
    view._pick_cell(99.0, 0.0)
    assert session.example == chosen


def test_test_examples_can_be_opened_too(session: Session) -> None:
    view = examples.Examples(session)
    session.split = "test"
    assert view.shown
    view._pick(1.0, 0.0)
    assert session.example == view.shown.example[1]
    assert list(view.picked.data["x"]) == [1]
    assert session.shown.dataset.name == session.test.name
    assert session.trained_on is None


def test_a_step_is_predicted_once(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    real = numbers.frame

    def counted(problem: Problem, trace: Trace, at: int, split: str) -> Any:
        asked.append(at)
        return real(problem, trace, at, split)

    monkeypatch.setattr(numbers, "frame", counted)
    view = examples.Examples(session)
    for at in (0, 1, 0, 1, 2):
        session.seek(at)
    session.example = 3
    assert sorted(asked) == [0, 1, 2]
    session.reset()
    assert "Nothing trained yet" in view.words.object


def test_cells_hold_their_numbers_and_figures_stay(session: Session) -> None:
    session.seek(0)
    view = examples.Examples(session)
    assert view.shown
    figures, sources = list(view.figures), (view.source, view.cell_source, view.diagonal)
    for source in (view.cell_source, view.diagonal):
        for x, y, text in zip(source.data["x"], source.data["y"], source.data["text"], strict=True):
            assert text == (str(view.shown.confusion[y, x]) if view.shown.confusion[y, x] else "")
    session.seek(2)
    assert view.figures == figures
    assert (view.source, view.cell_source, view.diagonal) == sources
    assert np.array_equal(view.source.data["loss"], view.shown.loss)


def test_numbers_vanish_when_rows_are_too_low(session: Session) -> None:
    view = examples.Examples(session)
    view.room.take(view.room.wide, 300)
    assert all(text.visible for _, text in view.cells)
    view.room.take(view.room.wide, 60)
    assert not any(text.visible for _, text in view.cells)


def test_a_theme_recolours_everything(session: Session) -> None:
    view = examples.Examples(session)
    view.theme = DARK
    assert view.bars.glyph.fill_color == DARK.rival
    assert [cell.glyph.fill_color for cell, _ in view.cells] == [DARK.rival, DARK.truth]
    assert {plot.background_fill_color for plot in view.figures} == {DARK.background}
    view.theme = PROJECTOR
    assert view.figures[0].yaxis[0].major_label_text_font_size == f"{PROJECTOR.font}px"


def test_a_hidden_view_computes_nothing(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    view = examples.Examples(session, active=False)

    def forbidden(*args: Any) -> None:
        raise AssertionError

    monkeypatch.setattr(numbers, "frame", forbidden)
    session.seek(1)
    session.split = "test"
    view.close()


def test_an_untrained_session_and_a_problem_without_examples_get_a_sentence() -> None:
    session = Session(Recipe(task="four-points"))
    view = examples.Examples(session, table_open=True)
    assert "Nothing trained yet" in view.words.object
    assert numbers.frame(ConvexRisk(), Trace(), 0) is None
    session.problem = ConvexRisk()
    view.refresh()
    assert "without examples" in view.words.object
    session.close()


def test_one_step_and_ten_thousand_steps_are_shown_and_left_alone() -> None:
    problem = PROBLEMS["classes"]
    for steps in (1, 10_000):
        trace = walked(problem, steps)
        before = {at: w.copy() for at, w in trace.weights.kept.items()}
        shown = numbers.frame(problem, trace, steps - 1)
        assert shown
        assert shown.at == steps - 1
        assert len(trace) == steps
        assert trace.weights.kept.keys() == before.keys()
        assert all(np.array_equal(w, before[at]) for at, w in trace.weights.kept.items())


def test_thinned_weights_are_said_to_be_of_an_earlier_step() -> None:
    problem = PROBLEMS["classes"]
    trace = walked(problem, 200, weight_bytes=problem.dim * 8 * 20)
    at = next(s for s in range(199) if s not in trace.weights.kept)
    shown = numbers.frame(problem, trace, at)
    assert shown
    assert f"weights of step {shown.w_at}" in numbers.sentence(shown)


def test_the_table_lists_the_hardest_first(session: Session) -> None:
    view = examples.Examples(session, table_open=True)
    columns = numbers.table(view.shown)
    assert list(columns) == ["example", "loss", "positions", "input", "truth", "predicted"]
    assert {len(column) for column in columns.values()} == {12}
    assert view.data.visible
    assert "predicted" in view.data.object
