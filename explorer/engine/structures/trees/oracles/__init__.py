"""Decoders of dependency trees, one file each; TREE_ORACLES is in menu order."""

from explorer.engine.structures.trees.oracles._tables import Tables, ends, stacked
from explorer.engine.structures.trees.oracles.arborescence import Arborescence
from explorer.engine.structures.trees.oracles.every_tree import EveryTree
from explorer.engine.structures.trees.oracles.greedy_heads import GreedyHeads
from explorer.engine.structures.trees.oracles.projective import Projective
from explorer.engine.structures.trees.oracles.tree_program import TreeProgram

AnyTreeOracle = Arborescence | GreedyHeads | Projective | TreeProgram | EveryTree

TREE_ORACLES: tuple[type[AnyTreeOracle], ...] = (
    Arborescence,
    GreedyHeads,
    Projective,
    TreeProgram,
    EveryTree,
)

__all__ = [
    "TREE_ORACLES",
    "AnyTreeOracle",
    "Arborescence",
    "EveryTree",
    "GreedyHeads",
    "Projective",
    "Tables",
    "TreeProgram",
    "ends",
    "stacked",
]
