"""The structured hinge, which learners minimise unless they say otherwise, and every convention for its
constant.

    J(w) = 1/2 |w|^2 + C * mean_i cost(slack_i) + sum_k weight_k * cost(rule slack_k)

with cost(xi) = xi, or xi^2 / 2 under a squared penalty, and slack_i = max(0, max_y H_i(y)). Literature writes
the same thing with C * sum (C_sum = C / n), with lambda = 1 / C on 1/2 |w|^2, with lambda = 1 / (2C) on
|w|^2, or with the "regularisation" of the hidden-Markov papers, 1 / C_sum. Conversions live here and nowhere
else. Cost: one oracle pass.
"""

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from explorer.engine.contracts import (
    Batch,
    Compares,
    Convex,
    FreeBias,
    Geometry,
    Loss,
    Measured,
    Priced,
    Problem,
    RawSweeps,
    Rule,
    Ruled,
    oracle_kind,
)
from explorer.engine.events import EVERY_EXAMPLE, MEAN_SLACK, Bounds, Cut, Sweep
from explorer.engine.pricing import fingerprint
from explorer.engine.refusals import NotExact
from explorer.engine.vectors import Array, Vector, blend, combine, dot, scale, squared_norm, total

HARD = 1e-7
"""A constraint without slack counts as met when broken by no more than this share of its own size: that of
the largest loss (hard margin), or of the rule's right-hand side.
"""


@dataclass(frozen=True, slots=True)
class Conventions:
    """One C in every convention of the sources."""

    mean: float
    sum: float
    lam: float
    lam_unhalved: float
    reg: float


def conventions(C: float, n: int) -> Conventions:
    """C is the factor on the mean slack."""
    return Conventions(mean=C, sum=C / n, lam=1.0 / C, lam_unhalved=0.5 / C, reg=n / C)


def from_lambda(lam: float) -> float:
    """The C of our objective for a text that writes lambda |w|^2 + mean_i slack_i."""
    return 0.5 / lam


def from_sum(C_sum: float, n: int) -> float:
    """The C of our objective for a paper that writes 1/2 |w|^2 + C_sum * sum_i slack_i."""
    return C_sum * n


@dataclass(frozen=True, slots=True, eq=False)
class Plane:
    """A cut with its price: slack_group >= b - w . a. Planes do not depend on C."""

    a: Vector
    b: float
    group: int
    label: Any


def plane_of(problem: Problem, cut: Cut) -> Plane:
    """The lower bound on slack i that a cut gives under the problem's pricing."""
    pricing = problem.pricing
    return Plane(scale(pricing.weight(cut.loss), cut.psi), pricing.size(cut.loss), cut.i, cut.label)


def priced_as(problem: Problem) -> str:
    """Loss, scaling and penalty in words: cuts made under other words must be priced again."""
    if isinstance(problem, Priced):
        return problem.priced_as
    delta = problem.delta if isinstance(problem, Compares) else type(problem)
    return (
        f"{delta!r} {problem.pricing!r}"
        if isinstance(delta, Loss)
        else f"{fingerprint(delta)} {problem.pricing!r}"
    )


def cut_of(problem: Problem, i: int, label: Any) -> Cut:
    """The cut that a given labelling makes: features of the truth minus its own, and its loss."""
    truth = problem.features(i, problem.dataset.labels[i])
    return Cut(i, label, blend(1.0, truth, -1.0, problem.features(i, label)), problem.loss(i, label))


def label_key(label: Any) -> Hashable:
    """Something hashable that is equal for equal labellings."""
    return (label.shape, label.tobytes()) if isinstance(label, np.ndarray) else repr(label)


def lift(problem: Problem, w: Array) -> Array:
    """The vector g with <w, z> = g . z for every z: w itself, but for problems with a geometry of their
    own.
    """
    return problem.lift(w) if isinstance(problem, Geometry) else w


def norm2(problem: Problem, w: Array) -> float:
    """|w|^2 in the problem's geometry; a free bias is not counted."""
    if isinstance(problem, Geometry):
        return dot(problem.lift(w), w)
    return squared_norm(w if anchor_of(problem) is None else w[1:])


def anchor_of(problem: Problem) -> Array | None:
    """The row that features are measured from where the first weight is a free bias; None where it is not."""
    return problem.anchor if isinstance(problem, FreeBias) else None


def tolerance(eps: float, largest: float, C: float) -> float:
    """How much more slack than known a cut may ask for and still be left out.

    eps is in the units of the loss, and where even the `largest` loss is below 1, a share of that one: so a
    loss in other units cannot make every violation look small. A hard margin allows no more than HARD.
    """
    return (eps if math.isfinite(C) else min(eps, HARD)) * min(1.0, largest)


def violation(problem: Problem, w: Array, cut: Cut) -> float:
    """H of one cut at w."""
    return problem.pricing.violation(dot(lift(problem, w), cut.psi), cut.loss)


