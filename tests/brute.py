"""Chains by enumeration: the referee of the chain kernels, which it does not import.

Every labelling is written down (itertools.product) and scored by its definition, K^T of them. A chain is the
tuple (unary, trans, start, stop). Among equals the first is the one that sorts first when read from the last
position to the first, as the kernels promise.
"""

from functools import lru_cache
from itertools import pairwise, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Ints = NDArray[np.int64]
Size = int | np.int64


class Chain(NamedTuple):
    """Scores of a chain, in the order in which kernels take them."""

    unary: Array
    trans: Array
    start: Array
    stop: Array


def random_chain(rng: np.random.Generator, length: Size, states: Size, *, ties: bool = False) -> Chain:
    """Normal scores, or with ties small whole numbers, on which sums are exact."""
    shapes = ((length, states), (states, states), (states,), (states,))
    if ties:
        return Chain(*(rng.integers(0, 2, shape).astype(float) for shape in shapes))
    return Chain(*(rng.normal(size=shape) for shape in shapes))


def forbid(rng: np.random.Generator, chain: Chain, share: float) -> Chain:
    """The same chain with about this share of its transitions set to -inf."""
    return chain._replace(trans=np.where(rng.random(chain.trans.shape) < share, -np.inf, chain.trans))


def textbook_hmm() -> Chain:
    """q = (.6, .4), two states, three symbols; the observations are 0, 1, 2."""
    a = np.array([[0.7, 0.3], [0.4, 0.6]])
    b = np.array([[0.1, 0.4, 0.5], [0.6, 0.3, 0.1]])
    return Chain(np.log(b.T[[0, 1, 2]]), np.log(a), np.log([0.6, 0.4]), np.zeros(2))


@lru_cache(maxsize=256)
def all_paths(length: int, states: int) -> Ints:
    """Every labelling, one per row, sorted as the ties are: by the last position first."""
    rows = [y[::-1] for y in product(range(states), repeat=length)]
    paths = np.array(rows, dtype=np.int64).reshape(states**length, length)
    paths.setflags(write=False)
    return paths


def path_score(chain: Chain, y: Ints) -> float:
    """The score of one labelling, by definition."""
    total = chain.start[y[0]] + chain.stop[y[-1]]
    total += sum(chain.unary[t, s] for t, s in enumerate(y))
    return float(total + sum(chain.trans[a, b] for a, b in pairwise(y)))


def all_paths_with_scores(chain: Chain) -> tuple[Ints, Array]:
    """Every labelling with its score."""
    paths = all_paths(*chain.unary.shape)
    scores = chain.start[paths[:, 0]] + chain.stop[paths[:, -1]]
    scores += chain.unary[np.arange(paths.shape[1]), paths].sum(axis=1)
    return paths, scores + chain.trans[paths[:, :-1], paths[:, 1:]].sum(axis=1)


def best_path(chain: Chain) -> tuple[Ints, float]:
    """The best labelling, the first of equals, and its score."""
    paths, scores = all_paths_with_scores(chain)
    return paths[scores.argmax()], float(scores.max())


def sorted_paths(chain: Chain) -> tuple[Ints, Array]:
    """Every labelling that is not forbidden, best first."""
    paths, scores = all_paths_with_scores(chain)
    paths, scores = paths[scores > -np.inf], scores[scores > -np.inf]
    order = np.argsort(-scores, kind="stable")
    return paths[order], scores[order]


def max_marginals(chain: Chain) -> Array:
    """The best score through each state at each position."""
    paths, scores = all_paths_with_scores(chain)
    out = np.full(chain.unary.shape, -np.inf)
    for t, s in np.ndindex(out.shape):
        out[t, s] = scores[paths[:, t] == s].max()
    return out


def probabilities(chain: Chain) -> tuple[Ints, Array]:
    """Every labelling with its probability."""
    paths, scores = all_paths_with_scores(chain)
    weight = np.exp(scores - scores.max())
    return paths, weight / weight.sum()


def log_partition(chain: Chain) -> float:
    """log sum_y exp(score(y))."""
    scores = all_paths_with_scores(chain)[1]
    return float(scores.max() + np.log(np.exp(scores - scores.max()).sum()))


def marginals(chain: Chain) -> tuple[Array, Array]:
    """p(y_t = s) and p(y_t = a, y_{t+1} = b)."""
    paths, p = probabilities(chain)
    length, states = chain.unary.shape
    node = np.zeros((length, states))
    edge = np.zeros((length - 1, states, states))
    for t in range(length):
        np.add.at(node[t], paths[:, t], p)
    for t in range(length - 1):
        np.add.at(edge[t], (paths[:, t], paths[:, t + 1]), p)
    return node, edge
