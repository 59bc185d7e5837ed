"""The check of a step as the inspector shows it: a table for each program, a verdict, and code."""

import re
from collections.abc import Iterator
from html import unescape

import pytest

from explorer.engine.catalogue.recipe import Recipe
from explorer.session.shared_runs import shared_run
from explorer.session.state import Session
from explorer.views.inspector.view import Inspector
from tests.waiting import wait_until


@pytest.fixture
def session() -> Iterator[Session]:
    made = Session(Recipe("circle", settings={"C": 10.0}))
    made.replay(shared_run(made.recipe()))
    yield made
    made.close()


def shown(view: Inspector) -> str:
    return unescape(re.sub(r"<[^>]+>", " ", view.check.page.object.split("</style>")[-1]))


def finish(session: Session) -> None:
    wait_until(lambda: session.check.status != "running", session.collect)


def test_both_optima_and_their_conditions_stand_side_by_side(session: Session) -> None:
    view = Inspector(session)
    assert shown(view).strip() == ""
    view.check.button.clicks += 1
    assert view.check.button.label == "Cancel the check"
    finish(session)
    words = " ".join(shown(view).split())
    assert words.startswith("Step 2 beside cvxpy Over the cuts of this step : ✓ agrees.")
    # Twice the toy's published optimum: over the cuts, and over all labellings.
    assert words.count("Objective 5.088641 5.088641 Dual 5.088641 5.088641") == 2
    for name in ("Largest violated cut", "Complementary slackness", "Stationarity"):
        assert words.count(name) == 2
    assert view.check.button.label == "Check this solution"
    session.seek(1)
    assert "the page has moved on to step 1" in shown(view)


def test_the_programs_are_shown_as_code_on_request(session: Session) -> None:
    view = Inspector(session)
    session.check_step()
    finish(session)
    cuts, every = view.check.codes
    assert [cuts.label, every.label] == ["Code: cuts", "Code: labellings"]
    every.clicks += 1
    assert view.check.dialog.open
    assert view.check.text.value == session.check.found[1].code
    assert view.check.text.value.startswith('"""Step 2 of circle: ')


def test_a_learner_without_an_objective_is_told_why_there_is_nothing_to_check(session: Session) -> None:
    session.choices.learner = "perceptron"
    session.play()
    wait_until(lambda: len(session.trace) > 0, session.collect)
    view = Inspector(session)
    session.check_step()
    assert "Not checked: this learner minimises no objective" in shown(view)
    assert not view.check.codes.visible
