"""Supervised k-means as Finley 2009, section 4.5.2 tests it: leave one set out, choose C and the predictor
inside the others.

    outer   each item set in turn is tested on, all others are for training
    inner   each training set in turn is left out, for every C: train on the rest, loss of every predictor on
            the one left out
    chosen  the (C, predictor) with the smallest mean inner loss; of equals the smallest C, then the first
            predictor
    last    train on all training sets with that C, test with that predictor

Four ways to a similarity: the structural machine with the Iterative or the Spectral oracle (1-slack,
normalised loss), the pair classifier, and all weights 1. The pair classifier learns an offset, as the
source's does; it shifts the similarity of all pairs alike, which changes no clustering into k clusters, and
is left out. Predictors are Iterative, Spectral (scored relaxed) and Discrete; what they draw depends on the
seed alone, so the whole choice does. A single training set has nothing to leave out: its items are split into
two halves, which take the place of sets. Cost: (sets - 1) * prices + 1 trainings for each test set and
method.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from explorer.baselines.clustering import PairClassifier
from explorer.baselines.clustering.pair_classifier import imbalance
from explorer.engine.contracts import Dataset
from explorer.engine.data.item_sets import left_out, take_sets
from explorer.engine.halting import Cancelled
from explorer.engine.learners import OneSlack
from explorer.engine.refusals import Refused
from explorer.engine.runs.streams import metered
from explorer.engine.structures.clusterings.item_sets import ItemSet, item_set, pair_rows
from explorer.engine.structures.clusterings.losses import Normalised
from explorer.engine.structures.clusterings.oracles import Discrete, Iterative, Spectral
from explorer.engine.structures.clusterings.partitions import pair_count, pair_matrix
from explorer.engine.structures.clusterings.problem import Clustering
from explorer.engine.structures.clusterings.question import ClusterOracle
from explorer.engine.vectors import Array, Ints
from explorer.studies.support.published_clusterings import GRIDS, ITERATIVE, NONE, PAIR, SPECTRAL
from explorer.studies.support.study import Pulse, at_place, quiet

PREDICTORS = (Iterative.title, Spectral.title, Discrete.title)


@dataclass(frozen=True, slots=True)
class SetTraining:
    """How every model is trained and tested: the prices to choose from, eps on losses from 0 to 100, most
    steps, starts.
    """

    prices: tuple[float, ...]
    eps: float = 1.0
    most: int = 150
    restarts: int = 10
    seed: int = 0
    on_sum: bool = False
    squared: bool = True
    """The last two are about the pair classifier: whether C weighs the sum of its slacks or their mean,
    squared or plain.
    """


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """Weights, and what they took; `ended` is False where the steps ran out before no cut was violated by
    more than eps.
    """

    w: Array
    steps: int = 0
    seconds: float = 0.0
    ended: bool = True


@dataclass(frozen=True, slots=True)
class ChosenC:
    """What inner validation chose, and its mean loss there."""

    C: float
    predictor: str
    loss: float


@dataclass(frozen=True, slots=True, eq=False)
class HeldOutLoss:
    """The loss on the set that was left out, and how it came about; `seconds` counts the choice too."""

    test: str
    loss: float
    choice: ChosenC
    model: Model
    seconds: float


def prices(lowest: int, highest: int) -> tuple[float, ...]:
    """The powers of ten between two exponents, both included."""
    if lowest > highest:
        raise Refused(f"lowest is {lowest} and highest {highest}; choose lowest up to highest")
    return tuple(10.0**e for e in range(lowest, highest + 1))


def printed_prices(data: str, lowest: int, highest: int) -> tuple[float, ...]:
    """The part of a data set's printed grid between two exponents."""
    first, last = GRIDS[data]
    if lowest > last or highest < first:
        raise Refused(
            f"C is chosen from 1e{first} to 1e{last} for {data}, and lowest is {lowest} and highest "
            f"{highest}; let them overlap"
        )
    return prices(max(lowest, first), min(highest, last))


def problem_of(data: Dataset, separator: ClusterOracle, predictor: ClusterOracle) -> Clustering:
    """Supervised k-means with the normalised loss."""
    return Clustering(data, "k-means", Normalised(), separator=separator, predictor=predictor)


def predictor_named(title: str, recipe: SetTraining) -> ClusterOracle:
    """A predictor with the recipe's starts."""
    if title == Spectral.title:
        return Spectral()
    kind = Iterative if title == Iterative.title else Discrete
    return kind(recipe.restarts, recipe.seed)


def oracle_named(method: str, seed: int) -> ClusterOracle:
    """The training oracle of a method: a single start, or the eigenvectors."""
    return Iterative(seed=seed) if method == ITERATIVE else Spectral()


def train_weights(data: Dataset, method: str, C: float, recipe: SetTraining, pulse: Pulse = quiet) -> Model:
    """The weights of one method at one price."""
    began = time.perf_counter()
    if method == NONE:
        return Model(np.ones(int(data.inputs[0].dim)))
    if method == PAIR:
        pulse("pairs")
        return Model(pair_weights(data, C, recipe), seconds=time.perf_counter() - began)
    oracle = oracle_named(method, recipe.seed)
    return fit_planes(problem_of(data, oracle, oracle), C, recipe, pulse)


