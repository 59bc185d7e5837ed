"""A recipe is whole when it is made, and the settings of its model are told apart from those of its data."""

import json
import pickle
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

from explorer.engine.catalogue.recipe import PROBLEM, Recipe
from explorer.engine.catalogue.tasks import TASKS, task_named
from explorer.engine.refusals import Refused
from explorer.engine.structures.clusterings.problem import Clustering
from explorer.engine.structures.fields.problem import FieldLabelling
from explorer.engine.structures.trees.dual_problem import KernelTrees
from explorer.engine.structures.trees.problem import DependencyTrees


def test_every_default_is_written_out() -> None:
    recipe = Recipe("clouds", {"n": 3})
    assert recipe.task is task_named("clouds")
    assert (recipe.data["n"], recipe.data["n_test"]) == (3, 6)
    assert recipe.model["similarity"] == "linear"
    assert (recipe.loss, recipe.oracle, recipe.predictor) == ("pairwise", "greedy merges", "greedy merges")
    assert (recipe.learner, recipe.settings["C"], recipe.settings["eps"]) == ("one-slack", 1e4, 0.01)
    assert recipe.rule["relative_gap"] == 1e-3


def test_another_learner_keeps_price_and_tolerance_of_the_task() -> None:
    other = Recipe("clouds", learner="n-slack").settings
    assert (other["C"], other["eps"]) == (1e4, 0.01)


@pytest.mark.parametrize("task", TASKS, ids=str)
def test_no_setting_of_the_model_is_called_like_one_of_the_data(task: Any) -> None:
    assert not {f.name for f in fields(task.data)} & {f.name for f in fields(task.model)}


@pytest.mark.parametrize("task", TASKS, ids=str)
def test_settings_of_the_model_that_stand_among_the_data_are_moved_over(task: Any) -> None:
    usual = Recipe(task)
    together = {**usual.data, **usual.model}
    assert Recipe(task, together) == usual
    assert Recipe.read(json.loads(json.dumps(usual.plain() | {"data": together, "model": {}}))) == usual


def test_what_is_said_of_the_model_itself_counts_more() -> None:
    recipe = Recipe("clouds", {"weights": "non-negative"}, model={"weights": "free"})
    assert recipe.model["weights"] == "free"


def test_equal_choices_have_equal_keys_however_they_are_written() -> None:
    plain, written = (
        Recipe("circle"),
        Recipe("circle", settings={"C": 10}, oracle="enumeration", seed=np.int64(0)),
    )
    assert plain == written
    assert plain.key() == written.key()
    assert replace(plain, settings={"C": 11.0}).key() != plain.key()


def test_the_key_of_a_problem_does_not_ask_who_learns_it() -> None:
    one, other = Recipe("circle"), Recipe("circle", learner="perceptron", seed=3, rule={"steps": 1})
    assert one.key(PROBLEM) == other.key(PROBLEM)
    for changed in ({"scaling": "slack"}, {"penalty": "squared"}, {"task": "four-points"}):
        assert Recipe(**{"task": "circle"} | changed).key(PROBLEM) != one.key(PROBLEM)
    assert Recipe("clouds", model={"normalise": False}).key(PROBLEM) != Recipe("clouds").key(PROBLEM)


def test_a_recipe_travels_between_processes() -> None:
    recipe = Recipe("register-trees", {"n": 5}, model={"kernel": "none"}, settings={"C": 3.0})
    again = pickle.loads(pickle.dumps(recipe))
    assert again == recipe
    assert again.task is recipe.task
    assert again.make_learner() == recipe.make_learner()


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"settings": {"C": "3"}}, "C is '3'; give a number"),
        ({"settings": {"prune_after": 1.5}}, "prune_after is '1.5'; give a whole number"),
        ({"settings": {"C": True}}, "C is 'True'; give a number"),
        ({"seed": "0"}, "seed is '0'; give a whole number"),
        ({"scaling": "both"}, "scaling is 'both'; choose one of margin, slack"),
        ({"model": {"pairwise": "none"}}, "NoSettings has no setting 'pairwise'"),
    ],
)
def test_a_choice_of_another_type_or_range_is_refused_when_the_recipe_is_made(wrong: Any, says: str) -> None:
    with pytest.raises(Refused, match=says):
        Recipe("circle", **wrong)


@pytest.mark.parametrize(
    "wrong", [{"own": "x.py:y"}, {"task": 3}, {"data": ["n"]}, {"learner": None}, {"records": {}}]
)
def test_plain_data_that_are_no_recipe_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(Refused):
        Recipe.read({"task": "circle"} | wrong)


# what the settings of a model do


def problem(task: str, data: dict[str, Any], **model: Any) -> Any:
    return Recipe(task, data, model=model).problem()[0]


def test_clusterings_take_their_sums_weights_and_question_from_the_model() -> None:
    few = {"n": 2, "n_test": 1}
    usual, other = (
        problem("clouds", few),
        problem("clouds", few, normalise=False, weights="non-negative", loss_in_oracle=False),
    )
    assert isinstance(usual, Clustering)
    assert (usual.normalise, usual.nonnegative, usual.loss_asked) == (True, False, True)
    assert (other.normalise, other.nonnegative, other.loss_asked) == (False, True, False)
    assert problem("clusters", {}).normalise is False
    assert problem("synth", {"per_group": 4}, diagonal=True).diagonal


def test_pictures_with_directions_have_a_table_across_and_one_down() -> None:
    few = {"n": 2, "n_test": 1, "size": 6}
    assert [
        problem("stripes", few, pairwise=kind).dim for kind in ("shared", "symmetric", "directional", "none")
    ] == [
        9 + 9,
        9 + 6,
        9 + 2 * 9,
        9,
    ]
    assert isinstance(problem("blobs", few), FieldLabelling)
    assert problem("blobs", few).dim == 2 * 2 + 3
    with pytest.raises(Refused, match="only the edges of a grid"):
        problem("trees", {"n": 2, "n_test": 1}, pairwise="directional")


def test_labels_of_a_row_depend_on_all_others_some_or_none() -> None:
    few = {"n": 20, "n_test": 5}
    rows = 10 * 41
    assert [problem("synth2", few, edges=kind).dim for kind in ("full", "tree", "none")] == [
        rows + 45,
        rows + 9,
        rows,
    ]


def test_trees_are_learnt_written_out_or_in_the_dual_with_equal_scores() -> None:
    """Both forms have the same inner products of features: counts times input kernel, here 1."""
    written, dual = (problem("micro-trees", {}, kernel="none", form=form) for form in ("written out", "dual"))
    assert isinstance(written, DependencyTrees)
    assert isinstance(dual, KernelTrees)
    recipes = [
        Recipe("micro-trees", model={"kernel": "none", "form": form}) for form in ("written out", "dual")
    ]
    primal = []
    for recipe, made in zip(recipes, (written, dual), strict=True):
        *_, last = recipe.make_learner().steps(made, np.random.default_rng(0))
        primal.append(last.bounds.primal)
    assert primal[0] == pytest.approx(primal[1], rel=2e-3)
