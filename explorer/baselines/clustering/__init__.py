"""What supervised clustering is held against, one file per method. CONTRAST is in menu order.

    similarity   learns K from complete partitions, pair by pair or by eigenspaces
    selection    chooses the pairs that a pairwise learner sees
    clustering   clusters one item set without training
    links        clusters one item set under must-links and cannot-links
    metric       learns a distance from pairs or comparisons

All take and return plain arrays; a partition numbers its clusters 0, 1, ... by first appearance.
"""

from explorer.baselines.clustering._links import Links, closure
from explorer.baselines.clustering._outcome import ClusteringOutcome, Metric
from explorer.baselines.clustering.cop import COP
from explorer.baselines.clustering.eigen_metric import EigenMetric
from explorer.baselines.clustering.hmrf import HMRF
from explorer.baselines.clustering.itml import ITML
from explorer.baselines.clustering.kernel_links import KernelLinks
from explorer.baselines.clustering.linkage import Linkage
from explorer.baselines.clustering.linking import BackwardLinking
from explorer.baselines.clustering.lmnn import LMNN
from explorer.baselines.clustering.mixture import Mixture
from explorer.baselines.clustering.mpck import MPCK
from explorer.baselines.clustering.pair_classifier import PairClassifier
from explorer.baselines.clustering.pair_selection import AllPairs, Canopy, ChainPairs
from explorer.baselines.clustering.relative import Relative
from explorer.baselines.clustering.seeded import Seeded
from explorer.baselines.clustering.spectral_learning import SpectralLearning
from explorer.baselines.clustering.tsang_kwok import TsangKwok
from explorer.baselines.clustering.untrained import KMeans, Uniform
from explorer.baselines.clustering.xing import Xing

SIMILARITIES = (Uniform, PairClassifier, SpectralLearning)
SELECTIONS = (AllPairs, Canopy, ChainPairs)
CLUSTERINGS = (KMeans, Mixture, Linkage, BackwardLinking)
LINKED = (Seeded, COP, MPCK, HMRF, KernelLinks)
METRICS = (Xing, TsangKwok, Relative, ITML, LMNN, EigenMetric)

CONTRAST = (*SIMILARITIES, *SELECTIONS, *CLUSTERINGS, *LINKED, *METRICS)

__all__ = [
    "CLUSTERINGS",
    "CONTRAST",
    "COP",
    "HMRF",
    "ITML",
    "LINKED",
    "LMNN",
    "METRICS",
    "MPCK",
    "SELECTIONS",
    "SIMILARITIES",
    "AllPairs",
    "BackwardLinking",
    "Canopy",
    "ChainPairs",
    "ClusteringOutcome",
    "EigenMetric",
    "KMeans",
    "KernelLinks",
    "Linkage",
    "Links",
    "Metric",
    "Mixture",
    "PairClassifier",
    "Relative",
    "Seeded",
    "SpectralLearning",
    "TsangKwok",
    "Uniform",
    "Xing",
    "closure",
]
