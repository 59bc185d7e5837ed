"""Every structure has a row that says how it is shown, and a problem without one is shown plainly and
completely.
"""

import inspect
import pkgutil
from importlib import import_module
from typing import Protocol

import numpy as np
import pytest

from explorer.dashboards.studio.page import Studio
from explorer.engine import structures
from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.catalogue.tasks import TASKS
from explorer.engine.contracts import Dataset, Problem
from explorer.engine.data.readers.treebank import micro_treebank
from explorer.engine.learners import NSlack
from explorer.engine.runs.streams import Until, train
from explorer.engine.runs.trace import Trace
from explorer.engine.structures.chains.problem import Chain
from explorer.engine.structures.classes.convex_risk import ConvexRisk
from explorer.engine.structures.classes.own import Listed, Plain
from explorer.engine.structures.trees.dual_problem import KernelTrees
from explorer.session.problem_cache import problem_of
from explorer.session.state import Session
from explorer.views import STRUCTURES, VIEWS, structure_of
from explorer.views.depictions import BESIDE, DEPICTIONS
from explorer.views.examples.view import Examples
from explorer.views.kit.depiction import depiction_of
from explorer.views.kit.drawing.theme import LIGHT
from explorer.views.kit.example_view import ExampleView
from explorer.views.kit.thumbnail import thumbnail
from explorer.views.kit.words.label_words import MOST_LETTERS
from explorer.views.kit.words.weight_names import word_of
from explorer.views.ladder.view import Ladder
from explorer.views.tree_arcs.view import TreeArcs

pytestmark = pytest.mark.filterwarnings("ignore:Both .variant. and .button_style.:PendingDeprecationWarning")

PLAINLY = {Plain, Listed, ConvexRisk}
"""Problems of the user's own, and a risk without examples: there is nothing more to say about them."""


def problem_classes() -> set[type]:
    """Every class of the structures' modules that answers what a problem is asked."""
    found = set()
    for info in pkgutil.walk_packages(structures.__path__, f"{structures.__name__}."):
        for _, kind in inspect.getmembers(import_module(info.name), inspect.isclass):
            asked = {"oracle", "predict", "features", "loss", "on"} <= set(dir(kind))
            if asked and kind.__module__ == info.name and Protocol not in kind.__bases__:
                found.add(kind)
    return found


def test_the_table_has_a_row_for_every_class_of_problems() -> None:
    assert problem_classes() == set(DEPICTIONS) - {object} | PLAINLY


@pytest.mark.parametrize("task", [task.name for task in TASKS])
def test_every_task_is_depicted(task: str) -> None:
    problem = problem_of(Recipe(task=task))[0]
    depiction = depiction_of(problem)
    assert depiction is DEPICTIONS[type(problem)]
    truth, text = problem.dataset.labels[0], depiction.label_text(problem, problem.dataset.labels[0], 0)
    assert 0 < len(text) <= MOST_LETTERS
    assert 0 < len(depiction.input_text(problem, 0)) <= MOST_LETTERS
    assert depiction.part(problem).isalpha()
    parts = depiction.weights(problem)
    assert [part.start for part in parts] == [0, *(part.stop for part in parts[:-1])]
    assert parts[-1].stop == problem.dim
    assert len({word_of(parts, j) for j in range(min(problem.dim, 2000))}) == min(problem.dim, 2000)
    assert thumbnail(problem, LIGHT)
    assert structure_of(problem) is depiction.views[0]
    assert np.size(truth) > 0


@pytest.mark.parametrize("view", [*STRUCTURES, *BESIDE])
def test_a_picture_says_of_other_problems_why_it_is_empty(view: type[ExampleView]) -> None:
    other = "clouds" if view is Ladder else "circle"
    session = Session(Recipe(task=other, data={"n": 2} if other == "clouds" else {}))
    assert not view.fits(session.problem)
    shown = view(session)
    assert view.misfit
    assert view.misfit in shown.words.object
    assert not shown.body.visible
    assert shown.shown is None
    shown.close()
    session.close()


def test_a_derived_class_is_shown_as_the_one_that_it_is_derived_from() -> None:
    class Sentences(Chain):
        pass

    made = Sentences(Dataset("short", (np.ones((2, 1)),), (np.array([0, 1]),), {"states": ("a", "b")}), 2)
    assert depiction_of(made) is DEPICTIONS[Chain]


