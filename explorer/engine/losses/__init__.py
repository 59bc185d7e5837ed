"""Structured losses Delta(truth, label): zero on the truth, positive elsewhere; LOSSES is in menu order."""

from explorer.engine.losses.cost_matrix import CostMatrix
from explorer.engine.losses.f_score import FScore
from explorer.engine.losses.hamming import Hamming
from explorer.engine.losses.iou import IoU
from explorer.engine.losses.mitre import Mitre
from explorer.engine.losses.normalised import Normalised
from explorer.engine.losses.pairwise import Pairwise
from explorer.engine.losses.zero_one import ZeroOne

AnyLoss = ZeroOne | Hamming | CostMatrix | IoU | FScore | Pairwise | Mitre | Normalised

LOSSES: tuple[type[AnyLoss], ...] = (ZeroOne, Hamming, CostMatrix, IoU, FScore, Pairwise, Mitre, Normalised)

__all__ = [
    "LOSSES",
    "AnyLoss",
    "CostMatrix",
    "FScore",
    "Hamming",
    "IoU",
    "Mitre",
    "Normalised",
    "Pairwise",
    "ZeroOne",
]
