"""Hidden Markov models: a start, transitions and emission densities, decoded by Viterbi; and their weights.

    p(x, y) = q[y_1] b_{y_1}(x_1) prod_t A[y_{t-1}, y_t] b_{y_t}(x_t)

Rabiner 1989; Iglesias 2013, equations 2.24 to 2.26. log p is the score of a chain with start weights log q,
transitions log A and unary scores log b, so wherever log b is linear in a chain's rows, the model is a point
of the structural SVM's own weight space (lecture "Structured Output Prediction"): Gaussian densities in rows
[1, x, x^2], with shared variances in rows x (what all sequences have in common of them goes to start and
transitions), symbols in counts, piecewise linear log-shares in the shares of the nodes. Cost: as a chain's.
"""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from explorer.engine.refusals import Refused
from explorer.engine.structures.chains.emissions import Pieces
from explorer.engine.structures.chains.oracles.viterbi import Chains, Viterbi
from explorer.engine.vectors import Array, Ints

NEVER = 1e-100
"""What stands for a probability of nothing, so that it has a logarithm."""


class Emissions(Protocol):
    """log b of every row (T x K)."""

    def scores(self, rows: Any) -> Array: ...


@dataclass(frozen=True, slots=True, eq=False)
class GaussianEmissions:
    """Independent normal features: means and variances are K x F."""

    means: Array
    variances: Array

    @property
    def constants(self) -> Array:
        """What a state adds whatever is observed."""
        size = np.log(2.0 * np.pi * self.variances) + self.means**2 / self.variances
        return np.asarray(-0.5 * size.sum(axis=1))

    @property
    def linear(self) -> Array:
        """The weights of x (F x K)."""
        return (self.means / self.variances).T

    @property
    def square(self) -> Array:
        """The weights of x^2 (F x K)."""
        return (-0.5 / self.variances).T

    def scores(self, rows: Any) -> Array:
        """log N(x; m, v), summed over features."""
        x = np.asarray(rows, dtype=float)
        return np.asarray(self.constants + x @ self.linear + (x * x) @ self.square)


@dataclass(frozen=True, slots=True, eq=False)
class SymbolEmissions:
    """A log-probability for every symbol (V x K); a row counts the symbols at its position."""

    table: Array

    def scores(self, rows: Any) -> Array:
        """Those of the symbols that are there."""
        return np.asarray(rows @ self.table)


@dataclass(frozen=True, slots=True, eq=False)
class CurveEmissions:
    """Log-shares of the nodes of piecewise linear curves (columns x K); features are taken as independent."""

    pieces: Pieces
    curves: Array

    def scores(self, rows: Any) -> Array:
        """The sum over features of the curves' values."""
        return np.asarray(self.pieces.shares(rows) @ self.curves)


@dataclass(frozen=True, slots=True, eq=False)
class HiddenMarkov:
    """A model of sequences; `start` and `transitions` are probabilities."""

    start: Array
    transitions: Array
    emissions: Emissions

    def trellis(self, rows: Any, ends: bool = True) -> Chains:
        """The log-probabilities of one sequence as scores; without `ends` the start is as likely in all
        states.
        """
        unary = np.ascontiguousarray(self.emissions.scores(rows))
        nothing = np.zeros(len(self.start))
        start = logs(self.start) if ends else nothing
        return Chains(unary, np.array([0, len(unary)]), logs(self.transitions), start, nothing)

    def predict(self, rows: Any, ends: bool = True) -> Ints:
        """The most probable states."""
        return Viterbi().best(self.trellis(rows, ends))

    def joint(self, rows: Any, path: Ints) -> float:
        """log p(x, y)."""
        return float(self.trellis(rows).scores(np.asarray(path, dtype=np.int64))[0])


def logs(p: Array) -> Array:
    """Logarithms, of nothing, too."""
    return np.log(np.maximum(p, NEVER))


def weights_of(model: HiddenMarkov, kind: str, ends: bool) -> Array:
    """The model as weights of a chain whose rows are of this kind ("raw", "squares" or "pieces")."""
    e, trans, start = model.emissions, logs(model.transitions), logs(model.start)
    if isinstance(e, GaussianEmissions) and kind == "squares":
        W = np.vstack([e.constants[None, :], e.linear, e.square])
    elif isinstance(e, GaussianEmissions) and kind == "raw":
        if not ends or np.ptp(e.variances, axis=0).max() > 1e-12 * e.variances.max():
            raise Refused("these densities are not linear in the rows; take emissions=squares for the model")
        W, trans, start = e.linear, trans + e.constants, start + e.constants
    elif isinstance(e, CurveEmissions) and kind == "pieces":
        W = e.pieces.weights(e.curves)
    elif isinstance(e, SymbolEmissions) and kind == "raw":
        W = e.table
    else:
        raise Refused(f"these densities are not linear in rows of the kind {kind!r}; choose other emissions")
    tail = [trans.ravel(), start, np.zeros(len(start))] if ends else [trans.ravel()]
    return np.concatenate([W.ravel(), *tail])