def test_trees_in_their_dual_form_have_the_picture_of_trees() -> None:
    problem = KernelTrees(micro_treebank())
    assert structure_of(problem) is TreeArcs
    assert depiction_of(problem).input_text(problem, 1) == "Katzen jagen Hunde"


# a problem that nobody depicted -----------------------------------------------------------------------------


def stretch_features(x: np.ndarray, y: tuple[int, int]) -> np.ndarray:
    """How much light lies inside a stretch, and how long it is."""
    return np.array([x[y[0] : y[1]].sum(), float(y[1] - y[0])])


def overlap_loss(y: tuple[int, int], guess: tuple[int, int]) -> float:
    """1 - shared cells / covered cells."""
    both, either = set(range(*y)) & set(range(*guess)), set(range(*y)) | set(range(*guess))
    return 1.0 - len(both) / len(either)


STRETCHES = [(a, b) for a in range(6) for b in range(a + 1, 7)]
LINE = Dataset(
    "bright stretches",
    inputs=[np.array([0, 1, 1, 0, 0, 0.0]), np.array([0, 0, 0, 1, 1, 1.0]), np.array([1, 0, 0, 0, 0, 0.0])],
    labels=[(1, 3), (3, 6), (0, 1)],
)


def listed() -> Listed:
    """Bounding boxes on a line whose possible answers are listed."""
    return Listed(LINE, stretch_features, overlap_loss, lambda x: STRETCHES, dim=2)


def unlisted() -> Plain:
    """The same boxes with two oracles in place of a list."""

    def best(w: np.ndarray, x: np.ndarray) -> tuple[int, int]:
        return max(STRETCHES, key=lambda y: float(w @ stretch_features(x, y)))

    def worst(w: np.ndarray, x: np.ndarray, truth: tuple[int, int]) -> tuple[int, int]:
        return max(STRETCHES, key=lambda y: overlap_loss(truth, y) + float(w @ stretch_features(x, y)))

    return Plain(LINE, stretch_features, overlap_loss, best, worst, dim=2)


def test_a_problem_that_nobody_depicted_is_shown_plainly() -> None:
    problem = listed()
    plain = depiction_of(problem)
    assert plain is DEPICTIONS[object]
    assert plain.label_text(problem, (1, 3), 0) == "(1, 3)"
    assert plain.input_text(problem, 0) == "[0. 1. 1. 0. 0. 0.]"
    assert plain.mistake(problem, 0, (0, 4)) == "(0, 4) (2 of 2 wrong)"
    assert (plain.part(problem), plain.states(problem)) == ("part", ())
    parts = plain.weights(problem)
    assert [word_of(parts, j) for j in range(2)] == ["weight 1", "weight 2"]
    assert plain.pair_cells(problem) is None
    assert thumbnail(problem, LIGHT) == ""


def test_its_picture_is_the_ladder_where_outputs_can_be_listed_and_else_the_examples() -> None:
    assert structure_of(listed()) is Ladder
    assert structure_of(unlisted()) is Examples
    assert structure_of(ConvexRisk()) is Examples


@pytest.mark.parametrize("problem", [listed(), unlisted()], ids=["listed", "unlisted"])
def test_every_view_shows_a_run_of_a_problem_that_nobody_depicted(problem: Problem) -> None:
    trace = Trace()
    for event in train(problem, NSlack(C=10.0), rule=Until(steps=4)):
        trace.append(event)
    studio = Studio(session=Session(Recipe.of(problem)))
    studio.session.trace = trace
    studio.session.param.update(tick=studio.session.tick + 1, cursor=len(trace) - 1)
    assert (Ladder in studio.kinds) == (structure_of(problem) is Ladder)
    assert not set(STRUCTURES) & set(studio.kinds) - {Ladder}
    for kind in studio.kinds:
        studio.stage.bring(kind)
        view = studio.views[kind]
        view.table_open = True
        assert "role='status'" in view.words.object, kind
        assert "Traceback" not in view.words.object
    hardest = studio.views[Examples].table(studio.views[Examples].frame())
    assert set(hardest["truth"]) == {"(1, 3)", "(3, 6)", "(0, 1)"}
    studio.shell.close()


def test_every_picture_of_a_structure_has_its_tab() -> None:
    assert {*STRUCTURES, *BESIDE} <= set(VIEWS)
    assert len(VIEWS) == len(set(VIEWS))
