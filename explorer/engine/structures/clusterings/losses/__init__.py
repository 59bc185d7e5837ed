"""Losses of clusterings: zero on the truth, positive elsewhere; CLUSTER_LOSSES is in menu order."""

from typing import Any, ClassVar, Protocol, runtime_checkable

from explorer.engine.structures.clusterings.losses.mitre import Mitre
from explorer.engine.structures.clusterings.losses.normalised import Normalised
from explorer.engine.structures.clusterings.losses.pairwise import Pairwise


@runtime_checkable
class ClusterLoss(Protocol):
    """A loss of two clusterings, in per cent; `details` says from what it comes about."""

    title: ClassVar[str]
    help: ClassVar[str]

    def value(self, truth: Any, label: Any) -> float: ...
    def details(self, truth: Any, label: Any) -> str: ...


CLUSTER_LOSSES: tuple[type[ClusterLoss], ...] = (Pairwise, Mitre, Normalised)
