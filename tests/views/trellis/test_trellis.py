"""The trellis shows the paths, prices and sums that enumeration finds, and writes the recursion out
correctly.
"""

import asyncio
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from bokeh.events import Tap

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.checks import sequences
from explorer.engine.events import Bounds, Started, Step
from explorer.engine.losses import Hamming, ZeroOne
from explorer.engine.pricing import Pricing
from explorer.engine.runs.trace import Trace
from explorer.engine.structures.chains.kernels.viterbi import viterbi_tables
from explorer.engine.structures.chains.oracles.enumerate import Enumerate
from explorer.engine.structures.chains.problem import Chain
from explorer.session.state import Session
from explorer.views.kit.drawing.theme import DARK, LIGHT, PROJECTOR
from explorer.views.trellis import frame as numbers
from explorer.views.trellis import recursion, words
from explorer.views.trellis.glyphs import SOURCES
from explorer.views.trellis.view import Trellis
from tests import brute
from tests.brute import Array, Ints

NUMBER = re.compile(r"-?\d+\.\d+")


def posed(scores: brute.Chain, truth: Ints | list[int], **settings: Any) -> tuple[Chain, Trace]:
    """A problem with one example and a trace of one step, at which its trellis has exactly these scores."""
    K = len(scores.trans)
    data = sequences("posed", (scores.unary,), (np.asarray(truth),), [chr(65 + s) for s in range(K)])
    problem = Chain(data, K, **settings)
    return problem, trace_of(
        problem, np.concatenate([np.eye(K).ravel(), *(part.ravel() for part in scores[1:])])
    )


def trace_of(problem: Any, *steps: Array) -> Trace:
    trace = Trace()
    trace.append(Started(problem.name, "Subgradient", problem.n, problem.dim, 0, True, {"C": 1.0}))
    for k, w in enumerate(steps):
        trace.append(Step(k, w, bounds=Bounds(1.0)))
    return trace


def cases(count: int, seed: int = 0) -> Iterator[tuple[brute.Chain, Ints]]:
    rng = np.random.default_rng(seed)
    for _ in range(count):
        length, states = rng.integers(1, 6), rng.integers(2, 5)
        yield brute.random_chain(rng, length, states), rng.integers(0, states, length)


def raised(scores: brute.Chain, truth: Ints) -> brute.Chain:
    """The scores plus 1 at every wrong state."""
    return scores._replace(unary=scores.unary + (np.arange(len(scores.trans)) != truth[:, None]))


def three_words(**settings: Any) -> tuple[Chain, Trace]:
    """Three positions and two tags; chi is 1, 0 | 1.3, 1.3 | 1.8, 1.7 by hand, so AAA is best."""
    unary = np.array([[1.0, 0.0], [0.0, 0.5], [0.2, 0.0]])
    return posed(
        brute.Chain(unary, np.array([[0.3, -0.2], [0.0, 0.4]]), np.zeros(2), np.zeros(2)),
        [0, 0, 0],
        **settings,
    )


def long_session(length: int = 500) -> Session:
    return Session(Recipe(task="blocks", data={"n": 3, "n_test": 1, "length": length}))


@pytest.fixture
def session() -> Iterator[Session]:
    s = Session(Recipe(task="digit-words", data={"n": 8, "n_test": 2}, rule={"steps": 5}))
    s.show_finished()
    yield s
    s.close()


@pytest.fixture
def view(session: Session) -> Iterator[Trellis]:
    v = Trellis(session)
    yield v
    v.close()


# the frame --------------------------------------------------------------------------------------------------


@pytest.mark.spec("A23")
def test_prediction_and_k_best_are_those_of_enumeration() -> None:
    for scores, truth in cases(60):
        shown = numbers.frame(*posed(scores, truth), 0, k=5)
        paths, values = brute.sorted_paths(scores)
        assert shown.guess.tolist() == paths[0].tolist() == recursion.best_path(shown).tolist()
        assert shown.paths.tolist() == paths[:5].tolist()
        assert shown.path_scores == pytest.approx(values[:5], abs=1e-12)


