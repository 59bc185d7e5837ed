"""Published experiments that can be run again; STUDIES is in menu order: oracles, what they do to learning,
clustering.
"""

from typing import Any

from explorer.engine.refusals import Refused
from explorer.studies.binary_machines import BinaryMachines
from explorer.studies.bundle_curve import BundleCurve
from explorer.studies.c_selection import CSelection
from explorer.studies.clustering_time import ClusteringTime
from explorer.studies.dominating_cut import DominatingCut
from explorer.studies.early_stop import EarlyStop
from explorer.studies.edge_hashes import EdgeHashes
from explorer.studies.feature_ablation import FeatureAblation
from explorer.studies.greedy_and_relaxed import GreedyAndRelaxed
from explorer.studies.greedy_trees import GreedyTrees
from explorer.studies.inference_quality import InferenceQuality
from explorer.studies.inference_time import InferenceTime
from explorer.studies.kernel_index import KernelIndex
from explorer.studies.latent_link_rounds import LatentLinkRounds
from explorer.studies.loss_in_oracle import LossInOracle
from explorer.studies.loss_mismatch import LossMismatch
from explorer.studies.noise_sweep import NoiseSweep
from explorer.studies.oracle_grid import OracleGrid
from explorer.studies.other_ways import OtherWays
from explorer.studies.rho_sweep import RhoSweep
from explorer.studies.sandwich import Sandwich
from explorer.studies.separability import Separability
from explorer.studies.signed_rank import SignedRank
from explorer.studies.stripes import StripesStudy
from explorer.studies.support.study import Study
from explorer.studies.synth_table import SynthTable
from explorer.studies.temperature import Temperature

STUDIES: tuple[type[Study], ...] = (
    InferenceTime,
    InferenceQuality,
    OracleGrid,
    CSelection,
    RhoSweep,
    EarlyStop,
    Sandwich,
    Separability,
    StripesStudy,
    Temperature,
    BinaryMachines,
    BundleCurve,
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
    "BinaryMachines",
    "BundleCurve",
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
    "StripesStudy",
    "Study",
    "SynthTable",
    "Temperature",
    "study_named",
]
