"""The dual expansion of a clustering machine: w and the similarity as sums over the training pairs.

    gamma_i,jk = sum over cuts y of example i of alpha_y u_y (beta_jk(truth) - beta_jk(y))
    w = sum_i sum_{j < k} gamma_i,jk psi_jk
        K(a, b) = sum_i sum_{j < k} gamma_i,jk kappa(psi_ab, psi_jk)

where Psi(x, y) = sum_{j < k} beta_jk(y) psi_jk, alpha are the multipliers of the cuts and u is 1 (margin
scaling) or the priced loss (slack scaling). Finley 2009, section 6.4, equations 6.9 to 6.13, whose indices
are mended here. A 1-slack cut names one clustering of each example, and its multiplier counts a share of 1 /
n for each. Cost: the training pairs times the cuts with mass for gamma; for each similarity one kernel for
each training pair with gamma other than 0.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np

from explorer.engine.contracts import Dataset, Problem
from explorer.engine.events import EVERY_EXAMPLE
from explorer.engine.objective import Plane
from explorer.engine.refusals import Refused
from explorer.engine.structures.clusterings.item_sets import ItemSet, Weighting
from explorer.engine.structures.clusterings.pair_kernels import (
    Linear,
    PairKernel,
    Pairs,
    pairs_of,
    stack_pairs,
)
from explorer.engine.structures.clusterings.partitions import pair_count, pair_matrix
from explorer.engine.vectors import Array

BLOCK = 4_000_000
"""Kernel values that are held at once."""


@runtime_checkable
class Weighs(Protocol):
    """A problem whose features are weighted sums of pair features."""

    def weighting(self, x: ItemSet, label: Any) -> Weighting: ...


@dataclass(frozen=True, slots=True, eq=False)
class DualExpansion:
    """For every training set the gamma of its pairs, and of its items with themselves where the problem has
    those.
    """

    dataset: Dataset
    pairs: tuple[Array, ...]
    own: tuple[Array, ...]

    def on(self, dataset: Dataset) -> Self:
        """The same gamma for the same pairs with other features: those from which a kernel's coordinates were
        made.
        """
        return replace(self, dataset=dataset)

    def support(self) -> tuple[Array, Pairs]:
        """The gamma that are not 0, and their pairs written out."""
        gamma = np.concatenate([np.concatenate(both) for both in zip(self.pairs, self.own, strict=True)])
        written = stack_pairs(
            [pairs_of(x, own=len(o) > 0) for x, o in zip(self.dataset.inputs, self.own, strict=True)]
        )
        kept = np.flatnonzero(gamma)
        return gamma[kept], written.at(kept)

    def w(self) -> Array:
        """w = sum gamma psi, without looking at any cut."""
        gamma, written = self.support()
        return np.asarray(gamma @ written.psi)

    def similarity(self, x: ItemSet, kernel: PairKernel | None = None) -> Array:
        """K of all pairs of an item set, 0 on the diagonal."""
        gamma, written = self.support()
        kappa, asked = kernel or Linear(), pairs_of(x)
        rows = max(1, BLOCK // max(len(gamma), 1))
        parts = [
            kappa.gram(asked.at(slice(at, at + rows)), written) @ gamma
            for at in range(0, len(asked.psi), rows)
        ]
        return pair_matrix(np.concatenate(parts), x.m) if parts else np.zeros((x.m, x.m))


def expansion(problem: Problem, state: Mapping[str, Any]) -> DualExpansion:
    """The gamma of a cutting-plane run from a keyframe of it (the `state` of a Step), on the data of
    `problem`.
    """
    if not isinstance(problem, Weighs):
        raise Refused(f"the features of {problem.name} are no sums over pairs; give a clustering problem")
    if "planes" not in state:
        raise Refused("this run kept no cuts with multipliers; train with a cutting-plane learner")
    inputs = problem.dataset.inputs
    pairs = [np.zeros(pair_count(x.m)) for x in inputs]
    own = [np.zeros(_owns(problem, i)) for i in range(problem.n)]
    for plane, alpha in zip(state["planes"], state["alpha"], strict=True):
        if alpha == 0.0:
            continue
        for i, label, share in _named(plane, problem.n):
            weight = alpha * share * problem.pricing.weight(problem.loss(i, label))
            truth, other = (_weighed(problem, i, y) for y in (problem.dataset.labels[i], label))
            pairs[i] += weight * (truth.beta - other.beta)
            own[i] += weight * (_own(truth) - _own(other))
    return DualExpansion(problem.dataset, tuple(pairs), tuple(own))


def _named(plane: Plane, n: int) -> list[tuple[int, Any, float]]:
    """Every (example, clustering, share) of a cut."""
    if plane.label is None:
        raise Refused(
            "a rule on w has a multiplier, and rules are no sums over pairs; train without `nonnegative`"
        )
    if plane.group == EVERY_EXAMPLE:
        return [(i, label, 1.0 / n) for i, label in enumerate(plane.label)]
    return [(plane.group, plane.label, 1.0)]


def _weighed(problem: Any, i: int, label: Any) -> Weighting:
    return problem.weighting(problem.dataset.inputs[i], label)


def _own(weighting: Weighting) -> Array:
    return np.zeros(0) if weighting.own is None else weighting.own


def _owns(problem: Problem, i: int) -> int:
    return len(_own(_weighed(problem, i, problem.dataset.labels[i])))
