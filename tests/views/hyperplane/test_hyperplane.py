"""The hyperplane view: distances and margin by hand, lines that are level lines, and words that say them."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.contracts import Dataset
from explorer.engine.data import toys
from explorer.engine.events import Bounds, Started, Step
from explorer.engine.learners import NSlack
from explorer.engine.refusals import Refused
from explorer.engine.runs.trace import Trace
from explorer.engine.structures.classes.binary import Binary
from explorer.engine.structures.classes.multiclass import Multiclass
from explorer.session.state import Session
from explorer.views import VIEWS, structure_of
from explorer.views.hyperplane import frame as numbers
from explorer.views.hyperplane import words
from explorer.views.hyperplane.view import Hyperplane
from explorer.views.kit.drawing.theme import DARK, PROJECTOR

pytestmark = pytest.mark.filterwarnings("ignore:Both .variant. and .button_style.:PendingDeprecationWarning")

THREE = Dataset(
    "three", np.array([[3.0, 4.0], [0.0, 0.0], [0.6, 0.9]]), np.array([1, 1, 0]), {"states": ("-1", "+1")}
)


def at_weights(problem: Any, *weights: list[float]) -> Trace:
    trace = Trace()
    trace.append(Started("three", "n-slack", problem.n, problem.dim, 0, True, {"C": 1.0}))
    for k, w in enumerate(weights):
        trace.append(Step(k, np.array(w), bounds=Bounds(1.0)))
    return trace


@pytest.fixture
def three() -> numbers.PlaneFrame:
    """The plane 3 x1 + 4 x2 - 5 = 0 and three points."""
    problem = Binary(THREE, "regularised")
    return numbers.frame(problem, at_weights(problem, [-5.0, 3.0, 4.0]), 0)


@pytest.mark.spec("A3")
def test_distances_margin_and_states_are_those_by_hand(three: numbers.PlaneFrame) -> None:
    # (9 + 16 - 5) / 5 = 4, -5 / 5 = -1, (1.8 + 3.6 - 5) / 5 = 0.08, the wrong side of the class -1.
    assert three.distance == pytest.approx([4.0, -1.0, 0.08])
    assert three.own == pytest.approx([4.0, -1.0, -0.08])
    assert three.margin == pytest.approx(0.2)
    assert three.slack == pytest.approx([0.0, 6.0, 1.4])
    assert [numbers.STATES[s] for s in three.states] == ["no slack", "beyond the plane", "beyond the plane"]
    assert three.foot == pytest.approx([0.6, 0.8])  # (3, 4) less 4 times (0.6, 0.8)


@pytest.mark.spec("A3")
def test_the_lines_are_where_the_score_is_minus_one_nothing_and_one(three: numbers.PlaneFrame) -> None:
    for score in (-1.0, 0.0, 1.0):
        found = numbers.level(three, score, np.array([1.0, 2.0]), 7.0)
        assert found is not None
        ends = np.array(found).T
        assert ends @ [3.0, 4.0] - 5.0 == pytest.approx([score, score])
        assert np.linalg.norm(ends[1] - ends[0]) == pytest.approx(14.0)


@pytest.mark.spec("A3")
def test_the_words_tell_plane_margin_and_example(three: numbers.PlaneFrame) -> None:
    said = words.sentence(three)
    assert "3 x1 + 4 x2 − 5 = 0, margin 1/|w| = 0.2." in said
    assert "1 no slack, 0 inside the margin, 2 beyond the plane." in said
    assert said.endswith("Example 0 (+1): signed distance 4, on its own side of the plane, slack 0.")
    assert words.table(three)["signed distance"] == pytest.approx([4.0, -1.0, 0.08])


@pytest.mark.spec("A3")
def test_a_trained_hard_margin_is_the_distance_of_the_nearest_example() -> None:
    problem = Binary(toys.two_gaussians(seed=0)[0], "free")
    *_, last = NSlack(C=math.inf, eps=1e-9).steps(problem, np.random.default_rng(0))
    shown = numbers.frame(problem, at_weights(problem, last.w.tolist()), 0)
    assert shown.own.min() == pytest.approx(shown.margin, rel=1e-6)
    assert set(shown.states.tolist()) == {0}
    assert np.count_nonzero(shown.own < shown.margin * (1 + 1e-4)) >= 2  # support vectors of both classes


def test_many_features_have_distances_but_no_points_and_other_problems_are_refused() -> None:
    rng = np.random.default_rng(0)
    problem = Binary(Dataset("many", rng.normal(size=(6, 9)), np.arange(6) % 2), "none")
    w = rng.normal(size=9)
    shown = numbers.frame(problem, at_weights(problem, w.tolist()), 0, example=99)
    assert (shown.points, shown.foot, shown.example) == (None, None, 5)
    assert shown.distance == pytest.approx(problem.dataset.inputs @ w / np.linalg.norm(w))
    assert "a plane in 9 dimensions" in words.sentence(shown)
    classes = Multiclass(toys.circle(), 3)
    with pytest.raises(Refused, match="two classes"):
        numbers.frame(classes, at_weights(classes, [0.0] * 9), 0)


def test_without_weights_there_is_no_plane() -> None:
    shown = numbers.frame(Binary(THREE, "regularised"), Trace(), 0)
    assert math.isnan(shown.margin)
    assert np.isnan(shown.distance).all()
    assert shown.foot is None
    assert "no plane" in words.sentence(shown)


@pytest.fixture
def view() -> Iterator[Hyperplane]:
    session = Session(Recipe(task="two-gaussians", data={"per_class": 8, "distance": 2.0}))
    made = Hyperplane(session)
    yield made
    made.close()
    session.close()


def test_the_view_draws_both_pictures_and_a_click_chooses(view: Hyperplane) -> None:
    assert Hyperplane in [kind for kind in VIEWS if kind.fits(view.session.problem)]
    assert structure_of(view.session.problem) is not Hyperplane
    assert "no plane" in view.words.object
    assert not len(view.distances.points.data["x"])
    view.session.replay(at_weights(view.session.problem, [-3.0, 1.0, 2.0]))
    shown = view.frame()
    assert list(view.distances.points.data["x"]) == pytest.approx(shown.distance.tolist())
    assert view.points.points.data["x"] == pytest.approx(shown.points[:, 0])
    assert view.distances.edges[1].location == pytest.approx(1.0 / math.sqrt(5.0))
    view._tap_point(*shown.points[5])
    assert view.session.example == 5
    x, y = (view.distances.points.data[name][9] for name in "xy")
    view._tap_distance(x, y)
    assert view.session.example == 9
    assert "Example 9" in view.words.object
    way = np.array([view.points.way.data[name] for name in "xy"]).T
    assert np.linalg.norm(way[1] - way[0]) == pytest.approx(abs(shown.distance[9]))
    for theme in (DARK, PROJECTOR):
        view.theme = theme
    view.table_open = True
    assert "signed distance" in view.data.object
