"""Tasks that a user brings along: data files, names in Python files, and problems of this process."""

import os
import pickle
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from explorer.engine.catalogue.files import FORMATS, format_of
from explorer.engine.catalogue.recipe import PROBLEM, Recipe
from explorer.engine.catalogue.tasks import TASKS, task_named, task_near, task_of
from explorer.engine.contracts import Dataset
from explorer.engine.events import Started
from explorer.engine.pricing import Pricing
from explorer.engine.refusals import Refused
from explorer.engine.runs.streams import train
from explorer.engine.structures.classes.own import Listed

SAMPLES = Path(__file__).parents[3] / "sample_data"
FILES = (
    "names.conll",
    "kitchen.svmlight",
    "karate.graphml",
    "letters.pairs.csv",
    "animals.conllu",
    "weather.csv",
    "rooms.svmhmm",
    "streets.edges",
    "petals.npz",
    "coast.png",
)
LIKE = {"kitchen.svmlight": "synth1", "karate.graphml": "stripes", "letters.pairs.csv": "clouds"} | {
    "animals.conllu": "micro-trees",
    "names.conll": "tagging",
    "weather.csv": "circle",
    "rooms.svmhmm": "tagging",
    "streets.edges": "stripes",
    "petals.npz": "circle",
    "coast.png": "stripes",
}
"""A task of the catalogue with the same structure."""

TEXT = """
import numpy as np
from explorer import Dataset, Listed

data = Dataset("line", [-2.0, -1.0, 1.0, 2.0], [-1, -1, 1, 1])
line = Listed(data, lambda x, y: np.array([y * x / 2]), lambda y, z: float(y != z), lambda x: (-1, 1), dim=1)
"""


