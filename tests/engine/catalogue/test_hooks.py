"""Hook modules, and whole Python files, as tasks."""

from pathlib import Path

import numpy as np
import pytest

from explorer.dashboards.app import open_files
from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.catalogue.tasks import name_alone, task_named, task_of
from explorer.engine.learners import LEARNERS, name_of
from explorer.engine.refusals import Refused
from explorer.engine.runs.streams import Until, train
from explorer.engine.runs.trace import Trace
from tests.engine.hooks.modules import FOLDER, TEST, TRAIN

HOOKS = f"{FOLDER / 'binary1.py'}:{TRAIN}"

PARTS = """
import numba
import numpy as np

name, exact = "sides", True
inputs = np.array([[-2.0, 1.0], [-1.0, 0.5], [1.0, 0.2], [2.0, -1.0]])
labels = [-1, -1, 1, 1]

@numba.njit
def psi(x, y):
    return y * x / 2.0

def delta(y, guess):
    return float(y != guess)
"""
ORACLES = """
@numba.njit
def argmax(w, x):
    return 1 if w @ x >= 0.0 else -1

@numba.njit
def worst(w, x, y):
    return 1 if w @ x >= y else -1
"""


def run(recipe: Recipe, steps: int = 40) -> Trace:
    problem, test = recipe.problem()
    trace = Trace()
    rule = Until(relative_gap=1e-6, steps=steps)
    for event in train(problem, recipe.make_learner(), rule=rule, test=test):
        trace.append(event)
    return trace


def test_every_learner_that_takes_it_comes_near_the_same_optimum_of_a_hook_module(tmp_path: Path) -> None:
    few = tmp_path / "few.dat"
    few.write_text("".join(Path(TRAIN).read_text().splitlines(keepends=True)[:13]))
    task = task_of(f"{FOLDER / 'binary1.py'}:{few}")
    best = run(Recipe(task, settings={"C": 1.0, "eps": 1e-6})).at(-1).figures["primal"]
    took = set()
    for kind in LEARNERS:
        recipe = Recipe(task, learner=name_of(kind))
        problem, _ = recipe.problem()
        if recipe.make_learner().refuses(problem) is None:
            trace = run(recipe, 6)
            took.add(name_of(kind))
            if kind.certifies:
                assert trace.at(-1).figures["dual"] <= best + 1e-6
                assert np.nanmin(trace.column("primal")) >= best - 1e-6
    assert {"perceptron", "n-slack", "one-slack", "frank-wolfe", "sequential-dual", "mira", "sgd"} <= took


def test_prices_and_a_test_file_can_be_chosen() -> None:
    recipe = Recipe(task_of(HOOKS, Path(TEST)), scaling="slack", penalty="squared")
    problem, test = recipe.problem()
    assert (problem.pricing.scaling, problem.pricing.penalty) == ("slack", "squared")
    assert (problem.n, len(test or ())) == (80, 60)


def test_a_served_module_is_called_by_its_name_and_opened_by_no_link() -> None:
    (task,), _ = open_files([HOOKS])
    assert task.name == name_alone(HOOKS) == "binary1.py:train.dat"
    assert task_named("binary1.py:train.dat", [task]) is task
    for name in ("binary1.py:train.dat", HOOKS, "binary1.py"):
        with pytest.raises(Refused, match="is not open here"):
            task_named(name)


def test_a_file_with_hooks_needs_the_file_of_their_examples() -> None:
    with pytest.raises(Refused, match="name the file of their examples too"):
        task_of(str(FOLDER / "binary1.py"))
    with pytest.raises(Refused, match="there is no file"):
        task_of(f"{FOLDER / 'binary1.py'}:nothing.dat")


@pytest.mark.parametrize("oracles", [ORACLES, "\ndef outputs(x):\n    return (-1, 1)\n"])
def test_a_file_of_functions_and_examples_is_a_problem(oracles: str, tmp_path: Path) -> None:
    place = tmp_path / "sides.py"
    place.write_text(PARTS + oracles)
    problem, _ = Recipe(task_of(place)).problem()
    assert (problem.n, problem.dim, problem.oracle_is_exact) == (4, 2, True)
    rows = np.array([[-2.0, 1.0], [-1.0, 0.5], [1.0, 0.2], [2.0, -1.0]])
    for w in np.random.default_rng(0).normal(size=(20, 2)):
        for i, (x, y) in enumerate(zip(rows, (-1, -1, 1, 1), strict=True)):
            heights = {guess: float(guess != y) + guess * float(w @ x) / 2.0 for guess in (-1, 1)}
            assert heights[problem.oracle(w, i).label] == max(heights.values())
    trace = run(Recipe(task_of(place)))
    assert trace.certified(len(trace) - 1)


def test_a_class_with_functions_and_examples_is_a_problem(tmp_path: Path) -> None:
    body = "class Sides:\n" + "".join(
        f"    {line}\n" for line in (PARTS + "def outputs(x):\n    return (-1, 1)\n").splitlines()[4:]
    )
    text = body.replace("(x, y)", "(self, x, y)").replace("(y, guess)", "(self, y, guess)")
    text = text.replace("(x):", "(self, x):").replace("    @numba.njit\n", "")
    (tmp_path / "classes.py").write_text("import numpy as np\n" + text)
    problem, _ = Recipe(task_of(f"{tmp_path / 'classes.py'}:Sides")).problem()
    assert (problem.n, problem.dim) == (4, 2)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("x = 1", "has no `problem`, nor psi"),
        (PARTS, "has no function argmax"),
        (PARTS.replace("labels = ", "others = ") + ORACLES, "has no examples"),
    ],
)
def test_a_file_that_lacks_something_is_told_what(text: str, told: str, tmp_path: Path) -> None:
    place = tmp_path / "mine.py"
    place.write_text(text)
    with pytest.raises(Refused, match=told):
        task_of(place)
