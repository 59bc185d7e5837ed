"""Random trees whose labels follow their edges: tree-shaped graphs, on which exact inference is cheap.

    parent of node v uniform among the nodes before it;  y_root uniform,
        P(y_v = y_parent) = stay, else any other state
    x_v = e_{y_v} + noise N(0, I), one feature for every state

A hidden Markov model whose chain branches. Cost: linear in the number of nodes.
"""

import numpy as np

from explorer.engine.contracts import Dataset
from explorer.engine.data.random_fields import random_parents
from explorer.engine.knobs import knob, settings
from explorer.engine.refusals import Refused
from explorer.engine.structures.fields.graphs import Graph, graph, graphs
from explorer.engine.vectors import Array, Ints


def trees(
    n: int = 40,
    n_test: int = 40,
    nodes: int = 15,
    states: int = 3,
    noise: float = 0.7,
    stay: float = 0.85,
    seed: int = 0,
) -> tuple[Dataset, Dataset]:
    """Train and test trees; every edge leads from the parent to the child."""
    _check(n, n_test, nodes, states, noise, stay)
    rng = np.random.default_rng(seed)
    names = tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ"[:states])
    drawn = [_tree(rng, nodes, states, noise, stay) for _ in range(n + n_test)]
    inputs, labels = [x for x, _ in drawn], [y for _, y in drawn]
    meta = {"feature_names": names, "noise": noise, "stay": stay}
    return (
        graphs("trees", inputs[:n], labels[:n], names, **meta),
        graphs("trees (test)", inputs[n:], labels[n:], names, **meta),
    )


def _tree(rng: np.random.Generator, nodes: int, states: int, noise: float, stay: float) -> tuple[Graph, Ints]:
    """One tree and its labels."""
    parents = random_parents(rng, nodes)
    labels = markov_labels(rng, parents, states, stay)
    rows = np.eye(states)[labels] + noise * rng.normal(size=(nodes, states))
    return graph(rows, np.stack([parents, np.arange(1, nodes)], axis=1), place=tree_places(parents)), labels


def markov_labels(rng: np.random.Generator, parents: Ints, states: int, stay: float) -> Ints:
    """Labels from the root down: the parent's with probability `stay`, else one of the others, all equally
    likely.
    """
    labels = np.empty(len(parents) + 1, dtype=np.int64)
    labels[0] = rng.integers(states)
    steps = np.where(rng.random(len(parents)) < stay, 0, rng.integers(1, max(states, 2), len(parents)))
    for v, parent in enumerate(parents, start=1):
        labels[v] = (labels[parent] + steps[v - 1]) % states
    return labels


def tree_places(parents: Ints) -> Array:
    """Where to draw: depth downwards, leaves side by side, a parent above the middle of its children."""
    m = len(parents) + 1
    children: list[list[int]] = [[] for _ in range(m)]
    depth = np.zeros(m)
    for v, parent in enumerate(parents, start=1):
        children[parent].append(v)
        depth[v] = depth[parent] + 1
    across, leaves, ahead = np.zeros(m), 0, [0]
    while ahead:
        v = ahead.pop()
        ahead += reversed(children[v])
        if not children[v]:
            across[v], leaves = leaves, leaves + 1
    for v in range(m - 1, -1, -1):
        if children[v]:
            across[v] = (across[children[v][0]] + across[children[v][-1]]) / 2
    return np.stack([across, -depth], axis=1)


def _check(n: int, n_test: int, nodes: int, states: int, noise: float, stay: float) -> None:
    if min(n, n_test, nodes) < 1:
        raise Refused(f"n is {n}, n_test is {n_test} and nodes is {nodes}; give at least one of each")
    if not 2 <= states <= 26:
        raise Refused(f"states is {states}; choose between 2 and 26, they are named by letters")
    if not (np.isfinite(noise) and noise >= 0.0):
        raise Refused(f"noise is {noise}; it is a standard deviation, choose 0 or more")
    if not 0.0 <= stay <= 1.0:
        raise Refused(f"stay is {stay}; it is a probability, choose between 0 and 1")


@settings
class Trees:
    """Trees whose labels tend to stay the same from parent to child, seen through noise."""

    n: int = knob(40, "Training trees.", low=1, high=1000)
    n_test: int = knob(40, "Test trees.", low=1, high=1000)
    nodes: int = knob(15, "Nodes of each tree.", low=1, high=200)
    states: int = knob(3, "Different labels.", low=2, high=8)
    noise: float = knob(0.7, "Standard deviation of the noise on each feature.", low=0.0, high=5.0)
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    def make(self) -> tuple[Dataset, Dataset | None]:
        """Training and test trees."""
        return trees(self.n, self.n_test, self.nodes, self.states, self.noise, seed=self.seed)
