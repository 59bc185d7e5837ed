"""Synth: pairs of points that tell, through noise, from which two clusters they come.

    k clusters of q points; k (k + 1) / 2 regions of f features, one for each unordered pair of clusters
    a pair from the clusters {a, b} turns on `active` of the f features of its region, any of them, to 1
    before that, each of a and b is replaced by a random cluster with probability `noise`

so the region is the right one with probability (1 - noise (k - 1) / k)^2: .7056 for noise .2 and k = 5.
Finley 2009, section 4.5.1; what cluster 1 is, is the same in every set. The source says noise .20, with which
clustering is almost free of errors; near .48 the losses are like those it prints. Items come in random order.
Pair vectors are drawn independently of each other. Cost: `active` draws for each pair, no loop over pairs.
"""

import numpy as np
from scipy.sparse import csr_array

from explorer.engine.contracts import Dataset
from explorer.engine.data.item_sets import item_sets, left_out
from explorer.engine.knobs import knob, settings
from explorer.engine.refusals import Refused
from explorer.engine.structures.clusterings.item_sets import ItemSet, item_set
from explorer.engine.vectors import Ints

MOST_PAIRS = 20_000_000


def make_synth(
    sets: int = 5,
    groups: int = 5,
    per_group: int = 20,
    features: int = 50,
    active: int = 5,
    noise: float = 0.48,
    seed: int = 0,
) -> Dataset:
    """All sets of one draw; meta["identities"] says for each set which cluster every item is from."""
    _check(sets, groups, per_group, features, active, noise)
    rng = np.random.default_rng(seed)
    drawn = [_drawn(rng, groups, per_group, features, active, noise) for _ in range(sets)]
    about = (
        f"{groups} clusters of {per_group} points; a pair turns on {active} of {features} features of "
        "its two clusters."
    )
    identities = tuple(identity for _, identity in drawn)
    names = feature_names(groups, features)
    return item_sets(
        "synth", [x for x, _ in drawn], identities, names, about, each={"identities": identities}
    )


def feature_names(groups: int, features: int) -> tuple[str, ...]:
    """Region, then number: "2-4 #17"."""
    regions = [f"{a + 1}-{b + 1}" for a in range(groups) for b in range(a, groups)]
    return tuple(f"{region} #{f + 1}" for region in regions for f in range(features))


def region_of(a: Ints, b: Ints, groups: int) -> Ints:
    """The number of the region of the unordered pairs {a, b}: row by row of the upper triangle, with the
    diagonal.
    """
    low, high = np.minimum(a, b), np.maximum(a, b)
    return low * groups - low * (low - 1) // 2 + high - low


def _drawn(
    rng: np.random.Generator, groups: int, per_group: int, features: int, active: int, noise: float
) -> tuple[ItemSet, Ints]:
    """One set, and the cluster of every item."""
    m = groups * per_group
    identity = rng.permutation(np.repeat(np.arange(groups), per_group))
    i, j = np.triu_indices(m, 1)
    first, second = (_replaced(rng, identity[ends], groups, noise) for ends in (i, j))
    region = region_of(first, second, groups)
    columns = features * region[:, None] + subsets(rng, len(i), features, active)
    width = features * groups * (groups + 1) // 2
    indptr = np.arange(len(i) + 1) * active
    pairs = csr_array(
        (np.ones(columns.size), np.sort(columns, axis=1).reshape(-1), indptr), shape=(len(i), width)
    )
    return item_set(m, pairs=pairs, groups=groups, where="a synth set"), identity


def _replaced(rng: np.random.Generator, clusters: Ints, groups: int, noise: float) -> Ints:
    """Each cluster replaced by any with probability `noise`."""
    return np.where(rng.random(len(clusters)) < noise, rng.integers(groups, size=len(clusters)), clusters)


def subsets(rng: np.random.Generator, count: int, features: int, active: int) -> Ints:
    """`count` random subsets of `active` of the features, all equally likely (Floyd's draws)."""
    out = np.empty((count, active), dtype=np.int64)
    for a, top in enumerate(range(features - active, features)):
        drawn = rng.integers(top + 1, size=count)
        taken = np.any(out[:, :a] == drawn[:, None], axis=1)
        out[:, a] = np.where(taken, top, drawn)
    return out


def _check(sets: int, groups: int, per_group: int, features: int, active: int, noise: float) -> None:
    if min(sets, groups, per_group, features, active) < 1:
        raise Refused(
            "sets, groups, per_group, features and active count something; choose 1 or more of each"
        )
    if active > features:
        raise Refused(f"active is {active} of only {features} features; choose at most {features}")
    if not 0.0 <= noise <= 1.0:
        raise Refused(f"noise is {noise}; it is a probability, choose 0 to 1")
    pairs = sets * (groups * per_group) ** 2 // 2
    if pairs * active > MOST_PAIRS * 5:
        raise Refused(
            f"{sets} sets of {groups * per_group} points have {pairs:,} pairs; make fewer or smaller sets"
        )


@settings
class Synth:
    """Pairs of points that tell, through noise, from which two of five clusters they come."""

    n: int = knob(5, "Sets of points; one of them is for testing.", low=2, high=50)
    groups: int = knob(5, "Clusters of a set.", low=2, high=20)
    per_group: int = knob(20, "Points of each cluster.", low=2, high=100)
    features: int = knob(50, "Features for each pair of clusters.", low=1, high=1000)
    active: int = knob(5, "How many of them a pair of points turns on.", low=1, high=50)
    noise: float = knob(
        0.48,
        "How likely a point's cluster is mistaken for a random one; the thesis prints 0.20.",
        low=0.0,
        high=0.8,
    )
    fold: int = knob(1, "Which set is for testing, from 1 to the number of sets.", low=1, high=50)
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    def make(self) -> tuple[Dataset, Dataset | None]:
        """All sets but one, and that one."""
        sizes = (self.n, self.groups, self.per_group, self.features, self.active)
        return left_out(make_synth(*sizes, self.noise, self.seed), self.fold)
