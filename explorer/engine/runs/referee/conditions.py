"""How good a solution of a program is, by its optimality (Karush-Kuhn-Tucker) conditions.

    objective        J(w), every slack being what the rows ask for at w
    dual             b . alpha - 1/2 |sum_j alpha_j a_j|^2,  S_g <= price_g          (linear slacks)
                     and without that limit less sum_g S_g^2 / (2 price_g)           (squared)
    violation        max_j  b_j - a_j . w - slack_{g(j)}
    complementarity  max_j |alpha_j (b_j - a_j . w - slack)|,  max_g |(price_g - S_g) slack_g|
    stationarity     |w - sum_j alpha_j a_j|,  and S_g against price_g (linear) or price_g slack_g (squared)

S_g is the sum of the multipliers of slot g. A free bias is not in the norm, so its entry of sum_j alpha_j a_j
must vanish: the dual is that of multipliers whose heavier side was made lighter until it does. Under a
likelihood there are no rows to violate: stationarity is |gradient|, the dual J - 1/2 |gradient|^2. The same
lines judge every solution, ours or another solver's. Cost: a product with the rows.
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
    w = at.w.copy()
    w[: program.free_bias] = 0.0
    return Conditions(
        value(program, at.w),
        dual_value(program, at.alpha),
        max(0.0, float(np.max(pull - at.slack[program.slot], initial=0.0))),
        max(tight, free),
        max(float(np.linalg.norm(w - at.alpha @ program.a)), float(np.max(owed, initial=0.0))),
    )


def value(program: Program, w: Array) -> float:
    """J(w); infinite where a row without slack is broken."""
    needed, hard = program.needed_slack(w), np.isinf(program.price)
    if np.any(needed[hard] > HARD * sizes(program, w)[hard]):
        return math.inf
    cost = needed[~hard] ** 2 / 2 if program.squared else needed[~hard]
    own = w[program.counted]
    return 0.5 * float(own @ own) + float(program.price[~hard] @ cost)


def sizes(program: Program, w: Array) -> Array:
    """What a violation of each slot is measured by: the largest b of all examples, a rule's own b, or where
    that is 0 the largest that a . w can be for a w of this length.
    """
    n = len(program.price)
    examples = n if program.examples is None else program.examples
    largest, reach = np.zeros(n), np.zeros(n)
    np.maximum.at(largest, program.slot, np.abs(program.b))
    np.maximum.at(reach, program.slot, np.linalg.norm(program.a, axis=1) * np.linalg.norm(w))
    largest[:examples] = np.max(largest[:examples], initial=0.0)
    return np.where(largest > 0.0, largest, reach)


def dual_value(program: Program, alpha: Array) -> float:
    """The lower bound that multipliers prove, once they are made feasible."""
    alpha = np.maximum(alpha, 0.0)
    if not program.squared:
        used = np.maximum(program.masses(alpha), 1e-300)
        alpha = alpha * np.minimum(1.0, program.price / used)[program.slot]
    if program.free_bias:
        alpha = even(alpha, program.a[:, 0])
    spread = float(np.sum(program.masses(alpha) ** 2 / (2.0 * program.price))) if program.squared else 0.0
    w = (alpha @ program.a)[program.counted]
    return float(alpha @ program.b) - 0.5 * float(w @ w) - spread


def even(alpha: Array, tilt: Array) -> Array:
    """Multipliers whose sum with the entries of a free bias is 0: the heavier side made lighter."""
    sides = float(alpha @ np.maximum(tilt, 0.0)), float(alpha @ np.maximum(-tilt, 0.0))
    shares = [min(sides) / side if side > 0.0 else 1.0 for side in sides]
    return alpha * np.where(tilt > 0.0, shares[0], np.where(tilt < 0.0, shares[1], 1.0))


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
