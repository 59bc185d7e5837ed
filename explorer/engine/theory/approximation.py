"""What can still be said when the oracle only approximates: Finley 2009, section 5.3, computed so that a run
can be held against it.

All n examples are one: f(y) = mean_i w . Psi(x_i, y_i), D(y) = mean_i Delta(y_i, .), y0 the truths, yh the
oracle's answer.

    rho         (f(yh) + D(yh)) / max_y (f(y) + D(y)),   in prediction f(yh) / max_y f(y)
    Lemma 1     w is feasible with slack   H(yh) + (1 - rho) / rho (f(yh) + D(yh))
    Theorem 9   the optimum lies between   1/2 |w|^2 + C xi   and
        1/2 |w|^2 + C ((f(yh) + D(yh)) / rho - f(y0))
    Theorem 10  a rho-approximate prediction has   D <= (1 - rho) f(y0) + xi,   xi feasible
    bridge      max_y s(y) <= 1/beta log sum_y exp(beta s(y)) <= max_y s(y) + log(number of y) / beta

xi in Theorem 9 is the slack of the cuts found so far, at their optimum w. The best score is at least 0 where
some labelling scores 0, as all-off does; below that a share of it means nothing. Cost: one pass of each
oracle, or the number of labellings.
"""

import math
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from explorer.engine.contracts import Problem
from explorer.engine.objective import mean_loss, slacks, sweep
from explorer.engine.structures.chains.kernels.forward_backward import log_partition
from explorer.engine.structures.fields.fields import Fields
from explorer.engine.structures.fields.oracles.exhaustive import Exhaustive, all_scores
from explorer.engine.vectors import Array, dot, squared_norm

AnyProblem = TypeVar("AnyProblem", bound=Any)


@dataclass(frozen=True, slots=True)
class MeanAnswer:
    """An oracle's answer at w, as means over the examples: f(y0), f(yh), D(yh)."""

    truth: float
    score: float
    loss: float

    @property
    def value(self) -> float:
        """f(yh) + D(yh): what the oracle maximises."""
        return self.score + self.loss

    @property
    def violation(self) -> float:
        """H(yh)."""
        return self.value - self.truth


@dataclass(frozen=True, slots=True)
class Interval:
    """Where the optimum lies, and the share of the best value that the oracle reached."""

    low: float
    high: float
    rho: float


def exactly(problem: AnyProblem) -> AnyProblem:
    """The same field problem with exhaustive search in training and prediction."""
    return replace(problem, separator=Exhaustive(), predictor=Exhaustive())


def truth_score(problem: Problem, w: Array) -> float:
    """f(y0)."""
    labels = problem.dataset.labels
    return float(np.mean([dot(w, problem.features(i, labels[i])) for i in range(problem.n)]))


def mean_answer(problem: Problem, w: Array) -> MeanAnswer:
    """The oracle's answer at w; where it knows nothing better than the truth, the truth."""
    part, truth = sweep(problem, w), truth_score(problem, w)
    return MeanAnswer(truth, truth - float(np.mean(part.margins)), float(np.mean(part.losses)))


def share(found: float, best: float) -> float:
    """rho: the part of the best value that was found; all of it where there is nothing to find."""
    return 1.0 if best <= 0.0 or found >= best else found / best


def measured_rho(problem: Problem, exact: Problem, w: Array) -> float:
    """rho of the training oracle at w, against an exact one."""
    return share(mean_answer(problem, w).value, mean_answer(exact, w).value)


def predicted_rho(problem: Any, exact: Any, w: Array) -> float:
    """rho of the predictor at w, against an exact one."""
    return share(predicted_score(problem, w), predicted_score(exact, w))


def predicted_score(problem: Any, w: Array) -> float:
    """f of the predictions at w."""
    found = problem.predictions(w)
    return float(np.mean([dot(w, problem.features(i, label)) for i, label in enumerate(found)]))


def feasible_slack(found: MeanAnswer, rho: float) -> float:
    """Lemma 1: a slack that no labelling exceeds, known without an exact oracle; infinite at rho = 0."""
    if rho <= 0.0:
        return math.inf
    return found.violation + (1.0 - rho) / rho * found.value


def interval(w: Array, xi: float, C: float, found: MeanAnswer, rho: float) -> Interval:
    """Theorem 9, for the w and slack xi that solve the program over the cuts found so far."""
    half = 0.5 * squared_norm(w)
    return Interval(half + C * xi, half + C * feasible_slack(found, rho), rho)


def risk_bound(truth: float, rho: float, slack: float) -> float:
    """Theorem 10: no rho-approximate prediction has a larger mean loss; `slack` must be feasible, `truth` is
    f(y0).
    """
    return (1.0 - rho) * truth + slack


def true_slack(problem: AnyProblem, w: Array) -> float:
    """The mean slack at w by exhaustive search, whatever the training oracle believes."""
    exact = exactly(problem)
    return float(np.mean(slacks(exact, sweep(exact, w))))


def risks(problem: AnyProblem, w: Array) -> tuple[float, float]:
    """The mean training loss at w: of the problem's own predictor, and of exhaustive search."""
    return mean_loss(problem, w), mean_loss(exactly(problem), w)


def soft_maximum(scores: Array, beta: float) -> float:
    """1/beta log sum exp(beta s), shifted by the largest score so that nothing overflows."""
    top = float(np.max(scores))
    return top + math.log(float(np.sum(np.exp(beta * (scores - top))))) / beta


def soft_field(field: Fields, beta: float) -> tuple[float, float]:
    """The largest score of one small field, and its soft maximum over all labellings."""
    (_, _, _, scores), *_ = all_scores(field)
    return float(np.max(scores)), soft_maximum(scores[0], beta)


def soft_chain(unary: Array, trans: Array, start: Array, stop: Array, beta: float) -> float:
    """The soft maximum over all labellings of a chain, by the forward sums."""
    scaled = (beta * unary, beta * trans, beta * start, beta * stop)
    return float(log_partition(*scaled, np.empty_like(unary))) / beta


def softening(nodes: int, states: int, beta: float) -> float:
    """How far the soft maximum over all labellings can lie above the maximum: log(states^nodes) / beta."""
    return nodes * math.log(states) / beta
