"""Blocks of the dual: the compiled and the plain way are the same algorithm, and a snapshot holds all of
it.
"""

from dataclasses import dataclass

import numpy as np
import pytest

from explorer.engine.dual import blocks as module
from explorer.engine.dual import compiled_visitor
from explorer.engine.dual.block_steps import AWAY, PAIRWISE, TOWARD
from explorer.engine.dual.blocks import DualBlocks, blocks_of
from explorer.engine.dual.compiled_visitor import CompiledVisitor
from explorer.engine.dual.plain_visitor import PlainVisitor
from explorer.engine.events import bare
from explorer.engine.learners.frank_wolfe import STEPS
from explorer.engine.losses import ZeroOne
from explorer.engine.refusals import Refused
from explorer.engine.structures.chains.problem import Chain
from explorer.engine.structures.classes.multiclass import Multiclass
from explorer.engine.visits import Plan
from tests.catalogue import chains, points


@dataclass(frozen=True)
class SlowChain(Chain):
    """The same chains without compiled visits."""

    @property
    def visitable(self) -> bool:
        return False


def visited(blocks: DualBlocks, passes: int, rule: int, moves: int = 3) -> DualBlocks:
    rng = np.random.default_rng(2)
    for k in range(passes):
        blocks.visit(rng.permutation(blocks.problem.n), Plan(k % 2 == 0, blocks.share, rule, moves, 4))
    return blocks


@pytest.mark.parametrize("rule", [PAIRWISE, TOWARD, AWAY])
def test_the_plain_way_takes_the_compiled_steps(rule: int) -> None:
    # One step a visit: after a step the cut that rose is level with the truth, and rounding decides such a
    # tie.
    data = chains(8, seed=1)
    fast, slow = (
        visited(blocks_of(kind(data, 3), 10.0, STEPS), 14, rule, moves=1) for kind in (Chain, SlowChain)
    )
    assert type(fast.visitor) is CompiledVisitor
    assert type(slow.visitor) is PlainVisitor
    assert fast.w == pytest.approx(slow.w, abs=1e-9)
    assert fast.dual == pytest.approx(slow.dual)
    assert fast.cache.gaps == pytest.approx(slow.cache.gaps, abs=1e-9)
    for name in ("ids", "example", "b", "alpha"):
        assert fast.planes()[name] == pytest.approx(slow.planes()[name], abs=1e-9)


def test_a_loss_that_compiled_visits_cannot_fold_in_is_visited_plainly() -> None:
    assert type(blocks_of(Chain(chains(4), 3, ZeroOne()), 1.0, STEPS).visitor) is PlainVisitor


@pytest.mark.parametrize("kinds", [(Chain, SlowChain), (SlowChain, Chain)])
def test_a_snapshot_of_one_way_goes_on_in_the_other(kinds) -> None:
    data = chains(8, seed=1)
    before = visited(blocks_of(kinds[0](data, 3), 10.0, STEPS), 9, PAIRWISE)
    after = blocks_of(kinds[1](data, 3), 10.0, STEPS, before.snapshot())
    assert after.w == pytest.approx(before.w, abs=1e-12)
    assert after.dual == pytest.approx(before.dual)
    assert after.cache.held.tolist() == before.cache.held.tolist()
    both = [visited(blocks, 300, PAIRWISE).dual for blocks in (before, after)]
    assert both[0] == pytest.approx(both[1], rel=1e-6)


@pytest.mark.parametrize("factor", [0.4, 1.01, 2.5, 1000.0])
def test_another_c_scales_masses_and_weights_as_far_as_the_dual_rises(factor: float) -> None:
    problem = Multiclass(points(12), 3)
    before = visited(blocks_of(problem, 10.0, STEPS), 9, PAIRWISE)
    after = blocks_of(problem, 10.0 * factor, STEPS, before.snapshot())
    linear = float(before.planes()["alpha"] @ before.planes()["b"])
    scales = np.linspace(0.0, min(factor, 5.0), 4001)
    t = scales[np.argmax(scales * linear - 0.5 * scales**2 * (before.w @ before.w))]
    assert after.w == pytest.approx(t * before.w, rel=2e-3)
    assert after.planes()["alpha"] == pytest.approx(t * before.planes()["alpha"], rel=2e-3)
    assert after.dual == pytest.approx(t * linear - 0.5 * t**2 * (before.w @ before.w), rel=1e-4)


@pytest.mark.parametrize(
    "broken",
    [
        {"count": np.full(8, 10**6)},
        {"count": np.full(8, -1)},
        {"count": np.zeros(3, int)},
        {"alpha": np.zeros(1)},
        {"labels": np.zeros(1, np.int32)},
        {"gaps": np.zeros(2)},
    ],
    ids=lambda broken: next(iter(broken)),
)
def test_a_snapshot_whose_parts_do_not_fit_is_refused(broken) -> None:
    problem = Chain(chains(8, seed=1), 3)
    state = visited(blocks_of(problem, 10.0, STEPS), 9, PAIRWISE).snapshot()
    with pytest.raises(Refused, match="fit this problem"):
        blocks_of(problem, 10.0, STEPS, state | broken)


@pytest.mark.parametrize("state", [-1, 3, 2**30])
def test_a_snapshot_that_names_an_unknown_state_is_refused(state: int) -> None:
    problem = Chain(chains(8, seed=1), 3)
    saved = visited(blocks_of(problem, 10.0, STEPS), 9, PAIRWISE).snapshot()
    saved["labels"][2] = state
    with pytest.raises(Refused, match="outside 0 to 2"):
        blocks_of(problem, 10.0, STEPS, saved)


