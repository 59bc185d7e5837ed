"""Decoders of pairwise fields, one file each; FIELD_ORACLES is in menu order."""

from typing import Any

import numpy as np

from explorer.engine.structures.fields.fields import FieldOracle
from explorer.engine.structures.fields.kernels.decoders import (
    BELIEF,
    COMBINE,
    EXHAUSTIVE,
    GREEDY,
    INDEPENDENT,
    MODES,
    ROOF,
    TREE,
)
from explorer.engine.structures.fields.oracles.belief import Belief
from explorer.engine.structures.fields.oracles.branch_and_bound import BranchAndBound
from explorer.engine.structures.fields.oracles.combine import Combine
from explorer.engine.structures.fields.oracles.exhaustive import Exhaustive
from explorer.engine.structures.fields.oracles.expansion import Expansion
from explorer.engine.structures.fields.oracles.graph_cut import GraphCut
from explorer.engine.structures.fields.oracles.greedy import NODEWISE, Greedy
from explorer.engine.structures.fields.oracles.icm import ICM
from explorer.engine.structures.fields.oracles.independent import Independent
from explorer.engine.structures.fields.oracles.known_approximation import KnownApproximation
from explorer.engine.structures.fields.oracles.linear_program import LinearProgram
from explorer.engine.structures.fields.oracles.relaxation import Relaxation
from explorer.engine.structures.fields.oracles.roof_duality import HALF, RoofDuality
from explorer.engine.structures.fields.oracles.swap import Swap
from explorer.engine.structures.fields.oracles.tree import Tree
from explorer.engine.vectors import Array

FIELD_ORACLES: tuple[type[FieldOracle], ...] = (
    Exhaustive,
    Tree,
    BranchAndBound,
    GraphCut,
    Relaxation,
    LinearProgram,
    RoofDuality,
    Expansion,
    Swap,
    Belief,
    Greedy,
    Combine,
    ICM,
    Independent,
    KnownApproximation,
)


DECODERS: dict[type[Any], int] = {
    Exhaustive: EXHAUSTIVE,
    Independent: INDEPENDENT,
    Tree: TREE,
    Greedy: GREEDY,
    ICM: MODES,
    Belief: BELIEF,
    Combine: COMBINE,
    RoofDuality: ROOF,
}
"""The oracles that compiled visits know."""


def kind_of(oracle: FieldOracle) -> str:
    """exact, under or over; a relaxed oracle that is told to answer hard labellings is "under"."""
    return (
        "under" if getattr(oracle, "fill", HALF) != HALF or getattr(oracle, "round", False) else oracle.kind
    )


def decoder_of(oracle: FieldOracle, states: int) -> tuple[int, Array] | None:
    """The number and settings under which compiled visits know this oracle; None where they do not."""
    nodewise = float(getattr(oracle, "start", "") == NODEWISE)
    messages = (getattr(oracle, name, 0.0) for name in ("sweeps", "damping", "tolerance"))
    number = DECODERS.get(type(oracle))
    if isinstance(oracle, RoofDuality) and (states != 2 or oracle.fill != HALF):
        return None
    return None if number is None else (number, np.array([nodewise, *messages], dtype=float))


__all__ = [
    "FIELD_ORACLES",
    "ICM",
    "Belief",
    "BranchAndBound",
    "Combine",
    "Exhaustive",
    "Expansion",
    "GraphCut",
    "Greedy",
    "Independent",
    "KnownApproximation",
    "LinearProgram",
    "Relaxation",
    "RoofDuality",
    "Swap",
    "Tree",
    "decoder_of",
    "kind_of",
]
