"""Arcs of trees: what is drawn is what enumeration finds, and the words say it."""

from typing import Any

import numpy as np
import pytest

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.data.readers.treebank import micro_treebank
from explorer.engine.events import Bounds, Started, Step
from explorer.engine.runs.trace import Trace
from explorer.engine.structures.trees.heads import all_trees
from explorer.engine.structures.trees.oracles import GreedyHeads
from explorer.engine.structures.trees.problem import DependencyTrees
from explorer.session.state import Session
from explorer.views import VIEWS, structure_of
from explorer.views.kit.depiction import depiction_of
from explorer.views.kit.drawing.theme import DARK, PROJECTOR
from explorer.views.tree_arcs import frame as numbers
from explorer.views.tree_arcs.frame import GAP, ROLES
from explorer.views.tree_arcs.view import TreeArcs


def made(seed: int = 0, scale: float = 0.4, **more: Any) -> tuple[DependencyTrees, Trace]:
    problem = DependencyTrees(micro_treebank(), **more)
    trace = Trace()
    trace.append(Started(problem.name, "1-slack", problem.n, problem.dim, 0, True, {"C": 1.0}))
    w = np.random.default_rng(seed).normal(scale=scale, size=problem.dim)
    trace.append(Step(0, w, bounds=Bounds(1.0)))
    return problem, trace


def score(shown: Any, heads: Any) -> float:
    return float(sum(shown.scores[h, d] for d, h in enumerate(heads)))


@pytest.mark.parametrize("example", [0, 2])
def test_prediction_and_most_violated_tree_are_those_of_enumeration(example: int) -> None:
    for seed in range(5):
        problem, trace = made(seed)
        shown = numbers.frame(problem, trace, 0, example)
        truth, trees = shown.heads["truth"], list(all_trees(len(shown)))
        assert truth.tolist() == problem.dataset.labels[example].tolist()
        assert shown.score("guess") == pytest.approx(max(score(shown, y) for y in trees), abs=1e-12)
        worth = max(np.mean(y != truth) - score(shown, truth) + score(shown, y) for y in trees)
        assert shown.violation == pytest.approx(worth, abs=1e-12)
        assert shown.loss["truth"] == 0.0


def test_arcs_lead_from_head_to_word_and_the_most_violated_tree_hangs_below() -> None:
    problem, trace = made()
    shown = numbers.frame(problem, trace, 0, 0)
    for role in ROLES:
        xs, ys = numbers.arcs(shown, role)
        assert [(round(x[0]), round(x[-1])) for x in xs] == [
            (h, d) for d, h in enumerate(shown.heads[role], start=1)
        ]
        below = role == "most tempting"
        assert all(y[0] == pytest.approx(-GAP if below else GAP) for y in ys)
        assert all((np.max(y) < 0.0) == below for y in ys)


@pytest.mark.spec("F19")
def test_the_sentence_counts_wrong_heads_and_names_a_circle() -> None:
    problem, trace = made(predictor=GreedyHeads())
    atoms = problem.space.atoms
    w = np.zeros(problem.dim)
    table = atoms.of(problem.dataset.inputs[0])[0]
    w[table[2, 0]] = w[table[1, 1]] = 5.0  # Der and Hund take each other
    trace.append(Step(1, w, bounds=Bounds(1.0)))
    shown = numbers.frame(problem, trace, 1, 0)
    assert shown.heads["guess"].tolist()[:2] == [2, 1]
    assert shown.circle == ("Der", "Hund")
    assert "no tree, the heads of Der, Hund run in a circle" in numbers.sentence(shown)
    assert "Example 0, step 1: 1 wrong head of 3, 33% of the edges" in numbers.sentence(shown)
    untrained = numbers.frame(problem, Trace(), 0, 9, "Test example")
    assert untrained.example == 3
    assert numbers.sentence(untrained).startswith("Test example 3, untrained: ")


def test_the_table_has_every_word_with_its_heads() -> None:
    problem, trace = made()
    found = numbers.table(numbers.frame(problem, trace, 0, 1))
    assert found["word"] == ["Katzen", "jagen", "Hunde"]
    assert found["head, truth"] == ["jagen", "root", "jagen"]
    assert len(found["score, most tempting"]) == 3


def test_every_view_shows_a_run_of_trees() -> None:
    session = Session(Recipe(task="register-trees", data={"n": 12, "n_test": 4}, rule={"steps": 3}))
    problem = session.problem
    assert structure_of(problem) is TreeArcs
    session.show_finished()
    session.cursor = 2
    for kind in VIEWS:
        if not kind.fits(problem):
            continue
        view = kind(session)
        assert "role='status'" in view.words.object, kind
        for theme in (DARK, PROJECTOR):
            view.theme = theme
        view.table_open = True
        view.close()
    view = TreeArcs(session)
    assert "step 2" in view.words.object
    view.chooser.choose(2)
    assert session.example == 2
    assert "Example 2" in view.words.object
    session.split = "test"
    assert "Test example" in view.words.object
    view.close()
    session.close()


def test_weights_are_named_by_the_edges_that_they_are_for() -> None:
    problem = DependencyTrees(micro_treebank())
    found = depiction_of(problem).weights(problem)[0]
    assert found.word(0) == "root > D +1"
