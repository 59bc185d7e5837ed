"""Structured losses Delta(truth, label) that several structures share: zero on the truth, positive
elsewhere.
"""

from explorer.engine.contracts import Loss
from explorer.engine.losses.cost_matrix import CostMatrix
from explorer.engine.losses.f_score import FScore
from explorer.engine.losses.hamming import Hamming
from explorer.engine.losses.iou import IoU
from explorer.engine.losses.zero_one import ZeroOne

SHARED_LOSSES: tuple[type[Loss], ...] = (ZeroOne, Hamming, CostMatrix, IoU, FScore)
