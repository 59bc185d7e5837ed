"""The tagging model of the treebank thesis: how many weights it has, and what training it is worth."""

import numpy as np
import pytest

from explorer.engine.contracts import Dataset
from explorer.engine.data.words import sparse_tagging
from explorer.engine.learners import SequentialDual
from explorer.engine.runs.streams import Until, train
from explorer.engine.structures.chains.problem import Chain
from explorer.engine.structures.classes.multiclass import Multiclass


def trained(problem, C: float) -> np.ndarray:
    """The weights at a relative gap of two per cent."""
    steps = [e for e in train(problem, SequentialDual(C=C), rule=Until(relative_gap=0.02)) if hasattr(e, "w")]
    return steps[-1].w


@pytest.mark.spec("F34")
def test_on_text_of_a_hidden_markov_model_it_beats_single_words_and_comes_near_the_counted_model() -> None:
    data, other = sparse_tagging(150, 150, vocabulary=120, tags=4, seed=3)
    words = [
        Dataset(part.name, [x[:, :120] for x in part.inputs], part.labels, part.meta)
        for part in (data, other)
    ]
    problem, test = (Chain(part, 4, ends=False) for part in words)
    d, T = 120, 4
    assert problem.dim == d * T + T * T
    structured = np.concatenate(test.predictions(trained(problem, 30.0))) != test.truth
    alone = Multiclass(Dataset("words", problem.rows, problem.truth), T)
    single = np.array(alone.on(Dataset("words", test.rows, test.truth)).predictions(trained(alone, 30.0)))
    counted = np.concatenate(test.predictions(problem.generative_weights(False, 0.5))) != test.truth
    assert structured.mean() <= np.mean(single != test.truth)
    assert structured.mean() <= counted.mean() + 0.01
