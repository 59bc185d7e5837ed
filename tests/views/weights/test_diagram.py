"""The state diagram: every transition under its right name, as wide as its weight is large, with numbers that
keep apart.
"""

from collections.abc import Iterator
from itertools import combinations, pairwise

import numpy as np
import pytest

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.contracts import Dataset, Problem
from explorer.engine.events import Started, Step
from explorer.engine.runs.trace import Trace
from explorer.engine.structures.chains.problem import Chain
from explorer.session.state import Session
from explorer.views.kit.drawing.theme import THEMES
from explorer.views.weights import diagram as picture
from explorer.views.weights import diagram_frame as numbers
from explorer.views.weights import view as weights

SIZES = ((560, 190, 12), (1200, 480, 12), (900, 190, 17))
"""Width, height and font of a small card, a large one and a projector's."""


def chain(states: int, ends: bool = True) -> Problem:
    rng = np.random.default_rng(1)
    names = tuple("abcdefghijklmnop"[:states])
    data = Dataset("short", (rng.normal(size=(4, 3)),), (np.array([0, 1, 1, 0]) % states,), {"states": names})
    return Chain(data, states, ends=ends)


def walked(problem: Problem, steps: int) -> Trace:
    """A trace of random weights."""
    rng, trace = np.random.default_rng(0), Trace()
    trace.append(Started(problem.name, "Subgradient", problem.n, problem.dim, 0, True, {"C": 1.0}))
    for k in range(steps):
        trace.append(Step(k, rng.normal(size=problem.dim), detail={"moves": k}))
    return trace


def drawn(problem: Problem, trace: Trace, at: int) -> numbers.DiagramFrame:
    shown = numbers.frame(problem, trace, at)
    assert shown
    return shown


@pytest.fixture
def session() -> Iterator[Session]:
    s = Session(Recipe(task="blocks", data={"n": 6, "n_test": 2, "length": 12}, rule={"steps": 5}))
    s.show_finished()
    yield s
    s.close()


@pytest.mark.parametrize("ends", [True, False])
def test_every_edge_is_the_weight_that_the_chain_puts_there(ends: bool) -> None:
    problem, K = chain(3, ends), 3
    trace = walked(problem, 4)
    shown = drawn(problem, trace, 2)
    _, trans, start, stop = problem.parts(trace.weights.kept[2])
    truth = {("abc"[i], "abc"[j]): trans[i, j] for i in range(K) for j in range(K)}
    if ends:
        truth |= {("start", "abc"[j]): start[j] for j in range(K)} | {
            ("abc"[i], "stop"): stop[i] for i in range(K)
        }
    columns = numbers.table(shown)
    assert (
        dict(zip(zip(columns["from"], columns["to"], strict=True), columns["weight"], strict=True)) == truth
    )
    assert np.all(np.diff(np.abs(shown.weight)) <= 0)
    words = {"start": "begins with {1}", "stop": "ends with {0}"}
    for a, b, word in zip(columns["from"], columns["to"], shown.words, strict=True):
        assert word == words.get(a, words.get(b, "after {0} comes {1}")).format(a, b)


def test_a_score_of_a_labelling_is_the_sum_of_its_edges() -> None:
    problem = chain(3)
    trace = walked(problem, 1)
    shown = drawn(problem, trace, 0)
    weight = {(int(a), int(b)): w for a, b, w in zip(shown.tail, shown.head, shown.weight, strict=True)}
    y, start, stop = [2, 0, 0, 1], 3, 4
    ways = [(start, y[0]), *pairwise(y), (y[-1], stop)]
    w = trace.weights.kept[0].copy()
    w[problem.groups["emissions"]] = 0.0
    assert w @ problem.features(0, np.array(y)) == pytest.approx(sum(weight[way] for way in ways))


def test_width_is_in_proportion_to_the_size_of_the_weight() -> None:
    weight = np.array([-4.0, 2.0, 1.0, -0.5])
    assert numbers.widths(weight) == pytest.approx(numbers.WIDEST * np.array([1.0, 0.5, 0.25, 0.125]))
    assert len(numbers.widths(np.zeros(0))) == 0


@pytest.mark.parametrize("size", SIZES)
def test_two_states_have_all_their_numbers_and_none_overlap(size: tuple[int, int, int]) -> None:
    problem = chain(2)
    shown = drawn(problem, walked(problem, 1), 0)
    lay = numbers.layout(shown.names, 2, *size)
    found = picture.labels(shown, lay, numbers.curves(shown, lay), *size)
    assert sorted(label.text for label in found) == sorted(numbers.with_sign(w) for w in shown.weight)
    assert len(found) == 8
    apart(found, size)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("states", [1, 3, 5, 10, 12])
def test_numbers_and_nodes_keep_apart_and_inside_the_figure(states: int, size: tuple[int, int, int]) -> None:
    problem = chain(states)
    shown = drawn(problem, walked(problem, 1), 0)
    lay = numbers.layout(shown.names, states, *size)
    for (p, h), (q, g) in combinations(zip(lay.place, lay.half, strict=True), 2):
        assert np.any(np.abs(p - q) > h + g - 1e-9)
    assert np.all(lay.place - lay.half >= 0)
    assert np.all(lay.place + lay.half <= size[:2])
    found = picture.labels(shown, lay, numbers.curves(shown, lay), *size)
    assert len(found) >= min(2, shown.edges_drawn)
    apart(found, size)


