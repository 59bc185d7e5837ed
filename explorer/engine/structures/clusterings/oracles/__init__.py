"""Clusterers, one file each; CLUSTER_ORACLES is in menu order."""

from explorer.engine.structures.clusterings.oracles.batch_k_means import BatchKMeans
from explorer.engine.structures.clusterings.oracles.discrete import Discrete
from explorer.engine.structures.clusterings.oracles.exhaustive import AllPartitions
from explorer.engine.structures.clusterings.oracles.greedy_merges import GreedyMerges
from explorer.engine.structures.clusterings.oracles.integer_program import IntegerProgram
from explorer.engine.structures.clusterings.oracles.iterative import Iterative
from explorer.engine.structures.clusterings.oracles.rounded_relaxation import RoundedRelaxation
from explorer.engine.structures.clusterings.oracles.spectral import Spectral
from explorer.engine.structures.clusterings.oracles.triangle_relaxation import TriangleRelaxation
from explorer.engine.structures.clusterings.question import ClusterOracle

CLUSTER_ORACLES: tuple[type[ClusterOracle], ...] = (
    AllPartitions,
    IntegerProgram,
    GreedyMerges,
    TriangleRelaxation,
    RoundedRelaxation,
    Iterative,
    Spectral,
    Discrete,
    BatchKMeans,
)