@pytest.mark.spec("A24")
def test_the_most_violated_path_is_that_of_enumeration_with_its_loss_and_violation() -> None:
    for scores, truth in cases(60, seed=1):
        shown = numbers.frame(*posed(scores, truth), 0, with_loss=True)
        paths, values = brute.all_paths_with_scores(raised(scores, truth))
        best = paths[values.argmax()]
        assert shown.rival.tolist() == best.tolist() == recursion.best_path(shown).tolist()
        assert shown.loss == np.count_nonzero(best != truth)
        assert shown.violation == pytest.approx(values.max() - brute.path_score(scores, truth), abs=1e-12)


@pytest.mark.spec("A23", "A24")
def test_prices_are_the_best_score_through_a_node_or_an_edge_below_the_best_of_all() -> None:
    for scores, truth in cases(40, seed=2):
        for loss in (False, True):
            shown = numbers.frame(*posed(scores, truth), 0, with_loss=loss)
            own = raised(scores, truth) if loss else scores
            paths, values = brute.all_paths_with_scores(own)
            assert shown.price == pytest.approx(brute.max_marginals(own) - values.max(), abs=1e-10)
            found = numbers.edges(shown, prices=True)
            for t, a, b, value in zip(*found.values(), strict=True):
                through = values[(paths[:, t - 1] == a) & (paths[:, t] == b)].max()
                assert value == pytest.approx(through - values.max(), abs=1e-10)


def test_an_edge_is_worth_its_transition_and_the_score_it_leads_to() -> None:
    scores, truth = next(cases(1, seed=3))
    found = numbers.edges(numbers.frame(*posed(scores, truth), 0))
    assert len(found["t"]) == (len(truth) - 1) * len(scores.trans) ** 2
    assert found["value"] == pytest.approx(
        scores.trans[found["from"], found["to"]] + scores.unary[found["t"], found["to"]]
    )


@pytest.mark.spec("A23", "A24")
def test_editing_a_score_flips_the_paths_as_enumeration_says() -> None:
    rng, flips = np.random.default_rng(4), 0
    for scores, truth in cases(60, seed=4):
        node = tuple(int(rng.integers(0, n)) for n in scores.unary.shape)
        delta = float(rng.normal(scale=3.0))
        shown = numbers.frame(*posed(scores, truth), 0, edits={node: delta})
        unary = scores.unary.copy()
        unary[node] += delta
        edited = scores._replace(unary=unary)
        before, after = brute.best_path(scores)[0].tolist(), brute.best_path(edited)[0].tolist()
        assert shown.before.tolist() == before
        assert shown.guess.tolist() == after
        assert shown.rival.tolist() == brute.best_path(raised(edited, truth))[0].tolist()
        assert ("flips" in words.sentence(shown)) == (before != after)
        flips += before != after
    assert 10 < flips < 50


def test_the_price_of_a_node_is_what_an_edit_has_to_add_before_the_path_takes_it() -> None:
    for scores, truth in cases(40, seed=5):
        posing = posed(scores, truth)
        shown = numbers.frame(*posing, 0)
        node = tuple(int(part) for part in np.unravel_index(shown.price.argmin(), shown.price.shape))
        price = -float(shown.price[node])
        less, more = (numbers.frame(*posing, 0, edits={node: f * price}) for f in (0.99, 1.01))
        assert less.guess.tolist() == shown.guess.tolist()
        assert more.guess[node[0]] == node[1]


@pytest.mark.parametrize("pricing", [Pricing("slack", "linear"), Pricing("margin", "squared")])
def test_where_the_loss_does_not_add_up_the_trellis_stays_without_it_and_says_why(pricing: Pricing) -> None:
    problem, trace = three_words(pricing=pricing)
    shown = numbers.frame(problem, trace, 0, with_loss=True)
    assert not shown.with_loss
    assert "margin scaling" in shown.no_loss_because
    assert shown.rival.tolist() == problem.oracle(trace.at(0).w, 0).label.tolist()
    zero_one = numbers.frame(*three_words(delta=ZeroOne()), 0, with_loss=True)
    assert "not a sum over positions" in zero_one.no_loss_because


def test_a_normalised_loss_is_divided_by_the_length() -> None:
    shown = numbers.frame(*three_words(delta=Hamming(normalised=True)), 0, with_loss=True)
    assert shown.shown.unary - shown.plain.unary == pytest.approx(np.array([[0, 1 / 3]] * 3))


# the recursion ----------------------------------------------------------------------------------------------