def all_cuts(problem: Problem, w: Array) -> list[Cut]:
    """The most violated cut of every example, all at the same w."""
    if isinstance(problem, Batch):
        return [cut for lo, hi in chunks(problem.n, problem.chunk) for cut in problem.cuts(w, lo, hi)]
    return [problem.oracle(w, i) for i in range(problem.n)]


def sweep(problem: Problem, w: Array, examples: Iterable[int] | None = None, *, floor: bool = True) -> Sweep:
    """One oracle pass at w, joined; over `examples` when given. With a floor, an answer less violated than
    the truth counts as the truth.
    """
    if examples is None and isinstance(problem, Batch):
        ask = problem.raw_sweep if isinstance(problem, RawSweeps) and not floor else problem.sweep
        return join_sweeps([ask(w, lo, hi) for lo, hi in chunks(problem.n, problem.chunk)], problem.dim)
    chosen = range(problem.n) if examples is None else examples
    return sweep_of(problem, w, [problem.oracle(w, i) for i in chosen], floor=floor)


def sweep_of(problem: Problem, w: Array, cuts: list[Cut], *, floor: bool = True) -> Sweep:
    """The sweep that a list of cuts makes; with a floor, the truth replaces a cut less violated than it."""
    g = lift(problem, w)
    margins = np.array([dot(g, cut.psi) for cut in cuts])
    losses = np.array([cut.loss for cut in cuts], dtype=float)
    below = floor & (problem.pricing.violations(margins, losses) < 0.0)
    margins[below] = losses[below] = 0.0
    truths = problem.dataset.labels
    labels = tuple(truths[c.i] if b else c.label for c, b in zip(cuts, below, strict=True))
    pieces = [plane_of(problem, c).a for c, b in zip(cuts, below, strict=True) if not b]
    return Sweep(labels, losses, margins, total(pieces, problem.dim))


def join_sweeps(parts: list[Sweep], dim: int) -> Sweep:
    """Consecutive sweeps as one, summed in order."""
    if len(parts) == 1:
        return parts[0]
    return Sweep(
        tuple(label for part in parts for label in part.labels),
        np.concatenate([part.losses for part in parts]),
        np.concatenate([part.margins for part in parts]),
        total((part.psi for part in parts), dim),
    )


def chunks(n: int, size: int) -> list[tuple[int, int]]:
    """0..n cut into runs of `size`; depends on nothing but the two numbers, so sums repeat bit for bit."""
    return [(lo, min(lo + size, n)) for lo in range(0, n, size)]


def mean_plane(problem: Problem, part: Sweep) -> Plane:
    """The 1-slack plane of a sweep: the average over its examples of their priced cuts."""
    m = len(part.labels)
    r = problem.pricing.violations(np.zeros(m), part.losses)
    return Plane(scale(1.0 / m, part.psi), float(np.mean(r)), EVERY_EXAMPLE, part.labels)


def slacks(problem: Problem, part: Sweep) -> Array:
    """slack_i = max(0, H_i) of every example of the sweep."""
    return np.maximum(problem.pricing.violations(part.margins, part.losses), 0.0)


def slacks_at(problem: Problem, w: Array) -> Array:
    """Every example's slack at w by one oracle pass; the planes of one part are let go before the next."""
    if not isinstance(problem, Batch):
        return slacks(problem, sweep(problem, w))
    parts = [slacks(problem, problem.sweep(w, lo, hi)) for lo, hi in chunks(problem.n, problem.chunk)]
    return np.concatenate(parts)


def primal(problem: Problem, w: Array, C: float, slack: Array, largest: float | None = None) -> float:
    """J(w) when slack holds every example's slack at w; `largest` is the largest slack that w = 0 needs,
    which only a hard margin asks for.
    """
    mean = float(np.mean(problem.pricing.cost(slack))) if len(slack) else 0.0
    if mean > 0.0 and math.isinf(C):
        size = (
            float(np.max(slacks(problem, sweep(problem, np.zeros(problem.dim)))))
            if largest is None
            else largest
        )
        mean = 0.0 if float(np.max(slack)) <= HARD * size else mean
    return 0.5 * norm2(problem, w) + (C * mean if mean else 0.0) + rule_cost(problem, w)


def has_tolerance(problem: Problem, C: float) -> bool:
    """Whether J is known up to the tolerance of some constraints only: those of a hard margin, or rules."""
    return math.isinf(C) or (isinstance(problem, Ruled) and len(problem.rules) > 0)


def bounds_of(problem: Problem, C: float, upper: float, lower: float, certificate: bool) -> Bounds:
    """An upper and a lower bound of the optimum.

    Where constraints are kept up to HARD only, J(w) may be a little less than the optimum, and so than a
    lower bound that is nearer to it: that bound is then lowered to J(w), and still is one.
    """
    little = 0.0 < lower - upper <= 10.0 * HARD * abs(upper)
    return Bounds(upper, upper if little and has_tolerance(problem, C) else lower, certificate)


