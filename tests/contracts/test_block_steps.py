"""A learner's plain step and its compiled twin are the same step, number by number, whatever the cuts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.engine.dual.block_steps import AWAY, PAIRWISE, TOWARD, settle
from explorer.engine.dual.plain_visitor import Block
from explorer.engine.learners import frank_wolfe, sequential_dual
from explorer.engine.visits import Plan

BOXES = {
    "sequential dual": (PAIRWISE, sequential_dual.STEPS),
    "pairwise": (PAIRWISE, frank_wolfe.STEPS),
    "toward": (TOWARD, frank_wolfe.STEPS),
    "away": (AWAY, frank_wolfe.STEPS),
}


@st.composite
def cuts(draw: st.DrawFn):
    """Some planes, perhaps equal ones, violated or not, with masses of which nothing, a part or all is
    used.
    """
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    m, dim = draw(st.integers(0, 12)), draw(st.integers(1, 6))
    a = rng.integers(-2, 3, (m, dim)) * draw(st.sampled_from([1.0, 0.1]))
    g = rng.normal(size=m) if draw(st.booleans()) else rng.integers(-1, 2, m).astype(float)
    cap, share = draw(st.sampled_from([1e-3, 1.0, 70.0])), draw(st.sampled_from([0.0, 0.5, 1.0]))
    alpha = rng.dirichlet(np.ones(m)) * cap * share if m else np.zeros(0)
    alpha[rng.random(m) < draw(st.sampled_from([0.0, 0.6]))] = 0.0
    return cap, g, a @ a.T, alpha


@pytest.mark.parametrize("box", BOXES)
@settings(derandomize=True, database=None, deadline=None)
@given(program=cuts(), moves=st.integers(1, 5))
def test_the_box_in_the_learners_file_is_what_compiled_visits_do(box: str, program, moves: int) -> None:
    (rule, steps), (cap, g, gram, alpha) = BOXES[box], program
    m = len(g)
    around = np.zeros((m + 1, m + 1))
    around[1:, 1:] = gram
    block = Block(cap, np.append(0.0, g), around, np.append(0.0, alpha), np.zeros(m + 1))
    block.settle(steps[rule], moves)
    moved = np.empty(m)
    settle(Plan(True, cap, rule, moves, 9), m, g, gram, alpha, moved)
    assert np.array_equal(block.alpha[1:], alpha)
    assert np.array_equal(block.moved[1:], moved)
    assert np.array_equal(block.g[1:], g)
    assert block.g[0] == 0.0, "the truth has no violation"


def test_every_step_of_a_plan_has_its_box() -> None:
    assert set(frank_wolfe.STEPS) == set(frank_wolfe.MOVES.values()) == {PAIRWISE, TOWARD, AWAY}
    assert set(sequential_dual.STEPS) == {PAIRWISE}


@pytest.mark.parametrize("box", BOXES)
def test_the_first_step_from_nothing_is_the_papers_formula(box: str) -> None:
    # Nothing used: from the truth, a = 0 and b = 0, the way to corner s is cap a_s, and gamma = g_s / (cap
    # |a_s|^2) <= 1.
    rule, steps = BOXES[box]
    for norm, gamma in ((8.0, 0.5), (2.0, 1.0)):
        block = Block(2.0, np.array([0.0, 8.0, 3.0]), np.diag([0.0, norm, 1.0]), np.zeros(3), np.zeros(3))
        block.settle(steps[rule], 1)
        assert block.alpha[1:].tolist() == [2.0 * gamma, 0.0]
        assert block.g.tolist() == [0.0, 8.0 - 2.0 * gamma * norm, 3.0]
