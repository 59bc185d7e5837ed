"""Every loss there is; LOSSES is in menu order."""

from explorer.engine.losses import CostMatrix, FScore, Hamming, IoU, ZeroOne
from explorer.engine.structures.clusterings.losses import Mitre, Normalised, Pairwise

AnyLoss = ZeroOne | Hamming | CostMatrix | IoU | FScore | Pairwise | Mitre | Normalised

LOSSES: tuple[type[AnyLoss], ...] = (ZeroOne, Hamming, CostMatrix, IoU, FScore, Pairwise, Mitre, Normalised)
