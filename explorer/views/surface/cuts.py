"""The lower model of the objective that a step's working set makes, over two directions e1, e2.

    v_j(s, t) = b_j - s (a_j . e1) - t (a_j . e2)                                what cut j asks of its slack
    J_k = 1/2 (s^2 + t^2) + C max(0, max_j v_j)                                  one slack for all examples
    J_k = 1/2 (s^2 + t^2) + C/n sum_i cost(max(0, max of v_j over i's cuts))     one slack for each

What rules cost is added as it is in J. With an exact oracle J_k <= J, and after a step's cuts entered both
touch at the w that found them. Where cut j is the highest, v_j >= 0 and v_j >= v_l for all l: a convex
polygon, the window clipped by one half-plane per rival; with a slack for each example the polygons are those
of the newest cut's example. The minimum over the slice solves the learner's own quadratic program with the
slopes (a_j . e1, a_j . e2). Cost: grid points times cuts, at most `MOST_CUTS` of them, and two small
quadratic programs.
"""

import time
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from explorer.engine.contracts import Geometry, Problem, is_relaxed
from explorer.engine.dual.working_set import FIRST_RULE, WorkingSet, rule_planes, slack_prices
from explorer.engine.objective import Plane, rule_cost
from explorer.engine.pricing import Penalty
from explorer.engine.refusals import Refused
from explorer.engine.runs.kept_cuts import KeptCuts, cuts_at, settings_at, with_pending
from explorer.engine.runs.trace import Trace
from explorer.engine.vectors import Array, Ints, Vector, dot
from explorer.views.kit.cuts import PATIENCE, slope
from explorer.views.surface.frame import ObjectiveFrame, contours
from explorer.views.surface.regions import Cuts, leaders, newest_of, regions
from explorer.views.surface.slices import Slice
from explorer.wording import quantity

SHOWS = ("objective", "model")
MOST_CUTS = 300
TOLERANCE = 1e-10
WIDE = 2.5
"""How wide a figure counts that is 1 high, where numbers look for room."""

ROOM = 0.06
"""How far, in such units, a number must stay from everything else."""

Low = tuple[float, float, float]


@dataclass(frozen=True, slots=True, eq=False)
class LowerModel:
    """J_k on the grid, its regions, and its lowest place (s, t, J_k) with and without the step's own cuts.

    `highest` is the number of the highest cut among those of the newest cut's slack at every grid point, -1
    where none asks; `regions` are these as (number, polygon); `newest` is where the newest cut is, or would
    be, highest.
    """

    values: Array
    highest: Ints
    regions: tuple[tuple[int, Array], ...]
    newest: Array
    before: Low
    after: Low
    here: float
    cuts: Cuts
    phase: int
    notes: tuple[str, ...]

    @property
    def new(self) -> int:
        """How many cuts the step found."""
        return int(np.count_nonzero(self.cuts.new))

    @property
    def size(self) -> int:
        """How many cuts the model has: what is only found is not part of it yet."""
        return len(self.cuts) - (self.new if self.phase == 1 else 0)

    @property
    def low(self) -> Low | None:
        """The model's minimum by now; None while it has new cuts and was not solved again."""
        return self.before if self.phase == 1 else None if self.phase == 2 and self.new else self.after


@dataclass(frozen=True, slots=True, eq=False)
class SurfaceFrame:
    """The objective, with the model if asked for, or why there is none; `contours` of what is drawn."""

    objective: ObjectiveFrame
    model: LowerModel | None
    contours: tuple[tuple[float, Array], ...]
    why: str = ""


def frame(
    problem: Problem, trace: Trace, objective: ObjectiveFrame, shows: str = SHOWS[0], phase: int = 0
) -> SurfaceFrame:
    """What is drawn over the objective's slice: its lower model, or the objective where there is none."""
    if shows == SHOWS[0]:
        return SurfaceFrame(objective, None, objective.contours)
    try:
        model = model_on(problem, trace, objective, phase)
    except Refused as reason:
        return SurfaceFrame(objective, None, objective.contours, f"No lower model: {reason}")
    return SurfaceFrame(objective, model, contours(objective.x, objective.y, model.values))


def model_on(problem: Problem, trace: Trace, over: ObjectiveFrame, phase: int) -> LowerModel:
    """The lower model of a step on the objective's slice, or Refused with the reason."""
    cuts, notes = cuts_on(problem, trace, set_at(problem, trace, over.at), over.where)
    old = cuts.only(~cuts.new)
    known = old if phase == 1 else cuts
    before = lowest(problem, old, over)
    after = lowest(problem, cuts, over) if len(old) < len(cuts) else before
    rivals, w = known.of(cuts), trace.weights.kept.get(over.at)
    highest = leaders(rivals, over.x[None, :], over.y[:, None])
    here = np.nan if w is None else height(problem, known, over, *on(over.where, w))
    return LowerModel(
        surface(problem, known, over),
        highest,
        regions(rivals, highest, over.where.box),
        newest_of(cuts, over.where.box),
        before,
        after,
        here,
        cuts,
        phase,
        (*notes, *warnings(problem, trace, over.at)),
    )


# a step's cuts ----------------------------------------------------------------------------------------------


def set_at(problem: Problem, trace: Trace, at: int) -> KeptCuts:
    """The working set of step `at` with what it found, without rules; Refused where it is not recorded."""
    if not len(trace):
        raise Refused("nothing is trained yet.")
    if isinstance(problem, Geometry):
        raise Refused(
            "these weights stand for kernel functions, and their cuts are no planes over two of them."
        )
    now = cuts_at(trace, at)
    if now is None:
        raise Refused("this learner keeps no cuts.")
    if now.at != at:
        raise Refused(f"the cuts of step {at} were not kept, the nearest are those of step {now.at}.")
    if any(i > at and a.settings == b.settings for (_, a), (i, b) in pairwise(trace.starts)):
        raise Refused("loss or oracle changed after this step, and its cuts bound another objective.")
    every = with_pending(trace, now)
    return every.only(every.example > FIRST_RULE)