def test_room_grows_with_the_need_and_nothing_is_lost() -> None:
    problem = Chain(chains(4, longest=6, features=2, states=4, seed=2), 4)
    small = visited(blocks_of(problem, 500.0, STEPS, few=1), 40, TOWARD)
    large = visited(blocks_of(problem, 500.0, STEPS, few=64), 40, TOWARD)
    assert small.cache.held.max() >= 4
    assert small.dual > 0.5 * large.dual
    assert problem.rebuild(small.cache) == pytest.approx(small.w, abs=1e-9)


def test_cuts_found_are_a_sequence_and_need_no_features_to_be_shown() -> None:
    problem = Chain(chains(6, seed=1), 3)
    found = blocks_of(problem, 5.0, STEPS).visit(np.arange(problem.n), Plan(True, 1.0, PAIRWISE, 1, 4))
    assert [cut.i for cut in found] == [cut.i for cut in bare(found)]
    assert found[-1].label.tolist() == found[len(found) - 1].label.tolist()
    assert [cut.i for cut in found[1:3]] == [found[1].i, found[2].i]
    with pytest.raises(IndexError):
        found[len(found)]
    assert all(len(cut.psi) == 0 for cut in bare(found))


def test_cuts_are_numbered_from_zero_as_they_are_found() -> None:
    for kind in (Chain, SlowChain):
        blocks = blocks_of(kind(chains(8, seed=1), 3), 10.0, STEPS)
        found = blocks.visit(np.arange(8), Plan(True, blocks.share, PAIRWISE, 1, 4))
        assert sorted(blocks.planes()["ids"]) == list(range(len(found)))
        assert blocks.planes()["dropped"] == 0


def test_an_example_with_a_huge_gap_is_drawn_often_but_not_always() -> None:
    blocks = blocks_of(Multiclass(points(100), 3), 1.0, STEPS)
    blocks.cache.gaps[:] = 1.0
    blocks.cache.gaps[0] = 100.0
    rng = np.random.default_rng(0)
    drawn = np.concatenate([blocks.order(rng, "gap", 1) for _ in range(200)])
    # Ten times the mean gap, 19.9, of 19.9 + 99 in all: 3,347 of 20,000, give or take 53.
    assert np.count_nonzero(drawn == 0) == pytest.approx(3347, abs=250)


def test_passes_over_what_was_seen_go_on_until_a_hundredth_of_the_first_gain_is_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    blocks = blocks_of(Chain(chains(4, seed=1), 3), 10.0, STEPS)
    ahead = iter([40.0, 30.0, 0.5, 0.39, 0.1])

    def visit(order, plan):
        assert plan.recombine
        assert not plan.exact
        blocks.cache.gaps[:] = next(ahead) / 4

    monkeypatch.setattr(blocks, "visit", visit)
    monkeypatch.setattr(blocks.visitor, "keep_since", lambda cache, since: ())
    blocks.visit_seen(np.random.default_rng(0), Plan(True, blocks.share, PAIRWISE, 1, 4), 10)
    assert list(ahead) == [0.1]


@pytest.mark.parametrize("kind", [Chain, SlowChain])
def test_room_grows_as_far_as_memory_allows(kind, monkeypatch: pytest.MonkeyPatch) -> None:
    data = chains(4, longest=6, features=2, states=4, seed=2)
    monkeypatch.setattr(module, "MOST_PRODUCTS", 4 * 2**2)
    blocks = visited(blocks_of(kind(data, 4), 500.0, STEPS, few=1), 40, TOWARD)
    assert blocks.cache.held.max() == 2
    assert blocks.visitor.rebuild(blocks.cache) == pytest.approx(blocks.w, abs=1e-9)
    assert float(np.abs(blocks.w).max()) > 0.0


def test_of_recombined_cuts_those_with_mass_are_kept_and_told_with_their_labellings() -> None:
    problem = Chain(chains(8, longest=6, seed=3), 3)
    blocks, rng = blocks_of(problem, 8.0, STEPS), np.random.default_rng(0)
    for _ in range(3):
        blocks.visit(rng.permutation(8), Plan(True, blocks.share, PAIRWISE, 2, 5))
    before = blocks.planes()
    since = blocks.born
    found = blocks.visit_seen(rng, Plan(True, blocks.share, PAIRWISE, 3, 5), 20)
    after = blocks.planes()
    new = after["ids"] >= since
    assert len(found) == np.count_nonzero(new) > 0
    assert np.all(after["alpha"][new] > 0.0)
    assert set(after["ids"][~new]) <= set(before["ids"])
    for cut, i, b in zip(found, after["example"][new], after["b"][new], strict=True):
        assert cut.i == i
        assert problem.loss(int(i), cut.label) == pytest.approx(b)
    assert problem.rebuild(blocks.cache) == pytest.approx(blocks.w, abs=1e-9)


def test_labellings_of_many_examples_are_taken_back_some_examples_at_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Three examples at a time, what a snapshot held is in its place again."""
    monkeypatch.setattr(compiled_visitor, "AT_ONCE", 3)
    problem = Chain(chains(8, seed=1), 3)
    before = visited(blocks_of(problem, 10.0, STEPS), 9, PAIRWISE)
    state = before.snapshot()
    after = blocks_of(problem, 10.0, STEPS, state)
    assert len(set(state["labels"].tolist())) > 1
    assert np.array_equal(after.snapshot()["labels"], state["labels"])
