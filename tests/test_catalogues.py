"""The menus: complete, told in sentences, with settings that make sense, and light to import."""

import ast
import importlib
import json
import pkgutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import explorer.engine.data
import explorer.engine.learners
import explorer.engine.losses
import explorer.engine.structures.chains.oracles
import explorer.engine.structures.clusterings.oracles
import explorer.engine.structures.fields.oracles
import explorer.engine.structures.trees.oracles
from explorer.engine.catalogue.losses import LOSSES
from explorer.engine.catalogue.oracle_names import oracle_named
from explorer.engine.catalogue.recipe import Recipe, make_record
from explorer.engine.catalogue.tasks import TASKS, task_named
from explorer.engine.contracts import Enumerates, Problem
from explorer.engine.knobs import Knob, knobs
from explorer.engine.learners import LEARNERS, by_name, name_of
from explorer.engine.refusals import Refused
from explorer.engine.runs.streams import Until
from explorer.engine.structures.chains.oracles import ORACLES
from explorer.engine.structures.clusterings.link_oracles import LINK_ORACLES
from explorer.engine.structures.clusterings.oracles import CLUSTER_ORACLES
from explorer.engine.structures.fields.oracles import FIELD_ORACLES
from explorer.engine.structures.trees.oracles import TREE_ORACLES

ENGINE = Path(explorer.engine.__file__).parent
UI = {"param", "panel", "holoviews", "bokeh", "panel_material_ui", "tornado"}
CATALOGUES = (
    (explorer.engine.learners, LEARNERS),
    (explorer.engine.structures.chains.oracles, ORACLES),
    (explorer.engine.structures.fields.oracles, FIELD_ORACLES),
    (explorer.engine.structures.clusterings.oracles, CLUSTER_ORACLES),
    (explorer.engine.structures.trees.oracles, TREE_ORACLES),
)


def modules_of(package: Any) -> list[str]:
    return [name for _, name, _ in pkgutil.iter_modules(package.__path__) if not name.startswith("_")]


@pytest.mark.parametrize(
    ("package", "menu"),
    CATALOGUES,
    ids=["learners", "oracles", "field oracles", "cluster oracles", "tree oracles"],
)
def test_every_module_of_a_folder_is_in_its_menu_once(package: Any, menu: Any) -> None:
    listed = sorted(kind.__module__.rpartition(".")[2] for kind in menu)
    assert listed == sorted(modules_of(package))


@pytest.mark.parametrize(
    "kind",
    [*LOSSES, *ORACLES, *FIELD_ORACLES, *CLUSTER_ORACLES, *LINK_ORACLES, *TREE_ORACLES],
    ids=lambda kind: kind.__name__,
)
def test_every_loss_and_oracle_has_a_title_and_a_sentence(kind: Any) -> None:
    assert kind.title
    assert kind.help.endswith(".")
    assert kind.__doc__
    assert kind.__doc__.strip().endswith(".")


@pytest.mark.parametrize("kind", LEARNERS, ids=name_of)
def test_every_learner_has_a_title_a_paper_and_a_name_that_finds_it(kind: Any) -> None:
    assert kind.title
    assert any(digit in kind.paper for digit in "0123456789") or "Lecture" in kind.paper
    assert isinstance(kind.certifies, bool)
    assert by_name(name_of(kind)) is kind


def test_titles_and_names_are_told_apart() -> None:
    for menu in (
        LEARNERS,
        LOSSES,
        (*ORACLES, *FIELD_ORACLES, *CLUSTER_ORACLES, *LINK_ORACLES, *TREE_ORACLES),
        TASKS,
    ):
        titles = [entry.title for entry in menu]
        assert len(set(titles)) == len(titles)
    names = [task.name for task in TASKS]
    assert len(set(names)) == len(names)


# Settings.


def all_records() -> Iterator[Any]:
    """Everything whose settings become widgets and command-line options."""
    yield from LEARNERS
    yield from (kind for kind in LOSSES if is_dataclass(kind))
    yield from (task.data for task in TASKS)
    yield from {type(task.model): None for task in TASKS}
    yield from (Until, Recipe)


