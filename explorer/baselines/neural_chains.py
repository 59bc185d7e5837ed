"""Small networks in label sequences: a map of emissions, trained before or with the chain, or the score.

    fixed    rows tanh(x U + b) of a network that is trained already; any learner of chains on top
    joint    score(x, y) = sum_t tanh(x_t U + b) . V[:, y_t] + A[y_{t-1}, y_t],  U, b, V, A trained together
    scorer   score(x, y) = sum_t v . tanh([x_t, e_{y_{t-1}}, e_{y_t}] U + b), no linear part at all

    C^n = max_y [ Delta(y_n, y) + F(x_n, y) ] - F(x_n, y_n),      J = |theta|^2 / 2 + C mean_n C^n

Lecture "Structured Learning", beyond the structural SVM: F need not be linear, decoding stays a chain's, and
the subgradient goes back through F at the two labellings. J is no longer convex: no bounds, and where it
ends depends on where it began. Plain numpy; Adam (Kingma and Ba 2015) moves theta. Cost of a pass: a forward
and a backward of all positions, K^2 times as many for the scorer.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from explorer.engine.contracts import Dataset
from explorer.engine.knobs import knob, settings
from explorer.engine.vectors import Array, Ints

Parameters = dict[str, Array]
EMISSIONS, SCORER = "emissions", "scorer"


@dataclass(frozen=True, slots=True, eq=False)
class NeuralChain:
    """A network of one kind and its parameters; every score is sum_t scores[t, y_{t-1}, y_t], the first
    position's before-state being 0.
    """

    kind: str
    states: int
    parameters: Parameters

    def scores(self, x: Array) -> Array:
        """What each pair of states adds at each position (T x K x K)."""
        p, K = self.parameters, self.states
        hidden = np.tanh(self.rows(x) @ p["U"] + p["b"])
        if self.kind == EMISSIONS:
            moves = np.concatenate([np.zeros((1, K, K)), np.tile(p["A"], (len(x) - 1, 1, 1))])
            return np.asarray((hidden @ p["V"])[:, None, :] + moves)
        return np.asarray((hidden @ p["V"]).reshape(len(x), K, K))

    def rows(self, x: Array) -> Array:
        """What the network sees: the observation, for the scorer beside both states."""
        if self.kind == EMISSIONS:
            return x
        K, eye = self.states, np.eye(self.states)
        pair = np.concatenate([np.repeat(eye, K, axis=0), np.tile(eye, (K, 1))], axis=1)
        return np.concatenate([np.repeat(x, K * K, axis=0), np.tile(pair, (len(x), 1))], axis=1)

    def backward(self, x: Array, weight: Array) -> Parameters:
        """The gradient of sum weight * scores."""
        p, rows = self.parameters, self.rows(x)
        hidden = np.tanh(rows @ p["U"] + p["b"])
        out = weight.sum(axis=1) if self.kind == EMISSIONS else weight.reshape(-1, 1)
        inner = (out @ p["V"].T) * (1.0 - hidden**2)
        found = {"U": rows.T @ inner, "b": inner.sum(axis=0), "V": hidden.T @ out}
        return found | ({"A": weight[1:].sum(axis=0)} if self.kind == EMISSIONS else {})

    def predict(self, x: Array) -> Ints:
        """The best labelling."""
        return best_path(self.scores(x))


def best_path(scores: Array) -> Ints:
    """Viterbi where moves depend on the position; the first position stands behind state 0."""
    chi, back = scores[0, 0], []
    for step in scores[1:]:
        into = chi[:, None] + step
        back.append(into.argmax(axis=0))
        chi = into.max(axis=0)
    path = [int(np.argmax(chi))]
    for arg in reversed(back):
        path.append(int(arg[path[-1]]))
    return np.array(path[::-1], dtype=np.int64)


def counts_of(path: Ints, states: int) -> Array:
    """A one at the pair of states of every position."""
    out = np.zeros((len(path), states, states))
    out[np.arange(len(path)), np.concatenate([[0], path[:-1]]), path] = 1.0
    return out


def begin(kind: str, width: int, states: int, hidden: int, rng: np.random.Generator) -> NeuralChain:
    """A network with small random weights."""
    seen, out = (width, states) if kind == EMISSIONS else (width + 2 * states, 1)
    U, V = rng.normal(size=(seen, hidden)) / np.sqrt(seen), rng.normal(size=(hidden, out)) / np.sqrt(hidden)
    moves = {"A": np.zeros((states, states))} if kind == EMISSIONS else {}
    return NeuralChain(kind, states, {"U": U, "b": 0.1 * rng.normal(size=hidden), "V": V, **moves})


def hinge(net: NeuralChain, x: Array, y: Ints) -> tuple[float, Parameters]:
    """C^n by the most violated labelling under Hamming loss, and its gradient."""
    scores, truth = net.scores(x), counts_of(y, net.states)
    costs = np.ones((len(y), net.states))
    costs[np.arange(len(y)), y] = 0.0
    worst = best_path(scores + costs[:, None, :])
    off = counts_of(worst, net.states) - truth
    return float(np.sum(worst != y) + np.sum(scores * off)), net.backward(x, off)


@settings
class NeuralTraining:
    """How a network is trained."""

    kind: str = knob(EMISSIONS, "A map of emissions, or the score itself.", choices=(EMISSIONS, SCORER))
    hidden: int = knob(8, "Hidden units.", low=1, high=1000)
    C: float = knob(100.0, "Price of the mean cost.", low=1e-6, high=1e9, log=True)
    rate: float = knob(0.02, "Step size.", low=1e-6, high=1.0, log=True)
    passes: int = knob(60, "Passes over the sequences.", low=1, high=100_000)
    seed: int = knob(0, "Seed of the first weights and of the order.", low=0, high=9999)

    def fit(self, data: Dataset, states: int) -> Iterator[tuple[float, NeuralChain]]:
        """After every pass the mean cost that it met, and the network."""
        rng = np.random.default_rng(self.seed)
        net = begin(self.kind, data.inputs[0].shape[1], states, self.hidden, rng)
        move = adam(net.parameters, self.rate)
        for _ in range(self.passes):
            met = 0.0
            for i in rng.permutation(len(data)):
                cost, gradient = hinge(net, data.inputs[i], data.labels[i])
                met += cost / len(data)
                pull = {name: gradient[name] + p / self.C for name, p in net.parameters.items()}
                net = NeuralChain(net.kind, states, move(net.parameters, pull))
            yield met, net


def adam(parameters: Parameters, rate: float) -> Callable[[Parameters, Parameters], Parameters]:
    """Steps whose size follows the running mean and square of the gradient."""
    mean = {name: np.zeros_like(p) for name, p in parameters.items()}
    square = {name: np.zeros_like(p) for name, p in parameters.items()}
    t = 0

    def move(now: Parameters, pull: Parameters) -> Parameters:
        nonlocal t
        t += 1
        out = {}
        for name, g in pull.items():
            mean[name] = 0.9 * mean[name] + 0.1 * g
            square[name] = 0.999 * square[name] + 0.001 * g * g
            step = (mean[name] / (1.0 - 0.9**t)) / (np.sqrt(square[name] / (1.0 - 0.999**t)) + 1e-8)
            out[name] = now[name] - rate * step
        return out

    return move


def hidden_rows(net: NeuralChain, data: Dataset) -> Dataset:
    """The same sequences with the hidden units of a trained map as their rows: fixed features."""
    p = net.parameters
    rows = [np.tanh(x @ p["U"] + p["b"]) for x in data.inputs]
    return Dataset(data.name, rows, data.labels, {"states": data.meta.get("states", ())})
