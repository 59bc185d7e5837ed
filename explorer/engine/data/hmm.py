"""Sequences of a two-state hidden Markov model with Gaussian features.

    y_1 uniform,  P(y_t = y_{t-1} = s) = a_s,  a_s uniform in `stay`
    x_tf ~ N(+1, v_sf) in state +, N(-1, v_sf) in state -,  v_sf uniform in [0, 1]

Dataset 1 of Iglesias 2013, section 4.1; the thesis only says that staying is much likelier than switching,
0.90 to 0.99 is our choice. With ten features nearly every position can be told alone, so it separates hardly
any two learners. Cost: linear in the number of drawn features.
"""

import numpy as np

from explorer.engine.checks import sequences
from explorer.engine.contracts import Dataset
from explorer.engine.knobs import knob, settings
from explorer.engine.refusals import Refused
from explorer.engine.vectors import Array, Ints

STATES = ("-", "+")


def gaussian_hmm(
    n: int = 100,
    n_test: int = 100,
    length: int = 250,
    features: int = 10,
    stay: tuple[float, float] = (0.90, 0.99),
    seed: int = 0,
) -> tuple[Dataset, Dataset]:
    """Train and test from one model; meta has its "start", "transitions", "means" and "variances"."""
    if not 0.0 <= stay[0] <= stay[1] <= 1.0:
        raise Refused(f"stay is {stay}; give two probabilities, the smaller one first")
    rng = np.random.default_rng(seed)
    start, transitions = np.full(2, 0.5), _transitions(rng, stay)
    means = np.repeat([[-1.0], [1.0]], features, axis=1)
    variances = rng.uniform(size=(2, features))
    labels = markov_chains(rng, start, transitions, n + n_test, length)
    inputs = means[labels] + np.sqrt(variances)[labels] * rng.normal(size=(*labels.shape, features))
    truth = {"start": start, "transitions": transitions, "means": means, "variances": variances}
    return (
        sequences("Gaussian HMM", inputs[:n], labels[:n], STATES, **truth),
        sequences("Gaussian HMM (test)", inputs[n:], labels[n:], STATES, **truth),
    )


def markov_chains(rng: np.random.Generator, start: Array, transitions: Array, n: int, length: int) -> Ints:
    """n state sequences of equal length, one per row, drawn side by side by inverting the cumulative sums."""
    draws = rng.uniform(size=(n, length))
    states = np.zeros((n, length), dtype=np.int64)
    states[:, 0] = _inverted(np.broadcast_to(start, (n, len(start))), draws[:, 0])
    for t in range(1, length):
        states[:, t] = _inverted(transitions[states[:, t - 1]], draws[:, t])
    return states


def _inverted(rows: Array, draws: Array) -> Ints:
    """The state whose share of the unit interval holds the draw; the last one takes what rounding leaves."""
    passed: Ints = np.count_nonzero(draws[:, None] >= np.cumsum(rows, axis=1)[:, :-1], axis=1)
    return passed


def _transitions(rng: np.random.Generator, stay: tuple[float, float]) -> Array:
    a = rng.uniform(*stay, size=2)
    return np.array([[a[0], 1.0 - a[0]], [1.0 - a[1], a[1]]])


@settings
class GaussianHMM:
    """Sequences from a two-state hidden Markov model with ten Gaussian features."""

    n: int = knob(40, "Training sequences.", low=2, high=500)
    n_test: int = knob(20, "Test sequences.", low=1, high=500)
    length: int = knob(100, "Positions of each sequence.", low=2, high=1000)
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    def make(self) -> tuple[Dataset, Dataset | None]:
        """Training and test sequences."""
        return gaussian_hmm(self.n, self.n_test, self.length, seed=self.seed)
