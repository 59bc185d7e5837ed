"""Decoders of dependency trees, one file each; TREE_ORACLES is in menu order."""

from explorer.engine.structures.trees.oracles._tables import Tables as Tables
from explorer.engine.structures.trees.oracles._tables import TreeOracle
from explorer.engine.structures.trees.oracles._tables import ends as ends
from explorer.engine.structures.trees.oracles._tables import stack_tables as stack_tables
from explorer.engine.structures.trees.oracles.arborescence import Arborescence
from explorer.engine.structures.trees.oracles.every_tree import EveryTree
from explorer.engine.structures.trees.oracles.greedy_heads import GreedyHeads
from explorer.engine.structures.trees.oracles.projective import Projective
from explorer.engine.structures.trees.oracles.tree_program import TreeProgram

TREE_ORACLES: tuple[type[TreeOracle], ...] = (
    Arborescence,
    GreedyHeads,
    Projective,
    TreeProgram,
    EveryTree,
)
