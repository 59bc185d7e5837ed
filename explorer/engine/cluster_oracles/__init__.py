"""Clusterers, one file each; CLUSTER_ORACLES is in menu order."""

from explorer.engine.cluster_oracles.exhaustive import AllPartitions

AnyClusterOracle = AllPartitions

CLUSTER_ORACLES: tuple[type[AnyClusterOracle], ...] = (AllPartitions,)

__all__ = ["CLUSTER_ORACLES", "AllPartitions", "AnyClusterOracle"]