def apart(found: list[picture.Label], size: tuple[int, int, int]) -> None:
    wide, high = 0.55 * size[2], 1.1 * size[2]
    for a, b in combinations(found, 2):
        assert abs(a.y - b.y) > high or abs(a.x - b.x) > wide * (len(a.text) + len(b.text)) / 2


def test_both_directions_of_a_pair_are_bent_apart_and_a_loop_is_outside_its_node() -> None:
    problem = chain(4)
    shown = drawn(problem, walked(problem, 1), 0)
    lay = numbers.layout(shown.names, 4, 600, 300, 12)
    lines = {
        (int(a), int(b)): line
        for a, b, line in zip(shown.tail, shown.head, numbers.curves(shown, lay), strict=True)
    }
    for a, b in combinations(range(4), 2):
        assert np.linalg.norm(lines[a, b][len(lines[a, b]) // 2] - lines[b, a][len(lines[b, a]) // 2]) > 10
    for a in range(4):
        away = np.linalg.norm(lines[a, a] - lay.place[a], axis=1)
        assert away.min() >= lay.half[a, 0]
        assert away.max() == pytest.approx(numbers.LOOP_OUT * lay.half[a, 0], rel=0.2)


def test_of_many_edges_the_strongest_are_drawn_and_the_sentence_says_so() -> None:
    problem = chain(10)
    shown = drawn(problem, walked(problem, 1), 0)
    lay = numbers.layout(shown.names, 10, 600, 300, 12)
    assert len(shown.weight) == 120
    assert len(numbers.curves(shown, lay)) == numbers.MOST_EDGES
    rest = np.abs(shown.weight[numbers.MOST_EDGES :])
    assert rest.max() <= np.abs(shown.weight[: numbers.MOST_EDGES]).min()
    assert f"the {numbers.MOST_EDGES} strongest of 120 edges" in numbers.sentence(shown)
    assert len(picture.labels(shown, lay, numbers.curves(shown, lay), 600, 300, 12)) <= picture.SOME_NUMBERS


def test_the_sentence_names_the_largest_and_the_smallest_weight() -> None:
    problem, trace = chain(2), Trace()
    w = np.zeros(problem.dim)
    w[problem.groups["transitions"]] = [1.5, -2.25, 0.0, 0.5]
    trace.append(Step(0, w))
    assert numbers.sentence(drawn(problem, trace, 0)) == (
        "Step 0: most in favour, after a comes a (+1.5); most against, after a comes b (−2.25)."
    )
    trace.append(Step(1, np.zeros(problem.dim)))
    assert "no edge is drawn" in numbers.sentence(drawn(problem, trace, 1))


def test_only_chains_of_few_states_have_a_diagram() -> None:
    assert numbers.fits(chain(12))
    assert not numbers.fits(chain(13))
    assert not numbers.fits(Recipe(task="circle").problem()[0])
    assert not numbers.fits(Recipe(task="stripes", data={"n": 2, "n_test": 1}).problem()[0])


def test_many_steps_are_left_alone_and_none_gives_none() -> None:
    problem = chain(3)
    trace = walked(problem, 2000)
    before = {at: w.copy() for at, w in trace.weights.kept.items()}
    assert drawn(problem, trace, 1999).at == 1999
    assert len(trace) == 2000
    assert all(np.array_equal(trace.weights.kept[at], w) for at, w in before.items())
    assert numbers.frame(problem, Trace(), 0) is None


def test_the_view_draws_signs_apart_and_follows_the_cursor(session: Session) -> None:
    view = weights.Weights(session, part="diagram")
    diagram = view.diagram
    assert diagram is not None
    sources = dict(diagram.edges)
    for at in (4, 1):
        session.seek(at)
        shown = drawn(session.problem, session.trace, at)
        for sign, way in (("rise", 1.0), ("fall", -1.0)):
            assert diagram.edges[sign] is sources[sign]
            data = sources[sign].data
            mine = {word: w for word, w in zip(shown.words, shown.weight, strict=True) if w * way > 0}
            assert dict(zip(data["word"], data["value"], strict=True)) == mine
            scale = numbers.WIDEST / np.abs(shown.weight).max()
            assert np.asarray(data["width"]) == pytest.approx(np.abs(data["value"]) * scale)
    assert diagram.glyphs["rise"].glyph.line_dash != diagram.glyphs["fall"].glyph.line_dash


def test_the_diagram_wears_every_theme_and_is_emptied_by_a_reset(session: Session) -> None:
    view = weights.Weights(session, part="diagram")
    assert view.diagram is not None
    for theme in THEMES.values():
        view.theme = theme
        assert view.diagram.glyphs["rise"].glyph.line_color == theme.high
        assert view.diagram.glyphs["fall"].glyph.line_color == theme.low
        assert view.diagram.glyphs["names"].glyph.text_font_size == f"{theme.font}px"
        assert view.diagram.plot.background_fill_color == theme.background
    assert len(view.diagram.names.data["text"]) == 4
    session.reset()
    assert view.part == "diagram"
    assert len(view.diagram.names.data["text"]) == 0
    assert "Nothing trained yet" in view.words.object
