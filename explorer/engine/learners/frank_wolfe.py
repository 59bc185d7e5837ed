"""Block-coordinate Frank-Wolfe on the dual: no step size, one oracle call per move.

    max_alpha  sum_i sum_y alpha_i(y) r_i(y) - 1/2 |w|^2,    w = sum_i sum_y alpha_i(y) u psi_i(y),
    alpha_i >= 0 over the labellings of i, of total mass at most C / n

Lacoste-Julien, Jaggi, Schmidt and Pletscher 2013, Algorithm 4, in our scale (theirs: lambda = 1 / C). Visit
example i: the oracle's labelling s at the newest w is the best corner of block i; go there as far as the dual
rises; let w follow. With (a_i, b_i) the mean of the example's labellings under alpha_i, the share of the way
to go is

    gamma = clip(g / ((C/n) |a_s - a_i|^2), 0, 1),   g = (b_s - b_i) - w . (a_s - a_i),    block gap = (C/n) g

This is `toward`, at the end of this file. `pairwise` takes the mass from the example's worst labelling
instead of from all of them, `away` leaves the worst corner when that promises more (Lacoste-Julien and Jaggi
2015): both converge without the zigzag. Compiled visits have the same three steps in `dual/block_steps.py`.
*gap* sampling draws the examples in proportion to their last block gaps, with every third pass uniform
(Osokin et al. 2016). `cached_passes` adds, after each exact pass, cheap ones over the labellings that are
kept (Shah, Kolmogorov and Lampert 2015). *Averaged*: after move k, w_bar <- k/(k+2) w_bar + 2/(k+2) w, and
its dual's linear part likewise.

Kept are labellings and their masses: they do not depend on the loss, and scale with C. Passes run in compiled
code where the problem offers that (not when averaging). The dual is exact at the step's w (a bound at w_bar
too, being concave) and never falls without averaging; the sum of the block gaps is an estimate of primal -
dual, no certificate, because every gap was seen at another w.
"""

from collections.abc import Generator, Mapping
from typing import Any, ClassVar

import numpy as np

from explorer.engine.contracts import Objective, Problem, generator_at
from explorer.engine.dual.block_steps import AWAY, PAIRWISE, TOWARD, inner
from explorer.engine.dual.blocks import SAMPLINGS, DualBlocks, blocks_of
from explorer.engine.dual.plain_visitor import Block
from explorer.engine.events import Bounds, Step, Stopped
from explorer.engine.knobs import knob, settings
from explorer.engine.objective import HINGE, priced_as
from explorer.engine.refusals import needs_every_weight, needs_examples, needs_finite, needs_no_rules
from explorer.engine.vectors import Array, Ints, squared_norm
from explorer.engine.visits import Plan

MOVES = {"toward": TOWARD, "pairwise": PAIRWISE, "away": AWAY}
KEEP = 10
"""Visits after which a labelling without mass is dropped."""


@settings
class FrankWolfe:
    """Block-coordinate Frank-Wolfe."""

    title: ClassVar[str] = "Block-coordinate Frank-Wolfe"
    paper: ClassVar[str] = "Lacoste-Julien, Jaggi, Schmidt, Pletscher 2013, Alg. 4"
    certifies: ClassVar[bool] = True
    objective: ClassVar[Objective | None] = HINGE

    C: float = knob(1.0, "Price of the mean slack: larger fits the data harder.", low=1e-12, log=True)
    sampling: str = knob(
        "uniform", "Visit all examples in turn, or those with a large gap.", choices=SAMPLINGS
    )
    move: str = knob("toward", "How mass moves to the oracle's labelling: from where.", choices=tuple(MOVES))
    cached_passes: int = knob(
        0, "Most passes over the kept labellings after each exact one.", low=0, high=1000
    )
    averaged: bool = knob(False, "Answer with a weighted mean of all weights so far.")
    passes_per_step: int = knob(1, "Passes between two steps shown.", low=1, high=1000)

    def refuses(self, problem: Problem) -> str | None:
        """Its line search is for linear slacks of examples, priced by a finite C."""
        if problem.pricing.penalty == "squared":
            return "Squared slacks leave the dual without bounds to walk in; use the n-slack learner."
        tied = needs_every_weight(
            problem, "A free bias ties all examples' masses together, which are moved one by one"
        )
        return needs_examples(problem) or needs_no_rules(problem) or needs_finite(self.C) or tied

    def steps(
        self, problem: Problem, rng: np.random.Generator, state: Mapping[str, Any] | None = None
    ) -> Generator[Step, None, Stopped]:
        """Passes without end; the caller decides when to stop."""
        rng, blocks = generator_at(rng, state), blocks_of(problem, self.C, STEPS, state)
        plan = Plan(True, blocks.share, MOVES[self.move], 1, KEEP)
        mean = Mean(blocks, state)
        k, passes = (state["k"] + 1, state["passes"]) if state else (0, 0)
        while True:
            added = 0
            for _ in range(self.passes_per_step):
                order = blocks.order(rng, self.sampling, passes)
                added += mean.visit(blocks, order, plan) if self.averaged else len(blocks.visit(order, plan))
                blocks.visit_cached(rng, plan, self.cached_passes)
                passes += 1
            w, dual = (mean.w.copy(), mean.dual) if self.averaged else (blocks.w.copy(), blocks.dual)
            keyframe = (
                blocks.snapshot()
                | mean.snapshot()
                | {"k": k, "passes": passes, "rng": rng.bit_generator.state}
            )
            held = blocks.planes()
            detail = {"gap_estimate": blocks.gap_estimate, "passes": passes, "added": added}
            detail |= {name: held[name] for name in ("planes", "active")}
            yield Step(
                k,
                w,
                bounds=Bounds(dual=dual, certificate=problem.oracle_is_exact),
                detail=detail,
                state=keyframe,
            )
            k += 1


