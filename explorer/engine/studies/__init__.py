"""Published experiments that can be run again; STUDIES is in menu order: oracles, what they do to learning, clustering."""

from typing import Any

from explorer.engine.protocols import Refused
from explorer.engine.studies.c_selection import CSelection
from explorer.engine.studies.clustering_time import ClusteringTime
from explorer.engine.studies.dominating_cut import DominatingCut
from explorer.engine.studies.early_stop import EarlyStop
from explorer.engine.studies.edge_hashes import EdgeHashes
from explorer.engine.studies.feature_ablation import FeatureAblation
from explorer.engine.studies.greedy_and_relaxed import GreedyAndRelaxed
from explorer.engine.studies.greedy_trees import GreedyTrees
from explorer.engine.studies.inference_quality import InferenceQuality
from explorer.engine.studies.inference_time import InferenceTime
from explorer.engine.studies.kernel_index import KernelIndex
from explorer.engine.studies.latent_link_rounds import LatentLinkRounds
from explorer.engine.studies.loss_in_oracle import LossInOracle
from explorer.engine.studies.loss_mismatch import LossMismatch
from explorer.engine.studies.noise_sweep import NoiseSweep
from explorer.engine.studies.oracle_grid import OracleGrid
from explorer.engine.studies.other_ways import OtherWays
from explorer.engine.studies.rho_sweep import RhoSweep
from explorer.engine.studies.sandwich import Sandwich
from explorer.engine.studies.separability import Separability
from explorer.engine.studies.signed_rank import SignedRank
from explorer.engine.studies.stripes import Stripes
from explorer.engine.studies.study import Study
from explorer.engine.studies.synth_table import SynthTable
from explorer.engine.studies.temperature import Temperature

STUDIES: tuple[type[Study], ...] = (
    InferenceTime,
    InferenceQuality,
    OracleGrid,
    CSelection,
    RhoSweep,
    EarlyStop,
    Sandwich,
    Separability,
    Stripes,
    Temperature,
    LossMismatch,
    LossInOracle,
    GreedyAndRelaxed,
    SynthTable,
    NoiseSweep,
    FeatureAblation,
    ClusteringTime,
    SignedRank,
    DominatingCut,
    OtherWays,
    LatentLinkRounds,
    EdgeHashes,
    GreedyTrees,
    KernelIndex,
)


def study_named(name: str) -> type[Any]:
    """The study of this name; refused with the names there are."""
    for kind in STUDIES:
        if kind.name == name:
            return kind
    raise Refused(f"there is no study {name!r}; choose one of {', '.join(kind.name for kind in STUDIES)}")


__all__ = [
    "STUDIES",
    "CSelection",
    "ClusteringTime",
    "DominatingCut",
    "EarlyStop",
    "EdgeHashes",
    "FeatureAblation",
    "GreedyAndRelaxed",
    "GreedyTrees",
    "InferenceQuality",
    "InferenceTime",
    "KernelIndex",
    "LatentLinkRounds",
    "LossInOracle",
    "LossMismatch",
    "NoiseSweep",
    "OracleGrid",
    "OtherWays",
    "RhoSweep",
    "Sandwich",
    "Separability",
    "SignedRank",
    "Stripes",
    "Study",
    "SynthTable",
    "Temperature",
    "study_named",
]