def line(pricing: Pricing | None = None) -> Listed:
    """Four points on a line."""
    data = Dataset("line", [-2.0, -1.0, 1.0, 2.0], [-1, -1, 1, 1])
    return Listed(
        data,
        lambda x, y: np.array([y * x / 2]),
        lambda y, z: float(y != z),
        lambda x: (-1, 1),
        dim=1,
        pricing=pricing or Pricing(),
    )


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A Python file with a problem in it."""
    import sys

    before = list(sys.path)
    path = tmp_path / "mine.py"
    path.write_text(TEXT)
    yield path
    sys.path[:] = before


# data files


def test_every_format_is_shown_by_a_sample() -> None:
    assert [format_of(name) for name in FILES] == list(FORMATS)
    assert format_of("digit-words") is None


@pytest.mark.parametrize("name", FILES)
def test_a_file_has_the_losses_oracles_and_model_settings_of_its_structure(name: str) -> None:
    recipe, like = Recipe.of(SAMPLES / name), Recipe(LIKE[name])
    assert recipe.model.keys() == like.model.keys()
    assert set(recipe.task.losses) == set(like.task.losses)
    assert set(recipe.task.oracle_types) == set(like.task.oracle_types)
    problem, test = recipe.problem()
    assert (
        type(problem).__module__.rpartition(".")[0] == type(like.problem()[0]).__module__.rpartition(".")[0]
    )
    assert test is None
    assert recipe.make_learner().refuses(problem) is None


def test_a_file_is_called_by_its_path_or_as_it_is_told() -> None:
    path = SAMPLES / "kitchen.svmlight"
    assert (Recipe.of(path).plain()["task"], task_of(path, called="kitchen").name) == (str(path), "kitchen")
    assert task_of(path) == task_of(path, called="kitchen")
    assert task_of(path) != task_of(SAMPLES / "karate.graphml")


def test_a_changed_file_has_another_key(tmp_path: Path) -> None:
    path = Path(shutil.copy(SAMPLES / "kitchen.svmlight", tmp_path))
    recipe = Recipe.of(path)
    assert replace(recipe) == recipe
    os.utime(path, ns=(1, 1))
    later = replace(recipe)
    assert later.key(PROBLEM) != recipe.key(PROBLEM)
    assert later != recipe


def test_the_table_of_clusters_belongs_to_the_table_of_pairs(tmp_path: Path) -> None:
    for part in ("pairs", "clusters"):
        shutil.copy(SAMPLES / f"letters.{part}.csv", tmp_path)
    recipe = Recipe.of(tmp_path / "letters.pairs.csv")
    os.utime(tmp_path / "letters.clusters.csv", ns=(1, 1))
    assert replace(recipe).key() != recipe.key()


def test_a_file_is_read_in_another_process_under_the_same_name() -> None:
    recipe = replace(Recipe.of(SAMPLES / "kitchen.svmlight", model={"edges": "none"}), seed=3)
    again = pickle.loads(pickle.dumps(recipe))
    assert again == recipe
    assert again.key() == recipe.key()
    assert again.problem()[0].dim == 44


def test_a_file_that_is_not_there_is_refused_at_once() -> None:
    with pytest.raises(Refused, match=r"there is no file nowhere\.graphml; check its name"):
        Recipe.of("nowhere.graphml")


# names from outside open nothing


@pytest.mark.parametrize("name", [str(SAMPLES / "kitchen.svmlight"), "/etc/mine.py:line", "line (Python)"])
def test_plain_data_from_outside_open_no_file_and_run_none(name: str) -> None:
    for found in ({"task": name}, {"own": name}):
        with pytest.raises(Refused, match="is not open here; start the explorer with it"):
            Recipe.read(found)
    with pytest.raises(Refused, match="is not open here"):
        Recipe(name)


def test_a_file_that_is_open_here_is_known_by_its_name_alone() -> None:
    task = task_of(SAMPLES / "kitchen.svmlight", called="kitchen.svmlight")
    for name in ("kitchen.svmlight", "somewhere/else/kitchen.svmlight"):
        assert Recipe.read({"task": name, "loss": "hamming-percent"}, [task]).task is task
    assert Recipe.read({"own": "kitchen.svmlight", "settings": {"C": 3.0}}, [task]).settings["C"] == 3.0
    assert task_named("circle", [task]).source is None
    assert all(task_named(known.name, [task]) is known for known in TASKS)


def test_a_saved_run_finds_data_but_runs_no_python(mine: Path, tmp_path: Path) -> None:
    shutil.copy(SAMPLES / "kitchen.svmlight", tmp_path)
    assert task_near({"task": "lost/kitchen.svmlight"}, tmp_path / "run.zip").title == "kitchen.svmlight"
    assert task_near({"task": "circle"}, tmp_path / "run.zip") is task_named("circle")
    python, lost = "which no saved run may start by itself", "which is not found here"
    for name, why in ((f"{mine}:line", python), ("mine.py:line", python), ("karate.graphml", lost)):
        with pytest.raises(Refused, match=f"is a run of {name}, {why}; give"):
            task_near({"task": name}, tmp_path / "run.zip")


# Python


def test_a_problem_in_python_is_learnt_as_it_is(mine: Path) -> None:
    for recipe in (Recipe.of(line()), Recipe.of(f"{mine}:line")):
        problem, test = recipe.problem()
        assert test is None
        assert recipe.task.whole
        *_, last = recipe.make_learner().steps(problem, np.random.default_rng(0))
        # 1/2 w^2 + (1 - w) / 2, the mean of two hinges 1 - w and two that are 0, is least at w = 1/2.
        assert last.w == pytest.approx([0.5], abs=1e-3)


def test_test_data_come_with_the_problem() -> None:
    test = Dataset("more", [3.0], [1])
    assert Recipe.of(line(), test).problem()[1] is test
    with pytest.raises(Refused, match="test data with a problem"):
        Recipe.of("circle", test)


@pytest.mark.parametrize(
    ("choice", "says"),
    [
        (
            {"loss": "hamming"},
            "has a loss of its own, not 'hamming'; it is a problem in Python, change it there",
        ),
        ({"oracle": "greedy"}, "has an oracle of its own, not 'greedy'"),
        ({"predictor": "greedy"}, "has an oracle of its own"),
        ({"scaling": "margin"}, "has slack scaling and linear slacks"),
        ({"penalty": "squared"}, "has slack scaling and linear slacks"),
        ({"data": {"n": 3}}, "has no setting 'n'"),
        ({"model": {"edges": "none"}}, "has no setting 'edges'"),
    ],
)
def test_what_a_problem_in_python_does_not_offer_is_refused(choice: dict[str, Any], says: str) -> None:
    recipe = Recipe.of(line(Pricing("slack")))
    assert (recipe.scaling, recipe.penalty) == ("slack", "linear")
    with pytest.raises(Refused, match=says):
        Recipe(recipe.task, **choice)


def test_the_first_learner_that_takes_the_problem_begins() -> None:
    assert Recipe.of(line()).learner == "n-slack"
    assert "at most 100 examples" in Recipe.of(line()).task.why
    assert Recipe.of(line(Pricing("margin", "squared"))).learner == "n-slack"


def test_every_object_is_a_task_of_its_own_and_stays_in_its_process() -> None:
    one, other = line(), line()
    recipe = Recipe.of(one)
    assert replace(recipe, seed=1).task is recipe.task
    assert Recipe.of(other).key() != recipe.key()
    assert Recipe.of(other).task != recipe.task
    with pytest.raises(Refused, match="exists only in the process that made it; put it into a file"):
        pickle.dumps(recipe)


def test_a_python_file_is_run_once_for_each_version_of_it(mine: Path) -> None:
    mine.write_text(TEXT + "\nfrom pathlib import Path\nlog = Path(__file__).with_suffix('.log')\n"
                    "log.write_text((log.read_text() if log.exists() else '') + 'run ')\n")  # fmt: skip
    first, again = Recipe.of(f"{mine}:line"), Recipe.of(f"{mine}:line")
    assert first.task == again.task
    assert pickle.loads(pickle.dumps(first)) == first
    assert mine.with_suffix(".log").read_text() == "run "
    os.utime(mine, ns=(1, 1))
    assert Recipe.of(f"{mine}:line").task != first.task
    assert mine.with_suffix(".log").read_text() == "run run "


@pytest.mark.parametrize(
    ("what", "lacks"), [(3, "name"), (lambda: None, "name"), (Dataset("x", [], []), "n")]
)
def test_what_is_no_problem_is_refused_with_what_it_lacks(what: Any, lacks: str) -> None:
    with pytest.raises(Refused, match=f"without {lacks}; make it a Problem"):
        Recipe.of(what)


def test_python_and_command_line_begin_with_the_same_learner_and_price() -> None:
    recipe = Recipe.of(line())
    *_, last = train(line())
    *_, other = train(line(), recipe.make_learner(), rule=recipe.make_rule())
    begun = next(train(line()))
    assert isinstance(begun, Started)
    assert (begun.learner, begun.settings) == ("NSlack", dict(recipe.settings))
    assert last == other
