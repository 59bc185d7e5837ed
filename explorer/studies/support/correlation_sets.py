"""Supervised correlation clustering as its studies need it: a model trained with C chosen on the training
sets, and its losses.

    SVM-CC   1-slack cutting planes over any clusterer; C rises through powers of ten, each from the planes of
             the one before
    PCC      a binary machine on all pairs, whose outputs are clustered by the same predictor
    default  all items in one cluster, or each alone

C is the one with the smallest mean loss in cross validation over whole training sets, the smallest of equals;
the test sets take no part. Where the clusterer is not exact, the planes handed on have a say in where a
training ends. Differences are judged in pairs, test set by test set, by Student's two-tailed t. Finley 2009,
section 3.6.2. Cost: `folds` + 1 trainings, each about as long as one at the largest C.
"""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal, NamedTuple

import numpy as np

from explorer.baselines.clustering import PairClassifier
from explorer.engine.contracts import Dataset
from explorer.engine.data.item_sets import take_sets
from explorer.engine.events import Step
from explorer.engine.halting import Cancelled
from explorer.engine.learners import OneSlack
from explorer.engine.pricing import Pricing, Scaling
from explorer.engine.refusals import Refused
from explorer.engine.runs.streams import metered
from explorer.engine.structures.clusterings.item_sets import pair_rows
from explorer.engine.structures.clusterings.losses import Mitre, Pairwise
from explorer.engine.structures.clusterings.oracles import GreedyMerges
from explorer.engine.structures.clusterings.problem import Clustering
from explorer.engine.structures.clusterings.question import ClusterOracle
from explorer.engine.vectors import Array
from explorer.studies.support.selection import Validated, best_price, folds_of
from explorer.studies.support.study import Pulse, at_place, quiet

LOSSES = {loss.title: loss for loss in (Mitre(), Pairwise())}
MITRE, PAIRWISE = LOSSES
PAIR_PRICES = (1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7)
"""The prices among which the pair classifier's C is chosen."""

SIGNIFICANT = 0.05
Baseline = Literal["all in one", "all apart"]


@dataclass(frozen=True, slots=True, eq=False)
class Trained:
    """A model, its C, and the rounds and seconds that it took, those at smaller C included where it began
    from them.
    """

    w: Array
    C: float
    rounds: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Manner:
    """How models are trained: the prices tried, the folds that choose among them, the tolerance and the most
    rounds at each.
    """

    prices: tuple[float, ...]
    folds: int
    eps: float
    most: int
    seed: int


Fit = Callable[[Clustering, Sequence[float], Pulse], Iterator[Trained]]
"""One model for each price, from the smallest to the largest."""


def decades(least: float, most: float) -> tuple[float, ...]:
    """Powers of ten times `least`, up to `most`."""
    if most < least:
        raise Refused(f"the largest C, {most:g}, is below the smallest, {least:g}; swap them")
    return tuple(least * 10.0**k for k in range(math.floor(math.log10(most / least) + 1e-9) + 1))


def correlation(
    data: Dataset,
    loss: str = PAIRWISE,
    separator: ClusterOracle | None = None,
    predictor: ClusterOracle | None = None,
    scaling: Scaling = "margin",
    asked: bool = True,
) -> Clustering:
    """Item sets as a problem of correlation clustering; greedy where no clusterer is named."""
    oracles = separator or GreedyMerges(), predictor or GreedyMerges()
    return Clustering(
        data,
        delta=LOSSES[loss],
        pricing=Pricing(scaling),
        separator=oracles[0],
        predictor=oracles[1],
        loss_asked=asked,
    )


def machine(problem: Clustering, manner: Manner, pulse: Pulse = quiet) -> Trained:
    """SVM-CC at the C that cross validation likes best."""

    def fit(part: Clustering, prices: Sequence[float], noted: Pulse) -> Iterator[Trained]:
        return fits(part, prices, manner, noted)

    return _selected(problem, manner.prices, fit, manner, pulse)


def pair_machine(problem: Clustering, manner: Manner, pulse: Pulse = quiet) -> Trained:
    """PCC at the C that cross validation likes best, by the loss and the predictor of the problem."""
    return _selected(problem, PAIR_PRICES, pair_fits, manner, pulse)


