"""The proof that the perceptron ends, held against a run: after k updates from w = 0

    w_hat . w  >=  k delta,      |w|^2  <=  k R^2,      so  cos(w_hat, w)  >=  sqrt(k) delta / R,   and  k  <=
        (R / delta)^2

with the unit vector w_hat that separates every truth from all wrong labellings by delta, the widest, and R =
max |psi| (Collins 2002, Theorem 1; lecture "Structured Learning"). The second inequality needs no separation.
The theorem is about the newest weights, not their mean; updates of length eta are the same run times eta, so
w / eta is held against it. What training recorded is shown as it is; otherwise the labellings are listed
here, once per problem and at most `MOST_LISTED` of them.
"""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from explorer.engine.contracts import Problem
from explorer.engine.enumeration import listable
from explorer.engine.events import Started
from explorer.engine.runs.trace import Trace
from explorer.engine.theory import bounds as theory
from explorer.engine.vectors import Array, Ints, dense, squared_norm
from explorer.views.kit.memory import Memory
from explorer.wording import number, quantity

LEARNERS = ("Perceptron", "BinaryPerceptron")
MOST_LISTED = 2000
MOST_POINTS = 120
TINY = 1e-9

WORKS = "choose four-points, circle, two-gaussians or micro-trees"
"""Tasks whose labellings can be listed and are separated by some w."""

ONLY_MEAN = (
    "Only the mean of the weights was recorded, and the theorem is about the newest: switch averaged off."
)


@dataclass(frozen=True, slots=True, eq=False)
class Sizes:
    """What the theorem needs to know about the data: NaN where it is not known, and then why."""

    w_hat: Array | None = None
    delta: float = math.nan
    R: float = math.nan
    why: str = ""

    @property
    def end(self) -> float:
        """The number of updates that is never exceeded."""
        return (self.R / self.delta) ** 2


@dataclass(frozen=True, slots=True, eq=False)
class ProofFrame:
    """The run after k >= 1 updates; `place`: updates of every step, `now`: the point at the cursor or -1."""

    at: int
    k: Array
    along: Array
    norm2: Array
    now: int
    place: Array
    sizes: Sizes
    passes: bool

    @property
    def cosine(self) -> Array:
        """Of the angle between w and the separator."""
        return self.along / np.sqrt(self.norm2)

    @property
    def broken(self) -> int:
        """Points where one of the inequalities fails by more than rounding; the unknown does not fail."""
        low = self.along < self.k * self.sizes.delta * (1 - TINY)
        return int(np.count_nonzero(low | (self.norm2 > self.k * self.sizes.R**2 * (1 + TINY))))


def fits(learner: str) -> bool:
    """Whether the theorem is about this learner."""
    return learner in LEARNERS


def frame(problem: Problem, trace: Trace, cursor: int, known: Memory | None = None) -> ProofFrame | None:
    """The run up to now beside what the theorem says; None if untrained."""
    if not len(trace):
        return None
    at = min(cursor, len(trace) - 1)
    begun = trace.start_of(at)
    place = trace.column("updates")
    if not off_theorem(trace, begun) and np.isfinite(trace.column("bound")[at]):
        steps = np.flatnonzero(np.isfinite(trace.column("along")))
        sizes = Sizes(None, float(trace.column("delta")[at]), float(trace.column("R")[at]))
        along, norm2 = (trace.column(name)[steps] for name in ("along", "norm2"))
        return _framed(at, place, steps, along, norm2, sizes, begun)
    sizes = (known or Memory(1)).of(problem).get("sizes", lambda: sizes_of(problem))
    found, silent = iterates(trace, begun), off_theorem(trace, begun)
    if silent or not found:
        found, sizes = {}, replace(sizes, why=silent or ONLY_MEAN)
    along = [math.nan if sizes.w_hat is None else float(sizes.w_hat @ w) for w in found.values()]
    norm2 = [squared_norm(w) for w in found.values()]
    return _framed(at, place, np.array([*found], int), np.array(along), np.array(norm2), sizes, begun)


def _framed(
    at: int, place: Array, steps: Any, along: Array, norm2: Array, sizes: Sizes, begun: Started | None
) -> ProofFrame:
    """The points to draw: after at least one update, one per number of updates, thinned to a screen."""
    first = np.unique(place[steps], return_index=True)[1] if len(steps) else steps
    first = first[place[steps][first] >= 1.0]
    k = place[steps[first]]
    now = int(np.searchsorted(k, place[at], side="right")) - 1
    chosen = spread(k, now)
    passes = begun is not None and begun.settings.get("every") == "pass"
    now = int(np.searchsorted(chosen, now)) if now >= 0 else -1
    return ProofFrame(at, k[chosen], along[first][chosen], norm2[first][chosen], now, place, sizes, passes)


