"""Published experiments that can be run again; STUDIES is in menu order: oracles, what they do to learning,
clustering.
"""

from typing import Any

from explorer.engine.refusals import Refused
from explorer.studies.chains.beyond_linear import BeyondLinear
from explorer.studies.chains.block_test import BlockTest
from explorer.studies.chains.block_validation import BlockValidation
from explorer.studies.chains.gaussian_sequences import GaussianSequences
from explorer.studies.chains.learning_to_search import LearningToSearch
from explorer.studies.chains.names_in_text import NamesInText
from explorer.studies.chains.parts_of_speech import PartsOfSpeech
from explorer.studies.chains.training_cost import TrainingCost
from explorer.studies.clusterings.clustering_time import ClusteringTime
from explorer.studies.clusterings.dominating_cut import DominatingCut
from explorer.studies.clusterings.feature_ablation import FeatureAblation
from explorer.studies.clusterings.greedy_and_relaxed import GreedyAndRelaxed
from explorer.studies.clusterings.latent_link_rounds import LatentLinkRounds
from explorer.studies.clusterings.loss_in_oracle import LossInOracle
from explorer.studies.clusterings.loss_mismatch import LossMismatch
from explorer.studies.clusterings.news_areas import NewsAreasStudy
from explorer.studies.clusterings.noise_sweep import NoiseSweep
from explorer.studies.clusterings.other_ways import OtherWays
from explorer.studies.clusterings.signed_rank import SignedRank
from explorer.studies.clusterings.synth_table import SynthTable
from explorer.studies.fields.c_selection import CSelection
from explorer.studies.fields.early_stop import EarlyStop
from explorer.studies.fields.inference_quality import InferenceQuality
from explorer.studies.fields.inference_time import InferenceTime
from explorer.studies.fields.oracle_grid import OracleGrid
from explorer.studies.fields.rho_sweep import RhoSweep
from explorer.studies.fields.sandwich import Sandwich
from explorer.studies.fields.separability import Separability
from explorer.studies.fields.stripes import StripesStudy
from explorer.studies.learning.binary_machines import BinaryMachines
from explorer.studies.learning.bundle_curve import BundleCurve
from explorer.studies.learning.selection_bias import SelectionBias
from explorer.studies.learning.temperature import Temperature
from explorer.studies.learning.two_programs import TwoPrograms
from explorer.studies.support.study import Study
from explorer.studies.trees.edge_hashes import EdgeHashes
from explorer.studies.trees.greedy_trees import GreedyTrees
from explorer.studies.trees.hash_buckets import HashBuckets
from explorer.studies.trees.input_kernels import InputKernels
from explorer.studies.trees.kernel_index import KernelIndex

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
    TwoPrograms,
    Temperature,
    BinaryMachines,
    BundleCurve,
    GaussianSequences,
    BlockValidation,
    BlockTest,
    TrainingCost,
    NamesInText,
    PartsOfSpeech,
    LearningToSearch,
    BeyondLinear,
    SelectionBias,
    LossMismatch,
    LossInOracle,
    GreedyAndRelaxed,
    SynthTable,
    NoiseSweep,
    FeatureAblation,
    NewsAreasStudy,
    ClusteringTime,
    SignedRank,
    DominatingCut,
    OtherWays,
    LatentLinkRounds,
    EdgeHashes,
    HashBuckets,
    InputKernels,
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
    "BeyondLinear",
    "BinaryMachines",
    "BlockTest",
    "BlockValidation",
    "BundleCurve",
    "CSelection",
    "ClusteringTime",
    "DominatingCut",
    "EarlyStop",
    "EdgeHashes",
    "FeatureAblation",
    "GaussianSequences",
    "GreedyAndRelaxed",
    "GreedyTrees",
    "HashBuckets",
    "InferenceQuality",
    "InferenceTime",
    "InputKernels",
    "KernelIndex",
    "LatentLinkRounds",
    "LearningToSearch",
    "LossInOracle",
    "LossMismatch",
    "NamesInText",
    "NewsAreasStudy",
    "NoiseSweep",
    "OracleGrid",
    "OtherWays",
    "PartsOfSpeech",
    "RhoSweep",
    "Sandwich",
    "SelectionBias",
    "Separability",
    "SignedRank",
    "StripesStudy",
    "Study",
    "SynthTable",
    "Temperature",
    "TrainingCost",
    "TwoPrograms",
    "study_named",
]