def pair_weights(data: Dataset, C: float, recipe: SetTraining) -> Array:
    """The weights of a machine that tells pairs of one cluster from others, trained on all pairs of all
    sets.
    """
    counts = imbalance(data.labels)
    if counts.positive in (0, counts.pairs):  # one kind of pair teaches nothing else
        return np.full(int(data.inputs[0].dim), 1.0 if counts.positive else -1.0)
    machine = PairClassifier(
        C * counts.pairs if recipe.on_sum else C, recipe.squared, offset=True, passes=1000
    )
    return machine.fit([pair_rows(x) for x in data.inputs], data.labels).w


def fit_planes(problem: Clustering, C: float, recipe: SetTraining, pulse: Pulse = quiet) -> Model:
    """1-slack cutting planes, for at most this many steps."""
    note = "first step"

    def cancelled() -> bool:
        pulse(note)
        return False

    learner = OneSlack(C=C, eps=recipe.eps)
    for step in metered(problem, learner, np.random.default_rng(recipe.seed), cancelled=cancelled):
        note = f"step {step.k + 1}, violation {step.detail['violation']:.3g}"
        ended = not step.detail["added"]
        if ended or step.k + 1 >= recipe.most:
            return Model(step.w, step.k + 1, step.seconds, ended)
    raise Cancelled


def losses(data: Dataset, w: Array, titles: Sequence[str], recipe: SetTraining) -> dict[str, float]:
    """The mean loss on these sets under each of the predictors."""
    found = {}
    for title in titles:
        predictor = predictor_named(title, recipe)
        problem = problem_of(data, predictor, predictor)
        found[title] = float(np.mean(problem.losses(problem.predictions(w))))
    return found


def inner_losses(
    data: Dataset, method: str, recipe: SetTraining, pulse: Pulse = quiet
) -> dict[tuple[float, str], float]:
    """The mean inner loss of every (C, predictor)."""
    inner = data if len(data) > 1 else halves_of(data, recipe.seed)
    tried = recipe.prices if method != NONE else recipe.prices[:1]  # without training there is no price
    found: dict[tuple[float, str], list[float]] = {place: [] for place in product(tried, PREDICTORS)}
    for fold, C in product(range(1, len(inner) + 1), tried):
        noted = at_place(pulse, f"inner fold {fold}, C = {C:g}")
        rest, held = left_out(inner, fold)
        model = train_weights(rest, method, C, recipe, noted)
        for title, loss in losses(held, model.w, PREDICTORS, recipe).items():
            found[C, title].append(loss)
    return {place: float(np.mean(values)) for place, values in found.items()}


def choice_of(found: dict[tuple[float, str], float]) -> ChosenC:
    """The smallest mean loss; of equals the smallest C, then the first predictor."""
    C, title = min(found, key=lambda place: (round(found[place], 9), place[0], PREDICTORS.index(place[1])))
    return ChosenC(C, title, found[C, title])


def outcome_of(
    data: Dataset, fold: int, method: str, recipe: SetTraining, pulse: Pulse = quiet
) -> HeldOutLoss:
    """One method on one set that is left out; folds are counted from 1."""
    began = time.perf_counter()
    train, test = left_out(data, fold)
    choice = choice_of(inner_losses(train, method, recipe, pulse))
    model = train_weights(
        train, method, choice.C, recipe, at_place(pulse, f"all training sets, C = {choice.C:g}")
    )
    loss = losses(test, model.w, (choice.predictor,), recipe)[choice.predictor]
    name = str(data.meta["sets"][fold - 1]) if "sets" in data.meta else str(fold)
    return HeldOutLoss(name, loss, choice, model, time.perf_counter() - began)


def row_of(outcome: HeldOutLoss, method: str) -> dict[str, str | float | None]:
    """What a row says of an outcome; without training there is no price, and only cutting planes count
    steps.
    """
    model, choice = outcome.model, outcome.choice
    by_steps = method in (ITERATIVE, SPECTRAL)
    return {
        "loss": outcome.loss,
        "inner": choice.loss,
        "C": choice.C if method != NONE else None,
        "predictor": choice.predictor,
        "steps": model.steps if by_steps else None,
        "ended": ("to eps" if model.ended else "steps ran out") if by_steps else None,
        "seconds": outcome.seconds,
    }


def halves_of(data: Dataset, seed: int) -> Dataset:
    """The items of the only set in two halves, at random; clusters may be missing in one of them."""
    x, y = data.inputs[0], data.labels[0]
    order = np.random.default_rng(seed).permutation(x.m)
    parts = [np.sort(part) for part in np.array_split(order, 2)]
    twice = take_sets(data, [0, 0], data.name)
    inputs = tuple(part_of(x, part) for part in parts)
    return Dataset(data.name, inputs, tuple(y[part] for part in parts), {**twice.meta, "each": ()})


def part_of(x: ItemSet, kept: Ints) -> ItemSet:
    """Some of the items, with the relations and pair features among them."""
    place = np.full(x.m, -1)
    place[kept] = np.arange(len(kept))
    relations = [place[ends][np.all(place[ends] >= 0, axis=1)] for ends in x.relations]
    number = pair_matrix(np.arange(pair_count(x.m), dtype=float), x.m).astype(np.int64)
    rows = number[np.ix_(kept, kept)][np.triu_indices(len(kept), 1)]
    nodes = None if x.nodes is None else x.nodes[kept]
    pairs = None if x.pairs is None else x.pairs[rows]
    return item_set(len(kept), nodes, relations, pairs, where="half of a set")
