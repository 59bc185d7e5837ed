"""Sequential dual method: example by example, move mass between that example's own cuts.

    max_alpha  sum_ij alpha_ij b_ij - 1/2 |w|^2   s.t.  alpha >= 0,  sum_j alpha_ij <= C / n,
        w = sum_ij alpha_ij a_ij

Balamurugan, Shevade, Sundararajan and Keerthi 2011. A visit of example i asks the oracle at the newest w,
joins the answer to the cuts that the example holds, and takes up to `moves` steps of sequential minimal
optimisation between them: with g_q = b_q - w . a_q, from the least violated cut v with mass to the most
violated cut s,

    t = min(alpha_v, (g_s - g_v) / |a_s - a_v|^2),    alpha_s += t,   alpha_v -= t,    w += t (a_s - a_v)

which is `pairwise`, at the end of this file, and in `dual/block_steps.py` for compiled visits. Between exact
passes come cheap ones over the cached cuts alone, without the oracle (Shah, Kolmogorov and Lampert 2015),
until they gain little. A cut without mass for `keep` visits is dropped. *gap* sampling visits examples in
proportion to their last gaps, with every third pass uniform (Osokin et al. 2016).

Every pass raises the dual; every `certify_every` passes a pass over all examples at one w gives the upper
bound too, so that step's gap is a certificate. When C or the loss changes, passes go on from the cuts and
masses that are there. `seen_passes` spares calls of the oracle instead of time: the labellings already met
hold nearly all that the new optimum is made of, so where labellings can be recombined, steps from then on
first solve the problem over all recombinations of what was seen, without the oracle, and one exact pass at
one w then both proves the gap and finds what is missing. Passes run in compiled code where the problem offers
that.
Memory: the cached labellings. The fastest learner here on chains and classes, and their default: see the
README's table.
"""

from collections.abc import Generator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from explorer.engine.contracts import Objective, Problem, generator_at
from explorer.engine.dual.block_steps import PAIRWISE
from explorer.engine.dual.blocks import SAMPLINGS, DualBlocks, blocks_of
from explorer.engine.dual.plain_visitor import Block
from explorer.engine.events import Bounds, Cut, Step, Stopped
from explorer.engine.knobs import knob, settings
from explorer.engine.objective import HINGE, priced_as, primal
from explorer.engine.refusals import needs_every_weight, needs_examples, needs_finite, needs_no_rules
from explorer.engine.vectors import Array
from explorer.engine.visits import Plan


@settings
class SequentialDual:
    """Sequential dual method."""

    title: ClassVar[str] = "Sequential dual method"
    paper: ClassVar[str] = "Balamurugan, Shevade, Sundararajan, Keerthi 2011"
    certifies: ClassVar[bool] = True
    objective: ClassVar[Objective | None] = HINGE

    C: float = knob(1.0, "Price of the mean slack: larger fits the data harder.", low=1e-12, log=True)
    certify_every: int = knob(3, "Passes between two upper bounds.", low=1, high=1000)
    cached_passes: int = knob(3, "Most passes over cached cuts alone after each exact one.", low=0, high=1000)
    moves: int = knob(5, "Most pairwise steps at each visit of an example.", low=1, high=1000)
    keep: int = knob(10, "Drop a cut after this many visits without mass.", low=1, high=10_000)
    seen_passes: int = knob(
        0,
        "After C or the loss changed: most passes over recombined labellings before each exact one; 50 spare "
        "oracle calls.",
        low=0,
        high=1000,
    )
    sampling: str = knob(
        "gap", "Visit the examples with a large gap more often, or all in turn.", choices=SAMPLINGS
    )

    def refuses(self, problem: Problem) -> str | None:
        """Its masses are bounded by a finite C, and belong to examples."""
        if problem.pricing.penalty == "squared":
            return "Squared slacks leave the masses without a bound; use the n-slack learner."
        tied = needs_every_weight(
            problem, "A free bias ties all examples' masses together, which are moved one by one"
        )
        return needs_examples(problem) or needs_no_rules(problem) or needs_finite(self.C) or tied

    def steps(
        self, problem: Problem, rng: np.random.Generator, state: Mapping[str, Any] | None = None
    ) -> Generator[Step, None, Stopped]:
        """Passes without end; the caller decides when to stop."""
        rng, blocks = generator_at(rng, state), blocks_of(problem, self.C, STEPS, state)
        k = state["k"] + 1 if state else 0
        plan = Plan(True, blocks.share, PAIRWISE, self.moves, self.keep)
        changed = state is not None and (state["share"], state["priced_as"]) != (
            blocks.share,
            priced_as(problem),
        )
        recombines = blocks.alphabet > 0 and self.seen_passes > 0
        resolving = recombines and state is not None and (changed or state.get("resolving", False))
        if changed and not resolving:
            blocks.visit_cached(rng, plan, self.cached_passes)
        while True:
            cuts, slack = (
                self._solve_again(blocks, rng, plan) if resolving else self._pass(blocks, rng, plan, k)
            )
            upper = np.nan if slack is None else primal(problem, blocks.w, self.C, slack)
            detail = blocks.planes() | {"added": len(cuts), "gap_estimate": blocks.gap_estimate}
            detail |= {} if slack is None else {"slack": slack}
            bounds = Bounds(upper, blocks.dual, problem.oracle_is_exact)
            keyframe = blocks.snapshot() | {"k": k, "rng": rng.bit_generator.state, "resolving": resolving}
            yield Step(k, keyframe["w"], cuts, bounds, detail, keyframe)
            k += 1

    def _pass(
        self, blocks: DualBlocks, rng: np.random.Generator, plan: Plan, k: int
    ) -> tuple[Sequence[Cut], Array | None]:
        """One exact pass and the cached ones after it: the cuts found, and now and then every slack."""
        cuts = blocks.visit(blocks.order(rng, self.sampling, k), plan)
        blocks.visit_cached(rng, plan, self.cached_passes)
        return cuts, blocks.slacks() if (k + 1) % self.certify_every == 0 else None

    def _solve_again(
        self, blocks: DualBlocks, rng: np.random.Generator, plan: Plan
    ) -> tuple[Sequence[Cut], Array]:
        """Everything seen so far solved first, then one exact pass at one w: the cuts of both, and every
        slack.
        """
        made = blocks.visit_seen(rng, plan, self.seen_passes)
        found, slack = blocks.sweep(plan)
        return blocks.join([made, found]), slack


def pairwise(block: Block) -> bool:
    """One step of sequential minimal optimisation; the truth, with a = 0 and g = 0, holds the mass that is
    free.
    """
    s, v = block.most_violated, block.least_violated
    rise = block.g[s] - block.g[v]
    if rise <= 0.0:
        return False
    bend = block.gram[s, s] + block.gram[v, v] - 2.0 * block.gram[s, v]
    t = min(block.alpha[v], rise / bend) if bend > 0.0 else block.alpha[v]
    block.transfer(t, s, v)
    return bool(t > 0.0)


STEPS = {PAIRWISE: pairwise}