def all_knobs() -> list[Any]:
    return [
        pytest.param(name, default, knob, id=f"{record.__name__}.{name}")
        for record in all_records()
        for name, default, knob in knobs(record)
    ]


@pytest.mark.parametrize(("name", "default", "knob"), all_knobs())
def test_every_setting_has_a_sentence_a_sensible_range_and_a_default_inside_it(
    name: str, default: Any, knob: Knob
) -> None:
    assert knob.help.endswith(".")
    assert knob.help[0].isupper()
    assert len(knob.help) <= 120
    assert name.isidentifier()
    if knob.choices:
        assert default in knob.choices
        assert len(set(knob.choices)) == len(knob.choices) >= 2
        assert (knob.low, knob.high, knob.log) == (None, None, False)
    elif isinstance(default, bool):
        assert (knob.low, knob.high, knob.log) == (None, None, False)
    else:
        assert isinstance(default, int | float)
        assert knob.low is not None, "a number without a lower end cannot slide"
        assert knob.low <= default
        assert knob.high is None or knob.low < knob.high
        assert knob.high is None or default <= knob.high
        assert not knob.log or knob.low >= 0.0, "decades are of positive numbers; 0 stands for off"


@pytest.mark.parametrize("kind", LEARNERS, ids=name_of)
def test_every_field_of_a_learner_is_a_setting(kind: Any) -> None:
    assert [f.name for f in fields(kind)] == [name for name, _, _ in knobs(kind)]


@pytest.mark.parametrize("kind", LEARNERS, ids=name_of)
def test_settings_outside_their_range_are_refused_with_their_name(kind: Any) -> None:
    for name, _, knob in knobs(kind):
        wrong: list[Any] = ["nonsense"] if knob.choices else []
        wrong += [knob.low - 1.0] if knob.low is not None else []
        wrong += [knob.high + 1.0] if knob.high is not None else []
        for value in wrong:
            with pytest.raises(Refused, match=name):
                kind(**{name: value})


def test_a_number_that_is_none_is_refused() -> None:
    with pytest.raises(Refused, match="gap"):
        Until(gap=float("nan"))


# Tasks.


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_every_task_builds_with_its_defaults_and_its_learner_takes_it(task: Any) -> None:
    recipe = Recipe(task=task.name)
    problem, test = recipe.problem()
    learner = recipe.make_learner()
    assert problem.n > 0
    assert learner.refuses(problem) is None
    assert name_of(type(learner)) == task.learner
    assert test is None or len(test) > 0
    assert task_named(task.name) is task
    assert task.title
    assert task.help.endswith(".")


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_every_choice_of_a_task_builds_or_is_refused_with_a_sentence(task: Any) -> None:
    small = {
        "n": 20,
        "n_test": 5,
        "per_class": 5,
        "length": 20,
        "vocabulary": 50,
        "topics": 2,
        "articles": 3,
        "entities": 5,
    }
    data = {f.name: small[f.name] for f in fields(task.data) if f.name in small}
    pricings = product(("margin", "slack"), ("linear", "squared"))
    losses = list(task.losses)[
        : 1 if len(task.oracles) > 4 else None
    ]  # the losses of graphs differ by a factor alone
    for loss, (scaling, penalty), oracle in product(losses, pricings, task.oracles):
        recipe = Recipe(task=task.name, data=data, loss=loss, scaling=scaling, penalty=penalty, oracle=oracle)
        problem = problem_or_refusal(recipe)
        if isinstance(problem, str):
            assert oracle in PARTICULAR, problem
            assert any(mark in problem for mark in ";:"), (
                "a refusal names the place and, after a pause, the fix"
            )
            assert oracle != task.oracles[0] or (scaling, penalty) != ("margin", "linear")
            continue
        for kind in LEARNERS:
            reason = kind().refuses(problem)
            assert reason is None or is_sentence(reason), reason
        assert by_name("n-slack")().refuses(problem) is None, "one learner takes everything that has examples"