def _selected(
    problem: Clustering, prices: Sequence[float], fit: Fit, manner: Manner, pulse: Pulse
) -> Trained:
    """The model at the best of the prices; with a single one nothing is to be chosen."""
    best = prices[0]
    if len(prices) > 1:
        best = best_price(list(fold_losses(problem, prices, fit, manner, pulse)))
    *_, last = fit(problem, [C for C in prices if best >= C], pulse)
    return last


def fold_losses(
    problem: Clustering, prices: Sequence[float], fit: Fit, manner: Manner, pulse: Pulse
) -> Iterator[Validated]:
    """The mean loss on every fold, at every price, of the model that the other folds make."""
    data = problem.dataset
    folds = folds_of(problem.n, min(manner.folds, problem.n), manner.seed)
    for fold, held in enumerate(folds):
        rest = np.setdiff1d(np.arange(problem.n), held)
        training, testing = (problem.on(take_sets(data, at.tolist(), data.name)) for at in (rest, held))
        for found in fit(training, prices, at_place(pulse, f"fold {fold + 1} of {len(folds)}")):
            loss = float(np.mean(losses_of(testing, found.w)))
            yield Validated(fold, found.C, loss, found.rounds)


def fits(
    problem: Clustering, prices: Sequence[float], manner: Manner, pulse: Pulse = quiet
) -> Iterator[Trained]:
    """SVM-CC at every price in turn; planes do not depend on C and are handed on."""
    state: Any = None
    rounds, began = 0, time.perf_counter()
    for C in prices:
        steps = _steps(problem, C, manner, state, at_place(pulse, f"C = {C:g}"))
        for step in islice(steps, manner.most):
            state, rounds = step.state, rounds + 1
        yield Trained(step.w, C, rounds, time.perf_counter() - began)


def _steps(problem: Clustering, C: float, manner: Manner, state: Any, pulse: Pulse) -> Iterator[Step]:
    """The learner's rounds; a pulse that says no ends everything, not only the training."""
    note = "first round"

    def cancelled() -> bool:
        pulse(note)
        return False

    steps = metered(
        problem, OneSlack(C=C, eps=manner.eps), np.random.default_rng(manner.seed), state, cancelled
    )
    while True:
        try:
            step = next(steps)
        except StopIteration as end:
            if end.value.reason == "cancelled":
                raise Cancelled from None
            return
        note = f"slack {step.detail['xi']:.3g}, violation {step.detail['violation']:.3g}"
        yield step


def pair_fits(problem: Clustering, prices: Sequence[float], pulse: Pulse = quiet) -> Iterator[Trained]:
    """PCC at every price."""
    psis = [pair_rows(x) for x in problem.dataset.inputs]
    for C in prices:
        pulse(f"pair classifier, C = {C:g}")
        began = time.perf_counter()
        found = PairClassifier(C=C).fit(psis, problem.dataset.labels)
        yield Trained(found.w, C, 1, time.perf_counter() - began)


def losses_of(problem: Clustering, w: Array) -> Array:
    """The loss of every set under the problem's predictor."""
    return problem.losses(problem.predictions(w))


def default_losses(problem: Clustering, which: Baseline) -> Array:
    """The loss of every set when nothing is learned."""
    sizes = [x.m for x in problem.dataset.inputs]
    return problem.losses(
        [np.zeros(m, dtype=np.int64) if which == "all in one" else np.arange(m) for m in sizes]
    )


class Paired(NamedTuple):
    """The mean of differences over test sets, their standard deviation, and how likely so large a mean is by
    chance.
    """

    difference: float
    sd: float
    p: float


def paired_test(losses: Array, others: Array) -> Paired:
    """losses - others, set by set, by Student's two-tailed t; sd and p are NaN for a single set."""
    each = np.asarray(losses) - np.asarray(others)
    n, mean = len(each), float(np.mean(each))
    if n < 2:
        return Paired(mean, math.nan, math.nan)
    sd = float(np.std(each, ddof=1))
    if sd == 0.0:
        return Paired(mean, 0.0, 1.0 if mean == 0.0 else 0.0)
    from scipy.stats import t  # takes a second to import

    return Paired(mean, sd, float(2.0 * t.sf(abs(mean) / sd * math.sqrt(n), n - 1)))
