"""Random runs of every learner on tiny problems at every scale, their claims held against exact optima.

    python -m tests.audit.audit 10000 [first seed]

For every bound of a run: the dual is not above the optimum, the primal not below it, by more than 1e-6 of it.
For every end: what its sentence says of gap or violation is true. For every answer of an exact oracle: no
labelling of the table is violated more. Runs with an approximate oracle certify nothing. A conditional random
field, which asks no oracle, is held against its own optimum.
"""

import math
import sys
import warnings
from collections import Counter
from dataclasses import fields
from fractions import Fraction
from typing import Any

import numpy as np

from explorer.engine.events import Evaluated, Step, Stopped
from explorer.engine.learners import LEARNERS
from explorer.engine.learners.frank_wolfe import FrankWolfe
from explorer.engine.learners.n_slack import NSlack
from explorer.engine.learners.one_slack import OneSlack
from explorer.engine.likelihoods import Likelihood
from explorer.engine.objective import HINGE, lift
from explorer.engine.refusals import Refused
from explorer.engine.runs.streams import Until, train
from tests.audit.cases import Case, same
from tests.audit.draws import random_case
from tests.audit.exact import Inseparable, optimum
from tests.audit.likelihood import likelihood_optimum

WRONG = Fraction(1, 10**6)
SETTLED = ("relative gap", "gap", "eps-violation", "no new cut")
"""Ends that claim the optimum within a tolerance."""

AUDITED = (type(HINGE), Likelihood, type(None))
EXTRAS = (
    (NSlack, {"order": "each"}),
    (NSlack, {"order": "solve first"}),
    (OneSlack, {"cache": 2}),
    (FrankWolfe, {"move": "pairwise"}),
    (FrankWolfe, {"move": "away"}),
)
KINDS = tuple((kind, {}) for kind in LEARNERS if isinstance(kind.objective, AUDITED)) + EXTRAS
"""Likelihoods of single positions and pieces have optima of their own, which their tests check."""


Target = tuple[Fraction, Fraction]
"""The optimum, as two numbers between which it lies."""


class Tally:
    """What was seen, and every fault in words."""

    def __init__(self) -> None:
        self.count: Counter[str] = Counter()
        self.faults: list[str] = []

    def fault(self, kind: str, seed: int, words: str) -> None:
        self.count[kind] += 1
        self.faults.append(f"{kind}, seed {seed}: {words}")


def audit(seed: int, tally: Tally) -> None:
    """One random problem at one random C, with every learner that takes it."""
    rng = np.random.default_rng([seed, 1])
    case = random_case(seed)
    C = math.inf if rng.random() < 0.04 else float(10.0 ** rng.integers(-8, 9)) if rng.random() < 0.7 else 1.0
    a, b, example, free = case.rows()
    n = case.problem.n
    price = None if math.isinf(C) else C / n
    try:
        best = (
            optimum(a, b, example, price, case.problem.pricing.penalty == "squared", free)
            if case.exact
            else None
        )
    except Inseparable:
        best = None
    check_oracle(case, rng, seed, tally)
    for kind, settings in KINDS:
        known = {f.name for f in fields(kind)}
        learner = kind(**{"C": C} | settings) if "C" in known else kind(**settings)
        if learner.refuses(case.problem) is None:
            run(case, learner, C, target(case, learner, C, best), seed, tally)


def target(case: Case, learner: Any, C: float, best: Fraction | None) -> Target | None:
    """The optimum of what a learner minimises, between two numbers; None where there is none."""
    if learner.objective is HINGE or learner.objective is None:
        return None if best is None else (best, best)
    rows, owner = [], []
    for i, listing in enumerate(case.table):
        truth = next(f for y, f, _ in listing if same(y, case.truth[i]))
        wrong = [f - truth for y, f, _ in listing if not same(y, case.truth[i])]
        rows += wrong
        owner += [i] * len(wrong)
    low, high = likelihood_optimum(np.array(rows), owner, C / case.problem.n)
    return Fraction(low), Fraction(high)


def check_oracle(case: Case, rng: np.random.Generator, seed: int, tally: Tally) -> None:
    """The oracle's answer at a random w, beside every labelling of the table."""
    p = case.problem
    w = rng.normal(size=p.dim) * 10.0 ** rng.integers(-8, 9)
    g = lift(p, w)
    for i, listing in enumerate(case.table):
        features = [f if case.own_layout else dense(p.features(i, y)) for y, f, _ in listing]
        own = next(f for f, (y, *_) in zip(features, listing, strict=True) if same(y, case.truth[i]))
        losses = [loss for *_, loss in listing]
        H = [
            p.pricing.violation(float((own - f) @ g), loss) for f, loss in zip(features, losses, strict=True)
        ]
        size = max(
            loss + float(np.abs(own - f) @ np.abs(g)) for f, loss in zip(features, losses, strict=True)
        )
        found = p.oracle(w, i)
        got = p.pricing.violation(float(dense(found.psi) @ g), found.loss)
        tally.count["oracle answers"] += 1
        if case.exact and got < max(H) - 1e-9 * size * max(1.0, p.pricing.weight(max(losses))):
            tally.fault("oracle mismatch", seed, f"{case.structure} {i}: {got!r} below {max(H)!r}")


def dense(x: Any) -> Any:
    """A feature vector written out."""
    if isinstance(x, np.ndarray):
        return x
    out = np.zeros(x.dim)
    np.add.at(out, x.index, x.value)
    return out


