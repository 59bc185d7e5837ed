"""What the estimators of label sets and of graphs share: oracles by name, and what fields say about their
nodes."""

from dataclasses import replace
from typing import Any

import numpy as np

from explorer.engine.catalogue.oracle_names import oracle_named
from explorer.engine.refusals import Refused
from explorer.engine.structures.fields.fields import FieldOracle, Fields
from explorer.engine.structures.fields.oracles import FIELD_ORACLES
from explorer.engine.vectors import Array, Ints
from explorer.estimators.ranking import Allowed, k_best, with_price


def field_oracle(name: str) -> FieldOracle:
    """The oracle of this name, such as "roof duality" or "belief propagation(damping=0.5)"."""
    found: FieldOracle = oracle_named(name, FIELD_ORACLES)
    return found


def decode(fields: Fields, oracle: FieldOracle) -> Ints:
    """One state for every node of all fields; a fractional answer is rounded."""
    reason = oracle.refuses(fields)
    if reason:
        raise Refused(reason)
    return oracle.solve(fields).labels


def alone_scores(fields: Fields, labels: Ints) -> Array:
    """For every node and state the part of the score that changes when this node alone takes that state.

    alone[u, s] = unary[u, s] + sum over edges at u of pair[s, state of the other end]
    """
    out: Array = np.array(fields.unary)
    first = np.repeat(fields.nodes[:-1], np.diff(fields.edges))
    a, b = first + fields.ends[:, 0], first + fields.ends[:, 1]
    pair: Any = fields.pair[fields.table]
    e = np.arange(len(pair))
    np.add.at(out, a, pair[e, :, labels[b]])
    np.add.at(out, b, pair[e, labels[a], :])
    return out


def best_labellings(field: Fields, oracle: FieldOracle, k: int) -> list[tuple[Ints, float]]:
    """The k best labellings of one field, with their scores."""
    pair = np.ptp(field.pair) if field.pair.size else 0.0
    most = len(field.unary) * float(np.ptp(field.unary)) + len(field.ends) * float(pair)

    def solve(allowed: Allowed) -> tuple[Ints, float]:
        labels = decode(replace(field, unary=with_price(field.unary, allowed, most)), oracle)
        return labels, float(field.scores(labels)[0])

    places, values = field.unary.shape
    return k_best(solve, places, values, k)


__all__ = ["alone_scores", "best_labellings", "decode", "field_oracle"]
