"""Made-up names: the tags are well formed, as often as their probabilities say."""

from itertools import pairwise

import numpy as np
import pytest

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.data.entities import BEGIN, GO_ON, Names, entity_grammar
from explorer.engine.structures.chains.moves import Moves


def test_the_rows_of_the_grammar_sum_to_one_and_keep_to_the_scheme() -> None:
    grammar = entity_grammar()
    assert len(grammar.states) == 9
    assert grammar.start.sum() == pytest.approx(1.0)
    assert grammar.transitions.sum(axis=1) == pytest.approx(np.ones(9))
    moves = Moves.well_formed(grammar.states)
    assert np.array_equal(grammar.start > 0.0, moves.first)
    assert np.array_equal(grammar.transitions > 0.0, moves.after)


def test_drawn_sentences_are_well_formed_and_names_begin_and_go_on_as_often_as_they_should() -> None:
    train, test = Names(n=400, n_test=5).make()
    assert test is not None
    moves, states = Moves.well_formed(train.meta["states"]), train.meta["states"]
    assert all(moves.allow(y) for y in (*train.labels, *test.labels))
    first = np.array([states[y[0]].startswith("B-") for y in train.labels])
    assert first.mean() == pytest.approx(BEGIN, abs=4.0 * np.sqrt(BEGIN * (1 - BEGIN) / len(first)))
    inside = [states[b].startswith("I-") for y in train.labels for a, b in pairwise(y) if states[a] != "O"]
    assert np.mean(inside) == pytest.approx(GO_ON, abs=4.0 * np.sqrt(GO_ON * (1 - GO_ON) / len(inside)))


def test_well_formed_decoding_is_a_choice_of_the_model() -> None:
    recipe = Recipe("names", model={"decoding": "well-formed"})
    problem, _ = recipe.problem()
    w = np.random.default_rng(0).normal(size=problem.dim)
    moves = problem.moves
    assert all(moves.allow(y) for y in problem.predictions(w))
    free, _ = Recipe("names").problem()
    assert not all(moves.allow(y) for y in free.predictions(w))
