"""Learning to search: a tagger goes from left to right, and is trained on the decisions that it will meet.

    state    the position t and the tag before it;  action  the tag of position t
    policy   argmin_a  [x_t, e_{y_{t-1}}] . V_a,   V by ridge regression of every action's cost

`imitate` follows the truth: the tag before is always right, an action costs 1 where it is wrong. `searn` lets
the present policy h walk, and at every state it meets tries each action, completes with h, and takes the loss
of the outcome as the action's cost (less the smallest); a classifier of these costs is mixed in,

    h <- beta h' + (1 - beta) h,     h = pi* (the truth) at first,

until the weight of pi* is below 0.05; then pi* is dropped. Daume, Langford and Marcu 2009; in Finley 2009,
section 2.3. The mixture tosses a coin at every state; the answer in the end is by the mean of its
classifiers' costs. Costs are scores of a chain with their signs changed, so decoding greedily is a beam of
width 1, and a wider one looks further. Cost of a round: T K roll-outs of T steps for every sequence.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from explorer.engine.contracts import Dataset
from explorer.engine.knobs import knob, settings
from explorer.engine.structures.chains.oracles import Beam
from explorer.engine.structures.chains.problem import Chain
from explorer.engine.vectors import Array, Ints

LITTLE = 0.05
"""The weight of the true policy below which it is dropped."""


@dataclass(frozen=True, slots=True, eq=False)
class RollOut:
    """What every action at one state of one sequence led to: its loss, and where it was."""

    example: int
    position: int
    before: int
    losses: Array


@dataclass(frozen=True, slots=True, eq=False)
class SearchRound:
    """After a round: the weight left to the true policy, the mean cost table, and all roll-outs of it."""

    k: int
    true_weight: float
    costs: Array
    rollouts: tuple[RollOut, ...]


@settings
class Searn:
    """The settings of the loop."""

    beta: float = knob(0.3, "Weight of each new classifier.", low=0.01, high=1.0)
    ridge: float = knob(1.0, "Price of large regression weights.", low=1e-9, high=1e6, log=True)
    repeats: int = knob(1, "Roll-outs that are averaged for each action.", low=1, high=100)
    seed: int = knob(0, "Seed of the coins.", low=0, high=9999)

    def rounds(self, data: Dataset, states: int) -> Iterator[SearchRound]:
        """Round by round, until the true policy has hardly any weight."""
        rng, true_weight, k = np.random.default_rng(self.seed), 1.0, 0
        tables: list[Array] = []
        weights: list[float] = []
        while true_weight >= LITTLE:
            rollouts = tuple(
                found
                for i in range(len(data))
                for found in self._walk(data.inputs[i], data.labels[i], i, states, tables, weights, rng)
            )
            rows = np.array(
                [state_row(data.inputs[r.example][r.position], r.before, states) for r in rollouts]
            )
            table = regress(rows, np.array([r.losses - r.losses.min() for r in rollouts]), self.ridge)
            tables, weights = [*tables, table], [*(w * (1.0 - self.beta) for w in weights), self.beta]
            true_weight *= 1.0 - self.beta
            mean = np.tensordot(np.array(weights) / sum(weights), np.array(tables), axes=1)
            yield SearchRound(k, true_weight, mean, rollouts)
            k += 1

    def _walk(
        self,
        x: Array,
        y: Ints,
        i: int,
        states: int,
        tables: list[Array],
        weights: list[float],
        rng: np.random.Generator,
    ) -> Iterator[RollOut]:
        """The states that h meets on one sequence, with what every action leads to."""
        before = states
        for t in range(len(y)):
            losses = np.zeros(states)
            for a in range(states):
                tails = [self._complete(x, y, t + 1, a, tables, weights, rng) for _ in range(self.repeats)]
                losses[a] = float(a != y[t]) + float(np.mean(tails))
            yield RollOut(i, t, before, losses)
            before = self._act(x[t], int(y[t]), before, tables, weights, rng)

    def _complete(
        self,
        x: Array,
        y: Ints,
        t: int,
        before: int,
        tables: list[Array],
        weights: list[float],
        rng: np.random.Generator,
    ) -> float:
        """Wrong tags from position t on when h goes on behind `before`."""
        wrong = 0.0
        for u in range(t, len(y)):
            before = self._act(x[u], int(y[u]), before, tables, weights, rng)
            wrong += float(before != y[u])
        return wrong

    def _act(
        self,
        row: Array,
        truth: int,
        before: int,
        tables: list[Array],
        weights: list[float],
        rng: np.random.Generator,
    ) -> int:
        """The tag that the mixture takes: one of its policies, by a coin."""
        coin = float(rng.random())
        for table, weight in zip(tables, weights, strict=True):
            coin -= weight
            if coin < 0.0:
                states = table.shape[1]
                return int(np.argmin(state_row(row, before, states) @ table))
        return truth


def state_row(x: Array, before: int, states: int) -> Array:
    """The features of a state: the observation, and which tag came before (or that none did)."""
    out = np.zeros(len(x) + states + 1)
    out[: len(x)] = x
    out[len(x) + before] = 1.0
    return out


def regress(rows: Array, costs: Array, ridge: float) -> Array:
    """The table V (features x actions) that predicts the costs best, with a price on its size."""
    gram = rows.T @ rows + ridge * np.eye(rows.shape[1])
    return np.asarray(np.linalg.solve(gram, rows.T @ costs))


def imitate(data: Dataset, states: int, ridge: float = 1.0, history: bool = True) -> Array:
    """The table that follows the truth; without `history` every position is classified by itself."""
    rows, costs = [], []
    for x, y in zip(data.inputs, data.labels, strict=True):
        for t in range(len(y)):
            before = (int(y[t - 1]) if t else states) if history else states
            rows.append(state_row(x[t], before, states))
            costs.append(1.0 - np.eye(states)[y[t]])
    return regress(np.array(rows), np.array(costs), ridge)


def as_weights(table: Array, states: int, history: bool = True) -> Array:
    """The table as weights of a chain, whose greedy decoding is the policy."""
    V = -table
    size = len(V) - states - 1
    moves = V[size : size + states] if history else np.tile(V[-1], (states, 1))
    return np.concatenate([V[:size].ravel(), moves.ravel(), V[-1], np.zeros(states)])


def chain_with_beam(data: Dataset, states: int, width: int = 1) -> Chain:
    """The chain that decodes such weights by a beam."""
    return Chain(data, states, separator=Beam(width), predictor=Beam(width))
