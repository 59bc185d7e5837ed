"""One labelling for each of many stacked graphs: what they count, what they are worth and what they lose.

All of it is linear in the shares of a relaxed labelling: a label that is half wrong costs half. Cost: one
look per node and edge, and some array work for each labelling that is fractional.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from explorer.engine.contracts import Decomposes, Loss
from explorer.engine.structures.fields.fields import Fields, Solved, is_relaxed, round_label, unflatten
from explorer.engine.structures.fields.kernels.scores import add_pairs
from explorer.engine.structures.fields.layout import FieldLayout
from explorer.engine.vectors import Array, Ints, Vector


def stack_answers(labels: Sequence[Any], sizes: Ints, states: int) -> Solved:
    """Labellings of graphs of these sizes, hard or relaxed, as if an oracle had answered with them."""
    hard = [round_label(label, int(m), states) for label, m in zip(labels, sizes, strict=True)]
    fractions = {i: np.asarray(label) for i, label in enumerate(labels) if is_relaxed(label)}
    return Solved(np.concatenate(hard), np.full(len(hard), np.inf), fractions)


def apart(nodes: Ints, found: Solved) -> list[Any]:
    """One labelling for each graph, relaxed where it is fractional."""
    parts = [found.labels[a:b] for a, b in zip(nodes[:-1].tolist(), nodes[1:].tolist(), strict=True)]
    return [found.fractions.get(i, part) for i, part in enumerate(parts)]


def with_truths(found: Solved, which: Any, nodes: Ints, truth: Ints) -> Solved:
    """The same answers, with the truths in the place of those of `which` graphs."""
    labels = np.where(np.repeat(which, np.diff(nodes)), truth, found.labels)
    fractions = {i: shares for i, shares in found.fractions.items() if not which[i]}
    return Solved(labels, found.bound, fractions)


def counts(part: FieldLayout, found: Solved, weight: Array) -> tuple[Array, Array]:
    """Node shares (N, K) and pair shares (tables or edges, K, K) of all labellings, each times its weight."""
    K, lengths = part.states, np.diff(part.nodes)
    node = np.zeros((int(part.nodes[-1]), K))
    pair = np.zeros((part.tables if part.marks is None else len(part.ends), K, K))
    hard_weight = weight.copy()
    hard_weight[list(found.fractions)] = 0.0
    node[np.arange(len(node)), found.labels] = np.repeat(hard_weight, lengths)
    add_pairs(part.nodes, part.ends, part.edges, part.table, found.labels, hard_weight, pair)
    for i, label in found.fractions.items():
        shares, joint = unflatten(label, int(lengths[i]), K)
        node[part.nodes[i] : part.nodes[i + 1]] = weight[i] * shares
        np.add.at(pair, part.table[part.edges[i] : part.edges[i + 1]], weight[i] * joint)
    return node, pair


def difference(part: FieldLayout, truth: Ints, found: Solved, weight: Array) -> Vector:
    """sum_i weight_i (Psi(x_i, y_i) - Psi(x_i, label_i))."""
    node, pair = counts(part, Solved(truth, found.bound, {}), weight)
    other_node, other_pair = counts(part, found, weight)
    return part.gather(node - other_node, pair - other_pair)


def scores(fields: Fields, found: Solved) -> Array:
    """The score of every labelling."""
    out = fields.scores(found.labels)
    for i, shares in found.fractions.items():
        out[i] = fields.relaxed_score(i, shares)
    return out


def losses(delta: Loss, states: int, nodes: Ints, truth: Ints, found: Solved) -> Array:
    """The loss of every labelling."""
    if not isinstance(delta, Decomposes):
        pairs = zip(np.split(truth, nodes[1:-1]), apart(nodes, found), strict=True)
        return np.array([loss(delta, states, own, label) for own, label in pairs])
    out = np.add.reduceat(delta.costs(states)[truth, found.labels], nodes[:-1])
    if delta.normalised:
        out = out / np.diff(nodes)
    for i, shares in found.fractions.items():
        out[i] = loss(delta, states, truth[nodes[i] : nodes[i + 1]], shares)
    return np.asarray(out)


def loss(delta: Loss, states: int, truth: Ints, label: Any) -> float:
    """The loss of one labelling; if relaxed and delta a sum: sum_u sum_s share[u, s] cost[truth_u, s]."""
    if not is_relaxed(label):
        return delta.value(truth, label)
    if not isinstance(delta, Decomposes):
        return delta.value(truth, round_label(label, len(truth), states))
    node, _ = unflatten(np.asarray(label), len(truth), states)
    total = float(np.sum(delta.costs(states)[truth] * node))
    return total / max(len(truth), 1) if delta.normalised else total
