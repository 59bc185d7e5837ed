"""Decoders of pairwise fields, one file each; FIELD_ORACLES is in menu order."""

import numpy as np

from explorer.engine.field_oracles.belief import Belief
from explorer.engine.field_oracles.branch_and_bound import BranchAndBound
from explorer.engine.field_oracles.combine import Combine
from explorer.engine.field_oracles.exhaustive import Exhaustive
from explorer.engine.field_oracles.expansion import Expansion
from explorer.engine.field_oracles.graph_cut import GraphCut
from explorer.engine.field_oracles.greedy import NODEWISE, Greedy
from explorer.engine.field_oracles.icm import ICM
from explorer.engine.field_oracles.independent import Independent
from explorer.engine.field_oracles.known_approximation import KnownApproximation
from explorer.engine.field_oracles.linear_program import LinearProgram
from explorer.engine.field_oracles.relaxation import Relaxation
from explorer.engine.field_oracles.roof_duality import HALF, RoofDuality
from explorer.engine.field_oracles.swap import Swap
from explorer.engine.field_oracles.tree import Tree
from explorer.engine.kernels.field_decoders import BELIEF, COMBINE, EXHAUSTIVE, GREEDY, INDEPENDENT, MODES, ROOF, TREE
from explorer.engine.vectors import Array

AnyFieldOracle = (
    Exhaustive
    | Tree
    | BranchAndBound
    | GraphCut
    | Relaxation
    | LinearProgram
    | RoofDuality
    | Expansion
    | Swap
    | Belief
    | Greedy
    | Combine
    | ICM
    | Independent
    | KnownApproximation
)

FIELD_ORACLES: tuple[type[AnyFieldOracle], ...] = (
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


DECODERS: dict[type[AnyFieldOracle], int] = {
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


def kind_of(oracle: AnyFieldOracle) -> str:
    """exact, under or over; a relaxed oracle that is told to answer hard labellings is "under"."""
    return "under" if getattr(oracle, "fill", HALF) != HALF or getattr(oracle, "round", False) else oracle.kind


def decoder_of(oracle: AnyFieldOracle, states: int) -> tuple[int, Array] | None:
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
    "AnyFieldOracle",
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
