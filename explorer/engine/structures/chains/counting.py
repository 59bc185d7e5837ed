"""A hidden Markov model from labelled sequences by counting, which is its maximum likelihood.

    A[a, b] = (#(a before b) + c) / sum_b (#(a before b) + c),      q likewise from the first states
    Gaussian    mean and variance of the rows in each state (without squares: variances shared by the states)
    symbols     b_k(v) = (#(v in state k) + c) / sum_v ...
    pieces      the same over the nodes of each feature, where every observation is shared by its two nodes

c is the pseudo-count (Iglesias 2013 has none: what never occurs has probability 1e-100). Section 4.1 there.
Cost: one look at the data.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from explorer.engine.rows import is_sparse
from explorer.engine.structures.chains.emissions import EmissionMap, Pieces, Squares
from explorer.engine.structures.chains.hidden_markov import (
    CurveEmissions,
    Emissions,
    GaussianEmissions,
    HiddenMarkov,
    SymbolEmissions,
)
from explorer.engine.vectors import Array, Ints

LEAST = 1e-9
"""No variance is smaller than this share of the largest one."""


def refusal(rows: Any, meta: Mapping[str, Any], made: EmissionMap, ends: bool, true: bool) -> str | None:
    """Why no hidden Markov model of these rows is a weight vector of their chain."""
    if true and not {"start", "transitions", "means", "variances"} <= set(meta):
        return "Nobody knows the parameters that made these data; count them."
    if true and made.kind != "squares":
        return "The true densities are linear in squares only; take emissions=squares for the model."
    if made.kind == "raw" and not ends and not symbols(rows):
        return "Without weights for the first state the densities are not linear in these rows; give it some."
    return None


def true_model(meta: Mapping[str, Any]) -> HiddenMarkov:
    """The model that made the data."""
    densities = GaussianEmissions(meta["means"], meta["variances"])
    return HiddenMarkov(meta["start"], meta["transitions"], densities)


def count_model(
    rows: Any, labels: Sequence[Ints], states: int, made: EmissionMap, pseudo: float
) -> HiddenMarkov:
    """The model of these rows (all sequences below each other, mapped by `made`) and their states."""
    truth = np.concatenate(labels)
    return HiddenMarkov(
        count_start(labels, states, pseudo),
        count_transitions(labels, states, pseudo),
        _emissions(rows, truth, states, made, pseudo),
    )


def count_start(labels: Sequence[Ints], states: int, pseudo: float) -> Array:
    """How often each state comes first, as a share."""
    first = np.bincount([y[0] for y in labels], minlength=states) + pseudo
    return np.asarray(first / first.sum())


def count_transitions(labels: Sequence[Ints], states: int, pseudo: float) -> Array:
    """How often each state follows each state, as a share of its row."""
    count = np.full((states, states), pseudo)
    for y in labels:
        np.add.at(count, (y[:-1], y[1:]), 1.0)
    total = count.sum(axis=1, keepdims=True)
    return np.where(total > 0.0, count / np.where(total > 0.0, total, 1.0), 1.0 / states)


def _emissions(rows: Any, truth: Ints, states: int, made: EmissionMap, pseudo: float) -> Emissions:
    """What the rows are made of says which densities."""
    if isinstance(made, Pieces):
        shares = rows @ made.factor.T if made.smooth else rows
        return CurveEmissions(made, log_shares(sums(shares, truth, states), made.starts, pseudo))
    if isinstance(made, Squares):
        return gaussian(np.asarray(rows)[:, 1 : 1 + (rows.shape[1] - 1) // 2], truth, states)
    if symbols(rows):
        whole = np.array([0, rows.shape[1]])
        return SymbolEmissions(log_shares(sums(rows, truth, states), whole, pseudo))
    return gaussian(rows.toarray() if is_sparse(rows) else rows, truth, states, shared=True)


def symbols(rows: Any) -> bool:
    """Whether the rows count something: no number is below 0."""
    values = rows.data if is_sparse(rows) else rows
    return bool(values.size == 0 or values.min() >= 0.0)


def sums(rows: Any, truth: Ints, states: int) -> Array:
    """The sum of the rows in each state (columns x K)."""
    member = np.zeros((len(truth), states))
    member[np.arange(len(truth)), truth] = 1.0
    return np.asarray(rows.T @ member)


def log_shares(counts: Array, starts: Ints, pseudo: float) -> Array:
    """Logarithms of counts as shares of their block of columns, for each state."""
    some = np.maximum(counts + pseudo, 1e-100)
    out = np.empty_like(some)
    for begin, end in pairwise(starts):
        out[begin:end] = np.log(some[begin:end]) - np.log(some[begin:end].sum(axis=0))
    return out


def gaussian(x: Array, truth: Ints, states: int, shared: bool = False) -> GaussianEmissions:
    """Means and variances of the rows in each state; those of all rows for a state that has none."""
    groups = [x[truth == k] if np.any(truth == k) else x for k in range(states)]
    means = np.array([own.mean(axis=0) for own in groups])
    variances = np.array([own.var(axis=0) for own in groups])
    if shared:
        variances[:] = ((x - means[truth]) ** 2).mean(axis=0)
    return GaussianEmissions(means, np.maximum(variances, LEAST * max(float(variances.max()), LEAST)))
