"""How good a solution of a program is, by its optimality (Karush-Kuhn-Tucker) conditions.

    objective        J(w), every slack being what the rows ask for at w
    dual             b . alpha - 1/2 |sum_j alpha_j a_j|^2,  S_g <= price_g          (linear slacks)
                     and without that limit less sum_g S_g^2 / (2 price_g)           (squared)
    violation        max_j  b_j - a_j . w - slack_{g(j)}
    complementarity  max_j |alpha_j (b_j - a_j . w - slack)|,  max_g |(price_g - S_g) slack_g|
    stationarity     |w - sum_j alpha_j a_j|,  and S_g against price_g (linear) or price_g slack_g (squared)

S_g is the sum of the multipliers of slot g. Under a likelihood there are no rows to violate: stationarity is
|gradient|, the dual J - 1/2 |gradient|^2. The same lines judge every solution, ours or another solver's.
Cost: a product with the rows.
"""

import math
from typing import NamedTuple

import numpy as np

from explorer.engine.objective import HARD
from explorer.engine.runs.referee.program import Program
from explorer.engine.vectors import Array


class ProgramPoint(NamedTuple):
    """A claimed solution: weights, multipliers of the rows, slacks of the slots."""

    w: Array
    alpha: Array
    slack: Array


class Conditions(NamedTuple):
    """How good a point is; NaN where it does not say enough to tell."""

    objective: float
    dual: float = math.nan
    violation: float = math.nan
    complementarity: float = math.nan
    stationarity: float = math.nan


NAMES = {
    "objective": "Objective",
    "dual": "Dual",
    "violation": "Largest violated cut",
    "complementarity": "Complementary slackness",
    "stationarity": "Stationarity",
}


def conditions(program: Program, at: ProgramPoint) -> Conditions:
    """The conditions at a point of a hinge program."""
    pull, used = program.b - program.a @ at.w, program.masses(at.alpha)
    soft = np.isfinite(program.price)
    price, slack, mass = program.price[soft], at.slack[soft], used[soft]
    tight = float(np.max(np.abs(at.alpha * (pull - at.slack[program.slot])), initial=0.0))
    free = 0.0 if program.squared else float(np.max(np.abs((price - mass) * slack), initial=0.0))
    owed = np.abs(mass - price * slack) if program.squared else np.maximum(mass - price, 0.0)
    return Conditions(
        value(program, at.w),
        dual_value(program, at.alpha),
        max(0.0, float(np.max(pull - at.slack[program.slot], initial=0.0))),
        max(tight, free),
        max(float(np.linalg.norm(at.w - at.alpha @ program.a)), float(np.max(owed, initial=0.0))),
    )


def value(program: Program, w: Array) -> float:
    """J(w); infinite where a row without slack is broken."""
    needed, hard = program.needed_slack(w), np.isinf(program.price)
    if np.any(needed[hard] > HARD * max(1.0, float(np.max(np.abs(program.b), initial=0.0)))):
        return math.inf
    cost = needed[~hard] ** 2 / 2 if program.squared else needed[~hard]
    return 0.5 * float(w @ w) + float(program.price[~hard] @ cost)


def dual_value(program: Program, alpha: Array) -> float:
    """The lower bound that multipliers prove, once they are made feasible."""
    alpha = np.maximum(alpha, 0.0)
    used = program.masses(alpha)
    spread = 0.0
    if program.squared:
        spread = float(np.sum(used**2 / (2.0 * program.price)))
    else:
        alpha = alpha * np.minimum(1.0, program.price / np.maximum(used, 1e-300))[program.slot]
    w = alpha @ program.a
    return float(alpha @ program.b) - 0.5 * float(w @ w) - spread


def likelihood_conditions(program: Program, w: Array) -> Conditions:
    """The conditions at w under a likelihood."""
    scores = -program.a @ w
    top = np.full(len(program.price), -np.inf)
    np.maximum.at(top, program.slot, scores)
    share = np.exp(scores - top[program.slot])
    summed = program.masses(share)
    J = 0.5 * float(w @ w) + float(program.price @ (top + np.log(summed)))
    gradient = w - (share * (program.price / summed)[program.slot]) @ program.a
    length = float(np.linalg.norm(gradient))
    return Conditions(J, J - 0.5 * length**2, stationarity=length)
