"""Block-coordinate Frank-Wolfe on the dual: no step size, one oracle call per move.

    max_alpha  l - 1/2 |w|^2,    w = (C/n) sum_i a_i,   l = (C/n) sum_i b_i,
    (a_i, b_i) = sum_y alpha_i(y) (u psi_i(y), r_i(y)),    alpha_i in a simplex over the labellings of i

Lacoste-Julien, Jaggi, Schmidt, Pletscher 2013, Algorithm 4, in our scale (theirs: lambda = 1 / C). For one
example i: the oracle's plane (a_s, b_s) is the best corner of block i; move towards it as far as the dual
rises,

    gamma = clip(g / ((C/n) |a_s - a_i|^2), 0, 1),   g = (b_s - b_i) - w . (a_s - a_i),    block gap = (C/n) g

*uniform* visits the examples in a new random order each pass; *gap* (Osokin et al. 2016) draws them in
proportion to their last known block gaps, with every third pass uniform so that no estimate grows old.
*Averaged*: after move k, w_bar <- k/(k+2) w_bar + 2/(k+2) w, and l_bar likewise.

Each block is kept as a plane of its labellings, sparse where the features are, and their weights: alpha does
not depend on C, and another loss only prices the labellings anew. Cost of a pass: n oracle calls. The dual l
- 1/2 |w|^2 is exact at the step's w (a bound at w_bar too, being concave) and never falls without averaging;
the sum of the block gaps is an estimate of primal - dual, no certificate, because every gap was seen at
another w.
"""

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from explorer.engine.events import Bounds, Step, Stopped
from explorer.engine.objective import Plane, cut_of, label_key, plane_of
from explorer.engine.protocols import (
    Problem,
    check_knobs,
    knob,
    needs_examples,
    needs_finite,
    needs_no_rules,
    resumed,
)
from explorer.engine.vectors import Array, Sparse, add_into, blend, combine, dot, scaled, squared_norm, total

SAMPLINGS = ("uniform", "gap")
UNIFORM_EVERY = 3


@dataclass(frozen=True, slots=True)
class FrankWolfe:
    """Block-coordinate Frank-Wolfe."""

    title: ClassVar[str] = "Block-coordinate Frank-Wolfe"
    paper: ClassVar[str] = "Lacoste-Julien, Jaggi, Schmidt, Pletscher 2013, Alg. 4"
    certifies: ClassVar[bool] = True

    C: float = knob(1.0, "Price of the mean slack: larger fits the data harder.", low=1e-6, log=True)
    sampling: str = knob("uniform", "Visit all examples in turn, or those with a large gap.", choices=SAMPLINGS)
    averaged: bool = knob(False, "Answer with a weighted mean of all weights so far.")
    passes_per_step: int = knob(1, "Passes between two steps shown.", low=1, high=1000)

    def __post_init__(self) -> None:
        check_knobs(self)

    def refuses(self, problem: Problem) -> str | None:
        """Its line search is for linear slacks of examples, priced by a finite C."""
        if problem.pricing.penalty == "squared":
            return "Squared slacks leave the dual without bounds to walk in; use the n-slack learner."
        return needs_examples(problem) or needs_no_rules(problem) or needs_finite(self.C)

    def steps(
        self, problem: Problem, rng: np.random.Generator, state: Mapping[str, Any] | None = None
    ) -> Generator[Step, None, Stopped]:
        """Passes for ever; who listens decides when to stop."""
        rng, at = resumed(rng, state), Blocks(problem, self.C, state)
        k, passes = (state["k"] + 1, state["passes"]) if state else (0, 0)
        while True:
            still = 0
            for _ in range(self.passes_per_step):
                for i in self._order(problem.n, rng, at.gaps, passes):
                    still += at.move(i, plane_of(problem, problem.oracle(at.w, i))) == 0.0
                    if self.averaged:
                        at.average()
                at.recount()
                passes += 1
            w, ell = (at.w_bar, at.l_bar) if self.averaged else (at.w, at.l)
            bounds = Bounds(dual=ell - 0.5 * squared_norm(w), certificate=problem.oracle_is_exact)
            keyframe = at.snapshot(problem) | {"k": k, "passes": passes, "rng": rng.bit_generator.state}
            detail = {"gap_estimate": float(np.sum(at.gaps)), "still": still, "passes": passes}
            yield Step(k, w.copy(), bounds=bounds, detail=detail, state=keyframe)
            k += 1

    def _order(self, n: int, rng: np.random.Generator, gaps: Array, passes: int) -> Generator[int, None, None]:
        """The n examples of a pass; with *gap* each is drawn in its turn, since every move changes a gap."""
        if self.sampling == "uniform" or passes % UNIFORM_EVERY == 0:
            yield from (int(i) for i in rng.permutation(n))
            return
        for _ in range(n):
            whole = float(np.sum(gaps))
            yield int(rng.choice(n, p=gaps / whole)) if whole > 0.0 else int(rng.integers(n))


