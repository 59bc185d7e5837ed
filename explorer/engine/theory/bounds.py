"""What theorems promise about a run, computed so that the run can be held against it.

    separator         unit w_hat and the largest delta with  w_hat . psi >= delta  for every wrong labelling
    perceptron        at most (R / delta)^2 updates                                   (R = max |psi|)
    n-slack           at most max(2 n D / eps, 8 C D R^2 / eps^2) cuts                (Thm 4)
    1-slack           at most ceil(log2(D / 4 R^2 C)) + ceil(16 R^2 C / eps) rounds   (Thm 7)
    older form        at most (C D^2 R^2 + n D) / eps^2 cuts                          (Thm 8, 11)
    risk              mean loss <= mean slack, or mean slack^2 under a squared penalty (Thm 1)

with D = max loss. Theorems 1-11 are numbered as in Finley, "Supervised Clustering with Structural SVMs",
2009; the perceptron's is Collins 2002, Theorem 1. What needs every labelling is for tiny problems only: its
cost is their number times the number of features.
"""

import math
from dataclasses import dataclass

import numpy as np

from explorer.engine.contracts import Enumerates, Problem, pulse_of
from explorer.engine.dual import qp
from explorer.engine.events import Cut, Sweep
from explorer.engine.objective import cut_of, lift, mean_loss, slacks
from explorer.engine.pricing import Scaling
from explorer.engine.refusals import Refused
from explorer.engine.vectors import Array, dense, dot


@dataclass(frozen=True, slots=True, eq=False)
class Separator:
    """A unit vector under which each truth scores at least delta above every wrong one; R = max |psi|."""

    w_hat: Array
    delta: float
    R: float


def wrong_cuts(problem: Problem) -> list[Cut]:
    """The cuts of all labellings that lose anything."""
    if not isinstance(problem, Enumerates):
        raise Refused(f"{problem.name} cannot list its labellings; choose a smaller problem, or one that can")
    found = []
    for i in range(problem.n):
        pulse_of(problem)()
        found += [
            cut_of(problem, i, label) for label in problem.labellings(i) if problem.loss(i, label) > 0.0
        ]
    return found


def separator(problem: Problem) -> Separator | None:
    """The widest separation of all truths from all wrong labellings; None when there is none.

    The hard-margin program min 1/2 |w|^2, w . psi >= 1, by cutting planes: the worst labelling of each
    example enters until none is below 1. Then delta = 1 / |w|; returned is the margin that w really keeps.
    """
    cuts = wrong_cuts(problem)
    if not cuts:
        return None
    psi, example = np.stack([dense(cut.psi) for cut in cuts]), np.array([cut.i for cut in cuts])
    rows: list[int] = []
    alpha, w = np.zeros(0), np.zeros(problem.dim)
    while fresh := [j for j in _narrowest(psi @ w, example) if j not in rows]:
        rows += fresh
        part, hard = psi[rows], np.array([math.inf])
        program = qp.Working(part @ part.T, np.ones(len(rows)), np.zeros(len(rows), dtype=np.int64), hard)
        try:
            alpha = qp.solve(program, np.append(alpha, np.zeros(len(fresh))), 1e-13, pulse_of(problem)).alpha
        except Refused:
            return None
        w = alpha @ part
        if float(np.min(part @ w)) < 0.5:
            # Planes that cancel exactly: multipliers without end whose w is nothing but rounding.
            return None
    norm = float(np.linalg.norm(w))
    return Separator(w / norm, float(np.min(psi @ w)) / norm, float(np.max(np.linalg.norm(psi, axis=1))))


def _narrowest(margins: Array, example: Array) -> list[int]:
    """Per example the row of smallest margin, where that is below 1."""
    order = np.lexsort((margins, example))
    first = order[np.unique(example[order], return_index=True)[1]]
    return [int(j) for j in first if margins[j] < 1.0 - 1e-9]


def perceptron_bound(found: Separator) -> float:
    """The largest number of updates that a structured perceptron can make, whatever the order."""
    return (found.R / found.delta) ** 2


@dataclass(frozen=True, slots=True)
class Extent:
    """What the theorems ask of a problem: R = max |Psi(x_i, y_i) - Psi(x_i, y)|, D = max loss, and max
    |Psi(x_i, y)|, over all labellings or also over relaxed answers.
    """

    radius: float
    loss: float
    longest: float
    relaxed: bool = False


def extent(problem: Problem) -> Extent:
    """The three maxima over all labellings of all examples."""
    if not isinstance(problem, Enumerates):
        raise Refused(f"{problem.name} cannot list its labellings; choose a smaller problem, or one that can")
    radius = loss = longest = 0.0
    for i in range(problem.n):
        pulse_of(problem)()
        truth = dense(problem.features(i, problem.dataset.labels[i]))
        for label in problem.labellings(i):
            features = dense(problem.features(i, label))
            radius = max(radius, float(np.linalg.norm(truth - features)))
            longest = max(longest, float(np.linalg.norm(features)))
            loss = max(loss, problem.loss(i, label))
    return Extent(radius, loss, longest)


def n_slack_bound(C: float, eps: float, loss_max: float, radius: float, n: int, scaling: Scaling) -> float:
    """Theorem 4: how many cuts the n-slack learner can add."""
    power = 3 if scaling == "slack" else 1
    return max(2 * n * loss_max / eps, 8 * C * loss_max**power * radius**2 / eps**2)


def one_slack_bound(C: float, eps: float, loss_max: float, radius: float, scaling: Scaling) -> int:
    """Theorem 7, for 0 < eps < 4 radius^2 C: how many iterations the 1-slack learner can make, whatever n.

    The theorem is printed with a logarithm that may be negative; so it is here.
    """
    reach = 4 * radius**2 * C
    if scaling == "slack":
        return math.ceil(math.log2(1 / (reach * loss_max))) + math.ceil(4 * reach * loss_max**2 / eps)
    return math.ceil(math.log2(loss_max / reach)) + math.ceil(4 * reach / eps)


def older_bound(C: float, eps: float, loss_max: float, radius: float, n: int) -> float:
    """Theorems 8 and 11, the older and mostly weaker form of Theorem 4; here radius = max |Psi(x_i, y)|."""
    return (C * loss_max**2 * radius**2 + n * loss_max) / eps**2


def worst_slacks(problem: Problem, w: Array) -> Array:
    """slack_i = max(0, max_y H_i(y)) of every example, over all labellings."""
    found = np.zeros(problem.n)
    g = lift(problem, w)
    for cut in wrong_cuts(problem):
        found[cut.i] = max(found[cut.i], problem.pricing.violation(dot(g, cut.psi), cut.loss))
    return found


def worst_violation(problem: Problem, w: Array, slack: Array) -> float:
    """The largest H_i(y) - slack_i over all labellings: at most eps where a cutting-plane learner ended."""
    return float(np.max(worst_slacks(problem, w) - slack))


def risk_bound(problem: Problem, w: Array, part: Sweep) -> tuple[float, float]:
    """Mean loss of the predictions at w, and the mean slack (or mean slack^2) of the pass that bounds it."""
    slack = slacks(problem, part)
    return mean_loss(problem, w), float(np.mean(slack**2 if problem.pricing.penalty == "squared" else slack))
