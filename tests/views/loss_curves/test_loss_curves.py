"""Loss and slack over a run: what was measured, where it holds, and what is said when it does not."""

from collections.abc import Iterator

import numpy as np
import pytest

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.events import Bounds, Evaluated, Started, Step
from explorer.engine.runs.trace import Trace
from explorer.engine.vectors import dot
from explorer.session.state import Session
from explorer.views.kit.drawing.theme import THEMES
from explorer.views.loss_curves import view as losses


def run(looks: dict[int, tuple[float, float, float]], steps: int, exact: bool = True) -> Trace:
    trace = Trace()
    trace.append(Started("p", "perceptron", 3, 2, 0, exact))
    for k in range(steps):
        trace.append(Step(k, np.ones(2)))
        if k in looks:
            slack, train, test = looks[k]
            trace.append(Evaluated(k, Bounds(), slack, train, test))
    return trace


def test_the_looks_are_shown_and_the_last_one_up_to_the_cursor_holds() -> None:
    trace = run({0: (2.0, 1.0, 1.5), 3: (0.5, 0.25, 0.5), 6: (0.25, 0.25, 0.75)}, 8)
    shown = losses.frame(trace, 5)
    assert shown.step.tolist() == [0, 3, 6]
    assert shown.slack.tolist() == [2.0, 0.5, 0.25]
    assert losses.sentence(shown) == (
        "Step 3: mean training loss 0.25, test loss 0.5, mean slack 0.5. Slack bounds the loss at every one "
        "of 3 looks."
    )
    assert losses.table(shown)["test loss"].tolist() == [1.5, 0.5, 0.75]


def test_a_loss_above_the_slack_is_said_and_why() -> None:
    looks = {0: (2.0, 1.0, np.nan), 1: (0.5, 0.75, np.nan)}
    approximate = losses.frame(run(looks, 2, exact=False), 1)
    assert losses.looks_above_slack(approximate).tolist() == [False, True]
    assert "above the slack at 1 of 2 looks: the oracle is approximate" in losses.sentence(approximate)
    assert "the predictor is approximate" in losses.sentence(losses.frame(run(looks, 2), 1))
    assert "test loss" not in losses.table(approximate)
    assert "squared penalty" in losses.sentence(losses.frame(run(looks, 2), 1, squared=True))


def test_before_the_first_look_and_without_any_the_sentence_says_so() -> None:
    assert "first look at loss and slack is at step 2" in losses.sentence(
        losses.frame(run({2: (1.0, 0.5, 0.5)}, 4), 1)
    )
    assert "press play" in losses.sentence(losses.frame(Trace(), 0))
    assert "press play" in losses.sentence(losses.frame(run({}, 1), 0))


def test_many_looks_are_thinned_and_the_one_at_the_cursor_stays() -> None:
    trace = run(dict.fromkeys(range(5000), (2.0, 1.0, 1.0)), 5_000)
    shown = losses.frame(trace, 1_234)
    assert len(shown.step) <= losses.MOST_POINTS + 1
    assert shown.step[shown.at] == 1_234
    assert shown.step[[0, -1]].tolist() == [0, 4_999]


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    made = Session(
        Recipe(task="digit-words", data={"n": 12, "n_test": 6}, learner="one-slack", settings={"C": 5.0})
    )
    made.show_finished()
    yield made
    made.close()


@pytest.mark.spec("A14")
def test_every_point_is_the_mean_over_the_examples_and_slack_bounds_loss(session: Session) -> None:
    shown, problem = losses.frame(session.trace, len(session.trace) - 1), session.problem
    assert len(shown.step) > 3
    for j in (0, len(shown.step) // 2, len(shown.step) - 1):
        w = session.trace.at(int(shown.step[j])).w
        cuts = [problem.oracle(w, i) for i in range(problem.n)]
        assert shown.slack[j] == pytest.approx(
            np.mean([max(0.0, c.loss - dot(w, c.psi)) for c in cuts]), abs=1e-9
        )
        for found, of in ((shown.train, problem), (shown.test, problem.on(session.test))):
            alone = [of.loss(i, of.predict(w, of.dataset.inputs[i])) for i in range(of.n)]
            assert found[j] == pytest.approx(np.mean(alone), abs=1e-12)
    assert not losses.looks_above_slack(shown).any()


def test_the_view_follows_the_run_and_wears_every_theme(session: Session) -> None:
    view = losses.Losses(session)
    assert len(view.source.data["step"]) == len(losses.frame(session.trace, 0).step)
    assert view.items["test loss"].visible
    session.seek(2)
    assert view.timeline.cursor.location == 2.0
    for theme in THEMES.values():
        view.theme = theme
        assert view.parts["slack"][0].glyph.line_color == theme.primal
    session.reset()
    assert len(view.source.data["step"]) == 0
    assert "press play" in view.words.object
