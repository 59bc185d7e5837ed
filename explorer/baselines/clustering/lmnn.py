"""Large margin nearest neighbours: each item near its target neighbours, items of other clusters a unit
further away.

    minimise  (1 - mu) sum over targets d(i, j)^2 + mu sum over i, its targets j, items l of other clusters of
              max(0, 1 + d(i, j)^2 - d(i, l)^2)            A positive semidefinite

Weinberger, Blitzer and Saul (NIPS 2005). Targets are the nearest items of the same cluster before training
and do not change; impostors, the l with a positive term, are looked for again at every step. The objective is
convex in A but has corners, where a subgradient step stalls: they are rounded, less and less, and each
rounded objective goes down by projected gradient steps of Barzilai and Borwein's length. The best A so far is
kept, so the trace never rises. No lower bound is known. Cost per step: m^2 times the number of targets, and
F^3.
"""

from collections.abc import Iterator
from typing import Any, ClassVar, final

import numpy as np

from explorer.baselines.clustering._arrays import nodes, partition
from explorer.baselines.clustering._outcome import Metric, positive_part, squared_distances
from explorer.engine.knobs import knob, settings
from explorer.engine.refusals import Refused
from explorer.engine.vectors import Array, Ints

BLURS = (1.0, 0.1, 0.01, 0.001, 1e-4)
"""Over how much of the unit margin the corners are rounded, in turn."""


@final
@settings
class LMNN:
    """Target neighbours near, impostors out."""

    title: ClassVar[str] = "LMNN"
    help: ClassVar[str] = (
        "Draws each item to its nearest own neighbours and pushes others a unit beyond them."
    )
    kind: ClassVar[str] = "metric"
    paper: ClassVar[str] = "Weinberger, Blitzer and Saul 2005"

    targets: int = knob(3, "Target neighbours per item.", low=1, high=100)
    mu: float = knob(0.5, "Share of the push in the objective; the rest is the pull.", low=0.0, high=1.0)
    eps: float = knob(
        1e-8, "Stop when a step lowers the objective relatively by less.", low=0.0, high=1.0, log=True
    )
    steps: int = knob(500, "Most steps per rounding.", low=1, high=10**6, log=True)

    def fit(self, X: Any, y: Any) -> Metric:
        """The metric of labelled items; its objective never rises."""
        rows = nodes(X)
        labels = partition(y, len(rows))
        near = self.neighbours(rows, labels)
        A = best = np.eye(rows.shape[1])
        trace = [self.objective(A, rows, labels, near)[0]]
        for blur in BLURS:
            for value, reached in self._descend(A, blur, rows, labels, near):
                A = reached
                best = A if value < trace[-1] else best
                trace.append(min(value, trace[-1]))
        return Metric(best, np.array(trace))

    def _descend(
        self, A: Array, blur: float, X: Array, labels: Ints, near: Ints
    ) -> Iterator[tuple[float, Array]]:
        """Projected gradient steps on the rounded objective, each with the sharp objective that it
        reached.
        """
        _, rounded, slope = self.objective(A, X, labels, near, blur)
        step = 1.0 / max(float(np.linalg.norm(slope)), 1e-12)
        for _ in range(self.steps):
            trial = positive_part(A - step * slope)
            sharp, reached, turned = self.objective(trial, X, labels, near, blur)
            while reached > rounded + 1e-4 * float(np.sum(slope * (trial - A))) and step > 1e-18:
                step *= 0.5
                trial = positive_part(A - step * slope)
                sharp, reached, turned = self.objective(trial, X, labels, near, blur)
            if not rounded - reached > self.eps * max(reached, 1e-300):
                return
            moved, bent = trial - A, float(np.sum((trial - A) * (turned - slope)))
            step = float(np.sum(moved * moved)) / bent if bent > 0.0 else 2.0 * step
            A, rounded, slope = trial, reached, turned
            yield sharp, A

    def neighbours(self, X: Array, labels: Ints) -> Ints:
        """(m, targets): the nearest items of the same cluster, by Euclidean distance, ties to the smaller
        number.
        """
        counts = np.bincount(labels)
        if len(counts) < 2:
            raise Refused("all items are in one cluster; give at least two clusters to tell apart")
        if counts.min() <= self.targets:
            c = int(np.argmin(counts))
            raise Refused(
                f"cluster {c} has {counts[c]} items, too few for {self.targets} target neighbours each; "
                "lower targets"
            )
        far = squared_distances(X, np.eye(X.shape[1]))
        far[(labels[:, None] != labels[None, :]) | np.eye(len(X), dtype=bool)] = np.inf
        return np.argsort(far, axis=1, kind="stable")[:, : self.targets].astype(np.int64)

    def objective(
        self, A: Array, X: Array, labels: Ints, near: Ints, blur: float = 0.0
    ) -> tuple[float, float, Array]:
        """The objective, the one with corners rounded over `blur`, and a (sub)gradient of the latter."""
        m, D = len(X), squared_distances(X, A)
        other = labels[:, None] != labels[None, :]
        # weight[i, j] collects the coefficient of d(i, j)^2: pull and push have the same form.
        weight, sharp, rounded = np.zeros((m, m)), 0.0, 0.0
        for t in range(near.shape[1]):
            j = near[:, t]
            pulled = D[np.arange(m), j]
            hinge = np.where(other, np.maximum(1.0 + pulled[:, None] - D, 0.0), 0.0)
            active = np.minimum(hinge / blur, 1.0) if blur else (hinge > 0.0).astype(np.float64)
            sharp += (1.0 - self.mu) * float(pulled.sum()) + self.mu * float(hinge.sum())
            # max(0, z) becomes z^2 / (2 blur) up to blur and z - blur / 2 beyond.
            rounded += (1.0 - self.mu) * float(pulled.sum()) + self.mu * float(
                (active * (hinge - 0.5 * blur * active)).sum()
            )
            weight[np.arange(m), j] += (1.0 - self.mu) + self.mu * active.sum(axis=1)
            weight -= self.mu * active
        both = weight + weight.T
        return sharp, rounded, np.asarray(X.T @ (np.diag(both.sum(axis=1)) - both) @ X)

    def impostors(self, metric: Metric, X: Any, y: Any) -> int:
        """How many items stand within a unit of a target neighbour's distance, under this metric."""
        rows = nodes(X)
        labels = partition(y, len(rows))
        D = squared_distances(rows, metric.A)
        pulled = D[np.arange(len(rows))[:, None], self.neighbours(rows, labels)]
        other = labels[:, None] != labels[None, :]
        return int(sum((other & (1.0 + pulled[:, [t]] > D)).sum() for t in range(self.targets)))
