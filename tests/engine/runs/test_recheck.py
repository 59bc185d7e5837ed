"""Beside an oracle that misses labellings an exact one is asked now and then, and its slack is recorded and
shown.
"""

import math

import numpy as np
import pytest

from explorer.engine.events import Bounds, Evaluated
from explorer.engine.learners import OneSlack
from explorer.engine.losses import Hamming
from explorer.engine.objective import slacks, sweep
from explorer.engine.runs.streams import Until, train
from explorer.engine.runs.trace import TRUE_SLACK, Trace
from explorer.engine.structures.fields.label_map import LabelMap, all_pairs
from explorer.engine.structures.fields.oracles import Belief, Exhaustive, RoofDuality, Tree
from explorer.engine.structures.fields.problem import FieldLabelling
from explorer.views.inspector.step_formulas import facts, recheck_line
from tests.catalogue import labels_of_rows

MAP = LabelMap(4, all_pairs(4))
PER_CENT = Hamming(normalised=True, times=100.0)


def run(problem: FieldLabelling) -> Trace:
    trace = Trace()
    for event in train(problem, OneSlack(C=1e4), rule=Until(steps=60), look_every=1.0):
        trace.append(event)
    return trace


@pytest.mark.spec("D25")
def test_an_early_victory_is_exposed_by_the_exact_oracle() -> None:
    data = labels_of_rows(n=30, labels=4, seed=2)
    problem = FieldLabelling(data, MAP, PER_CENT, separator=Belief(sweeps=1))
    trace = run(problem)
    true, found = trace.column(TRUE_SLACK), trace.column("mean_slack")
    exact = FieldLabelling(data, MAP, PER_CENT)
    last = len(trace) - 1
    by_hand = float(np.mean(slacks(exact, sweep(exact, trace.at(last).w))))
    assert true[last] == pytest.approx(by_hand, rel=1e-12)
    assert np.all(true >= found - 1e-9), "an exact oracle never finds less"
    assert true[last] > found[last] + 1.0, "one sweep of messages on a dense field misses labellings"
    line = recheck_line(facts(problem, trace, last))
    assert line[0].value == true[last]
    assert "missed" in line[0].html


def test_exact_and_relaxed_oracles_are_not_checked_again() -> None:
    for separator in (Exhaustive(), RoofDuality()):
        problem = FieldLabelling(labels_of_rows(labels=4), MAP, PER_CENT, separator=separator)
        assert problem.exact_twin is None
        trace = run(problem)
        assert TRUE_SLACK not in trace.names
        assert recheck_line(facts(problem, trace, len(trace) - 1)) == []


def test_the_exact_oracle_is_one_that_the_graphs_allow() -> None:
    forest = LabelMap(4, ((0, 1), (1, 2)))
    twin = FieldLabelling(labels_of_rows(labels=4), forest, PER_CENT, separator=Belief()).exact_twin
    assert twin is not None
    assert isinstance(twin.separator, Tree)
    many = LabelMap(17, all_pairs(17))
    large = FieldLabelling(
        labels_of_rows(n=40, labels=17), many, PER_CENT, separator=Belief(), predictor=Belief()
    )
    assert large.exact_twin is None, "40 times 2^17 labellings are too many"


def test_a_look_without_an_exact_oracle_says_nothing_of_it() -> None:
    assert math.isnan(Evaluated(0, Bounds(), 1.0, 1.0).true_slack)
