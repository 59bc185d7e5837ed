"""Every loss there is; LOSSES is in menu order."""

from explorer.engine.contracts import Loss
from explorer.engine.losses import SHARED_LOSSES
from explorer.engine.structures.clusterings.losses import CLUSTER_LOSSES

LOSSES: tuple[type[Loss], ...] = (*SHARED_LOSSES, *CLUSTER_LOSSES)
