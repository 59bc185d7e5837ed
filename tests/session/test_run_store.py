"""Runs kept on disk: found again by the same recipe and engine, never by another, and never needed."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.runs.streams import train
from explorer.engine.runs.trace import Trace
from explorer.session import run_store as shelf

RECIPE = Recipe(task="circle")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Trace:
    monkeypatch.setenv("EXPLORER_RUNS", str(tmp_path / "runs"))
    problem, _ = RECIPE.problem()
    trace = Trace()
    for event in train(problem, RECIPE.make_learner(), rule=RECIPE.make_rule()):
        trace.append(event)
    return trace


def test_a_kept_run_is_the_same_run(run: Trace) -> None:
    assert shelf.stored_run(RECIPE) is None
    shelf.keep(RECIPE, run)
    found = shelf.stored_run(RECIPE)
    assert found is not None
    assert np.array_equal(found.column("primal"), run.column("primal"))
    assert np.array_equal(found.at(-1).w, run.at(-1).w)
    assert found.keyframe()[1]


def test_another_recipe_or_engine_finds_nothing(run: Trace, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.keep(RECIPE, run)
    assert shelf.stored_run(replace(RECIPE, seed=1)) is None
    monkeypatch.setattr(shelf, "stamp", lambda: "another engine")
    assert shelf.stored_run(RECIPE) is None


def test_a_broken_file_is_as_good_as_none(run: Trace) -> None:
    shelf.keep(RECIPE, run)
    shelf.place(RECIPE).write_bytes(b"PK\x03\x04 broken")
    assert shelf.stored_run(RECIPE) is None


def test_a_place_that_cannot_be_written_is_done_without(
    run: Trace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("EXPLORER_RUNS", str(tmp_path / "file" / "runs"))
    shelf.keep(RECIPE, run)
    assert shelf.stored_run(RECIPE) is None


def test_only_the_files_used_last_stay(run: Trace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shelf, "MOST", 2)
    for seed in range(3):
        recipe = replace(RECIPE, seed=seed)
        shelf.keep(recipe, run)
        shelf.place(recipe).touch()
    assert len(list(shelf.folder().glob("*.zip"))) == 2
    assert shelf.stored_run(recipe) is not None