def spread(k: Array, now: int) -> Ints:
    """Some of many points, spread evenly on a logarithmic axis, with first, last and the cursor's."""
    if len(k) <= MOST_POINTS:
        return np.arange(len(k))
    some = np.searchsorted(k, np.geomspace(k[0], k[-1], MOST_POINTS) * (1 - TINY))
    return np.unique(np.append(some[some < len(k)], max(now, 0)))


def off_theorem(trace: Trace, begun: Started | None) -> str:
    """Why the theorem is not about this run; empty if it is."""
    if begun is not None and begun.settings.get("init", "zero") != "zero":
        return (
            "The theorem is about runs that start at w = 0, and this one started at random: choose init "
            "= zero."
        )
    if len({started.settings.get("eta", 1.0) for _, started in trace.starts}) > 1:
        return "The theorem is about updates of one length, and eta was changed on the way: reset the run."
    return ""


def sizes_of(problem: Problem) -> Sizes:
    """Separator, delta and R by listing all labellings, or why they are not known."""
    large = f"There are too many labellings to list, so R and δ are not known: {WORKS}."
    if not listable(problem):
        return Sizes(why=large)
    if sum(problem.labellings_count(i) for i in range(problem.n)) > MOST_LISTED:
        return Sizes(why=f"No δ was recorded, and there are too many labellings to list them here: {WORKS}.")
    wrong = theory.wrong_cuts(problem)
    if not wrong:
        return Sizes(why="No labelling is wrong here, so there is nothing to separate.")
    found = theory.separator(problem)
    if found is not None:
        return Sizes(found.w_hat, found.delta, found.R)
    nothing = f"No w separates these data, so there is no δ and no promised end: {WORKS}."
    return Sizes(R=max(math.sqrt(squared_norm(dense(cut.psi))) for cut in wrong), why=nothing)


def iterates(trace: Trace, begun: Started | None) -> dict[int, Array]:
    """The weights that the updates lead to, in units of one update; from keyframes if steps show means."""
    settings = {} if begun is None else begun.settings
    if settings.get("averaged"):
        return {at: state["w"] for at, state in sorted(trace.states.kept.items()) if "w" in state}
    eta = float(settings.get("eta", 1.0))
    same = [at for at in sorted(trace.weights.kept) if not _averaged(trace, at)]
    return {at: trace.weights.kept[at] / eta for at in same}


def _averaged(trace: Trace, at: int) -> bool:
    started = trace.start_of(at)
    return started is not None and bool(started.settings.get("averaged"))


# words ------------------------------------------------------------------------------------------------------


def sentence(shown: ProofFrame) -> str:
    """Both inequalities at the cursor, and what is missing of them."""
    sizes = shown.sizes
    if not len(shown.k) and sizes.why:
        return sizes.why if math.isnan(sizes.R) else f"{sizes.why} Only its bounds are drawn."
    if not len(shown.k):
        return f"Step {shown.at}: no mistake yet, so there is no update to follow."
    if shown.now < 0:
        return " ".join(filter(None, [f"Step {shown.at}: no update so far.", sizes.why]))
    k, along, norm2 = (float(values[shown.now]) for values in (shown.k, shown.along, shown.norm2))
    said = []
    if not math.isnan(sizes.delta):
        said.append(f"ŵ·w = {number(along)} ≥ kδ = {number(k * sizes.delta)}")
    limit = "" if math.isnan(sizes.R) else f" ≤ kR² = {number(k * sizes.R**2)}"
    said.append(f"|w|² = {number(norm2)}{limit}")
    text = f"Step {shown.at}, k = {quantity(k, 'update')}: {', '.join(said)}."
    if sizes.why:
        return f"{text} {sizes.why}"
    return f"{text} At most (R/δ)² = {number(sizes.end)} updates. {verdict(shown)}"


def verdict(shown: ProofFrame) -> str:
    """Whether all points keep to the inequalities."""
    if shown.broken:
        where = f"{shown.broken} of {quantity(len(shown.k), 'point')}"
        return f"Broken at {where}: the predictor is approximate, or the loss was changed on the way."
    finer = "; a point is a pass (set Every to update for all)" if shown.passes else ""
    return f"Nothing enters the shaded part{finer}."


def table(shown: ProofFrame) -> dict[str, Any]:
    """Both sides of each inequality."""
    k, sizes = shown.k, shown.sizes
    return {
        "updates k": k,
        "ŵ·w": shown.along,
        "k δ": k * sizes.delta,
        "|w|²": shown.norm2,
        "k R²": k * sizes.R**2,
        "cosine": shown.cosine,
        "√k δ / R": np.sqrt(k) * sizes.delta / sizes.R,
    }
