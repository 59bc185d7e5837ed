"""Decoders of pairwise fields, one file each; FIELD_ORACLES is in menu order."""

from explorer.engine.structures.fields.fields import FieldOracle
from explorer.engine.structures.fields.oracles.belief import Belief
from explorer.engine.structures.fields.oracles.branch_and_bound import BranchAndBound
from explorer.engine.structures.fields.oracles.combine import Combine
from explorer.engine.structures.fields.oracles.exhaustive import Exhaustive
from explorer.engine.structures.fields.oracles.expansion import Expansion
from explorer.engine.structures.fields.oracles.graph_cut import GraphCut
from explorer.engine.structures.fields.oracles.greedy import Greedy
from explorer.engine.structures.fields.oracles.icm import ICM
from explorer.engine.structures.fields.oracles.independent import Independent
from explorer.engine.structures.fields.oracles.known_approximation import KnownApproximation
from explorer.engine.structures.fields.oracles.linear_program import LinearProgram
from explorer.engine.structures.fields.oracles.relaxation import Relaxation
from explorer.engine.structures.fields.oracles.roof_duality import RoofDuality
from explorer.engine.structures.fields.oracles.swap import Swap
from explorer.engine.structures.fields.oracles.tree import Tree

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