@pytest.mark.spec("A23")
def test_the_recursion_of_the_three_words_reads_as_by_hand() -> None:
    problem, trace = three_words()
    told = [words.recursion(numbers.frame(problem, trace, 0, cell=c)) for c in range(9)]
    assert told[0] == "chi[0]('A') = 0.00 to start + 1.00 = 1.00."
    assert told[3] == "chi[1]('B') = 0.50 + max(1.00 - 0.20 from 'A', 0.00 + 0.40 from 'B') = 1.30 from 'A'."
    assert told[4] == "chi[2]('A') = 0.20 + max(1.30 + 0.30 from 'A', 1.30 + 0.00 from 'B') = 1.80 from 'A'."
    assert (
        told[6] == "Best end: max(1.80 + 0.00 from 'A', 1.70 + 0.00 from 'B') = 1.80, so position 2 is 'A'."
    )
    assert told[7] == "Back: zeta[2]('A') = 'A', so position 1 is 'A'."
    assert told[8].endswith("The best path is A-A-A, it has score 1.80.")


@pytest.mark.spec("A24")
def test_the_augmented_recursion_of_the_three_words_ends_in_bbb_with_4_3() -> None:
    problem, trace = three_words()
    told = [words.recursion(numbers.frame(problem, trace, 0, cell=c, with_loss=True)) for c in range(9)]
    assert (
        told[3]
        == "chi[1]('B') = 0.50 + 1.00 loss + max(1.00 - 0.20 from 'A', 1.00 + 0.40 from 'B') = 2.90 from 'B'."
    )
    assert told[8].endswith("The best path is B-B-B, it has score 4.30.")
    shown = numbers.frame(problem, trace, 0)
    assert (shown.loss, shown.violation) == pytest.approx((3.0, 2.5))


def test_an_edit_is_written_into_its_cell() -> None:
    problem, trace = three_words()
    told = words.recursion(numbers.frame(problem, trace, 0, cell=2, edits={(1, 0): -0.25}))
    assert (
        told
        == "chi[1]('A') = 0.00 - 0.25 edit + max(1.00 + 0.30 from 'A', 0.00 + 0.00 from 'B') = 1.05 from 'A'."
    )


@pytest.mark.spec("A23", "A24")
def test_every_forward_cell_states_the_numbers_of_the_tables() -> None:
    for scores, truth in cases(12, seed=6):
        for loss in (False, True):
            problem, trace = posed(scores, truth)
            own = raised(scores, truth) if loss else scores
            chi, zeta = np.empty(own.unary.shape), np.empty(own.unary.shape, dtype=np.int64)
            viterbi_tables(*own, chi, zeta)
            for cell, (t, s) in enumerate(np.ndindex(chi.shape)):
                told = words.recursion(numbers.frame(problem, trace, 0, cell=cell, with_loss=loss))
                assert told.startswith(f"chi[{t}]('{chr(65 + s)}') = ")
                assert float(NUMBER.findall(told)[-1]) == pytest.approx(chi[t, s], abs=0.00501)
                if t:
                    assert told.endswith(f"from '{chr(65 + zeta[t, s])}'.")
                    inside = told[told.index("max(") + 4 : told.index(")", told.index("max("))]
                    for term, a in zip(inside.split(", "), range(len(chi[0])), strict=True):
                        before, sign, move = term.split(" ")[:3]
                        assert float(before) == pytest.approx(chi[t - 1, a], abs=0.00501)
                        assert float(sign + move) == pytest.approx(own.trans[a, s], abs=0.00501)


def test_going_back_spells_the_best_path_from_its_end() -> None:
    for scores, truth in cases(20, seed=7):
        length, states = scores.unary.shape
        posing, best = posed(scores, truth), brute.best_path(scores)[0]
        for j in range(length):
            shown = numbers.frame(*posing, 0, cell=length * states + j)
            now = recursion.current(shown)
            assert now is not None
            assert now.back
            assert (now.t, now.s) == (length - 1 - j, best[length - 1 - j])
        assert recursion.cells(shown) == length * states + length


def test_many_candidates_are_cut_to_the_best_and_counted() -> None:
    scores = brute.random_chain(np.random.default_rng(8), 3, 9)
    told = words.recursion(numbers.frame(*posed(scores, [0, 0, 0]), 0, cell=13))
    assert told.count(" from ") == words.LISTED + 1
    assert "5 lower)" in told


