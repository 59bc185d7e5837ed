"""At every moment of a race each learner answers with the weights that it has then."""

import numpy as np
import pytest

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.runs.trace import Trace
from explorer.session.shared_runs import shared_run
from explorer.views.kit.drawing.theme import LIGHT
from explorer.views.race.faces import Face, end_of, faces, leader_words, step_at, telling_example
from explorer.views.race.meeting import Meeting
from explorer.views.race.portraits import answer_html, portraits, verdict

SMALL = Recipe("blocks", {"n": 4, "n_test": 2, "length": 12})


@pytest.fixture(scope="module")
def traces() -> dict[str, Trace]:
    runs = {}
    for name in ("n-slack", "perceptron"):
        recipe = Recipe("blocks", SMALL.data, learner=name, rule={"passes": 8.0})
        runs[name] = shared_run(recipe)
    return runs


def test_a_learner_stands_at_its_last_step_up_to_the_moment(traces: dict[str, Trace]) -> None:
    calls = traces["n-slack"].column("oracle_calls")
    assert step_at(traces["n-slack"], "oracle_calls", calls[0] - 1) == -1
    for k in range(len(calls)):
        assert step_at(traces["n-slack"], "oracle_calls", calls[k]) == np.flatnonzero(calls <= calls[k])[-1]
    assert step_at(Trace(), "oracle_calls", 5.0) == -1


def test_every_answer_is_the_prediction_of_that_steps_weights(traces: dict[str, Trace]) -> None:
    problem, _ = SMALL.problem()
    end = end_of(traces, "oracle_calls")
    for one in faces(problem, traces, "oracle_calls", end / 2, 1):
        w = traces[one.name].at(one.step).w
        assert np.array_equal(one.label, problem.predict(w, problem.dataset.inputs[1]))
        wrong = np.count_nonzero(one.label != problem.dataset.labels[1])
        assert one.right == (wrong == 0)
        assert verdict(problem, 1, one) == ("✓ right" if not wrong else f"✗ {wrong} of 12 wrong")


def test_before_the_first_step_nobody_answers_or_leads(traces: dict[str, Trace]) -> None:
    problem, _ = SMALL.problem()
    met = faces(problem, traces, "oracle_calls", 0.0, 0)
    assert [one.step for one in met] == [-1, -1]
    assert leader_words(met) == "Nobody leads yet."


def test_the_leader_has_the_lowest_objective_and_a_reason() -> None:
    ahead, behind = Face("frank-wolfe", 3, None, 0.0, 2.0), Face("one-slack", 1, None, 0.0, 5.0)
    assert leader_words([behind, ahead]) == (
        "Block-coordinate Frank-Wolfe leads with 2 before 5: it corrects w after every single example."
    )
    level = Face("one-slack", 1, None, 0.0, 2.001)
    assert "are level" in leader_words([ahead, level])


def test_wrong_parts_are_marked_and_long_answers_become_a_strip() -> None:
    problem, _ = SMALL.problem()
    label = np.array(problem.dataset.labels[0])
    label[3] = 1 - label[3]
    assert answer_html(problem, 0, label, LIGHT).count("class=wrong") == 1
    assert answer_html(problem, 0, problem.dataset.labels[0], LIGHT).count("wrong") == 0
    long, _ = Recipe("blocks", {"n": 2, "n_test": 1, "length": 60}).problem()
    assert answer_html(long, 0, long.dataset.labels[0], LIGHT).startswith("<svg")


def test_a_class_and_a_tree_are_written_in_words() -> None:
    for task in ("circle", "micro-trees", "clouds"):
        problem, _ = Recipe(task).problem()
        face = Face("n-slack", 0, problem.dataset.labels[0], 0.0, 1.0)
        assert "✓ right" in portraits(problem, 0, [face], ["<svg></svg>"], LIGHT)


def test_the_example_on_which_learners_differ_is_shown_first(traces: dict[str, Trace]) -> None:
    problem, _ = SMALL.problem()
    chosen = telling_example(problem, traces, "oracle_calls")
    moment = 0.1 * end_of(traces, "oracle_calls")

    def spread(i: int) -> float:
        losses = [one.loss for one in faces(problem, traces, "oracle_calls", moment, i) if one.step >= 0]
        return max(losses) - min(losses) if len(losses) > 1 else 0.0

    assert spread(chosen) == max(spread(i) for i in range(problem.n))


def test_the_slider_takes_all_learners_along(traces: dict[str, Trace]) -> None:
    meeting = Meeting()
    problem, _ = SMALL.problem()
    meeting.show(problem, traces, "oracle_calls", "oracle calls")
    last = [one.step for one in meeting.met]
    meeting.slider.value = 0.5
    assert meeting.moment == 0.5 * end_of(traces, "oracle_calls")
    assert all(a <= b for a, b in zip([one.step for one in meeting.met], last, strict=True))
    meeting.step(-1.0)
    assert meeting.share == 0.0
    meeting.choose(1)
    assert meeting.example >= 0
    meeting.show(None, {}, "oracle_calls", "oracle calls")
    assert meeting.pane.object == ""
