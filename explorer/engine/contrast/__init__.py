"""What supervised clustering is held against, one file per method. CONTRAST is in menu order.

    similarity   learns K from complete partitions, pair by pair or by eigenspaces
    selection    chooses the pairs that a pairwise learner sees
    clustering   clusters one item set without training
    links        clusters one item set under must-links and cannot-links
    metric       learns a distance from pairs or comparisons

All take and return plain arrays; a partition numbers its clusters 0, 1, ... by first appearance.
"""

from explorer.engine.contrast._links import Links, closed
from explorer.engine.contrast._outcome import Clustering, Metric
from explorer.engine.contrast.cop import COP
from explorer.engine.contrast.eigen_metric import EigenMetric
from explorer.engine.contrast.hmrf import HMRF
from explorer.engine.contrast.itml import ITML
from explorer.engine.contrast.kernel_links import KernelLinks
from explorer.engine.contrast.linkage import Linkage
from explorer.engine.contrast.linking import BackwardLinking
from explorer.engine.contrast.lmnn import LMNN
from explorer.engine.contrast.mixture import Mixture
from explorer.engine.contrast.mpck import MPCK
from explorer.engine.contrast.pair_classifier import PairClassifier
from explorer.engine.contrast.pair_selection import AllPairs, Canopy, Chain
from explorer.engine.contrast.relative import Relative
from explorer.engine.contrast.seeded import Seeded
from explorer.engine.contrast.spectral_learning import SpectralLearning
from explorer.engine.contrast.tsang_kwok import TsangKwok
from explorer.engine.contrast.untrained import KMeans, Uniform
from explorer.engine.contrast.xing import Xing

SIMILARITIES = (Uniform, PairClassifier, SpectralLearning)
SELECTIONS = (AllPairs, Canopy, Chain)
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
    "Chain",
    "Clustering",
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
    "closed",
]
