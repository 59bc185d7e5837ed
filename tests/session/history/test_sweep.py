"""A sweep: what its recipes are, and that its runs are those that would be trained alone."""

from dataclasses import replace

from explorer.engine.catalogue.recipe import Recipe
from explorer.session.history.sweep import MOST_RUNS, variants
from explorer.session.state import Session
from tests.waiting import wait_until

CIRCLE = Recipe("circle", learner="n-slack", settings={"C": 10.0})


def test_c_goes_through_values_on_both_sides_of_the_one_that_is_chosen() -> None:
    assert [recipe.settings["C"] for recipe in variants(CIRCLE, "C")] == [0.3, 1.0, 3.0, 30.0, 100.0, 300.0]


def test_all_other_losses_of_the_task_and_all_learners_that_take_the_problem_are_tried() -> None:
    words = Recipe("digit-words")
    losses = [recipe.loss for recipe in variants(words, "loss")]
    assert losses == [name for name in words.task.losses if name != words.loss]
    learners = [recipe.learner for recipe in variants(CIRCLE, "learner")]
    assert len(learners) == MOST_RUNS == len(set(learners))
    assert "n-slack" not in learners
    assert all(recipe.settings.get("C", 10.0) == 10.0 for recipe in variants(CIRCLE, "learner"))


def test_a_run_of_a_sweep_ends_after_some_seconds_at_the_latest() -> None:
    endless = replace(CIRCLE, rule={"relative_gap": 1e-9, "seconds": 500.0})
    assert {recipe.rule["seconds"] for recipe in variants(endless, "C")} == {20.0}


def test_its_runs_are_kept_pinned_beside_the_session_s_own_and_can_be_let_go() -> None:
    session = Session(CIRCLE)
    try:
        session.sweep.start(session.recipe(), "C")
        wait_until(lambda: session.collect() >= 0 and not session.sweep.active)
        runs = session.past.runs
        assert [run.recipe.settings["C"] for run in runs] == [0.3, 1.0, 3.0, 30.0, 100.0, 300.0]
        assert all(run.pinned and run.status == "stopped" for run in runs)
        assert not len(session.trace)
        alone = Session(runs[0].recipe)
        alone.play()
        wait_until(lambda: alone.collect() >= 0 and alone.status == "stopped")
        assert alone.trace.column("primal").tolist() == runs[0].trace.column("primal").tolist()
        alone.close()
        before = session.kept
        session.pin(runs[1].number)
        session.forget_run(runs[0].number)
        assert session.kept == before + 2
        assert [run.pinned for run in session.past.runs] == [False, True, True, True, True]
        session.bring_back(runs[2].number)
        assert session.recipe().settings["C"] == 3.0
        assert len(session.trace) == len(runs[2].trace)
    finally:
        session.close()


def test_another_sweep_ends_the_one_under_way() -> None:
    session = Session(CIRCLE)
    try:
        session.sweep.start(session.recipe(), "C")
        session.sweep.start(session.recipe(), "loss")
        assert len(session.sweep.waiting) == len(variants(CIRCLE, "loss")) - session.sweep.active
        session.sweep.close()
        assert not session.sweep.active
    finally:
        session.close()
