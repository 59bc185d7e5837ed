"""A sequence over time: labellings, costs and leads are those of enumeration, and every family of data has
its picture.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from bokeh.events import Tap
from scipy.sparse import csr_array

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.checks import sequences
from explorer.engine.events import Bounds, Started, Step
from explorer.engine.runs.trace import Trace
from explorer.engine.structures.chains.problem import Chain
from explorer.session.state import Session
from explorer.views import VIEWS
from explorer.views.kit.drawing.theme import DARK, LIGHT, PROJECTOR, THEMES
from explorer.views.sequence import frame as numbers
from explorer.views.sequence.bands import GAP, bands
from explorer.views.sequence.glyphs import INKS
from explorer.views.sequence.view import Sequence
from tests import brute


def trace_of(problem: Any, *steps: Any) -> Trace:
    trace = Trace()
    trace.append(Started(problem.name, "Subgradient", problem.n, problem.dim, 0, True, {"C": 1.0}))
    for k, w in enumerate(steps):
        trace.append(Step(k, w, bounds=Bounds(1.0)))
    return trace


def posed(scores: brute.Chain, truth: Any) -> tuple[Chain, Trace]:
    """One example whose trellis has exactly these scores at step 0."""
    K = len(scores.trans)
    problem = Chain(
        sequences("posed", (scores.unary,), (np.asarray(truth),), [chr(65 + s) for s in range(K)]), K
    )
    return problem, trace_of(
        problem, np.concatenate([np.eye(K).ravel(), *(part.ravel() for part in scores[1:])])
    )


def independent(truth: str, guess: str, by: float = 1.0) -> tuple[Chain, Trace]:
    """States a and b without transitions: every position goes its own way, and the guess is ahead by `by`."""
    path, best = ([0 if letter == "a" else 1 for letter in word] for word in (truth, guess))
    unary = by * np.eye(2)[best]
    return posed(brute.Chain(unary, np.zeros((2, 2)), np.zeros(2), np.zeros(2)), path)


# the frame --------------------------------------------------------------------------------------------------


def test_cost_and_lead_are_how_far_labellings_with_and_without_the_true_state_lie_below_the_best() -> None:
    rng, wrong, right = np.random.default_rng(0), 0, 0
    for _ in range(40):
        length, states = rng.integers(1, 6), rng.integers(2, 4)
        scores, truth = brute.random_chain(rng, length, states), rng.integers(0, states, length)
        problem, trace = posed(scores, truth)
        shown = numbers.frame(problem, trace, 0)
        paths, values = brute.all_paths_with_scores(scores)
        for t in range(length):
            through = paths[:, t] == truth[t]
            assert shown.cost[t] == pytest.approx(values.max() - values[through].max(), abs=1e-10)
            assert shown.lead[t] == pytest.approx(values.max() - values[~through].max(), abs=1e-10)
        assert shown.paths["guess"].tolist() == problem.predict(trace.at(0).w, scores.unary).tolist()
        assert shown.paths["guess"].tolist() == paths[values.argmax()].tolist()
        worth = values + np.count_nonzero(paths != truth, axis=1)
        assert shown.paths["most tempting"].tolist() == paths[worth.argmax()].tolist()
        assert np.all((shown.cost > 0) == shown.wrong())  # scores are continuous: no ties
        wrong, right = wrong + int(shown.wrong().sum()), right + int((~shown.wrong()).sum())
    assert min(wrong, right) > 20


def test_a_truth_as_good_as_the_prediction_costs_nothing_and_leads_by_nothing() -> None:
    shown = numbers.frame(*independent("ab", "ba", by=0.0), 0)
    assert shown.paths["guess"].tolist() == [0, 0]
    assert shown.cost.tolist() == shown.lead.tolist() == [0.0, 0.0]


def test_a_single_state_leads_by_nothing() -> None:
    alone = brute.Chain(np.ones((3, 1)), np.zeros((1, 1)), np.zeros(1), np.zeros(1))
    shown = numbers.frame(*posed(alone, [0, 0, 0]), 0)
    assert shown.lead.tolist() == shown.cost.tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("flags", "expected"),
    [("", []), ("..", []), ("x", [(0, 0)]), ("xx.x", [(0, 1), (3, 3)]), (".xx..xxx", [(1, 2), (5, 7)])],
)
def test_runs_are_first_and_last_positions(flags: str, expected: list[tuple[int, int]]) -> None:
    assert numbers.runs([letter == "x" for letter in flags]) == expected


# words ------------------------------------------------------------------------------------------------------


def test_the_sentence_counts_wrong_positions_and_names_their_runs() -> None:
    shown = numbers.frame(*independent("aaaaaaaaaa", "abbaaabbba", by=2.5), 0)
    assert numbers.sentence(shown) == (
        "Example 0: 5 of 10 positions wrong, in 2 runs: 1 to 2 and 6 to 8; forcing the truth there costs up "
        "to 2.5."
    )
    one = numbers.frame(*independent("aaa", "aba", by=0.5), 0, name="Test example", phase=1)
    assert numbers.sentence(one) == (
        "Test example 0: 1 of 3 positions wrong, at 1; forcing the truth there costs up to 0.5. "
        "The most tempting labelling has 3 wrong."
    )
    many = numbers.frame(*independent("aaaaaaaaa", "babababab"), 0)
    assert "in 5 runs: 0, 2, 4 and 2 more;" in numbers.sentence(many)


def test_where_all_is_right_the_sentence_says_how_safe_it_is() -> None:
    unary = np.array([[9.0, 0.0], [0.0, 0.25], [9.0, 0.0]])
    shown = numbers.frame(
        *posed(brute.Chain(unary, np.zeros((2, 2)), np.zeros(2), np.zeros(2)), [0, 1, 0]), 0
    )
    assert numbers.sentence(shown) == (
        "Example 0: all 3 positions right, the nearest to a mistake 1, where the truth leads by 0.25."
    )
    assert numbers.describe_position(shown, 1) == (
        "Example 0, position 1: truth 'B', guess 'B', most tempting 'A'; the truth leads by 0.25."
    )


def test_the_table_has_a_row_for_every_position() -> None:
    found = numbers.table(numbers.frame(*independent("aab", "bab", by=2.0), 0))
    assert found["truth"] == ["A", "A", "B"]
    assert found["guess"] == ["B", "A", "B"]
    assert found["cost of truth"].tolist() == [2.0, 0.0, 0.0]
    assert found["lead of truth"].tolist() == [0.0, 2.0, 2.0]
    assert found["observed"] == ("0 2", "2 0", "0 2")


def test_without_a_run_the_truth_and_what_is_observed_are_there() -> None:
    problem, _ = independent("aab", "bab")
    shown = numbers.frame(problem, Trace(), 0)
    assert list(shown.paths) == ["truth"]
    assert numbers.sentence(shown) == "Example 0: 3 positions in 2 states. Press play to predict the states."
    assert list(numbers.table(shown)) == ["position", "observed", "truth"]
    assert shown.seen.cells.shape == (2, 3)


# what is observed -------------------------------------------------------------------------------------------


def test_sparse_words_are_shown_as_words() -> None:
    problem, _ = Recipe("tagging", data={"n": 6}).problem()
    seen = numbers.observe(problem, 2)
    assert seen.kind == "words"
    assert seen.words == tuple(problem.dataset.meta["words"][2]) == seen.texts
    assert len(seen.words) == len(problem.dataset.labels[2])


def test_images_are_the_rows_in_their_shape() -> None:
    problem, _ = Recipe("digit-words", data={"n": 5}).problem()
    seen = numbers.observe(problem, 1)
    assert seen.kind == "images"
    assert seen.cells[2, 3, 5] == problem.dataset.inputs[1][2, 3 * 8 + 5]
    assert seen.cells.shape == (len(problem.dataset.labels[1]), 8, 8)


@pytest.mark.parametrize("sparse", [False, True])
def test_of_many_features_those_that_vary_most_are_kept_in_their_order(sparse: bool) -> None:
    x = np.zeros((3, 500))
    x[1, 7], x[2, 450] = 2.0, -3.0
    x[:, 100] = 50.0  # large, but always the same
    seen = numbers.features(csr_array(x) if sparse else x, lambda f: f"f{f}")
    assert seen.name == "40 of 500 features"
    assert seen.cells.shape == (numbers.MOST, 3)
    moving = seen.cells[np.ptp(seen.cells, axis=1) > 0]
    assert moving.tolist() == [[0.0, 2.0, 0.0], [0.0, 0.0, -3.0]]
    assert seen.texts == ("all 0", "f7 = 2", "f450 = -3")


# the picture ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("high", [120.0, 165.0, 420.0])
@pytest.mark.parametrize("font", [12.0, 17.0])
def test_bands_lie_above_each_other_without_overlap(high: float, font: float) -> None:
    names = ["observed", *numbers.ROLES, "margin"]
    for wants in (30.0, 1000.0):
        found = bands(high, font, wants, list(numbers.ROLES))
        assert list(found) == names
        ends = [end for name in names for end in reversed(found[name])]
        assert ends == sorted(ends, reverse=True)
        assert (ends[0], ends[-1]) == (high - GAP, GAP)
        assert found["truth"][1] - found["truth"][0] >= font


@pytest.fixture
def session() -> Iterator[Session]:
    made = Session(Recipe(task="blocks", data={"n": 4, "n_test": 2, "length": 60}, rule={"steps": 5}))
    yield made
    made.close()


def hatched(view: Sequence, role: str) -> set[int]:
    """The positions that lie under the hatching of a strip."""
    low, data = view.picture.bands[role][0], view.picture.sources["wrong"].data
    rows = zip(data["left"], data["right"], data["bottom"], strict=True)
    return {t for a, b, bottom in rows if bottom == low for t in range(round(a + 0.5), round(b + 0.5))}


def test_the_view_shows_the_step_under_the_cursor_and_hatches_what_is_wrong(session: Session) -> None:
    view = Sequence(session)
    assert "Press play" in view.words.object
    assert set(view.picture.sources["columns"].data["guess"]) == {"not yet"}
    assert len(view.picture.sources["heat"].data["image"]) == 1
    assert not view.key.visible
    session.show_finished()
    session.cursor = 1
    problem, w = session.problem, session.trace.at(1).w
    wrong = np.flatnonzero(problem.predict(w, problem.dataset.inputs[0]) != problem.dataset.labels[0])
    assert len(wrong)
    assert hatched(view, "guess") == set(wrong.tolist())
    assert hatched(view, "truth") == set()
    assert view.key.visible
    assert len(view.picture.sources["cost"].data["left"]) == len(wrong)
    view.close()


def test_the_test_split_and_the_next_example_are_shown(session: Session) -> None:
    session.show_finished()
    view = Sequence(session, table_open=True)
    view.chooser.choose(1)
    session.split = "test"
    shown = view.frame()
    assert (shown.name, shown.example) == ("Test example", 1)
    assert shown.paths["truth"].tolist() == session.test.labels[1].tolist()
    assert np.array_equal(shown.seen.cells, session.test.inputs[1].T)
    assert "Test example 1" in view.words.object
    view.chooser.choose(99)
    assert session.example == 1
    view.close()


def test_a_click_marks_a_position_and_another_example_forgets_it(session: Session) -> None:
    session.show_finished()
    view = Sequence(session)
    view.picture.plot._trigger_event(Tap(view.picture.plot, x=7.3, y=20.0))
    assert view.marked == 7
    assert (view.picture.mark.left, view.picture.mark.right, view.picture.mark.visible) == (6.5, 7.5, True)
    assert "position 7: truth" in view.words.object
    view._tapped(7.0, 20.0)
    assert view.marked == -1
    assert not view.picture.mark.visible
    view._tapped(60.2, 20.0)
    assert view.marked == -1
    view._tapped(9.0, 20.0)
    session.example = 2
    assert view.marked == -1
    view.close()


def test_a_long_sequence_opens_with_a_part_and_keeps_the_part_that_was_chosen() -> None:
    session = Session(Recipe(task="blocks", data={"n": 3, "n_test": 1, "length": 400}, rule={"steps": 4}))
    session.show_finished()
    view = Sequence(session)
    now = view.picture.plot.x_range
    assert view.picture.column >= 2.9
    assert "Shown: 0 to " in view.words.object
    view._look(view.picture.zoom, 0.5)
    view._look(view.picture.look, 100.0, 150.0)
    session.cursor = 0
    assert (now.start, now.end) == (100.0, 150.0)
    assert not view.back.disabled
    view._look(view.picture.look, 390.0, 440.0)
    assert now.end == now.bounds[1]
    session.example = 1
    assert (now.start, now.end) == view.picture.home
    view.close()
    session.close()


def test_the_most_violated_strip_stands_out_while_a_step_looks_for_it(session: Session) -> None:
    session.show_finished()
    view = Sequence(session)
    rims = view.picture.sources["rims"]
    assert len(set(rims.data["width"])) == 1
    session.phase = 1
    assert rims.data["width"][2] > rims.data["width"][1]
    assert rims.data["colour"] == [LIGHT.truth, LIGHT.guess, LIGHT.rival]
    view.close()


@pytest.mark.parametrize("task", ["blocks", "digit-words", "tagging", "gaussian-hmm"])
def test_every_family_of_data_has_its_own_picture_in_every_theme(task: str) -> None:
    session = Session(Recipe(task=task, data={"n": 8, "n_test": 2}, rule={"steps": 3}))
    assert Sequence in [view for view in VIEWS if view.fits(session.problem)]
    session.show_finished()
    view = Sequence(session)
    of = view.picture.sources
    filled = {
        name for name in ("heat", "images", "words", "lines") if len(next(iter(of[name].data.values())))
    }
    assert filled == {{"digit-words": "images", "tagging": "words"}.get(task, "heat")}
    for theme in THEMES.values():
        view.theme = theme
        assert of["rims"].data["colour"][0] == theme.truth
    named = [text for ink in INKS for text in of[ink].data["text"]]
    assert {name.replace("\N{MINUS SIGN}", "-") for name in named} <= set(
        session.problem.dataset.meta["states"]
    )
    assert len(named) >= 3
    assert view.drawn_as.visible == ("heat" in filled)
    view.close()
    session.close()


def test_a_few_features_can_be_drawn_as_lines_on_their_own_scales(session: Session) -> None:
    view = Sequence(session, features="lines")
    ys = np.array(view.picture.sources["lines"].data["ys"])
    low, top = view.picture.bands["observed"]
    assert ys.shape == session.problem.dataset.inputs[0].T.shape
    assert ys.min() >= low
    assert ys.max() <= top
    assert np.all(ys[:-1].min(axis=1) > ys[1:].max(axis=1))
    highest = np.argmax(session.problem.dataset.inputs[0], axis=0)
    assert np.argmax(ys, axis=1).tolist() == highest.tolist()
    assert len(view.picture.sources["heat"].data["image"]) == 0
    view.close()


def test_words_are_turned_where_they_do_not_fit_side_by_side() -> None:
    session = Session(Recipe(task="tagging", data={"n": 30, "n_test": 2}))
    view = Sequence(session)
    lengths = [len(y) for y in session.problem.dataset.labels]
    session.example = int(np.argmax(lengths))
    assert view.picture.glyphs["words"].glyph.angle > 0
    view.theme = PROJECTOR
    assert len(view.picture.sources["words"].data["text"]) <= max(lengths)
    session.example = int(np.argmin(lengths))
    view.theme = DARK
    assert view.picture.glyphs["words"].glyph.angle == 0
    assert tuple(view.picture.sources["words"].data["text"]) == view.frame().seen.words
    view.close()
    session.close()