def test_survivors_are_the_back_pointers_of_the_cells_done() -> None:
    scores = brute.random_chain(np.random.default_rng(9), 5, 3)
    problem, trace = posed(scores, [0] * 5)
    assert len(recursion.survivors(numbers.frame(problem, trace, 0))["t"]) == 0
    found = recursion.survivors(numbers.frame(problem, trace, 0, cell=8))
    assert list(zip(found["t"], found["to"], strict=True)) == [(1, 0), (1, 1), (1, 2), (2, 0), (2, 1)]
    shown = numbers.frame(problem, trace, 0, cell=15)
    assert len(recursion.survivors(shown)["t"]) == 12


# words ------------------------------------------------------------------------------------------------------


def test_the_sentence_names_prediction_truth_errors_loss_and_violation() -> None:
    problem, trace = three_words()
    truth = sequences("other truth", problem.dataset.inputs, (np.array([0, 1, 0]),), ["A", "B"])
    told = words.sentence(numbers.frame(problem.on(truth), trace, 0))
    assert told.startswith("Example 0: predicted A-A-A, truth A-B-A; 1 of 3 wrong; most tempting labelling ")
    assert re.search(r"has loss \d and violation [\d.]+\.$", told)


def test_nothing_trained_shows_w_zero_and_says_so() -> None:
    problem, _ = three_words()
    shown = numbers.frame(problem, Trace(), 0, k=3)
    assert shown.step is None
    assert not shown.plain.unary.any()
    assert words.sentence(shown).startswith("Nothing trained yet")


def test_the_table_has_one_row_per_position_and_a_column_per_path() -> None:
    problem, trace = three_words()
    columns = words.table(numbers.frame(problem, trace, 0, k=3))
    assert {len(values) for values in columns.values()} == {3}
    assert columns["truth"] == ["A", "A", "A"]
    assert columns["score of guess"].tolist() == [1.0, 0.0, 0.2]
    assert columns["2. best"] == ["A", "B", "B"]  # A, B, B scores 1.7: the best below 1.8


def test_the_ranking_lists_gaps_and_differences() -> None:
    problem, trace = three_words()
    assert words.ranking(numbers.frame(problem, trace, 0, k=2)) == [
        "best: A-A-A",
        "0.10 lower: 'B' at 1, 'B' at 2",
    ]


@pytest.mark.parametrize("largest", [4.0, 0.02, 0.0])
def test_small_scores_are_written_with_more_digits(largest: float) -> None:
    scores = brute.Chain(np.array([[largest, 0.0]]), np.zeros((2, 2)), np.zeros(2), np.zeros(2))
    assert recursion.decimals(numbers.frame(*posed(scores, [0]), 0)) == {4.0: 2, 0.02: 4, 0.0: 2}[largest]


# long sequences ---------------------------------------------------------------------------------------------


def test_a_sequence_of_500_puts_only_its_window_into_the_sources() -> None:
    session = long_session()
    session.trace = trace_of(session.problem, np.random.default_rng(0).normal(size=session.problem.dim))
    view = Trellis(session, k_best=10, window=200)
    rows = {name: len(next(iter(source.data.values()))) for name, source in view.picture.sources.items()}
    assert rows["nodes"] == 25 * 2
    assert rows["edges"] == 24 * 4
    assert rows["truth"] == rows["guess"] == rows["rival"] == 25
    assert max(rows.values()) <= 1000
    assert (view.picture.plot.x_range.start, view.picture.plot.x_range.end) == (199.5, 224.5)
    assert view.map.visible
    assert "Positions 200 to 224 of 500" in view.words.object
    view.close()
    session.close()


