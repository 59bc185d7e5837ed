"""Clustering labs for tests, and clusterings as they are written in the sources: "abc/de"."""

from typing import Any

from explorer.engine.structures.clusterings.partitions import from_clusters
from explorer.engine.vectors import Ints
from explorer.labs.clusterings.comparison import CORRELATION
from explorer.labs.clusterings.instance import ClusterChoice
from explorer.labs.clusterings.state import ClusterLab, ClusterSetup

NAMES = tuple("abcdefghi")


def lab(
    source: str = "figure 3.1", shown: str = "greedy merges", family: str = CORRELATION, **more: Any
) -> ClusterLab:
    """A lab that looks at one clusterer; `more` are parts of its choice."""
    return ClusterLab(ClusterSetup(ClusterChoice(source, **more), family, shown))


def labels(text: str) -> Ints:
    """ "abc/de" as labels."""
    groups = text.split("/")
    return from_clusters([["abcdefghi".index(c) for c in group] for group in groups], sum(map(len, groups)))
