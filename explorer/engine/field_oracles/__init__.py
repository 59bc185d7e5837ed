"""Decoders of pairwise fields, one file each; FIELD_ORACLES is in menu order."""

import numpy as np

from explorer.engine.field_oracles.belief import Belief
from explorer.engine.field_oracles.combine import Combine
from explorer.engine.field_oracles.exhaustive import Exhaustive
from explorer.engine.field_oracles.greedy import NODEWISE, Greedy
from explorer.engine.field_oracles.icm import ICM
from explorer.engine.field_oracles.independent import Independent
from explorer.engine.field_oracles.known_approximation import KnownApproximation
from explorer.engine.field_oracles.tree import Tree
from explorer.engine.kernels.field_decoders import BELIEF, COMBINE, EXHAUSTIVE, GREEDY, INDEPENDENT, MODES, TREE
from explorer.engine.vectors import Array

AnyFieldOracle = Exhaustive | Tree | KnownApproximation | Greedy | ICM | Belief | Combine | Independent

FIELD_ORACLES: tuple[type[AnyFieldOracle], ...] = (
    Exhaustive,
    Tree,
    Belief,
    Greedy,
    Combine,
    ICM,
    Independent,
    KnownApproximation,
)


DECODERS: dict[type[AnyFieldOracle], int] = {
    Exhaustive: EXHAUSTIVE,
    Independent: INDEPENDENT,
    Tree: TREE,
    Greedy: GREEDY,
    ICM: MODES,
    Belief: BELIEF,
    Combine: COMBINE,
}
"""The oracles that compiled visits know."""


def decoder_of(oracle: AnyFieldOracle, states: int) -> tuple[int, Array] | None:
    """The number and settings under which compiled visits know this oracle; None where they do not."""
    nodewise = float(getattr(oracle, "start", "") == NODEWISE)
    messages = (getattr(oracle, name, 0.0) for name in ("sweeps", "damping", "tolerance"))
    number = DECODERS.get(type(oracle))
    return None if number is None else (number, np.array([nodewise, *messages], dtype=float))


__all__ = [
    "FIELD_ORACLES",
    "ICM",
    "AnyFieldOracle",
    "Belief",
    "Combine",
    "Exhaustive",
    "Greedy",
    "Independent",
    "KnownApproximation",
    "Tree",
    "decoder_of",
]