class Blocks:
    """A point of the dual: for each example a plane (label: its labellings), their weights, the last gap."""

    def __init__(self, problem: Problem, C: float, state: Mapping[str, Any] | None) -> None:
        n, truth = problem.n, problem.dataset.labels
        zero = Sparse(np.zeros(0, dtype=np.int64), np.zeros(0), problem.dim)
        self.share, self.dim, self.C = C / n, problem.dim, C
        self.planes = [Plane(zero, 0.0, i, (truth[i],)) for i in range(n)]
        self.weights = [np.ones(1)] * n
        self.gaps, self.moves = np.zeros(n), 0
        if state:
            self.planes, self.weights = list(state["planes"]), list(state["weights"])
            self.gaps, self.moves = state["gaps"].copy(), state["moves"]
        if state and state["priced_as"] != problem.priced_as:
            self.planes = [mixed(problem, p, a) for p, a in zip(self.planes, self.weights, strict=True)]
            self.moves, state = 0, None
        self.recount()
        self.w_bar, self.l_bar = self.w.copy(), self.l
        if state:
            grown = C / state["C"]
            self.w_bar, self.l_bar = grown * state["w_bar"], grown * state["l_bar"]

    def recount(self) -> None:
        """w and l from the blocks, so that rounding does not pile up."""
        self.w = combine(np.full(len(self.planes), self.share), [plane.a for plane in self.planes], self.dim)
        self.l = self.share * sum(plane.b for plane in self.planes)

    def move(self, i: int, corner: Plane) -> float:
        """Go from block i towards a corner of its polytope as far as the dual rises; returns gamma."""
        block = self.planes[i]
        way = blend(1.0, corner.a, -1.0, block.a)
        gain = (corner.b - block.b) - dot(self.w, way)
        bend = self.share * squared_norm(way)
        gamma = min(1.0, max(0.0, gain / bend)) if bend > 0.0 else float(gain > 0.0)
        self.gaps[i] = self.share * max(0.0, gain)
        if gamma > 0.0:
            a = blend(1.0 - gamma, block.a, gamma, corner.a) if gamma < 1.0 else corner.a
            labels, self.weights[i] = joined(block.label, self.weights[i], corner.label, gamma)
            self.planes[i] = Plane(a, block.b + gamma * (corner.b - block.b), i, labels)
            add_into(self.w, self.share * gamma, way)
            self.l += self.share * gamma * (corner.b - block.b)
        return gamma

    def average(self) -> None:
        """w_bar <- k/(k+2) w_bar + 2/(k+2) w, and l_bar likewise."""
        t = 2.0 / (self.moves + 2)
        self.w_bar = (1.0 - t) * self.w_bar + t * self.w
        self.l_bar = (1.0 - t) * self.l_bar + t * self.l
        self.moves += 1

    def snapshot(self, problem: Problem) -> dict[str, Any]:
        """Everything needed to go on from here."""
        blocks = {"planes": tuple(self.planes), "weights": tuple(self.weights), "gaps": self.gaps.copy()}
        means = {"w_bar": self.w_bar, "l_bar": self.l_bar, "moves": self.moves}
        return blocks | means | {"C": self.C, "priced_as": problem.priced_as}


def joined(labels: tuple[Any, ...], weights: Array, label: Any, gamma: float) -> tuple[tuple[Any, ...], Array]:
    """The labellings of a block after a move of gamma towards one of them, or a new one."""
    known = {label_key(y): j for j, y in enumerate(labels)}
    j = known.get(label_key(label), len(labels))
    mass = np.append((1.0 - gamma) * weights, [0.0] * (j == len(labels)))
    mass[j] += gamma
    keep = mass > 1e-15
    return tuple(y for y, kept in zip((*labels, label), keep, strict=False) if kept), mass[keep]


def mixed(problem: Problem, block: Plane, weights: Array) -> Plane:
    """The block that the same labellings with the same weights make under this problem's loss."""
    parts = [plane_of(problem, cut_of(problem, block.group, label)) for label in block.label]
    share = weights / np.sum(weights)
    a = total((scaled(float(t), part.a) for t, part in zip(share, parts, strict=True)), problem.dim)
    return Plane(a, float(share @ [part.b for part in parts]), block.group, block.label)