def test_the_window_is_kept_inside_and_follows_clicks_drags_and_the_recursion() -> None:
    session = long_session(100)
    view = Trellis(session)
    view.picture.strip._trigger_event(Tap(view.picture.strip, x=50.0, y=0.0))
    assert view.window == 38
    view.picture.box.left = 20.7
    assert view.window == 21
    view.window = 1000
    assert view.window == 75
    for cell in (0, 26 * 2, 99 * 2, 299):
        view.cell = cell
        t = min(cell // 2, 99) if cell < 200 else 0
        assert view.window <= max(0, t - 1) <= t < view.window + 25
    view.close()
    session.close()


def test_too_many_edges_are_thinned_to_the_strongest_and_the_sentence_says_so() -> None:
    scores = brute.random_chain(np.random.default_rng(10), 25, 40)
    shown = numbers.frame(*posed(scores, [0] * 25), 0)
    found = numbers.edges(shown)
    every = (scores.trans + scores.unary[1:, None, :]).ravel()
    assert len(found["value"]) == numbers.MOST_EDGES
    assert found["value"].min() >= np.sort(every)[-numbers.MOST_EDGES]
    assert "strongest 6,000 of 38,400 edges" in words.sentence(shown)


# the view ---------------------------------------------------------------------------------------------------


def test_the_trace_is_unchanged_by_looking_editing_and_playing(session: Session, view: Trellis) -> None:
    w = session.trace.at(-1).w.copy()
    view.param.update(picked=(0, 3), edits={(0, 3): 9.0}, k_best=4, min_marginals=True, with_loss=True)
    for cell in range(30):
        view.cell = cell
    assert session.trace.at(-1).w.tolist() == w.tolist()
    assert len(session.trace.starts) == 1


def test_stepping_through_all_cells_ends_at_the_prediction(session: Session, view: Trellis) -> None:
    length = len(session.problem.dataset.labels[0])
    for cell in range(length * 11):
        view.step_cell()
        assert view.cell == cell
        assert len(view.picture.sources["now"].data["x"]) == 1
    w = session.trace.at(session.cursor).w
    assert (
        view.picture.sources["found"].data["y"].tolist()
        == session.problem.predict(w, session.problem.dataset.inputs[0]).tolist()
    )
    view.step_cell()
    assert view.cell == length * 11 - 1
    view.stop()
    assert view.cell == -1
    assert len(view.picture.sources["now"].data["x"]) == 0


def test_a_cell_shows_its_candidates_dotted_with_their_sums_and_the_survivors_before_it(
    view: Trellis,
) -> None:
    view.picture.room.take(480, 400)
    view.cell = 23
    shown = view.frame()
    assert view.picture.sources["tried"].data["y0"].tolist() == list(range(10))
    assert set(view.picture.sources["tried"].data["x0"]) == {1}
    assert len(view.picture.sources["kept"].data["x0"]) == 13
    sums = {(x, y): text for x, y, text, *_ in zip(*view.picture.sources["notes"].data.values(), strict=True)}
    expected = shown.chi[1] + shown.shown.trans[:, 3]
    assert all(sums[1, a] == f"{expected[a]:.2f}" for a in range(10))
    assert view.picture.sources["edges"].data["x0"].tolist() == []


def test_sums_that_would_overlap_are_left_out_but_never_the_best(session: Session) -> None:
    view = Trellis(session, theme=PROJECTOR)
    view.picture.room.take(480, 90)
    view.cell = 23
    rows = [y for x, y, *_ in zip(*view.picture.sources["notes"].data.values(), strict=True) if x == 1]
    assert min(np.diff(sorted(rows))) * 90 / 10.4 >= PROJECTOR.font
    assert recursion.current(view.frame()).origin in rows  # type: ignore[union-attr]
    view.close()


def test_a_click_picks_a_node_an_edit_flips_the_path_and_reset_takes_it_back(view: Trellis) -> None:
    before = view.frame().guess
    other = int((before[2] + 1) % 10)
    view._tapped(2.2, other - 0.3)
    assert view.picked == (2, other)
    assert view.what_if.visible
    view.adjust.value = 50.0
    assert view.edits == {(2, other): 50.0}
    assert view.picture.sources["guess"].data["y"][2] == other
    assert "flips" in view.words.object
    assert "1 changed" in view.about.object
    view.reset_edits()
    assert view.adjust.value == 0.0
    assert view.picture.sources["guess"].data["y"].tolist() == before.tolist()
    view._tapped(2.0, float(other))
    assert view.picked is None


def test_while_cells_play_a_click_goes_to_the_cell(view: Trellis) -> None:
    view.cell = 0
    view._tapped(3.0, 4.0)
    assert view.cell == 34
    assert view.picked is None


def test_another_example_starts_without_edits_and_recursion(session: Session, view: Trellis) -> None:
    view.param.update(picked=(1, 1), edits={(1, 1): 3.0}, cell=7)
    view.chooser.choose(5)
    assert session.example == 5
    assert (view.edits, view.picked, view.cell) == ({}, None, -1)
    assert view.chooser.field.value == 5
    view.chooser.choose(99)
    assert session.example == 7


def test_the_most_violated_path_is_emphasised_while_a_step_looks_for_it(
    session: Session, view: Trellis
) -> None:
    width = view.picture.glyphs["rival"].glyph.line_width
    session.phase = 1
    assert view.picture.glyphs["rival"].glyph.line_width > width
    assert view.picture.glyphs["guess"].glyph.line_alpha < 1.0


def test_each_path_has_its_own_colour_dash_and_marker_in_every_theme(view: Trellis) -> None:
    for theme in (LIGHT, DARK, PROJECTOR):
        view.theme = theme
        paths = [view.picture.glyphs[name].glyph for name in ("truth", "guess", "rival")]
        marks = [view.picture.glyphs[name + " marks"].glyph for name in ("truth", "guess", "rival")]
        assert [glyph.line_color for glyph in paths] == [theme.truth, theme.guess, theme.rival]
        assert len({str(glyph.line_dash) for glyph in paths}) == 3
        assert len({str(glyph.marker) for glyph in marks}) == 3
        assert view.picture.plot.background_fill_color == theme.background
        assert view.picture.mapper.palette[0] == theme.low
        assert view.picture.bar.major_label_text_font_size == f"{theme.font}px"


def test_wrong_columns_are_hatched() -> None:
    problem, trace = three_words()
    truth = sequences("other truth", problem.dataset.inputs, (np.array([0, 1, 0]),), ["A", "B"])
    session = Session(Recipe.of(problem.on(truth)))
    session.trace = trace
    view = Trellis(session)
    assert view.picture.sources["wrong"].data["x"] == [1]
    assert view.picture.items["wrong"].visible
    view.close()
    session.close()


def test_a_task_without_sequences_shows_a_sentence_and_no_empty_panel(session: Session) -> None:
    other = Session(Recipe(task="four-points"))
    view = Trellis(other)
    assert "label sequences" in view.words.object
    assert not view.body.visible
    view.step_cell()
    view._tapped(0.0, 0.0)
    view.theme = DARK
    view.close()
    other.close()


def test_an_oracle_that_refuses_the_example_leaves_its_reason() -> None:
    session = Session(Recipe(task="blocks", data={"n": 3, "n_test": 1, "length": 30}))
    view = Trellis(session)
    assert view.body.visible
    session.problem = replace(session.problem, predictor=Enumerate())  # type: ignore[type-var]
    session.tick += 1
    assert "enumeration stops" in view.words.object
    assert not view.body.visible
    view.close()
    session.close()


def test_an_empty_trace_and_one_step_are_shown() -> None:
    session = Session(Recipe(task="digit-words", data={"n": 5, "n_test": 1}))
    view = Trellis(session, table_open=True)
    assert "Nothing trained yet" in view.words.object
    session.trace = trace_of(session.problem, np.random.default_rng(1).normal(size=session.problem.dim))
    session.tick += 1
    assert "Nothing trained yet" not in view.words.object
    assert "<table>" in view.data.object
    assert all(
        set(source.data) == set(SOURCES[name].split()) for name, source in view.picture.sources.items()
    )
    view.close()
    session.close()


def test_playing_moves_on_by_itself_and_stops_when_closed_or_finished(
    session: Session, view: Trellis
) -> None:
    async def play() -> None:
        view.speed = 20.0
        view.play()
        assert (view.playing, view.cell) == (True, 0)
        while view.cell < 2:
            await asyncio.sleep(0.01)
        view.play()
        assert (view.playing, view._timer) == (False, None)
        view.cell = view._last() - 1
        view.play()
        while view.playing:
            await asyncio.sleep(0.01)
        assert (view.playing, view.cell, view._timer) == (False, view._last(), None)
        view.play()
        assert view.cell == 0
        view.close()
        assert (view.playing, view._timer) == (False, None)

    asyncio.run(play())


def test_a_hidden_view_stops_playing_and_draws_nothing(session: Session, view: Trellis) -> None:
    view.active = False
    before = dict(view.picture.sources["nodes"].data)
    session.example = 3
    assert view.picture.sources["nodes"].data == before
    assert not view.playing


def test_a_test_example_is_shown_and_called_one(session: Session, view: Trellis) -> None:
    session.param.update(split="test", example=0)
    assert view.words.object.count("Test example 0") == 1
    assert view.chooser.split.value == "test"
    first = session.test.labels[0]  # type: ignore[union-attr]
    assert view.picture.sources["truth"].data["y"].tolist() == first.tolist()
    view.chooser.choose(99)
    assert session.example == session.shown.n - 1
