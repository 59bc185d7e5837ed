"""What the frames and updates of a page cost, in units of about ten milliseconds."""

import itertools

import numpy as np

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.learners import NSlack
from explorer.engine.runs.streams import Until
from explorer.engine.structures.clusterings.oracles import GreedyMerges
from explorer.views.kit.memory import Memory
from explorer.views.labelling import frame as labelling
from explorer.views.risk_slice import frame as risk_slice
from explorer.views.similarity.view import Similarity
from explorer.views.surface import cuts
from explorer.views.surface import frame as surface
from explorer.views.working_set import frame as working_set
from tests.speed.measure import units
from tests.views.labelling.test_labelling import trace_of
from tests.views.risk_slice import test_risk_slice
from tests.views.similarity.test_similarity import drawn_set, session_of
from tests.views.similarity.test_similarity import trace_of as similarity_trace
from tests.views.surface.test_cuts import C, run
from tests.views.working_set import test_working_set

CIRCLE = test_working_set.CIRCLE


def test_a_frame_of_a_striped_picture_takes_less_than_a_unit() -> None:
    problem, _ = Recipe(task="stripes", data={"n": 2, "n_test": 1}).problem()
    trace = trace_of(problem, np.random.default_rng(0).normal(size=problem.dim))
    memory = Memory(4)
    assert units(lambda: labelling.sums(labelling.frame(problem, trace, 0, memory=memory)), 20) < 1.0


def test_frames_of_a_run_of_ten_thousand_steps_take_a_hundred_units_at_most() -> None:
    trace = test_working_set.long_trace(10_000)
    assert units(lambda: working_set.frame(CIRCLE, trace, 9_999)) < 100.0
    trace = test_risk_slice.long_trace(10_000)
    assert units(lambda: risk_slice.frame(CIRCLE, trace, 9_998)) < 100.0


def test_a_full_model_takes_a_hundred_units_at_most() -> None:
    problem = Recipe(task="animals", data={"per_class": 50}).problem()[0]
    trace = run(problem, NSlack(C=C), Until(relative_gap=0.0, steps=3))
    over = surface.frame(problem, trace, 1, C)
    assert units(lambda: cuts.frame(problem, trace, over, "model")) < 100.0


def test_an_update_of_300_items_takes_fifteen_units_at_most() -> None:
    problem, _ = drawn_set(300, separator=GreedyMerges(), predictor=GreedyMerges())
    rng = np.random.default_rng(0)
    steps = [np.array([1.0, 0.0]) + 0.1 * rng.normal(size=2) for _ in range(7)]
    session = session_of(problem, similarity_trace(problem, *steps))
    view, at = Similarity(session), itertools.count()

    def update() -> None:
        session.cursor = next(at) % len(steps)

    assert units(update, 6) < 15.0
    view.close()
    session.close()
