"""1-slack cutting plane whose planes ask only a random part of the examples.

    a = mean_i u_i psi_i,  b = mean_i r_i,   with fresh oracle answers for the i in a random sample S and

    rest = "last"       every other example's last answer (at first its truth): a plane of real labellings
                        of all examples, so the dual of the working set is a lower bound on the optimum
    rest = "left out"   the mean over S alone, as published: NOT a lower bound of the risk, since a sample
                        may be worse than the whole, and no bound is told

Yu and Joachims, "Training structural SVMs with kernels using sampled cuts", 2008, Algorithm 2. It ends when
`patience` samples in a row give no plane that is violated by more than eps beyond the slack: a likelihood,
not a certificate, in either form. Left out, the model drifts to the worst samples rather than the mean, the
more so the smaller S is: for large samples only. Cost of an iteration: |S| oracle calls and one small QP.
"""

import math
from collections.abc import Generator, Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from explorer.engine.contracts import Objective, Problem, generator_at, pulse_of
from explorer.engine.dual.working_set import FIRST_RULE, WorkingSet, restore, rule_planes
from explorer.engine.events import EVERY_EXAMPLE, Bounds, Cut, Step, Stopped
from explorer.engine.knobs import knob, settings
from explorer.engine.objective import (
    HINGE,
    Plane,
    anchor_of,
    cut_of,
    mean_plane,
    priced_as,
    sweep_of,
    tolerance,
)
from explorer.engine.refusals import needs_examples, needs_plain_vectors
from explorer.engine.vectors import Array, dot

REST = ("last", "left out")


@settings
class SampledCuts:
    """1-slack cutting plane with sampled cuts."""

    title: ClassVar[str] = "Sampled cuts"
    paper: ClassVar[str] = "Yu, Joachims 2008, Alg. 2"
    certifies: ClassVar[bool] = False
    objective: ClassVar[Objective | None] = HINGE

    C: float = knob(1.0, "Price of the mean slack: larger fits the data harder.", low=1e-12, log=True)
    eps: float = knob(
        1e-3, "A cut must be violated by more than this to count.", low=0.0, high=10.0, log=True
    )
    fraction: float = knob(0.25, "Share of the examples asked for each plane.", low=1e-6, high=1.0)
    patience: int = knob(
        5, "End after this many samples in a row without a violated plane.", low=1, high=1000
    )
    rest: str = knob("last", "Examples that are not asked: their last answer, or left out.", choices=REST)
    prune_after: int = knob(50, "Drop a plane after this many solves without mass.", low=1, high=10_000)
    qp_tolerance: float = knob(
        1e-10, "Relative gap of each quadratic program.", low=1e-14, high=1e-2, log=True
    )

    def refuses(self, problem: Problem) -> str | None:
        """Examples, and the linear slacks of the 1-slack form."""
        if problem.pricing.penalty == "squared":
            return "One shared slack cannot stand for squared slacks of examples; use the n-slack learner."
        return needs_examples(problem) or needs_plain_vectors(problem)

    def steps(
        self, problem: Problem, rng: np.random.Generator, state: Mapping[str, Any] | None = None
    ) -> Generator[Step, None, Stopped]:
        """Solve, ask a sample for its most violated labellings, add their plane, until nothing is new."""
        rng, last = generator_at(rng, state), answers(problem, state)
        working = planes_of(problem, state, self.C, self.rest)
        k, quiet = (state["k"] + 1, state["quiet"]) if state else (0, 0)
        size = math.ceil(self.fraction * problem.n)
        while True:
            solution = working.solve(problem, self.C, 1, self.qp_tolerance, pulse_of(problem))
            working.prune(self.prune_after)
            w, xi = working.w(), float(solution.slack[0])
            asked = np.sort(rng.choice(problem.n, size, replace=False))
            fresh = [problem.oracle(w, int(i)) for i in asked]
            for cut in fresh:
                last[cut.i] = cut
            plane = plane_below(problem, w, last) if self.rest == "last" else sample_plane(problem, w, fresh)
            worst = plane.b - dot(w, plane.a)
            eps = max(tolerance(self.eps, working.largest, self.C), solution.resolution / self.C)
            quiet = quiet + 1 if worst <= xi + eps else 0
            detail = {"xi": xi, "violation": worst, "asked": asked, "quiet": quiet, "added": int(not quiet)}
            detail |= working.report()
            if not quiet:
                working.add(plane)
            bounds = Bounds(dual=solution.dual if self.rest == "last" else math.nan)
            keyframe = working.snapshot(problem, self.C) | {"last": tuple(last), "rest": self.rest}
            keyframe |= {"quiet": quiet, "k": k, "rng": rng.bit_generator.state}
            yield Step(k, w, (Cut(EVERY_EXAMPLE, plane.label, plane.a, plane.b),), bounds, detail, keyframe)
            if quiet >= self.patience:
                sentence = f"{self.patience} samples in a row had no cut violated by more than eps = {eps:g}"
                return Stopped("patience", sentence, k)
            k += 1


def plane_below(problem: Problem, w: Array, last: list[Cut]) -> Plane:
    """The 1-slack plane of one known labelling of every example."""
    return mean_plane(problem, sweep_of(problem, w, last))


def sample_plane(problem: Problem, w: Array, cuts: list[Cut]) -> Plane:
    """The mean over a sample alone; its label lists (example, labelling)."""
    part = sweep_of(problem, w, cuts)
    pairs = tuple((cut.i, label) for cut, label in zip(cuts, part.labels, strict=True))
    return replace(mean_plane(problem, part), label=pairs)


def answers(problem: Problem, state: Mapping[str, Any] | None) -> list[Cut]:
    """Every example's last answer, priced for this problem; the truth where there is none yet."""
    if state is None:
        return [cut_of(problem, i, truth) for i, truth in enumerate(problem.dataset.labels)]
    if state["priced_as"] != priced_as(problem):
        return [cut_of(problem, cut.i, cut.label) for cut in state["last"]]
    return list(state["last"])


def planes_of(problem: Problem, state: Mapping[str, Any] | None, C: float, rest: str) -> WorkingSet:
    """The working set of a keyframe, priced for this problem; planes of the other `rest` are forgotten."""
    if state is not None and state["rest"] != rest:
        return WorkingSet(problem.dim, rule_planes(problem), state["found"], anchor=anchor_of(problem))
    if state and rest == "left out" and state["priced_as"] != priced_as(problem):
        anew = tuple(reprice_sample(problem, plane) for plane in state["planes"])
        state = {**state, "planes": anew, "priced_as": priced_as(problem)}
    return restore(problem, state, C)


def reprice_sample(problem: Problem, plane: Plane) -> Plane:
    """The plane that the same labellings of the same sample make under this problem's loss."""
    if plane.group <= FIRST_RULE:
        return plane
    cuts = [cut_of(problem, i, label) for i, label in plane.label]
    return sample_plane(problem, np.zeros(problem.dim), cuts)
