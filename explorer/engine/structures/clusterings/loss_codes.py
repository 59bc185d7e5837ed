"""A loss of clusterings and its pricing as compiled searches read them; see `kernels.cluster_stakes`."""

from typing import Any

import numpy as np

from explorer.engine.pricing import Pricing
from explorer.engine.structures.clusterings.kernels.loss_values import MITRE, NORMALISED, PAIRWISE, Stake
from explorer.engine.structures.clusterings.losses import Mitre, Normalised, Pairwise
from explorer.engine.vectors import Ints

NUMBERS: dict[type, int] = {Pairwise: PAIRWISE, Mitre: MITRE, Normalised: NORMALISED}
"""The losses that compiled code knows."""


def stake_of(delta: Any, truth: Ints, own: float, pricing: Pricing) -> Stake | None:
    """What is at stake beside a truth with score `own`; None where compiled code does not know the loss."""
    number = NUMBERS.get(type(delta))
    if number is None:
        return None
    labels = np.array(truth, dtype=np.int64)
    slack, squared = pricing.scaling == "slack", pricing.penalty == "squared"
    return Stake(number, labels, np.bincount(labels), float(own), slack, squared)