class Mean:
    """The weighted mean of all iterates so far, and of the linear part of their duals."""

    def __init__(self, blocks: DualBlocks, state: Mapping[str, Any] | None) -> None:
        self.w, self.linear, self.moves = blocks.w.copy(), linear_part(blocks), 0
        if state is not None and state["priced_as"] == priced_as(blocks.problem):
            grown = blocks.share / state["share"]
            self.w, self.linear, self.moves = grown * state["w_bar"], grown * state["l_bar"], state["moves"]

    @property
    def dual(self) -> float:
        """A lower bound: the dual is concave."""
        return self.linear - 0.5 * squared_norm(self.w)

    def visit(self, blocks: DualBlocks, order: Ints, plan: Plan) -> int:
        """Visit one example at a time, and take the mean after each; returns how many labellings were new."""
        added = 0
        for i in order:
            added += len(blocks.visit(np.array([i]), plan))
            t = 2.0 / (self.moves + 2)
            self.w = (1.0 - t) * self.w + t * blocks.w
            self.linear = (1.0 - t) * self.linear + t * linear_part(blocks)
            self.moves += 1
        return added

    def snapshot(self) -> dict[str, Array | float | int]:
        """Everything needed to go on."""
        return {"w_bar": self.w, "l_bar": self.linear, "moves": self.moves}


def linear_part(blocks: DualBlocks) -> float:
    """sum of alpha r: the dual without its square."""
    return blocks.dual + 0.5 * squared_norm(blocks.w)


def toward(block: Block) -> bool:
    """To the corner s of the most violated labelling; what that gains at first order is the block gap."""
    s = block.most_violated
    way = -block.alpha
    way[s] += block.cap
    block_gap = block.cap * block.g[s] - inner(block.alpha, block.g)
    return line_search(block, way, block_gap, 1.0)


def pairwise(block: Block) -> bool:
    """From the worst labelling v with mass to s: gamma = min(alpha_v, (g_s - g_v) / |a_s - a_v|^2)."""
    s, v = block.most_violated, block.least_violated
    gain = block.g[s] - block.g[v]
    if gain <= 0.0:
        return False
    bend = block.gram[s, s] + block.gram[v, v] - 2.0 * block.gram[s, v]
    gamma = min(block.alpha[v], gain / bend) if bend > 0.0 else block.alpha[v]
    block.transfer(gamma, s, v)
    return bool(gamma > 0.0)


def away(block: Block) -> bool:
    """Off the corner v of the worst labelling with mass, if that gains more than going to s, until v has no
    mass left.
    """
    s, v, here = block.most_violated, block.least_violated, inner(block.alpha, block.g)
    block_gap, escape = block.cap * block.g[s] - here, here - block.cap * block.g[v]
    if escape <= block_gap or block.alpha[v] >= block.cap:
        return toward(block)
    way = block.alpha.copy()
    way[v] -= block.cap
    return line_search(block, way, escape, block.alpha[v] / (block.cap - block.alpha[v]))


def line_search(block: Block, way: Array, gain: float, longest: float) -> bool:
    """Go gamma = clip(gain / |sum_q way_q a_q|^2, 0, longest) along the way; gain is what the dual rises by
    at first.
    """
    if gain <= 0.0:
        return False
    product = np.array([inner(row, way) for row in block.gram])
    bend = inner(way, product)
    gamma = min(longest, gain / bend) if bend > 0.0 else longest
    after = np.maximum(0.0, block.alpha + gamma * way)
    if gamma == longest:
        after[way < 0.0] = 0.0  # exactly, whatever rounding says
    block.moved += after - block.alpha
    block.alpha[:] = after
    block.g -= gamma * product
    return bool(gamma > 0.0)


STEPS = {TOWARD: toward, PAIRWISE: pairwise, AWAY: away}