PARTICULAR = {
    oracle.title for oracle in (*ORACLES[2:], *FIELD_ORACLES, *CLUSTER_ORACLES, *LINK_ORACLES, *TREE_ORACLES)
}
"""Oracles that take some shapes, losses and prices only."""


def problem_or_refusal(recipe: Recipe) -> Any:
    """The problem, or why there is none: an oracle may not take this shape, loss or price."""
    try:
        return recipe.problem()[0]
    except Refused as refusal:
        return str(refusal)


def is_sentence(text: str) -> bool:
    """One sentence: a capital letter first, one full stop, at the end."""
    return text[0].isupper() and text.endswith(".") and text.rstrip(".").count(". ") == 0


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_a_recipe_is_plain_data_and_makes_the_same_recipe_again(task: Any) -> None:
    full = Recipe(task=task.name)
    text = json.dumps(full.plain())
    assert Recipe.read(json.loads(text)) == full


def test_unknown_choices_are_refused_with_those_there_are() -> None:
    for wrong, there in (
        ({"task": "nothing"}, "digit-words"),
        ({"task": "circle", "loss": "hamming"}, "zero-one"),
        ({"task": "circle", "oracle": "Viterbi"}, "enumeration"),
        ({"task": "circle", "learner": "adam"}, "n-slack"),
        ({"task": "circle", "settings": {"speed": 1.0}}, "qp_tolerance"),
        ({"task": "blocks", "data": {"speed": 1.0}}, "distortion"),
        ({"task": "circle", "rule": {"speed": 1.0}}, "relative_gap"),
    ):
        with pytest.raises(Refused, match=there):
            Recipe(**wrong)
    with pytest.raises(Refused, match="Viterbi"):
        oracle_named("crystal ball")
    with pytest.raises(Refused, match="has no setting 'speed'"):
        make_record(Until, {"speed": 1.0})


@pytest.mark.parametrize(
    "task", [t for t in TASKS if t.name in ("circle", "four-points")], ids=lambda t: t.name
)
def test_the_smallest_tasks_can_be_listed(task: Any) -> None:
    problem: Problem = Recipe(task=task.name).problem()[0]
    assert isinstance(problem, Enumerates)
    assert sum(problem.labellings_count(i) for i in range(problem.n)) < 100


# Imports.


def imported_by(path: Path) -> set[str]:
    """The first names of everything that a file imports, wherever in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            found.add((node.module or "").partition(".")[0])
    return found


def probed(call: ast.Call) -> str:
    """What `getattr` or `hasattr` looks into: the name that the attribute is asked of."""
    asked = isinstance(call.func, ast.Name) and call.func.id in ("getattr", "hasattr")
    return ast.unparse(call.args[0]).rpartition(".")[2] if asked else ""


def test_what_a_problem_can_do_is_asked_with_protocols_and_never_by_the_name_of_an_attribute() -> None:
    found = [
        f"{path.relative_to(ENGINE.parent)}:{node.lineno}"
        for path in ENGINE.parent.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and probed(node) == "problem"
    ]
    assert found == []


def test_no_file_of_the_engine_names_a_user_interface() -> None:
    for path in ENGINE.rglob("*.py"):
        assert not imported_by(path) & UI, path


def test_loading_the_whole_engine_loads_no_user_interface() -> None:
    names = [
        module.name
        for module in pkgutil.walk_packages([str(ENGINE)], prefix="explorer.engine.")
        if not module.name.endswith(
            ("__main__", "dask_cluster")
        )  # a cluster's own client talks through tornado
    ]
    assert len(names) > 30
    code = (
        f"import sys, importlib\nfor n in {names!r}: "
        f"importlib.import_module(n)\nprint(sorted(set(sys.modules) & {UI!r}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_engine_module_can_be_imported_by_itself_and_says_what_it_is_for() -> None:
    for module in pkgutil.walk_packages([str(ENGINE)], prefix="explorer.engine."):
        found = importlib.import_module(module.name)
        assert found.__doc__, module.name
