"""The caption tells what enumeration says of the example, and what the bounds prove."""

import numpy as np
import pytest

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.catalogue.tasks import TASKS
from explorer.engine.data import toys
from explorer.engine.events import Bounds, Started, Step
from explorer.engine.runs.trace import Trace
from explorer.engine.structures.classes.multiclass import Multiclass
from explorer.session.problem_cache import problem_of
from explorer.session.state import Session
from explorer.views.inspector import caption
from explorer.views.inspector.caption_view import Caption, html
from explorer.views.kit.drawing.theme import DARK

FOUR = Multiclass(toys.four_points(), 2)


def at_weights(
    problem: object, w: list[float], primal: float = 4.0, dual: float = 3.0, exact: bool = True
) -> Trace:
    trace = Trace()
    trace.append(Started("p", "NSlack", 4, len(w), 0, exact, {"C": 1.0}, "exact" if exact else "under"))
    trace.append(Step(0, np.array(w), bounds=Bounds(primal, dual, exact), oracle_calls=1, seconds=0.0))
    return trace


def test_guess_and_most_tempting_answer_are_those_of_all_classes_tried() -> None:
    w = np.linspace(-1.0, 1.0, FOUR.dim)
    shown = caption.frame(FOUR, at_weights(FOUR, w.tolist()), 0, 1)
    score = [float(FOUR.features(1, y) @ w) for y in (0, 1)]
    worth = [float(FOUR.loss(1, y)) + score[y] for y in (0, 1)]
    assert shown.guess is not None
    assert shown.rival is not None
    truth = FOUR.dataset.labels[1]
    assert shown.guess.right == (int(np.argmax(score)) == truth)
    assert shown.rival.right == (int(np.argmax(worth)) == truth)


@pytest.mark.parametrize(
    ("primal", "dual", "exact", "told"),
    [
        (4.0, 3.0, True, "proved to be within 25% of the best possible"),
        (4.0, 3.98, True, "proved to be within 0.5% of the best possible"),
        (4.0, 4.0, True, "proved to be the best possible"),
        (4.0, -1.0, True, "nothing is proved yet"),
        (4.0, np.nan, True, "this learner has no lower bound"),
        (np.nan, 1.0, True, "its objective was not computed"),
        (4.0, 3.0, False, "within 25% of the best possible, if its oracle errs nowhere"),
    ],
)
def test_the_proof_is_told_in_percent(primal: float, dual: float, exact: bool, told: str) -> None:
    trace = at_weights(FOUR, [0.0] * FOUR.dim, primal, dual, exact)
    assert told in caption.sentence(caption.frame(FOUR, trace, 0, 0))


def test_wrong_parts_are_underlined_and_nothing_of_the_data_is_markup() -> None:
    guess = caption.ToldAnswer(("<b>", "x"), (True, False), "1 of 2 parts wrong")
    shown = caption.CaptionFrame(3, "Example 0", "reads", guess, None, "nothing is proved yet")
    text = html(shown)
    assert "reads <span class='guess'><u>&lt;b&gt;</u> x</span>, 1 of 2" in text
    assert "<b>" not in text


def test_before_training_the_caption_invites_to_play() -> None:
    assert "Press Play" in caption.sentence(caption.frame(FOUR, Trace(), 0, 0))


@pytest.mark.parametrize("task", [task.name for task in TASKS])
def test_every_task_has_a_caption(task: str) -> None:
    problem = problem_of(Recipe(task=task))[0]
    told = caption.sentence(caption.frame(problem, at_weights(problem, [0.0] * problem.dim), 0, 0))
    assert told.startswith("Step 0: the machine ")
    assert len(told) < 260


def test_the_truth_itself_as_the_worst_answer_means_that_nothing_tempts() -> None:
    session = Session(Recipe("circle"))
    session.show_finished()
    view = Caption(session)
    view.theme = DARK
    tempted = [
        caption.frame(session.problem, session.trace, session.cursor, i).rival
        for i in range(session.problem.n)
    ]
    for i, rival in enumerate(tempted):
        session.example = i
        assert rival is not None
        assert ("no wrong answer is tempting" in view.words.object) == rival.right
    view.close()
    session.close()