def rule_cost(problem: Problem, w: Array) -> float:
    """What the extra constraints cost at w: infinite when one without slack is broken."""
    if not isinstance(problem, Ruled):
        return 0.0
    worst: dict[int, tuple[float, float]] = {}
    g = lift(problem, w)
    for rule in problem.rules:
        broken = max(0.0, rule.b - dot(g, rule.a))
        if broken <= HARD * rule_size(rule, g):
            continue
        worst[rule.group] = max(worst.get(rule.group, (0.0, 0.0)), (broken, rule.weight))
    costs = [weight * float(problem.pricing.cost(np.array(broken))) for broken, weight in worst.values()]
    return float(sum(costs))


def rule_size(rule: Rule, w: Array) -> float:
    """What a violation of the rule is measured by: its right-hand side, or where that is 0 the largest that
    a . w can be for a w of this length.
    """
    return abs(rule.b) or math.sqrt(squared_norm(rule.a) * squared_norm(w))


def value(problem: Problem, w: Array, C: float) -> float:
    """J(w) by one full oracle pass; an upper bound on the optimum when the oracle is exact."""
    return primal(problem, w, C, slacks_at(problem, w))


@dataclass(frozen=True, slots=True)
class Hinge:
    """The structured hinge: slacks under the problem's own pricing, as far as its training oracle finds
    them.
    """

    name: ClassVar[str] = "structured hinge"
    risk: ClassVar[str] = MEAN_SLACK

    def kind(self, problem: Problem) -> str:
        """That of the oracle: one that misses labellings finds too small a value, one that relaxes them
        another.
        """
        return oracle_kind(problem)

    def measure(self, problem: Problem, w: Array, C: float) -> Measured:
        """J(w) and the mean slack, by one oracle pass."""
        found = slacks_at(problem, w)
        return Measured(primal(problem, w, C, found), float(np.mean(found)), found)


HINGE = Hinge()


def mean_loss(problem: Problem, w: Array) -> float:
    """Empirical risk: the mean loss of the predictions at w."""
    return float(np.mean(predictions(problem, w)[1]))


def predictions(problem: Problem, w: Array) -> tuple[list[Any], Array]:
    """What is predicted for every example at w, and what each prediction loses."""
    if isinstance(problem, Batch):
        labels = problem.predictions(w)
        return labels, problem.losses(labels)
    labels = [problem.predict(w, x) for x in problem.dataset.inputs]
    return labels, np.array([problem.loss(i, label) for i, label in enumerate(labels)])


def check_oracle(problem: Problem, w: Array, cut: Cut, known: float, than: str = "an earlier one") -> None:
    """An exact oracle never answers with less than a labelling that is known; if it does, say which example.

    `known` is the largest violation among earlier answers, or that of the truth, at this very w. Both may be
    off by their rounding.
    """
    if not problem.oracle_is_exact:
        return
    found = violation(problem, w, cut)
    if found >= known - 1e-6 * max(1.0, abs(known)):
        return
    rounding = 1e-12 * math.sqrt(squared_norm(w) * squared_norm(cut.psi)) * problem.pricing.weight(cut.loss)
    if found < known - 1e-6 * max(1.0, abs(known)) - rounding:
        raise NotExact(
            f"the oracle's answer for example {cut.i} is violated by {found:.6g}, {than} by {known:.6g}: "
            "it does not return the most violated labelling; mend it (`explorer check` tries it), or do not "
            "claim that it is exact"
        )


def touching_plane(problem: Problem, w: Array) -> tuple[float, Plane]:
    """R(w), the mean cost at w, and a plane below the whole of R that touches it there: R(v) >= b - v . a.

    So -a is a subgradient of R at w. A linear penalty gives the 1-slack plane with its labellings; a squared
    one weighs each cut by its slack, and a problem with its own risk has no cuts: their planes name no
    labelling.
    """
    if isinstance(problem, Convex):
        risk, slope = problem.risk(w)
        return risk, Plane(-slope, risk - dot(slope, w), EVERY_EXAMPLE, None)
    if problem.pricing.penalty == "linear":
        part = sweep(problem, w)
        return float(np.mean(slacks(problem, part))), mean_plane(problem, part)
    planes = [plane_of(problem, cut) for cut in all_cuts(problem, w)]
    xi = np.array([max(0.0, plane.b - dot(w, plane.a)) for plane in planes])
    a = combine(xi / problem.n, [plane.a for plane in planes], problem.dim)
    risk = float(np.mean(problem.pricing.cost(xi)))
    return risk, Plane(a, risk + dot(w, a), EVERY_EXAMPLE, None)
