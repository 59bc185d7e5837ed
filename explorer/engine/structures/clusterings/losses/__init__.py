"""Losses of clusterings: zero on the truth, positive elsewhere."""

from explorer.engine.structures.clusterings.losses.mitre import Mitre
from explorer.engine.structures.clusterings.losses.normalised import Normalised
from explorer.engine.structures.clusterings.losses.pairwise import Pairwise

__all__ = ["Mitre", "Normalised", "Pairwise"]
