"""Well-formed tags: the best labelling without a forbidden move, as enumeration finds it."""

from dataclasses import replace

import numpy as np
import pytest

from explorer.engine.contracts import Dataset
from explorer.engine.refusals import Refused
from explorer.engine.structures.chains.moves import Moves
from explorer.engine.structures.chains.oracles import Enumerate
from explorer.engine.structures.chains.problem import Chain
from tests import brute

TAGS = ("B-LOC", "B-PER", "I-LOC", "I-PER", "O")


def test_an_entity_goes_on_only_where_one_of_its_kind_began() -> None:
    moves = Moves.well_formed(TAGS)
    assert moves.first.tolist() == [True, True, False, False, True]
    assert moves.after[:, 2].tolist() == [True, False, True, False, False]
    assert moves.after[:, 3].tolist() == [False, True, False, True, False]
    assert moves.after[:, [0, 1, 4]].all()
    assert moves.allow(np.array([0, 2, 2, 4, 1]))
    assert not moves.allow(np.array([2, 4]))
    assert not moves.allow(np.array([1, 2]))


@pytest.mark.parametrize("seed", range(20))
def test_predictions_are_the_best_of_all_well_formed_labellings(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(int(rng.integers(1, 6)), 3))
    moves = Moves.well_formed(TAGS)
    problem = Chain(Dataset("one", (x,), (np.full(len(x), 4),)), 5, moves=moves)
    w = rng.normal(size=problem.dim)
    parts = problem.parts(w)
    paths, scores = brute.all_paths_with_scores(brute.Chain(x @ parts[0], *parts[1:]))
    good = np.array([moves.allow(path) for path in paths])
    best = paths[good][np.argmax(scores[good])]
    for made in (problem, replace(problem, predictor=Enumerate())):
        assert made.predict(w, x).tolist() == best.tolist()
        assert made.predictions(w)[0].tolist() == best.tolist()


def test_states_that_are_no_tags_are_refused() -> None:
    with pytest.raises(Refused, match="B-I-O"):
        Moves.well_formed(("a", "b"))