def cuts_on(problem: Problem, trace: Trace, now: KeptCuts, where: Slice) -> tuple[Cuts, list[str]]:
    """The cuts with their slopes on the slice; of many, the step's own and those with weight."""
    told = trace.details.kept[now.at].get("slopes", ())
    a, late = np.full((len(now), 2), np.nan), 0
    chosen = np.lexsort((-now.ids, now.alpha <= 0.0, now.born != now.at))[:MOST_CUTS]
    ends = time.perf_counter() + PATIENCE
    for j in chosen:
        if time.perf_counter() > ends:
            late += 1
            continue
        vector = -told[j] if j < len(told) else slope(problem, trace, now, int(j))
        if vector is None:
            raise Refused(f"cut {now.ids[j]} of step {now.at} is no longer on record.")
        a[j] = on(where, vector)
    notes = [f"{quantity(late, 'cut')} left out: still being computed."] if late else []
    if len(chosen) < len(now):
        notes.append(
            f"Of {len(now):,} cuts the {len(chosen)} newest or with weight are drawn; all make it no lower."
        )
    order = [j for j in np.argsort(now.ids, kind="stable") if not np.isnan(a[j, 0])]
    return Cuts(now.ids, now.example, now.born == now.at, now.b, a).only(order), notes


def on(where: Slice, a: Vector) -> tuple[float, float]:
    """The parts of a vector along the slice's directions."""
    return dot(where.first, a), dot(where.second, a)


def warnings(problem: Problem, trace: Trace, at: int) -> list[str]:
    """Why the model may lie above the objective, if it may."""
    if settings_at(trace, at).get("rest") == "left out":
        return ["These cuts are means of samples: the model is no lower bound."]
    if is_relaxed(problem):
        return ["The oracle is relaxed: the model may lie above the objective."]
    return (
        []
        if problem.oracle_is_exact
        else ["The oracle may miss labellings: the objective may be higher than shown."]
    )


# the model --------------------------------------------------------------------------------------------------


def lower_risk(problem: Problem, cuts: Cuts, s: Array, t: Array) -> Array:
    """The mean cost of the largest slack that each example's cuts ask for, or that joint cuts ask for."""
    if cuts.joint:
        return np.asarray(cuts.heights(s, t).max(axis=0, initial=0.0))
    each = (
        cuts.only(cuts.example == i).heights(s, t).max(axis=0, initial=0.0) for i in np.unique(cuts.example)
    )
    return np.asarray(sum(problem.pricing.cost(slack) for slack in each) / problem.n)


def surface(problem: Problem, cuts: Cuts, over: ObjectiveFrame) -> Array:
    """J_k at every grid point."""
    s, t = over.x[None, :], over.y[:, None]
    return np.asarray(0.5 * (s**2 + t**2) + over.C * lower_risk(problem, cuts, s, t) + over.rules)


def height(problem: Problem, cuts: Cuts, over: ObjectiveFrame, s: float, t: float) -> float:
    """J_k at one place of the slice."""
    risk = float(lower_risk(problem, cuts, np.array(s), np.array(t)))
    return 0.5 * (s * s + t * t) + over.C * risk + rule_cost(problem, over.where.at(s, t))


def lowest(problem: Problem, cuts: Cuts, over: ObjectiveFrame) -> Low:
    """Where J_k is lowest on the whole slice, window or not, and its height there."""
    planes = [Plane(a, float(b), int(i), None) for a, b, i in zip(cuts.a, cuts.b, cuts.example, strict=True)]
    planes += [replace(rule, a=np.array(on(over.where, rule.a))) for rule in rule_planes(problem)]
    working, examples = WorkingSet(2, planes), 1 if cuts.joint else problem.n
    # A joint cut bounds the mean cost itself, squares and all: its slack costs no more than it asks.
    penalty: Penalty = "linear" if cuts.joint else problem.pricing.penalty
    working.solve_for(slack_prices(problem, over.C, examples), working.slots(examples), penalty, TOLERANCE)
    s, t = map(float, working.w())
    return s, t, height(problem, cuts, over, s, t)


def names(shown: SurfaceFrame) -> tuple[list[float], list[float], list[str]]:
    """Where to write the regions' numbers: far from edges, path and marks, and only where there is room."""
    model, over = shown.model, shown.objective
    if model is None:
        return [], [], []
    marks = [along(over.path), *(np.array([place[:2]]) for place in (over.lowest, model.low) if place)]
    x, y = (part.ravel() for part in np.meshgrid(over.x[::3], over.y[::3]))
    leads, found = model.highest[::3, ::3].ravel(), []
    scale = WIDE / np.ptp(over.x), 1.0 / np.ptp(over.y)
    for j, polygon in model.regions:
        near = np.concatenate([along(np.concatenate([polygon, polygon[:1]])), *marks])
        mine = np.column_stack([x, y])[leads == j]
        room = np.hypot(*((mine[:, None] - near) * scale).T).min(axis=0) if len(mine) else np.zeros(1)
        if room.max() >= ROOM:
            found.append((*mine[np.argmax(room)], "no slack" if j < 0 else str(j)))
    return tuple(map(list, zip(*found, strict=True))) if found else ([], [], [])


def along(path: Array) -> Array:
    """Points on the pieces of a path, close enough to keep away from it."""
    part = np.linspace(0.0, 1.0, 16)[:, None]
    pieces = [p + part * (q - p) for p, q in pairwise(path)]
    return np.concatenate(pieces) if pieces else path