def run(case: Case, learner: Any, C: float, best: Target | None, seed: int, tally: Tally) -> None:
    """One run to its end, every claim checked."""
    name = f"{type(learner).__name__} {learner} on {case.structure}"
    tally.count["runs"] += 1
    goal = (1e-3, 1e-6)[seed % 2]
    last, end = None, None
    try:
        for event in train(case.problem, learner, rule=Until(relative_gap=goal, steps=60), look_every=3.0):
            if isinstance(event, Step | Evaluated):
                last = event
                check_bounds(case, learner, event.bounds, best, seed, name, tally)
            if isinstance(event, Stopped):
                end = event
    except Refused as refusal:
        tally.count["refusals"] += 1
        if best is not None and not beyond_proportion(case, best[0]):
            tally.fault("wrong refusal", seed, f"{name}: {refusal}")
        return
    except Exception as error:  # noqa: BLE001 - whatever it is, it is counted
        tally.fault("crash", seed, f"{name}: {error!r}")
        return
    assert end is not None
    assert last is not None
    if learner.objective is not None and learner.objective is not HINGE:
        tally.count["random fields"] += 1
    if not case.exact or (learner.objective is not HINGE and not learner.certifies):
        return
    if end.reason not in SETTLED:
        tally.count["not converged, and says so" if learner.certifies else "without certificate"] += 1
        if learner.certifies and type(learner).__name__ not in ("FrankWolfe", "SequentialDual"):
            tally.count[f"not converged: {type(learner).__name__}"] += 1
        return
    tally.count["converged"] += 1
    check_end(case, learner, C, last.bounds.primal, best, end, goal, seed, name, tally)


def beyond_proportion(case: Case, best: Fraction) -> bool:
    """Whether hard constraints ask for a w a million times as long as loss / feature.

    The restricted dual is known by inner products, in which that ratio is squared: 10^12 of the 10^16 that
    doubles tell apart. There the engine may say that no w of any reasonable size will do, and refuse; of 142
    problems with hard margins 4 were refused so, for w of 2 to 200 million times that size, none below.
    """
    a, b, _, _ = case.rows()
    natural = float(np.max(b)) / max(float(np.max(np.linalg.norm(a, axis=1))), 1e-300)
    return 2 * best > Fraction(1e6 * natural) ** 2


def check_bounds(
    case: Case, learner: Any, bounds: Any, best: Target | None, seed: int, name: str, tally: Tally
) -> None:
    """Lower and upper bound of a certificate beside the optimum."""
    if not case.exact and learner.objective is HINGE:
        if bounds.certificate:
            tally.fault("approximate run certified", seed, name)
        return
    if learner.objective is None:
        return
    if best is None:
        if math.isfinite(bounds.primal) and not math.isnan(bounds.primal):
            tally.fault("false certificate", seed, f"{name}: primal {bounds.primal!r} where there is none")
        return
    low, high = bounds.dual, bounds.primal
    if bounds.certificate and not (math.isnan(low) and math.isnan(high)):
        tally.count["certificates"] += 1
    if bounds.gap < 0.0:
        tally.fault("primal below dual", seed, f"{name}: {bounds}")
    if math.isfinite(low) and Fraction(low) > best[1] * (1 + WRONG):
        tally.fault("false certificate", seed, f"{name}: dual {low!r} above {float(best[1])!r}")
    if math.isfinite(high) and Fraction(high) < best[0] * (1 - WRONG):
        tally.fault("false certificate", seed, f"{name}: primal {high!r} below {float(best[0])!r}")


def check_end(
    case: Case,
    learner: Any,
    C: float,
    primal: float,
    best: Target | None,
    end: Stopped,
    goal: float,
    seed: int,
    name: str,
    tally: Tally,
) -> None:
    """The claim of the last sentence, in terms of the objective: within the gap, or within C eps."""
    if best is None or not math.isfinite(primal):
        known = best and float(best[1])
        tally.fault("false end", seed, f"{name}: {end.sentence}; primal {primal!r}, optimum {known!r}")
        return
    largest = max((loss for listing in case.table for *_, loss in listing), default=0.0)
    r = math.sqrt(largest) if case.problem.pricing.penalty == "squared" else largest
    least = best[0]
    over = Fraction(primal) - best[1]
    allowed = WRONG * least
    if end.reason == "relative gap":
        allowed += Fraction(goal) * abs(Fraction(primal))
    elif math.isfinite(C):
        eps = (
            Fraction(learner.eps) * min(Fraction(1), Fraction(r)) if hasattr(learner, "eps") else Fraction(0)
        )
        slack = Fraction(r) if case.problem.pricing.penalty == "squared" else Fraction(1)
        allowed += Fraction(C) * eps * max(slack, Fraction(1) if r == 0 else slack) * 2
    else:
        allowed += Fraction(1, 100) * least
    if over > allowed:
        share = float(over / least) if least else math.inf
        tally.fault(
            "false end",
            seed,
            f"{name}: {end.sentence}; primal {primal!r} is {share:.3g} above {float(least)!r}",
        )


def summary(tally: Tally) -> str:
    """The counts in one line."""
    return ", ".join(f"{count} {what}" for what, count in sorted(tally.count.items()))


def main() -> None:
    runs, first = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    warnings.simplefilter("ignore")
    tally, seed = Tally(), first
    while tally.count["runs"] < runs:
        known = len(tally.faults)
        audit(seed, tally)
        seed += 1
        for fault in tally.faults[known:]:
            sys.stdout.write(fault + "\n")
        if seed % 50 == 0 or tally.count["runs"] >= runs:
            sys.stdout.write(f"seeds {first} to {seed - 1}: {summary(tally)}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
